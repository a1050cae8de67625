package load

import (
	"io"
	"slices"
	"strconv"
	"time"

	"whet/internal/document"
	"whet/internal/hist"
	"whet/internal/loadresult"
)

// Files are the files written beside a load's document; "" omits a key.
type Files struct{ Recording, Report string }

// WriteJSON writes a page as one JSON document: whet/load/1 of a single run,
// whet/loads/1 of several.
func WriteJSON(w io.Writer, p *Page, files Files) error {
	return document.Write(w, documentOf(p, files))
}

// WriteLine writes the same document on one line.
func WriteLine(w io.Writer, p *Page, files Files) error {
	return document.WriteLine(w, documentOf(p, files))
}

func documentOf(p *Page, files Files) document.Object {
	if len(p.Runs) == 1 {
		run := &p.Runs[0]
		return document.Object{document.Begin(document.Load, slices.Concat(run.Result.Warnings, p.Warnings)), run.json(),
			"recording", document.IfSet(files.Recording), "report", document.IfSet(files.Report)}
	}
	return document.Object{document.Begin(document.Loads, p.Warnings), "runs", document.Each(p.Runs, func(run *Run) document.Object {
		return document.Object{"warnings", document.Items(run.Result.Warnings), "name", document.IfSet(run.Name), run.json()}
	}), "report", document.IfSet(files.Report)}
}

// json returns what the document of a load has of it. Keys are only ever added; null is
// unknown, or not there in this kind of loop.
func (run *Run) json() document.Object {
	r, g, plan := run.Result, &run.Result.Generator, &run.Plan
	loop, rate, planned, response, lateness := "closed", any(nil), any(nil), any(nil), any(nil)
	if r.Open {
		loop, rate, planned, response, lateness = "open", plan.Rate, r.Rate, timesOrNull(&r.Response), timesOrNull(&r.Lateness)
	}
	var start, cpu, share any
	if r.End.After(r.Start) {
		start = r.Start.UTC().Round(0) // after the warm-up; null: it never got there
	}
	if g.CPU >= 0 {
		cpu = g.CPU
	}
	if g.Share >= 0 {
		share = g.Share
	}
	status := make(map[string]int64)
	for code, n := range r.Status {
		status[strconv.Itoa(code)] = n
	}
	targets := make([]document.Object, len(r.Targets))
	for i := range r.Targets {
		t := &r.Targets[i]
		targets[i] = document.Object{"target", targetName(plan, i), "requests", t.Requests, "errors", t.Errors, "service_mean_ns", document.Number(meanOf(t))}
	}
	return document.Object{
		"url", plan.URL, "targets", plan.Targets, "targets_from", plan.TargetsFrom, "method", plan.Method, "protocol", plan.Protocol,
		"loop", loop, "rate", rate, "poisson", plan.Poisson, "connections", plan.Connections, "streams", plan.Streams, "keep_alive", plan.KeepAlive,
		"think", plan.Think, "warmup_ns", plan.Warmup, "timeout_ns", plan.Timeout,
		"start", start, "duration_ns", r.End.Sub(r.Start), "drain_ns", r.Drain, "interrupted", r.Interrupted,
		"requests", r.Requests, "answered", r.Answered(),
		"warmup_answered", r.Leftover, // in the duration, to requests of the warm-up
		"drain_answered", r.Behind, // of those answered: after the duration
		"throughput_per_s", r.Throughput(), "planned_per_s", planned, "errors", r.Errors, "examples", r.Examples, "status", status,
		"body_bytes", r.Bytes, "body_bytes_per_s", eachSecond(r, r.Bytes), "in_flight", r.InFlight, "oldest_in_flight_ns", r.OldestInFlight,
		"connections_made", r.Connections, "connecting_ns", r.Connecting,
		"service_time_ns", timesOrNull(&r.Service), "response_time_ns", response, "lateness_ns", lateness,
		"generator", document.Object{"cpu_ns", cpu, "late_sends", r.LateSends, "valid", r.Invalid == "", "reason", r.Invalid, "engine", g.Engine,
			"processors", g.Processors, "cpu_ratio", share, "gc_pauses", g.Pauses, "gc_pause_ns", g.PauseTime, "gc_longest_pause_ns", g.LongestPause, "stood_still_ns", g.Still},
		"slo", document.Items(run.Bounds), "per_target", targets, "rates", document.Each(run.rates(), (*rateSegment).json),
		"seconds", document.Each(r.Seconds, func(s *loadresult.Second) document.Object {
			return document.Object{"t_ns", s.Start.Sub(r.Start), "length_ns", s.Length, "requests", s.Requests, "answered", s.Answered,
				"warmup_answered", s.Leftover, "drain_answered", s.Behind, "errors", counts(s.Kinds), "body_bytes", s.Bytes, "due", s.Due, "in_time", s.InTime,
				"service_time_ns", quantilesOrNull(loadresult.Quantiles{P50: s.P50, P99: s.P99, Max: s.Max}), "response_time_ns", quantilesOrNull(s.Response)}
		}),
	}
}

// counts are never null.
func counts(kinds map[string]int64) map[string]int64 {
	if kinds == nil {
		return map[string]int64{}
	}
	return kinds
}

func quantilesOrNull(q loadresult.Quantiles) any {
	if q.Max <= 0 {
		return nil
	}
	return document.Object{"p50", q.P50, "p99", q.P99, "max", q.Max}
}

func timesOrNull(h *hist.Histogram) any {
	if h.Count() == 0 {
		return nil
	}
	return jsonTimes(h)
}

// jsonTimes is nothing of no times.
func jsonTimes(h *hist.Histogram) document.Object {
	if h.Count() == 0 {
		return nil
	}
	return document.Object{"count", h.Count(), "min", h.Min(), "mean", h.Mean(), "p50", h.Quantile(0.5), "p75", h.Quantile(0.75), "p90", h.Quantile(0.9), "p95", h.Quantile(0.95),
		"p99", h.Quantile(0.99), "p999", h.Quantile(0.999), "p9999", h.Quantile(0.9999), "max", h.Max()}
}

// eachSecond returns a number of the whole run for each second, at the pace of its
// answers.
func eachSecond(r *loadresult.Result, n int64) float64 {
	s := r.End.Sub(r.Start).Seconds()
	switch answered := r.Answered(); {
	case answered > 0:
		return float64(n) / float64(answered) * r.Throughput()
	case s > 0:
		return float64(n) / s
	}
	return 0
}

// LoadInterval is a second of a load that is under way.
type LoadInterval struct {
	loadresult.Interval
	At      time.Duration // since the load's start
	Planned *float64      // arrivals a second; nil: a closed loop
}

// WriteSecond writes a second as one line of JSON: whet/second/1.
func WriteSecond(w io.Writer, s *LoadInterval) error {
	var response any
	if s.Planned != nil {
		response = timesOrNull(s.Response)
	}
	return document.WriteLine(w, document.Object{document.Begin(document.Second, nil), "t_ns", s.At, "length_ns", s.Length, "requests", s.Requests, "answered", s.Answered,
		"warmup_answered", s.Leftover, "drain_answered", s.Behind, "throughput_per_s", s.Throughput(), "planned_per_s", s.Planned, "errors", counts(s.Kinds),
		"body_bytes", s.Bytes, "service_time_ns", timesOrNull(s.Service), "response_time_ns", response})
}
