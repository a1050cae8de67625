package load

import (
	"testing"
)

// A line takes two seconds: levels of a search that last one have no course, and
// beside a longer run they are drawn.
func TestTimelineTakesTwoSeconds(t *testing.T) {
	short, long := closed("short", 2, 1), closed("long", 2, 2)
	for _, c := range []struct {
		runs  []Run
		drawn bool
	}{
		{[]Run{short}, false}, {[]Run{short, short}, false}, {[]Run{long}, true}, {[]Run{short, long}, true},
	} {
		if got := timeline(c.runs) != nil; got != c.drawn {
			t.Errorf("%d runs, the first of %d seconds: drawn %v", len(c.runs), len(c.runs[0].Result.Seconds), got)
		}
	}
}
