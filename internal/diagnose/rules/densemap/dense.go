package densemap

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"whet/internal/diagnose"
	"whet/internal/diagnose/collections"
	"whet/internal/finding"
	"whet/internal/typed"
)

// density is why a map's keys could be indices, in words with room for {map}, {list}
// (what the loop goes through, or the list), {type} (of the elements) and {at}.
type density struct {
	why, remedy, evidence string
	confidence            finding.Confidence
}

var (
	// Each element of what a loop goes through is a key.
	elements = density{
		why:        "{map} is a map whose keys are all the elements of {list}: every lookup hashes a pointer and probes, where an index would do.",
		remedy:     byNumber,
		evidence:   "each round of the loop around {at} sets the value of one element of {list}",
		confidence: finding.High,
	}
	// Each number of a counted loop is one.
	counted = density{
		why:        "{map} is a map whose keys are the numbers up to {list}: every lookup hashes a number and probes, where the number itself is an index.",
		remedy:     "The keys are consecutive numbers: a slice of that many elements serves. It holds a value for every number, so if few are used, a map is smaller. A lookup beyond the last number, for which a map returns zero, needs a check first.",
		evidence:   "each round of the counted loop around {at} sets the value of its number",
		confidence: finding.High,
	}
	// Each key gets the next number: the length of a list.
	numbered = density{
		why:        "{map} is a map that gives each of its keys a number, the key's index in {list}: every lookup hashes a pointer and probes, where the number could be a field of the pointed-to value.",
		remedy:     byNumber,
		evidence:   "{at} sets the length of {list}, to which the same block appends",
		confidence: finding.Medium,
	}
)

const byNumber = "Give {type} a number (a field set where the elements are made) and keep the values in a slice indexed by it; if only one user at a time needs them, in a field of {type} itself. The slice holds a value for every element, so if few are used, a map is smaller."

// densityOf looks for the statement that fills the map with every key; nil: there is
// none.
func densityOf(s *diagnose.Subject, p *collections.Package, c *collections.Collection, m *types.Map) *density {
	elem := elementType(p, m.Key())
	number := typed.IsInteger(m.Key()) && !setsOthers(p, c)
	if elem == "" && !number {
		return nil
	}
	var found *density
	for _, u := range c.Uses {
		st, ok := p.Parent(u.Node).(*ast.AssignStmt)
		if u.Kind != collections.Set || u.Depth != 1 || u.Value == nil || !ok || len(st.Lhs) != 1 {
			continue
		}
		in := func(d density, list string) *density {
			words := strings.NewReplacer("{map}", c.Var.Name(), "{list}", list, "{type}", elem, "{at}", fmt.Sprintf("%s:%d", s.Source.Display(u.File), u.Line))
			d.why, d.remedy, d.evidence = words.Replace(d.why), words.Replace(d.remedy), words.Replace(d.evidence)
			return &d
		}
		key := p.Var(u.Key)
		loop, list := everyRound(p, st)
		takes, counter := variables(p, loop)
		switch {
		case key == nil:
		case elem != "" && slices.Contains(takes, key):
			return in(elements, list)
		case number && key == counter:
			return in(counted, list)
		}
		if list := numbering(p, st, u.Value); elem != "" && list != "" && found == nil {
			found = in(numbered, list)
		}
	}
	return found
}

// setsOthers reports whether a map gets keys that are no counters of loops around
// where they are set: numbers that a slice of those of one loop may have no element
// for.
func setsOthers(p *collections.Package, c *collections.Collection) bool {
	return slices.ContainsFunc(c.Uses, func(u collections.Use) bool {
		if u.Kind != collections.Set || u.Depth != 1 {
			return false
		}
		key := p.Var(u.Key)
		for n := ast.Node(u.Node); n != nil; n = p.Parent(n) {
			if _, counter := variables(p, n); key != nil && key == counter {
				return false
			}
		}
		return true
	})
}

// elementType returns the name of the struct type that a key points to, "" where its
// source is not the user's own.
func elementType(p *collections.Package, key types.Type) string {
	ptr, ok := typed.Under[*types.Pointer](key)
	if !ok {
		return ""
	}
	named, ok := ptr.Elem().(*types.Named)
	if _, isStruct := typed.Under[*types.Struct](ptr.Elem()); ok && isStruct && p.Own(named.Obj()) {
		return named.Obj().Name()
	}
	return ""
}

