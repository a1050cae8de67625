//go:build linux

package fast

import (
	"math/rand/v2"
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
		"64 at 200,000 a second":  {busy: 64, service: 320 * time.Microsecond, found: 5, want: 53_333}, // 320/6 µs
		"64 at 64,000 a second":   {busy: 64, service: time.Millisecond, found: 1, want: 100_000},      // 167 µs is too long
		"1,000 at 140,000":        {busy: 1000, service: 7 * time.Millisecond, found: 3, want: 100_000},
		"one connection":          {busy: 1, service: 50 * time.Microsecond, found: 1},
		"few connections":         {busy: 15, service: 300 * time.Microsecond, found: 1},
		"quick answers":           {busy: 64, service: 84 * time.Microsecond, found: 5}, // 14 µs is too short
		"few answers":             {busy: 64, service: 3 * time.Millisecond, found: 1},  // one in 47 µs
		"many found":              {busy: 64, service: 320 * time.Microsecond, found: 32},
		"not many of 64":          {busy: 64, service: 320 * time.Microsecond, found: 31, want: 53_333},
		"half found":              {busy: 20, service: 320 * time.Microsecond, found: 10},
		"an open loop":            {busy: 64, service: 320 * time.Microsecond, found: 5, open: true},
		"workers of 5 ms, all 20": {busy: 20, service: 5 * time.Millisecond, found: 1},
		"before the first answer": {busy: 64, service: 0, found: 0},
	} {
		l := &loop{underWay: c.busy, service: int64(c.service), found: c.found, trial: trial{stretch: 1}}
		if c.open {
			l.arrivals = new(schedule.Arrivals)
		}
		if got := l.nap(); got != c.want {
			t.Errorf("%s: sleeps for %d ns, want %d", name, got, c.want)
		}
	}
}

// A loop naps as long as nothing is answered later for it: with a service that is
// the bottleneck nearly always, with one that only waits in one stretch of sixteen.
// Single stretches vary by 3 %.
func TestTrial(t *testing.T) {
	const underWay = 64
	for name, c := range map[string]struct {
		longer float64 // the service times with naps
		least  float64 // share of stretches with naps
		most   float64
	}{
		"a bottleneck that gains": {longer: 0.95, least: 0.9, most: 15. / 16},
		"a service that waits":    {longer: 1 + 0.5/napShare, least: 1. / 16, most: 0.1},
		"a service far away":      {longer: 1.2, least: 1. / 16, most: 1. / 16},
	} {
		rng := rand.New(rand.NewPCG(1, 7))
		var tr trial
		naps, all := 0.0, 0.0
		for range 100 * trialStretches {
			nap := tr.naps(underWay)
			mean := 300e3 * (1 + 0.03*rng.NormFloat64())
			if nap {
				mean *= c.longer
				naps++
			}
			all++
			for range trialAnswers * underWay {
				if tr.naps(underWay) != nap {
					t.Fatalf("%s: a stretch is shorter than %d answers", name, trialAnswers*underWay)
				}
				tr.answered(int64(mean))
			}
		}
		if share := naps / all; share < c.least || share > c.most {
			t.Errorf("%s: naps in %.3f of the stretches, want %.3f to %.3f", name, share, c.least, c.most)
		}
	}
}
