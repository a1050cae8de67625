package run

import (
	"math"

	"whet/internal/analyze/flamegraph"
	"whet/internal/analyze/scaling"
	"whet/internal/callstack"
	"whet/internal/finding"
	"whet/internal/report/page"
	"whet/internal/report/pagetest"
	"whet/internal/stat"
	"whet/internal/symbolname"
)

// stack is a line of a handmade profile: frames from the root, and a value.
type stack struct {
	frames []string
	value  int64
}

// handmade builds a profile of one column.
func handmade(typ callstack.ValueType, stacks ...stack) *callstack.Frames {
	b := callstack.NewBuilder(typ)
	for _, s := range stacks {
		var ids []callstack.Frame
		for i := len(s.frames) - 1; i >= 0; i-- {
			ids = append(ids, callstack.Frame{Function: s.frames[i], File: fileOf(s.frames[i]), Line: 1})
		}
		b.AddFrames(ids, nil, s.value)
	}
	return b.Frames()
}

// flameOf returns the graph of a profile's only column.
func flameOf(p *callstack.Frames, keep callstack.Keep) *flamegraph.Graph {
	g, err := flamegraph.FromProfile(p, 0, keep, flamegraph.DefaultOptions())
	if err != nil {
		panic(err)
	}
	return g
}

func fileOf(function string) string {
	if pkg := symbolname.Package(function); pkg != "" {
		return pkg + "/x.go"
	}
	return ""
}

// visitsStacks is shaped like a profile of a handler that logs with fields.
func visitsStacks(scale int64) []stack {
	run := []string{"testing.(*B).runN", "whet/casebook/visits/original.BenchmarkReused"}
	hello := append(run[:2:2], "whet/casebook/visits/original.(*Server).Hello")
	entry := append(hello[:3:3], "github.com/sirupsen/logrus.(*Entry).Info", "github.com/sirupsen/logrus.(*Entry).Log", "github.com/sirupsen/logrus.(*Entry).log", "github.com/sirupsen/logrus.(*Entry).write")
	format := append(entry[:7:7], "github.com/sirupsen/logrus.(*TextFormatter).Format")
	with := append(hello[:3:3], "github.com/sirupsen/logrus.(*Logger).WithFields", "github.com/sirupsen/logrus.(*Entry).WithFields")
	add := func(base []string, more ...string) []string { return append(base[:len(base):len(base)], more...) }
	s := []stack{
		{add(format, "fmt.Sprint", "fmt.(*pp).doPrint", "fmt.(*pp).printArg"), 610},
		{add(format, "fmt.Sprint", "fmt.(*pp).doPrint"), 170},
		{add(format, "github.com/sirupsen/logrus.(*TextFormatter).appendKeyValue", "bytes.(*Buffer).WriteString"), 830},
		{add(format, "github.com/sirupsen/logrus.(*TextFormatter).appendKeyValue", "github.com/sirupsen/logrus.(*TextFormatter).appendValue", "strconv.appendQuotedWith"), 420},
		{add(format, "slices.SortFunc[go.shape.[]string,go.shape.string]", "slices.pdqsortCmpFunc[go.shape.string]"), 260},
		{add(format, "runtime.makemap", "runtime.mallocgc", "runtime.mallocgcSmallScanNoHeader"), 510},
		{add(format, "time.Time.Format", "time.Time.AppendFormat", "time.appendInt"), 340},
		{add(format), 90},
		{add(entry, "github.com/sirupsen/logrus.(*Logger).Out.Write"), 15},
		{add(entry, "sync.(*Mutex).Lock"), 70},
		{add(with, "runtime.mapassign_faststr", "internal/runtime/maps.(*Map).PutSlotSmallFastStr"), 520},
		{add(with, "runtime.mallocgc", "runtime.mallocgcSmallScanNoHeader", "runtime.heapSetTypeNoHeader"), 730},
		{add(with, "reflect.TypeOf"), 60},
		{add(hello, "fmt.Sprint", "fmt.newPrinter", "sync.(*Pool).Get"), 190},
		{add(hello, "fmt.Sprint", "runtime.slicebytetostring", "runtime.mallocgc"), 240},
		{add(hello, "runtime.concatstrings", "runtime.rawstringtmp", "runtime.mallocgc"), 490},
		{add(hello, "html.EscapeString", "strings.(*Replacer).Replace"), 230},
		{add(hello, "whet/casebook/visits/original.(*Server).count", "runtime.mapaccess1_faststr"), 120},
		{add(hello, "net/http.Header.Set", "net/textproto.CanonicalMIMEHeaderKey"), 180},
		{hello, 85},
	}
	for i := range s {
		s[i].value *= scale
	}
	return s
}

