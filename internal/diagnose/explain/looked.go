package explain

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"whet/internal/symbolname"
	"whet/internal/typed"
)

// onlyLooked reports whether what a call gives is neither changed nor kept by its caller: one value
// may serve all calls.
func (v *account) onlyLooked(o *operation) bool {
	if result(o) == nil {
		return false
	}
	switch around := o.pkg.Parent(o.call).(type) {
	case *ast.KeyValueExpr, *ast.CompositeLit, *ast.ExprStmt, *ast.SendStmt:
		return false
	case *ast.AssignStmt:
		if len(around.Rhs) != 1 {
			return false
		}
		for _, e := range around.Lhs {
			if id, ok := e.(*ast.Ident); ok && id.Name == "_" {
				continue
			}
			of := o.pkg.Var(e)
			if of == nil || typed.Global(of) { // it is kept
				return false
			}
			fresh := v.newInCall(o, of.Type())
			for _, use := range o.pkg.Uses(of) {
				if use.Pos() > e.Pos() && (fresh && !v.looked(o.pkg, use) || stored(o.pkg, use)) {
					return false
				}
			}
		}
		return true
	}
	return !v.newInCall(o, result(o)) || v.looked(o.pkg, o.call)
}

// stored reports whether a value is put into something other than a variable where it stands: a
// call that fills a cache is not one too many.
func stored(p *typed.Package, e ast.Expr) bool {
	st, ok := p.Parent(e).(*ast.AssignStmt)
	if !ok || len(st.Lhs) != len(st.Rhs) {
		return false
	}
	i := slices.Index(st.Rhs, e)
	return i >= 0 && (p.Container(st.Lhs[i]) != nil || p.Var(st.Lhs[i]) != nil && typed.Global(p.Var(st.Lhs[i])))
}

// newInCall reports whether a result of a type may be memory that its call makes, which its caller
// could change.
func (v *account) newInCall(o *operation, t types.Type) (makes bool) {
	if _, calls := typed.Under[*types.Signature](t); calls || typed.Plain(t) || isError(t) {
		return false
	}
	to := v.FunctionOf(o.callee)
	if to == nil {
		return true
	}
	ast.Inspect(to.Decl.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CompositeLit:
			makes = true
		case *ast.CallExpr:
			makes = makes || to.Package.Builtin(n) != "" && to.Package.Builtin(n) != "len" || to.Package.Reached(n) != nil || symbolname.Parse(to.Package.Called(n)).Receiver == ""
		}
		return !makes
	})
	return makes
}

// changesArgument are how the names of further functions of the library begin that change what
// they are given, or keep it to do so.
var changesArgument = []string{"slices.Sort", "slices.Reverse", "slices.Grow", "maps.Copy", "maps.DeleteFunc", "bytes.New", "strings.New", "fmt.Fscan", "fmt.Sscan", "fmt.Scan"}

// looked reports whether an expression is only read where it stands.
func (v *account) looked(p *typed.Package, e ast.Expr) bool {
	switch around := p.Parent(e).(type) {
	case *ast.ParenExpr:
		return v.looked(p, around)
	case *ast.RangeStmt, *ast.BinaryExpr, *ast.SwitchStmt, *ast.IfStmt:
		return true
	case *ast.IndexExpr:
		return !p.Written(around)
	case *ast.SelectorExpr:
		call, ok := p.Parent(around).(*ast.CallExpr)
		if !ok || call.Fun != around {
			return !p.Written(around)
		}
		if to := p.Reached(call); to != nil {
			return v.judge().ReadOnly(typed.Symbol(to.Object))
		}
		return slices.Contains([]string{"regexp", "net", "net/url", "time", "reflect", "text/template", "html/template"}, symbolname.Package(p.Called(call)))
	case *ast.CallExpr:
		switch p.Builtin(around) {
		case "len", "cap":
			return true
		case "append":
			return around.Args[0] != e
		case "":
			if to := p.Reached(around); to != nil {
				return v.pure(typed.Symbol(to.Object), false)
			}
			name := p.Called(around)
			if strings.HasPrefix(name, "fmt.Fprint") && around.Args[0] == e {
				return false
			}
			return slices.Contains([]string{"strings", "bytes", "slices", "maps", "math/big", "fmt", "time"}, symbolname.Package(name)) && !slices.ContainsFunc(inPlace, beginning(name)) && !slices.ContainsFunc(changesArgument, beginning(name))
		}
	}
	return false
}
