package diagnose

import (
	"go/ast"
	"go/token"

	"whet/internal/symbolname"
)

// Declared is what the source says about functions and interface methods of
// the user's own files.
type Declared struct {
	// VariadicAny: the last parameter is ...any.
	VariadicAny bool
}

// DeclaredFunctions reads the declarations of every file that typed calls were
// recorded for, by the name the linker gives them. Interface methods are
// "package.Interface.Method".
func (s *Subject) DeclaredFunctions() map[string]Declared {
	if s.declared != nil {
		return s.declared
	}
	s.declared = make(map[string]Declared)
	for file, calls := range s.Calls {
		sf := s.parsed(file)
		if sf == nil || len(calls) == 0 {
			continue
		}
		pkg := symbolname.Package(calls[0].In)
		for _, d := range sf.ast.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				s.declared[pkg+"."+LinkerName(d)] = Declared{VariadicAny: variadicAny(d.Type)}
			case *ast.GenDecl:
				if d.Tok == token.TYPE {
					s.declareInterfaces(pkg, d)
				}
			}
		}
	}
	return s.declared
}

func (s *Subject) declareInterfaces(pkg string, d *ast.GenDecl) {
	for _, spec := range d.Specs {
		ts, ok := spec.(*ast.TypeSpec)
		if !ok {
			continue
		}
		it, ok := ts.Type.(*ast.InterfaceType)
		if !ok {
			continue
		}
		for _, m := range it.Methods.List {
			ft, ok := m.Type.(*ast.FuncType)
			if !ok {
				continue
			}
			for _, n := range m.Names {
				s.declared[pkg+"."+ts.Name.Name+"."+n.Name] = Declared{VariadicAny: variadicAny(ft)}
			}
		}
	}
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

func variadicAny(t *ast.FuncType) bool {
	if t.Params == nil || len(t.Params.List) == 0 {
		return false
	}
	e, ok := t.Params.List[len(t.Params.List)-1].Type.(*ast.Ellipsis)
	if !ok {
		return false
	}
	switch x := e.Elt.(type) {
	case *ast.Ident:
		return x.Name == "any"
	case *ast.InterfaceType:
		return x.Methods == nil || len(x.Methods.List) == 0
	}
	return false
}

// VariableNamed returns the value that a package variable or constant of the
// user's own starts with, and its written type; nil for each that is not there
// or not at hand. Files without a recorded call are not looked at.
func (s *Subject) VariableNamed(pkg, name string) (value, typ ast.Expr) {
	s.eachDecl(func(p, _ string, d ast.Decl) {
		gd, ok := d.(*ast.GenDecl)
		if !ok || p != pkg {
			return
		}
		for _, spec := range gd.Specs {
			vs, ok := spec.(*ast.ValueSpec)
			if !ok {
				continue
			}
			for i, id := range vs.Names {
				if id.Name == name {
					typ = vs.Type
					if len(vs.Values) == len(vs.Names) {
						value = vs.Values[i]
					}
				}
			}
		}
	})
	return value, typ
}
