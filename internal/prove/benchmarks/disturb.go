package benchmarks

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"whet/internal/analyze/compare"
)

// Kinds of disturbances of the processes' environment.
const (
	kindCollector = "collector" // GOGC, GOMEMLIMIT, GODEBUG
	kindPinned    = "pinned"
)

// watchMachine reports disturbances of the whole run.
func (s *session) watchMachine() {
	s.Doubt(true)
	if len(s.o.Pin) > 0 {
		s.Disturb(compare.Disturbance{Kind: kindPinned, Text: fmt.Sprintf("the benchmarks run on processors %v only: this sets GOMAXPROCS and the number of GC workers, and other work on these processors disturbs them", s.o.Pin)})
	}
}

// collectorVariables set the collector, or change the runtime.
var collectorVariables = [...]string{"GOGC", "GOMEMLIMIT", "GODEBUG"}

// watchEnvironment reports collector settings in the processes' environments: different
// ones are part of the comparison, and equal ones may not be the program's.
func (s *session) watchEnvironment() {
	for _, name := range collectorVariables {
		old, new := lookup(s.env(compare.Old), name), lookup(s.env(compare.New), name)
		switch {
		case old != new:
			s.Disturb(compare.Disturbance{Kind: kindCollector, Text: fmt.Sprintf("%s differs: %s for old, %s for new: the ratio includes its effect", name, quoted(old), quoted(new))})
		case old != "":
			s.Disturb(compare.Disturbance{Kind: kindCollector, Text: fmt.Sprintf("both sides run with %s=%s: the ratio holds for this setting", name, quoted(old))})
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
