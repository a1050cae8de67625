package typeview

import (
	"bytes"
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/gcexportdata"
	"golang.org/x/tools/go/packages"
)

// program is a program as the go command knows it, some packages of which are kept.
type program struct {
	t        testing.TB
	all      map[string]*packages.Package // by path
	kept     map[string]bool
	fset     *token.FileSet
	exported map[string]*types.Package // read from export data
}

// loadProgram asks the go command for packages and all that they import.
func loadProgram(t testing.TB, dir string, kept []string, patterns ...string) *program {
	t.Helper()
	if testing.Short() {
		t.Skip("asks the go command")
	}
	p := &program{t: t, all: make(map[string]*packages.Package), kept: make(map[string]bool), fset: token.NewFileSet(), exported: make(map[string]*types.Package)}
	roots, err := packages.Load(&packages.Config{
		Mode: packages.NeedName | packages.NeedCompiledGoFiles | packages.NeedImports | packages.NeedDeps | packages.NeedExportFile | packages.NeedModule,
		Dir:  dir,
		Env:  append(os.Environ(), "GOWORK=off"), // the zoo is no module of ours
	}, append(patterns, kept...)...)
	if err != nil {
		t.Fatal(err)
	}
	packages.Visit(roots, nil, func(pkg *packages.Package) {
		if len(pkg.Errors) > 0 {
			t.Fatal(pkg.Errors[0])
		}
		p.all[pkg.PkgPath] = pkg
	})
	for _, path := range kept {
		p.kept[path] = true
	}
	return p
}

// export reads the export data of a package.
func (p *program) export(path string) *types.Package {
	if pkg := p.exported[path]; pkg != nil && pkg.Complete() {
		return pkg
	}
	if path == "unsafe" {
		return types.Unsafe
	}
	f, err := os.Open(p.all[path].ExportFile)
	if err != nil {
		p.t.Fatal(err)
	}
	defer f.Close()
	//lint:ignore SA1019 as the recorder does
	r, err := gcexportdata.NewReader(f)
	if err != nil {
		p.t.Fatal(err)
	}
	pkg, err := gcexportdata.Read(r, p.fset, p.exported, path)
	if err != nil {
		p.t.Fatal(err)
	}
	return pkg
}

// view returns the view of the kept packages, and imported what they import.
func (p *program) view() (v *View, imported []*types.Package) {
	v = &View{GoVersion: runtime.Version(), GOARCH: runtime.GOARCH}
	want := make(map[string]bool)
	for _, path := range slices.Sorted(maps.Keys(p.kept)) {
		pkg := p.all[path]
		row := Package{Path: path, Name: pkg.Name, Files: pkg.CompiledGoFiles}
		if pkg.Module != nil {
			row.GoVersion = "go" + pkg.Module.GoVersion
		}
		for from, to := range pkg.Imports {
			if from != to.PkgPath {
				if row.Imports == nil {
					row.Imports = make(map[string]string)
				}
				row.Imports[from] = to.PkgPath
			}
			if !p.kept[to.PkgPath] {
				want[to.PkgPath] = true
			}
		}
		v.Packages = append(v.Packages, row)
	}
	for _, path := range slices.Sorted(maps.Keys(want)) {
		imported = append(imported, p.export(path))
	}
	return v, imported
}

// checked is what the type checker said of the kept packages.
type checked struct {
	packages map[string]*types.Package
	infos    map[string]*types.Info
	files    map[string][]*ast.File
	sizes    types.Sizes
	errors   []error
}

// check checks the kept packages from source; imported gives all others.
func (p *program) check(v *View, imported func(path string, own func(string) (*types.Package, error)) (*types.Package, error)) *checked {
	c := &checked{packages: make(map[string]*types.Package), infos: make(map[string]*types.Info), files: make(map[string][]*ast.File), sizes: v.Sizes()}
	var own func(path string) (*types.Package, error)
	own = func(path string) (*types.Package, error) {
		if pkg := c.packages[path]; pkg != nil {
			return pkg, nil
		}
		i := slices.IndexFunc(v.Packages, func(p Package) bool { return p.Path == path })
		row := v.Packages[i]
		for _, name := range row.Files {
			f, err := parser.ParseFile(p.fset, name, nil, parser.SkipObjectResolution)
			if err != nil {
				return nil, err
			}
			c.files[path] = append(c.files[path], f)
		}
		info := &types.Info{
			Types: make(map[ast.Expr]types.TypeAndValue), Defs: make(map[*ast.Ident]types.Object), Uses: make(map[*ast.Ident]types.Object),
			Selections: make(map[*ast.SelectorExpr]*types.Selection), Instances: make(map[*ast.Ident]types.Instance),
		}
		conf := types.Config{GoVersion: row.GoVersion, Sizes: c.sizes, Error: func(err error) { c.errors = append(c.errors, err) },
			Importer: importerFunc(func(from string) (*types.Package, error) {
				return imported(cmp.Or(row.Imports[from], from), own)
			})}
		pkg, _ := conf.Check(path, p.fset, c.files[path], info)
		c.packages[path], c.infos[path] = pkg, info
		return pkg, nil
	}
	for _, row := range v.Packages {
		if _, err := own(row.Path); err != nil {
			p.t.Fatal(err)
		}
	}
	return c
}

