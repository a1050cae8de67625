package diagnose

import (
	"go/ast"
	"go/token"

	"whet/internal/diagnose/syntax"
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

// EachFunction calls f for every declared function of the user's own whose
// source is at hand, with its package's path and its file, in order.
func (s *Subject) EachFunction(f func(pkg, file string, fn *ast.FuncDecl)) {
	s.eachDecl(func(pkg, file string, d ast.Decl) {
		if fd, ok := d.(*ast.FuncDecl); ok && fd.Body != nil {
			f(pkg, file, fd)
		}
	})
}

// StructNamed returns the fields of a struct type of the user's own, by its
// package's path and its name; nil where it is none or not at hand.
func (s *Subject) StructNamed(pkg, name string) (fields *ast.StructType) {
	s.eachDecl(func(p, _ string, d ast.Decl) {
		gd, ok := d.(*ast.GenDecl)
		if !ok || gd.Tok != token.TYPE || p != pkg {
			return
		}
		for _, spec := range gd.Specs {
			if ts, ok := spec.(*ast.TypeSpec); ok && ts.Name.Name == name {
				if t, ok := ts.Type.(*ast.StructType); ok {
					fields = t
				}
			}
		}
	})
	return fields
}

func (s *Subject) eachDecl(f func(pkg, file string, d ast.Decl)) {
	if s.Program == nil {
		return
	}
	for pkg := range s.Program.Packages {
		for _, syntax := range pkg.Files {
			for _, d := range syntax.Decls {
				f(pkg.Path, pkg.Frame(syntax), d)
			}
		}
	}
}

// CalleeOf returns the linker name of what a call expression in a file calls,
// "" where it is not known.
func (s *Subject) CalleeOf(file string, call *ast.CallExpr) string {
	if pkg := s.PackageOf(file); pkg != nil {
		return pkg.Called(call)
	}
	return ""
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

// Ends reports whether nothing of what a variable of a function in a file holds
// outlives the function's call; see [syntax.Lifetime]. followed: it rests on the
// source of other functions too, which the variable is handed to.
func (s *Subject) Ends(file string, fn *syntax.Function, d syntax.Declaration, shares func(method string) bool) (ends, followed bool) {
	life, files := s.lifetime(file, fn, shares)
	ends = life.Ends(fn, d)
	return ends, len(files) > 1
}

// ValueEnds is Ends for the value of an expression that no variable takes.
func (s *Subject) ValueEnds(file string, fn *syntax.Function, value ast.Expr, shares func(method string) bool) (ends, followed bool) {
	life, files := s.lifetime(file, fn, shares)
	ends = life.ValueEnds(fn, value)
	return ends, len(files) > 1
}

// lifetime also returns the functions that it has looked into, with their files.
func (s *Subject) lifetime(file string, fn *syntax.Function, shares func(method string) bool) (*syntax.Lifetime, map[*syntax.Function]string) {
	files := map[*syntax.Function]string{fn: file}
	return &syntax.Lifetime{Shares: shares, Callee: func(from *syntax.Function, call *ast.CallExpr) *syntax.Function {
		if pkg := s.PackageOf(files[from]); pkg == nil || pkg.MethodExpression(call) { // whose first argument is the receiver
			return nil
		}
		decl, file := s.FunctionNamed(s.CalleeOf(files[from], call))
		if decl == nil {
			return nil
		}
		to := syntax.New(decl)
		files[to] = file
		return to
	}}, files
}
