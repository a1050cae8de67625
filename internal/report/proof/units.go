package proof

import (
	"fmt"
	"math"
	"slices"

	"whet/internal/analyze/compare"
	"whet/internal/format/benchmark"
	"whet/internal/printable"
	"whet/internal/quantity"
)

// proveMetric is how the figures of one unit are shown.
type proveMetric struct {
	compare.Metric
	title, aside string
	print        func(float64) string
	// better and worse are the verdicts in the words of what is counted.
	better, worse string
}

// ratio heads the column of ratios: above 1 is better everywhere.
func (m *proveMetric) ratio() string {
	if m.More {
		return "new/old"
	}
	return "old/new"
}

// metrics are the units that whet measures in; any other was reported by the
// benchmark.
var metrics = map[string]struct {
	title, aside string
	print        func(float64) string
}{
	compare.NsPerOp:              {"Time per operation", "", quantity.Nanoseconds},
	compare.CPUNsPerOp:           {"CPU time per operation", "user and system time of the processes; ignored for the exit code", quantity.Nanoseconds},
	compare.BytesPerOp:           {"Bytes allocated per operation", "whole bytes, as package testing counts them", quantity.Bytes},
	compare.AllocsPerOp:          {"Allocations per operation", "whole allocations, as package testing counts them", quantity.Count},
	compare.WallNs:               {"Wall time", "", quantity.Nanoseconds},
	compare.CPUNs:                {"CPU time", "user and system; ignored for the exit code", quantity.Nanoseconds},
	compare.PeakBytes:            {"Peak memory", "the largest resident set of a process", quantity.Bytes},
	compare.P50Ns:                {"Response time, quantile 0.5", "", quantity.Nanoseconds},
	compare.P90Ns:                {"Response time, quantile 0.9", "", quantity.Nanoseconds},
	compare.P99Ns:                {"Response time, quantile 0.99", "", quantity.Nanoseconds},
	compare.RequestsPerSecond:    {"Throughput, requests per second", "more is better", quantity.Count},
	compare.CPUNsPerRequest:      {"CPU time per request", "", quantity.Nanoseconds},
	compare.AllocBytesPerRequest: {"Bytes allocated per request", "", quantity.Bytes},
	compare.MBPerSecond:          {"Throughput, MB/s", "more is better", quantity.Count},
}

func metricOf(row *compare.Row) proveMetric {
	unit := row.Metric
	m := proveMetric{Metric: compare.MetricOf(unit).Declared(benchmark.ParseBetter(row.Better)), better: "faster", worse: "slower"}
	known, ok := metrics[unit]
	m.title, m.aside, m.print = known.title, known.aside, known.print
	if !ok {
		m.title, m.aside, m.print = printable.Line(unit), "reported by the benchmark; less is better", quantity.Count
		switch {
		case m.Neutral:
			m.aside = "reported by the benchmark; its better direction is unknown: declare it with a line “Unit " + m.title + " better=higher”"
		case m.More:
			m.aside = "reported by the benchmark; more is better"
		}
	}
	switch {
	case m.Kind == compare.Count:
		m.better, m.worse = "fewer", "more"
	case m.More:
		m.better, m.worse = "higher", "lower"
	case m.Kind == compare.Other:
		m.better, m.worse = "less", "more"
	}
	return m
}

// proveMetrics returns those of the result, in the order of its rows.
func proveMetrics(r *compare.Result) []proveMetric {
	var out []proveMetric
	for i := range r.Benchmarks {
		unit := r.Benchmarks[i].Metric
		if !slices.ContainsFunc(out, func(m proveMetric) bool { return m.Unit == unit }) {
			out = append(out, metricOf(&r.Benchmarks[i]))
		}
	}
	return out
}

// verdict returns a row's verdict in the words of its metric.
func (m *proveMetric) verdict(row *compare.Row) string {
	switch row.Verdict {
	case compare.Faster:
		return m.better
	case compare.Slower:
		return m.worse
	}
	return string(row.Verdict)
}

// delta is new against old as benchstat has it: "~" unless the interval
// excludes 1.
func (m *proveMetric) delta(row *compare.Row) string {
	if !row.Measured() || row.RatioLow <= 1 && row.RatioHigh >= 1 && row.Verdict != compare.Faster && row.Verdict != compare.Slower {
		return "~"
	}
	return printDelta(m.change(row.Ratio))
}

// change is new/old − 1 for a ratio that is above 1 where new is better.
func (m *proveMetric) change(ratio float64) float64 {
	switch {
	case m.More:
		return ratio - 1
	case ratio >= compare.MaxRatio:
		return -1
	case ratio <= 1/compare.MaxRatio:
		return math.Inf(1)
	}
	return 1/ratio - 1
}

// unmeasured stands for a figure that there is none of.
const unmeasured = "–"

// figure prints one side's figure of a row.
func (m *proveMetric) figure(row *compare.Row, x float64) string {
	if !row.Measured() {
		return unmeasured
	}
	return m.print(x)
}

// proveRatio prints a row's ratio and its interval.
func proveRatio(row *compare.Row) (ratio, interval string) {
	if !row.Measured() {
		return unmeasured, unmeasured
	}
	return compare.PrintRatio(row.Ratio), compare.PrintInterval(row.RatioLow, row.RatioHigh)
}

func printDelta(change float64) string {
	switch {
	case math.IsInf(change, 0) || math.IsNaN(change):
		return "?"
	case math.Abs(change) >= 10:
		return fmt.Sprintf("%+.0f\u00a0%%", change*100)
	}
	return fmt.Sprintf("%+.2f\u00a0%%", change*100)
}

// proveNoise returns the half-width of a side against itself.
func proveNoise(row *compare.Row) string {
	switch {
	case row.Exact:
		return "constant"
	case row.NoiseRatio != nil:
		return "±" + quantity.Percent(*row.NoiseRatio)
	}
	return unmeasured
}

// pValue is adjusted to all rows of the run. What never varies is not
// tested.
func pValue(row *compare.Row) string {
	switch p := row.PHolm; {
	case row.Exact || row.Look == 0:
		return unmeasured
	case p < 0.0001:
		return "<0.0001"
	case p < 0.01:
		return fmt.Sprintf("%.4f", p)
	default:
		return fmt.Sprintf("%.2f", p)
	}
}

// geomean returns the geometric mean of the ratios of one metric; ok is false for
// fewer than two rows, and where a row's ratio is not known or has no logarithm
// to speak of. Those of old and new are not shown: the medians of both sides
// are not the pairs that the ratios are from.
func geomean(rows []*compare.Row) (ratio float64, ok bool) {
	if len(rows) < 2 {
		return 0, false
	}
	for _, r := range rows {
		unknown := r.RatioLow <= 1/compare.MaxRatio && r.RatioHigh >= compare.MaxRatio
		if unknown || !r.Measured() || r.Ratio <= 1/compare.MaxRatio || r.Ratio >= compare.MaxRatio {
			return 0, false
		}
		ratio += math.Log(r.Ratio)
	}
	return math.Exp(ratio / float64(len(rows))), true
}
