package rules_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"whet/internal/analyze/hot"
	"whet/internal/callstack"
	"whet/internal/diagnose"
	"whet/internal/finding"
)

// The programs of these tests are stacks written by hand, so that every share
// is known: "m/app.serve:12" is a frame at line 12 of app.go, any other is
// somebody else's.
type stack struct {
	frames string // root first, separated by blanks
	n      int64  // samples, or objects
	size   int64  // bytes of each object
}

type source string

func (s source) Text(file string) []byte {
	if file == "app.go" {
		return []byte(s)
	}
	return nil
}
func (s source) Display(file string) string { return file }

func profiled(types []callstack.ValueType, stacks []stack, values func(stack) []int64) *hot.Classified {
	b := callstack.NewBuilder(types...)
	for _, s := range stacks {
		var ids []callstack.Frame
		names := strings.Fields(s.frames)
		for i := len(names) - 1; i >= 0; i-- {
			f := callstack.Frame{Function: names[i], File: "elsewhere.go", Line: 1}
			if name, line, ok := strings.Cut(names[i], ":"); ok {
				f.Function, f.File = name, "app.go"
				if _, err := fmt.Sscan(line, &f.Line); err != nil {
					panic(err)
				}
			}
			ids = append(ids, f)
		}
		var labels []callstack.Label
		if s.size > 0 {
			labels = []callstack.Label{{Key: "bytes", Num: s.size, Unit: "bytes"}}
		}
		b.AddFrames(ids, labels, values(s)...)
	}
	return &hot.Classified{Frames: b.Frames(), Class: make([]hot.Class, len(stacks)), LoopsKnown: true}
}

// app returns a subject with the given source and stacks.
func app(t *testing.T, src string, calls types, cpu, allocs []stack) *diagnose.Subject {
	t.Helper()
	s := &diagnose.Subject{
		Benchmark: "BenchmarkX", Package: "m/app", Module: "m", Modules: []string{"m"}, BytesPerOp: 1000, AllocIterations: 1,
		Source: source(src), Loops: &hot.Loops{}, CPUColumn: 1, AllocCol: 1,
	}
	if err := s.Loops.AddFile("app.go", []byte(src)); err != nil {
		t.Fatal(err)
	}
	if calls != nil {
		s.Program = typedProgram(t, src)
	}
	s.CPU = profiled([]callstack.ValueType{{Type: "samples", Unit: "count"}, {Type: "cpu", Unit: "nanoseconds"}}, cpu,
		func(s stack) []int64 { return []int64{s.n, s.n * 10_000_000} })
	if allocs != nil {
		s.Allocs = profiled([]callstack.ValueType{{Type: "alloc_objects", Unit: "count"}, {Type: "alloc_space", Unit: "bytes"}}, allocs,
			func(s stack) []int64 { return []int64{s.n, s.n * s.size} })
	}
	return s
}

// run asks all rules of a registry, none of which may fail.
func run(t *testing.T, reg *diagnose.Registry, subjects []*diagnose.Subject) diagnose.Result {
	t.Helper()
	res := diagnose.Run(reg, subjects)
	for _, w := range res.Warnings {
		if strings.Contains(w, "failed and reports nothing") {
			t.Error(w)
		}
	}
	return res
}

// said returns the findings of one rule, all rules being asked.
func said(t *testing.T, id string, subjects ...*diagnose.Subject) []finding.Finding {
	t.Helper()
	reg := registry(t)
	var out []finding.Finding
	for _, f := range run(t, reg, subjects).Findings {
		if f.Rule == id {
			out = append(out, f)
		}
	}
	return out
}

const logSource = `package app; import "fmt"; import "io"

func serve(n int) { // 3
	log. // 4
		WithField("n", n).
		Info("served") // 6
	work()
}

func BenchmarkServe(b *testing.B) { // 10
	for b.Loop() {
		logger.Info("direct") // 12
	}
}

func quiet(n int) { // 16
	logger.Debug("n is " + name(n)) // 17
}

func (l *Logger) Debug(text string) { // 20
	l.print(text) // 21
}

func with(n int) { // 24
	e := logger.WithField("n", compute(n)) // 25
	use(e, e.failure.Error()) // 26
}

func (l *Logger) print(text string) {
	fmt.Fprintf(l.to, text) // 30
}

type Logger struct{ to io.Writer }

var logger *Logger

func name(n int) string { return fmt.Sprint(n) }
`

