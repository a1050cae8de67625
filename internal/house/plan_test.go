package house

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"
	"testing"
)

// small returns a house with one room of each sort.
func small() Plan {
	return Plan{Module: "m", Rows: []Row{
		{Pattern: "agent", Floor: Agent, Powers: All},
		{Pattern: "internal/stat", Floor: Ground},
		{Pattern: "internal/hist", Floor: Ground},
		{Pattern: "internal/recording", Floor: Ground, Powers: Files},
		{Pattern: "internal/format/*", Floor: Formats},
		{Pattern: "internal/capture/...", Floor: Instruments, Powers: All},
		{Pattern: "internal/load/...", Floor: Instruments, Powers: Clock | Net},
		{Pattern: "internal/gobench", Floor: Instruments, Powers: All, Beside: []string{"internal/capture/..."}},
		{Pattern: "internal/analyze/*", Floor: Analyses},
		{Pattern: "internal/diagnose/rules/*/fixtures/*", Floor: Fixture, Powers: All},
		{Pattern: "internal/diagnose/...", Floor: Third},
		{Pattern: "internal/prove/...", Floor: Third, Powers: Clock},
		{Pattern: "internal/report/...", Floor: Third, Page: true},
		{Pattern: "internal/tune", Floor: Fourth, Powers: Clock},
		{Pattern: "internal/fix", Floor: Fourth},
		{Pattern: "internal/app", Floor: App, Powers: All},
		{Pattern: "cmd/m", Floor: Command, Powers: Files},
		{Pattern: "casebook/cmd/...", Floor: Tables, Powers: All, Beside: []string{"internal/prove/...", "internal/load/..."}},
		{Pattern: "casebook/...", Floor: Casebook, Powers: All},
		{Pattern: "bench/...", Floor: Outside, Powers: All},
	}}
}

