package constantwork

import (
	"fmt"
	"go/ast"
	"go/token"
	"strings"

	"whet/internal/analyze/hot"
	"whet/internal/callstack"
	"whet/internal/diagnose"
	"whet/internal/finding"
	"whet/internal/quantity"
	"whet/internal/symbolname"
)

// minElements is how many elements a literal must have to be worth a package
// variable.
const minElements = 8

// literal is a statement that builds one map or slice of constants and nothing
// else, of which the function only reads.
type literal struct {
	diagnose.Statement
	function string
	kind     string // "map", "slice"
	elements int
	cpu, mem diagnose.Set
}

// literals claims what the runtime does to build such literals.
func literals(s *diagnose.Subject) []diagnose.Claim {
	at := make(map[diagnose.SourceLine]*literal)
	var order []*literal
	lookup := func(f *callstack.Frame) *literal {
		st := s.Statement(f.File, f.Line)
		if l, ok := at[st.At()]; ok {
			return l
		}
		l := read(st)
		at[st.At()] = l
		if l != nil {
			order = append(order, l)
		}
		return l
	}
	walk := func(c *hot.Classified, col int, of func(*literal) *diagnose.Set) {
		diagnose.EachBase(c, col, func(sample *callstack.Stacks, stack []callstack.FrameID) {
			own := 0 // frames of the runtime below the own one
			for own < len(stack) && isRuntime(c.Frame(stack[own]).Function) {
				own++
			}
			if own == len(stack) || own == 0 && c != s.Allocs {
				return
			}
			f := c.Frame(stack[own])
			if !s.Own(f) || s.Loops.InBenchmark(f.File, f.Line) {
				return
			}
			if l := lookup(f); l != nil {
				of(l).Add(sample.Index())
				if l.function == "" || f.Function < l.function {
					l.function = f.Function
				}
			}
		})
	}
	walk(s.CPU, s.CPUColumn, func(l *literal) *diagnose.Set { return &l.cpu })
	walk(s.Allocs, s.AllocCol, func(l *literal) *diagnose.Set { return &l.mem })
	var claims []diagnose.Claim
	for _, l := range order {
		if l.repeated(s) {
			claims = append(claims, l.claim(s))
		}
	}
	return claims
}

func isRuntime(fn string) bool {
	pkg := symbolname.Package(fn)
	return pkg == "runtime" || strings.HasPrefix(pkg, "internal/runtime/")
}

// repeated: a literal built once is no fault. What the runtime does for one of
// a size that people write takes far less than a sample.
func (l *literal) repeated(s *diagnose.Subject) bool {
	const samples = 10
	return s.CPUSamples(l.cpu.Keep()) >= samples
}

func (l *literal) claim(s *diagnose.Subject) diagnose.Claim {
	c := diagnose.Claim{
		Place:      l.Place(l.function),
		Cost:       diagnose.Samples{CPU: l.cpu.Keep(), Allocs: l.mem.Keep()},
		Confidence: finding.High,
		Why:        fmt.Sprintf("A %s of %d constants is built in every call, and the function only reads it.", l.kind, l.elements),
		Remedy:     "Make it a package variable, which is built once.",
	}
	if l.kind == "map" {
		c.Remedy += " Where the keys are known a switch needs no map at all."
	}
	if keep := c.Cost.CPU; keep != nil {
		c.Evidence = append(c.Evidence, finding.Evidence{Kind: "cpu", Text: fmt.Sprintf("%d of %d base samples build the literal", s.CPUSamples(keep), s.BaseCPUSamples())})
	}
	if keep := c.Cost.Allocs; s.AllocShare(keep) > 0 {
		_, perOp := s.AllocBytes(keep)
		c.Evidence = append(c.Evidence, finding.Evidence{Kind: "allocs", Text: quantity.Percent(s.AllocShare(keep)) + " of the base's allocated bytes" + s.PerIteration(perOp)})
	}
	return c
}

