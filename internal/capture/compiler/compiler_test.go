package compiler

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	format "whet/internal/format/compiler"
	"whet/internal/gobench"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		for _, dir := range []string{module.dir, decidedDir} {
			if dir != "" {
				os.RemoveAll(dir)
			}
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

// frames maps the files, relative to the module, to themselves after a mark.
func frames(dir string, files ...string) map[string]string {
	m := map[string]string{}
	for _, f := range files {
		m[filepath.Join(dir, f)] = "frame:" + f
	}
	return m
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

func TestDiagnosticsOfBrokenCode(t *testing.T) {
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
	if _, _, err := View(ctx, target, gobench.BuildOptions{}, nil, "", "", frames(copied(t), "names.v2/names.go")); !errors.Is(err, stop) {
		t.Errorf("view: %v", err)
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
	if _, _, err := View(t.Context(), target, gobench.BuildOptions{}, nil, "", "", frames(dir, "rec/rec.go")); err != nil {
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

// The module's packages that the target's files import; its tests' on demand.
func TestImports(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":      "module m.test/m\n\ngo 1.26\n",
		"x.go":        "package m\n\nimport (\n\t\"fmt\"\n\t_ \"m.test/m/b\"\n\t_ \"m.test/mother\"\n)\n\nvar _ = fmt.Sprint\n",
		"x_test.go":   "package m\n\nimport _ \"m.test/m/a\"\n",
		"ext_test.go": "package m_test\n\nimport (\n\t_ \"m.test/m\"\n\t_ \"m.test/m/b\"\n)\n",
		"broken.go":   "package m\n\nimport\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	target := &gobench.Target{
		ImportPath: "m.test/m", Own: []gobench.OwnModule{{Path: "m.test/m", Dir: dir}},
		GoFiles:   []string{filepath.Join(dir, "x.go"), filepath.Join(dir, "broken.go"), filepath.Join(dir, "gone.go")},
		TestFiles: []string{filepath.Join(dir, "x_test.go"), filepath.Join(dir, "ext_test.go")},
	}
	if got := strings.Join(Imports(target, false), " "); got != "m.test/m/b" {
		t.Errorf("without tests: %s", got)
	}
	if got := strings.Join(Imports(target, true), " "); got != "m.test/m/a m.test/m/b" {
		t.Errorf("with tests: %s", got)
	}
}
