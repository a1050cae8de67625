package diagnose

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"whet/internal/analyze/hot"
	"whet/internal/callstack"
	"whet/internal/quantity"
	"whet/internal/symbolname"
)

// A recorder or buffer that a benchmark makes once and then fills in its loop
// grows with b.N: it is copied into twice the memory again and again, and all
// of that is counted as the code's. A run of more iterations then costs more
// per operation, and the copying hides a gain in the code.
//
// The allocation profile gives it away. A stack that grows one buffer
// allocates blocks of many sizes, each about 1.25 to 2 times the one before,
// and each size only once or a few times in a whole run: once for every time
// the benchmark function was called. Growth within one operation has the same
// sizes, but each of them about b.N times.
const (
	growthSizes    = 6         // distinct block sizes at least
	growthLargest  = 64 << 10  // bytes of the largest block at least
	growthRatio    = 1.1       // of one size to the one before
	growthRare     = 1.0 / 100 // objects of one size per iteration, at most
	growthPerSize  = 64        // objects of one size, at most, whatever b.N
	growthFraction = 0.75      // of the steps between sizes that must be such a ratio
	growthRuns     = 10        // iterations at least: in one, what each makes anew is rare too
)

// GrowingBuffer looks for a buffer in the benchmark that grows with b.N, and
// returns a text with its location and its cost. It needs an allocation profile
// recorded with memprofilerate=1, in which every block's size is a label, and the
// number of iterations; with few, it finds nothing.
func GrowingBuffer(s *Subject) (text string, found bool) {
	if s.Allocs == nil || s.AllocIterations < growthRuns || !s.isBenchmark() {
		return "", false
	}
	objects, err := s.Allocs.TypeIndex("alloc_objects")
	if err != nil {
		return "", false
	}
	// Growth of one buffer may come through several stacks of one place.
	byPlace := make(map[Location]map[int64]int64) // objects by block size
	EachBase(s.Allocs, s.AllocCol, func(sample *callstack.Stacks, stack []callstack.FrameID) {
		size := blockSize(sample.Labels())
		n := sample.Value(objects)
		if size <= 0 || n <= 0 || len(stack) == 0 {
			return
		}
		p, ok := s.growthAt(stack)
		if !ok {
			return
		}
		if byPlace[p] == nil {
			byPlace[p] = make(map[int64]int64)
		}
		byPlace[p][size] += n
	})
	var best Location
	var most int64
	var sizes []int64
	for p, objects := range byPlace {
		rare, bytes := geometric(objects, s.AllocIterations)
		if rare != nil && (bytes > most || bytes == most && cmp.Or(cmp.Compare(p.Function, best.Function), cmp.Compare(p.Line, best.Line)) < 0) {
			best, most, sizes = p, bytes, rare
		}
	}
	if sizes == nil {
		return "", false
	}
	return s.growthText(best, sizes, most), true
}

// growthAt is in the function that a person would change: the first one towards
// the root that is not itself a means of growing. Code that appends shows as the leaf
// itself, because allocation profiles leave the runtime's frames out.
func (s *Subject) growthAt(stack []callstack.FrameID) (at Location, ok bool) {
	for _, id := range stack {
		if f := s.Allocs.Frame(id); !isMeans(f.Function) {
			return Location{Function: f.Function, File: f.File, Line: f.Line}, symbolname.Package(f.Function) != "testing"
		}
	}
	return at, false
}

// isMeans reports whether a function only serves to fill somebody's buffer.
func isMeans(fn string) bool {
	switch symbolname.Package(fn) {
	case "runtime", "bytes", "strings", "slices", "bufio", "io", "fmt":
		return true
	}
	return strings.HasPrefix(fn, "internal/runtime/")
}

// geometric returns the sizes of which there are few, rising, and their bytes,
// if they look like one buffer growing; nil otherwise.
func geometric(objects map[int64]int64, iterations int64) (sizes []int64, bytes int64) {
	limit := min(max(int64(growthRare*float64(iterations)), 1), growthPerSize)
	for size, n := range objects {
		if n <= limit {
			sizes = append(sizes, size)
			bytes += size * n
		}
	}
	slices.Sort(sizes)
	if len(sizes) < growthSizes || sizes[len(sizes)-1] < growthLargest {
		return nil, 0
	}
	// Sizes that data decides lie close together; those of growth do not.
	steps := 0
	for i := 1; i < len(sizes); i++ {
		if float64(sizes[i]) >= growthRatio*float64(sizes[i-1]) {
			steps++
		}
	}
	if steps+1 < growthSizes || float64(steps) < growthFraction*float64(len(sizes)-1) {
		return nil, 0
	}
	return sizes, bytes
}

// blockSize returns the size of the blocks that a heap profile's sample counts.
func blockSize(labels []callstack.Label) int64 {
	for _, l := range labels {
		if l.Key == "bytes" && l.Str == "" {
			return l.Num
		}
	}
	return 0
}

func (s *Subject) growthText(p Location, sizes []int64, bytes int64) string {
	share := ratio(bytes, s.baseTotal(s.Allocs, s.AllocCol))
	text := fmt.Sprintf("%s: a buffer grows with b.N in %s", s.Benchmark, p.Function)
	if s.Source != nil && p.File != "" {
		text += fmt.Sprintf(" (%s)", s.At(p))
	}
	text += fmt.Sprintf(": %d block sizes from %d to %d bytes, each allocated only once or a few times in %d iterations. Its growth is %s of the measured bytes",
		len(sizes), sizes[0], sizes[len(sizes)-1], s.AllocIterations, quantity.Percent(share))
	if s.CPU != nil {
		cpu := s.CPUShare(baseWhere(s.CPU, s.CPUColumn, func(stack []callstack.FrameID) bool { return grows(s.CPU, stack, p.Function) }))
		text += fmt.Sprintf(" and %s of the CPU time", quantity.Percent(cpu))
	}
	return text + ", which every share includes and which hides gains in the code; allocate a new one or reset it in each iteration"
}

// grows reports whether a CPU sample grows a buffer directly below the place.
func grows(c *hot.Classified, stack []callstack.FrameID, place string) bool {
	growing := false
	for _, id := range stack {
		fn := c.Frame(id).Function
		if fn == place || !isMeans(fn) {
			return growing && fn == place
		}
		growing = growing || fn == "runtime.growslice" || fn == "runtime.makeslice" || fn == "runtime.makeslicecopy" ||
			strings.HasSuffix(fn, ".grow") || strings.HasSuffix(fn, ".growSlice")
	}
	return false
}
