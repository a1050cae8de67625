package hot

import (
	"slices"
	"strings"

	"whet/internal/callstack"
	"whet/internal/symbolname"
)

// ClassifyProgram decides the class of every sample of a program or a service.
func ClassifyProgram(p *callstack.Frames) *Classified {
	return classifyStacks(p, &Loops{}, classifyProgram)
}

func classifyProgram(p *stacks, stack []callstack.FrameID) verdict {
	onlyRuntime, initialises, onMain := true, false, false
	for _, id := range stack {
		f := p.Frame(id)
		onlyRuntime = onlyRuntime && p.traits[id].machine && !p.traits[id].measures
		initialises = initialises || strings.HasPrefix(f.Function, "runtime.doInit")
		onMain = onMain || f.Function == "main.main" || f.Function == "runtime.main"
	}
	switch {
	case measures(p, stack):
		return verdict{class: Harness}
	case onlyRuntime:
		return verdict{class: Background}
	case initialises:
		return verdict{class: Setup}
	}
	lost := losesRoot(p, stack)
	return verdict{class: Base, parallel: !onMain && !lost, rootLost: lost}
}

// measures reports whether a stack (leaf first) is whet's agent or a profiler
// at work. The innermost such frame decides: one that only calls the program's
// own code hands the sample back.
func measures(p *stacks, stack []callstack.FrameID) bool {
	for i, id := range stack {
		switch {
		case !p.traits[id].measures:
		case !isAgent(p.Frame(id).Function):
			return true
		default:
			// Its middleware, if the callee is a handler.
			return i == 0 || !strings.HasSuffix(p.Frame(stack[i-1]).Function, ".ServeHTTP")
		}
	}
	return false
}

// OfAgent reports for each sample whether whet's agent runs in it, or the runtime on
// behalf of the tracer that the agent started.
func OfAgent(p *callstack.Frames) []bool {
	c := classifyStacks(p, &Loops{}, func(p *stacks, stack []callstack.FrameID) verdict {
		if len(stack) > 0 && strings.HasPrefix(p.Frame(stack[len(stack)-1]).Function, "runtime.(*traceAdvancerState).") {
			return verdict{class: Harness}
		}
		agent := slices.ContainsFunc(stack, func(id callstack.FrameID) bool { return isAgent(p.Frame(id).Function) })
		if agent && measures(p, stack) {
			return verdict{class: Harness}
		}
		return verdict{class: Base}
	})
	of := make([]bool, len(c.Class))
	for i, class := range c.Class {
		of[i] = class == Harness
	}
	return of
}

// Measures reports whether a function belongs to whet's agent or to a profiler,
// its HTTP handlers included.
func Measures(fn string) bool {
	return isAgent(fn) || isProfiler(fn) || symbolname.In(fn, "net/http/pprof")
}

func isAgent(fn string) bool { return symbolname.Agent(symbolname.Package(fn)) }

// annotations of runtime/pprof and runtime/trace are what a program marks its
// own work with: they measure nothing, and two of them call its code.
var annotations = [...]string{
	"runtime/pprof.Do", "runtime/pprof.Label", "runtime/pprof.Labels", "runtime/pprof.WithLabels",
	"runtime/pprof.ForLabels", "runtime/pprof.SetGoroutineLabels", "runtime/pprof.labelMap",
	"runtime/trace.WithRegion", "runtime/trace.StartRegion", "runtime/trace.NewTask", "runtime/trace.Log",
	"runtime/trace.Logf", "runtime/trace.IsEnabled", "runtime/trace.(*Region)", "runtime/trace.(*Task)",
	"runtime/trace.userTaskCreate", "runtime/trace.userTaskEnd", "runtime/trace.userRegion", "runtime/trace.userLog",
}

// isProfiler reports whether fn writes profiles or traces.
func isProfiler(fn string) bool {
	if !symbolname.In(fn, "runtime/pprof") && !symbolname.In(fn, "runtime/trace") {
		return false
	}
	return !slices.ContainsFunc(annotations[:], func(a string) bool {
		rest, ok := strings.CutPrefix(fn, a)
		return ok && (rest == "" || rest[0] == '.')
	})
}
