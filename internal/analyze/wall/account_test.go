package wall

import "testing"

// TestOnlyHandler: one request in a hundred or more is another handler's.
func TestOnlyHandler(t *testing.T) {
	for _, tt := range []struct {
		counts []int64
		want   int // its index; -1: there is none
	}{
		{nil, -1}, {[]int64{0}, 0}, {[]int64{5}, 0}, {[]int64{1, 4518}, 1}, {[]int64{991, 9}, 0}, {[]int64{99, 1}, -1}, {[]int64{5, 5}, -1}, {[]int64{0, 0}, -1},
	} {
		var all []*account
		for _, n := range tt.counts {
			a := newAccount("", true)
			a.group.Count = n
			all = append(all, a)
		}
		got := onlyHandler(all)
		if tt.want < 0 && got != nil || tt.want >= 0 && got != all[tt.want] {
			t.Errorf("%v: another one than %d", tt.counts, tt.want)
		}
	}
}
