package densemap

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"whet/internal/diagnose"
	"whet/internal/diagnose/collections"
	"whet/internal/finding"
)

// how a map is known to hold every key.
type how uint8

const (
	elements how = iota + 1 // each element of what a loop goes through is a key
	counted                 // each number of a counted loop is one
	numbered                // each key gets the next number: the length of a list
)

// density is why a map's keys could be indices.
type density struct {
	how  how
	of   string // what the loop goes through, or the list
	typ  string // of the elements
	fill collections.Use
}

// densityOf looks for the statement that fills the map with every key.
func densityOf(p *collections.Package, c *collections.Collection, m *types.Map) (density, bool) {
	pointed, ownType := elementType(p, m.Key())
	number := isInteger(m.Key())
	if !ownType && !number {
		return density{}, false
	}
	var found density
	for _, u := range c.Uses {
		if u.Kind != collections.Set || u.Depth != 1 || u.Value == nil {
			continue
		}
		st, ok := p.Parent(u.Node).(*ast.AssignStmt)
		if !ok || len(st.Lhs) != 1 {
			continue
		}
		loop, of := everyRound(p, st)
		switch {
		case ownType && loop != nil && isVariable(p, u.Key, elementVariables(p, loop)):
			return density{how: elements, of: of, typ: pointed, fill: u}, true
		case number && loop != nil && isVariable(p, u.Key, []ast.Expr{counter(p, loop)}) && !setsOthers(p, c):
			return density{how: counted, of: of, fill: u}, true
		}
		if list := numbering(p, st, u.Value); ownType && list != "" && found.how == 0 {
			found = density{how: numbered, of: list, typ: pointed, fill: u}
		}
	}
	return found, found.how != 0
}

// setsOthers reports whether a map gets keys that are no counters of loops:
// numbers that a slice of those of one loop may have no element for.
func setsOthers(p *collections.Package, c *collections.Collection) bool {
	return slices.ContainsFunc(c.Uses, func(u collections.Use) bool {
		return u.Kind == collections.Set && u.Depth == 1 && !isCounter(p, u)
	})
}

// isCounter reports whether the key that is set counts the rounds of a loop
// around it.
func isCounter(p *collections.Package, u collections.Use) bool {
	for n := ast.Node(u.Node); n != nil; n = p.Parent(n) {
		if st, ok := n.(ast.Stmt); ok && isVariable(p, u.Key, []ast.Expr{counter(p, st)}) {
			return true
		}
	}
	return false
}

// elementType returns the name of the struct type that a key points to, if its
// source is the user's own.
func elementType(p *collections.Package, key types.Type) (string, bool) {
	ptr, ok := key.Underlying().(*types.Pointer)
	if !ok {
		return "", false
	}
	named, ok := ptr.Elem().(*types.Named)
	if !ok {
		return "", false
	}
	_, isStruct := named.Underlying().(*types.Struct)
	return named.Obj().Name(), isStruct && p.Own(named.Obj())
}

func isInteger(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsInteger != 0
}

// everyRound returns the loop whose every round comes by a statement, and what
// it goes through; nil where there is none.
func everyRound(p *collections.Package, st ast.Stmt) (loop ast.Stmt, of string) {
	body, ok := p.Parent(st).(*ast.BlockStmt)
	if !ok {
		return nil, ""
	}
	switch l := p.Parent(body).(type) {
	case *ast.RangeStmt:
		loop, of = l, types.ExprString(l.X)
	case *ast.ForStmt:
		loop = l
		if cond, ok := l.Cond.(*ast.BinaryExpr); ok {
			of = types.ExprString(cond.Y)
		}
	default:
		return nil, ""
	}
	if leaves(body, st) {
		return nil, ""
	}
	return loop, of
}

// leaves reports whether a loop's body ends a round before a statement, or the
// whole loop anywhere.
func leaves(body *ast.BlockStmt, st ast.Stmt) bool {
	found := false
	var visit func(n ast.Node, inner bool)
	visit = func(n ast.Node, inner bool) {
		ast.Inspect(n, func(c ast.Node) bool {
			switch c := c.(type) {
			case *ast.FuncLit:
				return false
			case *ast.ForStmt:
				if !inner {
					visit(c.Body, true)
					return false
				}
			case *ast.RangeStmt:
				if !inner {
					visit(c.Body, true)
					return false
				}
			case *ast.ReturnStmt:
				found = true
			case *ast.BranchStmt:
				switch {
				case c.Label != nil || c.Tok == token.GOTO:
					found = true
				case inner:
				case c.Tok == token.BREAK:
					found = true
				case c.Tok == token.CONTINUE:
					found = found || c.Pos() < st.Pos()
				}
			}
			return true
		})
	}
	visit(body, false)
	return found
}

// elementVariables are the variables of a statement that goes through a slice,
// an array or a map.
func elementVariables(p *collections.Package, loop ast.Stmt) []ast.Expr {
	r, ok := loop.(*ast.RangeStmt)
	if !ok || r.Tok != token.DEFINE {
		return nil
	}
	switch t := under(p.Type(r.X)).(type) {
	case *types.Slice, *types.Array, *types.Map:
		return []ast.Expr{r.Key, r.Value}
	case *types.Pointer:
		if _, isArray := t.Elem().Underlying().(*types.Array); isArray {
			return []ast.Expr{r.Key, r.Value}
		}
	}
	return nil // what a channel or an iterator gives is not there all at once
}

