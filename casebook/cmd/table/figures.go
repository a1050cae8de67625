package main

import (
	"strings"
	"time"

	"whet/internal/analyze/compare"
	"whet/internal/analyze/machine"
	"whet/internal/capture/host"
	"whet/internal/quantity"
)

// metricWanted is how a unit is judged by whoever wants the ratio itself, and not
// only that there is one: no verdict ends the measuring.
func metricWanted(unit string) compare.Metric {
	m := compare.MetricOf(unit)
	m.Gates = false
	return m
}

// printFigure prints a figure of a slice in its unit.
func printFigure(x float64, unit string) string {
	switch {
	case unit == compare.NsPerOp, strings.HasSuffix(unit, "-ns"):
		return quantity.Nanoseconds(x)
	case unit == compare.BytesPerOp, unit == compare.PeakBytes:
		return quantity.Bytes(x)
	case strings.HasSuffix(unit, "/s"):
		return quantity.Count(x) + "/s"
	}
	return quantity.Count(x)
}

// watchMachine watches the machine. What it returns tells, in words, what
// disturbed it since then.
func watchMachine() (said func(elapsed time.Duration) []string) {
	meter := host.Start()
	return func(elapsed time.Duration) []string {
		h := host.Facts(nil)
		meter.Stop(&h)
		return machine.Texts(machine.Observation{Host: &h, Elapsed: elapsed}.Doubts(machine.Ratios()))
	}
}
