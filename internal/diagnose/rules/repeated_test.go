package rules_test

import (
	"math"
	"strings"
	"testing"

	"whet/internal/diagnose"
	"whet/internal/finding"
)

const regexpSource = `package app; import ("regexp"; "testing")

func check(s string) bool {
	ok, _ := regexp.MatchString("^a+b", s) // 4
	return ok
}

func clean(s string) string {
	re := regexp.MustCompile("[<>]") // 9
	return re.ReplaceAllString(s, "") // 10
}

func both(s string) bool {
	return regexp.MustCompile("x+y").MatchString(s) && regexp.MustCompile(s).MatchString("x") // 14
}

func helper(p, s string) bool {
	return regexp.MustCompile(p).MatchString(s) // 18
}

func caller(s string) bool {
	return helper("x+y", s) // 22
}

func given(p, s string) bool {
	return helper(p, s) // 26
}

func BenchmarkHelper(b *testing.B) {
	for b.Loop() {
		helper("x+y", "y") // 31
	}
}

func each(p string, list []string) (n int) {
	for _, s := range list {
		if regexp.MustCompile(p).MatchString(s) { // 37
			n++
		}
	}
	return n
}
`

func TestRegexpCompileByHand(t *testing.T) {
	rest := func(n int64) stack { return stack{frames: "m/app.work:99 runtime.mallocgc", n: n} }
	const compile = " regexp.Compile regexp.compile"
	for _, test := range []struct {
		name             string
		untyped          bool
		cpu, allocs      []stack
		want             string
		share, avoidable float64
		confidence       finding.Confidence
	}{
		{
			// 600 of 1000 in the call, 500 of them compiling.
			name: "the matching stays", cpu: []stack{{frames: "m/app.check:4 regexp.MatchString" + compile, n: 500}, {frames: "m/app.check:4 regexp.MatchString regexp.(*Regexp).MatchString", n: 100}, rest(400)},
			want: "app.go:4", share: 0.6, avoidable: 0.5, confidence: finding.High,
		},
		{name: "one call of two on a line varies", cpu: []stack{{frames: "m/app.both:14 regexp.MustCompile" + compile, n: 500}, rest(500)}},
		{
			// Of the helper's samples only those that its constant caller causes.
			name: "a caller gives a constant, another does not",
			cpu: []stack{
				{frames: "m/app.caller:22 m/app.helper:18 regexp.MustCompile" + compile, n: 300},
				{frames: "m/app.given:26 m/app.helper:18 regexp.MustCompile" + compile, n: 400}, rest(300),
			},
			want: "app.go:18", share: 0.3, avoidable: 0.3, confidence: finding.Medium,
		},
		{name: "the benchmark's constant is no constant", cpu: []stack{{frames: "m/app.BenchmarkHelper:31 m/app.helper:18 regexp.MustCompile" + compile, n: 600}, rest(400)}},
		{name: "under sync.Once", cpu: []stack{{frames: "m/app.work:99 sync.(*Once).Do sync.(*Once).doSlow m/app.check:4 regexp.MatchString" + compile, n: 600}, rest(400)}},
		{name: "in an initialisation", cpu: []stack{{frames: "runtime.main runtime.doInit1 m/app.check:4 regexp.MatchString" + compile, n: 600}, rest(400)}},
		{name: "called by somebody else's code", cpu: []stack{{frames: "m/app.check:4 lib.Check regexp.MatchString" + compile, n: 600}, rest(400)}},
		{
			// Five samples are 50 ms, which one call might take.
			name: "too little to be seen repeated", cpu: []stack{{frames: "m/app.check:4 regexp.MatchString" + compile, n: 9}, rest(51 * 3)},
		},
		{name: "a recording without types", untyped: true, cpu: []stack{{frames: "m/app.check:4 regexp.MatchString" + compile, n: 500}, rest(500)}},
		{name: "a loop whose passes are not known", cpu: []stack{{frames: "m/app.each:37 regexp.MustCompile" + compile, n: 500}, rest(500)}},
		{
			// 80 calls in 10 iterations: of 8 one stays in each, an eighth of the
			// 800 samples. What remains avoidable are whole samples, the largest
			// that fit into 7/8 of 800 = 700.
			name: "eight passes", cpu: []stack{
				{frames: "m/app.each:37 regexp.MustCompile" + compile + " a", n: 400}, {frames: "m/app.each:37 regexp.MustCompile" + compile + " b", n: 300},
				{frames: "m/app.each:37 regexp.MustCompile" + compile + " c", n: 100}, rest(200),
			},
			allocs: []stack{{frames: "m/app.each:37 regexp.MustCompile regexp.Compile regexp.compile", n: 80, size: 128}},
			want:   "app.go:37", share: 0.8, avoidable: 0.7, confidence: finding.Medium,
		},
		{
			name: "hardly more than one pass", cpu: []stack{{frames: "m/app.each:37 regexp.MustCompile" + compile, n: 500}, {frames: "m/app.each:37 regexp.MustCompile" + compile + " a", n: 300}, rest(200)},
			allocs: []stack{{frames: "m/app.each:37 regexp.MustCompile regexp.Compile regexp.compile", n: 20, size: 128}},
		},
	} {
		calls := known
		if test.untyped {
			calls = nil
		}
		s := app(t, regexpSource, calls, test.cpu, test.allocs)
		s.AllocIterations = 10
		got := said(t, "regexp-compile", s)
		switch {
		case test.want == "" && len(got) > 0:
			t.Errorf("%s: %s:%d: %s", test.name, got[0].File, got[0].Line, got[0].Why)
		case test.want != "" && (len(got) != 1 || place(got[0].File, got[0].Line, "") != test.want ||
			math.Abs(got[0].CPURatio-test.share) > 1e-12 || math.Abs(got[0].AvoidableCPURatio-test.avoidable) > 1e-12 || got[0].Confidence != test.confidence):
			t.Errorf("%s: %+v, want %s with %v and %v", test.name, got, test.want, test.share, test.avoidable)
		}
	}
}

