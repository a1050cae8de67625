package gobench

import (
	"bytes"

	"whet/internal/capture/process"
)

// Steps stops a process that runs one benchmark several times (Run.Count) at the end of
// each run. Package testing writes the name before a run and the result after it: a
// process whose result nobody reads waits when it writes the name of the next.
type Steps struct {
	*process.Gate
	named, printed bool
}

// NewSteps returns the steps of one process.
func NewSteps() *Steps {
	s := &Steps{}
	s.Gate = process.NewGate(func(write []byte) bool {
		name, line := bytes.HasPrefix(write, []byte("Benchmark")), bytes.ContainsRune(write, '\n')
		// With -test.v the name is a line, and stands before the result only after the run.
		s.printed = s.printed || name && line || s.named && !bytes.Contains(write, []byte(" ns/op"))
		s.named = name && !line
		return s.named
	})
	return s
}

// Printed reports, after the end of the process, whether it printed something else than
// names and results in turn: it may then have waited within a run, or not between two.
func (s *Steps) Printed() bool { return s.printed }
