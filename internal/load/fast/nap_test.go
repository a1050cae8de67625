//go:build linux

package fast

import (
	"testing"
	"time"

	"whet/internal/schedule"
)

// When a loop sleeps, and for how long, as nap.go says.
func TestNap(t *testing.T) {
	for name, c := range map[string]struct {
		busy    int
		service time.Duration
		found   int
		open    bool
		want    int64
	}{
		"64 at 200,000 a second":  {busy: 64, service: 320 * time.Microsecond, found: 5, want: 20_000}, // 320/16 µs
		"64 at 64,000 a second":   {busy: 64, service: time.Millisecond, found: 1, want: 50_000},       // 62.5 µs is too long
		"1,000 at 140,000":        {busy: 1000, service: 7 * time.Millisecond, found: 3, want: 50_000},
		"one connection":          {busy: 1, service: 50 * time.Microsecond, found: 1},
		"few connections":         {busy: 15, service: 300 * time.Microsecond, found: 1},
		"quick answers":           {busy: 64, service: 200 * time.Microsecond, found: 5}, // 12.5 µs is too short
		"few answers":             {busy: 64, service: 3 * time.Millisecond, found: 1},   // one in 47 µs
		"many found":              {busy: 64, service: 320 * time.Microsecond, found: 16},
		"an open loop":            {busy: 64, service: 320 * time.Microsecond, found: 5, open: true},
		"workers of 5 ms, all 20": {busy: 20, service: 5 * time.Millisecond, found: 1},
		"before the first answer": {busy: 64, service: 0, found: 0},
	} {
		l := &loop{underWay: c.busy, service: int64(c.service), found: c.found}
		if c.open {
			l.arrivals = new(schedule.Arrivals)
		}
		if got := l.nap(); got != c.want {
			t.Errorf("%s: sleeps for %d ns, want %d", name, got, c.want)
		}
	}
}
