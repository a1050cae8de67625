package typed

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"go/version"
	"runtime"
	"slices"
	"strings"

	"whet/internal/format/typeview"
)

// maxSourceBytes bounds what is parsed: generated files beyond it are not
// where a person makes a change.
const maxSourceBytes = 8 << 20

// Program is the measured program. Its packages are read when they are first
// asked for. It is used by one goroutine at a time.
type Program struct {
	view     *typeview.View
	text     func(frame string) []byte
	sizes    types.Sizes
	fset     *token.FileSet
	kept     map[string]*typeview.Package // by path
	of       map[string]string            // the package's path, by the frames' file
	first    map[string]bool              // elements of the kept packages' paths
	packages map[string]*Package          // nil: being read
}

// Package is a package whose source is kept.
type Package struct {
	Path, Name string
	Files      []*ast.File // those at hand, in the compiler's order
	Types      *types.Package
	Info       *types.Info
	// Errors is how many were met, and Reason the first of them in words, or why
	// the types may not be the build's; "" where there is none. Types is nil where
	// nothing of the package is typed.
	Errors int
	Reason string

	program   *Program
	frames    map[*ast.File]string
	files     map[string]*ast.File // by frame
	vars      *variables
	functions map[string]*Function // by symbol, without the package
	parents   map[ast.Decl]map[ast.Node]ast.Node
	sites     map[string][]Site // by the file that profiles name, sorted by line
	defined   map[types.Object]*ast.Ident
	runsNow   map[*ast.FuncLit]bool
}

// New returns the program of a view, whose sources text gives by the name that
// frames have for them; nil: it is not kept.
func New(view *typeview.View, text func(frame string) []byte) *Program {
	p := &Program{
		view: view, text: text, sizes: view.Sizes(), fset: token.NewFileSet(),
		kept: make(map[string]*typeview.Package), of: make(map[string]string), first: make(map[string]bool), packages: make(map[string]*Package),
	}
	for i := range view.Packages {
		k := &view.Packages[i]
		p.kept[k.Path] = k
		first, _, _ := strings.Cut(k.Path, "/")
		p.first[first] = true
		for _, frame := range k.Files {
			p.of[frame] = k.Path
		}
	}
	return p
}

// Positions returns the positions in all files of the program.
func (p *Program) Positions() *token.FileSet { return p.fset }

// Packages yields the packages whose source is kept, in the view's order.
func (p *Program) Packages(yield func(*Package) bool) {
	for i := range p.view.Packages {
		if pkg := p.Package(p.view.Packages[i].Path); pkg != nil && !yield(pkg) {
			return
		}
	}
}

// Package returns a package by its path, nil where its source is not kept.
func (p *Program) Package(path string) *Package {
	pkg, ok := p.packages[path]
	if k := p.kept[path]; !ok && k != nil {
		p.packages[path] = nil // what imports it now is a cycle
		pkg = p.read(k)
		p.packages[path] = pkg
	}
	return pkg
}

// FileOf returns the package and the syntax of a frame's file, nil where it is
// not kept or does not parse.
func (p *Program) FileOf(frame string) (*Package, *ast.File) {
	pkg := p.Package(p.of[frame])
	if pkg != nil {
		if f := pkg.files[frame]; f != nil {
			return pkg, f
		}
	}
	return nil, nil
}

// Frame returns the name that frames have for a file of the package.
func (p *Package) Frame(f *ast.File) string { return p.frames[f] }

// read parses and checks a package.
func (p *Program) read(k *typeview.Package) *Package {
	pkg := &Package{Path: k.Path, Name: k.Name, Reason: k.Uncertain, program: p, frames: make(map[*ast.File]string), files: make(map[string]*ast.File), parents: make(map[ast.Decl]map[ast.Node]ast.Node), runsNow: make(map[*ast.FuncLit]bool)}
	for _, frame := range k.Files {
		text := p.text(frame)
		switch {
		case text == nil:
			pkg.fault(fmt.Errorf("%s is not kept", frame))
			continue
		case len(text) > maxSourceBytes:
			pkg.fault(fmt.Errorf("%s is larger than %d MiB", frame, maxSourceBytes>>20))
			continue
		}
		f, err := parser.ParseFile(p.fset, frame, text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			pkg.fault(err)
			continue
		}
		pkg.Files = append(pkg.Files, f)
		pkg.frames[f], pkg.files[frame] = frame, f
	}
	if lang := version.Lang(runtime.Version()); lang != "" && version.Compare(version.Lang(k.GoVersion), lang) > 0 {
		pkg.Reason = fmt.Sprintf("it is written in %s, and this whet knows Go up to %s", k.GoVersion, lang)
		return pkg
	}
	pkg.check(k)
	return pkg
}

