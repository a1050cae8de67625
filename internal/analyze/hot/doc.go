// Package hot answers which part of a profile is the measured code: it puts every
// sample of a benchmark, a program or a service into one class.
//
// For a benchmark, base is the code under test: everything inside the measured
// loop, and every goroutine that the program started, wherever it was started.
// Set-up is the rest of the benchmark functions (before and after the loop, and
// between StopTimer and StartTimer), TestMain and package initialization. Harness
// is package testing itself and the profilers. Background is the runtime's own:
// collector workers, sweeper, scheduler.
//
// The loop is found in the source of the benchmark: b.Loop() and pb.Next(),
// otherwise any loop bounded by b.N or by a variable that was set from it and not
// before the last ResetTimer, and calls with b.N as an argument. Stacks are then
// read from the root: the innermost benchmark function on the stack with such a
// loop decides the class. It misleads without the source (everything below the
// benchmark function is then base, and Classified.LoopsKnown is false) and if a
// recursion is deeper than the profiler's stacks, which lose their root.
//
// A program or a service has no loop ([ClassifyProgram]): base is everything it
// does in any of its goroutines, set-up is package initialization, and harness is
// the instruments inside the process. There it misleads if a server's connections
// transfer profiles: the work of net/http for them outside a handler cannot be
// separated from its work for other requests.
package hot