func TestLoggingByHand(t *testing.T) {
	const logrus = "github.com/sirupsen/logrus."
	rest := func(n int64) stack { return stack{frames: "m/app.work:7", n: n} }
	for _, test := range []struct {
		name  string
		pkg   string
		calls types
		cpu   []stack
		want  string  // place of the only finding, "" for none
		share float64 // its cpu_ratio
	}{
		{
			// 550 of 1000 write, 50 of 1000 format: the threshold.
			name: "avoidable part at the threshold",
			cpu: []stack{
				{frames: "m/app.serve:6 " + logrus + "(*Entry).Info os.(*File).Write syscall.write", n: 550},
				{frames: "m/app.serve:6 " + logrus + "(*Entry).Info fmt.Sprint", n: 50}, rest(400),
			},
			want: "app.go:4", share: 0.6,
		},
		{
			name: "avoidable part below the threshold, share above it",
			cpu: []stack{
				{frames: "m/app.serve:6 " + logrus + "(*Entry).Info os.(*File).Write syscall.write", n: 551},
				{frames: "m/app.serve:6 " + logrus + "(*Entry).Info fmt.Sprint", n: 49}, rest(400),
			},
		},
		{
			name: "appending and writing only",
			cpu: []stack{
				{frames: "m/app.serve:4 github.com/rs/zerolog.(*Event).Int strconv.AppendInt", n: 400},
				{frames: "m/app.serve:4 github.com/rs/zerolog.(*Event).Msg m/app.(*Sink).Write", n: 400}, rest(200),
			},
		},
		{
			name: "parts of one statement on several lines",
			cpu: []stack{
				{frames: "m/app.serve:5 " + logrus + "(*Logger).WithField runtime.mapassign_faststr", n: 100},
				{frames: "m/app.serve:5 runtime.convT64 runtime.mallocgc", n: 100},
				{frames: "m/app.serve:6 " + logrus + "(*Entry).Info reflect.TypeOf", n: 100}, rest(700),
			},
			want: "app.go:4", share: 0.3,
		},
		{
			name: "called by a package that is not ours",
			cpu:  []stack{{frames: "m/app.serve:7 net/http.(*conn).serve net/http.(*Server).logf log.(*Logger).Printf fmt.Appendf", n: 600}, rest(400)},
		},
		{
			name: "called by the benchmark",
			cpu:  []stack{{frames: "m/app.BenchmarkServe:12 " + logrus + "(*Logger).Info fmt.Sprint", n: 600}, rest(400)},
		},
		{
			name: "the package under test is a logger", pkg: "m/logging",
			cpu: []stack{{frames: "m/app.serve:6 " + logrus + "(*Entry).Info fmt.Sprint", n: 600}, rest(400)},
		},
		{
			name: "arguments of a level that is off", calls: known,
			cpu:  []stack{{frames: "m/app.quiet:17 runtime.concatstring2 runtime.mallocgc", n: 20}, {frames: "m/app.quiet:17 m/app.name:19 fmt.Sprint", n: 580}, rest(400)},
			want: "app.go:17", share: 0.6,
		},
		{
			// 19 samples do not tell off from on: 15 of 200 are avoidable.
			name: "too few samples to tell that a level is off", calls: known,
			cpu: []stack{{frames: "m/app.quiet:17 m/app.name:19 fmt.Sprint", n: 19}, rest(181)},
		},
		{
			name: "the inside of a logger that is benchmarked", calls: known,
			cpu: []stack{{frames: "m/app.BenchmarkServe:12 m/app.(*Logger).Debug:21 m/app.(*Logger).print:30 fmt.Fprintf", n: 600}, rest(400)},
		},
		{
			name: "work beside a logger's in one statement",
			cpu: []stack{
				{frames: "m/app.with:25 " + logrus + "(*Logger).WithField runtime.mallocgc", n: 100},
				{frames: "m/app.with:25 m/app.compute:50 fmt.Sprint", n: 500}, rest(400),
			},
			want: "app.go:25", share: 0.1,
		},
		{
			name: "an error's text formats but writes nothing",
			cpu:  []stack{{frames: "m/app.with:26 m/app.(*LogError).Error:60 fmt.Sprintf", n: 600}, rest(400)},
		},
		{
			name: "the same without types: no logger is to be seen",
			cpu:  []stack{{frames: "m/app.quiet:17 runtime.concatstring2 runtime.mallocgc", n: 300}, rest(700)},
		},
		{
			// The level is on, so name's own work belongs to the record.
			name: "work in an argument of a level that is on", calls: known,
			cpu: []stack{
				{frames: "m/app.quiet:17 m/app.name:19 fmt.Sprint", n: 500},
				{frames: "m/app.quiet:17 m/app.(*Logger).Debug:21 m/app.(*Logger).print:30 fmt.Fprintf m/app.(*Sink).Write", n: 100}, rest(400),
			},
		},
		{
			name: "home-made, from the logger's own method outwards", calls: known,
			cpu: []stack{
				{frames: "m/app.quiet:17 m/app.(*Logger).Debug:21 m/app.(*Logger).print:30 fmt.Fprintf", n: 100}, rest(900),
			},
			want: "app.go:17", share: 0.1,
		},
	} {
		s := app(t, logSource, test.calls, test.cpu, nil)
		if test.pkg != "" {
			s.Package = test.pkg
		}
		got := said(t, "logging", s)
		switch {
		case test.want == "" && len(got) > 0:
			t.Errorf("%s: %s:%d: %s", test.name, got[0].File, got[0].Line, got[0].Why)
		case test.want != "" && (len(got) != 1 || place(got[0].File, got[0].Line, "") != test.want || math.Abs(got[0].CPURatio-test.share) > 1e-12):
			t.Errorf("%s: %+v, want %s with %v", test.name, got, test.want, test.share)
		}
	}
}

