package run

import (
	"whet/internal/document"
	"whet/internal/report/load"
)

// jsonRun returns what a document holds of runs: program and service where the target is
// one, the lists always. Null is unknown.
func jsonRun(p *Page) document.Object {
	run := document.Object{"program", document.IfSet(p.Program)}
	if p.Service != nil {
		run = append(run, "service", p.Service.json())
	}
	if p.Wall != nil {
		run = append(run, "wall", p.Wall.json())
	}
	if p.Moment != nil {
		run = append(run, "moment", p.Moment.json())
	}
	return append(run, "events", document.Items(p.Events), "contention", document.Items(p.Contention), "unknown", document.Items(p.Unknown),
		"series", document.Each(p.Series, (*Series).json))
}

func (s *Service) json() document.Object {
	errors := make(map[string]int64)
	for _, e := range s.Errors {
		errors[e.Kind] = e.Count
	}
	o := document.Object{"url", s.URL, "instruments", s.Instruments, "concurrency", s.Concurrency, "duration_ns", s.DurationNs, "requests", s.Requests,
		"throughput_per_s", document.Known(&s.ThroughputPerS), "errors", errors, "service_time_ns", document.Object{
			"min", s.MinNs, "mean", document.Known(&s.MeanNs), "p50", s.P50Ns, "p90", s.P90Ns, "p99", s.P99Ns, "p999", s.P999Ns, "max", s.MaxNs,
		},
		"cpu_ns", s.CPUNs, "cpu_sampled", s.CPUSampled, "cpu_per_request_ns", document.Known(s.CPUPerRequestNs), "peak_bytes", s.PeakBytes, "generator", document.Object{"cpu_ns", s.GeneratorCPUNs},
		"seconds", document.Items(s.Seconds)}
	if s.Load != nil {
		o = append(o, "load", load.Document(s.Load)) // as in whet/load/1
	}
	return o
}

func (w *Wall) json() document.Object {
	return document.Object{"text", w.Text, "covered_ns", w.CoveredNs, "requests", w.Requests, "groups", document.Each(w.Groups, func(g *WallGroup) document.Object {
		states := make(map[string]int64)
		for s := range min(len(g.Ns), len(w.States)) {
			states[w.States[s]] = g.Ns[s]
		}
		return document.Object{"name", g.Name, "handler", g.Handler, "count", g.Count, "total_ns", g.TotalNs, "states_ns", states}
	})}
}

func (s *Series) json() document.Object {
	values := make([]document.Number, len(s.Value))
	for i, v := range s.Value {
		values[i] = document.Number(v)
	}
	return document.Object{"benchmark", s.Benchmark, "name", s.Name, "unit", s.Unit, "t_ns", document.Items(s.TimeNs), "values", values}
}
