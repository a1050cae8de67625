package legacy

import (
	"slices"

	"whet/internal/callstack"
)

// samples holds stacks as the file has them, but with the addresses of calls
// in place of those they return to.
type samples struct {
	list   []sample
	memory int64 // that they take, about, with what is made of them
	max    int64 // that they may take; beyond it samples are left out
	deep   int   // samples with more addresses than a stack may have
}

type sample struct {
	stack  []uint64 // leaf first
	values []int64
	labels []callstack.Label
}

// full reports whether samples were left out.
func (s *samples) full() bool { return s.memory > s.max }

func (s *samples) add(stack []uint64, values ...int64) {
	if len(stack) > callstack.MaxDepth {
		s.deep++
		return
	}
	if s.memory += 160 + 16*int64(len(stack)) + 16*int64(len(values)); s.full() {
		return
	}
	s.list = append(s.list, sample{stack: slices.Clone(stack), values: slices.Clone(values)})
}

// label labels the last sample.
func (s *samples) label(l ...callstack.Label) {
	if len(s.list) == 0 {
		return
	}
	if s.memory += 96 * int64(len(l)); s.full() {
		return
	}
	last := &s.list[len(s.list)-1]
	last.labels = append(last.labels, l...)
}

// dropHandler takes out the frame that a signal handler pushed above the leaf:
// it is taken for one when all but one sample in 32 have the same address
// there. The rule is pprof's, applied twice as there; the leaf comes from the
// signal's context, and is right.
func (s *samples) dropHandler() {
	for range 2 {
		count := make(map[uint64]int)
		for _, sample := range s.list {
			if len(sample.stack) > 1 {
				count[sample.stack[1]]++
			}
		}
		for address, n := range count {
			if n >= len(s.list)-len(s.list)/32 {
				s.dropSecond(func(_, second uint64) bool { return second == address })
				break
			}
		}
	}
}

// dropSecond takes the address above the leaf out of each stack whose first two
// addresses match.
func (s *samples) dropSecond(match func(leaf, second uint64) bool) {
	for i, sample := range s.list {
		if stack := sample.stack; len(stack) > 1 && match(stack[0], stack[1]) {
			s.list[i].stack = slices.Delete(stack, 1, 2)
		}
	}
}
