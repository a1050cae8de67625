package best

import (
	"strconv"
	"testing"
)

// However pairs repeat, they are settled as often as it takes to throw half of
// them away, and not for each that comes; and there are never many more than
// names.
func TestSettledSeldom(t *testing.T) {
	const pairs = 20_000
	for _, names := range []int{1, 16, 17, 255, 256, 257, 300, 1000, pairs} {
		var b body
		times, before, settled := 0, 0, 0
		for i := range pairs {
			b.add(pair{name: strconv.Itoa(min(i, names-1)), value: strconv.Itoa(i)})
			n := len(b.qua())
			if n <= before || b.settled != settled {
				times++
			}
			if most := max(maxUnsettled, 2*names); n > most || cap(b.many) > 2*most {
				t.Fatalf("%d names: %d pairs are kept, in room for %d", names, n, cap(b.many))
			}
			before, settled = n, b.settled
		}
		// Since the last time half of maxUnsettled have come, and as many as were
		// left then; ten times more while the names come.
		if most := pairs/max(maxUnsettled/2, min(names, pairs/2)) + 10; times == 0 || times > most {
			t.Errorf("%d names: pairs are settled %d times, want 1 to %d", names, times, most)
		}
		got := settle(b.qua())
		if len(got) != names {
			t.Errorf("%d names: %d are left", names, len(got))
		}
		for _, p := range got {
			want := p.name // each was given once, but the last
			if p.name == strconv.Itoa(names-1) {
				want = strconv.Itoa(pairs - 1)
			}
			if p.value != want {
				t.Fatalf("%d names: the last value of %s is %s, want %s", names, p.name, p.value, want)
			}
		}
	}
}