const builtSource = `package app; import ("fmt"; "log/slog")

func serve(n int, id string) { // 3
	logger.Info("user " + id + // 4
		fmt.Sprintf(" seen %d", n)) // 5
	logger.Info("seen", "n", n) // 6
}

var logger *slog.Logger
`

// Package log has no level that could be off, however little its record costs beside
// its arguments.
func TestLogHasNoLevel(t *testing.T) {
	const src = `package app; import "log"; import "log/slog"

func plain() { log.Printf("%s", work()) } // 3

func levelled() { slog.Debug("x", "work", work()) } // 5

func work() []byte { return nil } // 7
`
	for line, want := range map[string]int{"plain:3": 0, "levelled:5": 1} {
		s := app(t, src, known, []stack{{frames: "m/app." + line + " m/app.work:7 runtime.mallocgc", n: 600}, {frames: "m/app.rest:9", n: 400}}, nil)
		if got := said(t, "logging", s); len(got) != want {
			t.Errorf("%s: %+v, want %d", line, got, want)
		}
	}
}

// Where text built before the call is the larger part of what is avoidable,
// not building it is the first remedy; and what is said of a library is true
// of it.
func TestLoggingRemedyByHand(t *testing.T) {
	stop := "Do not build text for the record before the call: log a constant message and pass the values "
	for _, test := range []struct {
		name        string
		cpu, allocs []stack
		remedy      string // begins so
		why         string // holds it
	}{
		{
			name: "slog with a formatted message: 110 of 200 avoidable samples",
			cpu: []stack{
				{frames: "m/app.serve:5 fmt.Sprintf fmt.(*pp).printArg", n: 60},
				{frames: "m/app.serve:4 runtime.concatstrings runtime.mallocgc", n: 50},
				{frames: "m/app.serve:4 log/slog.(*Logger).Info log/slog.(*JSONHandler).Handle runtime.mallocgc", n: 90},
				{frames: "m/app.serve:4 log/slog.(*Logger).Info m/app.(*Sink).Write", n: 300}, {frames: "m/app.work:9", n: 500},
			},
			remedy: stop + "as typed attributes with LogAttrs (slog.Int, slog.String). Or log a sample", why: "Most of the avoidable cost is text that is built before slog.(*Logger).Info",
		},
		{
			name: "slog, 90 of 200 avoidable samples build text",
			cpu: []stack{
				{frames: "m/app.serve:5 fmt.Sprintf fmt.(*pp).printArg", n: 90},
				{frames: "m/app.serve:4 runtime.convT64 runtime.mallocgc", n: 50},
				{frames: "m/app.serve:4 log/slog.(*Logger).Info log/slog.(*JSONHandler).Handle runtime.mallocgc", n: 60}, {frames: "m/app.work:9", n: 800},
			},
			remedy: "Call LogAttrs", why: "slog.(*Logger).Info appends to a buffer that slog's handlers reuse",
		},
		{
			name: "boxing is no text",
			cpu: []stack{
				{frames: "m/app.serve:6 runtime.convT64 runtime.mallocgc", n: 150},
				{frames: "m/app.serve:6 log/slog.(*Logger).Info log/slog.(*JSONHandler).Handle runtime.mallocgc", n: 50}, {frames: "m/app.work:9", n: 800},
			},
			remedy: "Call LogAttrs", why: "boxing loose key-value pairs",
		},
		{
			name: "no samples, and the bytes are a joined string's",
			cpu:  []stack{{frames: "m/app.work:9 runtime.mallocgc", n: 300}},
			allocs: []stack{
				{frames: "m/app.serve:4", n: 10, size: 64}, {frames: "m/app.serve:4", n: 10, size: 16},
				{frames: "m/app.serve:4 log/slog.(*Logger).Info", n: 10, size: 32}, {frames: "m/app.work:9", n: 10, size: 100},
			},
			remedy: stop, why: "Most of the avoidable cost",
		},
		{
			name: "logrus keeps its own fault",
			cpu: []stack{
				{frames: "m/app.serve:5 fmt.Sprintf fmt.(*pp).printArg", n: 150},
				{frames: "m/app.serve:4 github.com/sirupsen/logrus.(*Logger).Info fmt.Sprint", n: 50}, {frames: "m/app.work:9", n: 800},
			},
			remedy: stop + "as fields. Then: Replace logrus", why: "need neither",
		},
	} {
		got := said(t, "logging", app(t, builtSource, known, test.cpu, test.allocs))
		if len(got) != 1 || !strings.HasPrefix(got[0].Remedy, test.remedy) || !strings.Contains(got[0].Why, test.why) {
			t.Errorf("%s: %+v", test.name, got)
			continue
		}
		if strings.Contains(test.name, "slog") && strings.Contains(got[0].Why, "do without") {
			t.Errorf("%s: slog's handlers reuse their buffer: %s", test.name, got[0].Why)
		}
	}
	// 500 of 1000 samples in the statement, 300 of which write: 20 % is avoidable.
	f := said(t, "logging", app(t, builtSource, known, []stack{
		{frames: "m/app.serve:6 log/slog.(*Logger).Info log/slog.(*JSONHandler).Handle runtime.mallocgc", n: 200},
		{frames: "m/app.serve:6 log/slog.(*Logger).Info m/app.(*Sink).Write", n: 300}, {frames: "m/app.work:9", n: 500},
	}, nil))[0]
	if f.CPURatio != 0.5 || f.AvoidableCPURatio != 0.2 {
		t.Errorf("share %v, avoidable %v", f.CPURatio, f.AvoidableCPURatio)
	}
}

