package run

import (
	"fmt"
	"math"

	"whet/internal/callstack"
	"whet/internal/document"
	"whet/internal/finding"
	"whet/internal/report/pagetest"
)

var wallStates = []string{"running", "runnable", "lock", "sync", "channel", "select", "network", "syscall", "sleep", "gc assist", "other"}

// servicePage returns a service that logs under a lock, as whet tune would fill it:
// 20 s of load from the 6th second on, a stall in the 14th, a leak.
func servicePage() *Page {
	visits := visitsPage()
	cpu := handmade(callstack.ValueType{Type: "cpu", Unit: "nanoseconds"}, visitsStacks(2e6)...)
	p := &Page{
		Target: "http://127.0.0.1:8080/hello?name=x", Package: "whet/casebook/cmd/casebook", Module: "whet", Tool: "whet v0.1.0", Created: "2026-11-20T10:40:12Z",
		Facts:          visits.Facts[1:5],
		Warnings:       []string{"a closed loop waits for each answer: a stall is seen once for each connection, not by all who would have come"},
		Verdict:        Verdict{"waiting", "waiting on a lock: 61.2 % of a request's time, held while logging", "findings"},
		ThresholdRatio: 0.05,
		Rules:          []string{"logging", "lock-held"}, Looked: 1,
		Excerpts: visits.Excerpts,
	}
	p.Findings = append(p.Findings, visits.Findings[0])
	p.Findings[0].Benchmarks = []string{p.Target}
	p.Findings[0].DelayRatio = 0.713
	p.Service = &Service{
		URL: p.Target, Instruments: "agent", Concurrency: 64, DurationNs: 20e9, Requests: 84_213, ThroughputPerS: 4210.65,
		MeanNs: 15.2e6, MinNs: 310e3, P50Ns: 11.2e6, P90Ns: 31.4e6, P99Ns: 88.1e6, P999Ns: 412e6, MaxNs: 611e6,
		Errors: []ErrorKind{{"status 503", 12, "503 Service Unavailable: too many visits"}, {"timeout", 3, ""}},
		CPUNs:  new(int64(31.2e9)), CPUPerRequestNs: new(370_488.2), PeakBytes: new(int64(87 << 20)), GeneratorCPUNs: new(int64(4.1e9)),
	}
	for i := range int64(20) {
		s := Second{TimeNs: 6e9 + i*1e9, LengthNs: 1e9, Requests: 4200 + (i%3)*61, P50Ns: 11e6 + i*1e5, P99Ns: 80e6 + (i%4)*4e6, MaxNs: 150e6 + (i%5)*9e6}
		switch i {
		case 8:
			s = Second{TimeNs: 14e9, LengthNs: 1e9} // nothing was answered
		case 9:
			s.Errors, s.MaxNs = 15, 611e6
		}
		p.Service.Seconds = append(p.Service.Seconds, s)
	}
	p.Wall = &Wall{
		CoveredNs: 2.01e9, Requests: 8400, States: wallStates, Text: "a request in main.(*Server).Hello: 61.2 % lock in logrus.(*Logger).Info, 21.0 % running, 12.6 % runnable",
		Groups: []WallGroup{
			{Name: "main.(*Server).Hello", Handler: true, Count: 8400, Ns: []int64{21000e6, 12600e6, 61200e6, 0, 0, 0, 4100e6, 0, 0, 1099e6, 1e6}, TotalNs: 100e9},
			{Name: "net/http.(*conn).serve", Count: 64, Ns: []int64{10e9, 2e9, 0, 0, 0, 0, 116e9, 0.64e9, 0, 0, 0}, TotalNs: 128.64e9},
			{Name: "net/http.(*connReader).backgroundRead", Count: 8400, Ns: []int64{0.1e9, 0, 0, 0, 0, 0, 99.9e9, 0, 0, 0, 0}, TotalNs: 100e9},
			{Name: "main.leak", Count: 202, Ns: []int64{0, 0, 0, 0, 201.5e9, 0, 0, 0, 0.5e9, 0, 0}, TotalNs: 202e9},
			{Name: "main.flush", Count: 1, Ns: []int64{1e3, 0, 0, 0, 0, 2.01e9 - 1e3, 0, 0, 0, 0, 0}, TotalNs: 2.01e9},
			{Name: "runtime/trace.Start.func1", Count: 1, Ns: []int64{1e6, 0, 0, 0, 0, 0, 0, 0, 2.009e9, 0, 0}, TotalNs: 2.01e9},
			{Name: "os/signal.loop", Count: 1, Ns: []int64{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2.01e9}, TotalNs: 2.01e9},
		},
	}
	p.Moment = &Moment{
		Request: &SlowRequest{SentNs: 27.1e9, EndNs: 27.711e9, TookNs: 611e6, Status: 200}, AfterNs: 56e6, MedianNs: 12e6, MostNs: 611e6, Trace: "trace/flight-worst.trace",
		Goroutine: 412, Handler: "main.(*Server).Hello", FromNs: 2e9, ToNs: 2.61e9,
		States: []StateTime{{"sync", 598e6}, {"running", 9e6}, {"runnable", 3e6}},
		Waits:  []MomentWait{{State: "sync", By: "sync.(*Mutex).Lock", At: At{"main.(*Server).log", "server.go", 41}, Ns: 598e6, Waker: new(int64(377)), Released: At{"main.(*Server).log", "server.go", 44}}, {State: "network", Ns: 1e3}},
		Cause:  &MomentCause{Goroutine: 101, Start: "main.rotate", State: "syscall", At: At{"main.rotate", "rotate.go", 12}, Ns: 570e6, Released: At{"main.rotate", "rotate.go", 15}, Waited: "sync", WaitedBy: "sync.(*Mutex).Lock"},
		HeldUp: &BlockedWaiters{Goroutines: 3, State: "channel", At: At{"main.flush", "server.go", 60}, Released: At{"main.(*Server).log", "server.go", 46}},

		Processors: 2, OwnNs: 9e6, OthersNs: 611e6, IdleNs: 600e6, Ran: []RunTime{{"net/http.(*conn).serve", 12, 500e6}, {"main.rotate", 1, 100e6}, {"", 2, 11e6}},
	}
	p.Events = []Event{
		{Kind: "goroutine-leak", StartNs: 6e9, EndNs: 26e9, Text: "goroutines rose steadily by 10.1 a second (95 % interval 9.9 to 10.3), from 70 to 272 over 20.0 s"},
		{Kind: "stall", StartNs: 13.98e9, EndNs: 15.02e9, Text: "no request was answered for 1.04 s ± 10.0 ms, where 4,380 were expected"},
		{Kind: "forced-gc", StartNs: 15.2e9, EndNs: 15.2e9, Text: "the program forced a collection: 12.1 ms, of which 137 µs stopped it"},
		{Kind: "errors", StartNs: 15.3e9, EndNs: 15.9e9, Text: "15 of 4,200 requests failed (0.4 %) within 1.00 s, usually 0 %"},
	}
	p.Series = courseOf("", 5.5e9, 26.5e9)
	p.Contention = []Waiting{
		{Kind: "lock", Function: "github.com/sirupsen/logrus.(*Logger).Info", File: "casebook/visits/original/original.go", Line: 43, Count: 81_220, DelayNs: 612e9, PerS: 30.6},
		{Kind: "channel", Function: "main.wait", File: "main.go", Line: 12, Count: 100, DelayNs: 20e9, PerS: 1},
		{Kind: "condition", Function: "net/http.(*connReader).abortPendingRead", File: "$GOROOT/src/net/http/server.go", Line: 750, Count: 84_000, DelayNs: 2.6e9},
	}
	p.Unknown = []Unknown{
		{What: "flight recorder", Why: "the agent has none", How: "enable it in the call that starts the agent: agent.Config{Flight: true}"},
		{What: "peak memory of earlier runs", Why: "the process was started before the recording", How: ""},
	}
	for _, kind := range []struct{ kind, column, unit string }{{"cpu", "cpu", "nanoseconds"}, {"allocs", "alloc_space", "bytes"}, {"mutex", "delay", "nanoseconds"}, {"block", "delay", "nanoseconds"}, {"heap", "inuse_space", "bytes"}, {"wall", "wall", "nanoseconds"}} {
		pr := Profile{
			Kind: kind.kind, Column: kind.column, Unit: kind.unit, Samples: [4]int64{1232, 0, 12, 204}, Values: [4]int64{cpu.Total(0), 0, 120e6, 2040e6},
			Top: top(cpu, nil, false)[:4], TopCum: top(cpu, nil, true)[:4], Flame: flameOf(cpu, nil),
		}
		switch kind.kind {
		case "cpu":
			pr.Listing = visits.Profiles[0].Listing[:1]
		case "block":
			pr.Listing = []Listing{{Function: "main.blocked", File: "main.go", Missing: "no source"}}
		case "wall":
			pr.Samples = [4]int64{}
		}
		p.Profiles = append(p.Profiles, pr)
	}
	return p
}

