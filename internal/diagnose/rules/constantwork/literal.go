package constantwork

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"whet/internal/analyze/hot"
	"whet/internal/callstack"
	"whet/internal/diagnose"
	"whet/internal/finding"
	"whet/internal/symbolname"
	"whet/internal/typed"
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
	diagnose.Sets
}

// literals claims what the runtime does to build such literals.
func literals(s *diagnose.Subject) (claims []diagnose.Claim) {
	at := make(map[diagnose.SourceLine]*literal) // nil: the statement is none
	s.EachSample(func(c *hot.Classified, sample *callstack.Stacks, stack []callstack.FrameID) {
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
		st := s.Statement(f.File, f.Line)
		l, known := at[st.At()]
		if !known {
			l = read(s, st)
			at[st.At()] = l
		}
		if l != nil {
			l.Of(s, c).Add(sample.Index())
			if l.function == "" || f.Function < l.function {
				l.function = f.Function
			}
		}
	})
	for _, l := range at {
		if l != nil && l.repeated(s) {
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
	return s.CPUSamples(l.CPU.Keep()) >= samples
}

func (l *literal) claim(s *diagnose.Subject) diagnose.Claim {
	c := diagnose.Claim{
		Place: l.Place(l.function), Cost: l.Samples(), Confidence: finding.High,
		Why:    fmt.Sprintf("A %s of %d constants is built in every call, and the function only reads it.", l.kind, l.elements),
		Remedy: "Make it a package variable, which is built once.",
	}
	if l.kind == "map" {
		c.Remedy += " Where the keys are known a switch needs no map at all."
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
	name, value := declares(st.Node)
	lit, ok := value.(*ast.CompositeLit)
	if !ok || pkg == nil || len(lit.Elts) < minElements || pkg.Info.TypeOf(lit) == nil {
		return nil
	}
	l := &literal{Statement: st, elements: len(lit.Elts)}
	var elem types.Type
	switch t := pkg.Info.TypeOf(lit).Underlying().(type) {
	case *types.Map:
		l.kind, elem = "map", t.Elem()
	case *types.Slice:
		l.kind, elem = "slice", t.Elem()
	}
	if !typed.Plain(elem) || pkg.Fixed(lit).By != typed.FixedConst || !onlyRead(pkg, pkg.Var(name)) {
		return nil
	}
	return l
}

// declares reads a statement that declares one variable with a value.
func declares(st ast.Stmt) (name *ast.Ident, value ast.Expr) {
	switch n := st.(type) {
	case *ast.AssignStmt:
		if n.Tok == token.DEFINE && len(n.Lhs) == 1 && len(n.Rhs) == 1 {
			name, _ = n.Lhs[0].(*ast.Ident)
			return name, n.Rhs[0]
		}
	case *ast.DeclStmt:
		if d, ok := n.Decl.(*ast.GenDecl); ok && len(d.Specs) == 1 {
			if vs, ok := d.Specs[0].(*ast.ValueSpec); ok && d.Tok == token.VAR && len(vs.Names) == 1 && len(vs.Values) == 1 {
				return vs.Names[0], vs.Values[0]
			}
		}
	}
	return nil, nil
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