const formatSource = `package app; import ("fmt"; "io")

func key(n int) string { // 3
	return fmt.Sprintf("%d", n) // 4
}

func name(s string) string { return fmt.Sprintf("%s!", s) } // 7

func line(w io.Writer, n int) { fmt.Fprintf(w, "%d\n", n) } // 9

func (l Level) String() string { return fmt.Sprintf("level %d", int(l)) } // 11

func show(l Level) string { return fmt.Sprint(l) } // 13

func two(n int, l Level) string { return fmt.Sprintf("%d", n) + fmt.Sprintf("%v", l) } // 15

type Level int
`

func TestFormatByHand(t *testing.T) {
	rest := func(n int64) stack { return stack{frames: "m/app.work:99", n: n} }
	for _, test := range []struct {
		name       string
		calls      types
		cpu        []stack
		want       string
		share      float64
		confidence finding.Confidence
	}{
		{"call and boxing", known, []stack{{frames: "m/app.key:4 fmt.Sprintf fmt.(*pp).doPrintf", n: 80}, {frames: "m/app.key:4 runtime.convT64", n: 20}, rest(900)}, "app.go:4", 0.1, finding.High},
		{"no types, numeric verb", nil, []stack{{frames: "m/app.key:4 fmt.Sprintf", n: 100}, rest(900)}, "", 0, ""},
		{"no types, %s", nil, []stack{{frames: "m/app.name:7 fmt.Sprintf", n: 100}, rest(900)}, "", 0, ""},
		{"writing at the threshold", known, []stack{{frames: "m/app.line:9 fmt.Fprintf os.(*File).Write", n: 600}, {frames: "m/app.line:9 fmt.Fprintf fmt.(*pp).doPrintf", n: 50}, rest(350)}, "app.go:9", 0.65, finding.High},
		{"writing, the rest below the threshold", known, []stack{{frames: "m/app.line:9 fmt.Fprintf os.(*File).Write", n: 600}, {frames: "m/app.line:9 fmt.Fprintf fmt.(*pp).doPrintf", n: 49}, rest(351)}, "", 0, ""},
		{"a String method below a call that is not claimed", known, []stack{{frames: "m/app.show:13 fmt.Sprint fmt.(*pp).handleMethods m/app.Level.String:11 fmt.Sprintf", n: 200}, {frames: "m/app.show:13 fmt.Sprint", n: 300}, rest(500)}, "app.go:11", 0.2, finding.High},
		{"boxing for a call that is not claimed", known, []stack{{frames: "m/app.show:13 runtime.convT64 runtime.mallocgc", n: 500}, rest(500)}, "", 0, ""},
		{"two calls on a line, one of them not to be replaced", known, []stack{{frames: "m/app.two:15 fmt.Sprintf", n: 500}, rest(500)}, "", 0, ""},
		{"called by somebody else's code", known, []stack{{frames: "m/app.key:4 lib.F fmt.Sprintf", n: 500}, rest(500)}, "", 0, ""},
	} {
		got := said(t, "fmt-format", app(t, formatSource, test.calls, test.cpu, nil))
		switch {
		case test.want == "" && len(got) > 0:
			t.Errorf("%s: %s:%d: %s", test.name, got[0].File, got[0].Line, got[0].Why)
		case test.want != "" && (len(got) != 1 || place(got[0].File, got[0].Line, "") != test.want || math.Abs(got[0].CPURatio-test.share) > 1e-12 || got[0].Confidence != test.confidence):
			t.Errorf("%s: %+v, want %s with %v and confidence %s", test.name, got, test.want, test.share, test.confidence)
		}
	}
}

