package diagnose

import (
	"fmt"
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"whet/internal/finding"
	"whet/internal/quantity"
	"whet/internal/recording"
	"whet/internal/typed"
)

// names returns the names of the benchmarks that the profiles are of.
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

// brief returns a name that a sentence has room for: what is longer than nameRunes
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
func (s *Subject) waitText(w *weighedClaim) string {
	if s.isBenchmark() || w.cost.delay < Threshold {
		return ""
	}
	if s.Run != nil && s.Run.ServiceTimeNs > 0 && w.cost.wait > 0 {
		return fmt.Sprintf("%s of waiting for the lock in a request of %s: the ceiling counts no more of the delay", quantity.Nanoseconds(w.cost.wait*s.Run.ServiceTimeNs), quantity.Nanoseconds(s.Run.ServiceTimeNs))
	}
	return "goroutines wait concurrently, so the delay's effect on the time is unknown: the ceiling does not count it"
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
		return fmt.Sprintf(": the machine was busy for %s of the time, mostly with processes other than the target and the load: throughput is too low and times are too long", quantity.Percent(*s.Run.MachineBusy))
	}
	if s.CPU == nil || !mem.starved(s.CPU.Duration) || mem.waits(s.CPU.Duration) {
		return ""
	}
	if wanted, known := mem.wanted(); known {
		return fmt.Sprintf(" got %s of a processor: the machine was busy with other processes, so times are too long and samples too few; it could have used %.2g processors", quantity.Percent(ratio(mem.process, s.CPU.Duration)), wanted)
	}
	if s.Kind == recording.TargetProgram && (s.Run == nil || !s.Run.machineFull()) {
		return ""
	}
	return fmt.Sprintf(" got %s of a processor, yet its scheduler shows no waiting: the machine was busy with other processes, so times are too long and samples too few", quantity.Percent(ratio(mem.process, s.CPU.Duration)))
}

// Anywhere is a remedy's text for the place to keep a value that a call makes and drops.
// If the source shows the right place, the finding names it: see home.
const Anywhere = "in a sync.Pool or, if one goroutine at a time calls the function, in a field"

// home puts into a remedy that says Anywhere the place that the source shows to be
// right for what a statement makes, and returns what shows it.
//
// A pool costs a call or two for every use, and keeps what it likes. So what a
// loop makes is kept before the loop; what a method makes that one goroutine at a
// time calls, in a field of its receiver; and a pool is for the others. See
// typed.Package.Receiver for what shows that, and when it misleads.
func (s *Subject) home(remedy string, at Location) (string, []finding.Evidence) {
	if !strings.Contains(remedy, Anywhere) {
		return remedy, nil
	}
	st := s.Statement(at.File, at.Line)
	where, why := Anywhere, []finding.Evidence(nil)
	if fn, ok := st.Func.(*ast.FuncDecl); ok {
		where, why = s.homeOf(fn, at.File)
	}
	if st.Loop != nil && !strings.Contains(remedy, "before the loop") {
		where = "in a variable before the loop or, if the function itself is called often, " + where
	}
	return strings.Replace(remedy, Anywhere, where, 1), why
}

// OfParameter reports whether a statement makes a value of a type that the caller of the
// enclosing function chooses: no package variable and no pool of the package can keep
// it. A method of a generic type can, in its receiver.
func (s *Subject) OfParameter(t types.Type, at Location) bool {
	fn := s.FunctionAt(at.File, at.Line)
	return fn != nil && fn.Node.Recv == nil && fn.Node.Type.TypeParams != nil && typed.OfParameter(t)
}

// homeOf returns the place for what a declared function makes.
func (s *Subject) homeOf(fn *ast.FuncDecl, file string) (where string, why []finding.Evidence) {
	pkg := s.PackageOf(file)
	if pkg == nil {
		return Anywhere, nil
	}
	of, sharing := pkg.Receiver(fn)
	switch {
	case sharing == typed.Alone:
		return fmt.Sprintf("in a field of *%s", of.Name()), []finding.Evidence{{Kind: "source", Text: fmt.Sprintf(
			"(*%s).%s sets fields of its receiver without a lock: one goroutine at a time calls it, and may use memory kept in a field", of.Name(), fn.Name.Name)}}
	case sharing == typed.Shared:
		return "in a sync.Pool", nil
	case sharing == typed.NoReceiver && fn.Recv == nil && fn.Name.IsExported():
		return "in a sync.Pool", nil
	case sharing == typed.NoReceiver && fn.Recv == nil:
		return "in a sync.Pool or, passed as an argument, with the caller", nil
	}
	return Anywhere, nil
}
