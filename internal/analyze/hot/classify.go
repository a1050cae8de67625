package hot

import (
	"slices"
	"strings"

	"whet/internal/callstack"
	"whet/internal/symbolname"
)

// Class is the part of a process that a sample belongs to.
type Class uint8

const (
	Base Class = iota
	Setup
	Harness
	Background
	NumClasses = 4
)

func (c Class) String() string {
	return [...]string{"base", "set-up", "harness", "background"}[c]
}

// Classified is a profile with a class for each sample.
type Classified struct {
	*callstack.Frames
	Class []Class // per sample
	// LoopsKnown: the measured loop was found for all but 1 % of the samples
	// below a benchmark function. False: set-up may be counted as base. A
	// program has no loop to look for: true.
	LoopsKnown bool
	// Unlooped is the part of Whole, in the first column, below a benchmark function
	// whose loop was not found: see LoopsKnown. The caller sums them over several short
	// profiles.
	Unlooped, Whole int64
	// Parallel: more than 1 % of the base ran on goroutines other than the
	// benchmark's own, or a program's main goroutine.
	Parallel bool
	// RootsLost: more than 1 % of the samples have stacks as deep as the
	// profiler records, which do not reach their goroutine's first function.
	// Set-up among them counts as base, and functions near the root have too
	// little cum.
	RootsLost bool
}

// Keep selects the samples of one class.
func (c *Classified) Keep(class Class) callstack.Keep {
	return func(i int) bool { return c.Class[i] == class }
}

// Sums adds column t up for each class.
func (c *Classified) Sums(t int) [NumClasses]int64 {
	var sums [NumClasses]int64
	for i, r := 0, c.Rows(t); r.Next(); i++ {
		sums[c.Class[i]] += r.Value(0)
	}
	return sums
}

// Classify decides the class of every sample. loops knows the benchmark
// functions' source; an empty one is allowed.
func Classify(p *callstack.Frames, loops *Loops) *Classified {
	return classifyStacks(p, loops, classify)
}

// stacks are what a verdict is made of. Stacks repeat their frames by the
// thousand, so that what a function's name and line say is asked once.
type stacks struct {
	*callstack.Frames
	traits []traits
	loops  *Loops
}

type traits struct {
	measures bool  // see Measures
	runtime  bool  // see isRuntime
	machine  bool  // see isRuntimeFrame
	testing  bool  // of package testing
	where    Where // in a benchmark function
}

// classifyStacks asks of about each stack.
func classifyStacks(p *callstack.Frames, loops *Loops, of func(s *stacks, stack []callstack.FrameID) verdict) *Classified {
	known := &stacks{Frames: p, traits: make([]traits, p.NumFrames()), loops: loops}
	for id := range known.traits {
		f := p.Frame(callstack.FrameID(id))
		known.traits[id] = traits{Measures(f.Function), isRuntime(f.Function), isRuntimeFrame(f), symbolname.In(f.Function, "testing"), loops.At(f)}
	}
	c := &Classified{Frames: p, Class: make([]Class, p.Len()), LoopsKnown: true}
	var parallel, lost, base int64 // in the first column
	for s := p.Stacks(nil); s.Next(); {
		v := of(known, s.Stack)
		c.Class[s.Index()] = v.class
		if len(p.Types) == 0 {
			continue
		}
		n := s.Value(0)
		c.Whole += n
		if v.class == Base {
			base += n
		}
		if v.unknown {
			c.Unlooped += n
		}
		if v.parallel {
			parallel += n
		}
		if v.rootLost {
			lost += n
		}
	}
	// A sample may catch a function before it enters its loop's helper, or a
	// stack that lost frames: one in a hundred says nothing.
	c.LoopsKnown = LoopsKnown(c.Unlooped, c.Whole)
	c.Parallel = parallel > base/100
	c.RootsLost = lost > c.Whole/100
	return c
}

// LoopsKnown reports whether the part of the whole without a loop is small enough to
// ignore.
func LoopsKnown(unlooped, whole int64) bool { return unlooped <= whole/100 }

// verdict is what one stack says.
type verdict struct {
	class    Class
	unknown  bool // below a benchmark function whose loop was not found
	parallel bool // base, on a goroutine other than the benchmark's own
	rootLost bool
}

