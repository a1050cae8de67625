package report

import "testing"

// A line takes two seconds: levels of a search that last one have no course, and
// beside a longer run they are drawn.
func TestTimelineTakesTwoSeconds(t *testing.T) {
	short, long := closedLoad("short", 2, 1), closedLoad("long", 2, 2)
	for _, c := range []struct {
		runs  []LoadRun
		drawn bool
	}{
		{[]LoadRun{short}, false}, {[]LoadRun{short, short}, false}, {[]LoadRun{long}, true}, {[]LoadRun{short, long}, true},
	} {
		if got := loadTimeline(c.runs) != nil; got != c.drawn {
			t.Errorf("%d runs, the first of %d seconds: drawn %v", len(c.runs), len(c.runs[0].Result.Seconds), got)
		}
	}
}
