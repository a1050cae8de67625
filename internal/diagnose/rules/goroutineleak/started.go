package goroutineleak

import (
	"go/ast"
	"go/types"
	"strings"

	"whet/internal/callstack"
	"whet/internal/diagnose"
	"whet/internal/symbolname"
)

// startedAt is the statement that starts goroutines with a first function: the
// go statement, or the call of somebody's Go, that has it as a literal, or the
// only go statement that names it. sure is false where there is none, or several:
// the place is then the function's own.
func startedAt(s *diagnose.Subject, first *callstack.Frame) (p diagnose.Place, sure bool) {
	p = diagnose.Place{Function: first.Function, File: first.File, Line: first.Line, EndLine: first.Line}
	outer, made := symbolname.Cut(first.Function)
	if made == symbolname.GoCall {
		p.Function = outer
		return p, true // what the compiler makes of a go statement stands on its line
	}
	fset, file := s.Parsed(first.File)
	if file == nil {
		return p, false
	}
	line := func(n ast.Node) int { return fset.Position(n.Pos()).Line }
	inside := func(n ast.Node) bool { return line(n) <= first.Line && first.Line <= fset.Position(n.End()).Line }
	if made != symbolname.Written {
		ast.Inspect(file, func(n ast.Node) bool {
			if n == nil || !inside(n) {
				return n == nil || n == file
			}
			switch n := n.(type) {
			case *ast.GoStmt:
				if lit, ok := n.Call.Fun.(*ast.FuncLit); ok && inside(lit) {
					p.Line, p.EndLine, sure = line(n), fset.Position(n.End()).Line, true
				}
			case *ast.CallExpr:
				if name := called(n); name == "Go" || name == "AfterFunc" {
					for _, arg := range n.Args {
						if lit, ok := arg.(*ast.FuncLit); ok && inside(lit) {
							p.Line, p.EndLine, sure = line(n), fset.Position(n.End()).Line, true
						}
					}
				}
			}
			return true
		})
		if sure {
			p.Function = outer
		}
		return p, sure
	}
	if s.Program == nil {
		return p, false
	}
	of := s.Program.FuncOf(first.Function)
	if of == nil || of.Object == nil {
		return p, false
	}
	var found []diagnose.Place
	for pkg := range s.Program.Packages {
		if pkg.Types == nil {
			continue
		}
		for fn := range pkg.Functions {
			ast.Inspect(fn.Decl, func(n ast.Node) bool {
				var starts types.Object
				switch n := n.(type) {
				case *ast.GoStmt:
					starts = origin(pkg.Function(n.Call))
				case *ast.CallExpr:
					if called(n) == "Go" && len(n.Args) == 1 {
						starts = origin(pkg.Object(n.Args[0]))
					}
				}
				if starts != of.Object {
					return true
				}
				symbol := pkg.Symbol(fn.Decl)
				if rest, ok := strings.CutPrefix(symbol, pkg.Path+"."); ok && strings.HasPrefix(first.Function, "main.") && pkg == of.Package {
					symbol = "main." + rest // the linker calls a program's main package so
				}
				found = append(found, diagnose.Place{Function: symbol, File: fn.File, Line: s.LineAt(n.Pos()), EndLine: s.LineAt(n.End())})
				return true
			})
		}
	}
	if len(found) == 1 {
		return found[0], true
	}
	return p, false
}

// origin is the declared function that one with type arguments is made of.
func origin(obj types.Object) types.Object {
	if fn, _ := obj.(*types.Func); fn != nil {
		return fn.Origin()
	}
	return obj
}

func called(call *ast.CallExpr) string { return lastName(call.Fun) }

func lastName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return e.Sel.Name
	case *ast.IndexExpr:
		return lastName(e.X)
	}
	return ""
}
