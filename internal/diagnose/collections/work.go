package collections

import (
	"maps"
	"math"
	"slices"
	"strings"

	"whet/internal/analyze/hot"
	"whet/internal/callstack"
	"whet/internal/diagnose"
	"whet/internal/symbolname"
)

// Work is the samples that belong to a collection.
type Work struct {
	Maps   diagnose.Set // of CPU time, in the runtime's maps
	Memory diagnose.Set // of CPU time, in the runtime taking memory or moving what it holds
	Heap   diagnose.Set // of the allocation profile
	Tables diagnose.Set // those of Heap whose line makes a map or puts elements in
}

// Find reads the packages of the user's own in which maps and slices take at
// least the threshold of the CPU time or of the allocated bytes, and assigns each
// collection its samples. Lines of benchmarks are left out.
func Find(s *diagnose.Subject) (packages []*Package) {
	if s.Program == nil {
		return nil
	}
	events := make(map[string][]event) // by the package's path
	sums := make(map[string]*diagnose.Sets)
	s.EachSample(func(c *hot.Classified, sample *callstack.Stacks, stack []callstack.FrameID) {
		e, path := eventOf(s, c, stack)
		if path == "" {
			return
		}
		e.sample = sample.Index()
		events[path] = append(events[path], e)
		if sums[path] == nil {
			sums[path] = new(diagnose.Sets)
		}
		sums[path].Of(s, c).Add(e.sample)
	})
	for _, path := range slices.Sorted(maps.Keys(sums)) {
		all := sums[path].Samples()
		if max(s.CPUShare(all.CPU), s.AllocShare(all.Allocs)) < diagnose.Threshold {
			continue
		}
		if p := read(s, path); p != nil {
			for _, e := range events[path] {
				p.give(e)
			}
			packages = append(packages, p)
		}
	}
	return packages
}

// event is a sample in the runtime's maps or allocator below a line of the
// user's own.
type event struct {
	sample       int
	at           diagnose.SourceLine
	maps, memory bool
	heap         bool // of the allocation profile
}

// eventOf reads a stack. path is that of the package, "" where it is no event, or the
// package's source is not kept.
func eventOf(s *diagnose.Subject, c *hot.Classified, stack []callstack.FrameID) (e event, path string) {
	at, maps, memory := ownAbove(c, stack)
	heap := c == s.Allocs // which leaves the runtime's own frames out
	if at < 0 || heap != (at == 0) || !heap && !maps && !memory {
		return event{}, ""
	}
	frame := c.Frame(stack[at])
	pkg, _ := s.Program.FileOf(frame.File)
	if pkg == nil || !s.Own(frame) || s.Loops.InBenchmark(frame.File, frame.Line) {
		return event{}, ""
	}
	return event{at: diagnose.SourceLine{File: frame.File, Line: frame.Line}, maps: maps, memory: memory, heap: heap}, pkg.Path
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

// memory are the allocator, and what moves elements into larger memory, by the
// beginnings of names and, in package maps, their ends.
var memory = []string{"runtime.mallocgc", "runtime.newobject", "runtime.growslice", "runtime.makeslice", "runtime.makemap"}
var memoryOfMaps = []string{".rehash", ".grow", ".split", ".growToSmall", ".growToTable"}

func isMemory(fn string) bool {
	if inMap, ok := strings.CutPrefix(fn, "internal/runtime/maps."); ok {
		return slices.ContainsFunc(memoryOfMaps, func(end string) bool { return strings.HasSuffix(inMap, end) })
	}
	return symbolname.Begins(fn, memory)
}

// give adds a sample to what its line belongs to.
func (p *Package) give(e event) {
	l := p.lines[e.at]
	c, m := l.oneTaker(), l.oneMap()
	switch {
	case e.heap && c != nil:
		c.Heap.Add(e.sample)
		if slices.ContainsFunc(c.Uses, func(u Use) bool {
			return (u.Kind == Set && u.InMap || u.Kind == Make && u.Map) && u.File == e.at.File && u.Line == e.at.Line
		}) {
			c.Tables.Add(e.sample)
		}
	case e.heap:
	case e.maps && m != nil:
		m.Maps.Add(e.sample)
		if e.memory { // which is the map's
			m.Memory.Add(e.sample)
		}
	case e.maps:
	case e.memory && c != nil:
		c.Memory.Add(e.sample)
	}
}

// Blocks returns the number of blocks that samples of the allocation profile stand for,
// the largest, and the number that were sampled: all if the profile counts every one,
// and else n(1 − e^(−b/r)) of n blocks of b bytes, r being the profile's rate in bytes.
func Blocks(s *diagnose.Subject, set *diagnose.Set) (blocks, largest int64, seen float64) {
	s.EachBlock(set, func(_ int, n, size int64) {
		blocks += n
		largest = max(largest, size)
		if s.SampledAllocs() {
			seen -= float64(n) * math.Expm1(-float64(size)/float64(s.Allocs.Period))
		} else {
			seen += float64(n)
		}
	})
	return blocks, largest, seen
}
