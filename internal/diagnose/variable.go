package diagnose

import "go/ast"

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