type importerFunc func(path string) (*types.Package, error)

func (f importerFunc) Import(path string) (*types.Package, error) { return f(path) }

// facts are all that the type checker said of the expressions of a package, a line
// each.
func (c *checked) facts(fset *token.FileSet, path string) []string {
	var out []string
	described := make(map[types.Type]bool)
	info := c.infos[path]
	for _, f := range c.files[path] {
		ast.Inspect(f, func(n ast.Node) bool {
			add := func(format string, args ...any) {
				out = append(out, fset.Position(n.Pos()).String()+": "+fmt.Sprintf(format, args...))
			}
			if e, ok := n.(ast.Expr); ok {
				if tv, ok := info.Types[e]; ok {
					value := ""
					if tv.Value != nil {
						value = tv.Value.ExactString()
					}
					add("%s %s %v%v%v", types.TypeString(tv.Type, nil), value, tv.Addressable(), tv.IsType(), tv.IsBuiltin())
					if _, ok := tv.Type.(*types.Named); ok && !described[tv.Type] {
						described[tv.Type] = true
						add("underlying %s, methods %s", tv.Type.Underlying(), types.NewMethodSet(types.NewPointer(tv.Type)))
						if sized(tv.Type, make(map[types.Type]bool)) {
							add("%d bytes", c.sizes.Sizeof(tv.Type))
						}
					}
				}
			}
			switch n := n.(type) {
			case *ast.Ident:
				if obj := cmp.Or(info.Uses[n], info.Defs[n]); obj != nil {
					add("%s", types.ObjectString(obj, nil))
				}
				if in, ok := info.Instances[n]; ok {
					add("instance %s", in.Type)
				}
			case *ast.SelectorExpr:
				if s := info.Selections[n]; s != nil {
					add("%s %v", s, s.Index())
				}
			}
			return true
		})
	}
	return out
}

// sized reports whether a type has a size: no type parameter is in it by value.
func sized(t types.Type, seen map[types.Type]bool) bool {
	if seen[t] {
		return true
	}
	seen[t] = true
	switch t := types.Unalias(t).(type) {
	case *types.TypeParam, *types.Tuple, *types.Union:
		return false
	case *types.Basic:
		return t.Kind() != types.Invalid && t.Info()&types.IsUntyped == 0
	case *types.Named:
		return t.TypeParams().Len() == t.TypeArgs().Len() && sized(t.Underlying(), seen)
	case *types.Array:
		return sized(t.Elem(), seen)
	case *types.Struct:
		for f := range t.Fields() {
			if !sized(f.Type(), seen) {
				return false
			}
		}
	}
	return true
}

