// Package hot answers which part of a profile is the measured code and which is
// not: it puts every sample of a benchmark, a program or a service into one
// class.
//
// Of a benchmark, base is the code under test: what runs inside the measured
// loop, and every goroutine that the program started, wherever it was started.
// Set-up is the rest of the benchmark functions (before and after the loop,
// and between StopTimer and StartTimer), TestMain and package initialisation.
// Harness is package testing itself and the profilers. Background is the
// runtime's own: collector workers, sweeper, scheduler.
//
// The loop is found in the source of the benchmark: for b.Loop() and
// pb.Next(), else any loop bounded by b.N or by a variable that was set from it
// and not before the last ResetTimer, and calls that are handed b.N. Stacks are
// then read from the root: the class is decided by the innermost benchmark
// function on the stack that has such a loop. It misleads where the source is not at hand (everything under the
// benchmark function is then base, and Classified.LoopsKnown is false) and
// where a recursion is deeper than the profiler's stacks, which lose their
// root.
//
// A program or a service has no loop ([ClassifyProgram]): base is everything it
// does in any of its goroutines, set-up is package initialisation, and harness
// is the measuring inside the process. There it misleads where a server's
// connections carry profiles: what net/http does for them outside a handler
// cannot be told from its work for other requests.
package hot
