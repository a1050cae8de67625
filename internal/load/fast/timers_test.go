//go:build linux

package fast

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// The heap gives back what went in, in order.
func TestAlarms(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var h alarms
		var model []int64
		for range rapid.IntRange(0, 100).Draw(t, "steps") {
			if len(model) > 0 && rapid.Bool().Draw(t, "pop") {
				slices.Sort(model)
				if got := h.pop().at; got != model[0] {
					t.Fatalf("popped %d, want %d", got, model[0])
				}
				model = model[1:]
				continue
			}
			at := rapid.Int64Range(0, 50).Draw(t, "at")
			h.push(alarm{at: at})
			model = append(model, at)
		}
		if len(h) != len(model) {
			t.Fatalf("%d alarms, want %d", len(h), len(model))
		}
	})
}

// The list holds those under way in the order in which they began; the ring
// those that are free.
func TestListAndRing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 10).Draw(t, "connections")
		l := &loop{conns: make([]conn, n), busy: queue{none, none}, idle: newFIFO(n)}
		var free, busy []int32
		for i := range l.conns {
			l.conns[i].index = int32(i)
			l.idle.push(int32(i))
			free = append(free, int32(i))
		}
		for range rapid.IntRange(0, 60).Draw(t, "steps") {
			if len(free) > 0 && (len(busy) == 0 || rapid.Bool().Draw(t, "begin")) {
				i := l.idle.pop()
				if i != free[0] {
					t.Fatalf("connection %d, want %d", i, free[0])
				}
				free = free[1:]
				busy = append(busy, i)
				l.enlist(&l.conns[i])
			} else {
				k := rapid.IntRange(0, len(busy)-1).Draw(t, "end")
				i := busy[k]
				busy = slices.Delete(busy, k, k+1)
				free = append(free, i)
				l.delist(&l.conns[i])
				l.idle.push(i)
			}
			var got, back []int32
			for i := l.busy.first; i != none; i = l.conns[i].next {
				got = append(got, i)
			}
			for i := l.busy.last; i != none; i = l.conns[i].prev {
				back = append(back, i)
			}
			slices.Reverse(back)
			if !slices.Equal(got, busy) || !slices.Equal(back, busy) || l.underWay != len(busy) || l.idle.free != len(free) {
				t.Fatalf("under way %v and back %v (%d), want %v; %d free, want %d", got, back, l.underWay, busy, l.idle.free, len(free))
			}
		}
	})
}

// Loops share connections evenly, and all of them.
func TestShare(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		loops := rapid.IntRange(1, 64).Draw(t, "loops")
		n := rapid.IntRange(loops, 10_000).Draw(t, "connections")
		sum := 0
		for k := range loops {
			s := share(n, k, loops)
			if s < n/loops || s > n/loops+1 {
				t.Fatalf("loop %d of %d has %d of %d", k, loops, s, n)
			}
			sum += s
		}
		if sum != n {
			t.Fatalf("%d of %d", sum, n)
		}
	})
}
