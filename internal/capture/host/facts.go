package host

import (
	"math"
	"os"
	"runtime"
	"strconv"
	"strings"

	"whet/internal/recording"
)

// Facts describes the machine as seen by a target with the environment env; nil is our
// own environment. [Meter.Stop] adds the facts that change during the measurement.
func Facts(env []string) recording.Host {
	if env == nil {
		env = os.Environ()
	}
	h := recording.Host{
		OS: runtime.GOOS, Arch: runtime.GOARCH,
		// Since the start of the process, and inherited by what it starts:
		// the processors of its affinity mask.
		Cores:  runtime.NumCPU(),
		Cgroup: "none",
	}
	system(&h)
	own := 0
	if os.Getenv("GOMAXPROCS") == "" {
		own = runtime.GOMAXPROCS(0)
	}
	h.GOMAXPROCS = gomaxprocs(env, own, h.Cores, h.CPULimitCores)
	return h
}

// gomaxprocs returns what the Go runtime of the target will set: the variable, if it
// holds a positive number; else the runtime's own choice, which our own shows,
// unless a variable decided it. Then it is computed: the processors, but no
// more than the CPU limit of the control group, rounded up and at least 2.
func gomaxprocs(env []string, own, cores int, limit *float64) int {
	n := 0
	for _, kv := range env { // the last one counts, as in exec
		if v, ok := strings.CutPrefix(kv, "GOMAXPROCS="); ok {
			n, _ = strconv.Atoi(v)
		}
	}
	switch {
	case n > 0:
		return n
	case own > 0:
		return own
	case limit != nil:
		return min(cores, max(2, int(math.Ceil(*limit))))
	}
	return cores
}
