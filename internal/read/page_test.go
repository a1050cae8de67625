package read

import (
	"slices"
	"testing"
)

func TestDistinct(t *testing.T) {
	for _, tc := range []struct{ in, want []string }{
		{nil, nil},
		{[]string{"b", "a", "b"}, []string{"b", "a"}},
		{[]string{"b", "a", "c", "a"}, []string{"b", "a", "c"}},
		{[]string{"b", "a", "c", "a", "d", "e"}, []string{"b", "a", "3 more warnings are not shown"}},
	} {
		if got := distinct(tc.in, 3); !slices.Equal(got, tc.want) {
			t.Errorf("distinct(%q) = %q, want %q", tc.in, got, tc.want)
		}
	}
}
