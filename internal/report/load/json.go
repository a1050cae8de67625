package load

import (
	"io"
	"maps"
	"strconv"
	"time"

	"whet/internal/document"
	"whet/internal/hist"
	"whet/internal/loadresult"
)

// Files are what was written beside a load's document; "" leaves a key out.
type Files struct{ Recording, Report string }

// The document of one load. Keys are only ever added; null is unknown, or not
// there in this kind of loop.
type jsonLoad struct {
	Schema   string   `json:"schema,omitempty"`
	Warnings []string `json:"warnings"`
	Name     string   `json:"name,omitempty"` // of one of several

	URL         string     `json:"url"`
	Targets     int        `json:"targets"`
	TargetsFrom string     `json:"targets_from"`
	Method      string     `json:"method"`
	Protocol    string     `json:"protocol"`
	Loop        string     `json:"loop"` // "closed" or "open"
	Rate        *string    `json:"rate"`
	Poisson     bool       `json:"poisson"`
	Connections int        `json:"connections"`
	Streams     int        `json:"streams"`
	KeepAlive   bool       `json:"keep_alive"`
	Think       string     `json:"think"`
	WarmupNs    int64      `json:"warmup_ns"`
	TimeoutNs   int64      `json:"timeout_ns"`
	Start       *time.Time `json:"start"` // behind the warm-up; null: it never got there
	DurationNs  int64      `json:"duration_ns"`
	DrainNs     int64      `json:"drain_ns"`
	Interrupted bool       `json:"interrupted"`

	Requests         int64                      `json:"requests"`
	Answered         int64                      `json:"answered"`
	WarmupAnswered   int64                      `json:"warmup_answered"` // in the duration, to requests of the warm-up
	DrainAnswered    int64                      `json:"drain_answered"`  // of those answered: behind the duration
	ThroughputPerS   float64                    `json:"throughput_per_s"`
	PlannedPerS      *float64                   `json:"planned_per_s"`
	Errors           map[string]int64           `json:"errors"`
	Examples         map[string]string          `json:"examples"`
	Status           map[string]int64           `json:"status"`
	Bytes            int64                      `json:"body_bytes"`
	BytesPerS        float64                    `json:"body_bytes_per_s"`
	InFlight         int                        `json:"in_flight"`
	OldestInFlightNs int64                      `json:"oldest_in_flight_ns"`
	ConnectionsMade  int64                      `json:"connections_made"`
	ConnectingNs     int64                      `json:"connecting_ns"`
	ServiceTimeNs    *loadTimes                 `json:"service_time_ns"`
	ResponseTimeNs   *loadTimes                 `json:"response_time_ns"`
	LatenessNs       *loadTimes                 `json:"lateness_ns"`
	Generator        loadGenerator              `json:"generator"`
	SLO              document.Array[Bound]      `json:"slo"`
	PerTarget        document.Array[loadTarget] `json:"per_target"`
	Rates            document.Array[loadRate]   `json:"rates"`
	Seconds          document.Array[loadSecond] `json:"seconds"`

	Recording string `json:"recording,omitempty"`
	Report    string `json:"report,omitempty"`
}

// Header is the head of a run's document.
func (d *jsonLoad) Header() document.Head {
	return document.Head{Schema: d.Schema, Warnings: d.Warnings}
}

// loadTimes sums up times. All are in nanoseconds.
type loadTimes struct {
	Count int64   `json:"count"`
	Min   int64   `json:"min"`
	Mean  float64 `json:"mean"`
	P50   int64   `json:"p50"`
	P75   int64   `json:"p75"`
	P90   int64   `json:"p90"`
	P95   int64   `json:"p95"`
	P99   int64   `json:"p99"`
	P999  int64   `json:"p999"`
	P9999 int64   `json:"p9999"`
	Max   int64   `json:"max"`
}

