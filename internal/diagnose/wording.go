package diagnose

import "whet/internal/recording"

// isBenchmark is the kind a subject has unless it says otherwise.
func (s *Subject) isBenchmark() bool {
	return s.Kind == "" || s.Kind == recording.TargetBenchmark
}

// forMore says how the user gets more samples of what was run.
func (s *Subject) forMore() string {
	switch s.Kind {
	case recording.TargetService:
		return "raise -d"
	case recording.TargetProgram:
		return "run it longer, or more often with -count"
	}
	return "raise -budget or -benchtime"
}

// Iteration names what a figure per iteration is of.
func (s *Subject) Iteration() string {
	switch s.Kind {
	case recording.TargetService:
		return "request"
	case recording.TargetProgram:
		return "run"
	}
	return "iteration"
}

// machineFull is the share of the machine's CPU time in use from which there
// was none left that anyone could have had.
const machineFull = 0.9

// starvedByOthers reports whether other processes kept the measured one from
// the CPU. A benchmark asks for all it can get, so that the profile alone shows
// it; a program may have had nothing to do, so that the machine must be known
// to have been full; a service shares it with its load, which the verdict
// weighs.
func (s *Subject) starvedByOthers(mem *memoryManagement) bool {
	if s.CPU == nil || !mem.starved(s.CPU.Duration) || mem.waits(s.CPU.Duration) {
		return false
	}
	switch s.Kind {
	case recording.TargetService:
		return false
	case recording.TargetProgram:
		return s.Run != nil && s.Run.MachineBusy != nil && *s.Run.MachineBusy >= machineFull
	}
	return true
}
