package best

import (
	"strings"
	"testing"
	"time"
)

// clock has a wall clock that can be set and a monotonic one that cannot.
type clock struct {
	wall    time.Time
	running time.Duration
	read    int // how often the wall clock was read
	made    time.Duration
}

func (c *clock) now() time.Time {
	c.read++
	c.made = c.running
	return c.wall
}

func (c *clock) since(time.Time) time.Duration { return c.running - c.made }

func (c *clock) pass(d time.Duration) {
	c.wall = c.wall.Add(d)
	c.running += d
}

func TestJournalTime(t *testing.T) {
	c := &clock{wall: time.Date(2026, 11, 20, 23, 59, 58, 600_000_000, time.UTC)}
	j := &journal{now: c.now, since: c.since}
	for _, step := range []struct {
		pass, set time.Duration
		want      string
		read      int
	}{
		{0, 0, "2026-11-20T23:59:58Z", 1},
		{399_999_999, 0, "2026-11-20T23:59:58Z", 1},
		{1, 0, "2026-11-20T23:59:59Z", 2}, // the second turns
		{999_999_999, 0, "2026-11-20T23:59:59Z", 2},
		{1, 0, "2026-11-21T00:00:00Z", 3},
		{2*time.Second + 500*time.Millisecond, 0, "2026-11-21T00:00:02Z", 4}, // idle meanwhile
		{0, -time.Hour, "2026-11-21T00:00:02Z", 4},                           // set back: seen when the second is over
		{499_999_999, 0, "2026-11-21T00:00:02Z", 4},
		{1, 0, "2026-11-20T23:00:03Z", 5},
	} {
		c.pass(step.pass)
		c.wall = c.wall.Add(step.set)
		if got := j.ending(); !strings.HasPrefix(got, `,"time":"`+step.want+`"`) || c.read != step.read {
			t.Errorf("at %v the record ends in %q after %d readings of the wall clock, want %s after %d", c.wall, got, c.read, step.want, step.read)
		}
	}
}

func TestJournalZone(t *testing.T) {
	c := &clock{wall: time.Date(2026, 11, 20, 12, 0, 0, 0, time.FixedZone("", -(3*60+30)*60))}
	j := &journal{now: c.now, since: c.since}
	if got, want := j.ending(), `,"time":"2026-11-20T12:00:00-03:30","message":"visited"}`+"\n"; got != want {
		t.Errorf("record ends in %q, want %q", got, want)
	}
}