// written is v as it is written and read again.
func written(t testing.TB, v *View, imported []*types.Package, keep func(types.Object) bool) *View {
	t.Helper()
	var data bytes.Buffer
	if err := Write(&data, v, imported, keep); err != nil {
		t.Fatal(err)
	}
	again, err := Read(data.Bytes(), DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	return again
}

// TestSameTypes checks packages from source twice: what they import comes from
// the compiler's export data, or from a view. The type checker says the same of
// every expression.
func TestSameTypes(t *testing.T) {
	const zoo = "example.com/zoo/"
	for _, test := range []struct {
		name, dir string
		kept      []string
	}{
		{"every shape", "testdata/zoo", []string{zoo + "top", zoo + "mid"}},
		{"nothing between", "testdata/zoo", []string{zoo + "top", zoo + "mid", zoo + "over"}},
		{"one package", "testdata/zoo", []string{zoo + "shapes"}},
		{"encoding/json", ".", []string{"encoding/json"}},
		{"what imported packages refer to", ".", []string{"net/http", "io", "context", "net/url", "reflect", "sync/atomic", "iter"}},
		{"generics", ".", []string{"slices", "maps", "unique", "internal/sync", "weak", "go/types", "golang.org/x/tools/go/ssa"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := loadProgram(t, test.dir, test.kept)
			v, imported := p.view()
			again := written(t, v, imported, nil)
			if got, want := fmt.Sprint(again.GoVersion, again.GOARCH, again.Packages), fmt.Sprint(v.GoVersion, v.GOARCH, v.Packages); got != want {
				t.Errorf("the header is\n%s\nafter it was\n%s", got, want)
			}
			want := p.check(v, p.fromExport())
			got := p.check(again, again.Import)
			for _, errs := range [][]error{want.errors, got.errors} {
				for _, err := range errs[:min(len(errs), 5)] {
					t.Error(err)
				}
			}
			count := 0
			for path := range p.kept {
				a, b := want.facts(p.fset, path), got.facts(p.fset, path)
				count += len(a)
				if len(a) != len(b) {
					t.Errorf("%s: %d facts, and %d with the view", path, len(a), len(b))
				}
				wrong := 0
				for i := range min(len(a), len(b)) {
					if a[i] != b[i] {
						if wrong++; wrong <= 5 {
							t.Errorf("by export data %s\nby the view %s", a[i], b[i])
						}
					}
				}
			}
			if count < 100 {
				t.Errorf("only %d facts were compared", count)
			}
			t.Logf("%d facts", count)
			for _, pkg := range imported {
				if pkg == types.Unsafe {
					continue
				}
				sameExports(t, pkg, again)
			}
		})
	}
}

// fromExport imports from export data, in which kept packages are those of source:
// that takes what was read once more for each, with these in place.
func (p *program) fromExport() func(path string, own func(string) (*types.Package, error)) (*types.Package, error) {
	exported := make(map[string]*types.Package)
	return func(path string, own func(string) (*types.Package, error)) (*types.Package, error) {
		if p.kept[path] {
			return own(path)
		}
		packages.Visit([]*packages.Package{p.all[path]}, nil, func(dep *packages.Package) {
			if p.kept[dep.PkgPath] {
				exported[dep.PkgPath], _ = own(dep.PkgPath)
			}
		})
		saved := p.exported
		p.exported = exported
		defer func() { p.exported = saved }()
		return p.export(path), nil
	}
}

// sameExports compares the exported objects of a package with those that a view
// has.
func sameExports(t *testing.T, want *types.Package, v *View) {
	got, err := v.Import(want.Path(), nil)
	if err != nil {
		t.Fatal(err)
	}
	describe := func(pkg *types.Package) string {
		var out strings.Builder
		for _, name := range pkg.Scope().Names() {
			obj := pkg.Scope().Lookup(name)
			if !obj.Exported() {
				continue
			}
			fmt.Fprintln(&out, types.ObjectString(obj, nil))
			if c, ok := obj.(*types.Const); ok {
				fmt.Fprintln(&out, c.Val().ExactString(), c.Val().Kind())
			}
			named, ok := obj.Type().(*types.Named)
			if !ok || obj.Type() == nil {
				continue
			}
			var methods []string
			for m := range named.Methods() {
				methods = append(methods, types.ObjectString(m, nil)+m.Signature().Recv().Name())
			}
			slices.Sort(methods)
			fmt.Fprintln(&out, named.Underlying(), methods)
		}
		return out.String()
	}
	a, b := describe(want), describe(got)
	if a == b {
		return
	}
	x, y := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range min(len(x), len(y)) {
		if x[i] != y[i] {
			t.Errorf("%s:\n%s\nis in the view\n%s", want.Path(), x[i], y[i])
			return
		}
	}
	t.Errorf("%s: %d lines, and %d in the view", want.Path(), len(x), len(y))
}

// BenchmarkView is over what the packages of a large program import.
func BenchmarkView(b *testing.B) {
	p := loadProgram(b, ".", []string{"net/http", "go/types", "golang.org/x/tools/go/packages", "github.com/google/pprof/driver", "golang.org/x/perf/benchproc", "github.com/santhosh-tekuri/jsonschema/v6"})
	v, imported := p.view()
	var data bytes.Buffer
	b.Run("write", func(b *testing.B) {
		for b.Loop() {
			data.Reset()
			if err := Write(&data, v, imported, nil); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(data.Len()), "packed-bytes")
		b.ReportMetric(float64(len(imported)), "packages")
	})
	own := func(path string) (*types.Package, error) { return types.NewPackage(path, "x"), nil }
	b.Run("read", func(b *testing.B) {
		for b.Loop() {
			v, err := Read(data.Bytes(), DefaultLimits())
			if err != nil {
				b.Fatal(err)
			}
			for _, pkg := range imported {
				if _, err := v.Import(pkg.Path(), own); err != nil {
					b.Fatal(err)
				}
			}
		}
	})
}
