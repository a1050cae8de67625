package diagnose

import (
	"go/ast"
	"go/token"
	"go/types"

	"whet/internal/symbolname"
	"whet/internal/typed"
)

// Function is a declared function of a parsed source file, for rules that
// read what runs between two of its statements.
type Function struct {
	Node *ast.FuncDecl
	Name string // as the linker names it, without the package: "(*T).M"
	File string // as the frames have it
	fset *token.FileSet
}

// FunctionAt returns the declared function around a line of a frame's file,
// nil where there is none or no source.
func (s *Subject) FunctionAt(file string, line int) *Function {
	sf := s.parsed(file)
	if sf == nil {
		return nil
	}
	for _, d := range sf.ast.Decls {
		if fd, ok := d.(*ast.FuncDecl); ok && fd.Body != nil && s.LineAt(fd.Pos()) <= line && line <= s.LineAt(fd.End()) {
			return &Function{Node: fd, Name: LinkerName(fd), File: file, fset: sf.fset}
		}
	}
	return nil
}

// Line returns the line of a position in the function.
func (f *Function) Line(pos token.Pos) int { return f.fset.Position(pos).Line }

// FunctionOf returns a declared function of the user's own by its linker
// name, nil if its source is not available. Its object is nil if it is not typed.
func (s *Subject) FunctionOf(name string) *typed.Function {
	if _, made := symbolname.Cut(name); s.Program == nil || made != symbolname.Written {
		return nil
	}
	return s.Program.FuncOf(name)
}

// PackageOf returns the package of a file, nil if it is not typed.
func (s *Subject) PackageOf(file string) *typed.Package {
	if s.Program != nil {
		if pkg, _ := s.Program.FileOf(file); pkg != nil && pkg.Types != nil {
			return pkg
		}
	}
	return nil
}

// TakesAny reports whether a function of the user's own, or a method of an
// interface, takes any number of values of any type, by its linker name;
// an interface's is "package.Interface.Method".
func (s *Subject) TakesAny(name string) bool {
	if s.Program == nil {
		return false
	}
	fn := s.Program.Object(name)
	if fn == nil || !fn.Signature().Variadic() {
		return false
	}
	params := fn.Signature().Params()
	last, ok := params.At(params.Len() - 1).Type().(*types.Slice)
	if !ok {
		return false
	}
	it, ok := last.Elem().Underlying().(*types.Interface)
	return ok && it.Empty()
}

// LinkerName returns "F", "T.M" or "(*T).M".
func LinkerName(d *ast.FuncDecl) string {
	if d.Recv == nil || len(d.Recv.List) == 0 {
		return d.Name.Name
	}
	t := d.Recv.List[0].Type
	star, pointer := t.(*ast.StarExpr)
	if pointer {
		t = star.X
	}
	switch x := t.(type) {
	case *ast.IndexExpr:
		t = x.X
	case *ast.IndexListExpr:
		t = x.X
	}
	id, ok := t.(*ast.Ident)
	switch {
	case !ok:
		return d.Name.Name
	case pointer:
		return "(*" + id.Name + ")." + d.Name.Name
	}
	return id.Name + "." + d.Name.Name
}
