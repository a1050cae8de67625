package gobench

import (
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"whet/internal/capture/process"
)

func TestFlagsThatSpoil(t *testing.T) {
	for _, tt := range []struct {
		settings, flags, goflags string
		want                     [3]bool
	}{
		{"", "", "", [3]bool{}},
		{"", "-race", "", [3]bool{true, false, false}},
		{"", "", "-race -covermode=atomic", [3]bool{true, true, false}},
		{"-race=true", "", "", [3]bool{true, false, false}},
		{"-compiler=gc", "-race=false", "-race", [3]bool{}}, // the build info has the last word
		{"-compiler=gc", "-gcflags=own.test/mod=-N", "", [3]bool{false, false, true}},
		{`-gcflags="-N -l"`, "", "", [3]bool{false, false, true}},
		{"", "-gcflags=-m", "", [3]bool{}},
		{"", "-gcflags=-l=4", "", [3]bool{}},
		{"", "-gcflags=all=-d=checkptr", "", [3]bool{}},
		{"", "--gcflags=all=-l", "", [3]bool{false, false, true}},
		{"", "-ldflags=-N", "", [3]bool{}},
	} {
		var settings []string
		if tt.settings != "" {
			settings = append(settings, tt.settings)
		}
		race, cover, un := spoilt(settings, strings.Fields(tt.flags), tt.goflags)
		if got := [3]bool{race, cover, un}; got != tt.want {
			t.Errorf("%+v: %v", tt, got)
		}
	}
}

// Crashes that are costly to provoke, in the runtime's own words.
func TestCrashes(t *testing.T) {
	target := &Target{ImportPath: "zoo.test/zoo", Dir: "/src/zoo", Own: []OwnModule{{"zoo.test", "/src"}}}
	for _, tt := range []struct{ name, stderr, want string }{
		{"C code", `SIGSEGV: segmentation violation
PC=0x47a1b2 m=0 sigcode=1 addr=0x0
signal arrived during cgo execution

goroutine 19 gp=0xc000182000 m=0 mp=0x6a5b80 [syscall]:
runtime.cgocall(0x4f3e10, 0xc00004ae90)
	/usr/local/go/src/runtime/cgocall.go:167 +0x4b fp=0xc00004ae68 sp=0xc00004ae30 pc=0x46d2eb
zoo.test/zoo._Cfunc_crash()
	_cgo_gotypes.go:45 +0x3f fp=0xc00004ae90 sp=0xc00004ae68 pc=0x4f2f5f
zoo.test/zoo.Crash(...)
	/src/zoo/crash.go:9
`, `x crashed at zoo/crash\.go:9: SIGSEGV: segmentation violation \(in C code\)`},
		{"stack overflow", `2026/01/02 a log line
runtime: goroutine stack exceeds 1000000000-byte limit
runtime: sp=0xc0203e0390 stack=[0xc0203e0000, 0xc0403e0000]
fatal error: stack overflow

runtime stack:
runtime.throw({0x5a1b3c?, 0x0?})
	/usr/local/go/src/runtime/panic.go:1094 +0x48

goroutine 7 gp=0xc000102a80 m=4 mp=0xc000080008 [running]:
zoo.test/lib.Deep(0x1)
	/src/lib/deep.go:5 +0x1a
`, `x crashed at lib/deep\.go:5: stack overflow`},
		{"out of memory", `fatal error: runtime: out of memory

runtime stack:
runtime.throw({0x5a1b3c?, 0x0?})
	/usr/local/go/src/runtime/panic.go:1094 +0x48

goroutine 7 [running]:
zoo.test/zoo.Grow(0x1)
	/src/zoo/grow.go:5 +0x1a
`, `x crashed at grow\.go:5: runtime: out of memory`},
		{"nested panic", `panic: first
	panic: second

goroutine 1 [running]:
example.com/dep.F()
	/mod/dep@v1/f.go:3 +0x1
`, `x panicked at /mod/dep@v1/f\.go:3: first`},
		{"a log that looks like it", "panic: averted\nall is well\n", `x ended the process \(exit status 2\) .*"all is well"`},
		{"trimmed paths", "panic: p\n\ngoroutine 1 [running]:\nzoo.test/zoo.F()\n\tzoo.test/zoo/f.go:3 +0x1\n", `x panicked at f\.go:3: p`},
		{"no message", "panic: \n\ngoroutine 1 [running]:\nmain.F()\n", `x panicked: .*`},
	} {
		res := &process.Result{ExitCode: 2}
		e := ending(processFailure{target: target, res: res, stderr: tt.stderr, what: "x", bench: "x"})
		want := strings.ReplaceAll(tt.want, `zoo/crash\.go`, `crash\.go`)
		if !regexp.MustCompile(`^` + want + `$`).MatchString(e.Text) {
			t.Errorf("%s: %q, want %s", tt.name, e.Text, want)
		}
	}
}

