package diagnose

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"whet/internal/analyze/hot"
	"whet/internal/callstack"
	"whet/internal/finding"
	"whet/internal/recording"
)

// lineProfile has frames "m/x.F:12" on their lines, and on line 1 without one;
// a file's name may stand before: "x_test.go m/x.F:12".
func lineProfile(types []callstack.ValueType, samples ...sample) *hot.Classified {
	b := callstack.NewBuilder(types...)
	b.Profile().Period = period
	c := &hot.Classified{LoopsKnown: true}
	for _, s := range samples {
		var ids []callstack.Frame
		for _, name := range slices.Backward(s.stack) {
			f := callstack.Frame{Function: name, File: "/m/x.go", Line: 1}
			if file, fn, ok := strings.Cut(name, " "); ok {
				f.File, f.Function = "/m/"+file, fn
			}
			if i := strings.LastIndexByte(f.Function, ':'); i >= 0 {
				f.Line, _ = strconv.Atoi(f.Function[i+1:])
				f.Function = f.Function[:i]
			}
			ids = append(ids, f)
		}
		second := s.n * period
		if types[1].Unit == "bytes" {
			second = s.n * max(s.size, 1)
		} else if types[0].Type == "contentions" {
			second = s.n
		}
		b.AddFrames(ids, nil, s.n, second)
		c.Class = append(c.Class, s.class)
	}
	c.Frames = b.Frames()
	return c
}

var (
	cpuTypes   = []callstack.ValueType{{Type: "samples", Unit: "count"}, {Type: "cpu", Unit: "nanoseconds"}}
	allocTypes = []callstack.ValueType{{Type: "alloc_objects", Unit: "count"}, {Type: "alloc_space", Unit: "bytes"}}
	mutexTypes = []callstack.ValueType{{Type: "contentions", Unit: "count"}, {Type: "delay", Unit: "nanoseconds"}}
)

func runPlaces(t *testing.T, rules []Rule, subjects ...*Subject) Result {
	t.Helper()
	if rules == nil {
		rules = []Rule{ruleFor("none", "m/x.absent", 200)}
	}
	return Run(registryOf(t, rules...), subjects)
}

// Line 16 takes next to no time and all of the place's bytes: it is listed with the
// line that takes the time, of which nobody would believe that it allocates.
func TestPlaceListsTheLineOfItsBytes(t *testing.T) {
	cpu := lineProfile(cpuTypes, sample{stack: []string{"m/x.add:10"}, n: 980}, sample{stack: []string{"m/x.add:16"}, n: 10}, sample{stack: []string{"m/x.add:18"}, n: 10})
	allocs := lineProfile(allocTypes, sample{stack: []string{"m/x.add:16"}, n: 90}, sample{stack: []string{"m/x.add:18"}, n: 10})
	res := runPlaces(t, nil, subject("B", cpu, allocs, nil))
	if p := &res.HotPlaces[0]; p.Line != 10 || !slices.Equal(p.Lines, []int{10, 16}) || !near(*p.AllocBytesRatio, 1) {
		t.Errorf("%+v", p)
	}
}