// How often something was done, by the blocks it allocated: ten kinds of block
// that are allocated once do not hide two that every call allocates, if the
// place takes time; and without that it is silent.
func TestRepeatedByHand(t *testing.T) {
	once := []stack{}
	for _, name := range strings.Fields("a b c d e f g h") {
		once = append(once, stack{frames: "m/app.check:4 regexp.MatchString regexp.Compile " + name, n: 1, size: 64})
	}
	each := append(once, stack{frames: "m/app.check:4 regexp.MatchString regexp.Compile y", n: 400, size: 96}, stack{frames: "m/app.check:4 regexp.MatchString regexp.Compile z", n: 800, size: 48})
	busy := []stack{{frames: "m/app.check:4 regexp.MatchString regexp.Compile", n: 500}, {frames: "m/app.work:99", n: 500}}
	idle := []stack{{frames: "m/app.work:99 runtime.mallocgc", n: 1000}}
	for _, test := range []struct {
		name        string
		cpu, allocs []stack
		iterations  int64
		want        bool
		says        string
	}{
		{"each call", busy, each, 400, true, "about 400 calls in 400 iterations"},
		{"once, and a loop inside it", idle, each, 400, false, ""},
		{"once", idle, once, 400, false, ""},
		{"each call, few kinds", idle, each[len(each)-2:], 400, true, "about 400 calls in 400 iterations"},
		{"less than once in a hundred iterations", idle, []stack{{frames: "m/app.check:4 regexp.MatchString regexp.Compile", n: 12, size: 4096}}, 2000, false, ""},
	} {
		s := app(t, regexpSource, known, test.cpu, test.allocs)
		s.AllocIterations, s.BytesPerOp = test.iterations, 1
		got := said(t, "regexp-compile", s)
		if len(got) > 0 != test.want {
			t.Errorf("%s: %+v", test.name, got)
			continue
		}
		if test.want {
			text := ""
			for _, e := range got[0].Evidence {
				text += e.Text + "\n"
			}
			if !strings.Contains(text, test.says) {
				t.Errorf("%s: %s", test.name, text)
			}
		}
	}
}

