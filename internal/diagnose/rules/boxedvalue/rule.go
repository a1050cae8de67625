package boxedvalue

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

const (
	boxed  = "boxed-value"
	pooled = "pool-of-values"
)

// Rules returns the rules.
func Rules() []diagnose.Rule {
	rule := func(id, title string, doc diagnose.Doc) diagnose.Rule {
		return diagnose.Rule{
			ID: id, Title: title, Doc: doc,
			Evidence:   []diagnose.EvidenceKind{diagnose.EvidenceCPU, diagnose.EvidenceAllocs, diagnose.EvidenceSource, diagnose.EvidenceCalls},
			MinSamples: diagnose.MinCPUSamples,
			Find:       func(s *diagnose.Subject) []diagnose.Claim { return diagnose.Once(s, claimsKey{}, claims)[id] },
		}
	}
	return []diagnose.Rule{
		rule(boxed, "a value converted to an interface in every call", diagnose.Doc{
			What:   "A number, a string, a slice or a struct is passed as a parameter of type any, to a function of the program or to container/heap.Push.",
			Why:    "An interface holds a pointer. Any other value is first copied to the heap (8 bytes for an int), and the receiver needs a type assertion to get it back. A heap written for its element type does a push and a pop in half the time or less, with no allocation in place of two.",
			Silent: "For constants, pointers and values that the compiler keeps on the stack; for variadic parameters and functions of other packages, which the rules on formatting and logging cover; for a sync.Map, whose keys stay on the stack in lookups; for functions that pass the value on as an interface; for interfaces with methods; in recordings without compiler diagnostics or types.",
			Fix:    "Take the value's type or a type parameter. Write a heap for its element type.",
			Before: "func (s *stack) push(x any) { s.items = append(s.items, x) }\n\ns.push(n)",
			After:  "func (s *stack[T]) push(x T) { s.items = append(s.items, x) }\n\ns.push(n)",
		}),
		rule(pooled, "a sync.Pool of values in place of pointers", diagnose.Doc{
			What:   "A slice, a string or a struct is put into a sync.Pool by value.",
			Why:    "Put takes an interface, so a value that is not a pointer is copied to the heap (24 bytes for a slice). Each use of the pool allocates, which the pool is meant to avoid, and takes more than twice as long.",
			Silent: "For pointers, maps, channels and functions, which an interface holds directly; in recordings without compiler diagnostics or types.",
			Fix:    "Keep pointers in the pool, and set the pointed-to value before Put.",
			Before: "buf := pool.Get().([]byte)[:0]\nbuf = encode(buf, v)\nw.Write(buf)\npool.Put(buf)",
			After:  "buf := pool.Get().(*[]byte)\n*buf = encode((*buf)[:0], v)\nw.Write(*buf)\npool.Put(buf)",
		}),
	}
}

type claimsKey struct{}

// box is a statement that puts a value into an interface.
type box struct {
	diagnose.Statement
	function string
	callee   string
	value    ast.Expr
	of       types.Type
	size     int64 // of the value
	alone    bool  // nothing else in the statement allocates, as far as its source shows
	cost     diagnose.Sets
}

