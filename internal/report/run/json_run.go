package run

import (
	"math"

	"whet/internal/document"
	"whet/internal/report/load"
)

// What a document holds of runs: program and service where the target is one,
// the lists always. Null is unknown.
type jsonRun struct {
	Program    *jsonProgram  `json:"program,omitempty"`
	Service    *jsonService  `json:"service,omitempty"`
	Wall       *jsonWall     `json:"wall,omitempty"`
	Events     []jsonEvent   `json:"events"`
	Contention []jsonWaiting `json:"contention"`
	Unknown    []jsonUnknown `json:"unknown"`
	Series     []jsonSeries  `json:"series"`
}

type jsonProgram struct {
	Command string           `json:"command"`
	Runs    []jsonProgramRun `json:"runs"`
}

type jsonProgramRun struct {
	WallNs      int64  `json:"wall_ns"`
	UserCPUNs   int64  `json:"user_cpu_ns"`
	SystemCPUNs int64  `json:"system_cpu_ns"`
	PeakBytes   *int64 `json:"peak_bytes"`
	Ending      string `json:"ending"`
	Missing     string `json:"profiles_missing"` // why; "" when they are there
}

type jsonService struct {
	URL             string           `json:"url"`
	Instruments     string           `json:"instruments"`
	Concurrency     int              `json:"concurrency"`
	DurationNs      int64            `json:"duration_ns"`
	Requests        int64            `json:"requests"`
	ThroughputPerS  *float64         `json:"throughput_per_s"`
	Errors          map[string]int64 `json:"errors"`
	ServiceTimeNs   jsonTimes        `json:"service_time_ns"`
	CPUNs           *int64           `json:"cpu_ns"`
	CPUPerRequestNs *float64         `json:"cpu_per_request_ns"`
	PeakBytes       *int64           `json:"peak_bytes"`
	Generator       jsonGenerator    `json:"generator"`
	Seconds         []jsonSecond     `json:"seconds"`
	Load            any              `json:"load,omitempty"` // as in whet/load/1
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

type jsonSecond struct {
	TimeNs   int64 `json:"start_ns"`
	LengthNs int64 `json:"length_ns"`
	Requests int64 `json:"requests"`
	Errors   int64 `json:"errors"`
	P50Ns    int64 `json:"p50_ns"`
	P99Ns    int64 `json:"p99_ns"`
	MaxNs    int64 `json:"max_ns"`
}

type jsonWall struct {
	Text      string          `json:"text"`
	CoveredNs int64           `json:"covered_ns"`
	Requests  int64           `json:"requests"`
	Groups    []jsonWallGroup `json:"groups"`
}

type jsonWallGroup struct {
	Name     string           `json:"name"`
	Handler  bool             `json:"handler"`
	Count    int64            `json:"count"`
	TotalNs  int64            `json:"total_ns"`
	StatesNs map[string]int64 `json:"states_ns"`
}

type jsonEvent struct {
	Benchmark string `json:"benchmark"` // in whose run; "" of a program or service
	Kind      string `json:"kind"`
	StartNs   int64  `json:"start_ns"`
	EndNs     int64  `json:"end_ns"`
	Text      string `json:"text"`
}

type jsonWaiting struct {
	Benchmark string   `json:"benchmark"`
	Kind      string   `json:"kind"`
	Function  string   `json:"function"`
	File      string   `json:"file"`
	Line      int      `json:"line"`
	Count     int64    `json:"count"`
	DelayNs   int64    `json:"delay_ns"`
	PerS      *float64 `json:"delay_per_s"` // seconds of delay in a second
}

type jsonUnknown struct {
	What string `json:"what"`
	Why  string `json:"why"`
	How  string `json:"how"`
}

type jsonSeries struct {
	Benchmark string     `json:"benchmark"`
	Name      string     `json:"name"`
	Unit      string     `json:"unit"`
	TimeNs    []int64    `json:"t_ns"`
	Values    []*float64 `json:"values"`
}

func newJSONRun(p *Page) jsonRun {
	run := jsonRun{Events: []jsonEvent{}, Contention: []jsonWaiting{}, Unknown: []jsonUnknown{}, Series: []jsonSeries{}}
	if p.Program != nil {
		run.Program = &jsonProgram{Command: p.Program.Command, Runs: []jsonProgramRun{}}
		for _, r := range p.Program.Runs {
			run.Program.Runs = append(run.Program.Runs, jsonProgramRun{r.WallNs, r.UserCPUNs, r.SystemCPUNs, r.PeakBytes, r.Ending, r.Missing})
		}
	}
	if s := p.Service; s != nil {
		js := &jsonService{
			URL: s.URL, Instruments: s.Instruments, Concurrency: s.Concurrency, DurationNs: s.DurationNs, Requests: s.Requests,
			ThroughputPerS: document.Known(&s.ThroughputPerS), Errors: map[string]int64{}, CPUNs: s.CPUNs, CPUPerRequestNs: document.Known(s.CPUPerRequestNs),
			ServiceTimeNs: jsonTimes{s.MinNs, document.Known(&s.MeanNs), s.P50Ns, s.P90Ns, s.P99Ns, s.P999Ns, s.MaxNs},
			PeakBytes:     s.PeakBytes, Generator: jsonGenerator{s.GeneratorCPUNs}, Seconds: []jsonSecond{},
		}
		for _, e := range s.Errors {
			js.Errors[e.Kind] = e.Count
		}
		for _, sec := range s.Seconds {
			js.Seconds = append(js.Seconds, jsonSecond(sec))
		}
		if s.Load != nil {
			js.Load = load.Document(s.Load)
		}
		run.Service = js
	}
	if w := p.Wall; w != nil {
		run.Wall = &jsonWall{Text: w.Text, CoveredNs: w.CoveredNs, Requests: w.Requests, Groups: []jsonWallGroup{}}
		for i := range w.Groups {
			g := &w.Groups[i]
			jg := jsonWallGroup{Name: g.Name, Handler: g.Handler, Count: g.Count, TotalNs: g.TotalNs, StatesNs: map[string]int64{}}
			for s := range min(len(g.Ns), len(w.States)) {
				jg.StatesNs[w.States[s]] = g.Ns[s]
			}
			run.Wall.Groups = append(run.Wall.Groups, jg)
		}
	}
	for _, e := range p.Events {
		run.Events = append(run.Events, jsonEvent(e))
	}
	for _, w := range p.Contention {
		run.Contention = append(run.Contention, jsonWaiting{w.Benchmark, w.Kind, w.Function, w.File, w.Line, w.Count, w.DelayNs, document.Known(&w.PerS)})
	}
	for _, u := range p.Unknown {
		run.Unknown = append(run.Unknown, jsonUnknown(u))
	}
	for _, s := range p.Series {
		js := jsonSeries{Benchmark: s.Benchmark, Name: s.Name, Unit: s.Unit, TimeNs: append([]int64{}, s.TimeNs...), Values: []*float64{}}
		for _, v := range s.Value {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				js.Values = append(js.Values, nil)
			} else {
				js.Values = append(js.Values, &v)
			}
		}
		run.Series = append(run.Series, js)
	}
	return run
}