type loadGenerator struct {
	CPUNs      *int64 `json:"cpu_ns"` // null: unknown
	LateSends  int64  `json:"late_sends"`
	Valid      bool   `json:"valid"`
	Reason     string `json:"reason"` // why not
	Engine     string `json:"engine"`
	Processors int    `json:"processors"` // that it may use
	// CPURatio is cpu_ns by what those had to give.
	CPURatio         *float64 `json:"cpu_ratio"`
	GCPauses         int64    `json:"gc_pauses"`
	GCPauseNs        int64    `json:"gc_pause_ns"`
	GCLongestPauseNs int64    `json:"gc_longest_pause_ns"`
	StillNs          int64    `json:"stood_still_ns"`
}

type loadTarget struct {
	Target        string          `json:"target"`
	Requests      int64           `json:"requests"`
	Errors        int64           `json:"errors"`
	ServiceMeanNs document.Number `json:"service_mean_ns"`
}

type loadSecond struct {
	TimeNs       int64            `json:"t_ns"` // since the start
	LengthNs     int64            `json:"length_ns"`
	Requests     int64            `json:"requests"`
	Answered     int64            `json:"answered"`
	Leftover     int64            `json:"warmup_answered"`
	Drain        int64            `json:"drain_answered"`
	Errors       map[string]int64 `json:"errors"`
	Bytes        int64            `json:"body_bytes"`
	Due          int64            `json:"due"`
	InTime       int64            `json:"in_time"`
	ServiceTime  *secondTimes     `json:"service_time_ns"`
	ResponseTime *secondTimes     `json:"response_time_ns"`
}

type secondTimes struct {
	P50 int64 `json:"p50"`
	P99 int64 `json:"p99"`
	Max int64 `json:"max"`
}

// WriteJSON writes a page as one JSON document: whet/load/1 of a single run,
// whet/loads/1 of several.
func WriteJSON(w io.Writer, p *Page, files Files) error {
	return document.Write(w, documentOf(p, files))
}

// WriteLine writes the document in one line, as the last of a stream.
func WriteLine(w io.Writer, p *Page, files Files) error {
	return document.WriteLine(w, documentOf(p, files))
}

func documentOf(p *Page, files Files) document.Document {
	if len(p.Runs) == 1 {
		d := newJSON(&p.Runs[0])
		d.Schema = document.Load
		d.Warnings = append(d.Warnings, p.Warnings...)
		d.Recording, d.Report = files.Recording, files.Report
		return d
	}
	several := struct {
		document.Head
		Runs   []*jsonLoad `json:"runs"`
		Report string      `json:"report,omitempty"`
	}{document.New(document.Loads, p.Warnings), nil, files.Report}
	for i := range p.Runs {
		d := newJSON(&p.Runs[i])
		d.Name = p.Runs[i].Name
		several.Runs = append(several.Runs, d)
	}
	return several
}

func newJSON(run *Run) *jsonLoad {
	r, plan := run.Result, &run.Plan
	d := &jsonLoad{
		Warnings: append([]string{}, r.Warnings...),
		URL:      plan.URL, Targets: plan.Targets, TargetsFrom: plan.TargetsFrom, Method: plan.Method, Protocol: plan.Protocol,
		Loop: "closed", Poisson: plan.Poisson, Connections: plan.Connections, Streams: plan.Streams, KeepAlive: plan.KeepAlive, Think: plan.Think,
		WarmupNs: int64(plan.Warmup), TimeoutNs: int64(plan.Timeout), DurationNs: int64(r.End.Sub(r.Start)), DrainNs: int64(r.Drain), Interrupted: r.Interrupted,
		Requests: r.Requests, Answered: r.Answered(), WarmupAnswered: r.Leftover, DrainAnswered: r.Behind, ThroughputPerS: r.Throughput(), Bytes: r.Bytes, BytesPerS: eachSecond(r, r.Bytes),
		Errors: maps.Clone(r.Errors), Examples: maps.Clone(r.Examples), Status: make(map[string]int64),
		InFlight: r.InFlight, OldestInFlightNs: int64(r.OldestInFlight), ConnectionsMade: r.Connections, ConnectingNs: int64(r.Connecting),
		ServiceTimeNs: newTimes(&r.Service),
		Generator: loadGenerator{
			LateSends: r.LateSends, Valid: r.Invalid == "", Reason: r.Invalid, Engine: r.Generator.Engine, Processors: r.Generator.Processors,
			GCPauses: r.Generator.Pauses, GCPauseNs: int64(r.Generator.PauseTime), GCLongestPauseNs: int64(r.Generator.LongestPause), StillNs: int64(r.Generator.Still),
		},
		SLO: run.Bounds,
	}
	if r.End.After(r.Start) {
		start := r.Start.UTC().Round(0)
		d.Start = &start
	}
	if r.Open {
		d.Loop, d.Rate, d.PlannedPerS = "open", &plan.Rate, &r.Rate
		d.ResponseTimeNs, d.LatenessNs = newTimes(&r.Response), newTimes(&r.Lateness)
	}
	if cpu := int64(r.Generator.CPU); cpu >= 0 {
		d.Generator.CPUNs = &cpu
	}
	if share := r.Generator.Share; share >= 0 {
		d.Generator.CPURatio = &share
	}
	for code, n := range r.Status {
		d.Status[strconv.Itoa(code)] = n
	}
	for i := range r.Targets {
		t := &r.Targets[i]
		d.PerTarget = append(d.PerTarget, loadTarget{targetName(plan, i), t.Requests, t.Errors, document.Number(meanOf(t))})
	}
	for _, x := range run.rates() {
		d.Rates = append(d.Rates, newRate(x))
	}
	for i := range r.Seconds {
		d.Seconds = append(d.Seconds, newSecond(r, &r.Seconds[i]))
	}
	return d
}

