package host

import (
	"time"

	"whet/internal/recording"
)

// Meter records disturbances of a measurement between Start and Stop.
type Meter struct {
	before snapshot
	take   func() snapshot

	// Results of Stop that are not in the recording: CPU time of this process and of
	// its ended children, and pages swapped in and out; 0: unknown.
	Used    time.Duration
	Swapped int64
}

// snapshot is the state of the machine's counters; nil is unknown.
type snapshot struct {
	ticks       *ticks
	load        *float64
	throttledNs *int64
	swapped     *int64        // pages
	used        time.Duration // 0: unknown
}

// ticks are CPU time of the whole machine since it started, in units of the
// kernel's own.
type ticks struct{ total, idle, steal uint64 }

// Start reads the counters.
func Start() *Meter {
	return start(func() snapshot {
		s := counters()
		s.used = usedCPU()
		return s
	})
}

func start(take func() snapshot) *Meter { return &Meter{before: take(), take: take} }

// Stop reads the counters again and sets StealRatio, BusyRatio, LoadStart, LoadEnd and
// ThrottledNs of h, and the meter's own results. It may be called repeatedly during a
// measurement.
func (m *Meter) Stop(h *recording.Host) {
	after := m.take()
	h.LoadStart, h.LoadEnd = m.before.load, after.load
	h.StealRatio, h.BusyRatio, h.ThrottledNs = nil, nil, nil
	m.Used, m.Swapped = 0, 0
	// Counters that ran backwards, as after a move to another machine, tell
	// nothing.
	if a, b := m.before.ticks, after.ticks; a != nil && b != nil && b.total > a.total {
		all := float64(b.total - a.total)
		if steal := float64(b.steal-a.steal) / all; b.steal >= a.steal && steal <= 1 {
			h.StealRatio = &steal
		}
		if busy := 1 - float64(b.idle-a.idle)/all; b.idle >= a.idle && busy >= 0 {
			h.BusyRatio = &busy
		}
	}
	if a, b := m.before.throttledNs, after.throttledNs; a != nil && b != nil && *b >= *a {
		d := *b - *a
		h.ThrottledNs = &d
	}
	if m.before.used > 0 && after.used > m.before.used {
		m.Used = after.used - m.before.used
	}
	if a, b := m.before.swapped, after.swapped; a != nil && b != nil && *b >= *a {
		m.Swapped = *b - *a
	}
}
