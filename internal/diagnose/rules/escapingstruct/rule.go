package escapingstruct

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"path"
	"slices"
	"strings"

	"whet/internal/analyze/hot"
	"whet/internal/callstack"
	"whet/internal/diagnose"
	"whet/internal/diagnose/syntax"
	"whet/internal/finding"
	"whet/internal/quantity"
	"whet/internal/symbolname"
)

// Rule returns the rule.
func Rule() diagnose.Rule {
	return diagnose.Rule{
		ID:    "escaping-struct",
		Title: "a struct on the heap for the sake of a part of it",
		Doc: diagnose.Doc{
			What:   "A local variable of a struct type is allocated on the heap in each call, since the address of one of its fields is handed to code that may keep it: a decoder, an interface's method.",
			Why:    "A variable lies on the heap as a whole or not at all. The address of a small part is enough to move everything beside it there, where it is allocated, cleared and collected.",
			Silent: "Where the whole is handed out, returned, stored or captured by a function that runs later, so that it has to be on the heap; for blocks of less than 256 bytes, or of more than 128 KiB, which the stack does not take; where the parts make up more than half; where a use of the variable is not understood, as a method of a field that may keep its receiver; for parameters that are moved; without source, and in recordings whose typed calls do not say how large the parts are.",
			Fix:    "A local of the part's type whose address is handed out in the field's place, and an assignment between the two.",
			Before: "var x exchange // request, names, answer: 700 bytes\nerr := json.Unmarshal(body, &x.request)",
			After:  "var x exchange\nvar in request // 64 bytes, alone on the heap\nerr := json.Unmarshal(body, &in)\nx.request = in",
		},
		Evidence:   []diagnose.EvidenceKind{diagnose.EvidenceAllocs, diagnose.EvidenceCPU, diagnose.EvidenceSource, diagnose.EvidenceCalls},
		Essential:  []diagnose.EvidenceKind{diagnose.EvidenceAllocs},
		MinSamples: diagnose.MinCPUSamples,
		Find:       find,
	}
}

const (
	// leastBlock is the size in bytes from which a block is worth a change.
	leastBlock = 256
	// mostBlock is the size of a variable up to which the compiler keeps it on
	// the stack at all (MaxStackVarSize).
	mostBlock = 128 << 10
	// mostParts is the share of the block that its parts may take.
	mostParts = 0.5
)

// variable is one that a statement declares and that lies on the heap.
type variable struct {
	diagnose.Statement
	function string
	ident    *ast.Ident
	typ      *ast.Ident
	heap     diagnose.Set
	cpu      diagnose.Set
	blocks   int64
	size     int64 // of a block, or several
}

// several sizes: not all of the blocks are the variable.
const several = -1

type finder struct {
	s  *diagnose.Subject
	at map[diagnose.SourceLine]*variable // nil: the statement declares none
}

func find(s *diagnose.Subject) []diagnose.Claim {
	f := &finder{s: s, at: make(map[diagnose.SourceLine]*variable)}
	diagnose.EachBase(s.Allocs, s.AllocCol, func(sample *callstack.Stacks, stack []callstack.FrameID) {
		n, size := s.Blocks(sample)
		if n <= 0 || size < leastBlock || size > mostBlock {
			return
		}
		// Allocation profiles mostly leave the runtime's frames out.
		if v, at := f.variable(s.Allocs, stack); v != nil && (at == 0 || allocates(s.Allocs, stack[:at])) {
			if v.size != 0 && v.size != size {
				size = several
			}
			v.heap.Add(sample.Index())
			v.size = size
			v.blocks += n
		}
	})
	diagnose.EachBase(s.CPU, s.CPUColumn, func(sample *callstack.Stacks, stack []callstack.FrameID) {
		if v, at := f.variable(s.CPU, stack); v != nil && allocates(s.CPU, stack[:at]) {
			v.cpu.Add(sample.Index())
		}
	})
	var claims []diagnose.Claim
	for _, v := range f.at {
		if v == nil || v.size < leastBlock || !s.MadeInCalls(v.blocks) {
			continue
		}
		parts, ok := handedOut(s, v)
		if !ok || len(parts) == 0 {
			continue
		}
		var bytes int64
		for _, p := range parts {
			bytes += p.size
		}
		if float64(bytes) <= mostParts*float64(v.size) {
			claims = append(claims, f.claim(v, parts, bytes))
		}
	}
	slices.SortFunc(claims, func(a, b diagnose.Claim) int {
		return cmp.Or(cmp.Compare(a.Place.File, b.Place.File), cmp.Compare(a.Place.Line, b.Place.Line))
	})
	return claims
}

// allocates reports whether frames below a statement are the runtime's, in its
// allocator.
func allocates(c *hot.Classified, below []callstack.FrameID) bool {
	found := false
	for _, id := range below {
		fn := c.Frame(id).Function
		if !diagnose.OfRuntime(fn) {
			return false
		}
		found = found || fn == "runtime.newobject" || strings.HasPrefix(fn, "runtime.mallocgc")
	}
	return found
}

// variable returns what the statement of the innermost frame that is not the
// runtime's declares, and the frame's index.
func (f *finder) variable(c *hot.Classified, stack []callstack.FrameID) (v *variable, at int) {
	at = slices.IndexFunc(stack, func(id callstack.FrameID) bool { return !diagnose.OfRuntime(c.Frame(id).Function) })
	if at < 0 {
		return nil, 0
	}
	frame := c.Frame(stack[at])
	if !f.s.Own(frame) || f.s.Loops.InBenchmark(frame.File, frame.Line) {
		return nil, 0
	}
	st := f.s.Statement(frame.File, frame.Line)
	if !st.Known || st.Func == nil {
		return nil, 0
	}
	k := st.At()
	v, ok := f.at[k]
	if !ok {
		if id, typ := f.declares(st.Node, symbolname.Package(frame.Function)); id != nil {
			v = &variable{Statement: st, ident: id, typ: typ, function: frame.Function}
		}
		f.at[k] = v
	}
	if v != nil && frame.Function < v.function {
		v.function = frame.Function
	}
	return v, at
}

