package compiler

import (
	"bytes"
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
	"runtime"
	"slices"
	"strings"

	"golang.org/x/tools/go/gcexportdata"
	"golang.org/x/tools/go/packages"

	"whet/internal/format/typeview"
	"whet/internal/gobench"
)

// Graph are the packages that a program or a test binary is built from, with
// where the compiler's export data of each lies.
type Graph struct {
	packages map[string]*packages.Package // by path, as this binary has them
	files    map[string]string            // Go files of the user's packages → path
}

// LoadGraph loads the packages of the target with the go command: with its tests, or
// without for a program. The build's results are in the cache.
func LoadGraph(ctx context.Context, t *gobench.Target, o gobench.BuildOptions, tests bool) (*Graph, error) {
	g := &Graph{packages: make(map[string]*packages.Package), files: make(map[string]string)}
	return g, g.load(ctx, t, o, tests, t.Operand)
}

// load adds packages and all they import that are not there yet.
func (g *Graph) load(ctx context.Context, t *gobench.Target, o gobench.BuildOptions, tests bool, patterns ...string) error {
	const mode = packages.NeedName | packages.NeedFiles | packages.NeedImports | packages.NeedDeps | packages.NeedExportFile | packages.NeedModule
	roots, err := loadPackages(ctx, t, o, mode, tests, patterns...)
	if err != nil {
		return err
	}
	// A package that is compiled with its tests, or anew because it imports one, is
	// another than without: the binary of the tests says which it has.
	if i := slices.IndexFunc(roots, func(p *packages.Package) bool { return p.Name == "main" && strings.HasSuffix(p.ID, ".test") }); tests && i >= 0 {
		roots = roots[i : i+1]
	}
	packages.Visit(roots, nil, func(p *packages.Package) {
		if g.packages[p.PkgPath] != nil {
			return
		}
		g.packages[p.PkgPath] = p
		for _, f := range p.GoFiles {
			if importPath(t, filepath.Dir(f)) != "" {
				g.files[f] = p.PkgPath
			}
		}
	})
	return nil
}

// packageOf returns the path of the user's package that a file belongs to; "" where
// none of these does. What a line directive names need not be a Go file.
func (g *Graph) packageOf(t *gobench.Target, file string) string {
	if path := g.files[file]; path != "" {
		return path
	}
	if path := importPath(t, filepath.Dir(file)); g.packages[path] != nil {
		return path
	}
	return ""
}

// MaxView is the largest size of a typed view in a recording.
const MaxView = 8 << 20

// View returns the typed view of the user's packages to which the files belong, a map
// from absolute names to those in the profiles, as a recording keeps it, and the names
// that frames have for all files of these packages, by their absolute names. g is a
// result of [LoadGraph], or nil to load it here. goVersion and goarch are the build's.
func View(ctx context.Context, t *gobench.Target, o gobench.BuildOptions, g *Graph, goVersion, goarch string, files map[string]string) (view []byte, sources map[string]string, err error) {
	defer func() {
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		if err != nil {
			err = fmt.Errorf("look up the types of what %s imports: %w", cmp.Or(t.ImportPath, t.Module), err)
		}
	}()
	if g == nil {
		g = &Graph{packages: make(map[string]*packages.Package), files: make(map[string]string)}
		tests := slices.ContainsFunc(slices.Collect(maps.Keys(files)), func(f string) bool { return strings.HasSuffix(f, "_test.go") })
		if t.Operand != "" {
			if err := g.load(ctx, t, o, tests, t.Operand); err != nil {
				return nil, nil, err
			}
		}
	}
	others := make(map[string]bool)
	for file := range files {
		if path := importPath(t, filepath.Dir(file)); path != "" && g.packageOf(t, file) == "" {
			others[path] = true
		}
	}
	if len(others) > 0 {
		if err := g.load(ctx, t, o, false, slices.Sorted(maps.Keys(others))...); err != nil {
			return nil, nil, err
		}
	}
	m := viewMaker{Graph: g, kept: make(map[string]bool), sources: make(map[string]string), fset: token.NewFileSet(), exported: make(map[string]*types.Package)}
	directories := make(map[string]string) // of packages, as frames have them
	for file, frame := range files {
		if path := g.packageOf(t, file); path != "" {
			m.kept[path] = true
			if dir, ok := strings.CutSuffix(frame, filepath.Base(file)); ok && g.files[file] != "" {
				directories[path] = dir
			}
		}
	}
	if len(m.kept) == 0 {
		return nil, nil, nil
	}
	v := &typeview.View{GoVersion: goVersion, GOARCH: cmp.Or(goarch, runtime.GOARCH)}
	for _, path := range slices.Sorted(maps.Keys(m.kept)) {
		v.Packages = append(v.Packages, m.keep(path, directories[path]))
	}
	imported, failed := m.imported()
	if len(imported) == 0 && failed != nil {
		return nil, nil, failed
	}
	view, err = m.encode(v, imported, MaxView)
	return view, m.sources, cmp.Or(err, failed)
}

