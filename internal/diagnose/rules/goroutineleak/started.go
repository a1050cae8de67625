package goroutineleak

import (
	"go/ast"
	"strings"

	"whet/internal/callstack"
	"whet/internal/diagnose"
	"whet/internal/symbolname"
	"whet/internal/typed"
)

// startedAt returns the statement that starts goroutines with a first function: the
// go statement, or the call of somebody's Go, that has it as a literal, or the
// only one that names it. sure is false where there is none, or several: the place is
// then the function's own.
func startedAt(s *diagnose.Subject, first *callstack.Frame) (p diagnose.Location, sure bool) {
	p = diagnose.Location{Function: first.Function, File: first.File, Line: first.Line, EndLine: first.Line}
	outer, made := symbolname.Cut(first.Function)
	switch made {
	case symbolname.GoCall:
		p.Function = outer
		return p, true // what the compiler makes of a go statement stands on its line
	case symbolname.Written:
		return namedAt(s, first, p)
	}
	if s.Program == nil {
		return p, false
	}
	pkg, file := s.Program.FileOf(first.File)
	if pkg == nil || pkg.Types == nil {
		return p, false
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if n == nil || s.LineAt(n.Pos()) > first.Line || s.LineAt(n.End()) < first.Line {
			return n == file
		}
		if lit, ok := n.(*ast.FuncLit); ok {
			if by := starts(pkg, lit); by != nil { // the innermost comes last
				p, sure = diagnose.Location{Function: outer, File: first.File, Line: s.LineAt(by.Pos()), EndLine: s.LineAt(by.End())}, true
			}
		}
		return true
	})
	return p, sure
}

// namedAt is startedAt for a declared function.
func namedAt(s *diagnose.Subject, first *callstack.Frame, own diagnose.Location) (p diagnose.Location, sure bool) {
	of := s.FunctionOf(first.Function)
	if of == nil || of.Object == nil {
		return own, false
	}
	p = own
	for pkg := range s.Program.Packages {
		if pkg.Types == nil {
			continue
		}
		for _, id := range pkg.Uses(of.Object) {
			n := starts(pkg, pkg.Operand(id))
			if n == nil {
				continue
			}
			if sure {
				return own, false // it is started in several places
			}
			sure = true
			p.Function = pkg.In(pkg.Declaration(n.Pos()))
			if rest, ok := strings.CutPrefix(p.Function, pkg.Path+"."); ok && strings.HasPrefix(first.Function, "main.") && pkg == of.Package {
				p.Function = "main." + rest // the linker calls a program's main package so
			}
			p.File, p.Line = s.Program.Line(n.Pos())
			p.EndLine = s.LineAt(n.End())
		}
	}
	return p, sure
}

// starts returns the go statement, or the call of somebody's Go or AfterFunc, that runs a
// function in a goroutine of its own; nil where it is none.
func starts(pkg *typed.Package, fn ast.Expr) ast.Node {
	call, ok := pkg.Parent(fn).(*ast.CallExpr)
	if !ok {
		return nil
	}
	if call.Fun == fn {
		if pkg.Started(call) {
			return pkg.Parent(call)
		}
		return nil
	}
	if sel, ok := call.Fun.(*ast.SelectorExpr); ok && (sel.Sel.Name == "Go" || sel.Sel.Name == "AfterFunc") {
		return call
	}
	return nil
}
