package explain

import (
	"go/ast"
	"go/types"
	"slices"

	"whet/internal/typed"
)

// changeable reports whether what a value refers to may change where no field of the program's own
// is set: the elements of lists and maps, and what the library has behind a pointer.
func (v *account) changeable(t types.Type) bool {
	if t == nil {
		return true
	}
	if typed.Element(t) == nil && typed.Plain(t) {
		return false
	}
	own := func(t types.Type) bool {
		named, ok := types.Unalias(t).(*types.Named)
		if !ok || named.Obj().Pkg() == nil {
			return false
		}
		_, is := typed.Under[*types.Struct](t)
		return is && v.Program.Package(named.Obj().Pkg().Path()) != nil
	}
	switch under := t.Underlying().(type) {
	case *types.Signature:
		return false
	case *types.Pointer:
		return !own(under.Elem())
	case *types.Struct:
		return !own(t)
	case *types.Interface:
		return !slices.Contains([]string{"context.Context", "reflect.Type", "error"}, types.TypeString(t, nil))
	}
	return true
}

// seen reports whether what an expression refers to stays as it is where it stands, as far as the
// source shows. What sets it there is for others to see.
func (v *account) seen(p *typed.Package, e ast.Expr, steps int) bool {
	switch around := p.Parent(e).(type) {
	case *ast.ParenExpr:
		return v.seen(p, around, steps)
	case *ast.StarExpr:
		return v.seen(p, around, steps)
	case *ast.SliceExpr:
		return around.X != e || v.seen(p, around, steps)
	case *ast.IndexExpr:
		return around.X != e || !v.changeable(p.TypeOf(around)) || v.seen(p, around, steps)
	case *ast.KeyValueExpr:
		return around.Key == e
	case *ast.AssignStmt, *ast.ValueSpec:
		return v.seenAs(p, around, e, steps)
	case *ast.CallExpr:
		if around.Fun == e {
			return true
		}
		if x, to := p.Conversion(around); x != nil {
			return typed.IsString(to) || v.seen(p, around, steps)
		}
		switch p.Builtin(around) {
		case "append":
			_, part := ast.Unparen(e).(*ast.SliceExpr)
			return around.Args[0] != e || !part // else it writes to what is behind the part
		case "copy":
			return around.Args[0] != e
		case "":
			if to := p.Reached(around); to != nil {
				return v.judge().Harmless(typed.Symbol(to.Object))
			}
		}
	}
	return v.looked(p, e)
}

// seenAs is seen of an expression that a variable is set to.
func (v *account) seenAs(p *typed.Package, st ast.Node, e ast.Expr, steps int) bool {
	to, values := typed.Sides(st)
	if slices.Contains(to, e) {
		return true
	}
	i := slices.Index(values, e)
	if part, ok := ast.Unparen(e).(*ast.SliceExpr); i < 0 || len(to) != len(values) || steps == 0 || ok && part.High != nil {
		return false
	}
	of := p.Var(to[i])
	if id, ok := to[i].(*ast.Ident); ok && id.Name == "_" {
		return true
	}
	return of != nil && !typed.Global(of) && !slices.ContainsFunc(p.Uses(of), func(use *ast.Ident) bool {
		return p.Written(use) && !(&inputs{}).plain(p, use) || !v.seen(p, use, steps-1)
	})
}

// mostNames is how many names what is looked at may have.
const mostNames = 2

// untouched reports whether all that is done with what a variable refers to is to look at it.
func (v *account) untouched(p *typed.Package, of *types.Var) bool {
	return !slices.ContainsFunc(p.Uses(of), func(use *ast.Ident) bool {
		e := p.Operand(use)
		return !p.Written(e) && !v.seen(p, e, mostNames)
	})
}
