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
		s.printed = s.printed || s.named && !bytes.Contains(write, []byte(" ns/op"))
		s.named = bytes.HasPrefix(write, []byte("Benchmark")) && !bytes.ContainsRune(write, '\n')
		return s.named
	})
	return s
}

// Printed reports, after the end of the process, whether the benchmark printed something
// itself: the process may then have waited within a run.
func (s *Steps) Printed() bool { return s.printed }
