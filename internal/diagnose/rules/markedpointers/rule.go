package markedpointers

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
	"whet/internal/typed"
)

const (
	// collects is the share of the CPU time from which the collector's work is worth a
	// change of what is kept.
	collects = 0.15
	// fewest is how many objects of a statement must be alive.
	fewest = 100_000
	// ofTheHeap is the share of all live objects that they must be.
	ofTheHeap = 0.25
	// small is the size in bytes up to which they are, on average: of larger ones there
	// are few for the memory they take.
	small = 512
)

// Rule returns the rule.
func Rule() diagnose.Rule {
	return diagnose.Rule{
		ID:    "marked-pointers",
		Title: "many small objects with pointers for the garbage collector to mark",
		Doc: diagnose.Doc{
			What:   "One statement allocates a hundred thousand small objects or more that are alive at the end of the run and hold pointers (structs with strings, slices, maps or pointers), and the garbage collector takes a seventh of the CPU time or more.",
			Why:    "Each collection follows every pointer of the live objects, and waits for the memory it points to: its work grows with the number of objects, not with the program's work. Objects without pointers are not scanned at all.",
			Silent: "Where no heap profile or CPU profile was recorded; for a statement with fewer than 100,000 objects, or less than a quarter of all live objects; for objects of more than 512 bytes on average; for types without pointers or not known from the source.",
			Fix:    "Keep the values in one slice, and let them refer to each other by index (int32); keep strings as offsets into one long string or []byte; use maps whose keys and values hold no pointers. If memory allows, GOGC=200 or more makes collections rarer.",
			Before: "type node struct {\n\tname string\n\tnext *node\n}\n\nnodes[id] = &node{name: name, next: head}",
			After:  "type node struct {\n\tname span // from and to, in one []byte of all names\n\tnext int32 // index of nodes\n}\n\nnodes = append(nodes, node{name: put(name), next: head})",
		},
		Evidence:  []diagnose.EvidenceKind{diagnose.EvidenceHeap, diagnose.EvidenceCPU, diagnose.EvidenceSource, diagnose.EvidenceCalls},
		Essential: []diagnose.EvidenceKind{diagnose.EvidenceHeap, diagnose.EvidenceCPU},
		Find:      find,
	}
}

// liveObjects sums the live objects that a statement allocated.
type liveObjects struct {
	place          diagnose.Location
	objects, bytes int64
}

func find(s *diagnose.Subject) (out []diagnose.Claim) {
	share := s.CollectorShare()
	if s.Program == nil || share < collects {
		return nil
	}
	snap := &s.Heap[len(s.Heap)-1]
	count, err := snap.TypeIndex("inuse_objects")
	if err != nil {
		return nil
	}
	var list []*liveObjects
	var all int64
	diagnose.EachBase(snap.Classified, snap.Column, func(sample *callstack.Stacks, stack []callstack.FrameID) {
		n := sample.Value(count)
		all += n
		f := s.Innermost(snap.Classified, stack, func(string) bool { return false })
		if f == nil {
			return
		}
		st := s.Statement(f.File, f.Line)
		p := st.Place(f.Function)
		i := slices.IndexFunc(list, func(k *liveObjects) bool { return k.place == p })
		if i < 0 {
			i = len(list)
			list = append(list, &liveObjects{place: p})
		}
		list[i].objects += n
		list[i].bytes += sample.Value(snap.Column)
	})
	for _, k := range list {
		part := float64(k.objects) / float64(max(all, 1))
		if k.objects < fewest || part < ofTheHeap || k.bytes > small*k.objects {
			continue
		}
		if of := made(s, k.place); of != "" {
			out = append(out, claim(k, part, share, of, all))
		}
	}
	slices.SortFunc(out, func(a, b diagnose.Claim) int { return cmp.Compare(b.Wait, a.Wait) })
	return out
}

func claim(k *liveObjects, part, share float64, of string, all int64) diagnose.Claim {
	return diagnose.Claim{
		Place: k.place, Wait: part * share, Confidence: finding.Low,
		Why: fmt.Sprintf("The garbage collector takes %s of the CPU time, and %s of the objects it marks come from this statement: %s, which holds pointers.",
			quantity.Percent(share), quantity.Percent(part), of),
		Remedy: fmt.Sprintf("Keep the values in one slice ([]%s) and refer to them by index, and keep strings as offsets into one []byte: memory without pointers is not scanned. If memory allows, GOGC=200 or more makes collections rarer.", of),
		Evidence: []finding.Evidence{{Kind: "heap", Text: fmt.Sprintf("%s of %s alive at the end, %s, were allocated here, of %s in all",
			quantity.Plural(int(k.objects), "object"), of, quantity.Bytes(float64(k.bytes)), quantity.Count(float64(all)))}},
	}
}

// made returns the type of the object with pointers that a statement allocates; "" where it
// shows none, or several.
func made(s *diagnose.Subject, at diagnose.Location) string {
	pkg := s.PackageOf(at.File)
	st := s.Statement(at.File, at.Line)
	if pkg == nil || !st.Known {
		return ""
	}
	var found []types.Type
	st.Head(func(n ast.Node) bool {
		if t := allocated(pkg, n); t != nil && pointers(t, maxParts) {
			found = append(found, t)
		}
		return true
	})
	if len(found) != 1 {
		return ""
	}
	return types.TypeString(found[0], types.RelativeTo(pkg.Types))
}

// allocated returns the type of the value that &T{…} or new(T) allocates, nil for any other.
func allocated(pkg *typed.Package, n ast.Node) types.Type {
	switch n := n.(type) {
	case *ast.UnaryExpr:
		if lit, ok := ast.Unparen(n.X).(*ast.CompositeLit); ok {
			return pkg.TypeOf(lit)
		}
	case *ast.CallExpr:
		if pkg.Builtin(n) == "new" {
			if to, ok := typed.Under[*types.Pointer](pkg.TypeOf(n)); ok {
				return to.Elem()
			}
		}
	}
	return nil
}

// maxParts bounds the types that are looked into.
const maxParts = 8

// pointers reports whether values of a type hold any.
func pointers(t types.Type, depth int) bool {
	if t == nil || depth == 0 {
		return false
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Info()&types.IsString != 0 || u.Kind() == types.UnsafePointer
	case *types.Array:
		return u.Len() > 0 && pointers(u.Elem(), depth-1)
	case *types.Struct:
		for f := range u.Fields() {
			if pointers(f.Type(), depth-1) {
				return true
			}
		}
		return false
	}
	return true
}
