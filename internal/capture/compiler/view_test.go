package compiler

import (
	"cmp"
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"whet/internal/format/typeview"
	"whet/internal/gobench"
)

// viewModule writes a module whose package p has tests inside and outside, which
// import q, which imports p; and a program that does not.
func viewModule(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("asks the go command")
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"go.mod":           "module example.com/m\n\ngo 1.24\n",
		"p/p.go":           "package p\n\nimport \"strings\"\n\ntype T struct{ N int }\n\nfunc (t *T) Up() string { return strings.ToUpper(\"x\") }\n",
		"p/other.go":       "package p\n\nvar Other = new(T).Up()\n",
		"p/out_linux.go":   "package p\n\nconst System = \"linux\"\n",
		"p/out_plan9.go":   "package p\n\nconst System = \"plan9\"\n",
		"p/p_test.go":      "package p\n\nimport \"testing\"\n\nfunc (t *T) OnlyInTests() int { return t.N }\n\nfunc BenchmarkIn(b *testing.B) { new(T).OnlyInTests() }\n",
		"p/x_test.go":      "package p_test\n\nimport (\n\t\"testing\"\n\n\t\"example.com/m/p\"\n\t\"example.com/m/q\"\n)\n\nfunc BenchmarkOut(b *testing.B) { q.Make(&p.T{}).OnlyInTests() }\n",
		"q/q.go":           "package q\n\nimport (\n\t\"example.com/m/p\"\n\t\"example.com/m/r\"\n)\n\nfunc Make(t *p.T) *p.T { r.R(); return t }\n",
		"r/r.go":           "package r\n\nfunc R() int { return 1 }\n",
		"cmd/prog/main.go": "package main\n\nimport (\n\t\"fmt\"\n\n\t\"example.com/m/p\"\n)\n\nfunc main() { fmt.Println(p.T{}, p.System) }\n",
	} {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// viewOf makes the view of the packages that hold these files, relative to the
// module, and reads it.
func viewOf(t *testing.T, dir, operand string, o gobench.BuildOptions, early, tests bool, files ...string) (*typeview.View, map[string]string) {
	t.Helper()
	target, err := gobench.Resolve(t.Context(), dir, operand, o)
	if err != nil {
		t.Fatal(err)
	}
	var g *Graph
	if early {
		if g, err = LoadGraph(t.Context(), target, o, tests); err != nil {
			t.Fatal(err)
		}
	}
	data, sources, err := View(t.Context(), target, o, g, "go1.26.8", "arm64", frames(dir, files...))
	if err != nil {
		t.Fatal(err)
	}
	v, err := typeview.Read(data, typeview.DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	return v, sources
}

// checkView checks the kept packages from the view, and returns what is wrong.
func checkView(t *testing.T, v *typeview.View, sources map[string]string) (errs []error) {
	t.Helper()
	files := make(map[string]string) // by frame
	for file, frame := range sources {
		files[frame] = file
	}
	done := make(map[string]*types.Package)
	var own func(path string) (*types.Package, error)
	own = func(path string) (*types.Package, error) {
		if p := done[path]; p != nil {
			return p, nil
		}
		i := slices.IndexFunc(v.Packages, func(p typeview.Package) bool { return p.Path == path })
		p := v.Packages[i]
		fset := token.NewFileSet()
		var parsed []*ast.File
		for _, frame := range p.Files {
			f, err := parser.ParseFile(fset, files[frame], nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			parsed = append(parsed, f)
		}
		conf := types.Config{GoVersion: p.GoVersion, Sizes: v.Sizes(), FakeImportC: true, Error: func(err error) { errs = append(errs, err) },
			Importer: importFunc(func(from string) (*types.Package, error) { return v.Import(cmp.Or(p.Imports[from], from), own) })}
		done[path], _ = conf.Check(path, fset, parsed, nil)
		return done[path], nil
	}
	for _, p := range v.Packages {
		if _, err := own(p.Path); err != nil {
			errs = append(errs, err)
		}
	}
	return errs
}

type importFunc func(path string) (*types.Package, error)

func (f importFunc) Import(path string) (*types.Package, error) { return f(path) }

func TestView(t *testing.T) {
	dir := viewModule(t)
	for _, test := range []struct {
		name, operand string
		early, tests  bool
		files         []string
		want          string
	}{
		{"a test binary", "./p", true, true, []string{"p/p.go", "p/x_test.go"},
			"example.com/m/p p go1.24 [frame:p/other.go frame:p/out_linux.go frame:p/p.go frame:p/p_test.go]; example.com/m/p_test p_test go1.24 [frame:p/x_test.go]"},
		{"what is between", "./p", true, true, []string{"p/x_test.go", "q/q.go"},
			"example.com/m/p_test p_test go1.24 [frame:p/x_test.go]; example.com/m/q q go1.24 [frame:q/q.go]"},
		{"not asked before", "./p", false, true, []string{"p/p_test.go"},
			"example.com/m/p p go1.24 [frame:p/other.go frame:p/out_linux.go frame:p/p.go frame:p/p_test.go]"},
		{"a program", "./cmd/prog", true, false, []string{"cmd/prog/main.go", "p/p.go"},
			"example.com/m/cmd/prog main go1.24 [frame:cmd/prog/main.go]; example.com/m/p p go1.24 [frame:p/other.go frame:p/out_linux.go frame:p/p.go]"},
		{"what the target does not import", "./r", true, false, []string{"r/r.go", "q/q.go"},
			"example.com/m/q q go1.24 [frame:q/q.go]; example.com/m/r r go1.24 [frame:r/r.go]"},
	} {
		t.Run(test.name, func(t *testing.T) {
			v, sources := viewOf(t, dir, test.operand, gobench.BuildOptions{Env: []string{"GOOS=linux"}}, test.early, test.tests, test.files...)
			var got []string
			for _, p := range v.Packages {
				got = append(got, fmt.Sprint(p.Path, " ", p.Name, " ", p.GoVersion, " ", p.Files))
				if p.Uncertain != "" {
					t.Errorf("%s is uncertain: %s", p.Path, p.Uncertain)
				}
			}
			if text := strings.Join(got, "; "); text != test.want {
				t.Errorf("the view is of\n%s, want\n%s", text, test.want)
			}
			if v.GoVersion != "go1.26.8" || v.GOARCH != "arm64" {
				t.Errorf("it is of %s for %s", v.GoVersion, v.GOARCH)
			}
			files := 0
			for _, p := range v.Packages {
				files += len(p.Files)
			}
			if files != len(sources) {
				t.Errorf("%d files, and sources of %v", files, slices.Sorted(maps.Keys(sources)))
			}
			for _, err := range checkView(t, v, sources) {
				t.Error(err)
			}
		})
	}
}

// The go command names a file that imports C as it was written, and what is
// generated of it is not kept.
func TestViewOfDoubt(t *testing.T) {
	dir := viewModule(t)
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("r/c.go", "package r\n\nimport \"C\"\n\nfunc Size() C.int { return 0 }\n")
	write("r/r.go", "package r\n\nimport \"example.com/m/absent\"\n\nfunc R() int { return absent.X }\n")
	v, sources := viewOf(t, dir, "./r", gobench.BuildOptions{Env: []string{"CGO_ENABLED=1"}}, true, false, "r/r.go")
	if len(v.Packages) != 1 || v.Packages[0].Uncertain != "it imports example.com/m/absent, which was not compiled" {
		t.Errorf("the view is of %+v", v.Packages)
	}
	if errs := checkView(t, v, sources); len(errs) == 0 || !strings.Contains(errs[0].Error(), `package "example.com/m/absent" is not in the typed view`) {
		t.Errorf("the type checker says %v", errs)
	}
	write("r/r.go", "package r\n\nfunc R() int { return 1 }\n")
	v, sources = viewOf(t, dir, "./r", gobench.BuildOptions{Env: []string{"CGO_ENABLED=1"}}, true, false, "r/r.go")
	if len(v.Packages) != 1 || v.Packages[0].Uncertain != "it uses cgo" || len(v.Packages[0].Files) != 2 {
		t.Errorf("the view is of %+v", v.Packages)
	}
	for _, err := range checkView(t, v, sources) {
		t.Error(err)
	}
}

// Where all that is imported takes too much, only what the sources name is kept.
func TestViewTooLarge(t *testing.T) {
	dir := viewModule(t)
	target, err := gobench.Resolve(t.Context(), dir, "./cmd/prog", gobench.BuildOptions{})
	if err != nil {
		t.Fatal(err)
	}
	g, err := LoadGraph(t.Context(), target, gobench.BuildOptions{}, false)
	if err != nil {
		t.Fatal(err)
	}
	const path = "example.com/m/cmd/prog"
	m := viewMaker{Graph: g, kept: map[string]bool{path: true}, sources: make(map[string]string), fset: token.NewFileSet(), exported: make(map[string]*types.Package)}
	v := &typeview.View{Packages: []typeview.Package{m.keep(path, "")}}
	imported, err := m.imported()
	if err != nil {
		t.Fatal(err)
	}
	all, err := m.encode(v, imported, MaxView)
	if err != nil {
		t.Fatal(err)
	}
	some, err := m.encode(v, imported, len(all)-1)
	if err != nil || len(some) >= len(all) {
		t.Fatalf("%d of %d bytes, %v", len(some), len(all), err)
	}
	read, err := typeview.Read(some, typeview.DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range checkView(t, read, m.sources) {
		t.Error(err)
	}
	if f, err := read.Import("fmt", nil); err != nil || f.Scope().Lookup("Println") == nil || f.Scope().Lookup("Sprintf") != nil {
		t.Errorf("of fmt there is %v, %v", f, err)
	}
	if _, err := m.encode(v, imported, len(some)-1); err == nil || !strings.Contains(err.Error(), "more than the limit of") {
		t.Errorf("what does not fit: %v", err)
	}
}

func TestViewStops(t *testing.T) {
	dir := viewModule(t)
	target, err := gobench.Resolve(t.Context(), dir, "./p", gobench.BuildOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if data, sources, err := View(t.Context(), target, gobench.BuildOptions{}, nil, "", "", nil); data != nil || sources != nil || err != nil {
		t.Errorf("of no files there is a view: %d bytes, %v, %v", len(data), sources, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := View(ctx, target, gobench.BuildOptions{}, nil, "", "", frames(dir, "p/p.go")); err == nil || err.Error() != "look up the types of what example.com/m/p imports: context canceled" {
		t.Errorf("when it is stopped: %v", err)
	}
}
