package typed

import (
	"fmt"
	"go/ast"
	"go/types"

	"whet/internal/symbolname"
)

func initName(prefix string, n int) string { return fmt.Sprintf("%s.init.%d", prefix, n) }

// Symbol returns the name of a declared function in profiles: "pkg.F", "pkg.F[...]",
// "pkg.T.M", "pkg.(*T).M", "pkg.(*T[...]).M"; a method of an interface is
// "pkg.I.M".
func Symbol(fn *types.Func) string {
	prefix := ""
	if fn.Pkg() != nil { // error.Error has none
		prefix = symbolname.Escape(fn.Pkg().Path()) + "."
	}
	sig := fn.Signature()
	recv := sig.Recv()
	if recv == nil {
		if sig.TypeParams().Len() > 0 {
			return prefix + fn.Name() + "[...]"
		}
		return prefix + fn.Name()
	}
	t, pointer := types.Unalias(recv.Type()), false
	if p, ok := t.(*types.Pointer); ok {
		t, pointer = types.Unalias(p.Elem()), true
	}
	name := "interface"
	if named, ok := t.(*types.Named); ok {
		name = named.Obj().Name()
		if named.TypeParams().Len() > 0 && !types.IsInterface(named) {
			name += "[...]"
		}
	} else {
		prefix = "" // a method of an interface that has no name
	}
	if pointer {
		name = "(*" + name + ")"
	}
	return prefix + name + "." + fn.Name()
}

// Called names the called function: a function or method, a conversion, or a builtin
// function by its bare name; "" for a func value.
func (p *Package) Called(c *ast.CallExpr) string {
	fun := ast.Unparen(c.Fun)
	switch tv := p.Info.Types[fun]; {
	case tv.IsType():
		from := "?"
		if len(c.Args) == 1 {
			from = typeName(p.Info.TypeOf(c.Args[0]))
		}
		return typeName(tv.Type) + "(" + from + ")"
	case tv.IsBuiltin():
		switch f := fun.(type) {
		case *ast.Ident:
			return f.Name
		case *ast.SelectorExpr:
			return "unsafe." + f.Sel.Name
		}
		return ""
	}
	if fn := p.Function(c); fn != nil {
		return Symbol(fn)
	}
	return ""
}

// MethodExpression reports whether a call is that of T.Method, whose first argument
// is the receiver.
func (p *Package) MethodExpression(c *ast.CallExpr) bool {
	sel, ok := ast.Unparen(c.Fun).(*ast.SelectorExpr)
	if !ok {
		return false
	}
	s := p.Info.Selections[sel]
	return s != nil && s.Kind() == types.MethodExpr
}

// typeName writes a type with full package paths. An alias is followed, and
// uint8 is written byte and int32 rune only where the source does; the
// conversions that matter are between string and []byte or []rune, whichever
// way these are spelled.
func typeName(t types.Type) string {
	if t == nil {
		return "?"
	}
	t = types.Unalias(t)
	if s, ok := t.(*types.Slice); ok {
		if b, ok := types.Unalias(s.Elem()).(*types.Basic); ok {
			switch b.Kind() {
			case types.Uint8:
				return "[]byte"
			case types.Int32:
				return "[]rune"
			}
		}
	}
	return types.TypeString(t, func(p *types.Package) string { return p.Path() })
}

// IsBasic reports whether package fmt writes the values of a type, which may be
// nil, without calling a method: its underlying type is a string, boolean or
// number, and it has no method that fmt would call.
func IsBasic(t types.Type) bool {
	if t == nil {
		return false
	}
	b, ok := t.Underlying().(*types.Basic)
	if !ok || b.Info()&(types.IsString|types.IsBoolean|types.IsNumeric) == 0 {
		return false
	}
	methods := types.NewMethodSet(t)
	for _, name := range []string{"String", "Error", "Format"} {
		if methods.Lookup(nil, name) != nil {
			return false
		}
	}
	return true
}

// maxFormat bounds the constant that is kept: longer ones are no formats.
const maxFormat = 4 << 10
