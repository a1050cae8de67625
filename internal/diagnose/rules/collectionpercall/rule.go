package collectionpercall

import (
	"cmp"
	"fmt"
	"go/types"
	"slices"

	"whet/internal/callstack"
	"whet/internal/diagnose"
	"whet/internal/diagnose/collections"
	"whet/internal/finding"
	"whet/internal/quantity"
	"whet/internal/recording"
	"whet/internal/typed"
)

// Rule returns the rule.
func Rule() diagnose.Rule {
	return diagnose.Rule{
		ID:    "collection-per-call",
		Title: "maps, sets or lists allocated in every call",
		Doc: diagnose.Doc{
			What:   "Each call allocates a map, or a slice that grows or has elements other than plain numbers, and drops it at the end: a local variable, or a field of a struct that lives no longer than the call.",
			Why:    "Every call allocates the memory, grows it, and leaves it to the garbage collector. A set of a few elements takes a header and a table, and each lookup computes a hash.",
			Silent: "For collections that outlive the call (returned, stored, sent, captured by a function literal that may run later, in a struct that is kept), and wherever the source does not rule that out; for those that the compiler keeps on the stack; for those made in at most one of ten iterations, or by a function that a program calls once; for map literals with elements; for slices of numbers made with their length (see buffer-per-call), of bytes or of runes; for lines that allocate for other purposes too; for collections of the benchmark itself; for element types that the caller of a generic function chooses, which no package variable can hold; where logging, dense-map or slice-growth reports it already; without type information.",
			Fix:    "Reuse the memory and clear it before use: in a field if one goroutine at a time calls the method, otherwise in a sync.Pool. Use slices for sets of a few elements.",
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

// droppedCollection is a collection that every call makes and drops.
type droppedCollection struct {
	s        *diagnose.Subject
	p        *collections.Package
	c        *collections.Collection
	made     collections.Use
	followed bool
	set      bool // of words
	small    bool // of at most eight elements
}

func found(s *diagnose.Subject, p *collections.Package, c *collections.Collection) (droppedCollection, bool) {
	f := droppedCollection{s: s, p: p, c: c}
	if c.Heap.Len() == 0 || !isPerCall(c) {
		return f, false
	}
	var made, ends bool
	if f.made, made = start(c); !made || !s.MadeInCalls(f.again()) || s.OfParameter(c.Var.Type(), f.p.Place(f.made)) {
		return f, false
	}
	if ends, f.followed = p.Ends(c); !ends {
		return f, false
	}
	if set := wordSet(p, c); set != nil {
		f.set = true
		_, largest, seen := collections.Blocks(s, &c.Tables)
		f.small = largest < 2*group(set) && (s.Allocs.Period <= 1 || seen >= enough)
	}
	return f, true
}

// isPerCall reports whether a collection is one that the rule is about, wherever
// it lives.
func isPerCall(c *collections.Collection) bool {
	elem := typed.Element(c.Var.Type())
	if elem == nil { // a map
		return c.Has(collections.Make) && !c.Has(collections.Literal)
	}
	b, isBasic := typed.Under[*types.Basic](elem)
	switch {
	case !isBasic || typed.IsString(elem):
		return true
	case b.Kind() == types.Uint8 || b.Kind() == types.Int32:
		return false
	}
	return !c.Local() || c.Has(collections.Append) && !c.Has(collections.Make)
}

// start returns where a collection, or those in it, are made: the innermost make, or else
// append or literal, of several the first in the source.
func start(c *collections.Collection) (first collections.Use, ok bool) {
	kinds := []collections.Kind{collections.Make, collections.Append, collections.Literal}
	for _, u := range c.Uses {
		k := slices.Index(kinds, u.Kind)
		if k >= 0 && (!ok || cmp.Or(cmp.Compare(k, slices.Index(kinds, first.Kind)), cmp.Compare(first.Depth, u.Depth)) < 0) {
			first, ok = u, true
		}
	}
	return first, ok
}

// again returns the number of blocks that were taken by something that is done again and again.
// Iterations are: of a benchmark, and requests. A program's run is none, so there
// a loop has to be seen: around a function that called the one in whose calls the
// collection lives, or around the statement that makes it.
func (f *droppedCollection) again() (blocks int64) {
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
func (f *droppedCollection) calledInLoop(stack []callstack.FrameID) bool {
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
// pointers: elements are put in and asked for, and nothing else. Else nil.
func wordSet(p *collections.Package, c *collections.Collection) *types.Map {
	t := c.Var.Type()
	for slice, ok := typed.Under[*types.Slice](t); ok; slice, ok = typed.Under[*types.Slice](t) {
		t = slice.Elem()
	}
	m, ok := typed.Under[*types.Map](t)
	if !ok || !collections.IsSet(m) || c.Has(collections.Delete) {
		return nil
	}
	if _, pointers := typed.Under[*types.Pointer](m.Key()); !pointers && !typed.IsInteger(m.Key()) {
		return nil
	}
	if slices.ContainsFunc(c.Uses, func(u collections.Use) bool {
		return u.Kind == collections.Set && u.InMap && (u.Value == nil || p.Fixed(u.Value).By != typed.FixedConst)
	}) {
		return nil
	}
	return m
}

// group returns the size in bytes of a table of eight slots, each a key and a value,
// with its control word: 8 + 8·16 = 136 for map[int]bool. A ninth element takes a
// table of two such groups.
func group(m *types.Map) int64 {
	slot := types.NewStruct([]*types.Var{types.NewField(0, nil, "key", m.Key(), false), types.NewField(0, nil, "elem", m.Elem(), false)}, nil)
	return 8 + 8*types.SizesFor("gc", "amd64").Sizeof(slot)
}

func (f *droppedCollection) claim() diagnose.Claim {
	s, c := f.s, f.c
	var cost, avoidable diagnose.Set
	cost.Join(&c.Maps)
	cost.Join(&c.Memory)
	avoidable.Join(&c.Memory)
	if f.small {
		avoidable.Join(&c.Maps)
	}
	claim := diagnose.Claim{
		Place:      f.p.Place(f.made),
		Cost:       diagnose.Samples{CPU: cost.Keep(), Allocs: c.Heap.Keep()},
		Avoidable:  diagnose.Samples{CPU: avoidable.Has, Allocs: c.Heap.Keep()},
		Confidence: finding.High,
		Why:        f.why(),
		Remedy:     f.remedy(),
		Evidence:   s.CPUEvidence(cost.Keep(), fmt.Sprintf("use or allocate it, %d of them in the allocator or moving its elements", s.CPUSamples(c.Memory.Keep()))),
	}
	if f.followed {
		claim.Confidence = finding.Medium
	}
	if share := s.AllocShare(claim.Cost.Allocs); share > 0 {
		bytes, _ := s.AllocBytes(claim.Cost.Allocs)
		blocks, _, _ := collections.Blocks(s, &c.Heap)
		iterations, per := 1.0, ""
		if s.AllocIterations > 0 {
			iterations, per = float64(s.AllocIterations), " per "+s.Iteration()
		}
		claim.Evidence = append(claim.Evidence, finding.Evidence{Kind: "allocs", Text: fmt.Sprintf("%s of the base's allocated bytes, %s bytes in %s%s",
			quantity.Percent(share), quantity.Count(float64(bytes)/iterations), countBlocks(float64(blocks)/iterations), per)})
	}
	return claim
}

func (f *droppedCollection) why() string {
	where := "a local variable, dropped on return"
	if !f.c.Local() {
		where = fmt.Sprintf("a field of %s, whose values live no longer than a call", f.c.Owner.Obj().Name())
	}
	text := fmt.Sprintf("%s, a %s, is allocated in every call: %s.", f.c.Var.Name(), kind(f.c.Var.Type(), ""), where)
	if f.small {
		text += " No set in it has had more than eight elements."
	}
	return text
}

// kind names what a collection is: "list of maps"; plural ends the first noun.
func kind(t types.Type, plural string) string {
	name := "list"
	if m, isMap := typed.Under[*types.Map](t); isMap {
		name = "map"
		if collections.IsSet(m) {
			name = "set"
		}
	}
	if elem := collections.ElementOf(t); collections.IsCollection(elem) {
		return name + plural + " of " + kind(elem, "s")
	}
	return name + plural
}

func (f *droppedCollection) remedy() string {
	switch {
	case f.small:
		return "Use a slice for each set: scanning at most eight elements is faster than hashing. Keep the slices between calls " + diagnose.Anywhere + ", and cut them to [:0]."
	case f.set:
		return "Keep the map between calls " + diagnose.Anywhere + ", and clear it. Or mark members in a slice by number, with a stamp that grows by one in each call: that needs no clearing."
	}
	t := f.c.Var.Type()
	elem := collections.ElementOf(t)
	_, isMap := typed.Under[*types.Map](t)
	_, ofMaps := typed.Under[*types.Map](elem)
	_, ofPointers := typed.Under[*types.Pointer](elem)
	again, also := "cut it to [:0]", ""
	switch {
	case isMap:
		again = "clear the map"
	case ofMaps:
		again = "clear each map"
	case collections.IsCollection(elem):
		again = "cut each list in it to [:0]"
	case ofPointers:
		also = " What its elements point to stays reachable: clear it if that keeps too much memory alive."
	}
	return "Keep the memory between calls " + diagnose.Anywhere + ", and " + again + ". Drop very large ones." + also
}

// countBlocks returns a number of blocks, which on average need not be whole.
func countBlocks(n float64) string {
	if text := quantity.Count(n); text != "1" {
		return text + " blocks"
	}
	return "1 block"
}