// The base has 1,000 samples. Of m/x.loop, lines 10, 11 and 12 hold 300, 200
// and 100, none less than a quarter of the heaviest, and line 20 has 20, which
// is no place of its own: one place of 620. m/x.Helper's literal is its own
// code. The benchmark's own body and a callback of the tests, called by no own
// code, are 150; net/http does 30 that no own line asked for. Set-up does not
// count.
func TestHotPlaces(t *testing.T) {
	cpu := lineProfile(cpuTypes,
		sample{stack: []string{"x_test.go m/x.BenchmarkX:5", "m/x.loop:10", "strings.Index"}, n: 300},
		sample{stack: []string{"x_test.go m/x.BenchmarkX:5", "m/x.loop:11"}, n: 200},
		sample{stack: []string{"x_test.go m/x.BenchmarkX:5", "m/x.loop:12", "runtime.mallocgc"}, n: 100},
		sample{stack: []string{"x_test.go m/x.BenchmarkX:5", "m/x.loop:20"}, n: 20},
		sample{stack: []string{"x_test.go m/x.BenchmarkX:5", "m/x.Helper:30"}, n: 40},
		sample{stack: []string{"x_test.go m/x.BenchmarkX:5", "m/x.Helper.func1:31", "x_test.go m/x.less:7"}, n: 160},
		sample{stack: []string{"x_test.go m/x.BenchmarkX:5", "sort.Sort", "x_test.go m/x.less:7"}, n: 150},
		sample{stack: []string{"net/http.(*conn).serve"}, n: 30},
		sample{stack: []string{"x_test.go m/x.BenchmarkX:3", "m/x.loop:10"}, n: 5000, class: hot.Setup},
	)
	s := subject("BenchmarkX", cpu, nil, nil)
	s.Decisions = func(at SourceLine) []string {
		return map[SourceLine][]string{{"/m/x.go", 12}: {"b escapes to heap"}}[at]
	}
	res := runPlaces(t, nil, s)
	if len(res.HotPlaces) != 2 || res.Verdict.Outcome != OutcomePlaces {
		t.Fatalf("%s: %+v", res.Verdict.Outcome, res.HotPlaces)
	}
	loop, helper := &res.HotPlaces[0], &res.HotPlaces[1]
	if loop.Function != "m/x.loop" || loop.Line != 10 || !slices.Equal(loop.Lines, []int{10, 11, 12}) || !near(*loop.CPURatio, 0.62) || !near(loop.WorthRatio, 0.62) {
		t.Errorf("%+v", loop)
	}
	if loop.AllocBytesRatio != nil || loop.DelayRatio != nil || loop.Finding != nil || loop.CPUSamples != 1000 {
		t.Errorf("what was not measured: %+v", loop)
	}
	if helper.Function != "m/x.Helper" || helper.Line != 31 || !near(*helper.CPURatio, 0.2) {
		t.Errorf("%+v", helper)
	}
	if !slices.Equal(loop.Decisions, []finding.Decision{{Line: 12, Text: "b escapes to heap"}}) {
		t.Errorf("decisions %+v", loop.Decisions)
	}
	for part, want := range map[string]float64{"strings.Index": 0.3, "new": 0.1, "": 0.22} {
		if i := slices.IndexFunc(loop.Callees, func(p finding.Part) bool { return p.Name == part }); i < 0 || !near(*loop.Callees[i].CPURatio, want) {
			t.Errorf("callees %+v: no %q of %v", loop.Callees, part, want)
		}
	}
	a := res.Accounts
	if len(a) != 1 || a[0].Kind != "cpu" || !near(a[0].HotPlacesRatio, 0.82) || !near(a[0].TestsRatio, 0.15) || a[0].OtherPlacesRatio != 0 ||
		!slices.Equal(a[0].Packages, []finding.PackageShare{{Package: "net/http", Ratio: 0.03}}) {
		t.Errorf("accounts %+v", a)
	}
	if !slices.ContainsFunc(res.Warnings, func(w string) bool {
		return strings.HasPrefix(w, "BenchmarkX: 15.0 % of the base is the benchmark's own work")
	}) {
		t.Errorf("warnings %q", res.Warnings)
	}
}