func newSecond(r *loadresult.Result, s *loadresult.Second) loadSecond {
	j := loadSecond{
		TimeNs: int64(s.Start.Sub(r.Start)), LengthNs: int64(s.Length), Requests: s.Requests, Answered: s.Answered, Leftover: s.Leftover, Drain: s.Behind,
		Errors: maps.Clone(s.Kinds), Bytes: s.Bytes, Due: s.Due, InTime: s.InTime,
	}
	if j.Errors == nil {
		j.Errors = map[string]int64{}
	}
	if s.Max > 0 {
		j.ServiceTime = &secondTimes{int64(s.P50), int64(s.P99), int64(s.Max)}
	}
	if q := s.Response; q.Max > 0 {
		j.ResponseTime = &secondTimes{int64(q.P50), int64(q.P99), int64(q.Max)}
	}
	return j
}

// newTimes is nil where there are none.
func newTimes(h *hist.Histogram) *loadTimes {
	if h.Count() == 0 {
		return nil
	}
	return &loadTimes{
		Count: h.Count(), Min: h.Min(), Mean: h.Mean(), P50: h.Quantile(0.5), P75: h.Quantile(0.75), P90: h.Quantile(0.9), P95: h.Quantile(0.95),
		P99: h.Quantile(0.99), P999: h.Quantile(0.999), P9999: h.Quantile(0.9999), Max: h.Max(),
	}
}

// eachSecond is a number of the whole run for each second, at the pace of its
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
	line := struct {
		document.Head
		TimeNs         int64            `json:"t_ns"`
		LengthNs       int64            `json:"length_ns"`
		Requests       int64            `json:"requests"`
		Answered       int64            `json:"answered"`
		WarmupAnswered int64            `json:"warmup_answered"`
		DrainAnswered  int64            `json:"drain_answered"`
		ThroughputPerS float64          `json:"throughput_per_s"`
		PlannedPerS    *float64         `json:"planned_per_s"`
		Errors         map[string]int64 `json:"errors"`
		Bytes          int64            `json:"body_bytes"`
		ServiceTimeNs  *loadTimes       `json:"service_time_ns"`
		ResponseTimeNs *loadTimes       `json:"response_time_ns"`
	}{
		document.New(document.Second, nil), int64(s.At), int64(s.Length), s.Requests, s.Answered, s.Leftover, s.Behind, s.Throughput(), s.Planned,
		s.Kinds, s.Bytes, newTimes(s.Service), nil,
	}
	if line.Errors == nil {
		line.Errors = map[string]int64{}
	}
	if s.Planned != nil {
		line.ResponseTimeNs = newTimes(s.Response)
	}
	return document.WriteLine(w, line)
}