func claims(s *diagnose.Subject) map[string][]diagnose.Claim {
	out := make(map[string][]diagnose.Claim)
	if s.Program == nil || s.Decisions == nil {
		return out
	}
	at := make(map[diagnose.SourceLine]*box) // nil: it boxes nothing
	var found []*box
	s.EachSample(func(c *hot.Classified, sample *callstack.Stacks, stack []callstack.FrameID) {
		i := slices.IndexFunc(stack, func(id callstack.FrameID) bool { return !diagnose.OfRuntime(c.Frame(id).Function) })
		if i < 0 || i == 0 && c == s.CPU || i > 0 && !strings.HasPrefix(c.Frame(stack[i-1]).Function, "runtime.convT") {
			return
		}
		frame := c.Frame(stack[i])
		if !s.Own(frame) || s.Loops.InBenchmark(frame.File, frame.Line) {
			return
		}
		st := s.Statement(frame.File, frame.Line)
		b, known := at[st.At()]
		if !known {
			if b = boxIn(s, st); b != nil {
				b.function = frame.Function
				found = append(found, b)
			}
			at[st.At()] = b
		}
		if b == nil {
			return
		}
		if c == s.Allocs && i == 0 {
			// The runtime rounds a size up, by less than a quarter of larger ones.
			if _, size := s.Blocks(sample); !b.alone || size < b.size || size > b.size+max(15, b.size/4) {
				return
			}
		}
		b.cost.Of(s, c).Add(sample.Index())
	})
	for _, b := range found {
		if b.cost.Len() > 0 {
			id, c := b.claim(s)
			out[id] = append(out[id], c)
		}
	}
	return out
}

// boxIn returns the only value that a statement's calls put into an interface of a
// function that is known; nil where there is none, or more.
func boxIn(s *diagnose.Subject, st diagnose.Statement) *box {
	var found *box
	for _, site := range s.Sites(st) {
		callee := site.Callee()
		sig, _ := typed.Under[*types.Signature](site.In.TypeOf(site.Fun))
		if sig == nil || site.Ellipsis.IsValid() {
			continue
		}
		for i, arg := range site.Args {
			last := sig.Params().Len() - 1
			if i > last || i == last && sig.Variadic() {
				if last >= 0 && isInterface(sig.Params().At(last).Type()) {
					return nil
				}
				continue
			}
			of := site.In.TypeOf(arg)
			if !isInterface(sig.Params().At(i).Type()) || !takesBlock(of) || site.In.Info.Types[arg].Value != nil {
				continue
			}
			if found != nil || remedies[callee] == "" && !asked(site, i) || !isAny(sig.Params().At(i).Type()) {
				return nil
			}
			size := site.In.Pointee(types.NewPointer(of))
			if size <= 0 || !escapes(s, st, arg) {
				return nil
			}
			found = &box{Statement: st, callee: callee, value: arg, of: of, size: size, alone: alone(site.In, s.Sites(st), &st)}
		}
	}
	return found
}

// asked reports whether a function of the program's own asks for the type of a
// parameter or stores it, and does nothing else with it: handed on as an interface, the
// value would be boxed there. A method that other code calls by an interface keeps its
// parameters, as a heap's Push does.
func asked(site typed.Site, param int) bool {
	to := site.In.Reached(site.CallExpr)
	if to == nil || site.In.MethodExpression(site.CallExpr) {
		return false
	}
	if recv := to.Object.Signature().Recv(); recv != nil {
		less, _, _ := types.LookupFieldOrMethod(recv.Type(), true, to.Object.Pkg(), "Less")
		if less != nil {
			return false
		}
	}
	uses := to.Package.Uses(to.Object.Signature().Params().At(param))
	return len(uses) > 0 && !slices.ContainsFunc(uses, func(use *ast.Ident) bool {
		switch p := to.Package.Parent(use).(type) {
		case *ast.TypeAssertExpr, *ast.KeyValueExpr, *ast.SendStmt:
			return false
		case *ast.AssignStmt:
			return !slices.Contains(p.Rhs, ast.Expr(use)) || len(p.Lhs) != len(p.Rhs) || to.Package.Var(p.Lhs[slices.Index(p.Rhs, ast.Expr(use))]) != nil
		case *ast.CallExpr:
			return to.Package.Builtin(p) != "append" || p.Args[0] == use
		case *ast.BinaryExpr:
			return p.Op != token.EQL && p.Op != token.NEQ
		}
		return true
	})
}

func isAny(t types.Type) bool {
	u, ok := typed.Under[*types.Interface](t)
	return ok && u.Empty()
}