// A line that matters by itself and is much lighter than the function's
// heaviest has another cause: 600 and 100 of 1,000.
func TestLinesOfOneFunction(t *testing.T) {
	res := runPlaces(t, nil, subject("B", lineProfile(cpuTypes,
		sample{stack: []string{"m/x.serve:53"}, n: 600}, sample{stack: []string{"m/x.serve:56"}, n: 100},
		sample{stack: []string{"m/x.serve:57"}, n: 30}, sample{stack: []string{"m/x.other:9"}, n: 270},
	), nil, nil))
	var got []string
	for _, p := range res.HotPlaces {
		got = append(got, p.Function[4:]+strings.Repeat("+", len(p.Lines)-1)+" "+strconv.Itoa(p.Line)+" "+strconv.FormatFloat(*p.CPURatio, 'f', 2, 64))
	}
	if want := []string{"serve 53 0.63", "other 9 0.27", "serve 56 0.10"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// Worth adds the collector's work for a place's bytes. The base has 800
// samples, the collector 200 in the background. copy holds 100 of 800 and 90 %
// of the bytes: (100 + 0.9·200) / 1000 = 0.28. scan holds 250 and no byte: 0.25.
// In CPU time alone scan would stand before it.
func TestWorthCountsTheCollector(t *testing.T) {
	s := subject("B", lineProfile(cpuTypes,
		sample{stack: []string{"m/x.copy:1"}, n: 100}, sample{stack: []string{"m/x.scan:2"}, n: 250}, sample{stack: []string{"m/x.rest:3"}, n: 450},
		sample{stack: []string{"runtime.gcBgMarkWorker", "runtime.gcDrain"}, n: 200, class: hot.Background},
	), lineProfile(allocTypes,
		sample{stack: []string{"m/x.copy:1"}, n: 9, size: 1 << 10}, sample{stack: []string{"m/x.rest:3"}, n: 1, size: 1 << 10},
	), nil)
	s.BytesPerOp, s.AllocIterations = 1024, 10
	res := runPlaces(t, nil, s)
	var got []string
	for _, p := range res.HotPlaces {
		got = append(got, p.Function)
	}
	if !slices.Equal(got, []string{"m/x.rest", "m/x.copy", "m/x.scan"}) || !near(res.HotPlaces[1].WorthRatio, 0.28) || !near(res.HotPlaces[0].WorthRatio, 0.47) {
		t.Errorf("%q: %+v", got, res.HotPlaces)
	}
	if p := res.HotPlaces[1]; p.BytesPerOp == nil || !near(*p.BytesPerOp, 921.6) || !near(*p.ObjectsPerOp, 0.9) || !near(*p.AllocBytesRatio, 0.9) {
		t.Errorf("per operation: %+v", p)
	}
}

// All of 8 bytes an operation is nothing where the collector has nothing to do.
func TestBytesWithoutWorth(t *testing.T) {
	s := subject("B", lineProfile(cpuTypes, sample{stack: []string{"m/x.work:1"}, n: 990}, sample{stack: []string{"m/x.box:2"}, n: 10}),
		lineProfile(allocTypes, sample{stack: []string{"m/x.box:2"}, n: 1000, size: 8}), nil)
	s.BytesPerOp, s.AllocIterations = 8, 1000
	if res := runPlaces(t, nil, s); len(res.HotPlaces) != 1 || res.HotPlaces[0].Function != "m/x.work" {
		t.Errorf("%+v", res.HotPlaces)
	}
}

// A service's requests take 1 ms each, and of 1,000 requests' delay 0.9 s is at
// line 8: 0.9 ms a request, worth 90 % though no sample of the CPU falls there.
func TestDelayIsWorthWhatRequestsWait(t *testing.T) {
	s := subject("x", lineProfile(cpuTypes, sample{stack: []string{"m/x.work:1"}, n: 400}), nil,
		lineProfile(mutexTypes, sample{stack: []string{"m/x.get:8", "sync.(*Mutex).Unlock"}, n: 900_000_000}))
	s.Kind, s.MutexIterations, s.Run = recording.TargetService, 1000, &Conditions{ServiceTimeNs: 1e6, Requests: 1000}
	res := runPlaces(t, nil, s)
	if len(res.HotPlaces) != 2 || res.HotPlaces[1].Function != "m/x.get" || !near(res.HotPlaces[1].WorthRatio, 0.9) || *res.HotPlaces[1].CPURatio != 0 {
		t.Errorf("%+v", res.HotPlaces)
	}
}

// A finding's place is the one that its samples are charged to, and has its
// line. A place that no finding explains has none.
func TestPlaceOfAFinding(t *testing.T) {
	s := subject("B", lineProfile(cpuTypes, sample{stack: []string{"m/x.slow:8", "fmt.Sprint"}, n: 700}, sample{stack: []string{"m/x.other:3"}, n: 300}), nil, nil)
	res := runPlaces(t, []Rule{ruleFor("slow", "m/x.slow", 200)}, s) // claims line 7
	if res.Verdict.Outcome != OutcomeFindings || len(res.HotPlaces) != 2 {
		t.Fatalf("%+v", res)
	}
	p, f := &res.HotPlaces[0], &res.Findings[0]
	if p.Finding == nil || *p.Finding != "slow" || p.Line != f.Line || p.File != f.File || !slices.Equal(p.Lines, []int{7, 8}) || res.HotPlaces[1].Finding != nil {
		t.Errorf("%+v, finding %+v", res.HotPlaces, f)
	}
}

// A place that matters in one benchmark of many matters.
func TestPlaceOfOneBenchmark(t *testing.T) {
	var subjects []*Subject
	for i := range 30 {
		subjects = append(subjects, subject("B"+strconv.Itoa(i), lineProfile(cpuTypes, sample{stack: []string{"m/x.f" + strconv.Itoa(i) + ":1"}, n: 300}), nil, nil))
	}
	res := runPlaces(t, nil, subjects...)
	if len(res.HotPlaces) != 30 || res.Verdict.Outcome != OutcomePlaces || !slices.Equal(res.HotPlaces[0].Benchmarks, []string{"B0"}) {
		t.Errorf("%s: %d places, %+v", res.Verdict.Outcome, len(res.HotPlaces), res.HotPlaces[0])
	}
}

func TestOutcomes(t *testing.T) {
	many := func() (out []sample) {
		for i := range 40 {
			out = append(out, sample{stack: []string{"m/x.f" + strconv.Itoa(i) + ":1"}, n: 25})
		}
		return out
	}()
	one := sample{stack: []string{"m/x.hash:4"}, n: 960}
	rest := sample{stack: []string{"m/x.rest:9"}, n: 40}
	for _, test := range []struct {
		name    string
		samples []sample
		want    Outcome
	}{
		{"one line of own instructions", []sample{one, rest}, OutcomeFloor},
		{"it calls", []sample{{stack: []string{"m/x.hash:4", "strings.Index"}, n: 960}, rest}, OutcomePlaces},
		{"a tenth elsewhere", []sample{{stack: one.stack, n: 900}, {stack: rest.stack, n: 100}}, OutcomePlaces},
		{"a loop of two lines", []sample{{stack: one.stack, n: 500}, {stack: []string{"m/x.hash:5"}, n: 500}}, OutcomePlaces},
		{"spread", many, OutcomeSpread},
		{"199 samples", []sample{{stack: one.stack, n: 199}}, OutcomeFew},
	} {
		s := subject("B", lineProfile(cpuTypes, test.samples...), nil, nil)
		if v := runPlaces(t, nil, s).Verdict; v.Outcome != test.want {
			t.Errorf("%s: %s, want %s: %s", test.name, v.Outcome, test.want, v.Text)
		}
	}
	if v := runPlaces(t, nil, subject("B", nil, nil, nil)).Verdict; v.Outcome != OutcomeInvalid {
		t.Errorf("without a profile: %+v", v)
	}
	s := subject("B", lineProfile(cpuTypes, one, rest), lineProfile(allocTypes, sample{stack: []string{"m/x.hash:4"}, n: 500, size: 64}), nil)
	s.BytesPerOp, s.AllocIterations = 32, 1000
	if v := runPlaces(t, nil, s).Verdict; v.Outcome != OutcomePlaces {
		t.Errorf("what allocates is a floor: %+v", v)
	}
}

// Whatever the samples are, accounts sum to 1 and the parts of a place to the
// place.
func TestPlacesConserve(t *testing.T) {
	reg := registryOf(t, ruleFor("one", "m/x.a", 1))
	rapid.Check(t, func(t *rapid.T) {
		frames := []string{"m/x.a:1", "m/x.a:2", "m/x.b:3", "m/x.b.func1:4", "x_test.go m/x.T:5", "fmt.Sprint", "runtime.mallocgc", "net/http.Serve"}
		var subjects []*Subject
		for i := range rapid.IntRange(1, 3).Draw(t, "subjects") {
			draw := func(types []callstack.ValueType) *hot.Classified {
				var samples []sample
				for range rapid.IntRange(1, 12).Draw(t, "samples") {
					samples = append(samples, sample{stack: rapid.SliceOfN(rapid.SampledFrom(frames), 1, 5).Draw(t, "stack"), n: rapid.Int64Range(0, 300).Draw(t, "n"), size: 64,
						class: rapid.SampledFrom([]hot.Class{hot.Base, hot.Base, hot.Setup, hot.Background}).Draw(t, "class")})
				}
				return lineProfile(types, samples...)
			}
			s := subject("B"+strconv.Itoa(i), draw(cpuTypes), draw(allocTypes), draw(mutexTypes))
			s.AllocIterations = 1
			subjects = append(subjects, s)
		}
		res := Run(reg, subjects)
		sum := func(parts []finding.Part, of func(*finding.Part) *float64) (total float64) {
			for i := range parts {
				if v := of(&parts[i]); v != nil {
					total += *v
				}
			}
			return total
		}
		cpu, alloc := func(p *finding.Part) *float64 { return p.CPURatio }, func(p *finding.Part) *float64 { return p.AllocBytesRatio }
		places := map[string]float64{}
		for _, p := range res.HotPlaces {
			for kind, r := range map[string]*float64{"cpu": p.CPURatio, "alloc_bytes": p.AllocBytesRatio} {
				if r == nil {
					continue
				}
				places[kind] += *r
				of := cpu
				if kind == "alloc_bytes" {
					of = alloc
				}
				for what, parts := range map[string][]finding.Part{"callees": p.Callees, "kinds": p.Kinds} {
					if got := sum(parts, of); math.Abs(got-*r) > 1e-9 {
						t.Fatalf("%s of %s:%d sum to %v of %v", what, p.File, p.Line, got, *r)
					}
				}
			}
		}
		for _, a := range res.Accounts {
			total := a.HotPlacesRatio + a.OtherPlacesRatio + a.TestsRatio
			for _, p := range a.Packages {
				total += p.Ratio
			}
			if math.Abs(total-1) > 1e-9 {
				t.Fatalf("%s sums to %v", a.Kind, total)
			}
			if of, ok := places[a.Kind]; ok && math.Abs(of-a.HotPlacesRatio) > 1e-9 {
				t.Fatalf("%s of the hot places is %v, said to be %v", a.Kind, of, a.HotPlacesRatio)
			}
		}
	})
}

// Lines of one loop are one place; two loops that matter are two. Those that do
// not matter by themselves go to the function's heaviest. Of 1,000 samples the
// first loop has 340 in one line, the second 400 in two, a third 30, and line 3
// outside of them 40.
func TestLoopsAreThePlaces(t *testing.T) {
	s := subject("B", lineProfile(cpuTypes,
		sample{stack: []string{"m/x.f:3"}, n: 40}, sample{stack: []string{"m/x.f:5"}, n: 340},
		sample{stack: []string{"m/x.f:8"}, n: 200}, sample{stack: []string{"m/x.f:9"}, n: 200}, sample{stack: []string{"m/x.f:12"}, n: 30},
		sample{stack: []string{"m/x.g:20"}, n: 190},
	), nil, nil)
	s.Source = texts{"/m/x.go": "package x\nfunc f(a []int) (n int) {\n\tn = len(a)\n\tfor i := range a {\n\t\tn += a[i]\n\t}\n\tfor i := range a {\n\t\tn *= a[i]\n\t\tn ^= a[i]\n\t}\n\tfor i := range a {\n\t\tn -= i\n\t}\n\treturn n\n}\n"}
	res := runPlaces(t, nil, s)
	var got []string
	for _, p := range res.HotPlaces {
		loop := -1
		if p.LoopLine != nil {
			loop = *p.LoopLine
		}
		got = append(got, fmt.Sprintf("%s:%d %v in loop %d: %.2f", p.Function[4:], p.Line, p.Lines, loop, *p.CPURatio))
	}
	if want := []string{"f:8 [3 8 9 12] in loop 7: 0.47", "f:5 [5] in loop 4: 0.34", "g:20 [20] in loop -1: 0.19"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// Packages for tests are not what is studied, unless they are what is measured;
// and a module's directory may be called like a fetched one.
func TestWhoseCode(t *testing.T) {
	s := subject("B", lineProfile(cpuTypes,
		sample{stack: []string{"m/x.log:5", "m/logtest/observer.add:9"}, n: 600}, sample{stack: []string{"m/x.log:6"}, n: 400},
	), nil, nil)
	if p := runPlaces(t, nil, s).HotPlaces; len(p) != 1 || p[0].Function != "m/x.log" || !near(*p[0].CPURatio, 0.4) {
		t.Errorf("%+v", p)
	}
	s.Package, s.owned = "m/logtest/observer", nil
	if p := runPlaces(t, nil, s).HotPlaces; len(p) != 2 || p[0].Function != "m/logtest/observer.add" {
		t.Errorf("measured itself: %+v", p)
	}
	for file, want := range map[string]bool{"/src/m@v2/y/y.go": true, "/mod/m/sub@v1.2.3/y.go": false} {
		b := subject("B", nil, nil, nil)
		b.Source = displays{"/src/m@v2/y/y.go": "y/y.go", "/mod/m/sub@v1.2.3/y.go": "m/sub@v1.2.3/y.go"}
		if got := b.Own(&callstack.Frame{Function: "m/y.F", File: file}); got != want {
			t.Errorf("%s is the user's: %v", file, got)
		}
	}
}

// texts are sources by the frame's file, displays the names of those without.
type (
	texts    map[string]string
	displays map[string]string
)

func (t texts) Text(file string) []byte    { return []byte(t[file]) }
func (texts) Display(file string) string   { return file }
func (displays) Text(string) []byte        { return nil }
func (d displays) Display(f string) string { return d[f] }

// A floor is one line that is known, and what is said of it is what the profiles
// show: 960 of 1,000 samples of its own and 40 in what it calls are not "calls
// nothing", and without a profile of allocations nobody knows of those.
func TestFloorSaysWhatIsKnown(t *testing.T) {
	build := func(line string, called int64, allocs bool) *Subject {
		samples := []sample{{stack: []string{"m/x.loop:" + line}, n: 1000 - called}}
		if called > 0 {
			samples = append(samples, sample{stack: []string{"m/x.loop:" + line, "fmt.Sprint"}, n: called})
		}
		s := subject("BenchmarkX", lineProfile(cpuTypes, samples...), nil, nil)
		if allocs {
			s.Allocs, s.AllocCol = lineProfile(allocTypes), 1
		}
		return s
	}
	for _, test := range []struct {
		s       *Subject
		outcome Outcome
		says    string
	}{
		{build("7", 0, true), OutcomeFloor, "/m/x.go:7 accounts for 100.0 %, calls nothing and allocates nothing:"},
		{build("7", 0, false), OutcomeFloor, "/m/x.go:7 accounts for 100.0 %, nearly all of it in its own instructions:"},
		{build("7", 40, true), OutcomeFloor, "nearly all of it in its own instructions:"},
		{build("0", 0, true), OutcomePlaces, "look first at m/x.loop in /m/x.go, worth 100.0 %"},
	} {
		if v := runPlaces(t, nil, test.s).Verdict; v.Outcome != test.outcome || !strings.Contains(v.Text, test.says) {
			t.Errorf("%s: %q, want %s and %q", v.Outcome, v.Text, test.outcome, test.says)
		}
	}
}

// Beside a benchmark with CPU time one without any is worth nothing for three
// waits of a nanosecond, though they are all of its delay and CPU time.
func TestFewWaitsBesideNoCPU(t *testing.T) {
	busy := subject("BenchmarkBusy", lineProfile(cpuTypes, sample{stack: []string{"m/x.loop:7"}, n: 1000}), nil, nil)
	for waits, want := range map[int64]int{3: 1, fewestWaits: 2} {
		idle := subject("BenchmarkIdle", lineProfile(cpuTypes), nil, nil)
		idle.Mutex, idle.MutexCol = lineProfile(mutexTypes, sample{stack: []string{"m/x.wait:9", "sync.(*Mutex).Unlock"}, n: waits}), 1
		if got := runPlaces(t, nil, busy, idle).HotPlaces; len(got) != want || got[0].Line == 9 && want == 1 {
			t.Errorf("%d waits: %+v", waits, got)
		}
	}
}

// A place that a finding explains is listed however little it is worth: 30 of
// 1,000 samples, and 60 % of the bytes in a process that collects.
func TestLightPlaceOfAFinding(t *testing.T) {
	s := subject("B", lineProfile(cpuTypes,
		sample{stack: []string{"m/x.slow:8"}, n: 30}, sample{stack: []string{"m/x.rest:3", "runtime.mallocgc"}, n: 970},
		sample{stack: []string{"runtime.gcBgMarkWorker", "runtime.gcDrain"}, n: 20, class: hot.Background},
	), lineProfile(allocTypes, sample{stack: []string{"m/x.slow:8"}, n: 6, size: 1 << 10}, sample{stack: []string{"m/x.rest:3"}, n: 4, size: 1 << 10}), nil)
	s.BytesPerOp, s.AllocIterations = 1024, 10
	res := runPlaces(t, []Rule{ruleFor("slow", "m/x.slow", 200)}, s)
	if len(res.Findings) != 1 || len(res.HotPlaces) != 2 {
		t.Fatalf("%+v", res)
	}
	if p := res.HotPlaces[1]; p.WorthRatio >= Threshold || p.Finding == nil || *p.Finding != "slow" {
		t.Errorf("%+v", p)
	}
}

// What a place allocates for each operation leaves set-up out, and is the
// largest of the benchmarks.
func TestBytesOfAPlaceForEachOperation(t *testing.T) {
	build := func(name string, objects int64) *Subject {
		s := subject(name, lineProfile(cpuTypes, sample{stack: []string{"m/x.f:1"}, n: 400}), lineProfile(allocTypes,
			sample{stack: []string{"m/x.f:1"}, n: objects, size: 64}, sample{stack: []string{"m/x.f:1"}, n: 1000, size: 64, class: hot.Setup}), nil)
		s.BytesPerOp, s.AllocIterations = 64, 10
		return s
	}
	for _, subjects := range [][]*Subject{{build("A", 20), build("B", 70)}, {build("B", 70), build("A", 20)}} {
		p := runPlaces(t, nil, subjects...).HotPlaces
		if len(p) != 1 || p[0].ObjectsPerOp == nil || !near(*p[0].ObjectsPerOp, 7) || !near(*p[0].BytesPerOp, 448) {
			t.Errorf("%+v", p)
		}
	}
}
