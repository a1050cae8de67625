package machine

import (
	"fmt"
	"strings"
	"time"

	"whet/internal/quantity"
	"whet/internal/recording"
)

// Doubt is a reason why figures may mislead.
type Doubt struct {
	Kind string
	Text string
}

// Kinds of doubts.
const (
	Steal     = "steal"
	Load      = "load" // before the measuring, or meanwhile
	Throttled = "throttled"
	Swap      = "swap"
	Governor  = "governor"
)

// Observation is a measurement's observation of its machine. The zero value of a
// field means unknown.
type Observation struct {
	Host      *recording.Host
	Elapsed   time.Duration // of the measuring
	Used      time.Duration // CPU time, by the measurer and by processes of its own
	Swapped   int64         // pages, in and out
	Governors []string      // of the processors' frequency, those that follow the load
}

// Bounds are the thresholds of doubts.
type Bounds struct {
	Steal     float64 // of the CPU time
	Load      float64 // runnable processes a core, before the start
	Throttled float64 // of the time measured
	Means     string  // effect on figures of a machine with other load
}

// Figures returns the bounds for absolute figures.
func Figures() Bounds {
	return Bounds{Steal: 0.05, Load: 1, Throttled: 0.01, Means: "times are too long and uneven"}
}

// Ratios returns the bounds for two sides that took turns, whose small differences
// matter.
func Ratios() Bounds {
	return Bounds{Steal: 0.02, Load: 0.5, Throttled: 0.02, Means: "the intervals are wider for it"}
}

const (
	muchOthers = 0.1 // of the machine's CPU time, used by processes that are not ours
	muchSwap   = 64  // pages
)

// Doubts returns the doubts beyond the bounds.
func (s Observation) Doubts(b Bounds) []Doubt {
	var out []Doubt
	add := func(kind, format string, args ...any) {
		out = append(out, Doubt{kind, fmt.Sprintf(format, args...)})
	}
	h := s.Host
	if h.StealRatio != nil && *h.StealRatio > b.Steal {
		add(Steal, "the hypervisor took %s of the CPU time while measuring: %s", quantity.Percent(*h.StealRatio), b.Means)
	}
	if h.LoadStart != nil && h.Cores > 0 && *h.LoadStart > b.Load*float64(h.Cores) {
		add(Load, "the machine was busy when measuring began (load %.1f on %d cores): %s", *h.LoadStart, h.Cores, b.Means)
	}
	if others := s.others(); others > muchOthers {
		add(Load, "other processes used %s of the machine's CPU time while measuring: %s", quantity.Percent(others), b.Means)
	}
	if h.ThrottledNs != nil && float64(*h.ThrottledNs) > b.Throttled*float64(s.Elapsed) {
		add(Throttled, "the cgroup was throttled for %s: the figures include its CPU limit", quantity.Nanoseconds(float64(*h.ThrottledNs)))
	}
	if s.Swapped > muchSwap {
		add(Swap, "the machine swapped %s in and out while measuring: memory is short, and times include waits for the disk", quantity.Plural(int(s.Swapped), "page"))
	}
	if len(s.Governors) > 0 {
		add(Governor, "the CPU frequency governor is %s, which varies the frequency with the load; as root, `cpupower frequency-set -g performance` fixes it", strings.Join(s.Governors, ", "))
	}
	return out
}

// Texts returns the texts of the doubts.
func Texts(doubts []Doubt) []string {
	var out []string
	for _, d := range doubts {
		out = append(out, d.Text)
	}
	return out
}

// others returns the part of the machine's CPU time that neither the measurer nor
// processes of its own used; 0 when unknown. Stolen time is not theirs.
func (s Observation) others() float64 {
	h := s.Host
	if h.BusyRatio == nil || s.Used <= 0 || s.Elapsed <= 0 || h.Cores <= 0 {
		return 0
	}
	busy := *h.BusyRatio
	if h.StealRatio != nil {
		busy -= *h.StealRatio
	}
	return max(busy-float64(s.Used)/(float64(s.Elapsed)*float64(h.Cores)), 0)
}