// viewMaker makes a typed view.
type viewMaker struct {
	*Graph
	kept     map[string]bool   // packages
	sources  map[string]string // their files → as frames name them
	fset     *token.FileSet
	exported map[string]*types.Package
}

// keep describes a package whose sources are kept. dir is what the names of its
// files begin with in frames; "" unknown.
func (m *viewMaker) keep(path, dir string) typeview.Package {
	p := m.packages[path]
	out := typeview.Package{Path: path, Name: p.Name}
	if p.Module != nil && p.Module.GoVersion != "" {
		out.GoVersion = "go" + p.Module.GoVersion
	}
	for _, file := range p.GoFiles {
		frame := file
		if dir != "" {
			frame = dir + filepath.Base(file)
		}
		m.sources[file] = frame
		out.Files = append(out.Files, frame)
		if usesC(file) {
			out.Uncertain = "it uses cgo"
		}
	}
	if err := firstError(p); err != nil {
		out.Uncertain = err.Error()
	}
	for from, to := range p.Imports {
		if to.ExportFile == "" && to.PkgPath != "unsafe" && !m.kept[to.PkgPath] {
			out.Uncertain = "it imports " + to.PkgPath + ", which was not compiled"
		}
		if from != to.PkgPath {
			if out.Imports == nil {
				out.Imports = make(map[string]string)
			}
			out.Imports[from] = to.PkgPath
		}
	}
	return out
}

// usesC reports whether a file imports C.
func usesC(file string) bool {
	f, _ := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
	return f != nil && slices.ContainsFunc(f.Imports, func(i *ast.ImportSpec) bool { return i.Path.Value == `"C"` })
}

// imported reads the export data of what kept packages import. One that failed to
// be built has none: what uses it has errors then, and the rest is right.
func (m *viewMaker) imported() ([]*types.Package, error) {
	want := make(map[string]bool)
	for path := range m.kept {
		for _, p := range m.packages[path].Imports {
			if !m.kept[p.PkgPath] && p.PkgPath != "unsafe" {
				want[p.PkgPath] = true
			}
		}
	}
	var out []*types.Package
	var failed error
	for _, path := range slices.Sorted(maps.Keys(want)) {
		if m.packages[path].ExportFile == "" {
			continue
		}
		p, err := m.read(m.packages[path])
		if err != nil {
			failed = cmp.Or(failed, err)
			continue
		}
		out = append(out, p)
	}
	return out, failed
}

func (m *viewMaker) read(p *packages.Package) (*types.Package, error) {
	if done := m.exported[p.PkgPath]; done != nil && done.Complete() {
		return done, nil
	}
	f, err := os.Open(p.ExportFile)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	//lint:ignore SA1019 go list -export gives archives up to Go 1.27, and from 1.28 on what NewReader passes on as it is
	r, err := gcexportdata.NewReader(f)
	if err != nil {
		return nil, fmt.Errorf("read the export data of %s: %w", p.PkgPath, err)
	}
	out, err := gcexportdata.Read(r, m.fset, m.exported, p.PkgPath)
	if err != nil {
		return nil, fmt.Errorf("read the export data of %s: %w", p.PkgPath, err)
	}
	return out, nil
}

// encode writes a view of so many bytes at most: where all does not fit, of what
// the sources name.
func (m *viewMaker) encode(v *typeview.View, imported []*types.Package, most int) ([]byte, error) {
	var out bytes.Buffer
	err := typeview.Write(&out, v, imported, nil)
	if err == nil && out.Len() > most {
		out.Reset()
		err = typeview.Write(&out, v, imported, m.used())
	}
	if err == nil && out.Len() > most {
		err = fmt.Errorf("they take %d bytes, more than the limit of %d", out.Len(), most)
	}
	return out.Bytes(), err
}

// used reports of an object of an imported package whether a kept source may use
// it: one names something so.
func (m *viewMaker) used() func(types.Object) bool {
	names := make(map[string]bool)
	for file := range m.sources {
		f, _ := parser.ParseFile(m.fset, file, nil, parser.SkipObjectResolution)
		if f == nil {
			continue
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok && id.IsExported() {
				names[id.Name] = true
			}
			return true
		})
	}
	return func(obj types.Object) bool { return names[obj.Name()] }
}