// counter returns the variable that takes each number from 0 or 1 on.
func counter(p *collections.Package, loop ast.Stmt) ast.Expr {
	switch l := loop.(type) {
	case *ast.RangeStmt:
		if l.Tok != token.DEFINE {
			return nil
		}
		switch t := p.Type(l.X); u := under(t).(type) {
		case *types.Slice, *types.Array:
			return l.Key
		case *types.Pointer: // to an array
			return l.Key
		case *types.Basic:
			if u.Info()&types.IsInteger != 0 {
				return l.Key
			}
		}
	case *ast.ForStmt:
		init, ok := l.Init.(*ast.AssignStmt)
		if !ok || init.Tok != token.DEFINE || len(init.Lhs) != 1 {
			return nil
		}
		from, ok := p.Converted(init.Rhs[0]).(*ast.BasicLit)
		post, isInc := l.Post.(*ast.IncDecStmt)
		cond, isCond := l.Cond.(*ast.BinaryExpr)
		if !ok || from.Value != "0" && from.Value != "1" || !isInc || post.Tok != token.INC || !isCond || cond.Op != token.LSS && cond.Op != token.LEQ {
			return nil
		}
		if isVariable(p, post.X, init.Lhs) && isVariable(p, cond.X, init.Lhs) {
			return init.Lhs[0]
		}
	}
	return nil
}

func under(t types.Type) types.Type {
	if t == nil {
		return nil
	}
	return t.Underlying()
}

// isVariable reports whether an expression is one of variables.
func isVariable(p *collections.Package, e ast.Expr, variables []ast.Expr) bool {
	id, ok := e.(*ast.Ident)
	if !ok || p.Object(id) == nil {
		return false
	}
	return slices.ContainsFunc(variables, func(v ast.Expr) bool {
		d, ok := v.(*ast.Ident)
		return ok && p.Object(d) == p.Object(id)
	})
}

// numbering returns the list whose length is the value that a statement gives,
// where the block of the statement appends to that list as well.
func numbering(p *collections.Package, st *ast.AssignStmt, value ast.Expr) string {
	block, ok := p.Parent(st).(*ast.BlockStmt)
	if !ok {
		return ""
	}
	value = p.Converted(value)
	list := lengthOf(value)
	if id, ok := value.(*ast.Ident); ok && list == "" {
		for _, before := range block.List {
			set, ok := before.(*ast.AssignStmt)
			if ok && before.Pos() < st.Pos() && len(set.Lhs) == 1 && len(set.Rhs) == 1 && isVariable(p, id, set.Lhs) {
				list = lengthOf(p.Converted(set.Rhs[0]))
			}
		}
	}
	if list == "" {
		return ""
	}
	for _, other := range block.List {
		set, ok := other.(*ast.AssignStmt)
		if !ok || len(set.Lhs) != 1 || len(set.Rhs) != 1 || types.ExprString(set.Lhs[0]) != list {
			continue
		}
		if call, ok := set.Rhs[0].(*ast.CallExpr); ok && types.ExprString(call.Fun) == "append" && types.ExprString(call.Args[0]) == list {
			return list
		}
	}
	return ""
}

func lengthOf(e ast.Expr) string {
	if call, ok := ast.Unparen(e).(*ast.CallExpr); ok && len(call.Args) == 1 && types.ExprString(call.Fun) == "len" {
		return types.ExprString(call.Args[0])
	}
	return ""
}

func (d density) confidence() finding.Confidence {
	if d.how == numbered {
		return finding.Medium
	}
	return finding.High
}

func (d density) why(name string) string {
	switch d.how {
	case elements:
		return fmt.Sprintf("%s is a map whose keys are all the elements of %s: every look-up hashes a pointer and probes, where an index would do.", name, d.of)
	case counted:
		return fmt.Sprintf("%s is a map whose keys are the numbers up to %s: every look-up hashes a number and probes, where the number is an index.", name, d.of)
	}
	return fmt.Sprintf("%s is a map that gives each of its keys a number, its place in %s: every look-up hashes a pointer and probes, where the number could stand in what the pointer leads to.", name, d.of)
}

func (d density) remedy() string {
	if d.how == counted {
		return "The keys are consecutive numbers: a slice of that many elements serves. It holds a value for every number: where few are used, a map is smaller. A look-up of a number beyond them, which a map answers with zero, needs a check first."
	}
	return fmt.Sprintf("Give %s a number (a field that is set where the elements are made) and keep the values in a slice by that number; where only one user at a time needs them, in a field of %s itself. The slice holds a value for every element: where few are used, a map is smaller.", d.typ, d.typ)
}

func (d density) evidence(s *diagnose.Subject, p *collections.Package) string {
	at := fmt.Sprintf("%s:%d", s.Source.Display(d.fill.File), d.fill.Line)
	switch d.how {
	case elements:
		return fmt.Sprintf("each round of the loop around %s sets the value of one element of %s", at, d.of)
	case counted:
		return fmt.Sprintf("each round of the counted loop around %s sets the value of its number", at)
	}
	return fmt.Sprintf("%s sets the length of %s, which the same block appends to", at, d.of)
}
