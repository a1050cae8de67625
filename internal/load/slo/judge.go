package slo

import (
	"fmt"
	"math"

	"whet/internal/hist"
	"whet/internal/loadresult"
	"whet/internal/quantity"
)

// Verdict is the verdict of a result on one bound. If neither Broken nor Unknown is
// set the bound is met.
type Verdict struct {
	Bound   Bound
	Value   float64 // measured, in the bound's unit; NaN if unknown
	Broken  bool
	Unknown bool
	// Note is the reason for an unknown verdict, or a remark; may be "".
	Note string
}

// Judge compares a result with the bounds; one verdict for each, in their order.
func (b Bounds) Judge(r *loadresult.Result) []Verdict {
	out := make([]Verdict, len(b))
	for i := range b {
		out[i] = b[i].judge(r)
	}
	return out
}

// Broken returns the first verdict of a broken bound.
func Broken(verdicts []Verdict) (Verdict, bool) {
	for _, v := range verdicts {
		if v.Broken {
			return v, true
		}
	}
	return Verdict{}, false
}

// Met reports whether every bound is known to hold.
func Met(verdicts []Verdict) bool {
	for _, v := range verdicts {
		if v.Broken || v.Unknown {
			return false
		}
	}
	return true
}

func (b Bound) judge(r *loadresult.Result) Verdict {
	v := Verdict{Bound: b, Value: math.NaN()}
	v.Value, v.Note = b.Metric.of(r)
	if math.IsNaN(v.Value) {
		v.Unknown = true
		return v
	}
	v.Broken = !b.Holds(v.Value)
	return v
}

// of returns the metric of a result, NaN with the reason where it has none.
func (m Metric) of(r *loadresult.Result) (value float64, note string) {
	seconds := r.End.Sub(r.Start).Seconds()
	switch {
	case m.Kind == Throughput && seconds <= 0:
		return math.NaN(), "nothing was measured"
	case m.Kind == Throughput:
		return r.Throughput(), ""
	case m.Kind == Errors && r.Requests == 0:
		return math.NaN(), "no request ended"
	case m.Kind == Errors:
		return float64(r.Failed()) / float64(r.Requests), ""
	case m.Times == Response && !r.Open:
		return math.NaN(), "a closed loop has no response times: nothing is due before it is sent; give a rate, or bound the service times"
	}
	return m.in(m.Histogram(r))
}

// Histogram returns the histogram of the metric's times.
func (m Metric) Histogram(r *loadresult.Result) *hist.Histogram {
	if m.Times == Service {
		return &r.Service
	}
	return r.Times()
}

func (m Metric) in(h *hist.Histogram) (value float64, note string) {
	n := h.Count()
	if n == 0 {
		return math.NaN(), "no request was answered or timed out"
	}
	switch m.Kind {
	case Mean:
		return h.Mean(), ""
	case Max:
		return float64(h.Max()), ""
	}
	// At least one of the times has to lie above the quantile. 100 − 99.9 is a little
	// less than 0.1.
	if float64(n)*(100-m.Percent) < 100-1e-6 {
		note = fmt.Sprintf("of %s: their maximum", quantity.Plural(int(n), "time"))
	}
	return float64(h.Quantile(m.Percent / 100)), note
}

// String returns the verdict in one line: "p99<50ms is broken: 61.2 ms".
func (v Verdict) String() string {
	note := ""
	if v.Note != "" {
		note = " (" + v.Note + ")"
	}
	switch {
	case v.Unknown:
		return fmt.Sprintf("%s is unknown: %s", v.Bound, v.Note)
	case v.Broken:
		return fmt.Sprintf("%s is broken: %s%s", v.Bound, v.Bound.Metric.print(v.Value), note)
	}
	return fmt.Sprintf("%s is met: %s%s", v.Bound, v.Bound.Metric.print(v.Value), note)
}

// Measured returns the measured value with its unit; "" if it is unknown.
func (v Verdict) Measured() string {
	if v.Unknown {
		return ""
	}
	return v.Bound.Metric.print(v.Value)
}

func (m Metric) print(value float64) string {
	switch m.Kind {
	case Errors:
		return quantity.Percent(value)
	case Throughput:
		return quantity.Count(value) + "/s"
	}
	return quantity.Nanoseconds(value)
}
