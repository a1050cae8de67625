package typed

import (
	"go/ast"
	"go/types"
	"strings"

	"whet/internal/symbolname"
)

// Function is a declared function with a body.
type Function struct {
	Package *Package
	File    string // as frames have it
	Decl    *ast.FuncDecl
	Object  *types.Func // nil where it is not typed
}

// In returns the symbol of the declared function that a declaration is, or of the
// function that sets the package's variables.
func (p *Package) In(d ast.Decl) string {
	fn, ok := d.(*ast.FuncDecl)
	if !ok {
		return p.prefix() + ".init"
	}
	return p.Symbol(fn)
}

// prefix begins the symbols of the package.
func (p *Package) prefix() string { return symbolname.Escape(p.Path) }

// Symbol returns the name that the linker gives to a declared function; functions
// called init are numbered in the order of the files.
func (p *Package) Symbol(fn *ast.FuncDecl) string {
	if fn.Recv == nil && fn.Name.Name == "init" {
		n := 0
		for _, f := range p.Files {
			for _, d := range f.Decls {
				if other, ok := d.(*ast.FuncDecl); ok && other.Recv == nil && other.Name.Name == "init" {
					if other == fn {
						return initName(p.prefix(), n)
					}
					n++
				}
			}
		}
	}
	if obj := p.Func(fn); obj != nil {
		return Symbol(obj)
	}
	return p.prefix() + "." + fn.Name.Name
}

// Func returns the object of a declared function, nil where it is not typed.
func (p *Package) Func(fn *ast.FuncDecl) *types.Func {
	if p.Info == nil {
		return nil
	}
	obj, _ := p.Info.Defs[fn.Name].(*types.Func)
	return obj
}

// FuncOf returns the declared function that a symbol names or belongs to, as its
// literals do; nil where its source is not kept.
func (p *Program) FuncOf(symbol string) *Function {
	name := symbolname.Parse(symbol)
	if name.ReceiverArgs != "" {
		name.ReceiverArgs = "[...]"
	}
	if name.Args != "" {
		name.Args = "[...]"
	}
	pkg := p.packageOf(name)
	if pkg == nil {
		return nil
	}
	if pkg.functions == nil {
		pkg.functions = make(map[string]*Function)
		for fn := range pkg.Functions {
			pkg.functions[strings.TrimPrefix(pkg.Symbol(fn.Decl), pkg.prefix())] = fn
		}
	}
	_, local := symbolname.Split(name.Declared())
	if name.Name == "init" && name.Receiver == "" { // init.0.func1
		number, _, _ := strings.Cut(strings.TrimPrefix(name.Made, "."), ".")
		local += "." + number
	}
	return pkg.functions[local]
}

// Object returns the function or method that a symbol names, of a package whose
// source is kept; nil for any other. It need not have a body: methods of interfaces
// are found too.
func (p *Program) Object(symbol string) *types.Func {
	name := symbolname.Parse(symbol)
	pkg := p.packageOf(name)
	if pkg == nil || pkg.Types == nil || name.Made != "" {
		return nil
	}
	if name.Receiver == "" {
		fn, _ := pkg.Types.Scope().Lookup(name.Name).(*types.Func)
		return fn
	}
	of := pkg.Types.Scope().Lookup(name.Receiver)
	if of == nil {
		return nil
	}
	obj, _, _ := types.LookupFieldOrMethod(of.Type(), true, pkg.Types, name.Name)
	fn, _ := obj.(*types.Func)
	return fn
}

// Functions yields the declared functions that have a body, in source order.
func (p *Package) Functions(yield func(*Function) bool) {
	for _, f := range p.Files {
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Body != nil {
				file, _ := p.program.Line(fn.Pos())
				if !yield(&Function{Package: p, File: file, Decl: fn, Object: p.Func(fn)}) {
					return
				}
			}
		}
	}
}

// packageOf returns the package of a name, nil where its source is not kept. A program's
// main package is main or goes by its path: the only one that is kept is meant.
func (p *Program) packageOf(name symbolname.Name) *Package {
	if pkg := p.Package(name.Package); pkg != nil || name.Package != "main" {
		return pkg
	}
	found := ""
	for i := range p.view.Packages {
		if k := &p.view.Packages[i]; k.Name == "main" {
			if found != "" {
				return nil
			}
			found = k.Path
		}
	}
	return p.Package(found)
}

// EachCall visits the calls in a function and, so many levels down, in those of the
// program's own that it calls where visit asks for that, each function once. None are
// known of a nil function, and of one that is not typed.
func (f *Function) EachCall(levels int, visit func(Site) (follow bool)) {
	seen := make(map[*ast.FuncDecl]bool)
	for level := []*Function{f}; len(level) > 0 && levels > 0; levels-- {
		var next []*Function
		for _, f := range level {
			if f == nil || f.Object == nil || seen[f.Decl] {
				continue
			}
			seen[f.Decl] = true
			ast.Inspect(f.Decl, func(n ast.Node) bool {
				if call, ok := n.(*ast.CallExpr); ok && visit(Site{call, f.Package}) {
					next = append(next, f.Package.Reached(call))
				}
				return true
			})
		}
		level = next
	}
}