// top sums a handmade profile as the report's builder does.
func top(p *callstack.Frames, keep callstack.Keep, byCum bool) []Row {
	var rows []Row
	for _, f := range p.FunctionCosts(0, keep) {
		rows = append(rows, Row{Function: f.Function, File: f.File, Flat: f.Flat, Cum: f.Cum})
	}
	if byCum {
		for i := range rows { // insertion sort by cum: few rows, stable
			for j := i; j > 0 && rows[j].Cum > rows[j-1].Cum; j-- {
				rows[j], rows[j-1] = rows[j-1], rows[j]
			}
		}
	}
	return rows[:min(len(rows), 10)]
}

func even(i int) bool { return i%2 == 0 }

func odd(i int) bool { return i%2 == 1 }

// visitsPage returns a whole report as whet tune would fill it.
func visitsPage() *Page {
	cpu := handmade(callstack.ValueType{Type: "cpu", Unit: "nanoseconds"}, visitsStacks(2e6)...)
	alloc := handmade(callstack.ValueType{Type: "alloc_space", Unit: "bytes"}, visitsStacks(40961)...)
	listing := []Listing{{
		Function: "whet/casebook/visits/original.(*Server).Hello", File: "casebook/visits/original/original.go",
		Flat: 170e6, Cum: cpu.Total(0),
		Lines: []SourceLine{
			{Number: 38, Text: "func (s *Server) Hello(w http.ResponseWriter, r *http.Request) {"},
			{Number: 39, Text: "\tname, color := r.FormValue(\"name\"), r.FormValue(\"color\")", Flat: 40e6, Cum: 90e6, Notes: []string{"inlines (*Request).FormValue"}},
			{Number: 40, Text: "\ts.mu.Lock()", Cum: 30e6, Flat: 30e6, Notes: []string{"inlines (*Mutex).Lock"}},
			{Number: 41, Text: "\tdefer s.mu.Unlock()"},
			{Number: 42, Text: "\ts.visits[name]++", Cum: 240e6},
			{Number: 43, Text: "\ts.log.WithFields(logrus.Fields{"},
			{Number: 44, Text: "\t\t\"module\": \"visits\", \"name\": name, \"count\": s.visits[name],", Cum: 2620e6, Flat: 60e6, Notes: []string{"map[string]any{...} escapes to heap", "name escapes to heap", "s.visits[name] escapes to heap"}},
			{Number: 45, Text: "\t}).Info(\"visited\")", Cum: 6630e6},
			{Number: 61, Text: "\tw.Header().Set(\"Content-Type\", \"text/html; charset=utf-8\")", Cum: 360e6},
			{Number: 62, Text: "\tw.Write([]byte(\"<h1 style='color: \" + color + \"'>Welcome!</h1><p>Name: \" + html.EscapeString(name) + \"</p><p>Count: \" + fmt.Sprint(s.visits[name]) + \"</p>\"))", Cum: 2300e6, Flat: 40e6, Notes: []string{"([]byte)(\"...\" + color + ...) escapes to heap"}},
			{Number: 63, Text: "}"},
		},
	}, {
		Function: "github.com/sirupsen/logrus.(*TextFormatter).appendKeyValue", File: "github.com/sirupsen/logrus@v1.10.2/text_formatter.go",
		Flat: 0, Cum: 2500e6, Missing: "The source is not in the recording: the module was not in the cache.",
	}, {
		Function: "runtime.mallocgc", File: "GOROOT/src/runtime/malloc.go", Flat: 1460e6, Cum: 3940e6, Differs: "The file has changed since the binary was built.",
		Lines: []SourceLine{{Number: 1014, Text: "func mallocgc(size uintptr, typ *_type, needzero bool) unsafe.Pointer {", Flat: 1460e6, Cum: 3940e6}},
	}}
	return &Page{
		Target: "./casebook/visits/original", Package: "whet/casebook/visits/original", Module: "whet",
		Tool: "whet v0.1.0", Created: "2026-11-20T10:40:12Z",
		Facts: []page.Fact{
			{Name: "Measured", Value: "2 benchmarks, 3 runs of 1 s each, one process per profile"},
			{Name: "machine", Value: "Intel Xeon Processor (Sapphire Rapids), 2 cores, GOMAXPROCS 2"},
			{Name: "System", Value: "linux/amd64, kernel 6.18.0, no cgroup limit"},
			{Name: "load", Value: "steal 0.2 %, load 0.40 to 1.90"},
			{Name: "Go", Value: "go1.26.8, no build flags"},
			{Name: "Revision", Value: "fde335d, with uncommitted changes"},
		},
		Warnings:       []string{"BenchmarkFresh: the recorder grows with b.N and holds 812 MiB at the end: it takes 14 % of the allocated bytes, and hides what the handler allocates itself"},
		Verdict:        Verdict{"cpu-bound", "CPU-bound in logging: 72.1 % of the CPU time passes through logrus.(*Entry).Info and WithFields", "findings"},
		ThresholdRatio: 0.05,
		Findings: []finding.Finding{{
			Rule: "logging", Title: "A log record built from a map of fields on every request",
			Function: "whet/casebook/visits/original.(*Server).Hello", File: "casebook/visits/original/original.go", Line: 43,
			CPURatio: 0.7205, AllocBytesRatio: 0.9, CeilingRatio: finding.Ceiling(0.5), CeilingWithGCRatio: finding.CeilingWithGC(0.5, 0.9, 6160, 1022),
			AvoidableCPURatio: 0.5, AvoidableAllocBytesRatio: 0.9, CPUSamples: 6160, CPUSamplesNeeded: 200, Confidence: finding.High,
			Why:    "Each call allocates a map for the fields, boxes every value in an interface, sorts the keys, and formats each value with package fmt by reflection.",
			Remedy: "Use a logger that appends typed fields to a reused buffer, such as `zerolog` or `slog` with `LogAttrs`:\n\n\ts.log.Info().Str(\"module\", \"visits\").Str(\"name\", name).Int(\"count\", n).Msg(\"visited\")\n\nWhere the record is not read by anybody, drop it.",
			Evidence: []finding.Evidence{
				{Kind: "cpu", Text: "4,625 of 6,160 samples of the base pass through original.go:43"},
				{Kind: "allocs", Text: "1,310 objects and 421 KiB a call come from WithFields, 90.0 % of all bytes"},
				{Kind: "compiler", Text: "map[string]any{...} escapes to heap (original.go:44)"},
			},
			Benchmarks: []string{"BenchmarkReused", "BenchmarkFresh"},
		}, {
			Rule: "fmt-format", Title: "A number formatted by package fmt",
			Function: "whet/casebook/visits/original.(*Server).Hello", File: "casebook/visits/original/original.go", Line: 62,
			CPURatio: 0.184, AllocBytesRatio: 0.262, DelayRatio: 0.0004, CeilingRatio: finding.Ceiling(0.184), CeilingWithGCRatio: finding.Ceiling(0.184),
			AvoidableCPURatio: 0.184, AvoidableAllocBytesRatio: 0.262, CPUSamples: 101, CPUSamplesNeeded: 200, Confidence: finding.Medium, Fixable: true,
			Why:        "`fmt.Sprint` finds out the type of its operand by reflection and allocates the string that is then copied.",
			Remedy:     "Append to a `[]byte` with `strconv.AppendInt`, and write that.",
			Evidence:   []finding.Evidence{{Kind: "cpu", Text: "1,150 of 6,160 samples of the base pass through original.go:62"}},
			Benchmarks: []string{"BenchmarkReused"},
		}},
		Below: []finding.Finding{{
			Rule: "string-copy", Title: "A string is copied to a byte slice", Function: "whet/casebook/visits/original.(*Server).Hello",
			File: "casebook/visits/original/original.go", Line: 62, AllocBytesRatio: 0.031, CeilingRatio: 1, CeilingWithGCRatio: 1, AvoidableAllocBytesRatio: 0.031, CPUSamples: 6160, CPUSamplesNeeded: 200, Confidence: finding.Low,
			Unknown: finding.Unknown{Delay: true},
		}},
		HotPlaces: []finding.HotPlace{{
			Function: "whet/casebook/visits/original.(*Server).Hello", File: "casebook/visits/original/original.go", Line: 43, Lines: []int{43, 44},
			CPURatio: new(0.7205), AllocBytesRatio: new(0.9), DelayRatio: new(0.0), WorthRatio: 0.745, CPUSamples: 6160, BytesPerOp: new(1176.3), ObjectsPerOp: new(22.0), LoopLine: new(0),
			Callees: []finding.Part{
				{Name: "github.com/sirupsen/logrus.(*Entry).Info", CPURatio: new(0.5), AllocBytesRatio: new(0.4)},
				{Name: "github.com/sirupsen/logrus.(*Logger).WithFields", CPURatio: new(0.15), AllocBytesRatio: new(0.5)},
				{Name: "map assignment", CPURatio: new(0.05), AllocBytesRatio: new(0.0)},
				{CPURatio: new(0.0205), AllocBytesRatio: new(0.0)},
			},
			Kinds:     []finding.Part{{Name: "allocation", CPURatio: new(0.4), AllocBytesRatio: new(0.9)}, {Name: "formatting", CPURatio: new(0.3), AllocBytesRatio: new(0.0)}, {Name: "own instructions", CPURatio: new(0.0205), AllocBytesRatio: new(0.0)}},
			Decisions: []finding.Decision{{Line: 44, Text: "map[string]any{...} escapes to heap"}},
			Finding:   new("logging"), Benchmarks: []string{"BenchmarkReused", "BenchmarkFresh"},
		}, {
			Function: "whet/casebook/visits/original.(*Server).Hello", File: "casebook/visits/original/original.go", Line: 62, Lines: []int{62},
			CPURatio: new(0.184), AllocBytesRatio: new(0.1), DelayRatio: new(0.0004), WorthRatio: 0.176, CPUSamples: 6160, BytesPerOp: new(130.7), ObjectsPerOp: new(1.0), LoopLine: new(58),
			Callees: []finding.Part{{Name: "fmt.Sprint", CPURatio: new(0.184), AllocBytesRatio: new(0.1)}}, Kinds: []finding.Part{{Name: "formatting", CPURatio: new(0.184), AllocBytesRatio: new(0.1)}},
			Decisions: []finding.Decision{}, Benchmarks: []string{"BenchmarkReused"},
			Cause: new("fmt.Sprint takes 18.4 % of the time: it reads its format, and looks at each value by reflection."),
		}},
		Accounts: []finding.Account{
			{Kind: "cpu", HotPlacesRatio: 0.9045, OtherPlacesRatio: 0.0255, TestsRatio: 0.06, Packages: []finding.PackageShare{{Package: "net/http", Ratio: 0.01}}},
			{Kind: "alloc_bytes", HotPlacesRatio: 1, Packages: []finding.PackageShare{}},
		},
		Rules: []string{"logging", "fmt-format", "string-copy"}, Looked: 2, NotAsked: []string{"BenchmarkFresh: lock-held was not asked: no mutex profile was recorded"},
		Excerpts: map[Spot][]SourceLine{
			{"casebook/visits/original/original.go", 43}: listing[0].Lines[3:8],
			{"casebook/visits/original/original.go", 62}: listing[0].Lines[8:],
		},
		Benchmarks: []Benchmark{
			{Name: "BenchmarkReused", Procs: 2, Iterations: 661204, NsPerOp: 5403.2, BytesPerOp: new(1307.0), AllocsPerOp: new(25.0), Profiled: true},
			{Name: "BenchmarkFresh", Procs: 2, Iterations: 448112, NsPerOp: 7920.8, BytesPerOp: new(7160.0), AllocsPerOp: new(41.0), Profiled: true},
			{Name: "BenchmarkParallel", Procs: 2, Iterations: 900112, NsPerOp: 4120, BytesPerOp: new(1310.0), AllocsPerOp: new(25.0), Parallel: true},
			{Name: "BenchmarkBroken", Procs: 2, Failure: "panic: assignment to entry in nil map"},
		},
		Selection: &Selection{Measured: []string{"BenchmarkFresh", "BenchmarkReused"}, LeftOut: []string{"BenchmarkParallel"}, Reason: "the slowest per call"},
		Growth: scaling.Families([]scaling.Measured{
			{Name: "BenchmarkSort/n=100", Ns: 2100, Bytes: 896, Allocs: 1},
			{Name: "BenchmarkSort/n=1k", Ns: 203000, Bytes: 8192, Allocs: 1},
			{Name: "BenchmarkSort/n=10k", Ns: 20700000, Bytes: 81920, Allocs: 1},
		}),
		Processors: []Processors{{
			Benchmark: "BenchmarkParallel", Answer: scaling.Stops,
			Processors: &scaling.Processors{Processors: 2, Pairs: 6, OneNs: 4310, Ns: 4120, Speedup: stat.Interval{Center: 1.046, Low: 0.98, High: 1.12, Coverage: 0.96875}, CPURatio: 1.01, OneBusy: 1, Busy: 1.06, OneWanted: 1, Wanted: 1.1},
			Text:       "1.05 times as fast (0.98 to 1.12) on 2 processors as on 1; 1.1 of them work on average, the others wait for the lock at visits.go:43 (visits.(*Log).Add), 3.90 µs an operation",
		}},
		Profiles: []Profile{
			{
				Kind: "cpu", Column: "cpu", Unit: "nanoseconds",
				Samples: [4]int64{6160, 41, 12, 1022}, Values: [4]int64{cpu.Total(0), 410e6, 120e6, 10220e6},
				Top: top(cpu, nil, false), TopCum: top(cpu, nil, true), Listing: listing,
				Flame: flameOf(cpu, nil),
			},
			{
				Kind: "allocs", Column: "alloc_space", Unit: "bytes",
				Samples: [4]int64{12412331, 812, 44, 0}, Values: [4]int64{alloc.Total(0), 90112, 4096, 0},
				Top: top(alloc, nil, false), TopCum: top(alloc, nil, true),
				Flame: flameOf(alloc, nil),
			},
			{
				Kind: "cpu", Benchmark: "BenchmarkReused", Column: "cpu", Unit: "nanoseconds",
				Samples: [4]int64{3100, 20, 6, 511}, Values: [4]int64{cpu.Sum(0, even), 200e6, 60e6, 5110e6},
				Top: top(cpu, even, false)[:3], TopCum: top(cpu, even, true)[:3],
				Flame: flameOf(cpu, even),
			},
			{
				Kind: "cpu", Benchmark: "BenchmarkFresh", Column: "cpu", Unit: "nanoseconds",
				Samples: [4]int64{3060, 21, 6, 511}, Values: [4]int64{cpu.Sum(0, odd), 210e6, 60e6, 5110e6},
				Top: top(cpu, odd, false)[:3], TopCum: top(cpu, odd, true)[:3],
				Flame: flameOf(cpu, odd),
			},
		},
	}
}

