package escape

import (
	"cmp"
	"path/filepath"
	"strings"

	"whet/internal/format/compiler"
	"whet/internal/format/gosource"
	"whet/internal/symbolname"
)

// Options are the inputs of a result.
type Options struct {
	// Source returns the text of a file, nil where there is none.
	Source func(file string) []byte
	// Package returns the import path of the package that a file belongs to, "" where
	// that is not known: a generic function is compiled with the packages that use it.
	Package func(file string) string
	// Allocs and CPU are profiles of a recording; nil: none.
	Allocs, CPU *Profile
}

// Result is the compiler's decisions by kind.
type Result struct {
	Escapes  []Escape
	Inlining []Inlining
	Checks   []Check
	Leaks    []Leak
	Causes   []Cause // of values that escape through parameters, the dearest first
	// Others are diagnostics that are known by their text alone.
	Others []compiler.Other
	// JSON is false where the compiler's text alone is known: checks and calls that were
	// not inlined are unknown then.
	JSON bool
	// Unplaced are the parts of the profiles' totals that no escape, and no decision, has.
	Allocs, CPU *Account
	Warnings    []string
}

// Site has the attributes that all decisions share in addition to their location.
type Site struct {
	Function string // symbol of the declared function around it; "" unknown
	Code     string // the line of source, without indent; "" unknown
	Foreign  bool   // the function is of another package than was compiled: a generic one, or cgo made it
	Cost
}

// Escape is a value that is allocated on the heap.
type Escape struct {
	compiler.Escape
	Site
	Cause int // in Result.Causes; -1: none
}

// Inlining is the compiler's decision on a call or a function.
type Inlining struct {
	compiler.Inlining
	Site
}

// Check is a check that the compiler did not eliminate.
type Check struct {
	compiler.Check
	Site
}

// Leak is a parameter whose pointee leaves its function.
type Leak struct {
	compiler.Leak
	Site
}

// Analyze combines the compiler's decisions with the source and with profiles.
func Analyze(r *compiler.Report, o Options) *Result {
	a := &analysis{o: o, files: make(map[string]*file)}
	res := &Result{JSON: r.JSON, Others: r.Others}
	for _, e := range r.Escapes {
		res.Escapes = append(res.Escapes, Escape{e, a.site(&e.Location, e.Function), -1})
	}
	for _, n := range r.Inlining {
		name := n.Function
		if n.OfCall() {
			name = ""
		}
		res.Inlining = append(res.Inlining, Inlining{n, a.site(&n.Location, name)})
	}
	for _, c := range r.Checks {
		res.Checks = append(res.Checks, Check{c, a.site(&c.Location, "")})
	}
	for _, l := range r.Leaks {
		res.Leaks = append(res.Leaks, Leak{l, a.site(&l.Location, l.Function)})
	}
	a.charge(res)
	newCauses(a, r).find(res)
	return res
}

type analysis struct {
	o     Options
	files map[string]*file
}

// file is a file of source.
type file struct {
	lines     []string
	functions []*gosource.Function
	external  bool
}

func (a *analysis) file(name string) *file {
	f, ok := a.files[name]
	if !ok {
		f = &file{}
		if a.o.Source != nil {
			if text := a.o.Source(name); text != nil {
				f.lines = strings.Split(string(text), "\n")
				if strings.HasSuffix(name, ".go") {
					f.functions, f.external = gosource.Functions(text)
				}
			}
		}
		a.files[name] = f
	}
	return f
}

func (f *file) line(n int) string {
	if n < 1 || n > len(f.lines) {
		return ""
	}
	return strings.TrimSpace(f.lines[n-1])
}

// site finds the function around a place; name is what the compiler calls it, "" where
// it does not say.
func (a *analysis) site(p *compiler.Location, name string) Site {
	f := a.file(p.File)
	written := p.Written()
	pkg := p.Package
	if a.o.Package != nil {
		pkg = cmp.Or(a.o.Package(p.File), pkg)
	}
	s := Site{Code: a.file(written.File).line(written.Line), Foreign: pkg != strings.TrimSuffix(p.Package, "_test") || madeByCgo(p.File)}
	if fn := gosource.At(f.functions, gosource.Position{Line: p.Line, Col: p.Col}); fn != nil {
		s.Function = symbol(pkg, f.external, fn.Name)
	} else if name != "" && len(f.functions) == 0 { // a line directive's
		s.Function = symbolname.Parse(symbol(pkg, false, name)).Declared()
	} else if len(f.functions) > 0 && f.line(p.Line) != "" && pkg != "" {
		s.Function = symbol(pkg, f.external, gosource.Init) // a variable's value
	}
	return s
}

// madeByCgo reports whether cgo made a file: whose lines nobody has written.
func madeByCgo(file string) bool {
	base := filepath.Base(file)
	return strings.HasPrefix(base, "_cgo_") || strings.HasSuffix(base, ".cgo1.go")
}

// symbol returns a function's name as profiles have it, but for a program's main package.
func symbol(pkg string, external bool, name string) string {
	if external && !strings.HasSuffix(pkg, "_test") {
		pkg += "_test"
	}
	return symbolname.Escape(pkg) + "." + name
}
