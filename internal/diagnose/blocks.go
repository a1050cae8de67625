package diagnose

import (
	"cmp"
	"math"
	"slices"

	"whet/internal/analyze/hot"
	"whet/internal/callstack"
	"whet/internal/recording"
	"whet/internal/symbolname"
)

// Blocks returns how many blocks a sample of the allocation profile counts, and
// the size of one; 0 where the profile does not have them.
func (s *Subject) Blocks(sample *callstack.Stacks) (objects, size int64) {
	t, err := s.Allocs.TypeIndex("alloc_objects")
	if err != nil {
		return 0, 0
	}
	return sample.Value(t), blockSize(sample.Labels())
}

// EachBlock calls f for the samples of a set of the allocation profile, with
// the results of Blocks.
func (s *Subject) EachBlock(of *Set, f func(sample int, objects, size int64)) {
	if of.Len() == 0 {
		return // there may be no profile
	}
	for sample := s.Allocs.Stacks(of.Has); sample.Next(); {
		objects, size := s.Blocks(sample)
		f(sample.Index(), objects, size)
	}
}

// BoxSized reports whether a sample's blocks have the size of a boxed number or
// string header, by its labels.
func BoxSized(labels []callstack.Label) bool {
	size := blockSize(labels)
	return 0 < size && size <= 16
}

// SampledAllocs reports whether the allocation profile is a sample: a service's
// and a program's are; for a benchmark every block is counted.
func (s *Subject) SampledAllocs() bool { return s.Allocs != nil && s.Allocs.Period > 1 }

// BlocksSeen returns the number of sampled blocks among the n blocks of a size that
// the profile counts, and the standard deviation of n. If the profile counts every
// block these are n and 0.
//
// Each block of b bytes is sampled independently with the probability
// p = 1 − e^(−b/r), r the profile's rate in bytes (see AllocSamples). Of N
// blocks m are sampled, a binomial count with the variance N·p·(1−p), and the
// profile estimates N as n = m/p. The variance of n is N·(1−p)/p = N/(e^(b/r) − 1),
// with n in place of N. With r of 512 KiB, 9 of 1,200 blocks of 4 KiB
// are sampled, and their number is 1,200 ± 391; of 512 KiB 759, ± 26.4; and of
// 4 MiB nearly all, ± 0.6.
func (s *Subject) BlocksSeen(n, size int64) (seen, deviation float64) {
	if !s.SampledAllocs() {
		return float64(n), 0
	}
	of := float64(size) / float64(s.Allocs.Period)
	// Counts are cut to whole ones: of four blocks a little less is left.
	return math.Round(float64(n) * -math.Expm1(-of)), math.Sqrt(float64(n) / math.Expm1(of))
}

// FewestSeen is the number of sampled blocks of a size that a conclusion from their
// number requires.
const FewestSeen = 4

// Outgrown returns the samples of a slice's growth in the allocation profile whose
// blocks were replaced by larger ones: all sizes but those that a tenth
// or more of the slices ended with. What remains is what a slice of the right
// size from the start would allocate too. share is the share of outgrown blocks,
// by number or by bytes, whichever is smaller. ok is false
// where the sizes do not look like growth: one size only, or more blocks of a
// larger size than of a smaller one.
//
// In a sampled profile the number of each size is an estimate. Sizes of which
// which it has fewer than FewestSeen decide nothing, and count as needed. Among the
// others a number counts as larger than another if it exceeds it by
// surelyMore standard deviations of their difference, because a single size that
// seems to rise rules out growth; and as smaller if it is less by
// likelyLess, because that decides about one size.
func (s *Subject) Outgrown(growth *Set) (outgrown Set, share float64, ok bool) {
	objects := make(map[int64]int64)
	unknown := false
	s.EachBlock(growth, func(_ int, n, size int64) {
		unknown = unknown || n <= 0 || size <= 0
		objects[size] += n
	})
	if unknown {
		return Set{}, 0, false
	}
	sizes := make([]int64, 0, len(objects))
	deviation := make(map[int64]float64, len(objects))
	for size, n := range objects {
		seen, d := s.BlocksSeen(n, size)
		if s.SampledAllocs() && seen < FewestSeen {
			continue
		}
		deviation[size] = d
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
	gone := make(map[int64]bool, len(sizes))
	for i, size := range sizes[:len(sizes)-1] {
		n, next := float64(objects[size]), float64(objects[sizes[i+1]])
		noise := math.Hypot(deviation[size], deviation[sizes[i+1]])
		if next-surelyMore*noise > grownTolerance*n {
			return Set{}, 0, false
		}
		gone[size] = next+likelyLess*noise >= mostOutgrown*n
	}
	var n, bytes, allN, allBytes int64
	s.EachBlock(growth, func(i int, count, size int64) {
		if _, told := deviation[size]; told {
			allN += count // a size that was hardly caught is not to be counted by
		}
		allBytes += count * size
		if gone[size] {
			outgrown.Add(i)
			n += count
			bytes += count * size
		}
	})
	return outgrown, min(ratio(n, allN), ratio(bytes, allBytes)), outgrown.Len() > 0
}

const (
	// mostOutgrown is the share of a size's blocks that must have been given up
	// for a larger one before all of them count as avoidable.
	mostOutgrown = 0.9
	// grownTolerance is how many more blocks of the next size there may be: the
	// last slice of a run is counted at one size and not yet at the other.
	grownTolerance = 1.05
	// surelyMore and likelyLess are standard deviations: of normal differences
	// one in 740 is beyond the first and one in 44 beyond the second.
	surelyMore = 3
	likelyLess = 2
	// stray is the share of the next size's blocks below which a size is none of
	// the growth's: what the runtime or the function allocates once on the way.
	stray = 0.05
)

// Portion returns samples of a set that add up to a share of the set's column
// t, and to no more: the largest that fit, in falling order.
func Portion(c *hot.Classified, t int, of *Set, share float64) Set {
	if of.Len() == 0 {
		return Set{} // there may be no profile
	}
	type valued struct {
		sample int
		value  int64
	}
	var whole int64
	samples := make([]valued, 0, of.Len())
	for i, r := 0, c.Rows(t); r.Next(); i++ {
		if of.Has(i) {
			samples = append(samples, valued{i, r.Value(0)})
			whole += r.Value(0)
		}
	}
	slices.SortStableFunc(samples, func(a, b valued) int { return cmp.Compare(b.value, a.value) })
	room := share * float64(whole)
	var part Set
	for _, s := range samples {
		if v := float64(s.value); v <= room {
			part.Add(s.sample)
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
// assembly: it allocates, moves and frees memory for its caller.
func OfRuntime(fn string) bool {
	pkg := symbolname.Package(fn)
	return pkg == "" || symbolname.Runtime(pkg)
}

const (
	// perCall is how many blocks an iteration has to make at least for them to
	// be made in calls: a pool makes fewer.
	perCall = 0.1
	// seldom is the same where iterations are not known: so many in the whole
	// run are made in calls and not once.
	seldom = 50
)

// MadeInCalls reports whether a number of blocks in the allocation profile means
// that such a block is allocated again and again.
func (s *Subject) MadeInCalls(blocks int64) bool {
	if s.AllocIterations > 0 && s.Kind != recording.TargetProgram { // a run may make one, and no more
		return float64(blocks) >= perCall*float64(s.AllocIterations)
	}
	return blocks >= seldom
}