// courseOf is metrics every 100 ms; from 9.05 s to 10.05 s nothing was sampled,
// and of the heap nothing is known for the second before 20 s.
func courseOf(benchmark string, from, to int64) []Series {
	out := []Series{{Name: "CPU", Unit: "cores"}, {Name: "live heap", Unit: "bytes"}, {Name: "allocated", Unit: "bytes per second"}, {Name: "goroutines", Unit: "count"}}
	for i := range out {
		s := &out[i]
		s.Benchmark = benchmark
		for t := from; t <= to; t += 1e8 {
			if t > 9.05e9 && t < 10.05e9 {
				continue
			}
			x := float64(t-from) / 1e9
			v := [...]float64{1.56 + 0.2*math.Sin(x), 20<<20 + x*(1<<20), 1 << 30, math.Floor(70 + 10*x)}[i]
			if i == 1 && t >= 19e9 && t < 20e9 {
				v = math.NaN()
			}
			s.TimeNs, s.Value = append(s.TimeNs, t), append(s.Value, v)
		}
	}
	return out
}

// programPage returns a program that was run three times.
func programPage() *Page {
	visits := visitsPage()
	p := &Page{
		Target: "./cmd/convert", Package: "example.com/convert/cmd/convert", Module: "example.com/convert", Tool: "whet v0.1.0", Created: "2026-11-20T10:40:12Z",
		Facts: visits.Facts[1:3], Verdict: Verdict{"cpu-bound", "CPU-bound in the program's own code", "findings"}, ThresholdRatio: 0.05,
		Rules: []string{"fmt-format"}, Looked: 1, Below: []finding.Finding{visits.Below[0]},
		Program: &Program{Command: "./cmd/convert -in a.json -out b.csv", Runs: []Run{
			{WallNs: 2.31e9, CPUNs: 2.5e9, UserCPUNs: 2.4e9, SystemCPUNs: 0.1e9, PeakBytes: new(int64(31 << 20)), Ending: "exit status 0"},
			{WallNs: 2.28e9, CPUNs: 2.48e9, UserCPUNs: 2.39e9, SystemCPUNs: 0.09e9, PeakBytes: new(int64(30 << 20)), Ending: "exit status 0"},
			{WallNs: 0.2e9, CPUNs: 0.1e9, UserCPUNs: 0.1e9, Ending: "signal: killed", Missing: "it was killed before it wrote them"},
		}},
		Wall: &Wall{CoveredNs: 1e9, States: wallStates, Text: "goroutines of main.main: 98.0 % running, 2.0 % runnable",
			Groups: []WallGroup{{Name: "main.main", Count: 1, Ns: []int64{0.98e9, 0.02e9, 0, 0, 0, 0, 0, 0, 0, 0, 0}, TotalNs: 1e9}}},
		Series:   courseOf("", 0, 2.3e9),
		Events:   []Event{{Kind: "forced-gc", StartNs: 1.1e9, EndNs: 1.1e9, Text: "the program forced a collection: 2.10 ms, of which 120 µs stopped it"}},
		Profiles: []Profile{visits.Profiles[0]},
	}
	return p
}