// The string that Sprintf returns has to be made by whatever stands in its place;
// what it boxes and formats into has not.
func TestFormatResultStays(t *testing.T) {
	busy := []stack{{frames: "m/app.work:99 runtime.mallocgc", n: 1000}}
	allocs := []stack{{"m/app.key:4 fmt.Sprintf", 10, 60}, {"m/app.key:4 runtime.convT64", 10, 10}, {"m/app.key:4 fmt.Sprintf fmt.newPrinter", 10, 10}, {"m/app.work:99", 10, 20}}
	got := said(t, "fmt-format", app(t, formatSource, known, busy, allocs))
	if len(got) != 1 || !near(got[0].AllocBytesRatio, 0.8) || !near(got[0].AvoidableAllocBytesRatio, 0.2) {
		t.Errorf("%+v, want 80 %% of the bytes, 20 %% avoidable", got)
	}
}

const copySource = `package app; import "fmt"

func join(a, b string) string { return a + "," + b } // 3

func both(a string) []byte { return append(make([]byte, 0, 64), a+"x"...) } // 5

func boxed(a string, n int) string { return fmt.Sprint(a+"x", n) } // 7

func grow(parts []string) (s string) {
	for _, p := range parts { // 10
		t := ""
		t += p + "." // 12
		s += t // 13
	}
	return s
}

func put(m map[string]int, b []byte) {
	k := string(b) // 19
	m[k] = 1
}

func sums(of map[string]int, totals []float64, names map[string]string, parts []string) {
	var all string
	f := 0.0
	for i, p := range parts { // 26
		of[p] += len(p) // 27
		totals[i] += 1 // 28
		f += totals[i] // 29
		names[p] += p // 30
		all += p // 31
		of[p+all] += i // 32
		parts[i] += "x" // 33
	}
}

type Text struct{ s string }

func (t *Text) Runes() []rune { return []rune(t.s) } // 39

func (t *Text) runes() []rune { return []rune(t.s) } // 41

func Of(b []byte) string { return string(b) } // 43
`

