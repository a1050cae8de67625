package diagnose

import (
	"go/ast"
	"go/token"
	"maps"
	"slices"

	"whet/internal/diagnose/syntax"
	"whet/internal/symbolname"
)

// namedFunction is a declaration and the file it stands in.
type namedFunction struct {
	node *ast.FuncDecl
	file string
}

// FunctionNamed returns the declaration of a function of the user's own by the
// name the linker gives it, and its file; nil where its source is not at hand.
// Files without a recorded call are not looked at.
func (s *Subject) FunctionNamed(name string) (fn *ast.FuncDecl, file string) {
	if s.named == nil {
		s.named = make(map[string]namedFunction)
		s.eachDecl(func(pkg, file string, d ast.Decl) {
			if fd, ok := d.(*ast.FuncDecl); ok && fd.Body != nil {
				s.named[pkg+"."+LinkerName(fd)] = namedFunction{fd, file}
			}
		})
	}
	f := s.named[name]
	return f.node, f.file
}

// EachFunction calls f for every declared function of the user's own whose
// source is at hand, with its package's path and its file, in order. Files
// without a recorded call are not looked at.
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
	for _, file := range slices.Sorted(maps.Keys(s.Calls)) {
		calls := s.Calls[file]
		sf := s.parsed(file)
		if sf == nil || len(calls) == 0 {
			continue
		}
		pkg := symbolname.Package(calls[0].In)
		for _, d := range sf.ast.Decls {
			f(pkg, file, d)
		}
	}
}

// CalleeOf returns the linker name of what a call expression in a file calls,
// "" where it was not recorded or the line has several calls of that name with
// different callees.
func (s *Subject) CalleeOf(file string, call *ast.CallExpr) string {
	line, name := s.LineOf(file, call), calledName(call)
	callee := ""
	for _, c := range s.Calls[file] {
		if c.Line != line || symbolname.Parse(c.Callee).Name != name {
			continue
		}
		if callee != "" && callee != c.Callee {
			return ""
		}
		callee = c.Callee
	}
	return callee
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
		decl, file := s.FunctionNamed(s.CalleeOf(files[from], call))
		if decl == nil {
			return nil
		}
		to := syntax.New(decl)
		files[to] = file
		return to
	}}, files
}
