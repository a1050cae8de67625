package compiler

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	format "whet/internal/format/compiler"
	"whet/internal/gobench"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		if module.dir != "" {
			os.RemoveAll(module.dir)
		}
		os.Exit(code)
	}))
}

var module struct {
	once sync.Once
	dir  string
	err  error
}

// copied returns the directory of a copy of testdata/mod.
func copied(t *testing.T) string {
	t.Helper()
	module.once.Do(func() {
		if module.dir, module.err = os.MkdirTemp("", "calls"); module.err != nil {
			return
		}
		if module.dir, module.err = filepath.EvalSymlinks(module.dir); module.err != nil {
			return
		}
		module.err = filepath.WalkDir("testdata/mod", func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			rel, err := filepath.Rel("testdata/mod", strings.TrimSuffix(path, ".txt"))
			if err != nil {
				return err
			}
			to := filepath.Join(module.dir, rel)
			if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
				return err
			}
			return os.WriteFile(to, data, 0o644)
		})
	})
	if module.err != nil {
		t.Fatal(module.err)
	}
	return module.dir
}

func resolve(t *testing.T, operand string, o gobench.BuildOptions) *gobench.Target {
	t.Helper()
	target, err := gobench.Resolve(t.Context(), copied(t), operand, o)
	if err != nil {
		t.Fatal(err)
	}
	return target
}

// frames maps the files, relative to the module, to themselves behind a mark.
func frames(dir string, files ...string) map[string]string {
	m := map[string]string{}
	for _, f := range files {
		m[filepath.Join(dir, f)] = "frame:" + f
	}
	return m
}

func callsOf(t *testing.T, operand string, files ...string) map[string][]format.Call {
	t.Helper()
	target := resolve(t, operand, gobench.BuildOptions{})
	calls, err := Calls(t.Context(), target, gobench.BuildOptions{}, frames(copied(t), files...), nil)
	if err != nil {
		t.Fatal(err)
	}
	if calls.Schema != "whet/calls/1" {
		t.Errorf("schema %q", calls.Schema)
	}
	byFile := map[string][]format.Call{}
	for _, f := range calls.Files {
		byFile[strings.TrimPrefix(f.Frame, "frame:")] = f.Calls
		if !slices.IsSortedFunc(f.Calls, func(a, b format.Call) int { return a.Line - b.Line }) {
			t.Errorf("%s: not in order", f.Frame)
		}
		for _, c := range f.Calls {
			if len(c.Args) != len(c.Basic) || c.EndLine < c.Line {
				t.Errorf("%s: %+v", f.Frame, c)
			}
		}
	}
	return byFile
}

// lineOf returns the line of the copied file that holds text.
func lineOf(t *testing.T, file, text string) int {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(copied(t), file))
	if err != nil {
		t.Fatal(err)
	}
	before, _, ok := strings.Cut(string(data), text)
	if !ok {
		t.Fatalf("no %q in %s", text, file)
	}
	return 1 + strings.Count(before, "\n")
}

