package readercontention

import (
	"go/ast"
	"go/types"

	"whet/internal/callstack"
	"whet/internal/diagnose"
	"whet/internal/typed"
)

// shared finds the lock that a function reads under, and whether there is one of it
// as far as the source shows.
func shared(s *diagnose.Subject, f *callstack.Frame) (at diagnose.Location, name string, ok bool) {
	pkg := s.PackageOf(f.File)
	fn := s.FunctionAt(f.File, f.Line)
	if pkg == nil || fn == nil {
		return at, "", false
	}
	var locked ast.Expr
	line, several := 0, false
	ast.Inspect(fn.Node.Body, func(n ast.Node) bool {
		call, is := n.(*ast.CallExpr)
		if !is || pkg.Called(call) != "sync.(*RWMutex).RLock" {
			return true
		}
		sel, is := ast.Unparen(call.Fun).(*ast.SelectorExpr)
		if !is || locked != nil && types.ExprString(locked) != types.ExprString(sel.X) {
			several = true
			return true
		}
		if locked == nil {
			locked, line = sel.X, fn.Line(call.Pos())
		}
		return true
	})
	if locked == nil || several || oneOfMany(pkg, locked) {
		return at, "", false
	}
	st := s.Statement(f.File, line)
	return st.Place(f.Function), types.ExprString(locked), true
}

// oneOfMany reports whether an expression may stand for another lock each time: it is
// reached by an index, a call or a local variable, or on the way to it lies a value of
// a type of which the package keeps many.
func oneOfMany(pkg *typed.Package, e ast.Expr) bool {
	for {
		e = ast.Unparen(e)
		if many(pkg, pkg.TypeOf(e)) {
			return true
		}
		switch x := e.(type) {
		case *ast.SelectorExpr:
			if pkg.Info.Selections[x] == nil { // of another package
				return false
			}
			e = x.X
		case *ast.StarExpr:
			e = x.X
		case *ast.Ident:
			v, ok := pkg.Object(x).(*types.Var)
			return !ok || v.Parent() != pkg.Types.Scope() && !isParameter(pkg, x, v)
		default:
			return true
		}
	}
}

// isParameter reports whether a variable is a parameter or the receiver of the declared
// function around its use.
func isParameter(pkg *typed.Package, use *ast.Ident, v *types.Var) bool {
	d, ok := pkg.Declaration(use.Pos()).(*ast.FuncDecl)
	return ok && d.Pos() <= v.Pos() && v.Pos() < d.Body.Pos()
}

// many reports whether the package has fields or variables that hold several values of
// a type.
func many(pkg *typed.Package, t types.Type) bool {
	named := elem(t)
	if named == nil {
		return false
	}
	for _, obj := range pkg.Info.Defs {
		v, ok := obj.(*types.Var)
		if !ok || !v.IsField() && v.Parent() != pkg.Types.Scope() {
			continue
		}
		switch of := v.Type().Underlying().(type) {
		case *types.Slice:
			ok = elem(of.Elem()) == named
		case *types.Array:
			ok = elem(of.Elem()) == named
		case *types.Map:
			ok = elem(of.Elem()) == named || elem(of.Key()) == named
		default:
			ok = false
		}
		if ok {
			return true
		}
	}
	return false
}

// elem returns a type's own, or that of what it points to.
func elem(t types.Type) *types.TypeName {
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem()
	}
	if n, ok := types.Unalias(t).(*types.Named); ok {
		return n.Obj()
	}
	return nil
}
