package escapingstruct

import (
	"fmt"
	"go/ast"
	"go/types"
	"path"
	"slices"
	"strings"

	"whet/internal/analyze/hot"
	"whet/internal/callstack"
	"whet/internal/diagnose"
	"whet/internal/finding"
	"whet/internal/typed"
)

// Rule returns the rule.
func Rule() diagnose.Rule {
	return diagnose.Rule{
		ID:    "escaping-struct",
		Title: "a struct on the heap because of one field",
		Doc: diagnose.Doc{
			What:   "Each call allocates a local struct variable on the heap because the address of one of its fields is passed to code that may keep it: a decoder, an interface's method.",
			Why:    "The compiler puts a variable on the heap as a whole or not at all. The address of a small field moves everything beside it there, to be allocated, cleared and collected.",
			Silent: "Where the whole struct is passed, returned, stored or captured by a function that runs later, and so has to be on the heap; for blocks of less than 256 bytes, or of more than 128 KiB, which the stack does not hold; where the fields make up more than half; where a use of the variable is not understood, such as a method of a field that may keep its receiver; for parameters; in recordings without type information.",
			Fix:    "Declare a local variable of the field's type, pass its address in place of the field's, and assign between the two.",
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
	*types.Var
	pkg      *typed.Package
	function string
	cost     diagnose.Sets
	blocks   int64
	size     int64 // of a block, or several
}

// several sizes: not all of the blocks are the variable.
const several = -1

type finder struct {
	s  *diagnose.Subject
	at map[ast.Stmt]*variable // nil: the statement declares none
}

func find(s *diagnose.Subject) (claims []diagnose.Claim) {
	f := &finder{s: s, at: make(map[ast.Stmt]*variable)}
	s.EachSample(func(c *hot.Classified, sample *callstack.Stacks, stack []callstack.FrameID) {
		n, size := int64(0), int64(0)
		if c == s.Allocs {
			if n, size = s.Blocks(sample); n <= 0 || size < leastBlock || size > mostBlock {
				return
			}
		}
		v, at := f.variable(c, stack)
		// Allocation profiles mostly leave the runtime's frames out.
		if v == nil || (c == s.CPU || at > 0) && !allocates(c, stack[:at]) {
			return
		}
		v.cost.Of(s, c).Add(sample.Index())
		v.blocks += n
		switch {
		case v.size == 0:
			v.size = size
		case size != 0 && size != v.size:
			v.size = several
		}
	})
	for _, v := range f.at {
		if v == nil || v.size < leastBlock || !s.MadeInCalls(v.blocks) {
			continue
		}
		flow := &flow{Package: v.pkg, s: s, parts: make(map[string]part), seen: make(map[holder]bool)}
		if !flow.holds(v.Var, thing{}) || len(flow.parts) == 0 {
			continue
		}
		parts, bytes := flow.outermost(), int64(0)
		for _, p := range parts {
			bytes += p.size
		}
		if float64(bytes) <= mostParts*float64(v.size) {
			claims = append(claims, f.claim(v, parts, bytes))
		}
	}
	return claims
}

// allocates reports whether frames below a statement are the runtime's, in its
// allocator.
func allocates(c *hot.Classified, below []callstack.FrameID) bool {
	name := func(id callstack.FrameID) string { return c.Frame(id).Function }
	return !slices.ContainsFunc(below, func(id callstack.FrameID) bool { return !diagnose.OfRuntime(name(id)) }) &&
		slices.ContainsFunc(below, func(id callstack.FrameID) bool {
			return name(id) == "runtime.newobject" || strings.HasPrefix(name(id), "runtime.mallocgc")
		})
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
	pkg := f.s.PackageOf(frame.File)
	if !st.Known || pkg == nil {
		return nil, 0
	}
	v, ok := f.at[st.Node]
	if !ok {
		if declared := declares(pkg, st.Node); declared != nil {
			v = &variable{Statement: st, Var: declared, pkg: pkg, function: frame.Function}
		}
		f.at[st.Node] = v
	}
	if v != nil {
		v.function = min(v.function, frame.Function)
	}
	return v, at
}

// declares reads var x T, x := T{…} and var x = T{…} of a struct type of the
// package, where making the value allocates nothing.
func declares(pkg *typed.Package, st ast.Node) (found *types.Var) {
	for v, value := range pkg.Declared(typed.Specification(st)) {
		named, ok := types.Unalias(v.Type()).(*types.Named)
		_, lit := ast.Unparen(value).(*ast.CompositeLit)
		_, isStruct := typed.Under[*types.Struct](v.Type())
		if found != nil || !ok || named.Obj().Pkg() != pkg.Types || !isStruct || value != nil && !(lit && quiet(pkg, value)) {
			return nil
		}
		found = v
	}
	return found
}

// quiet reports whether a value is made without an allocation, as far as the
// source shows: of names, fields, numbers and structs of them.
func quiet(pkg *typed.Package, e ast.Expr) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.BasicLit, *ast.Ident:
		return true
	case *ast.SelectorExpr:
		return quiet(pkg, e.X)
	case *ast.KeyValueExpr:
		return quiet(pkg, e.Value)
	case *ast.CompositeLit:
		_, isStruct := typed.Under[*types.Struct](pkg.TypeOf(e))
		return isStruct && !slices.ContainsFunc(e.Elts, func(x ast.Expr) bool { return !quiet(pkg, x) })
	}
	return false
}

func (f *finder) claim(v *variable, parts []part, bytes int64) diagnose.Claim {
	s, cost := f.s, v.cost.Samples()
	name, first, spared := v.Name(), parts[0].path, 1-float64(bytes)/float64(v.size)
	var list []string
	for _, p := range parts {
		list = append(list, fmt.Sprintf("%s%s, %d bytes, to %s at %s:%d", name, p.path, p.size, p.callee, path.Base(s.Source.Display(p.file)), p.line))
	}
	return diagnose.Claim{
		Place:      v.Place(v.function),
		Cost:       cost,
		Removed:    diagnose.Removed{Time: spared, Bytes: spared},
		Confidence: finding.Medium,
		Why: fmt.Sprintf("%s is a block of %d bytes on the heap because addresses of its fields, %d bytes together, are passed on; no other part of it escapes.",
			name, v.size, bytes),
		Remedy: fmt.Sprintf("Declare a local variable of the field's type, pass its address in place of &%s%s, and copy between the two (%s%s = %s after decoding; the other way round before encoding). Then only the field escapes, and the rest stays on the stack. Compare allocations after the change: the copy is cheap, but one other address that escapes keeps the whole struct on the heap. The callee must not use the address after it returns, or the two copies diverge.",
			name, first, name, first, first[strings.LastIndexByte(first, '.')+1:]),
		Evidence: slices.Concat([]finding.Evidence{{Kind: "source", Text: "addresses passed: " + strings.Join(list, "; ")}},
			s.AllocEvidence(cost.Allocs), s.CPUEvidence(cost.CPU, "allocate it")),
	}
}