// declares reads var x T, x := T{…} and var x = T{…} of a struct type, where
// making the value allocates nothing.
func (f *finder) declares(st ast.Stmt, pkg string) (id, typ *ast.Ident) {
	var value ast.Expr
	switch st := st.(type) {
	case *ast.AssignStmt:
		d, ok := declaration(st)
		if !ok {
			return nil, nil
		}
		id, value = d, st.Rhs[0]
	case *ast.DeclStmt:
		gen, ok := st.Decl.(*ast.GenDecl)
		if !ok || len(gen.Specs) != 1 {
			return nil, nil
		}
		vs, ok := gen.Specs[0].(*ast.ValueSpec)
		if !ok || len(vs.Names) != 1 {
			return nil, nil
		}
		id = vs.Names[0]
		if len(vs.Values) == 0 {
			typ, _ = vs.Type.(*ast.Ident)
		} else {
			value = vs.Values[0]
		}
	}
	if value != nil {
		lit, ok := ast.Unparen(value).(*ast.CompositeLit)
		if !ok || !f.quiet(lit, pkg) {
			return nil, nil
		}
		typ, _ = lit.Type.(*ast.Ident)
	}
	if id == nil || typ == nil || f.s.StructNamed(pkg, typ.Name) == nil {
		return nil, nil
	}
	return id, typ
}

// declaration returns the one variable that an assignment declares.
func declaration(st *ast.AssignStmt) (*ast.Ident, bool) {
	if st.Tok != token.DEFINE || len(st.Lhs) != 1 || len(st.Rhs) != 1 {
		return nil, false
	}
	id, ok := st.Lhs[0].(*ast.Ident)
	return id, ok
}

// quiet reports whether a value is made without an allocation, as far as the
// source shows: of names, fields, numbers and structs of them.
func (f *finder) quiet(e ast.Expr, pkg string) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.BasicLit, *ast.Ident:
		return true
	case *ast.SelectorExpr:
		return f.quiet(e.X, pkg)
	case *ast.KeyValueExpr:
		return f.quiet(e.Value, pkg)
	case *ast.CompositeLit:
		typ, ok := e.Type.(*ast.Ident)
		return ok && f.s.StructNamed(pkg, typ.Name) != nil && !slices.ContainsFunc(e.Elts, func(x ast.Expr) bool { return !f.quiet(x, pkg) })
	}
	return false
}

func (f *finder) claim(v *variable, parts []part, bytes int64) diagnose.Claim {
	s := f.s
	cost := diagnose.Samples{CPU: v.cpu.Keep(), Allocs: v.heap.Keep()}
	name, first := v.ident.Name, parts[0]
	field := first.path[strings.LastIndexByte(first.path, '.')+1:]
	var list []string
	for _, p := range parts {
		list = append(list, fmt.Sprintf("%s%s, %d bytes, to %s at %s:%d", name, p.path, p.size, p.callee, path.Base(s.Source.Display(p.file)), p.line))
	}
	c := diagnose.Claim{
		Place:      v.Place(v.function),
		Cost:       cost,
		Removed:    1 - float64(bytes)/float64(v.size),
		Confidence: finding.Medium,
		Why: fmt.Sprintf("%s is a block of %d bytes on the heap because addresses of parts of it are handed out, of %d bytes together; nothing else of it is seen to leave the call.",
			name, v.size, bytes),
		Remedy: fmt.Sprintf("Declare a local of the part's type, hand out its address in place of &%s%s, and copy between the two (%s%s = %s after decoding; the other way round before encoding). Only the part escapes then, and the rest stays on the stack. Compare allocations after the change: the copy costs little, but one address that still leaves keeps all of it on the heap. What is called must not use the address after it has returned: the two would go apart.",
			name, first.path, name, first.path, field),
		Evidence: []finding.Evidence{{Kind: "source", Text: "handed out: " + strings.Join(list, "; ")}},
	}
	if share := s.AllocShare(cost.Allocs); share > 0 {
		_, perOp := s.AllocBytes(cost.Allocs)
		c.Evidence = append(c.Evidence, finding.Evidence{Kind: "allocs", Text: quantity.Percent(share) + " of the base's allocated bytes" + s.PerIteration(perOp)})
	}
	if cost.CPU != nil {
		c.Evidence = append(c.Evidence, finding.Evidence{Kind: "cpu", Text: fmt.Sprintf("%d of %d base samples allocate it", s.CPUSamples(cost.CPU), s.BaseCPUSamples())})
	}
	return c
}

// handedOut follows the variable's uses; ok is false where more than parts of it
// may leave.
func handedOut(s *diagnose.Subject, v *variable) (parts []part, ok bool) {
	fn := syntax.New(v.Func)
	f := &flow{s: s, pkg: symbolname.Package(v.function), parts: make(map[string]part), seen: make(map[seen]bool)}
	d := syntax.Declaration{Ident: v.ident, Node: v.Node, Scope: fn.Parent(v.Node)}
	if !f.variable(function{fn, v.File, 0}, d, thing{typ: v.typ}) {
		return nil, false
	}
	return f.outermost(), true
}
