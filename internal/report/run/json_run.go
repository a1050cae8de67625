package run

import (
	"whet/internal/document"
	"whet/internal/report/load"
)

// What a document holds of runs: program and service where the target is one,
// the lists always. Null is unknown.
type jsonRun struct {
	Program    *Program                   `json:"program,omitempty"`
	Service    *jsonService               `json:"service,omitempty"`
	Wall       *jsonWall                  `json:"wall,omitempty"`
	Events     document.Array[Event]      `json:"events"`
	Contention document.Array[Waiting]    `json:"contention"`
	Unknown    document.Array[Unknown]    `json:"unknown"`
	Series     document.Array[jsonSeries] `json:"series"`
}

type jsonService struct {
	URL             string                 `json:"url"`
	Instruments     string                 `json:"instruments"`
	Concurrency     int                    `json:"concurrency"`
	DurationNs      int64                  `json:"duration_ns"`
	Requests        int64                  `json:"requests"`
	ThroughputPerS  *float64               `json:"throughput_per_s"`
	Errors          map[string]int64       `json:"errors"`
	ServiceTimeNs   jsonTimes              `json:"service_time_ns"`
	CPUNs           *int64                 `json:"cpu_ns"`
	CPUPerRequestNs *float64               `json:"cpu_per_request_ns"`
	PeakBytes       *int64                 `json:"peak_bytes"`
	Generator       jsonGenerator          `json:"generator"`
	Seconds         document.Array[Second] `json:"seconds"`
	Load            any                    `json:"load,omitempty"` // as in whet/load/1
}

type jsonGenerator struct {
	CPUNs *int64 `json:"cpu_ns"`
}

type jsonTimes struct {
	Min  int64    `json:"min"`
	Mean *float64 `json:"mean"`
	P50  int64    `json:"p50"`
	P90  int64    `json:"p90"`
	P99  int64    `json:"p99"`
	P999 int64    `json:"p999"`
	Max  int64    `json:"max"`
}

type jsonWall struct {
	Text      string                        `json:"text"`
	CoveredNs int64                         `json:"covered_ns"`
	Requests  int64                         `json:"requests"`
	Groups    document.Array[jsonWallGroup] `json:"groups"`
}

type jsonWallGroup struct {
	Name     string           `json:"name"`
	Handler  bool             `json:"handler"`
	Count    int64            `json:"count"`
	TotalNs  int64            `json:"total_ns"`
	StatesNs map[string]int64 `json:"states_ns"`
}

type jsonSeries struct {
	Benchmark string                          `json:"benchmark"`
	Name      string                          `json:"name"`
	Unit      string                          `json:"unit"`
	TimeNs    document.Array[int64]           `json:"t_ns"`
	Values    document.Array[document.Number] `json:"values"`
}

func newJSONRun(p *Page) jsonRun {
	run := jsonRun{Program: p.Program, Events: p.Events, Contention: p.Contention, Unknown: p.Unknown}
	if s := p.Service; s != nil {
		js := &jsonService{
			URL: s.URL, Instruments: s.Instruments, Concurrency: s.Concurrency, DurationNs: s.DurationNs, Requests: s.Requests,
			ThroughputPerS: document.Known(&s.ThroughputPerS), Errors: map[string]int64{}, CPUNs: s.CPUNs, CPUPerRequestNs: document.Known(s.CPUPerRequestNs),
			ServiceTimeNs: jsonTimes{s.MinNs, document.Known(&s.MeanNs), s.P50Ns, s.P90Ns, s.P99Ns, s.P999Ns, s.MaxNs},
			PeakBytes:     s.PeakBytes, Generator: jsonGenerator{s.GeneratorCPUNs}, Seconds: s.Seconds,
		}
		for _, e := range s.Errors {
			js.Errors[e.Kind] = e.Count
		}
		if s.Load != nil {
			js.Load = load.Document(s.Load)
		}
		run.Service = js
	}
	if w := p.Wall; w != nil {
		run.Wall = &jsonWall{Text: w.Text, CoveredNs: w.CoveredNs, Requests: w.Requests}
		for i := range w.Groups {
			g := &w.Groups[i]
			jg := jsonWallGroup{Name: g.Name, Handler: g.Handler, Count: g.Count, TotalNs: g.TotalNs, StatesNs: map[string]int64{}}
			for s := range min(len(g.Ns), len(w.States)) {
				jg.StatesNs[w.States[s]] = g.Ns[s]
			}
			run.Wall.Groups = append(run.Wall.Groups, jg)
		}
	}
	for _, s := range p.Series {
		js := jsonSeries{Benchmark: s.Benchmark, Name: s.Name, Unit: s.Unit, TimeNs: s.TimeNs}
		for _, v := range s.Value {
			js.Values = append(js.Values, document.Number(v))
		}
		run.Series = append(run.Series, js)
	}
	return run
}