// fault counts an error.
func (p *Package) fault(err error) {
	if p.Errors == 0 {
		p.Reason = err.Error()
	}
	p.Errors++
}

// check runs the type checker. It is made for code that compiles, and what a
// recording holds may be half of a program, or anything: where it fails on it,
// the package has no types.
func (p *Package) check(k *typeview.Package) {
	if len(p.Files) == 0 {
		return
	}
	defer func() {
		if r := recover(); r != nil {
			p.Types, p.Info = nil, nil
			p.fault(fmt.Errorf("the type checker failed: %v", r))
		}
	}()
	p.Info = &types.Info{
		Types: make(map[ast.Expr]types.TypeAndValue), Defs: make(map[*ast.Ident]types.Object), Uses: make(map[*ast.Ident]types.Object),
		Selections: make(map[*ast.SelectorExpr]*types.Selection), Implicits: make(map[ast.Node]types.Object),
		Instances: make(map[*ast.Ident]types.Instance),
	}
	conf := types.Config{
		Importer: imports{p.program, k}, Sizes: p.program.sizes, GoVersion: k.GoVersion,
		FakeImportC: true, DisableUnusedImportCheck: true, Error: p.fault,
	}
	p.Types, _ = conf.Check(k.Path, p.program.fset, p.Files, p.Info) // Error has its errors
}

// imports finds what one package imports.
type imports struct {
	program *Program
	of      *typeview.Package
}

func (i imports) Import(path string) (*types.Package, error) {
	if to, ok := i.of.Imports[path]; ok {
		path = to
	}
	return i.program.view.Import(path, i.program.own)
}

var errCycle = errors.New("it imports itself")

func (p *Program) own(path string) (*types.Package, error) {
	switch pkg := p.Package(path); {
	case pkg == nil:
		return nil, errCycle
	case pkg.Types == nil:
		return nil, errors.New(pkg.Reason)
	default:
		return pkg.Types, nil
	}
}

// Missing says, of the packages that have been read, which are not typed or not in
// full, and why, in the view's order. typed reports whether any of them is, or
// none has been asked for.
func (p *Program) Missing() (reasons []string, typed bool) {
	read := 0
	for i := range p.view.Packages {
		pkg := p.packages[p.view.Packages[i].Path]
		if pkg == nil {
			continue
		}
		read++
		typed = typed || pkg.Types != nil
		if pkg.Reason != "" {
			reasons = append(reasons, fmt.Sprintf("%s: %s", pkg.Path, pkg.Reason))
		}
	}
	return reasons, typed || read == 0
}

// Standard reports whether a package is of the standard library: no dot is in the first
// element of its path, and no package whose source is kept shares that element.
func (p *Program) Standard(pkg *types.Package) bool {
	if pkg == nil {
		return false
	}
	first, _, _ := strings.Cut(pkg.Path(), "/")
	return !strings.Contains(first, ".") && !p.first[first]
}

// Line returns the file and line of a position as profiles name them: line
// directives count.
func (p *Program) Line(pos token.Pos) (file string, line int) {
	at := p.fset.Position(pos)
	return at.Filename, at.Line
}

// Declaration returns the declaration around a position, nil if there is none.
func (p *Package) Declaration(pos token.Pos) ast.Decl {
	for _, f := range p.Files {
		if f.FileStart <= pos && pos < f.FileEnd {
			i, _ := slices.BinarySearchFunc(f.Decls, pos, func(d ast.Decl, pos token.Pos) int {
				if d.End() <= pos {
					return -1
				}
				return 1
			})
			if i < len(f.Decls) && f.Decls[i].Pos() <= pos {
				return f.Decls[i]
			}
		}
	}
	return nil
}
