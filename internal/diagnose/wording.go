package diagnose

import (
	"fmt"
	"slices"

	"whet/internal/quantity"
	"whet/internal/recording"
)

// names are those of the benchmarks that the profiles are of.
func (s *Subject) names() []string {
	if s.Pool != nil {
		return slices.Clone(s.Pool)
	}
	return []string{s.Benchmark}
}

// isBenchmark is the kind a subject has unless it says otherwise.
func (s *Subject) isBenchmark() bool {
	return s.Kind == "" || s.Kind == recording.TargetBenchmark
}

// brief is a name that a sentence has room for: what is longer than nameRunes
// keeps its beginning and its end.
func brief(name string) string {
	runes := []rune(name)
	if len(runes) <= nameRunes {
		return name
	}
	return string(runes[:nameRunes/4]) + "…" + string(runes[len(runes)-nameRunes*3/4+1:])
}

const nameRunes = 160

// forMore says how the user gets more samples of what was run.
func (s *Subject) forMore() string {
	switch {
	case s.Lone:
		return "a longer profile has more"
	case s.Kind == recording.TargetService:
		return "raise -d"
	case s.Kind == recording.TargetProgram:
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

// PerIteration is ", 96 per request": the bytes of AllocBytes for a reader, ""
// where the number of iterations is unknown.
func (s *Subject) PerIteration(perOp float64) string {
	if perOp <= 0 {
		return ""
	}
	return fmt.Sprintf(", %s per %s", quantity.Count(perOp), s.Iteration())
}

// waitText says what a delay is worth where that is not its delay_ratio; "" where
// it is, or where too little waits.
func (s *Subject) waitText(w *weighed) string {
	if s.isBenchmark() || w.cost.delay < Threshold {
		return ""
	}
	if s.Run != nil && s.Run.ServiceTimeNs > 0 && w.cost.wait > 0 {
		return fmt.Sprintf("%s of waiting for the lock in a request of %s: the ceiling takes no more of the delay", quantity.Nanoseconds(w.cost.wait*s.Run.ServiceTimeNs), quantity.Nanoseconds(s.Run.ServiceTimeNs))
	}
	return "goroutines wait side by side, and how much longer it takes for that is unknown: no ceiling is made of the delay"
}

// machineFull is the share of the machine's CPU time in use from which there
// was none left that anyone could have had.
const machineFull = 0.9

// starvedByOthers says that other processes kept the measured one from the CPU;
// "" where they did not. Its text follows a name. A benchmark asks for all it can get, so that the profile
// alone shows it, if the system's scheduler does not; a program may have had
// nothing to do, so that without the scheduler the machine must be known to have
// been full; a service shares it with its load.
func (s *Subject) starvedByOthers(mem *memoryManagement) string {
	if s.Kind == recording.TargetService {
		if s.Run == nil || !s.Run.crowded() {
			return ""
		}
		return fmt.Sprintf(": the machine was busy for %s of the time, mostly with work that is neither the target's nor the load's: throughput is too low and times are too long", quantity.Percent(*s.Run.MachineBusy))
	}
	if s.CPU == nil || !mem.starved(s.CPU.Duration) || mem.waits(s.CPU.Duration) {
		return ""
	}
	if wanted, known := mem.wanted(); known {
		return fmt.Sprintf(" got %s of a processor: the machine was busy with other work, so times are too long and samples too few; it could have used %.2g processors", quantity.Percent(ratio(mem.process, s.CPU.Duration)), wanted)
	}
	if s.Kind == recording.TargetProgram && (s.Run == nil || !s.Run.machineFull()) {
		return ""
	}
	return fmt.Sprintf(" got %s of a processor, yet its scheduler shows no waiting: the machine was busy with other work, so times are too long and samples too few", quantity.Percent(ratio(mem.process, s.CPU.Duration)))
}
