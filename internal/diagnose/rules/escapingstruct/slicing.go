package escapingstruct

import (
	"go/ast"
	"go/token"
	"slices"
	"strings"

	"whet/internal/diagnose/syntax"
)

// slicing follows a slice of an array in one function: whether all that is done
// with it leaves the array on the stack. It is indexed, ranged over, appended
// to, sorted.
type slicing struct {
	fn   function
	seen map[*ast.Ident]bool
}

// stays looks at what is done with an expression that shares the array.
func (s *slicing) stays(n ast.Node) bool {
	switch p := s.fn.Parent(n).(type) {
	case *ast.ParenExpr:
		return s.stays(p)
	case *ast.SliceExpr:
		return p.X != n || s.stays(p)
	case *ast.IndexExpr:
		return p.X != n || !addressTaken(s.fn, p)
	case *ast.RangeStmt, *ast.BinaryExpr:
		return true
	case *ast.CallExpr:
		return s.handed(p, n)
	case *ast.AssignStmt:
		return s.assigned(p, n)
	}
	return false
}

func (s *slicing) assigned(st *ast.AssignStmt, n ast.Node) bool {
	i := slices.Index(st.Rhs, n.(ast.Expr))
	if i < 0 {
		return true // is set
	}
	if len(st.Lhs) != len(st.Rhs) {
		return false
	}
	id, ok := st.Lhs[i].(*ast.Ident)
	if !ok {
		return false
	}
	if st.Tok == token.DEFINE {
		return s.variable(syntax.Declaration{Ident: id, Node: st, Scope: s.fn.Parent(st)})
	}
	d, ok := s.fn.Declaration(n, id.Name)
	return ok && d.Scope != s.fn.Node && s.variable(d) // no parameter, no result
}

func (s *slicing) variable(d syntax.Declaration) bool {
	if s.seen[d.Ident] {
		return true
	}
	s.seen[d.Ident] = true
	uses := s.fn.Uses(d)
	if len(uses) == 0 {
		return false // of a variable that an earlier statement declares
	}
	for _, id := range uses {
		if !runsNow(s.fn, id, d) || !s.stays(id) {
			return false
		}
	}
	return true
}

// handed knows the calls that let no slice escape.
func (s *slicing) handed(call *ast.CallExpr, n ast.Node) bool {
	switch fun := call.Fun.(type) {
	case *ast.Ident:
		switch fun.Name {
		case "len", "cap", "copy", "clear", "string":
			return true
		case "append":
			if call.Args[0] != n {
				return call.Ellipsis != token.NoPos // its elements are copied
			}
			return s.stays(call)
		}
	case *ast.SelectorExpr:
		pkg, ok := fun.X.(*ast.Ident)
		if !ok {
			return false
		}
		if _, local := s.fn.Declaration(call, pkg.Name); local {
			return false
		}
		name := fun.Sel.Name
		switch pkg.Name {
		case "sort":
			return name != "Sort" && name != "Stable" // which take interfaces
		case "slices":
			_, alone := s.fn.Parent(call).(*ast.ExprStmt)
			return alone || slices.Contains([]string{"BinarySearch", "Compare", "Contains", "Equal", "Index", "IsSorted", "Max", "Min"}, name)
		case "strings":
			return name == "Join"
		case "strconv":
			return strings.HasPrefix(name, "Append") && call.Args[0] == n && s.stays(call)
		}
	}
	return false
}
