package prove

import (
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"time"

	"whet/internal/analyze/compare"
	"whet/internal/quantity"
	"whet/internal/recording"
)

// Kinds of disturbances of the machine, and of the processes' environment.
const (
	kindSteal     = "steal"
	kindLoad      = "load"
	kindThrottled = "throttled"
	kindSwap      = "swap"
	kindGovernor  = "governor"
	kindCollector = "collector" // GOGC, GOMEMLIMIT, GODEBUG
	kindPinned    = "pinned"
)

// From here on the result says so.
const (
	muchSteal    = 0.02 // of CPU time, taken by the hypervisor
	muchLoad     = 0.5  // runnable processes per core that are not ours, before the start
	muchOthers   = 0.1  // of the machine's CPU time, used by processes that are not ours
	muchThrottle = 0.02 // of the time
	muchSwap     = 64   // pages in and out
)

// machine is the state of counters that package host does not read; nil is
// unknown.
type machine struct {
	swapped *int64        // pages in and out, since the machine started
	cpu     time.Duration // used by us and by processes of ours that ended; 0: unknown
}

// readMachine reads them; root is the file system of the machine.
func readMachine(root fs.FS, cpu time.Duration) machine {
	m := machine{cpu: cpu}
	data, err := fs.ReadFile(root, "proc/vmstat")
	if err != nil {
		return m
	}
	for line := range strings.Lines(string(data)) {
		f := strings.Fields(line)
		if len(f) != 2 || f[0] != "pswpin" && f[0] != "pswpout" {
			continue
		}
		if n, err := strconv.ParseInt(f[1], 10, 64); err == nil && n >= 0 {
			if m.swapped == nil {
				m.swapped = new(int64)
			}
			*m.swapped += n
		}
	}
	return m
}

// governors are the frequency governors of the processors, each once, without
// "performance", which holds the frequency.
func governors(root fs.FS) []string {
	files, _ := fs.Glob(root, "sys/devices/system/cpu/cpu[0-9]*/cpufreq/scaling_governor")
	var out []string
	for _, f := range files {
		data, err := fs.ReadFile(root, f)
		name := strings.TrimSpace(string(data))
		if err == nil && name != "" && name != "performance" && len(name) < 32 && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

// watchMachine says what disturbed the whole run between two states of the
// machine; the host has what its meter saw meanwhile.
func (s *session) watchMachine(before, after machine, governors []string) {
	h := &s.res.Host
	whole := func(kind, format string, args ...any) {
		s.disturb(compare.Disturbance{Kind: kind, Text: fmt.Sprintf(format, args...)})
	}
	if h.StealRatio != nil && *h.StealRatio > muchSteal {
		whole(kindSteal, "the hypervisor took %s of the CPU time meanwhile: the intervals are wider for it", quantity.Percent(*h.StealRatio))
	}
	if h.LoadStart != nil && h.Cores > 0 && *h.LoadStart > muchLoad*float64(h.Cores) {
		whole(kindLoad, "the machine was busy before the start (load %.1f on %d cores): the intervals are wider for it", *h.LoadStart, h.Cores)
	}
	if others := othersShare(h, before, after, time.Duration(s.res.ElapsedNs)); others > muchOthers {
		whole(kindLoad, "other processes used %s of the machine's CPU time meanwhile: the intervals are wider for it", quantity.Percent(others))
	}
	if h.ThrottledNs != nil && float64(*h.ThrottledNs) > muchThrottle*float64(s.res.ElapsedNs) {
		whole(kindThrottled, "the control group was throttled for %s: its CPU limit is measured too", quantity.Nanoseconds(float64(*h.ThrottledNs)))
	}
	if before.swapped != nil && after.swapped != nil && *after.swapped-*before.swapped > muchSwap {
		whole(kindSwap, "the machine swapped %s in and out meanwhile: memory is short, and times hold the waits for the disk", quantity.Plural(int(*after.swapped-*before.swapped), "page"))
	}
	if len(governors) > 0 {
		whole(kindGovernor, "the frequency of the processors is governed by %s: it follows the load; with root, `cpupower frequency-set -g performance` holds it", strings.Join(governors, ", "))
	}
	if len(s.o.Pin) > 0 {
		whole(kindPinned, "the benchmarks are confined to processors %v: GOMAXPROCS and the collector's helpers follow from that, and a neighbour on these processors cannot be evaded", s.o.Pin)
	}
}

// othersShare is the part of the machine's CPU time between two states that
// neither we nor processes of ours used; 0 when unknown. Stolen time is not
// theirs.
func othersShare(h *recording.Host, before, after machine, elapsed time.Duration) float64 {
	if h.BusyRatio == nil || before.cpu <= 0 || after.cpu <= before.cpu || elapsed <= 0 || h.Cores <= 0 {
		return 0
	}
	busy := *h.BusyRatio
	if h.StealRatio != nil {
		busy -= *h.StealRatio
	}
	return max(busy-float64(after.cpu-before.cpu)/(float64(elapsed)*float64(h.Cores)), 0)
}

// collectorVariables set the collector, or change the runtime.
var collectorVariables = [...]string{"GOGC", "GOMEMLIMIT", "GODEBUG"}

// watchEnvironment says what in the processes' environments sets the
// collector: where it differs it is what is compared, and where it does not it
// is not what the program may run with.
func (s *session) watchEnvironment() {
	for _, name := range collectorVariables {
		old, new := lookup(s.env(compare.Old), name), lookup(s.env(compare.New), name)
		switch {
		case old != new:
			s.disturb(compare.Disturbance{Kind: kindCollector, Text: fmt.Sprintf("%s differs: %s for old, %s for new: the ratio holds its share", name, quoted(old), quoted(new))})
		case old != "":
			s.disturb(compare.Disturbance{Kind: kindCollector, Text: fmt.Sprintf("both sides run with %s=%s: the ratio is that under this setting", name, quoted(old))})
		}
	}
}

func quoted(v string) string {
	if v == "" {
		return "unset"
	}
	return strconv.Quote(v)
}

// lookup returns the last value of a variable, "" when there is none.
func lookup(env []string, name string) string {
	for _, kv := range slices.Backward(env) {
		if v, ok := strings.CutPrefix(kv, name+"="); ok {
			return v
		}
	}
	return ""
}