// everyRound returns the loop whose every round comes by a statement, and what
// it goes through; nil where there is none.
func everyRound(p *collections.Package, st ast.Stmt) (loop ast.Node, through string) {
	body, ok := p.Parent(st).(*ast.BlockStmt)
	if !ok || leaves(body, st) {
		return nil, ""
	}
	switch l := p.Parent(body).(type) {
	case *ast.RangeStmt:
		return l, types.ExprString(l.X)
	case *ast.ForStmt:
		if cond, ok := l.Cond.(*ast.BinaryExpr); ok {
			through = types.ExprString(cond.Y)
		}
		return l, through
	}
	return nil, ""
}

// leaves reports whether a loop's body ends a round before a statement, or the
// whole loop anywhere.
func leaves(body *ast.BlockStmt, st ast.Stmt) bool {
	found := false
	ast.PreorderStack(body, nil, func(n ast.Node, around []ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.ReturnStmt:
			found = true
		case *ast.BranchStmt:
			inner := slices.ContainsFunc(around, func(n ast.Node) bool { return typed.LoopBody(n) != nil })
			ends := !inner && (n.Tok == token.BREAK || n.Tok == token.CONTINUE && n.Pos() < st.Pos())
			found = found || ends || n.Label != nil || n.Tok == token.GOTO
		}
		return true
	})
	return found
}

// variables returns the variables of a loop that take each element of a slice, an array or a map,
// and the one that takes each number from 0 or 1 on. What a channel or an iterator
// gives is not there all at once.
func variables(p *collections.Package, loop ast.Node) (takes []*types.Var, counter *types.Var) {
	switch l := loop.(type) {
	case *ast.RangeStmt:
		if l.Tok != token.DEFINE {
			return nil, nil
		}
		key, value := p.Var(l.Key), p.Var(l.Value)
		t := p.Type(l.X)
		if ptr, ok := typed.Under[*types.Pointer](t); ok {
			t = ptr.Elem() // an array
		}
		switch {
		case typed.Element(t) != nil:
			return []*types.Var{key, value}, key
		case collections.IsCollection(t):
			return []*types.Var{key, value}, nil
		case typed.IsInteger(t):
			return nil, key
		}
	case *ast.ForStmt:
		init, ok := l.Init.(*ast.AssignStmt)
		post, isInc := l.Post.(*ast.IncDecStmt)
		cond, isCond := l.Cond.(*ast.BinaryExpr)
		if !ok || init.Tok != token.DEFINE || len(init.Lhs) != 1 || !isInc || post.Tok != token.INC || !isCond || cond.Op != token.LSS && cond.Op != token.LEQ {
			return nil, nil
		}
		from, known := constant.Uint64Val(constant.ToInt(constantOf(p, init.Rhs[0])))
		if v := p.Var(init.Lhs[0]); known && from <= 1 && p.Var(post.X) == v && p.Var(cond.X) == v {
			return nil, v
		}
	}
	return nil, nil
}

func constantOf(p *collections.Package, e ast.Expr) constant.Value {
	if v := p.Info.Types[e].Value; v != nil {
		return v
	}
	return constant.MakeUnknown()
}

// numbering returns the list whose length is the value that a statement gives,
// where the block of the statement appends to that list as well.
func numbering(p *collections.Package, st *ast.AssignStmt, value ast.Expr) string {
	block, ok := p.Parent(st).(*ast.BlockStmt)
	if !ok {
		return ""
	}
	value = p.Converted(value)
	if v := p.Var(value); v != nil {
		if def := p.Definition(v); def != nil && p.SetOnce(v) != nil && p.Parent(p.Parent(def)) == block {
			value = p.Converted(p.SetOnce(v))
		}
	}
	size, ok := value.(*ast.CallExpr)
	if !ok || p.Builtin(size) != "len" || len(size.Args) != 1 {
		return ""
	}
	list := types.ExprString(size.Args[0])
	for _, other := range block.List {
		set, ok := other.(*ast.AssignStmt)
		if !ok || len(set.Lhs) != 1 || len(set.Rhs) != 1 || types.ExprString(set.Lhs[0]) != list {
			continue
		}
		if call, ok := set.Rhs[0].(*ast.CallExpr); ok && p.Builtin(call) == "append" && len(call.Args) > 0 && types.ExprString(call.Args[0]) == list {
			return list
		}
	}
	return ""
}
