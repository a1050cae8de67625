package constantwork

import (
	"fmt"
	"go/ast"
	"go/types"
	"slices"

	"whet/internal/analyze/hot"
	"whet/internal/callstack"
	"whet/internal/diagnose"
	"whet/internal/finding"
	"whet/internal/typed"
)

// minElements is how many elements a literal must have to be worth a package
// variable.
const minElements = 8

// minSamples is the number of samples that show that a literal is built again and again: what
// the runtime does for one of a size that people write takes far less than a sample.
const minSamples = 10

// literal is a statement that builds one map or slice of constants and nothing
// else, of which the function only reads.
type literal struct {
	diagnose.Statement
	function string
	kind     string // "map", "slice"
	elements int
	diagnose.Sets
}

// literals claims what the runtime does to build such literals.
func literals(s *diagnose.Subject) (claims []diagnose.Claim) {
	at := make(map[diagnose.SourceLine]*literal) // nil: the statement is none
	s.EachSample(func(c *hot.Classified, sample *callstack.Stacks, stack []callstack.FrameID) {
		own := slices.IndexFunc(stack, func(id callstack.FrameID) bool { return !diagnose.OfRuntime(c.Frame(id).Function) })
		if own < 0 || own == 0 && c != s.Allocs {
			return
		}
		f := c.Frame(stack[own])
		if !s.Own(f) || s.Loops.InBenchmark(f.File, f.Line) {
			return
		}
		st := s.Statement(f.File, f.Line)
		l, known := at[st.At()]
		if !known {
			if l = read(s, st); l != nil {
				l.function = f.Function
			}
			at[st.At()] = l
		}
		if l != nil {
			l.Of(s, c).Add(sample.Index())
			l.function = min(l.function, f.Function)
		}
	})
	for _, l := range at {
		if l != nil && s.CPUSamples(l.CPU.Keep()) >= minSamples {
			claims = append(claims, l.claim(s))
		}
	}
	return claims
}

func (l *literal) claim(s *diagnose.Subject) diagnose.Claim {
	c := diagnose.Claim{
		Place: l.Place(l.function), Cost: l.Samples(), Confidence: finding.High,
		Why:    fmt.Sprintf("A %s of %d constants is built in every call, and the function only reads it.", l.kind, l.elements),
		Remedy: "Make it a package variable, which is built once.",
	}
	if l.kind == "map" {
		c.Remedy += " If the keys are known, a switch needs no map at all."
	}
	c.Evidence = append(s.CPUEvidence(c.Cost.CPU, "build the literal"), s.AllocEvidence(c.Cost.Allocs)...)
	return c
}

// read returns the literal of a statement of the form v := T{…}, or var v =
// T{…}, nil if it is another or v is more than read in its function. Slices, maps
// and pointers among the elements could be changed through the copy that a reader
// takes.
func read(s *diagnose.Subject, st diagnose.Statement) *literal {
	pkg := s.PackageOf(st.File)
	to, values := typed.Sides(typed.Specification(st.Node))
	if pkg == nil || len(to) != 1 || len(values) != 1 {
		return nil
	}
	lit, ok := values[0].(*ast.CompositeLit)
	if !ok || len(lit.Elts) < minElements || pkg.TypeOf(lit) == nil {
		return nil
	}
	l := &literal{Statement: st, elements: len(lit.Elts)}
	var elem types.Type
	switch t := pkg.TypeOf(lit).Underlying().(type) {
	case *types.Map:
		l.kind, elem = "map", t.Elem()
	case *types.Slice:
		l.kind, elem = "slice", t.Elem()
	}
	if !typed.Plain(elem) || pkg.Fixed(lit).By != typed.FixedConst || !onlyRead(pkg, pkg.Var(to[0])) {
		return nil
	}
	return l
}

// onlyRead reports whether a variable is only indexed, ranged over and asked
// for its length, and never written through.
func onlyRead(pkg *typed.Package, v *types.Var) bool {
	uses := pkg.Uses(v)
	return v != nil && len(uses) > 0 && !slices.ContainsFunc(uses, func(id *ast.Ident) bool {
		switch p := pkg.Parent(id).(type) {
		case *ast.IndexExpr:
			return p.X != id || pkg.Written(id)
		case *ast.RangeStmt:
			return p.X != id
		case *ast.CallExpr:
			return pkg.Builtin(p) != "len"
		}
		return true
	})
}