// Where a constant pattern is compiled and used for plain replacement, one
// finding tells both: its sets are those of the two statements.
func TestRegexpReplaceCoversItsCompilation(t *testing.T) {
	const replaceAll = "m/app.clean:10 regexp.(*Regexp).ReplaceAllString"
	s := app(t, regexpSource, known, []stack{
		{frames: "m/app.clean:9 regexp.MustCompile regexp.Compile", n: 500},
		{frames: replaceAll + " regexp.(*Regexp).replaceAll regexp.(*Regexp).doExecute", n: 200},
		{frames: replaceAll + " runtime.slicebytetostring runtime.mallocgc", n: 50},
		{frames: "m/app.work:99", n: 250},
	}, []stack{
		{"m/app.clean:9 regexp.MustCompile regexp.Compile", 100, 600}, {replaceAll, 100, 40}, {replaceAll + " regexp.(*Regexp).replaceAll", 100, 160}, {"m/app.work:99", 100, 200},
	})
	s.AllocIterations = 100
	reg := registry(t)
	res := run(t, reg, []*diagnose.Subject{s})
	if len(res.Findings) != 1 {
		t.Fatalf("%+v", res.Findings)
	}
	f := res.Findings[0]
	if f.Rule != "regexp-replace" || f.Line != 10 || f.CPURatio != 0.75 || f.AvoidableCPURatio != 0.7 || f.AllocBytesRatio != 0.8 || f.AvoidableAllocBytesRatio != 0.76 {
		t.Errorf("%+v", f)
	}
	if !strings.Contains(f.Remedy, `strings.NewReplacer("<", "", ">", "")`) || !strings.Contains(f.Why, "compiled in every call, too") {
		t.Errorf("%s\n%s", f.Why, f.Remedy)
	}

	// Used for something else as well, it has to be compiled still.
	also := strings.Replace(regexpSource, `re.ReplaceAllString(s, "")`, `re.ReplaceAllString(s, "") + re.String()`, 1)
	s = app(t, also, known, []stack{
		{frames: "m/app.clean:9 regexp.MustCompile regexp.Compile", n: 500},
		{frames: replaceAll + " regexp.(*Regexp).replaceAll regexp.(*Regexp).doExecute", n: 200},
		{frames: "m/app.work:99", n: 300},
	}, nil)
	res = run(t, reg, []*diagnose.Subject{s})
	if len(res.Findings) != 2 || res.Findings[0].Rule != "regexp-compile" || res.Findings[0].CPURatio != 0.5 || res.Findings[1].CPURatio != 0.2 {
		t.Errorf("%+v", res.Findings)
	}
}

const constantSource = `package app; import ("os"; "strings")

func table(n int) string {
	names := map[int]string{ // 4
		1: "a", 2: "b", 3: "c", 4: "d", 5: "e", 6: "f", 7: "g", 8: "h",
	}
	return names[n]
}

func shared(n int) map[int]string {
	names := map[int]string{1: "a", 2: "b", 3: "c", 4: "d", 5: "e", 6: "f", 7: "g", 8: "h"} // 11
	names[n] = "x"
	return names
}

func escape(s string) string {
	r := strings.NewReplacer("<", "&lt;") // 17
	return r.Replace(s) // 18
}

func host() string {
	name, _ := os.Hostname() // 22
	return name
}
`

func TestConstantWorkByHand(t *testing.T) {
	for _, test := range []struct {
		name  string
		cpu   []stack
		mem   []stack
		want  string
		share float64
		says  string
	}{
		{name: "a table", cpu: []stack{{frames: "m/app.table:5 runtime.mapassign_fast64", n: 300}, {frames: "m/app.table:4 runtime.makemap_small", n: 100}, {frames: "m/app.table:7 runtime.mapaccess1", n: 600}}, want: "app.go:4", share: 0.4, says: "A map of 8 constants"},
		{name: "a table that is changed", cpu: []stack{{frames: "m/app.shared:11 runtime.mapassign_fast64", n: 300}, {frames: "m/app.work:99", n: 600}}},
		{name: "a table in the few samples of one call", cpu: []stack{{frames: "m/app.table:5 runtime.mapassign_fast64", n: 9}, {frames: "m/app.work:99 runtime.mallocgc", n: 391}}, mem: []stack{{"m/app.table:4", 1, 400}, {"m/app.work:99", 10, 60}}},
		{
			// The replacing itself stays: 100 make it, 400 build its tables.
			name: "a replacer and its tables", cpu: []stack{
				{frames: "m/app.escape:17 strings.NewReplacer", n: 100}, {frames: "m/app.escape:18 strings.(*Replacer).Replace sync.(*Once).Do strings.(*Replacer).buildOnce strings.(*Replacer).build", n: 400},
				{frames: "m/app.escape:18 strings.(*Replacer).Replace strings.(*byteStringReplacer).Replace", n: 300}, {frames: "m/app.work:99", n: 200},
			}, want: "app.go:18", share: 0.5, says: "strings.Replacer once",
		},
		{name: "a host name", cpu: []stack{{frames: "m/app.host:22 os.Hostname syscall.Uname", n: 200}, {frames: "m/app.work:99", n: 800}}, want: "app.go:22", share: 0.2, says: "can change while the program runs"},
	} {
		s := app(t, constantSource, known, test.cpu, test.mem)
		got := said(t, "constant-work", s)
		switch {
		case test.want == "" && len(got) > 0:
			t.Errorf("%s: %s:%d: %s", test.name, got[0].File, got[0].Line, got[0].Why)
		case test.want != "" && (len(got) != 1 || place(got[0].File, got[0].Line, "") != test.want || math.Abs(got[0].CPURatio-test.share) > 1e-12 || !strings.Contains(got[0].Why+got[0].Remedy, test.says)):
			t.Errorf("%s: %+v, want %s with %v", test.name, got, test.want, test.share)
		}
	}
}

