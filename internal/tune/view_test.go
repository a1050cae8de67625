package tune

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"whet/internal/read"
	"whet/internal/recording"
)

// A recording has what the type checker needs: all Go files of the packages with
// frames, and the types of what they import. Without sources it has neither.
func TestTypedView(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and measures programs")
	}
	t.Parallel()
	record := func(t *testing.T, dir string, noSource bool) *recording.Recording {
		o := DefaultOptions()
		o.Dir, o.Operand, o.Out, o.Run, o.Budget, o.Samples, o.NoSource, o.NoBinary = dir, ".", filepath.Join(t.TempDir(), "x.whet"), "^$", time.Minute, 20, noSource, true
		o.Flags = []string{"-trimpath"}
		outcome, err := Record(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
		rec, err := read.Open(outcome.Path)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { rec.Close() })
		return rec
	}
	module := func(t *testing.T) string {
		return writeModule(t, map[string]string{
			"go.mod":     "module example.com/viewed\n\ngo 1.25\n",
			"x.go":       "package viewed\n\nimport \"sort\"\n\nfunc Sort(n int) { sort.Sort(sort.Reverse(sort.IntSlice(numbers(n)))) }\n",
			"numbers.go": "package viewed\n\n// Size has no frame in a profile.\nconst Size = 10_000\n\ntype list []int\n\nfunc numbers(n int) list { return make(list, n) }\n",
			"x_test.go": `package viewed_test

import (
	"testing"

	"example.com/viewed"
)

func BenchmarkSort(b *testing.B) {
	for b.Loop() {
		viewed.Sort(viewed.Size)
	}
}
`,
		})
	}
	t.Run("with", func(t *testing.T) {
		t.Parallel()
		rec := record(t, module(t), false)
		v := read.Recording(rec, read.ParsedParts{}).View()
		if v == nil {
			t.Fatalf("there is no view; warnings: %q", rec.Warnings)
		}
		if v.GOARCH == "" || !strings.HasPrefix(v.GoVersion, "go1.") {
			t.Errorf("the build was %q for %q", v.GoVersion, v.GOARCH)
		}
		checked := make(map[string]*types.Package)
		var own func(path string) (*types.Package, error)
		own = func(path string) (*types.Package, error) {
			if checked[path] != nil {
				return checked[path], nil
			}
			for _, p := range v.Packages {
				if p.Path != path {
					continue
				}
				fset := token.NewFileSet()
				var files []*ast.File
				for _, frame := range p.Files {
					text, _, err := rec.Source(frame)
					if err != nil {
						t.Fatal(err)
					}
					f, err := parser.ParseFile(fset, frame, text, parser.SkipObjectResolution)
					if err != nil {
						t.Fatal(err)
					}
					files = append(files, f)
				}
				conf := types.Config{GoVersion: p.GoVersion, Importer: importer(func(path string) (*types.Package, error) { return v.Import(path, own) })}
				pkg, err := conf.Check(path, fset, files, nil)
				if err != nil {
					t.Error(err)
				}
				checked[path] = pkg
				return pkg, nil
			}
			t.Errorf("%s is not in the view: %+v", path, v.Packages)
			return nil, nil
		}
		for _, path := range []string{"example.com/viewed", "example.com/viewed_test"} {
			own(path)
		}
		if p := checked["example.com/viewed"]; p == nil || p.Scope().Lookup("Size") == nil {
			t.Errorf("the file without a frame is not there")
		}
	})
	t.Run("without", func(t *testing.T) {
		t.Parallel()
		rec := record(t, module(t), true)
		reading := read.Recording(rec, read.ParsedParts{})
		if reading.View() != nil || len(rec.Sources) != 0 || len(rec.Find(recording.KindDiagnostics, "")) != 0 || len(rec.Find(recording.KindFindings, "")) != 1 || len(rec.Find(recording.KindCPU, "")) != 1 {
			t.Errorf("%d sources, view %v, artifacts %+v", len(rec.Sources), reading.View(), rec.Artifacts)
		}
		page, err := reading.Page()
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range page.Warnings {
			if strings.Contains(w, "types") {
				t.Errorf("what was left out is missed: %s", w)
			}
		}
		filepath.WalkDir(rec.Dir, func(path string, d os.DirEntry, err error) error {
			if err != nil {
				t.Fatal(err)
			}
			if data, err := os.ReadFile(path); err == nil && strings.Contains(string(data), "Size has no frame") {
				t.Errorf("%s has the source", path)
			}
			return nil
		})
	})
}

type importer func(path string) (*types.Package, error)

func (f importer) Import(path string) (*types.Package, error) { return f(path) }
