package stringcopy

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"whet/internal/diagnose"
	"whet/internal/typed"
)

// shape is what the source of a statement says about its copies.
type shape struct {
	concat      bool // + or += of strings
	growsInLoop bool // s += x or s = s + x of a string from outside the loop
	beforeWrite bool // []byte(s) is an argument of a Write
	lookup      bool // string(b) is only compared or looked up
	converts    bool // a conversion between string and a slice
	allocates   bool // something else in it allocates too, or nobody knows
	boxes       bool // values are passed as ...any
}

// shapeOf reads a statement.
func shapeOf(s *diagnose.Subject, st diagnose.Statement) (sh shape) {
	pkg := s.PackageOf(st.File)
	if st.Node == nil || pkg == nil {
		return shape{allocates: true}
	}
	st.Head(func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit, *ast.CompositeLit:
			sh.allocates = true
		case *ast.BinaryExpr:
			sh.concat = sh.concat || pkg.Joins(n)
		case *ast.IncDecStmt:
			sh.allocates = sh.allocates || setsMap(pkg, n.X)
		case *ast.AssignStmt:
			sh.allocates = sh.allocates || slices.ContainsFunc(n.Lhs, func(e ast.Expr) bool { return setsMap(pkg, e) })
			if len(n.Lhs) == 1 && len(n.Rhs) == 1 {
				sh.assigned(pkg, n, st.Loop)
			}
		}
		return true
	})
	for _, c := range s.Sites(st) {
		name := c.Callee()
		sh.converts = sh.converts || conversion(pkg, c.CallExpr) != none
		sh.allocates = sh.allocates || name == "make" || name == "new" || name == "append"
		sh.boxes = sh.boxes || strings.HasPrefix(name, "fmt.") || s.TakesAny(name)
		sh.beforeWrite = sh.beforeWrite || strings.HasSuffix(name, ".Write") && slices.ContainsFunc(c.Args, func(e ast.Expr) bool { return conversion(pkg, e) == toBytes })
	}
	return sh
}

// isPurpose reports whether a statement returns its argument or a field, converted,
// from a function that other packages call: they ask for that.
func isPurpose(s *diagnose.Subject, st diagnose.Statement) bool {
	pkg := s.PackageOf(st.File)
	ret, ok := st.Node.(*ast.ReturnStmt)
	if !ok || pkg == nil || len(ret.Results) == 0 || pkg.Types == nil || pkg.Types.Name() == "main" {
		return false
	}
	fn, ok := pkg.Declaration(ret.Pos()).(*ast.FuncDecl)
	if !ok || !fn.Name.IsExported() || pkg.Literal(ret) != nil || conversion(pkg, ret.Results[0]) == none {
		return false
	}
	x, _ := pkg.Conversion(ret.Results[0])
	given, _ := pkg.Named(pkg.Var(pkg.Base(x)))
	return given
}

// setsMap reports whether an expression that is set is an element of a map: an
// allocation profile does not tell the map's growth from the statement's other
// blocks.
func setsMap(pkg *typed.Package, e ast.Expr) bool {
	index, ok := ast.Unparen(e).(*ast.IndexExpr)
	if !ok {
		return false
	}
	_, ok = typed.Under[*types.Map](pkg.TypeOf(index.X))
	return ok
}

// assigned reads an assignment of one value.
func (sh *shape) assigned(pkg *typed.Package, set *ast.AssignStmt, loop ast.Stmt) {
	to, value := set.Lhs[0], set.Rhs[0]
	if id, ok := to.(*ast.Ident); ok && conversion(pkg, value) == toString {
		sh.lookup = onlyLooksUp(pkg, id)
	}
	first := ast.Unparen(value)
	for sum, ok := first.(*ast.BinaryExpr); ok && sum.Op == token.ADD; sum, ok = first.(*ast.BinaryExpr) {
		first = ast.Unparen(sum.X)
	}
	grows := set.Tok == token.ADD_ASSIGN || set.Tok == token.ASSIGN && first != value && types.ExprString(first) == types.ExprString(to)
	if !grows || !typed.IsString(pkg.TypeOf(to)) {
		return
	}
	sh.concat, sh.growsInLoop = true, loop != nil
	if obj := pkg.Object(pkg.Base(to)); obj != nil && loop != nil {
		from := loop.Pos()
		if f, ok := loop.(*ast.ForStmt); ok {
			from = f.Body.Pos()
		}
		sh.growsInLoop = obj.Pos() < from || loop.End() <= obj.Pos()
	}
}

// conversion says what a conversion between string and []byte or []rune makes,
// none for all other expressions.
func conversion(pkg *typed.Package, e ast.Expr) operation {
	x, to := pkg.Conversion(e)
	switch {
	case typed.IsString(to) && typed.Element(pkg.TypeOf(x)) != nil:
		return toString
	case typed.Element(to) != nil && typed.IsString(pkg.TypeOf(x)):
		return toBytes
	}
	return none
}

// onlyLooksUp reports whether a variable is used, beside where it is set, only
// as an index, in comparisons and as a switch's tag: the compiler does these
// without a copy when the conversion stands in them itself.
func onlyLooksUp(pkg *typed.Package, set *ast.Ident) bool {
	uses := slices.DeleteFunc(slices.Clone(pkg.Uses(pkg.Object(set))), func(id *ast.Ident) bool { return id == set })
	return len(uses) > 0 && !slices.ContainsFunc(uses, func(id *ast.Ident) bool {
		switch around := pkg.Parent(id).(type) {
		case *ast.IndexExpr:
			// m[k] = v keeps the key: that copy is needed.
			set, ok := pkg.Parent(around).(*ast.AssignStmt)
			return around.Index != id || ok && slices.Contains(set.Lhs, ast.Expr(around))
		case *ast.BinaryExpr:
			return around.Op.Precedence() != token.EQL.Precedence()
		case *ast.SwitchStmt:
			return around.Tag != id
		}
		return true
	})
}
