package diagnose

import (
	"go/ast"

	"whet/internal/symbolname"
	"whet/internal/typed"
)

// FunctionNamed returns the declaration of a function of the user's own by the
// name the linker gives it, and its file; nil where its source is not at hand.
func (s *Subject) FunctionNamed(name string) (fn *ast.FuncDecl, file string) {
	if _, made := symbolname.Cut(name); s.Program == nil || made != symbolname.Written {
		return nil, ""
	}
	if f := s.Program.FuncOf(name); f != nil {
		return f.Decl, f.File
	}
	return nil, ""
}

// FunctionOf is a declared function of the user's own by the name the linker gives
// it, nil where it is not typed.
func (s *Subject) FunctionOf(name string) *typed.Function {
	if _, made := symbolname.Cut(name); s.Program == nil || made != symbolname.Written {
		return nil
	}
	if f := s.Program.FuncOf(name); f != nil && f.Object != nil {
		return f
	}
	return nil
}

// PackageOf returns the package that a file is of, nil where it is not typed.
func (s *Subject) PackageOf(file string) *typed.Package {
	if s.Program != nil {
		if pkg, _ := s.Program.FileOf(file); pkg != nil && pkg.Types != nil {
			return pkg
		}
	}
	return nil
}

// LastLineOf returns the line that a node of a parsed file ends on, 0 where the
// file's source is not at hand.
func (s *Subject) LastLineOf(file string, n ast.Node) int {
	if sf := s.parsed(file); sf != nil {
		return sf.fset.Position(n.End()).Line
	}
	return 0
}