// read returns the literal of a statement of the form v := T{…}, or var v =
// T{…}, nil if it is another or v is more than read in its function.
func read(st diagnose.Statement) *literal {
	var name *ast.Ident
	var value ast.Expr
	switch n := st.Node.(type) {
	case *ast.AssignStmt:
		if n.Tok != token.DEFINE || len(n.Lhs) != 1 || len(n.Rhs) != 1 {
			return nil
		}
		name, _ = n.Lhs[0].(*ast.Ident)
		value = n.Rhs[0]
	case *ast.DeclStmt:
		d, ok := n.Decl.(*ast.GenDecl)
		if !ok || d.Tok != token.VAR || len(d.Specs) != 1 {
			return nil
		}
		vs, ok := d.Specs[0].(*ast.ValueSpec)
		if !ok || len(vs.Names) != 1 || len(vs.Values) != 1 {
			return nil
		}
		name, value = vs.Names[0], vs.Values[0]
	}
	lit, ok := value.(*ast.CompositeLit)
	if !ok || name == nil || len(lit.Elts) < minElements || !onlyRead(name, st.Func) {
		return nil
	}
	l := &literal{Statement: st, elements: len(lit.Elts)}
	var inner ast.Expr
	switch t := lit.Type.(type) {
	case *ast.MapType:
		l.kind, inner = "map", t.Value
	case *ast.ArrayType:
		if t.Len != nil {
			return nil
		}
		l.kind, inner = "slice", t.Elt
	}
	if l.kind == "" || !constants(lit, inner) {
		return nil
	}
	return l
}

// constants reports whether the elements of a list or map are literals, or
// structures of literals. Slices, maps and pointers among them could be changed
// through the copy that a reader takes.
func constants(lit *ast.CompositeLit, inner ast.Expr) bool {
	switch inner.(type) {
	case *ast.MapType, *ast.ArrayType, *ast.StarExpr, *ast.FuncType, *ast.ChanType, *ast.InterfaceType:
		return false
	}
	_, structure := inner.(*ast.StructType)
	for _, e := range lit.Elts {
		if kv, ok := e.(*ast.KeyValueExpr); ok {
			if !constant(kv.Key) {
				return false
			}
			e = kv.Value
		}
		nested, ok := e.(*ast.CompositeLit)
		if !ok {
			if !constant(e) {
				return false
			}
			continue
		}
		for _, field := range nested.Elts {
			if kv, ok := field.(*ast.KeyValueExpr); ok {
				if !structure { // the name of a field or a key: the type would say
					return false
				}
				field = kv.Value
			}
			if !constant(field) {
				return false
			}
		}
	}
	return true
}

func constant(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.BasicLit:
		return true
	case *ast.Ident:
		return e.Name == "true" || e.Name == "false"
	case *ast.UnaryExpr:
		return e.Op != token.AND && e.Op != token.ARROW && constant(e.X)
	case *ast.BinaryExpr:
		return constant(e.X) && constant(e.Y)
	case *ast.ParenExpr:
		return constant(e.X)
	}
	return false
}

// onlyRead reports whether a variable is only indexed, ranged over and asked
// for its length in its function, and never written through.
func onlyRead(id *ast.Ident, fn ast.Node) bool {
	uses, reads := 0, 0
	isUse := func(e ast.Expr) bool {
		x, ok := e.(*ast.Ident)
		return ok && x.Name == id.Name && x != id
	}
	// Elements that are written or whose address is taken.
	written := func(e ast.Expr) {
		for {
			switch x := e.(type) {
			case *ast.IndexExpr:
				if isUse(x.X) {
					reads--
				}
				e = x.X
			case *ast.SelectorExpr:
				e = x.X
			case *ast.ParenExpr:
				e = x.X
			default:
				return
			}
		}
	}
	ast.Inspect(fn, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			if isUse(n) {
				uses++
			}
		case *ast.IndexExpr:
			if isUse(n.X) {
				reads++
			}
		case *ast.RangeStmt:
			if isUse(n.X) {
				reads++
			}
		case *ast.CallExpr:
			if f, ok := n.Fun.(*ast.Ident); ok && f.Name == "len" && len(n.Args) == 1 && isUse(n.Args[0]) {
				reads++
			}
		case *ast.AssignStmt:
			for _, l := range n.Lhs {
				written(l)
			}
		case *ast.IncDecStmt:
			written(n.X)
		case *ast.UnaryExpr:
			if n.Op == token.AND {
				written(n.X)
			}
		}
		return true
	})
	return uses > 0 && uses == reads
}