// coursesPage returns a page of benchmarks with what they did over time.
func coursesPage() *Page {
	p := quietPage()
	p.Series = append(courseOf("BenchmarkReused", 1e9, 3e9), courseOf("BenchmarkFresh", 4e9, 6e9)...)
	p.Events = []Event{{Benchmark: "BenchmarkFresh", Kind: "heap-growth", StartNs: 4.5e9, EndNs: 5.9e9, Text: "the live heap rose steadily by 2 MiB a second"}}
	p.Contention = []Waiting{{Benchmark: "BenchmarkFresh", Kind: "lock", Function: "main.f", File: "f.go", Line: 3, Count: 2, DelayNs: 5}}
	return p
}

// addHostileRun puts a name wherever a run has one, and numbers at their ends.
func addHostileRun(p *Page, names []string) {
	p.Program = &Program{Command: pagetest.Tag}
	p.Service = &Service{URL: pagetest.Quote, Instruments: pagetest.Terminal, Concurrency: math.MaxInt, DurationNs: 1, Requests: math.MaxInt64, ThroughputPerS: math.NaN(), MeanNs: math.Inf(1),
		MinNs: math.MinInt64, P50Ns: -1, P90Ns: math.MaxInt64, P99Ns: math.MaxInt64, P999Ns: math.MaxInt64, MaxNs: math.MaxInt64,
		CPUNs: new(int64(math.MinInt64)), CPUPerRequestNs: new(math.NaN()), PeakBytes: new(int64(-1)), GeneratorCPUNs: new(int64(math.MaxInt64))}
	p.Wall = &Wall{CoveredNs: math.MinInt64, Requests: -1, Text: pagetest.Terminal, States: append(names[:len(names):len(names)], wallStates...)}
	evil := At{pagetest.Tag, pagetest.Quote, math.MaxInt}
	p.Moment = &Moment{Request: &SlowRequest{SentNs: math.MinInt64, EndNs: math.MaxInt64, TookNs: math.MaxInt64, Status: -1, Failure: pagetest.Terminal}, MedianNs: 1, Trace: pagetest.Tag,
		Handler: pagetest.Terminal, Goroutine: -1, FromNs: 5, ToNs: 5, States: []StateTime{{pagetest.Tag, math.MaxInt64}, {"", -1}}, Waits: []MomentWait{{State: pagetest.Tag, At: evil, Ns: 1, Released: evil}},
		Cause: &MomentCause{Start: pagetest.Tag, State: pagetest.Terminal, At: evil, Released: evil, Waited: pagetest.Tag}, HeldUp: &BlockedWaiters{Goroutines: -1, State: pagetest.Tag, At: evil, Released: evil},
		Processors: -1, OwnNs: math.MaxInt64, OthersNs: math.MinInt64, IdleNs: 7, Ran: []RunTime{{pagetest.Tag, -1, math.MaxInt64}, {pagetest.Terminal, 2, 1}}}
	for i, n := range names {
		p.Program.Runs = append(p.Program.Runs, Run{WallNs: math.MinInt64, CPUNs: math.MaxInt64, PeakBytes: new(int64(math.MaxInt64)), Ending: n, Missing: n})
		p.Service.Errors = append(p.Service.Errors, ErrorKind{n, math.MaxInt64, n})
		p.Service.Seconds = append(p.Service.Seconds, Second{math.MaxInt64 - int64(i), math.MaxInt64, math.MaxInt64, math.MaxInt64, math.MinInt64, 1, math.MaxInt64}, Second{TimeNs: math.MinInt64})
		group := WallGroup{Name: n, Handler: i%2 == 0, Count: math.MaxInt64, TotalNs: int64(i)}
		for range p.Wall.States {
			group.Ns = append(group.Ns, math.MaxInt64-int64(i))
		}
		group.Ns[i] = math.MinInt64
		p.Wall.Groups = append(p.Wall.Groups, group, WallGroup{Name: n})
		p.Events = append(p.Events, Event{n, n, math.MinInt64, math.MaxInt64, n}, Event{"", n, math.MaxInt64, 0, n})
		p.Contention = append(p.Contention, Waiting{n, n, n, n, -1, math.MaxInt64, math.MaxInt64, document.Number(math.Inf(1))})
		p.Unknown = append(p.Unknown, Unknown{What: n, Why: n, How: n})
		values := []float64{math.NaN(), math.Inf(1), math.MaxFloat64, -math.MaxFloat64, 0, 5e-324, 1}
		p.Series = append(p.Series,
			Series{n, n, n, n, n, []int64{math.MaxInt64, math.MinInt64, 0, 1, 2, 2, 3}, values, true},
			Series{"", n, n, n, n, []int64{7, 7, 7, 7}, values, false},
			Series{"", n, n, "", "", []int64{1}, nil, false})
	}
}