func TestCheckImport(t *testing.T) {
	for _, tt := range []struct {
		from, to string
		code     string // part of the fault, "" if allowed
		test     string // the same import in a test
	}{
		// Downward.
		{from: "internal/format/profile", to: "internal/stat"},
		{from: "internal/analyze/hot", to: "internal/format/profile"},
		{from: "internal/diagnose", to: "internal/analyze/hot"},
		{from: "internal/prove", to: "internal/gobench"},
		{from: "internal/tune", to: "internal/prove"},
		{from: "internal/report/run", to: "internal/analyze/hot"},
		{from: "internal/report/run", to: "internal/report/page"},
		{from: "internal/report/run", to: "internal/capture/host", code: "an instrument"}, // its tests may
		{from: "internal/app", to: "internal/tune"},
		{from: "cmd/m", to: "internal/app"},
		{from: "bench/read", to: "internal/format/profile"},
		{from: "bench/read", to: "casebook/visits/best"},
		// Upward.
		{from: "internal/stat", to: "internal/format/profile", code: "upward", test: "upward"},
		{from: "internal/format/profile", to: "internal/analyze/hot", code: "upward", test: "upward"},
		{from: "internal/gobench", to: "internal/prove", code: "upward", test: "upward"},
		{from: "internal/diagnose", to: "internal/tune", code: "upward", test: "upward"},
		{from: "internal/tune", to: "internal/app", code: "upward", test: "upward"},
		{from: "internal/app", to: "cmd/m", code: "upward", test: "upward"},
		// Sideways.
		{from: "internal/stat", to: "internal/hist", code: "sideways"},
		{from: "internal/recording", to: "internal/stat", code: "sideways"},
		{from: "internal/format/profile", to: "internal/format/folded", code: "sideways"},
		{from: "internal/format/profile/wire", to: "internal/format/profile"},
		{from: "internal/analyze/hot", to: "internal/analyze/compare", code: "sideways"},
		{from: "internal/diagnose", to: "internal/prove", code: "sideways"},
		{from: "internal/tune", to: "internal/fix", code: "sideways"},
		{from: "internal/diagnose/rules/logging", to: "internal/diagnose"},
		{from: "internal/diagnose", to: "internal/diagnose/rules"},
		// Allowed by name, in one direction.
		{from: "internal/gobench", to: "internal/capture/process"},
		{from: "internal/capture/process", to: "internal/gobench", code: "sideways"},
		{from: "internal/load", to: "internal/capture/process", code: "sideways"},
		// Across the second floor.
		{from: "internal/gobench", to: "internal/analyze/hot", code: "across", test: "across"},
		{from: "internal/analyze/hot", to: "internal/capture/host", code: "across", test: "across"},
		// What stands apart.
		{from: "agent", to: "internal/stat", code: "sideways"},
		{from: "agent", to: "internal/tune", code: "upward", test: "upward"},
		{from: "internal/tune", to: "agent"},
		{from: "casebook/visits/best", to: "casebook/visits"},
		{from: "casebook/visits", to: "internal/stat", code: "uses nothing of", test: "uses nothing of"},
		{from: "casebook/visits", to: "agent"},
		{from: "internal/diagnose/rules/logging/fixtures/one", to: "example.com/x/stats"},
		{from: "internal/diagnose/rules/logging/fixtures/one", to: "internal/diagnose/rules/logging/fixtures/one/sub"},
		{from: "internal/diagnose/rules/logging/fixtures/one", to: "internal/stat", code: "nothing of whet", test: "nothing of whet"},
		{from: "internal/diagnose/rules/logging", to: "internal/diagnose/rules/logging/fixtures/one", code: "no part of", test: "no part of"},
		{from: "casebook/cmd/table", to: "casebook/visits"},
		{from: "casebook/cmd/table", to: "internal/prove"},
		{from: "casebook/cmd/table", to: "internal/prove/rounds"},
		{from: "casebook/cmd/table", to: "internal/load"},
		{from: "casebook/cmd/table", to: "internal/load/message"},
		{from: "casebook/cmd/table", to: "internal/stat", code: "internal/prove/..., internal/load/... and nothing else", test: "nothing else"},
		{from: "casebook/cmd/table", to: "internal/capture/process", code: "nothing else", test: "nothing else"},
		{from: "internal/tune", to: "casebook/visits", code: "no part of", test: "no part of"},
		{from: "internal/app", to: "bench/read", code: "no part of", test: "no part of"},
		{from: "cmd/m", to: "internal/tune", code: "only calls internal/app", test: "only calls internal/app"},
		// Other people's code.
		{from: "internal/stat", to: "math"},
		{from: "internal/stat", to: "example.com/x/stats", code: "standard library only"},
		{from: "agent", to: "example.com/x/stats", code: "standard library only"},
		{from: "internal/format/profile", to: "example.com/x/stats"},
		// No place at all.
		{from: "internal/new", to: "math", code: `add "internal/new" to the table`, test: `add "internal/new" to the table`},
	} {
		plan := small()
		check := func(imports, testImports []string) (code, tests []Fault) {
			return plan.CheckImports([]Package{
				{ImportPath: "math", Standard: true},
				{ImportPath: "example.com/x/stats"},
				{ImportPath: "m/" + tt.from, Imports: imports, TestImports: testImports},
			})
		}
		to := []string{tt.to}
		if tt.to != "math" && !strings.HasPrefix(tt.to, "example.com/") {
			to[0] = "m/" + tt.to
		}
		code, tests := check(to, nil)
		if len(tests) != 0 {
			t.Errorf("%s → %s: an import of the code is reported as one of its tests: %v", tt.from, tt.to, tests)
		}
		want(t, tt.from+" → "+tt.to, code, tt.code)
		code, tests = check(nil, to)
		if tt.from == "internal/new" {
			tests = code // a missing place is no fault of the tests
		} else if len(code) != 0 {
			t.Errorf("%s → %s: an import of the tests is reported as one of the code: %v", tt.from, tt.to, code)
		}
		want(t, tt.from+" → "+tt.to+" in a test", tests, tt.test)
	}
}

