package heapgrowth

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/types"
	"slices"

	"whet/internal/callstack"
	"whet/internal/diagnose"
	"whet/internal/finding"
	"whet/internal/quantity"
	"whet/internal/recording"
	"whet/internal/symbolname"
)

// Rule returns the rule.
func Rule() diagnose.Rule {
	return diagnose.Rule{
		ID:    "heap-growth",
		Title: "a live heap that keeps growing",
		Doc: diagnose.Doc{
			What:   "Objects are still alive at the end of the run, and the longer it runs, the more: the live heap rises from beginning to end, and two heap profiles show where the added objects were allocated.",
			Why:    "The garbage collector marks everything alive again and again, and the process grows until it is killed.",
			Silent: "Where two heap profiles are missing; where less than 4 MiB were added; for garbage not yet collected; for caches and pools that fill to their bound before the end, fixtures made once, and memory kept by setup.",
			Fix:    "Remove entries that are no longer needed, bound the table by number or age, or copy the few bytes that are needed out of a large buffer. If the program needs all of it until its end, there is nothing to fix.",
			Before: "s.sessions[id] = newSession(r)",
			After:  "s.sessions[id] = newSession(r)\n// and when it has ended:\ndelete(s.sessions, id)",
		},
		Evidence: []diagnose.EvidenceKind{diagnose.EvidenceHeap, diagnose.EvidenceSource},
		Find:     find,
	}
}

const (
	leastBytes = 4 << 20
	// ofTheHeap is what must be added to what was alive before.
	ofTheHeap = 0.1
	// ofTheRise is the share of the live heap's rise that the profiles must show.
	ofTheRise = 0.25
	// ofTheGrowth is the share of all that was added that a place must have.
	ofTheGrowth = 0.1
	most        = 3 // places
)

type growth struct {
	diagnose.Location
	bytes, objects int64
	end            int64 // bytes alive at the end, whenever they were allocated
}

func find(s *diagnose.Subject) []diagnose.Claim {
	if len(s.Heap) < 2 {
		return nil
	}
	rise := s.LiveHeap.Added()
	if rise < leastBytes {
		return nil
	}
	before, after := &s.Heap[0], &s.Heap[len(s.Heap)-1]
	places := make(map[diagnose.Location]*growth)
	was := add(s, places, before, -1)
	now := add(s, places, after, 1)
	added := now - was
	if float64(added) < max(leastBytes, ofTheHeap*float64(was), ofTheRise*rise) {
		return nil
	}
	var list []*growth
	for _, g := range places {
		if float64(g.bytes) >= ofTheGrowth*float64(added) {
			list = append(list, g)
		}
	}
	slices.SortFunc(list, func(a, b *growth) int {
		return cmp.Or(cmp.Compare(b.bytes, a.bytes), cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Function, b.Function))
	})
	var out []diagnose.Claim
	for _, g := range list[:min(len(list), most)] {
		out = append(out, claim(s, g, added, was))
	}
	return out
}

// add puts the bytes of a profile to the innermost lines of the user's own
// code; without any, to the function that allocates.
func add(s *diagnose.Subject, places map[diagnose.Location]*growth, snap *diagnose.Snapshot, sign int64) (bytes int64) {
	count, err := snap.TypeIndex("inuse_objects")
	allocates := func(fn string) bool { return !diagnose.OfRuntime(fn) && symbolname.Package(fn) != "sync" }
	diagnose.EachBase(snap.Classified, snap.Column, func(sample *callstack.Stacks, stack []callstack.FrameID) {
		n := sample.Value(snap.Column)
		bytes += n
		f := s.Innermost(snap.Classified, stack, allocates)
		if f == nil {
			return
		}
		st := s.Statement(f.File, f.Line)
		p := st.Place(f.Function)
		g := places[p]
		if g == nil {
			g = &growth{Location: p}
			places[p] = g
		}
		g.bytes += sign * n
		if sign > 0 {
			g.end += n
		}
		if err == nil {
			g.objects += sign * sample.Value(count)
		}
	})
	return bytes
}

func claim(s *diagnose.Subject, g *growth, added, was int64) diagnose.Claim {
	left := g.bytes
	if s.Kind == recording.TargetBenchmark {
		left = g.end // it began with none
	}
	c := diagnose.Claim{
		Place: g.Location, Confidence: finding.High,
		Leak:   s.LeftBehind(finding.LeakBytes, left, s.HeapOperations),
		Why:    "This memory is never released: the process grows with every operation, and each collection has more to mark.",
		Remedy: "Remove entries that are no longer needed, or bound their number or age. If the program needs all of them, there is nothing to fix.",
	}
	if s.HeapOperations == 0 {
		c.Confidence = finding.Medium // it may be what the program is for
	}
	text := fmt.Sprintf("%s more are alive at the end than early in the run, allocated here (of %s more in all, and %s before)",
		quantity.Bytes(float64(g.bytes)), quantity.Bytes(float64(added)), quantity.Bytes(float64(was)))
	if g.objects > 0 {
		text += fmt.Sprintf(", in %s", quantity.Plural(int(g.objects), "object"))
	}
	if per := c.Leak.PerOperation; per != nil {
		text += fmt.Sprintf("; %s for each %s", quantity.Bytes(*per), s.Iteration())
	}
	r := s.LiveHeap
	c.Evidence = []finding.Evidence{
		{Kind: "heap", Text: text},
		{Kind: "metrics", Text: fmt.Sprintf("the live heap rose steadily from %s to %s in %s", quantity.Bytes(r.From), quantity.Bytes(r.To), quantity.Nanoseconds(float64(r.Ns)))},
	}
	if holder := holder(s, g.Location); holder != "" {
		c.Evidence = append(c.Evidence, finding.Evidence{Kind: "source", Text: "it is stored in " + holder})
		c.Remedy = fmt.Sprintf("Remove entries from %s that are no longer needed, or bound their number or age. If the program needs all of them, there is nothing to fix.", holder)
	} else {
		c.Confidence = finding.Medium // what leaks may be what holds it: a goroutine
		c.Evidence = append(c.Evidence, finding.Evidence{Kind: "source", Text: "its holder is not known"})
	}
	return c
}

// holder returns what the statement at a place stores its value in: an element of a
// map or a slice, a field, or what it appends to; "" where that is not known.
func holder(s *diagnose.Subject, p diagnose.Location) (name string) {
	st, ok := s.Statement(p.File, p.Line).Node.(*ast.AssignStmt)
	if !ok {
		return ""
	}
	for _, to := range st.Lhs {
		switch to := to.(type) {
		case *ast.IndexExpr:
			name = types.ExprString(to.X)
		case *ast.SelectorExpr:
			name = types.ExprString(to)
		}
	}
	return name
}
