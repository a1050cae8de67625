package typed

import (
	"go/ast"
	"go/types"
)

// receiver tells how a method call's receiver was made.
func (v *variables) receiver(c *ast.CallExpr) *ReceiverCall {
	sel, ok := ast.Unparen(c.Fun).(*ast.SelectorExpr)
	if !ok {
		return nil
	}
	s, ok := v.info.Selections[sel]
	if !ok || s.Kind() != types.MethodVal || types.IsInterface(s.Recv()) {
		return nil
	}
	return v.made(sel.X, maxSteps)
}

// made tells which call made a value, if all that went into it is fixed.
func (v *variables) made(e ast.Expr, steps int) *ReceiverCall {
	if steps == 0 {
		return nil
	}
	switch e := ast.Unparen(e).(type) {
	case *ast.CallExpr:
		m := &ReceiverCall{Callee: v.of.Called(e)}
		_, m.Line = v.of.program.Line(e.Pos())
		if tv := v.info.Types[ast.Unparen(e.Fun)]; m.Callee == "" || tv.IsType() || tv.IsBuiltin() {
			return nil
		}
		for _, arg := range e.Args {
			f := v.fixed(arg, enclosure{}, steps-1)
			if !f.Always() {
				return nil
			}
			m.Fixed = append(m.Fixed, f)
		}
		if sel, ok := ast.Unparen(e.Fun).(*ast.SelectorExpr); ok {
			if s, ok := v.info.Selections[sel]; ok {
				if m.Recv = v.made(sel.X, steps-1); m.Recv == nil || s.Kind() != types.MethodVal {
					return nil
				}
			}
		}
		return m
	case *ast.Ident:
		obj, ok := v.info.Uses[e].(*types.Var)
		if !ok {
			return nil
		}
		m := v.madeBy(obj, steps)
		if m == nil {
			return nil
		}
		if obj.Parent() == obj.Pkg().Scope() {
			m.Held, m.Uses = "package", 0
		} else {
			m.Held, m.Uses = "local", len(v.uses[obj.Origin()])
		}
		return m
	case *ast.SelectorExpr:
		s, ok := v.info.Selections[e]
		if !ok || s.Kind() != types.FieldVal {
			return nil
		}
		obj, ok := s.Obj().(*types.Var)
		if !ok {
			return nil
		}
		m := v.madeBy(obj, steps)
		if m != nil {
			m.Held, m.Uses = "field", 0
		}
		return m
	}
	return nil
}

func (v *variables) madeBy(obj *types.Var, steps int) *ReceiverCall {
	s, ok := v.once(obj)
	if !ok || s.way != whole {
		return nil
	}
	return v.made(s.value, steps-1)
}