// want checks for exactly one fault that contains part, or for none.
func want(t *testing.T, what string, faults []Fault, part string) {
	t.Helper()
	switch {
	case part == "" && len(faults) != 0:
		t.Errorf("%s: got %v, want no fault", what, faults)
	case part != "" && (len(faults) != 1 || !strings.Contains(faults[0].String(), part)):
		t.Errorf("%s: got %v, want one fault with %q", what, faults, part)
	}
}

// TestTestVariantsAreNotCountedTwice: with tests in the list, go list repeats a
// package for its test binary.
func TestTestVariantsAreNotCountedTwice(t *testing.T) {
	bad := []string{"m/internal/app"}
	code, _ := small().CheckImports([]Package{
		{ImportPath: "m/internal/stat", Imports: bad},
		{ImportPath: "m/internal/stat [m/internal/stat.test]", ForTest: "m/internal/stat", Imports: bad},
		{ImportPath: "m/internal/stat.test", Imports: bad},
	})
	want(t, "a package and its test variants", code, "upward")
}

func TestMatch(t *testing.T) {
	for _, tt := range []struct{ pattern, rel, family string }{
		{"a/b", "a/b", "a/b"}, {"a/b", "a", ""}, {"a/b", "a/b/c", ""},
		{"a/...", "a", "a"}, {"a/...", "a/b/c", "a"}, {"a/...", "ab", ""},
		{"a/*", "a", ""}, {"a/*", "a/b", "a/b"}, {"a/*", "a/b/c", "a/b"},
		{"a/*/f/*", "a/x/f/y/z", "a/x/f/y"}, {"a/*/f/*", "a/x/f", ""}, {"a/*/f/*", "a/x/g/y", ""}, {"a/*/f/...", "a/x/f", "a/x/f"},
	} {
		if family, ok := match(tt.pattern, tt.rel); ok != (tt.family != "") || family != tt.family && ok {
			t.Errorf("match(%q, %q) = %q, %v; want %q", tt.pattern, tt.rel, family, ok, tt.family)
		}
	}
}