// hostilePage has such a name in every field that a measured program fills,
// and numbers at their ends.
func hostilePage() *Page {
	names := []string{pagetest.Tag, pagetest.Quote, pagetest.Terminal, pagetest.Bidi, pagetest.UTF8, "", "<!--<script>", "]]>", "javascript:alert(3)"}
	var stacks []stack
	for i, n := range names {
		stacks = append(stacks, stack{[]string{"main.main", n, names[(i+3)%len(names)] + ".leaf"}, int64(100 + i)})
	}
	p := handmade(callstack.ValueType{Type: "cpu", Unit: "nanoseconds"}, stacks...)
	o := flamegraph.DefaultOptions()
	o.File = func(string) string { return pagetest.Tag }
	tree, err := flamegraph.FromProfile(p, 0, nil, o)
	if err != nil {
		panic(err)
	}
	var rows []Row
	var lines []SourceLine
	for i, n := range names {
		rows = append(rows, Row{Function: n, File: n, Flat: math.MaxInt64, Cum: math.MaxInt64})
		lines = append(lines, SourceLine{Number: i + 1, Text: "\t" + n, Flat: 1, Cum: math.MaxInt64, Notes: []string{n}})
	}
	all := func(s string) *finding.Finding {
		return &finding.Finding{
			Rule: s, Row: s, Title: s, Function: s, File: s, Line: 1, CPURatio: 1, AllocBytesRatio: 1e-9, CeilingRatio: 100, Confidence: finding.Confidence(s),
			Evidence: []finding.Evidence{{Kind: s, Text: s}}, Why: s, Remedy: "    " + s, Fixable: true, Benchmarks: []string{s},
		}
	}
	whole := &Page{
		Target: pagetest.Tag, Package: pagetest.Quote, Module: pagetest.Terminal, Tool: pagetest.Bidi, Created: pagetest.Tag, Partial: pagetest.Terminal,
		Verdict: Verdict{pagetest.Tag, pagetest.Terminal, "findings"}, ThresholdRatio: 0.05,
		Warnings: names,
	}
	whole.NotAsked, whole.Excerpts = names, make(map[Spot][]SourceLine)
	for i, n := range names {
		if i > 0 { // once is enough of all names
			rows, lines = rows[i%len(rows):][:1], lines[i%len(lines):][:1]
		}
		whole.Excerpts[Spot{n, 1}] = []SourceLine{{Number: 1, Text: "\t" + n}}
		whole.Facts = append(whole.Facts, page.Fact{Name: n, Value: n})
		whole.Findings = append(whole.Findings, *all(n))
		whole.Below = append(whole.Below, *all(n))
		whole.Benchmarks = append(whole.Benchmarks,
			Benchmark{Name: n, Procs: 1 << 30, Iterations: math.MaxInt64, NsPerOp: math.MaxFloat64, BytesPerOp: new(math.Inf(1)), AllocsPerOp: new(math.NaN())},
			Benchmark{Name: n, NsPerOp: math.NaN(), Failure: n})
		whole.Growth = append(whole.Growth, scaling.Family{
			Name: n, Parameter: n, Points: []scaling.Point{{Size: math.MaxFloat64, Measured: scaling.Measured{Name: n, Ns: math.NaN()}}},
			Time: &scaling.Growth{Exponent: math.Inf(1), Low: math.NaN(), High: math.Inf(1), Last: math.NaN()},
		})
		whole.Processors = append(whole.Processors, Processors{Benchmark: n, Answer: scaling.Verdict(n), Text: n,
			Processors: &scaling.Processors{Processors: math.MaxInt, OneNs: math.NaN(), Ns: math.Inf(1), Speedup: stat.Interval{Center: math.NaN(), Low: math.Inf(-1), High: math.Inf(1)}, CPURatio: math.NaN(), Busy: math.Inf(1)}})
		whole.Profiles = append(whole.Profiles, Profile{
			Kind: n, Benchmark: n, Column: n, Unit: n,
			Samples: [4]int64{math.MaxInt64, 1, 2, 3}, Values: [4]int64{math.MaxInt64, math.MaxInt64, 0, 1},
			Top: rows, TopCum: rows, Flame: tree,
			Listing: []Listing{{Function: n, File: n, Lines: lines, Missing: n, Differs: n}},
		})
	}
	addHostileRun(whole, names)
	return whole
}

// emptyPage returns the report of a recording that was stopped before anything was
// measured.
func emptyPage() *Page {
	return &Page{
		Package: "example.com/empty", Created: "2026-11-20T10:40:12Z", Partial: "interrupted while building",
		Verdict: Verdict{"too-few-samples", "Too few samples to say where the time goes: 0, and 100 are needed", "too-few-samples"}, ThresholdRatio: 0.05,
		Benchmarks: []Benchmark{{Name: "BenchmarkX", NsPerOp: 12.5}},
		Profiles:   []Profile{{Kind: "cpu", Column: "cpu", Unit: "nanoseconds"}},
	}
}

// quietPage has nothing to find.
func quietPage() *Page {
	p := visitsPage()
	p.Findings, p.Warnings = nil, nil
	p.Verdict = Verdict{"cpu-bound", "CPU-bound in the package's own code", "places"}
	return p
}
