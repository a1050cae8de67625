package legacy

import "whet/internal/callstack"

// samples holds stacks as the file has them, but with the addresses of calls
// in place of those they return to.
type samples struct {
	addresses []uint64
	spans     []span
	values    []int64

	labeled int64 // labels in all

	max  int64 // that all of it may take; beyond it samples are left out
	full bool
	deep int // samples with more addresses than a stack may have
}

// memory is about how many bytes the samples take, with what is made of them.
func (s *samples) memory() int64 {
	return 16*int64(len(s.addresses)) + 88*int64(len(s.spans)) + 16*int64(len(s.values)) + 96*s.labeled
}

// span is a sample's addresses, leaf first, and its labels.
type span struct {
	from, to int
	labels   []callstack.Label
}

func (s *samples) len() int { return len(s.spans) }

func (s *samples) stack(i int) []uint64 { return s.addresses[s.spans[i].from:s.spans[i].to] }

func (s *samples) add(stack []uint64, values ...int64) {
	switch {
	case len(stack) > callstack.MaxDepth:
		s.deep++
		return
	case s.full || s.memory() > s.max:
		s.full = true
		return
	}
	from := len(s.addresses)
	s.addresses = append(s.addresses, stack...)
	s.spans = append(s.spans, span{from: from, to: len(s.addresses)})
	s.values = append(s.values, values...)
}

// label labels the last sample.
func (s *samples) label(l ...callstack.Label) {
	if s.labeled += int64(len(l)); len(s.spans) == 0 || s.full || s.memory() > s.max {
		s.full = s.full || len(s.spans) > 0
		return
	}
	last := &s.spans[len(s.spans)-1]
	last.labels = append(last.labels, l...)
}

// dropSecond takes the address above the leaf out of a stack.
func (s *samples) dropSecond(i int) {
	from := s.spans[i].from
	s.addresses[from+1] = s.addresses[from]
	s.spans[i].from++
}

// dropHandler takes out the frame that a signal handler pushed above the leaf:
// it is taken for one when all but one sample in 32 have the same address
// there. The rule is pprof's, applied twice as there; the leaf comes from the
// signal's context, and is right.
func (s *samples) dropHandler() {
	for range 2 {
		count := make(map[uint64]int)
		for i := range s.spans {
			if stack := s.stack(i); len(stack) > 1 {
				count[stack[1]]++
			}
		}
		for address, n := range count {
			if n < s.len()-s.len()/32 {
				continue
			}
			for i := range s.spans {
				if stack := s.stack(i); len(stack) > 1 && stack[1] == address {
					s.dropSecond(i)
				}
			}
			break
		}
	}
}

// dropTwice takes out the address above a leaf that is the leaf's own, taken
// for a return address.
func (s *samples) dropTwice() {
	for i := range s.spans {
		if stack := s.stack(i); len(stack) > 1 && stack[0] == stack[1]+1 {
			s.dropSecond(i)
		}
	}
}