func TestUnused(t *testing.T) {
	plan := Plan{Module: "m", Rows: []Row{
		{Pattern: "a", Beside: []string{"b", "c/*"}}, {Pattern: "b/..."}, {Pattern: "c/*"}, {Pattern: "d", Planned: true}, {Pattern: "e", Beside: []string{"a"}},
	}}
	got := plan.Unused([]Package{{ImportPath: "m/a", Imports: []string{"b", "m/c/d"}}, {ImportPath: "m/bb"}, {ImportPath: "m/c/d/e"}, {ImportPath: "b"}})
	if want := []string{"a → b", "b/...", "e"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func source(t *testing.T, src string) (*token.FileSet, *ast.File) {
	t.Helper()
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "x.go", src, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	return fset, file
}

func TestCheckCalls(t *testing.T) {
	for _, tt := range []struct{ pkg, src, want string }{
		{"internal/stat", "import \"time\"\nvar d = time.Second", ""},
		{"internal/stat", "import \"time\"\nfunc f() { time.Now() }", "x.go:3:12: time.Now: the ground floor has no clock"},
		{"internal/stat", "import \"time\"\nvar now = time.Now", "no clock"},
		{"internal/stat", "import clock \"time\"\nfunc f() { clock.Sleep(1) }", "time.Sleep"},
		{"internal/stat", "import . \"time\"\nfunc f() { Sleep(1) }", "with a dot"},
		{"internal/stat", "import \"context\"\nfunc f(c context.Context) { context.WithTimeout(c, 1) }", "no clock"},
		{"internal/stat", "import \"context\"\nfunc f(c context.Context) { context.WithCancel(c) }", ""},
		{"internal/stat", "import \"os\"", "no files"},
		{"internal/recording", "import \"os\"", ""},
		{"internal/recording", "import \"os/exec\"", "no commands"},
		{"internal/format/profile", "import \"net/http/httptest\"", "no network"},
		{"internal/format/profile", "import \"net/url\"", ""},
		{"internal/format/profile", "import \"golang.org/x/sys/unix\"", "no commands, network, files"},
		{"internal/analyze/hot", "import \"syscall\"\nvar e = syscall.ENOSPC", ""},
		{"cmd/m", "import \"syscall\"\nvar e = syscall.SIGTERM", ""},
		{"cmd/m", "import \"syscall\"\nvar e = syscall.ForkExec", "no commands, network"},
		{"internal/analyze/hot", "import \"path/filepath\"\nvar f = filepath.Base", ""},
		{"internal/analyze/hot", "import \"path/filepath\"\nvar f = filepath.Walk", "no files"},
		{"internal/load", "import \"net/http\"\nimport \"time\"\nvar f = time.Now", ""},
		{"internal/load", "import \"os/exec\"", "no commands"},
		{"internal/capture/process", "import \"os/exec\"", ""},
	} {
		fset, file := source(t, "package x\n"+tt.src)
		want(t, tt.pkg+": "+tt.src, small().CheckCalls("m/"+tt.pkg, fset, file), tt.want)
	}
}

func TestCheckSleep(t *testing.T) {
	fset, file := source(t, "package x\nimport \"time\"\nfunc f() { time.Sleep(1) }")
	want(t, "a test that sleeps", CheckSleep(fset, file), "x.go:3:12: a test sleeps")
	fset, file = source(t, "package x\nimport \"time\"\nvar d time.Duration")
	want(t, "a test that does not", CheckSleep(fset, file), "")
}

func TestCheckName(t *testing.T) {
	want(t, "util", CheckName("m/internal/util", "util"), "named util")
	want(t, "under helpers", CheckName("m/helpers/x", "x"), "named helpers")
	want(t, "declared as common", CheckName("m/x", "common"), "named common")
	want(t, "a noun", CheckName("m/internal/callstack", "callstack"), "")
}

func TestCheckDoc(t *testing.T) {
	want(t, "no doc.go", CheckDoc("m/x", "x", nil), "no doc.go")
	for src, part := range map[string]string{
		"package x":                                   "no package comment",
		"// Package x finds things.\npackage x":       "",
		"// It finds things.\npackage x":              `begin with "Package x "`,
		"// Package xy finds things.\npackage x":      `begin with "Package x "`,
		"// Command m finds things.\npackage main":    "",
		"// Package x finds things.\n\npackage x":     "no package comment",
		"//go:build linux\n\npackage x":               "no package comment",
		"/* Package x finds\nthings. */\npackage x\n": "",
	} {
		_, file := source(t, src)
		want(t, src, CheckDoc("m/x", file.Name.Name, file), part)
	}
}

func TestCheckLength(t *testing.T) {
	for _, tt := range []struct {
		lines     int
		generated bool
		faults    int
	}{{500, false, 0}, {501, false, 1}, {5000, true, 0}} {
		head := "package x"
		if tt.generated {
			head = "// Code generated by x. DO NOT EDIT.\n" + head
			tt.lines--
		}
		fset, file := source(t, head+strings.Repeat("\n", tt.lines))
		if faults := CheckLength("x.go", fset, file); len(faults) != tt.faults {
			t.Errorf("%d lines: got %v, want %d", tt.lines, faults, tt.faults)
		}
	}
}

func TestCheckSize(t *testing.T) {
	for _, tt := range []struct {
		floor               Floor
		files, code, faults int
	}{{Third, 30, 9000, 0}, {Third, 31, 10, 1}, {App, 30, 2500, 0}, {App, 31, 2501, 2}} {
		if faults := CheckSize("m/x", tt.floor, tt.files, tt.code); len(faults) != tt.faults {
			t.Errorf("%+v: got %v", tt, faults)
		}
	}
}

func TestCode(t *testing.T) {
	for _, c := range []struct {
		src  string
		want int
	}{
		{"", 0},
		{"// only\n\n/* a\ncomment */\n", 0},
		{"package a\n", 1},
		{"package a // and why\n\n// F does.\nfunc F() {\n\t/* nothing */\n}\n", 3},
		{"package a\n\nvar s = `one\n\n// two\n`\n", 5},
		{"package a\n\nvar s = `one\n` + `two\n` // three lines of one variable\n", 4},
		{"package a; var x = 1\n", 1},
	} {
		if got := CodeLines([]byte(c.src)); got != c.want {
			t.Errorf("%q: %d lines, want %d", c.src, got, c.want)
		}
	}
}

func TestCheckVariables(t *testing.T) {
	for src, part := range map[string]string{
		"var Limit = f()":                  "exported",
		"var ErrGone = errors.New(\"x\")":  "",
		"var ErrGone = fmt.Errorf(\"x\")":  "",
		"var ErrCount = 3":                 "exported",
		"var Failure = errors.New(\"x\")":  "exported",
		"var limit = 3":                    "basic type",
		"var limit = -(3 << 4)":            "basic type",
		"var on = true":                    "basic type",
		"var name string":                  "basic type",
		"var table = []int{1}":             "",
		"var pattern = regexp.MustCompile": "",
		"var _ I = (*T)(nil)":              "",
		"const limit = 3":                  "",
		"func f() { var n = 3; _ = n }":    "",
	} {
		fset, file := source(t, "package x\n"+src)
		want(t, src, CheckVariables(fset, file), part)
	}
}

func TestCheckText(t *testing.T) {
	mark := "TO" + "DO"
	const root = "/srv/build/tree"
	for _, tt := range []struct{ name, text, want string }{
		{"a.go", "fine\n// " + mark + ": later\n", "a.go:2: " + mark},
		{"a.go", "mas" + mark + "n\n", ""},
		{"testdata/m.txt", mark, ""},
		{"a.md", "see /home/ann/x", "one machine"},
		{"a.md", `see C:\Users\ann`, "one machine"},
		{"a.md", "https://example.com/home/ann", ""},
		{"a_test.go", "/home/ann/x.go", ""},
		{"testdata/m.txt", "/srv/build/tree/x.go", "directory this tree lies in"},
		{"a.md", "cd /srv/build/tree", "directory this tree lies in"},
		{"a.md", "cd /srv/build/trees /mnt/srv/build/tree", ""},
	} {
		want(t, tt.name+": "+tt.text, CheckText(tt.name, []byte(tt.text), root), tt.want)
	}
	want(t, "a short root", CheckText("a.md", []byte("GOROOT is at /src"), "/src"), "")
	if IsText([]byte("a\x00b")) || IsText([]byte{0xff, 0xfe}) || !IsText([]byte("ä")) {
		t.Error("IsText tells text from bytes by NUL and UTF-8")
	}
}

func TestCheckKinds(t *testing.T) {
	for code, faults := range map[string]int{
		`var a = recording.Artifact{Path: "x", Kind: "cpu"}`:                                          1,
		"const KindMine = \"mine\"\nvar a = recording.Artifact{Kind: KindMine}":                       1,
		`var a = recording.Artifact{Kind: kindOfAnotherFile}`:                                         1,
		`func f(r *recording.Recording) { r.Find("cpu", "") }`:                                        1,
		`var a = recording.Artifact{Path: "x", Kind: recording.KindCPU}`:                              0,
		`func f(kind string) { _ = recording.Artifact{Kind: kind}; x.Find(recording.KindCPU, kind) }`: 0,
		`func f() { for _, kind := range kinds { r.Find(kind, "") } }`:                                0,
		`var a = other.Artifact{Kind: "cpu"}`:                                                         0,
		`var i = trace.Find("x")`:                                                                     0,
	} {
		fset, file := source(t, "package p\n"+code+"\n")
		if got := CheckKinds(fset, file); len(got) != faults {
			t.Errorf("%s: %v, want %d", code, got, faults)
		}
	}
}

func TestCheckSchemas(t *testing.T) {
	for code, faults := range map[string]int{
		`const s = "whet/top/1"`: 1, "var s = `{\"schema\":\"whet/load-run/12\"}`": 1,
		`const s = "whet/" + "top/1"`: 0, `import _ "whet/internal/stat"`: 0, `// whet/top/1` + "\nvar _ = 1": 0,
	} {
		fset, file := source(t, "package p\n"+code+"\n")
		if got := CheckSchemas(fset, file); len(got) != faults {
			t.Errorf("%s: %v, want %d", code, got, faults)
		}
	}
}