func TestProcessorsAreInferred(t *testing.T) {
	for _, tt := range []struct {
		names string
		run   Run
		want  int
	}{
		{"BenchmarkA-8 BenchmarkB/x-8", Run{Pattern: "."}, 8},
		{"BenchmarkA BenchmarkB/size-8", Run{Pattern: "."}, 1},
		{"BenchmarkB/size-8 BenchmarkB/size-16", Run{Pattern: "."}, 1},
		{"BenchmarkB/size-8-2 BenchmarkB/size-16-2", Run{Pattern: "."}, 2},
		{"BenchmarkB/n-1", Run{Pattern: "."}, 1}, // never printed for one processor
		{"BenchmarkB/size-8", Run{Bench: "BenchmarkB/size-8"}, 1},
		{"BenchmarkB/size-8", Run{Bench: "BenchmarkB/size"}, 8},
		{"BenchmarkB/size-8", Run{Bench: "BenchmarkB/size-8", CPU: "1"}, 1},
		{"BenchmarkB/size-8", Run{Pattern: ".", CPU: "4"}, 4},
		{"", Run{Pattern: "."}, 0},
	} {
		if got := processors(strings.Fields(tt.names), tt.run); got != tt.want {
			t.Errorf("%s, %+v: %d, want %d", tt.names, tt.run, got, tt.want)
		}
	}
}

func TestPatterns(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"a", "a"}, {"a/b", "a"}, {"a|b/c", "a|b"}, {"(a/b|c)/d", "(a/b|c)"},
		{"[/|]x/y", "[/|]x"}, {`a\/b/c`, `a\/b`}, {"", ""}, {"a]/b", "a]"},
	} {
		got, err := firstLevel(tt.in)
		if err != nil || got != tt.want {
			t.Errorf("%s: %q, %v; want %q", tt.in, got, err, tt.want)
		}
	}
	for _, tt := range []struct{ in, top, want string }{
		{".", "BenchmarkA", "^BenchmarkA$"},
		{"", "BenchmarkA", "^BenchmarkA$"},
		{"A/x/y", "BenchmarkA", "^BenchmarkA$/x/y"},
		{"A|C/x", "BenchmarkA", "^BenchmarkA$"},
		{"A|C/x", "BenchmarkC", "^BenchmarkC$/x"},
		{"A/x|C/y", "BenchmarkA", "^BenchmarkA$/x"},
		{"A/x|A/y", "BenchmarkA", "^BenchmarkA$/x|^BenchmarkA$/y"},
		{"(A|C)/x", "BenchmarkC", "^BenchmarkC$/x"},
		{"[/A]/x", "BenchmarkA", "^BenchmarkA$/x"},
	} {
		if got := Below(tt.in, tt.top); got != tt.want {
			t.Errorf("%s of %s: %q, want %q", tt.in, tt.top, got, tt.want)
		}
	}
	for pattern, good := range map[string]bool{"A[/]b": true, "A/(b": false, "a|(b": false, "": true} {
		if err := CheckPattern(pattern); (err == nil) != good {
			t.Errorf("CheckPattern(%q) = %v", pattern, err)
		}
	}
	if got, want := Exact(`BenchmarkX/a.b/c#01`), `^BenchmarkX$/^a\.b$/^c#01$`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// Whatever a target prints, the text stays one line of printable characters.
func FuzzErrorText(f *testing.F) {
	f.Add("panic: \x1b[31mred\nsecond\n\ngoroutine 1 [running]:\nx.F()\n\t/a/b.go:1 +0x1\n", "--- FAIL: BenchmarkX\n    x_test.go:1: a\u202eb\n")
	f.Add("", "")
	f.Fuzz(func(t *testing.T, stderr, stdout string) {
		for _, end := range []process.Ending{process.Exited, process.TimedOut, process.Flooded} {
			e := ending(processFailure{target: &Target{Dir: "/d"}, res: &process.Result{ExitCode: 1, Ending: end}, stdout: stdout, stderr: stderr, what: "BenchmarkX"})
			if e.Text == "" || len(e.Text) > maxText+len("…") || !utf8.ValidString(e.Text) || !utf8.ValidString(e.Detail) {
				t.Errorf("text %q", e.Text)
			}
			if strings.ContainsFunc(e.Text, func(r rune) bool { return r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 || r == '\u202e' }) {
				t.Errorf("control characters in %q", e.Text)
			}
			if len(e.Detail) > maxDetail+16 {
				t.Errorf("%d bytes of detail", len(e.Detail))
			}
		}
	})
}

// A top-level name alone ran without a result: it may have had any sub-benchmark.
func TestUnmatched(t *testing.T) {
	for _, test := range []struct{ pattern, ran, want string }{
		{"Table/a|Table/zzz", "BenchmarkTable/a", "Table/zzz"},
		{"./a", "BenchmarkTable/a", ""},
		{"Table/a|Seq/x", "BenchmarkTable/a", "Seq/x"},
		{"Table/a|Seq/x", "BenchmarkTable/a BenchmarkSeq", ""},
		{"Table/a/b|X", "BenchmarkTable/a/b=1/c", ""},
		{"Nope", "", ""},
	} {
		if got := strings.Join(Unmatched(test.pattern, strings.Fields(test.ran)), " "); got != test.want {
			t.Errorf("%s of %s: %q, want %q", test.pattern, test.ran, got, test.want)
		}
	}
}

func TestTimeoutIsRounded(t *testing.T) {
	e := ending(processFailure{target: &Target{Dir: "/d"}, res: &process.Result{Ending: process.TimedOut}, limit: 12118563788, what: "BenchmarkX"})
	if want := "BenchmarkX did not finish within 12.119s: raise -timeout or -budget"; e.Text != want {
		t.Errorf("%q, want %q", e.Text, want)
	}
}
