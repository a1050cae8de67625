package diagnose

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

const heapRate = 512 << 10

// sampledAt makes an allocation profile a sample at the runtime's usual rate.
func sampledAt(s *Subject) *Subject {
	s.Allocs.Period = heapRate
	return s
}

func TestBlocksSeen(t *testing.T) {
	s := sampledAt(subject("", nil, allocProfile(sample{stack: []string{"m/x.f"}, n: 1}), nil))
	// The figures of the comment.
	for _, test := range []struct {
		n, size         int64
		seen, deviation float64
	}{{1200, 4 << 10, 9, 391.2}, {1200, 512 << 10, 759, 26.43}, {1200, 4 << 20, 1200, 0.63}} {
		seen, deviation := s.BlocksSeen(test.n, test.size)
		if seen != test.seen || math.Abs(deviation/test.deviation-1) > 1e-2 {
			t.Errorf("%d of %d bytes: %v seen, ± %v", test.n, test.size, seen, deviation)
		}
	}
	for _, period := range []int64{0, 1} {
		s.Allocs.Period = period
		if seen, deviation := s.BlocksSeen(1200, 8); seen != 1200 || deviation != 0 || s.SampledAllocs() {
			t.Errorf("period %d: %v seen, ± %v", period, seen, deviation)
		}
	}
}

// The runtime's own way of sampling, again and again: the distance in bytes to
// the next block that is caught is exponential, and starts anew with each.
func TestBlocksSeenOften(t *testing.T) {
	const n, size, runs = 1000, 64 << 10, 1000
	s := sampledAt(subject("", nil, allocProfile(sample{stack: []string{"m/x.f"}, n: 1}), nil))
	rng := rand.New(rand.NewPCG(1, 2))
	var sum, squares, caughtAll float64
	for range runs {
		caught := 0
		for range n {
			if rng.ExpFloat64()*heapRate < size {
				caught++
			}
		}
		caughtAll += float64(caught)
		estimate := float64(caught) / -math.Expm1(-float64(size)/heapRate)
		sum += estimate
		squares += estimate * estimate
	}
	seen, deviation := s.BlocksSeen(n, size)
	// Of 1,000 runs a standard deviation is known to 1/√2000, and the mean to
	// 1/√1000 of it: 2.2 % and 0.27 % here; four times that is allowed.
	mean := sum / runs
	if got := math.Sqrt(squares/runs - mean*mean); math.Abs(got/deviation-1) > 0.09 || math.Abs(caughtAll/runs/seen-1) > 0.011 {
		t.Errorf("%v caught ± %v, want %v ± %v", caughtAll/runs, got, seen, deviation)
	}
}

// Slices that grow from 4 KiB to 32 KiB by doubling, of which 4,000 would catch
// 31, 62, 123 and 242 blocks. 31 of 4 KiB stand for 31/0.007782 = 3,983, with a
// deviation of √(3983/0.007843) = 713.
func TestOutgrownSampled(t *testing.T) {
	scaled := func(caught, size int64) int64 {
		return int64(float64(caught) / -math.Expm1(-float64(size)/heapRate))
	}
	sizes := []int64{64, 4 << 10, 8 << 10, 16 << 10, 32 << 10}
	for _, test := range []struct {
		name   string
		caught [5]int64
		gone   []int64
		ok     bool
	}{
		{"as expected", [5]int64{0, 31, 62, 123, 242}, sizes[1:4], true},
		// 3,084 ± 627 and 4,515 ± 536: 1,431 more are 1.7 deviations of 825.
		{"more of a larger size, by chance", [5]int64{0, 24, 70, 115, 250}, sizes[1:4], true},
		// 4,000 ± 355 and 8,250 ± 358: 1.05 times 4,000 are 4,050 fewer, 8.0
		// deviations of 504.
		{"more of a larger size", [5]int64{0, 31, 62, 123, 500}, nil, false},
		// 4,000 ± 355, of which 1,999 ± 176 went on; 3,600 would have to.
		{"half ended at 16 KiB", [5]int64{0, 31, 62, 123, 121}, sizes[1:3], true},
		{"three of a size say nothing", [5]int64{0, 3, 62, 123, 242}, sizes[2:4], true},
		{"three of a size, of fewer slices", [5]int64{0, 3, 6, 12, 23}, sizes[2:4], true},
		{"four do", [5]int64{0, 4, 8, 16, 31}, sizes[1:4], true},
		// They stand for 24,577 blocks, six times as many as of any other size.
		{"three very small ones", [5]int64{3, 31, 62, 123, 242}, sizes[1:4], true},
		{"one size", [5]int64{0, 0, 0, 0, 242}, nil, false},
		{"one size that says anything", [5]int64{0, 1, 3, 3, 242}, nil, false},
	} {
		var stacks []sample
		for i, caught := range test.caught {
			if caught > 0 {
				stacks = append(stacks, sample{stack: []string{"m/x.f"}, n: scaled(caught, sizes[i]), size: sizes[i]})
			}
		}
		s := sampledAt(subject("", nil, allocProfile(stacks...), nil))
		var all Set
		for i := range stacks {
			all.Add(i)
		}
		outgrown, share, ok := s.Outgrown(&all)
		var gone []int64
		var n, bytes, allN, allBytes float64
		for i, st := range stacks {
			if seen, _ := s.BlocksSeen(st.n, st.size); seen >= 4 {
				allN += float64(st.n)
			}
			allBytes += float64(st.n * st.size)
			if outgrown.Has(i) {
				gone = append(gone, st.size)
				n += float64(st.n)
				bytes += float64(st.n * st.size)
			}
		}
		if ok != test.ok || !slices.Equal(gone, test.gone) || ok && math.Abs(share-min(n/allN, bytes/allBytes)) > 1e-9 {
			t.Errorf("%s: %v are given up, %v, %v", test.name, gone, share, ok)
		}
	}
}