func TestCopiesByHand(t *testing.T) {
	busy := []stack{{frames: "m/app.work:99 runtime.mallocgc", n: 1000}}
	for _, test := range []struct {
		name   string
		cpu    []stack
		allocs []stack
		want   string
		bytes  float64
		remedy string
	}{
		{"bytes of a concatenation", busy, []stack{{"m/app.join:3", 10, 60}, {"m/app.work:99", 10, 40}}, "app.go:3", 0.6, "Append the parts"},
		{"a statement that also makes a slice", busy, []stack{{"m/app.both:5", 10, 60}, {"m/app.work:99", 10, 40}}, "", 0, ""},
		{"a boxed argument beside it", busy, []stack{{"m/app.boxed:7", 10, 16}, {"m/app.boxed:7", 10, 64}, {"m/app.work:99", 10, 20}}, "app.go:7", 0.64, ""},
		{"somebody else's copies", []stack{{frames: "m/app.work:99 strings.Repeat runtime.slicebytetostring", n: 1000}}, nil, "", 0, ""},
		{"a buffer's content", []stack{{frames: "m/app.join:3 bytes.(*Buffer).String runtime.slicebytetostring", n: 1000}}, nil, "app.go:3", 0, "strings.Builder, whose String"},
		{"a string that lives in one pass", []stack{{frames: "m/app.grow:12 runtime.concatstring2", n: 1000}}, nil, "app.go:12", 0, "Append the parts"},
		{"a string that grows in the loop", []stack{{frames: "m/app.grow:13 runtime.concatstring2", n: 1000}}, nil, "app.go:13", 0, "strings.Builder"},
		{"a map of numbers that grows", busy, []stack{{"m/app.sums:27", 10, 90}, {"m/app.work:99", 10, 10}}, "", 0, ""},
		{"the same by CPU time", []stack{{frames: "m/app.sums:27 runtime.mapassign_faststr internal/runtime/maps.(*Map).growToTable runtime.mallocgc", n: 1000}}, []stack{{"m/app.sums:27", 10, 90}}, "", 0, ""},
		{"a slice's numbers", busy, []stack{{"m/app.sums:28", 10, 100}}, "", 0, ""},
		{"a sum of floats", busy, []stack{{"m/app.sums:29", 10, 100}}, "", 0, ""},
		{"strings in a map, whose growth is not theirs", []stack{{frames: "m/app.sums:30 runtime.concatstring2", n: 500}, {frames: "m/app.sums:30 runtime.mapassign_faststr", n: 500}}, []stack{{"m/app.sums:30", 10, 100}}, "app.go:30", 0, "strings.Builder"},
		{"a declared string, by bytes", busy, []stack{{"m/app.sums:31", 10, 100}}, "app.go:31", 1, "strings.Builder"},
		{"a joined key of a sum of numbers, which joined-text names", []stack{{frames: "m/app.sums:32 runtime.concatstring2", n: 1000}}, []stack{{"m/app.sums:32", 10, 100}}, "", 0, ""},
		{"strings in a slice, by bytes", busy, []stack{{"m/app.sums:33", 10, 100}}, "app.go:33", 1, "strings.Builder"},
		{"an exported method that converts", []stack{{frames: "m/app.(*Text).Runes:39 runtime.stringtoslicerune", n: 1000}}, nil, "", 0, ""},
		{"its twin for the package", []stack{{frames: "m/app.(*Text).runes:41 runtime.stringtoslicerune", n: 1000}}, nil, "app.go:41", 0, "one type"},
		{"an exported function that converts", []stack{{frames: "m/app.Of:43 runtime.slicebytetostring", n: 1000}}, nil, "", 0, ""},
		{"a key that the map keeps", []stack{{frames: "m/app.put:19 runtime.slicebytetostring", n: 1000}}, nil, "app.go:19", 0, "Use one type from end to end"},
	} {
		got := said(t, "string-copy", app(t, copySource, known, test.cpu, test.allocs))
		switch {
		case test.want == "" && len(got) > 0:
			t.Errorf("%s: %s:%d: %s", test.name, got[0].File, got[0].Line, got[0].Why)
		case test.want != "" && (len(got) != 1 || place(got[0].File, got[0].Line, "") != test.want || math.Abs(got[0].AllocBytesRatio-test.bytes) > 1e-12 || !strings.Contains(got[0].Remedy, test.remedy)):
			t.Errorf("%s: %+v, want %s with %v and %q", test.name, got, test.want, test.bytes, test.remedy)
		}
	}
}

// What lies inside a log statement is the logging rule's alone.
func TestLoggingCoversItsStatement(t *testing.T) {
	src := "package app; import (\"fmt\"; \"log\")\n\nfunc serve(n int) {\n\tlog.Print(\n\t\t\"n \"+fmt.Sprint(n))\n}\n"
	s := app(t, src, known, []stack{
		{frames: "m/app.serve:5 fmt.Sprint", n: 300}, {frames: "m/app.serve:5 runtime.concatstring2", n: 300},
		{frames: "m/app.serve:4 log.Print fmt.Append", n: 100}, {frames: "m/app.work:9", n: 300},
	}, nil)
	reg := registry(t)
	res := run(t, reg, []*diagnose.Subject{s})
	if len(res.Findings) != 1 || res.Findings[0].Rule != "logging" || res.Findings[0].Line != 4 || math.Abs(res.Findings[0].CPURatio-0.7) > 1e-12 || len(res.Below) != 0 {
		t.Errorf("findings %+v\nbelow %+v", res.Findings, res.Below)
	}
}
