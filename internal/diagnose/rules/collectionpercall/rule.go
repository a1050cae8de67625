package collectionpercall

import (
	"fmt"
	"go/types"
	"slices"

	"whet/internal/callstack"
	"whet/internal/diagnose"
	"whet/internal/diagnose/collections"
	"whet/internal/finding"
	"whet/internal/quantity"
	"whet/internal/recording"
)

// Rule returns the rule.
func Rule() diagnose.Rule {
	return diagnose.Rule{
		ID:    "collection-per-call",
		Title: "maps, sets or lists made anew in every call",
		Doc: diagnose.Doc{
			What:   "A map, or a slice that grows or holds more than plain numbers, is made in each call and dropped when the call is over: a local variable, or a field of a struct that itself lives no longer than a call.",
			Why:    "Its memory is allocated, filled as it grows, and collected for every call. A set of a few elements takes a header and a table, and each look-up hashes.",
			Silent: "For what outlives the call (returned, stored, sent, held by a literal that may run later, in a struct that is kept), and wherever the source does not show that it does not; for what the compiler keeps on the stack; for what is made once in ten iterations or less, or by a function that a program calls once; for maps that are written out with their elements; for slices of numbers that are made with their length (buffer-per-call) and of bytes or runes; for lines that take memory for something else too; for what benchmarks make themselves; for what logging, dense-map or slice-growth say already; without types.",
			Fix:    "Keep the memory between calls, in a sync.Pool, or a field where calls do not overlap, and clear it; for sets of a few elements, slices.",
			Before: "seen := make(map[int]bool)\nfor _, to := range doors { seen[to] = true }",
			After:  "seen := f.seen[:0]\nfor _, to := range doors { if !slices.Contains(seen, to) { seen = append(seen, to) } }\nf.seen = seen",
		},
		Evidence:   []diagnose.EvidenceKind{diagnose.EvidenceCPU, diagnose.EvidenceAllocs, diagnose.EvidenceSource, diagnose.EvidenceCalls},
		Essential:  []diagnose.EvidenceKind{diagnose.EvidenceAllocs},
		MinSamples: diagnose.MinCPUSamples,
		Find:       find,
	}
}

// enough is how many blocks a sampled profile must have seen to say that none is
// larger: at 30, one size in ten is missed with a probability of 0.9^30 = 4 %.
const enough = 30

func find(s *diagnose.Subject) []diagnose.Claim {
	var claims []diagnose.Claim
	for _, p := range collections.Find(s) {
		for _, c := range p.Collections {
			if f, ok := found(s, p, c); ok {
				claims = append(claims, f.claim())
			}
		}
	}
	return claims
}

// dropped is a collection that every call makes and drops.
type dropped struct {
	s        *diagnose.Subject
	p        *collections.Package
	c        *collections.Collection
	made     collections.Use
	blocks   int64
	followed bool
	set      bool // of words
	small    bool // of at most eight elements
}

func found(s *diagnose.Subject, p *collections.Package, c *collections.Collection) (dropped, bool) {
	f := dropped{s: s, p: p, c: c}
	if c.Heap.Len() == 0 || !isPerCall(c) {
		return f, false
	}
	var ok bool
	if f.made, ok = start(c); !ok {
		return f, false
	}
	if f.blocks = f.again(); !s.MadeInCalls(f.blocks) {
		return f, false
	}
	var ends bool
	if ends, f.followed = p.Ends(c); !ends {
		return f, false
	}
	var set *types.Map
	if set, f.set = wordSet(p, c); f.set {
		_, largest, seen := collections.Blocks(s, &c.Tables)
		f.small = largest < 2*group(set) && (s.Allocs.Period <= 1 || seen >= enough)
	}
	return f, true
}

// isPerCall reports whether a collection is one that the rule is about, wherever
// it lives.
func isPerCall(c *collections.Collection) bool {
	has := func(k collections.Kind) bool {
		return slices.ContainsFunc(c.Uses, func(u collections.Use) bool { return u.Kind == k })
	}
	switch t := c.Var.Type().Underlying().(type) {
	case *types.Map:
		return has(collections.Make) && !has(collections.Literal)
	case *types.Slice:
		b, isBasic := t.Elem().Underlying().(*types.Basic)
		if !isBasic {
			return true
		}
		if b.Kind() == types.Uint8 || b.Kind() == types.Int32 {
			return false
		}
		numbers := b.Info()&types.IsString == 0
		return !numbers || !c.Local() || has(collections.Append) && !has(collections.Make)
	}
	return false
}