// The runtime says what each function is called; so do the calls, for the
// function a call stands in and for the one it calls.
func TestNamesAreTheRuntimes(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and starts programs")
	}
	for _, tt := range []struct {
		operand string
		files   []string
		least   int
	}{
		{"./names.v2", []string{"names.v2/names.go", "names.v2/names_test.go", "names.v2/ext_test.go"}, 13},
		{"./cmd/prog", []string{"cmd/prog/main.go", "cmd/prog/main_test.go"}, 1},
	} {
		target := resolve(t, tt.operand, gobench.BuildOptions{})
		bin, err := gobench.Build(t.Context(), target, gobench.BuildOptions{}, filepath.Join(t.TempDir(), "x.test"))
		if err != nil {
			t.Fatal(err)
		}
		tests, err := bin.Test(t.Context(), "", time.Minute)
		if err != nil || !tests.Passed {
			t.Fatalf("%v %+v", err, tests)
		}
		_, said, _ := strings.Cut(tests.Output, "BEGIN\n")
		said, _, _ = strings.Cut(said, "\nEND")
		runtime := map[string]string{} // "file line" → function
		for line := range strings.SplitSeq(said, "\n") {
			var file, function string
			var number int
			if _, err := fmt.Sscan(line, &file, &number, &function); err != nil {
				t.Fatalf("%q: %v", line, err)
			}
			runtime[fmt.Sprint(file, " ", number)] = function
		}
		if len(runtime) < tt.least {
			t.Fatalf("the program reported only %v", runtime)
		}
		byFile := callsOf(t, tt.operand, tt.files...)
		callees := map[string]bool{}
		checked := 0
		for file, calls := range byFile {
			for _, c := range calls {
				callees[c.Callee] = true
				if c.Callee != "calls.test/mod.x/rec.Here" {
					continue
				}
				want, ok := runtime[fmt.Sprint(filepath.Base(file), " ", c.Line)]
				if !ok {
					t.Errorf("%s:%d was not reached", file, c.Line)
				}
				if c.In != want {
					t.Errorf("%s:%d: in %s, the runtime says %s", file, c.Line, c.In, want)
				}
				checked++
			}
		}
		if checked != len(runtime) {
			t.Errorf("%d places checked of %d", checked, len(runtime))
		}
		for _, function := range runtime {
			base := function[strings.LastIndexByte(function, '.')+1:]
			if strings.Contains(function, ".init") || strings.HasPrefix(base, "Test") {
				continue // nobody calls those
			}
			if !callees[function] {
				t.Errorf("no call of %s among %v", function, callees)
			}
		}
	}
}

