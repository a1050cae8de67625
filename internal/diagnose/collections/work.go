package collections

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"

	"whet/internal/analyze/hot"
	"whet/internal/callstack"
	"whet/internal/diagnose"
)

// Work is the samples that belong to a collection.
type Work struct {
	Maps   diagnose.Set // of CPU time, in the runtime's maps
	Memory diagnose.Set // of CPU time, in the runtime taking memory or moving what it holds
	Heap   diagnose.Set // of the allocation profile
	Tables diagnose.Set // those of Heap whose line makes a map or puts elements in
}

// Find reads the packages of the user's own in which maps and slices take at
// least the threshold of the CPU time or of the allocated bytes, and gives each
// collection its samples. Lines of benchmarks are left out.
func Find(s *diagnose.Subject) []*Package {
	if s.Program == nil {
		return nil
	}
	f := &finder{s: s, read: make(map[string]*Package)}
	events := append(f.times(), f.blocks()...)
	sets := make(map[string]*Work)
	for _, e := range events {
		path := f.path(e.frame)
		if sets[path] == nil {
			sets[path] = new(Work)
		}
		if e.heap {
			sets[path].Heap.Add(e.sample)
		} else {
			sets[path].Maps.Add(e.sample)
		}
	}
	var out []*Package
	for _, path := range slices.Sorted(maps.Keys(sets)) {
		if w := sets[path]; max(s.CPUShare(w.Maps.Keep()), s.AllocShare(w.Heap.Keep())) < diagnose.Threshold {
			continue
		}
		if p := read(s, path); p != nil {
			f.read[path] = p
			out = append(out, p)
		}
	}
	for _, e := range events {
		if p := f.read[f.path(e.frame)]; p != nil {
			p.give(e)
		}
	}
	return out
}

// event is a sample in the runtime's maps or allocator below a line of the
// user's own.
type event struct {
	sample       int
	frame        *callstack.Frame
	maps, memory bool
	heap         bool // of the allocation profile
}

type finder struct {
	s    *diagnose.Subject
	read map[string]*Package
}

// path is that of a frame's package, "" where its source is not kept.
func (f *finder) path(frame *callstack.Frame) string {
	if pkg, _ := f.s.Program.FileOf(frame.File); pkg != nil {
		return pkg.Path
	}
	return ""
}

func (f *finder) wanted(frame *callstack.Frame) bool {
	return f.path(frame) != "" && f.s.Own(frame) && !f.s.Loops.InBenchmark(frame.File, frame.Line)
}

func (f *finder) times() (out []event) {
	diagnose.EachBase(f.s.CPU, f.s.CPUColumn, func(sample *callstack.Stacks, stack []callstack.FrameID) {
		at, maps, memory := ownAbove(f.s.CPU, stack)
		if at > 0 && (maps || memory) && f.wanted(f.s.CPU.Frame(stack[at])) {
			out = append(out, event{sample: sample.Index(), frame: f.s.CPU.Frame(stack[at]), maps: maps, memory: memory})
		}
	})
	return out
}

func (f *finder) blocks() (out []event) {
	diagnose.EachBase(f.s.Allocs, f.s.AllocCol, func(sample *callstack.Stacks, stack []callstack.FrameID) {
		// The allocation profile leaves the runtime's own frames out.
		if leaf := f.s.Allocs.Frame(stack[0]); f.wanted(leaf) {
			out = append(out, event{sample: sample.Index(), frame: leaf, heap: true})
		}
	})
	return out
}

// ownAbove finds the first frame of a stack that is not the runtime's. maps: the
// runtime was in a map; memory: it took memory, or moved what is in it.
func ownAbove(c *hot.Classified, stack []callstack.FrameID) (at int, maps, memory bool) {
	for i, id := range stack {
		fn := c.Frame(id).Function
		if !diagnose.OfRuntime(fn) {
			return i, maps, memory
		}
		maps = maps || isMapWork(fn)
		memory = memory || isMemory(fn)
	}
	return -1, maps, memory
}

func isMapWork(fn string) bool {
	return strings.HasPrefix(fn, "runtime.map") || strings.HasPrefix(fn, "runtime.makemap") || strings.HasPrefix(fn, "internal/runtime/maps.")
}

// isMemory knows the allocator, and what moves elements into larger memory.
func isMemory(fn string) bool {
	for _, prefix := range []string{"runtime.mallocgc", "runtime.newobject", "runtime.growslice", "runtime.makeslice", "runtime.makemap"} {
		if strings.HasPrefix(fn, prefix) {
			return true
		}
	}
	inMap, ok := strings.CutPrefix(fn, "internal/runtime/maps.")
	if !ok {
		return false
	}
	for _, suffix := range []string{".rehash", ".grow", ".split", ".growToSmall", ".growToTable"} {
		if strings.HasSuffix(inMap, suffix) {
			return true
		}
	}
	return false
}

// give adds a sample to what its line belongs to.
func (p *Package) give(e event) {
	l := p.lines[diagnose.SourceLine{File: e.frame.File, Line: e.frame.Line}]
	c := l.oneTaker()
	switch {
	case e.heap && c != nil:
		c.Heap.Add(e.sample)
		if c.fills(e.frame) {
			c.Tables.Add(e.sample)
		}
	case e.heap:
	case e.maps:
		// Memory that is taken inside a map is the map's.
		if m := l.oneMap(); m != nil {
			m.Maps.Add(e.sample)
			if e.memory {
				m.Memory.Add(e.sample)
			}
		}
	case e.memory && c != nil:
		c.Memory.Add(e.sample)
	}
}

func (c *Collection) fills(frame *callstack.Frame) bool {
	return slices.ContainsFunc(c.Uses, func(u Use) bool {
		return (u.Kind == Set && u.InMap || u.Kind == Make && u.Map) && u.File == frame.File && u.Line == frame.Line
	})
}

// Made returns where the collection is first made with memory of its own: the
// first make or literal, or else the first append; false where it never is.
func (c *Collection) Made(kinds ...Kind) (Use, bool) {
	for _, k := range kinds {
		var found []Use
		for _, u := range c.Uses {
			if u.Kind == k {
				found = append(found, u)
			}
		}
		if len(found) > 0 {
			return slices.MinFunc(found, func(a, b Use) int { return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line)) }), true
		}
	}
	return Use{}, false
}

// Blocks returns how many blocks samples of the allocation profile stand for,
// the largest, and how many of them the profile has seen: all, where it counts
// every one, and else n(1 − e^(−b/r)) of n blocks of b bytes, r being the
// profile's rate in bytes.
func Blocks(s *diagnose.Subject, set *diagnose.Set) (blocks, largest int64, seen float64) {
	keep := set.Keep()
	if keep == nil {
		return 0, 0, 0
	}
	diagnose.EachBase(s.Allocs, s.AllocCol, func(sample *callstack.Stacks, _ []callstack.FrameID) {
		if !keep(sample.Index()) {
			return
		}
		n, size := s.Blocks(sample)
		blocks += n
		largest = max(largest, size)
		if s.Allocs.Period <= 1 {
			seen += float64(n)
		} else {
			seen -= float64(n) * math.Expm1(-float64(size)/float64(s.Allocs.Period))
		}
	})
	return blocks, largest, seen
}

// Place is a use as a place of a claim.
func (p *Package) Place(u Use) diagnose.Place {
	out := diagnose.Place{File: u.File, Line: u.Line, EndLine: u.Line}
	if fn := p.subject.FunctionAt(u.File, u.Line); fn != nil {
		out.Function = p.Path + "." + fn.Name
	}
	return out
}