// isInterface reports whether values are boxed for a parameter of a type, or the
// elements of a variadic one.
func isInterface(t types.Type) bool {
	if list, ok := types.Unalias(t).(*types.Slice); ok {
		t = list.Elem()
	}
	_, parameter := types.Unalias(t).(*types.TypeParam)
	return !parameter && types.IsInterface(t)
}

// takesBlock reports whether an interface cannot hold a value of a type as it is.
func takesBlock(t types.Type) bool {
	if t == nil {
		return false
	}
	if _, parameter := types.Unalias(t).(*types.TypeParam); parameter {
		return false
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Kind() != types.UnsafePointer && u.Kind() != types.UntypedNil && u.Kind() != types.Invalid
	case *types.Slice:
		return true
	case *types.Struct:
		return u.NumFields() > 1 || u.NumFields() == 1 && takesBlock(u.Field(0).Type())
	}
	return false
}

// escapes reports whether the compiler says of a value that it is on the heap.
func escapes(s *diagnose.Subject, st diagnose.Statement, value ast.Expr) bool {
	return slices.Contains(s.Decisions(diagnose.SourceLine{File: st.File, Line: s.LineAt(value.Pos())}), written(value)+" escapes to heap")
}

// written returns an expression in the compiler's words.
func written(e ast.Expr) string {
	return strings.ReplaceAll(types.ExprString(ast.Unparen(e)), "…", "...")
}

// alone reports whether a statement allocates nothing but the block of its value, as
// far as its source shows.
func alone(pkg *typed.Package, sites []typed.Site, st *diagnose.Statement) bool {
	only := true
	st.Head(func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit, *ast.GoStmt, *ast.DeferStmt:
			only = false
		case *ast.UnaryExpr:
			_, literal := ast.Unparen(n.X).(*ast.CompositeLit)
			only = only && !(n.Op == token.AND && literal)
		case *ast.CompositeLit:
			_, isStruct := typed.Under[*types.Struct](pkg.TypeOf(n))
			only = only && isStruct
		case *ast.BinaryExpr:
			only = only && !pkg.Joins(n)
		}
		return only
	})
	return only && !slices.ContainsFunc(sites, func(site typed.Site) bool {
		x, _ := pkg.Conversion(site.CallExpr)
		return x != nil && !typed.IsNumber(pkg.TypeOf(x)) || slices.Contains([]string{"make", "new", "append"}, pkg.Builtin(site.CallExpr))
	})
}

// remedies are what to do about functions of the standard library that take any.
var remedies = map[string]string{
	"sync.(*Pool).Put":    "Keep pointers in the pool: let New return a pointer, get it with Get().(*T), and set *p before Put(p).",
	"container/heap.Push": "Write a heap for the element type: a slice with up and down as in container/heap (some 30 lines, generic if there are several types). Push and Pop then allocate only to grow the slice, and compare without interface calls.",
}

func (b *box) claim(s *diagnose.Subject) (id string, c diagnose.Claim) {
	name, value := symbolname.Short(b.callee), written(b.value)
	of := types.TypeString(b.of, func(p *types.Package) string { return p.Name() })
	id, remedy, confidence := boxed, remedies[b.callee], finding.Medium
	switch {
	case b.callee == "sync.(*Pool).Put":
		id, confidence = pooled, finding.High
	case remedy == "":
		remedy = fmt.Sprintf("Let %s take %s in place of any, and store the value with that type. If it is called with several types, use a type parameter or one function for each type.", name, of)
	}
	cost := b.cost.Samples()
	return id, diagnose.Claim{
		Place: b.Place(b.function), Cost: cost, Confidence: confidence, Remedy: remedy,
		Why: fmt.Sprintf("%s is of type %s and %s takes it as any: each call copies it to a block of %d bytes on the heap.", value, of, name, b.size),
		Evidence: slices.Concat([]finding.Evidence{{Kind: "compiler", Text: value + " escapes to heap"}},
			s.CPUEvidence(cost.CPU, "convert it to the interface"), s.AllocEvidence(cost.Allocs)),
	}
}