func TestCallees(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and starts programs")
	}
	const p = "calls.test/mod.x/names%2ev2"
	calls := callsOf(t, "./names.v2", "names.v2/names.go")["names.v2/names.go"]
	first := lineOf(t, "names.v2/names.go", "\tt.Ptr()")
	var got []string
	for _, c := range calls {
		if c.In == p+".All" {
			got = append(got, fmt.Sprintf("%d %s", c.Line-first, c.Callee))
		}
	}
	want := []string{
		"0 " + p + ".(*T).Ptr", "1 " + p + ".T.Val", "2 " + p + ".T.unexported", "3 " + p + ".T.Val", "4 " + p + ".T.Val",
		"5 " + p + ".Plain", "7 " + p + ".(*G[...]).Put", "8 " + p + ".G[...].Get", "9 " + p + ".Gen[...]", "10 " + p + ".Gen[...]",
		"11 io.Writer.Write", "12 io.Writer.Write", "13 " + p + ".local.Do", "14 error.Error", "15 ",
		"16 string([]byte)", "17 []byte(string)", "18 []byte(string)", "19 []rune(string)",
		"20 calls.test/mod.x/names.v2.Bytes(string)", "21 string(calls.test/mod.x/names.v2.Name)", "21 calls.test/mod.x/names.v2.Name(string)",
		"22 append", "23 len", "24 ", "24 strconv.Itoa", "25 " + p + ".T.Val", "26 " + p + ".(*T).Ptr", "27 interface{M()}(untyped nil)",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestArguments(t *testing.T) {
	calls := callsOf(t, "./names.v2", "names.v2/names.go")["names.v2/names.go"]
	find := func(text string) format.Call {
		t.Helper()
		line := lineOf(t, "names.v2/names.go", text)
		for _, c := range calls {
			if c.Line == line && c.Callee != "" && !strings.HasSuffix(c.Callee, "two") {
				return c
			}
		}
		t.Fatalf("no call at %q", text)
		return format.Call{}
	}
	str := func(s string) *string { return &s }
	const p = "calls.test/mod.x/names.v2."
	for _, tt := range []struct {
		text   string
		args   string
		basic  string
		format *string
	}{
		{"fmt.Sprintf(format", "string string int", "yyy", str("%s is %d")},
		{"fmt.Fprintf(w", "io.Writer string " + p + "Level", "nyy", str("%v")},
		{"fmt.Sprintf(s", "string " + p + "Name *int error untyped~nil float64 rune bool", "ynnnnyyy", nil},
		{"fmt.Sprint(", "string string", "yy", nil},
		{"fmt.Errorf(", "string []any...", "yn", str("x")},
		{"log.Printf(", "string int", "yy", nil},
		{"custom(\"a\"", "string string int", "yyy", nil},
		{"show(two", "int string", "yy", nil},
	} {
		c := find(tt.text)
		basic := ""
		for _, b := range c.Basic {
			basic += map[bool]string{true: "y", false: "n"}[b]
		}
		args := strings.ReplaceAll(strings.Join(c.Args, "\n"), " ", "~")
		if strings.ReplaceAll(args, "\n", " ") != tt.args || basic != tt.basic || !reflect.DeepEqual(c.Format, tt.format) {
			t.Errorf("%s: args %q, basic %s, format %v", tt.text, c.Args, basic, c.Format)
		}
	}
	c := find("fmt.Println(")
	if c.EndLine-c.Line != 4 {
		t.Errorf("lines %d to %d, want five", c.Line, c.EndLine)
	}
}

// Sizes are those of a machine with words of eight bytes: a string takes two, a
// slice three. Point is 2*4 + 2*8 = 24 bytes, Request 16 + 24 + 64 + 24 = 128.
func TestLayout(t *testing.T) {
	calls := callsOf(t, "./names.v2", "names.v2/names.go")["names.v2/names.go"]
	for _, tt := range []struct {
		text    string
		pointee []int64
		plain   []bool
	}{
		{"handed(&r)", []int64{128}, nil},
		{"handed(any(&r.Point))", nil, nil},
		{"handed(&r.Tags", []int64{24, 64, 4, 0}, []bool{false, false, false, true}},
		{"handed(p, r", nil, []bool{true, false, true, false, true, true}},
		{"handed(unsafe", nil, []bool{false, false, true, true, false}},
		{"handed(r.Tags, args)", nil, nil},
		{"_ = make([]int", nil, []bool{false, true}},
		{"_ = new(Point)", nil, nil},
		{"Sized(r", []int64{0, 24}, nil},
		{"handed(&p, n)", []int64{0, 24}, nil},
		{"handed(&struct", []int64{0, 24, 8}, nil},
	} {
		line := lineOf(t, "names.v2/names.go", tt.text)
		i := slices.IndexFunc(calls, func(c format.Call) bool { return c.Line == line })
		if i < 0 {
			t.Errorf("no call at %q", tt.text)
			continue
		}
		if c := calls[i]; !slices.Equal(c.Pointee, tt.pointee) || !slices.Equal(c.Plain, tt.plain) || (c.Plain == nil) != (tt.plain == nil) {
			t.Errorf("%s: %s pointee %v, want %v; plain %v, want %v", tt.text, c.Callee, c.Pointee, tt.pointee, c.Plain, tt.plain)
		}
	}
}

func TestLoops(t *testing.T) {
	const p = "calls.test/mod.x/names%2ev2"
	calls := callsOf(t, "./names.v2", "names.v2/names.go")["names.v2/names.go"]
	in := map[string]bool{}
	var ranges []string
	for _, c := range calls {
		if c.In != p+".Loops" {
			continue
		}
		name := strings.TrimPrefix(c.Callee, p+".")
		if name == "strconv.Itoa" {
			data, err := os.ReadFile(filepath.Join(copied(t), "names.v2/names.go"))
			if err != nil {
				t.Fatal(err)
			}
			line := strings.Split(string(data), "\n")[c.Line-1]
			_, name, _ = strings.Cut(line, "strconv.Itoa(")
			name = name[:1]
		}
		in[name] = c.InLoop
		if c.Callee == format.Range {
			ranges = append(ranges, c.Args...)
		}
	}
	if want := []string{"[]string", "func(func(int) bool)"}; !slices.Equal(ranges, want) {
		t.Errorf("ranges over %q, want %q", ranges, want)
	}
	delete(in, "")
	want := map[string]bool{"1": false, "first": false, "cond": true, "next": true, "2": true, "3": true, "range": false, "ranged": false, "4": true, "5": true, "6": true, "7": true, "8": false}
	if !reflect.DeepEqual(in, want) {
		t.Errorf("in a loop %v, want %v", in, want)
	}
}

// What is read of the whole package beforehand is what is read of the files.
func TestOwnCalls(t *testing.T) {
	target := resolve(t, "./names.v2", gobench.BuildOptions{})
	files := frames(copied(t), "names.v2/names.go", "names.v2/names_test.go", "names.v2/ext_test.go", "names.v2/grammar.y", "rec/rec.go")
	own, err := OwnCalls(t.Context(), target, gobench.BuildOptions{}, true)
	if err != nil {
		t.Fatal(err)
	}
	var got [2]format.Calls
	for i, known := range []map[string][]format.Call{nil, own} {
		if got[i], err = Calls(t.Context(), target, gobench.BuildOptions{}, files, known); err != nil {
			t.Fatal(err)
		}
	}
	if !reflect.DeepEqual(got[0], got[1]) || len(got[0].Files) != 5 {
		t.Errorf("%d files, and %d of those that were known", len(got[0].Files), len(got[1].Files))
	}
}

// A line directive moves calls to the file and line that profiles name.
func TestLineDirective(t *testing.T) {
	byFile := callsOf(t, "./names.v2", "names.v2/names.go", "names.v2/grammar.y")
	got := byFile["names.v2/grammar.y"]
	if len(got) != 1 || got[0].Line != 100 || got[0].Callee != "strconv.Itoa" {
		t.Errorf("%+v", got)
	}
}

// Packages beside the target's are read too, foreign ones are not.
func TestOtherPackages(t *testing.T) {
	target := resolve(t, "./cmd/prog", gobench.BuildOptions{})
	files := frames(copied(t), "rec/rec.go", "cmd/prog/main.go")
	files[filepath.Join(target.GOROOT, "src/fmt/print.go")] = "fmt"
	calls, err := Calls(t.Context(), target, gobench.BuildOptions{}, files, nil)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range calls.Files {
		got = append(got, f.Frame)
	}
	if want := []string{"frame:cmd/prog/main.go", "frame:rec/rec.go"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	data, err := json.Marshal(calls)
	if err != nil || !strings.Contains(string(data), `"args":[]`) || strings.Contains(string(data), "null") {
		t.Errorf("%v\n%s", err, data)
	}
}

func TestCallsOfBrokenCode(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module broken.test/b\n\ngo 1.26\n",
		"b.go":   "package b\n\nimport \"strconv\"\n\nfunc F() { strconv.Itoa(1); undefined(2) }\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	target, err := gobench.Resolve(t.Context(), dir, ".", gobench.BuildOptions{})
	if err != nil {
		t.Fatal(err)
	}
	calls, err := Calls(t.Context(), target, gobench.BuildOptions{}, map[string]string{filepath.Join(dir, "b.go"): "b"}, nil)
	if err == nil || !strings.Contains(err.Error(), "undefined: undefined") || strings.Contains(err.Error(), "\n") {
		t.Errorf("error %v", err)
	}
	if len(calls.Files) != 1 || len(calls.Files[0].Calls) != 2 {
		t.Errorf("%+v", calls)
	}
	_, err = Diagnostics(t.Context(), target, gobench.BuildOptions{}, []string{"broken.test/b"})
	if err == nil || !strings.Contains(err.Error(), "undefined: undefined") {
		t.Errorf("error %v", err)
	}
}

func TestCancelled(t *testing.T) {
	target := resolve(t, "./names.v2", gobench.BuildOptions{})
	ctx, cancel := context.WithCancelCause(t.Context())
	stop := errors.New("stop")
	cancel(stop)
	if _, err := Calls(ctx, target, gobench.BuildOptions{}, frames(copied(t), "names.v2/names.go"), nil); !errors.Is(err, stop) {
		t.Errorf("calls: %v", err)
	}
	if _, err := Diagnostics(ctx, target, gobench.BuildOptions{}, []string{"x"}); !errors.Is(err, stop) {
		t.Errorf("diagnostics: %v", err)
	}
}

// TestNothingIsLeftBehind: with -work, as when it is stopped, the go command
// keeps its work directory.
func TestNothingIsLeftBehind(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and starts programs")
	}
	dir := copied(t)
	target := resolve(t, "./rec", gobench.BuildOptions{})
	t.Setenv("TMPDIR", t.TempDir())
	t.Setenv("GOFLAGS", "-work")
	if _, err := Diagnostics(t.Context(), target, gobench.BuildOptions{}, []string{target.ImportPath}); err != nil {
		t.Error(err)
	}
	if _, err := Calls(t.Context(), target, gobench.BuildOptions{}, frames(dir, "rec/rec.go"), nil); err != nil {
		t.Error(err)
	}
	entries, err := os.ReadDir(os.Getenv("TMPDIR"))
	if err != nil || len(entries) > 0 {
		t.Errorf("left behind: %v, %v", entries, err)
	}
}

// A service that runs already is known by its module alone.
func TestDiagnosticsOfModule(t *testing.T) {
	target, err := gobench.Module(t.Context(), copied(t), gobench.BuildOptions{})
	if err != nil {
		t.Fatal(err)
	}
	text, err := Diagnostics(t.Context(), target, gobench.BuildOptions{}, []string{"calls.test/mod.x/rec"})
	if found := format.Parse(text); err != nil || len(found) == 0 || filepath.Base(filepath.Dir(found[0].File)) != "rec" {
		t.Errorf("%v, %d diagnostics", err, len(found))
	}
}

func TestDiagnostics(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and starts programs")
	}
	dir := copied(t)
	for _, o := range []gobench.BuildOptions{
		{},
		{Env: []string{"GOFLAGS=-trimpath"}},
		{Flags: []string{"-cover", "-covermode", "atomic", "-gcflags=all=-l=4"}},
	} {
		target := resolve(t, "./names.v2", o)
		text, err := Diagnostics(t.Context(), target, o, []string{"calls.test/mod.x/names.v2", "calls.test/mod.x/rec"})
		if err != nil {
			t.Fatal(err)
		}
		again, err := Diagnostics(t.Context(), target, o, []string{"calls.test/mod.x/rec", "calls.test/mod.x/names.v2"})
		if err != nil || len(again) == 0 {
			t.Fatalf("from the cache: %d bytes, %v", len(again), err)
		}
		found := map[string]bool{}
		for _, d := range format.Parse(text) {
			if !filepath.IsAbs(d.File) {
				t.Fatalf("%+v: not absolute: %+v", o, d)
			}
			found[fmt.Sprintf("%s:%d %s", d.File, d.Line, d.Kind)] = true
		}
		for _, d := range format.Parse(again) {
			if !found[fmt.Sprintf("%s:%d %s", d.File, d.Line, d.Kind)] {
				t.Errorf("%+v: only the cache says %+v", o, d)
			}
		}
		for file, text := range map[string]string{"names.v2/names.go": "_ = string(b)", "names.v2/names_test.go": `fmt.Sprint(len`} {
			kind := format.DoesNot
			if strings.HasSuffix(file, "_test.go") {
				kind = format.Escapes
			}
			if key := fmt.Sprintf("%s:%d %s", filepath.Join(dir, file), lineOf(t, file, text), kind); !found[key] {
				t.Errorf("%+v: no %s in\n%.3000s", o, key, text)
			}
		}
		if strings.Contains(string(text), "_testmain.go") {
			t.Error("the generated main package is among the diagnostics")
		}
	}
	if text, err := Diagnostics(t.Context(), resolve(t, "./rec", gobench.BuildOptions{}), gobench.BuildOptions{}, nil); text != nil || err != nil {
		t.Errorf("of nothing: %q, %v", text, err)
	}
}

func TestListFlags(t *testing.T) {
	for _, tt := range []struct{ in, kept, gcflags string }{
		{"-race -cover -tags x", "-race -tags x", ""},
		{"-covermode atomic -coverpkg=./... -ldflags=-s", "-ldflags=-s", ""},
		{"-gcflags=-N", "", "-N"}, {"-gcflags all=-l", "", "-l"}, {"--gcflags=pkg=-l", "", ""}, {"-gcflags=-l -gcflags=-N", "", "-N"},
	} {
		kept, gcflags := listFlags(strings.Fields(tt.in))
		if strings.Join(kept, " ") != tt.kept || gcflags != tt.gcflags {
			t.Errorf("%s: %q, %q", tt.in, kept, gcflags)
		}
	}
}
