package pair

import (
	"fmt"
	"time"

	"whet/internal/analyze/compare"
	"whet/internal/capture/host"
	"whet/internal/quantity"
	"whet/internal/recording"
)

// Disturbances of the machine from which on the result says so.
const (
	muchSteal    = 0.02 // of CPU time, taken by the hypervisor
	muchLoad     = 0.5  // runnable processes per core before the start
	muchThrottle = 0.02 // of the time measured
)

// Watch watches the machine for a measurement that is none of this package's.
// What it returns tells, in words, what disturbed the machine since then.
func Watch() (said func(elapsed time.Duration) []string) {
	meter := host.Start()
	return func(elapsed time.Duration) []string {
		h := host.Facts(nil)
		meter.Stop(&h)
		return words(disturbances(&h, int64(elapsed)))
	}
}

func words(all []compare.Disturbance) []string {
	var texts []string
	for _, d := range all {
		texts = append(texts, d.Text)
	}
	return texts
}

// disturbances are what the counters of the machine saw while ns of measuring
// passed. How busy it was meanwhile tells nothing here: the sides themselves
// keep it busy.
func disturbances(h *recording.Host, ns int64) []compare.Disturbance {
	out := []compare.Disturbance{}
	add := func(kind, format string, args ...any) {
		out = append(out, compare.Disturbance{Kind: kind, Text: fmt.Sprintf(format, args...)})
	}
	if h.StealRatio != nil && *h.StealRatio > muchSteal {
		add("steal", "the hypervisor took %s of the CPU time meanwhile: the intervals are wider for it", quantity.Percent(*h.StealRatio))
	}
	if h.LoadStart != nil && h.Cores > 0 && *h.LoadStart > muchLoad*float64(h.Cores) {
		add("load", "the machine was busy before the start (load %.1f on %d cores): the intervals are wider for it", *h.LoadStart, h.Cores)
	}
	if h.ThrottledNs != nil && float64(*h.ThrottledNs) > muchThrottle*float64(ns) {
		add("throttled", "the control group was throttled for %s: its CPU limit is measured too", quantity.Nanoseconds(float64(*h.ThrottledNs)))
	}
	return out
}