// hugePage has more of everything than a page can show.
func hugePage() *Page {
	p := servicePage()
	for i := range 100_000 {
		p.Service.Seconds = append(p.Service.Seconds, Second{TimeNs: int64(i) * 1e9, LengthNs: 1e9, Requests: int64(i % 977), P50Ns: int64(1 + i%1009), P99Ns: int64(2000 + i%997), MaxNs: int64(5000 + i%991)})
	}
	p.Series = nil
	for n := range 60 {
		s := Series{Name: fmt.Sprintf("series %d", n), Unit: "count"}
		for i := range 100_000 / (1 + 4*min(n, 1)) {
			v := float64((i * 7919) % 100_003)
			if i%2 == n%2 {
				v = math.NaN()
			}
			s.TimeNs, s.Value = append(s.TimeNs, int64(i)*1e8), append(s.Value, v)
		}
		p.Series = append(p.Series, s)
	}
	for i := range 500 {
		p.Series = append(p.Series, Series{Benchmark: fmt.Sprintf("Benchmark%d", i), Name: "goroutines", Unit: "count", TimeNs: p.Series[1].TimeNs, Value: p.Series[1].Value})
		p.Events = append(p.Events, Event{Kind: "gc-pause", StartNs: int64(i) * 1e9, EndNs: int64(i) * 1e9, Text: "a pause"})
		p.Wall.Groups = append(p.Wall.Groups, WallGroup{Name: fmt.Sprintf("main.f%d", i), Count: 1, Ns: []int64{1}, TotalNs: 1})
		p.Contention = append(p.Contention, p.Contention[0])
	}
	p.Program = &Program{Command: "x"}
	for range 5000 {
		p.Program.Runs = append(p.Program.Runs, Run{WallNs: 1, Ending: "exit status 0"})
	}
	return p
}

// barePage returns a service of which nothing became known but that it is there.
func barePage() *Page {
	return &Page{
		Target: "http://127.0.0.1:9/", Verdict: Verdict{"unknown", "nothing was measured: the service refused every connection", "invalid"}, ThresholdRatio: 0.05,
		Service: &Service{URL: "http://127.0.0.1:9/", Instruments: "none", Concurrency: 1, DurationNs: 1e9, Seconds: []Second{{TimeNs: 1e9, LengthNs: 1e9}}},
		Wall:    &Wall{}, Program: nil,
		Series:  []Series{{Name: "CPU", Unit: "cores", TimeNs: []int64{1e9, 2e9}, Value: []float64{math.NaN(), math.NaN()}}},
		Unknown: []Unknown{{What: "profiles", Why: "there is no /debug/pprof/ at the address", How: "import net/http/pprof"}},
	}
}