// classify reads one stack (leaf first) from its root.
func classify(p *stacks, stack []callstack.FrameID) verdict {
	if len(stack) == 0 {
		return verdict{class: Background}
	}
	benchmark := -1 // index of the innermost frame that runs a benchmark function
	inParallel := false
	onlyRuntime := true
	for i := len(stack) - 1; i >= 0; i-- {
		fn := p.Frame(stack[i]).Function
		switch {
		case fn == "testing.(*B).runN": // also around package testing's own root benchmark
			benchmark = i
		case strings.HasPrefix(fn, "testing.(*B).RunParallel"):
			benchmark, inParallel = i, true
		}
		onlyRuntime = onlyRuntime && p.traits[stack[i]].machine
	}
	if onlyRuntime {
		return verdict{class: Background}
	}
	if benchmark > 0 && slices.ContainsFunc(stack[:benchmark], func(id callstack.FrameID) bool {
		return p.Frame(id).Function == "testing.(*common).runCleanup"
	}) {
		return verdict{class: Setup} // b.Cleanup: after the loop
	}
	if benchmark == 0 || benchmark > 0 && isOfHarness(p.Frame(stack[benchmark-1]), p.loops) {
		return verdict{class: Harness}
	}
	if benchmark > 0 {
		class, known := classifyBenchmark(p, stack[:benchmark])
		return verdict{class: class, unknown: !known, parallel: inParallel && class == Base}
	}
	if measures(p, stack) {
		return verdict{class: Harness}
	}
	root := p.Frame(stack[len(stack)-1]).Function
	for i := len(stack) - 1; isRuntime(root) && i >= 0; i-- {
		fn := p.Frame(stack[i]).Function
		if strings.HasPrefix(fn, "runtime.doInit") {
			return verdict{class: Setup}
		}
		root = fn
	}
	switch {
	case root == "main.main":
		// Below it is package testing, or the package's own TestMain.
		for _, id := range stack {
			if strings.HasSuffix(p.Frame(id).Function, ".TestMain") {
				return verdict{class: Setup}
			}
		}
		return verdict{class: Harness}
	case symbolname.In(root, "testing"), symbolname.In(root, "runtime/pprof"), symbolname.In(root, "runtime/trace"), symbolname.In(root, "os/signal"):
		return verdict{class: Harness}
	}
	lost := losesRoot(p, stack)
	return verdict{class: Base, parallel: !lost, rootLost: lost}
}

// The runtime's profilers record this many frames of a stack, seen from the
// leaf, before inlining is expanded.
const (
	deepestCPU = 64
	deepest    = 128 // allocations, contention
)

// losesRoot reports whether a stack is as deep as its profiler records: it
// then does not say which goroutine it is of.
func losesRoot(p *stacks, stack []callstack.FrameID) bool {
	limit := deepest
	if p.PeriodType.Type == "cpu" {
		limit = deepestCPU
	}
	if len(stack) < limit {
		return false
	}
	n := 0
	for _, id := range stack {
		if !p.Frame(id).Inlined {
			n++
		}
	}
	return n >= limit
}

// isOfHarness reports whether what runN or RunParallel calls is package
// testing's own business and not a benchmark function.
func isOfHarness(f *callstack.Frame, loops *Loops) bool {
	if strings.Contains(f.Function, ".Benchmark") || loops.InBenchmark(f.File, f.Line) {
		return false
	}
	return isRuntime(f.Function) || slices.ContainsFunc([]string{"testing", "context", "fmt", "sync", "sync/atomic", "time"}, func(pkg string) bool {
		return symbolname.In(f.Function, pkg)
	})
}

// classifyBenchmark decides on the frames (leaf first) below runN or
// RunParallel. The innermost benchmark function that has a loop decides.
func classifyBenchmark(p *stacks, below []callstack.FrameID) (Class, bool) {
	class, decided, known := Harness, false, true
	for i := len(below) - 1; i >= 0; i-- {
		f := p.traits[below[i]]
		if f.runtime || f.testing {
			continue
		}
		if !decided && class == Harness {
			class, known = Base, false // someone's code, its loop not known yet
		}
		switch f.where {
		case InLoop:
			class, decided, known = Base, true, true
			if i > 0 && p.traits[below[i-1]].testing {
				class = Harness // b.Loop, pb.Next, StopTimer
			}
		case OutsideLoop:
			if !decided {
				class, known = Setup, true
			}
		case Stopped:
			return Setup, true
		}
	}
	return class, known
}

// isRuntime reports whether fn belongs to the runtime proper.
func isRuntime(fn string) bool {
	return symbolname.Runtime(symbolname.Package(fn)) || fn == "gogo" || fn == "gosave_systemstack_switch" || fn == "setg_gcc" || fn == ""
}

// isRuntimeFrame knows also what the runtime implements under other names: in
// assembly without a package (gcWriteBarrier, memeqbody), or for another
// package (time.now). The profiler's stacks often end there.
func isRuntimeFrame(f *callstack.Frame) bool {
	return isRuntime(f.Function) || !strings.Contains(f.Function, ".") ||
		strings.Contains(f.File, "/src/runtime/") || strings.HasPrefix(f.File, "runtime/")
}
