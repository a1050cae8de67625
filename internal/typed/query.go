package typed

import (
	"go/ast"
	"go/types"
	"iter"

	"golang.org/x/tools/go/types/typeutil"
)

// Parent returns the node around n, nil around a declaration.
func (p *Package) Parent(n ast.Node) ast.Node {
	d := p.Declaration(n.Pos())
	if d == nil {
		return nil
	}
	around := p.parents[d]
	if around == nil {
		around = make(map[ast.Node]ast.Node)
		ast.PreorderStack(d, nil, func(n ast.Node, stack []ast.Node) bool {
			if len(stack) > 0 {
				around[n] = stack[len(stack)-1]
			}
			return true
		})
		p.parents[d] = around
	}
	return around[n]
}

// Repeats yields, from the inside out, the nodes that may run a node more than once in
// a call of the function around it: the loops around it, and function literals.
func (p *Package) Repeats(n ast.Node) iter.Seq[ast.Node] {
	return func(yield func(ast.Node) bool) {
		for outer := p.Parent(n); outer != nil; n, outer = outer, p.Parent(outer) {
			more := false
			switch outer := outer.(type) {
			case *ast.FuncLit:
				more = true
			case *ast.ForStmt:
				more = n != outer.Init
			case *ast.RangeStmt:
				more = n != outer.X
			}
			if more && !yield(outer) {
				return
			}
		}
	}
}

// Operand returns the expression that a name ends: x.f of f, f[int] with its type
// arguments.
func (p *Package) Operand(id *ast.Ident) ast.Expr {
	e := ast.Expr(id)
	if sel, ok := p.Parent(e).(*ast.SelectorExpr); ok && sel.Sel == id {
		e = sel
	}
	switch instance := p.Parent(e).(type) {
	case *ast.IndexExpr:
		if p.Info.Types[instance.Index].IsType() {
			return instance
		}
	case *ast.IndexListExpr:
		return instance
	}
	return e
}

// Same reports whether two expressions are written alike.
func Same(a, b ast.Expr) bool {
	return types.ExprString(ast.Unparen(a)) == types.ExprString(ast.Unparen(b))
}

// LoopBody returns the body of a for or range statement, nil of any other.
func LoopBody(loop ast.Node) *ast.BlockStmt {
	switch l := loop.(type) {
	case *ast.ForStmt:
		return l.Body
	case *ast.RangeStmt:
		return l.Body
	}
	return nil
}

// TypeOf returns an expression's type, nil where it has none or it is not known.
func (p *Package) TypeOf(e ast.Expr) types.Type {
	if e == nil {
		return nil
	}
	if t := p.Info.TypeOf(e); t != types.Typ[types.Invalid] {
		return t
	}
	return nil
}

// Object returns the object of a name, alone or after a dot; nil for any other
// expression.
func (p *Package) Object(e ast.Expr) types.Object {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		return p.Info.ObjectOf(e)
	case *ast.SelectorExpr:
		return p.Info.ObjectOf(e.Sel)
	}
	return nil
}

// Function returns the function or method that a call reaches: of an interface its
// method; nil for conversions, builtin functions and func values.
func (p *Package) Function(call *ast.CallExpr) *types.Func {
	fn, _ := typeutil.Callee(p.Info, call).(*types.Func)
	return fn
}

// Reached returns the declared function that a call reaches, nil where its source is not
// kept: interfaces' methods, func values. Of T.Method, whose first argument is the
// receiver, it is nil too.
func (p *Package) Reached(call *ast.CallExpr) *Function {
	fn := p.Function(call)
	if fn == nil || p.MethodExpression(call) {
		return nil
	}
	if to := p.program.FuncOf(Symbol(fn)); to != nil && to.Object != nil {
		return to
	}
	return nil
}

// Conversion returns the operand and the type of a conversion; nil for any other
// expression.
func (p *Package) Conversion(e ast.Expr) (x ast.Expr, to types.Type) {
	call, ok := ast.Unparen(e).(*ast.CallExpr)
	if !ok || len(call.Args) != 1 || !p.Info.Types[ast.Unparen(call.Fun)].IsType() {
		return nil, nil
	}
	return call.Args[0], p.TypeOf(call)
}