// start is where a collection, or those in it, are made: the innermost make or
// literal, or else the first append.
func start(c *collections.Collection) (collections.Use, bool) {
	var best collections.Use
	ok := false
	for _, u := range c.Uses {
		if u.Kind == collections.Make && (!ok || u.Depth > best.Depth || u.Depth == best.Depth && (u.File < best.File || u.File == best.File && u.Line < best.Line)) {
			best, ok = u, true
		}
	}
	if ok {
		return best, true
	}
	return c.Made(collections.Append, collections.Literal)
}

// again is how many blocks were taken by something that is done again and again.
// Iterations are: of a benchmark, and requests. A program's run is none, so there
// a loop has to be seen: around a function that called the one in whose calls the
// collection lives, or around the statement that makes it.
func (f *dropped) again() (blocks int64) {
	s := f.s
	byLoop := s.AllocIterations == 0 || s.Kind == recording.TargetProgram
	if byLoop && f.made.Depth == 0 && f.c.Local() && s.Statement(f.made.File, f.made.Line).Loop != nil {
		byLoop = false
	}
	keep := f.c.Heap.Keep()
	diagnose.EachBase(s.Allocs, s.AllocCol, func(sample *callstack.Stacks, stack []callstack.FrameID) {
		if keep(sample.Index()) && (!byLoop || f.calledInLoop(stack)) {
			n, _ := s.Blocks(sample)
			blocks += n
		}
	})
	return blocks
}

// calledInLoop reports whether the outermost call in which the collection lives
// was made from a loop, or from a function that was.
func (f *dropped) calledInLoop(stack []callstack.FrameID) bool {
	for _, id := range slices.Backward(stack) {
		frame := f.s.Allocs.Frame(id)
		if !f.s.Own(frame) {
			continue
		}
		fn := f.s.FunctionAt(frame.File, frame.Line)
		if fn != nil && f.p.LivesIn(f.c, fn.Node) {
			return false
		}
		if f.s.Statement(frame.File, frame.Line).Loop != nil {
			return true
		}
	}
	return false
}

// wordSet returns the type of the maps where they are sets of numbers or
// pointers: elements are put in and asked for, and nothing else.
func wordSet(p *collections.Package, c *collections.Collection) (*types.Map, bool) {
	t := c.Var.Type().Underlying()
	for {
		slice, ok := t.(*types.Slice)
		if !ok {
			break
		}
		t = slice.Elem().Underlying()
	}
	m, ok := t.(*types.Map)
	if !ok || !collections.IsSet(m) {
		return nil, false
	}
	switch k := m.Key().Underlying().(type) {
	case *types.Basic:
		if k.Info()&types.IsInteger == 0 {
			return nil, false
		}
	case *types.Pointer:
	default:
		return nil, false
	}
	return m, !slices.ContainsFunc(c.Uses, func(u collections.Use) bool {
		return u.Kind == collections.Delete || u.Kind == collections.Set && u.InMap && (u.Value == nil || !p.Constant(u.Value))
	})
}

// group is the size in bytes of a table of eight slots, each a key and a value,
// with its control word: 8 + 8·16 = 136 for map[int]bool. A ninth element takes a
// table of two such groups.
func group(m *types.Map) int64 {
	slot := types.NewStruct([]*types.Var{types.NewField(0, nil, "key", m.Key(), false), types.NewField(0, nil, "elem", m.Elem(), false)}, nil)
	return 8 + 8*types.SizesFor("gc", "amd64").Sizeof(slot)
}