const pageSource = `package app; import ("html/template"; "io")

func list(w io.Writer, items []string) error {
	t := template.Must(template.New("list").Parse("<ul>")) // 4
	return t.Execute(w, items) // 5
}

func helped(w io.Writer) error {
	t := parse() // 9
	return show(w, t) // 10
}

func show(w io.Writer, t *template.Template) error { return t.Execute(w, nil) } // 13

func parse() *template.Template { return template.Must(template.New("x").Parse("<p>")) } // 15

func once(w io.Writer) error { return page.Execute(w, nil) } // 17

func later(w io.Writer) error {
	t := template.New("list") // 20
	if _, err := t.Parse("<ul>"); err != nil { // 21
		return err
	}
	return t.ExecuteTemplate(w, "list", nil) // 24
}

var page *template.Template
`

// The escaping at a template's first execution goes with its parsing, where the
// source shows which template is executed.
func TestEscapingGoesWithParsing(t *testing.T) {
	const (
		parses  = " html/template.(*Template).Parse text/template.(*Template).Parse"
		escapes = " html/template.(*Template).Execute html/template.(*Template).escape html/template.escapeTemplate"
		runs    = " html/template.(*Template).Execute text/template.(*Template).Execute"
	)
	for _, test := range []struct {
		name  string
		cpu   []stack
		mem   []stack
		want  string
		share float64
		bytes float64
		says  string
	}{
		{
			// Executing stays: 100 parse and 400 escape, of 1000.
			name: "in one function", cpu: []stack{{frames: "m/app.list:4" + parses, n: 100}, {frames: "m/app.list:5" + escapes, n: 400}, {frames: "m/app.list:5" + runs, n: 500}},
			mem:  []stack{{"m/app.list:4" + parses, 10, 20}, {"m/app.list:5" + escapes, 10, 50}, {"m/app.list:5" + runs, 10, 30}},
			want: "app.go:4", share: 0.5, bytes: 0.7, says: "400 of 1000 base samples more add the escaping",
		},
		{
			name: "parsed by a helper, executed by another", want: "app.go:15", share: 0.5, says: "300 of 1000 base samples more",
			cpu: []stack{{frames: "m/app.helped:9 m/app.parse:15" + parses, n: 200}, {frames: "m/app.helped:10 m/app.show:13" + escapes, n: 300}, {frames: "m/app.work:99", n: 500}},
		},
		{
			name: "by name, parsed after it was made", want: "app.go:21", share: 0.6, says: "400 of 1000 base samples more",
			cpu: []stack{{frames: "m/app.later:21" + parses, n: 200}, {frames: "m/app.later:24 html/template.(*Template).ExecuteTemplate html/template.(*Template).lookupAndEscapeTemplate html/template.escapeTemplate", n: 400}, {frames: "m/app.work:99", n: 400}},
		},
		{
			name: "of a template from elsewhere", want: "app.go:4", share: 0.2, says: "the gain may be larger than reported",
			cpu: []stack{{frames: "m/app.list:4" + parses, n: 200}, {frames: "m/app.once:17" + escapes, n: 300}, {frames: "m/app.work:99", n: 500}},
		},
	} {
		got := said(t, "constant-work", app(t, pageSource, known, test.cpu, test.mem))
		if len(got) != 1 || place(got[0].File, got[0].Line, "") != test.want || !near(got[0].CPURatio, test.share) || !near(got[0].AvoidableCPURatio, test.share) || !near(got[0].AllocBytesRatio, test.bytes) || !strings.Contains(describe(got[0]), test.says) {
			t.Errorf("%s: %d findings, want %s with %v", test.name, len(got), test.want, test.share)
			for _, f := range got {
				t.Log(describe(f))
			}
		}
	}
}