// Converted returns the innermost operand of nested conversions, or the expression
// itself, without parentheses.
func (p *Package) Converted(e ast.Expr) ast.Expr {
	for x, _ := p.Conversion(e); x != nil; x, _ = p.Conversion(e) {
		e = x
	}
	return ast.Unparen(e)
}

// Uses returns the places in the package that use a variable or a function, without
// its declaration.
func (p *Package) Uses(obj types.Object) []*ast.Ident { return p.variables().uses[origin(obj)] }

// Sides returns the variables that an assignment or a var specification sets, and the
// values; nil for any other node.
func Sides(n ast.Node) (to, values []ast.Expr) {
	switch n := n.(type) {
	case *ast.AssignStmt:
		return n.Lhs, n.Rhs
	case *ast.ValueSpec:
		for _, id := range n.Names {
			to = append(to, id)
		}
		return to, n.Values
	}
	return nil, nil
}

// Specification returns the specification of a var statement which has one, and any other node itself.
func Specification(n ast.Node) ast.Node {
	if st, ok := n.(*ast.DeclStmt); ok {
		if d, ok := st.Decl.(*ast.GenDecl); ok && len(d.Specs) == 1 {
			return d.Specs[0]
		}
	}
	return n
}

// Declared yields the variables that a := statement or a var specification declares,
// each with the value that it starts with, nil where none is written. Of the results
// of a call only the first is meant.
func (p *Package) Declared(n ast.Node) iter.Seq2[*types.Var, ast.Expr] {
	names, values := Sides(n)
	return func(yield func(*types.Var, ast.Expr) bool) {
		for i, name := range names {
			var value ast.Expr
			if i < len(values) {
				value = values[i]
			}
			id, _ := name.(*ast.Ident)
			v, ok := p.Info.Defs[id].(*types.Var)
			if ok && id.Name != "_" && (value != nil || len(values) == 0) && !yield(v, value) {
				return
			}
		}
	}
}

// SetOnce returns the value of a variable or field that its package sets once and
// nowhere else; nil for any other.
func (p *Package) SetOnce(v *types.Var) ast.Expr {
	if s, ok := p.variables().once(v); ok && s.way == whole {
		return s.value
	}
	return nil
}

// Fixed returns the reason that an expression has the same value each time it is
// evaluated.
func (p *Package) Fixed(e ast.Expr) FixedArgument {
	return p.variables().fixed(e, p.surroundings(e), maxSteps)
}

// IsString reports whether values of a type are strings; false for nil.
func IsString(t types.Type) bool { return isBasic(t, types.IsString) }

// IsNumber reports whether values of a type refer to nothing: numbers and booleans;
// false for nil.
func IsNumber(t types.Type) bool { return isBasic(t, types.IsNumeric|types.IsBoolean) }

// IsInteger reports whether values of a type are integers; false for nil.
func IsInteger(t types.Type) bool { return isBasic(t, types.IsInteger) }

func isBasic(t types.Type, of types.BasicInfo) bool {
	b, ok := Under[*types.Basic](t)
	return ok && b.Info()&of != 0
}

// OfParameter reports whether a type is a type parameter or written with one.
func OfParameter(t types.Type) bool {
	switch t := types.Unalias(t).(type) {
	case *types.TypeParam:
		return true
	case *types.Pointer:
		return OfParameter(t.Elem())
	case *types.Slice:
		return OfParameter(t.Elem())
	case *types.Array:
		return OfParameter(t.Elem())
	case *types.Chan:
		return OfParameter(t.Elem())
	case *types.Map:
		return OfParameter(t.Key()) || OfParameter(t.Elem())
	case *types.Struct:
		for f := range t.Fields() {
			if OfParameter(f.Type()) {
				return true
			}
		}
	case *types.Signature:
		return OfParameter(t.Params()) || OfParameter(t.Results())
	case *types.Tuple:
		for v := range t.Variables() {
			if OfParameter(v.Type()) {
				return true
			}
		}
	case *types.Named:
		for arg := range t.TypeArgs().Types() {
			if OfParameter(arg) {
				return true
			}
		}
	}
	return false
}

// Element returns the element type of a slice or an array, nil for any other type.
func Element(t types.Type) types.Type {
	if t == nil {
		return nil
	}
	switch t := t.Underlying().(type) {
	case *types.Slice:
		return t.Elem()
	case *types.Array:
		return t.Elem()
	}
	return nil
}