func (f *dropped) claim() diagnose.Claim {
	s, c := f.s, f.c
	none := func(int) bool { return false }
	cost := c.Maps
	var avoidable diagnose.Set
	avoidable.Join(&c.Memory)
	if f.small {
		avoidable.Join(&c.Maps)
	}
	var all diagnose.Set
	all.Join(&cost)
	all.Join(&c.Memory)
	claim := diagnose.Claim{
		Place:      f.p.Place(f.made),
		Cost:       diagnose.Samples{CPU: all.Keep(), Allocs: c.Heap.Keep()},
		Avoidable:  diagnose.Samples{CPU: none, Allocs: c.Heap.Keep()},
		Confidence: finding.High,
		Why:        f.why(),
		Remedy:     f.remedy(),
	}
	if f.followed {
		claim.Confidence = finding.Medium
	}
	if keep := avoidable.Keep(); keep != nil {
		claim.Avoidable.CPU = keep
	}
	if keep := claim.Cost.CPU; keep != nil {
		claim.Evidence = append(claim.Evidence, finding.Evidence{Kind: "cpu", Text: fmt.Sprintf("%d of %d base samples are in it or take its memory, %d of them in the allocator or moving what it holds",
			s.CPUSamples(keep), s.BaseCPUSamples(), s.CPUSamples(c.Memory.Keep()))})
	}
	if share := s.AllocShare(claim.Cost.Allocs); share > 0 {
		bytes, perOp := s.AllocBytes(claim.Cost.Allocs)
		blocks, _, _ := collections.Blocks(s, &c.Heap)
		text := quantity.Percent(share) + " of the base's allocated bytes"
		if perOp > 0 {
			text += fmt.Sprintf(", %s bytes in %s per %s", quantity.Count(perOp), countBlocks(float64(blocks)/float64(s.AllocIterations)), s.Iteration())
		} else {
			text += fmt.Sprintf(", %s bytes in %s", quantity.Count(float64(bytes)), countBlocks(float64(blocks)))
		}
		claim.Evidence = append(claim.Evidence, finding.Evidence{Kind: "allocs", Text: text})
	}
	return claim
}

func (f *dropped) why() string {
	where := "a local variable that nothing holds when the function returns"
	if f.c.Field() {
		where = fmt.Sprintf("a field of %s, whose values live no longer than a call", f.c.Owner.Obj().Name())
	}
	text := fmt.Sprintf("%s, %s, takes its memory anew in every call: %s.", f.c.Var.Name(), f.kind(), where)
	if f.small {
		text += " No set in it has had more than eight elements."
	}
	return text
}

// kind names what a collection is.
func (f *dropped) kind() string {
	t := f.c.Var.Type().Underlying()
	one, many := "a ", ""
	for {
		elem := collections.ElementOf(t)
		last := !collections.IsCollection(elem)
		var name string
		switch m, isMap := t.Underlying().(*types.Map); {
		case isMap && collections.IsSet(m):
			name = "set"
		case isMap:
			name = "map"
		default:
			name = "list"
		}
		if one == "a " {
			many = one + name
		} else {
			many += " of " + name + "s"
		}
		one = ""
		if last {
			return many
		}
		t = elem
	}
}

func (f *dropped) remedy() string {
	const keep, large = "Keep the memory between calls (a sync.Pool, or a field where calls do not overlap)", "; leave what has become very large out of the pool."
	t := f.c.Var.Type().Underlying()
	elem := collections.ElementOf(t)
	_, isMap := t.(*types.Map)
	_, ofMaps := elem.Underlying().(*types.Map)
	switch {
	case f.small:
		return "Use a slice for each set: looking through at most eight elements is faster than hashing. Keep the slices between calls (a sync.Pool, or a field where calls do not overlap) and cut them to [:0]."
	case f.set:
		return "Keep the map between calls (a sync.Pool, or a field where calls do not overlap) and clear it, or mark members in a slice by number, with a stamp that grows by one in each call, which needs no clearing."
	case isMap:
		return keep + " and clear the map" + large
	case ofMaps:
		return keep + " and clear each map" + large
	case collections.IsCollection(elem):
		return keep + " and cut each list in it to [:0]" + large
	}
	if _, ok := elem.Underlying().(*types.Pointer); ok {
		return keep + " and cut it to [:0]" + large + " What its elements point to stays reachable: clear it where that matters."
	}
	return keep + " and cut it to [:0]" + large
}

// countBlocks is a number of blocks, which on average need not be whole.
func countBlocks(n float64) string {
	if text := quantity.Count(n); text != "1" {
		return text + " blocks"
	}
	return "1 block"
}
