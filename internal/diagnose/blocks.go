package diagnose

import (
	"cmp"
	"slices"
	"strings"

	"whet/internal/analyze/hot"
)

// Blocks returns how many blocks sample i of the allocation profile counts,
// and the size of one; 0 where the profile does not say.
func (s *Subject) Blocks(i int) (objects, size int64) {
	t, err := s.Allocs.TypeIndex("alloc_objects")
	if err != nil {
		return 0, 0
	}
	return s.Allocs.Value(t, i), blockSize(s.Allocs.Labels(i))
}

// Outgrown returns those samples of a slice's growth in the allocation profile
// whose blocks were given up for larger ones: all sizes but those that a tenth
// or more of the slices ended with. What remains is what a slice of the right
// size from the start would allocate too. The share of the blocks that are
// outgrown, by number and by bytes, whichever is smaller, is share. ok is false
// where the sizes do not look like growth: one size only, or more blocks of a
// larger size than of a smaller one.
func (s *Subject) Outgrown(growth *Set) (outgrown Set, share float64, ok bool) {
	objects := make(map[int64]int64)
	for i := range growth.in {
		n, size := s.Blocks(i)
		if n <= 0 || size <= 0 {
			return Set{}, 0, false
		}
		objects[size] += n
	}
	sizes := make([]int64, 0, len(objects))
	for size := range objects {
		sizes = append(sizes, size)
	}
	slices.Sort(sizes)
	for i := len(sizes) - 2; i >= 0; i-- {
		if float64(objects[sizes[i]]) < stray*float64(objects[sizes[i+1]]) {
			sizes = slices.Delete(sizes, i, i+1)
		}
	}
	if len(sizes) < 2 {
		return Set{}, 0, false
	}
	larger := make(map[int64]int64, len(sizes))
	for i, size := range sizes[:len(sizes)-1] {
		next := objects[sizes[i+1]]
		if float64(next) > grownTolerance*float64(objects[size]) {
			return Set{}, 0, false
		}
		larger[size] = next
	}
	var n, bytes, allN, allBytes int64
	for i := range growth.in {
		count, size := s.Blocks(i)
		allN += count
		allBytes += count * size
		if float64(larger[size]) >= mostOutgrown*float64(objects[size]) {
			outgrown.Add(i)
			n += count
			bytes += count * size
		}
	}
	return outgrown, min(ratio(n, allN), ratio(bytes, allBytes)), outgrown.Len() > 0
}

const (
	// mostOutgrown is the share of a size's blocks that must have been given up
	// for a larger one before all of them count as avoidable.
	mostOutgrown = 0.9
	// grownTolerance is how many more blocks of the next size there may be: the
	// last slice of a run is counted at one size and not yet at the other.
	grownTolerance = 1.05
	// stray is the share of the next size's blocks below which a size is none of
	// the growth's: what the runtime or the function allocates once on the way.
	stray = 0.05
)

// Portion returns samples of a set that add up to a share of the set's column
// t, and to no more: the largest that fit, in falling order.
func Portion(c *hot.Classified, t int, of *Set, share float64) Set {
	var whole int64
	samples := make([]int, 0, of.Len())
	for i := range of.in {
		samples = append(samples, i)
		whole += c.Value(t, i)
	}
	slices.SortFunc(samples, func(a, b int) int {
		return cmp.Or(cmp.Compare(c.Value(t, b), c.Value(t, a)), cmp.Compare(a, b))
	})
	room := share * float64(whole)
	var part Set
	for _, i := range samples {
		if v := float64(c.Value(t, i)); v <= room {
			part.Add(i)
			room -= v
		}
	}
	return part
}

// Join adds all samples of another set.
func (s *Set) Join(o *Set) {
	for i := range o.in {
		s.Add(i)
	}
}

// Without returns the samples that are not in another set.
func (s *Set) Without(o *Set) Set {
	var out Set
	for i := range s.in {
		if _, ok := o.in[i]; !ok {
			out.Add(i)
		}
	}
	return out
}

// Has reports whether sample i is in the set.
func (s *Set) Has(i int) bool {
	_, ok := s.in[i]
	return ok
}

// OfRuntime reports whether a function is the runtime's own, in Go or in
// assembly: it takes, moves and frees memory for the code that called it.
func OfRuntime(fn string) bool {
	return strings.HasPrefix(fn, "runtime.") || strings.HasPrefix(fn, "internal/runtime/") || !strings.Contains(fn, ".")
}
