package gobench

import (
	"slices"
	"strconv"

	"whet/internal/lazyregexp"
)

// schedTrace makes the runtime print the state of its scheduler, every millisecond while
// much changes and every ten when little does.
const schedTrace = "schedtrace=1"

var schedLine = lazyregexp.Pattern{Text: `(?m)^SCHED \d+ms: gomaxprocs=(\d+) idleprocs=(\d+) `}

// fewestStates is how many states of the scheduler tell what most are like.
const fewestStates = 3

// busyProcessors returns how many of Go's processors were not idle, at the median of the
// states in the second half of what a process printed: the first has its start. That
// does not depend on what else the machine does. It is 0 where there are too few.
func busyProcessors(output []byte) int {
	var busy []int
	for _, m := range schedLine.Regexp().FindAllSubmatch(output, -1) {
		procs, err := strconv.Atoi(string(m[1]))
		idle, err2 := strconv.Atoi(string(m[2]))
		if err != nil || err2 != nil || idle > procs {
			return 0
		}
		busy = append(busy, procs-idle)
	}
	busy = busy[len(busy)/2:]
	if len(busy) < fewestStates {
		return 0
	}
	slices.Sort(busy)
	return busy[len(busy)/2]
}
