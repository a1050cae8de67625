// Package goroutines reads goroutine dumps in the runtime's own words: what
// /debug/pprof/goroutine?debug=2 answers, SIGQUIT and a panic print, and
// runtime.Stack returns.
//
// [Read] makes one sample of each goroutine, with the sample type that the
// goroutine profile has. Its state is a label ("state": "chan receive"), and so
// are how long it has waited ("wait", in minutes, from one minute on), that it
// is locked to a thread ("locked"), its synctest bubble ("bubble"), the
// function that started it ("created_by"), and labels of the program where the
// dump has them. A frame printed without arguments was inlined, and is part of
// its caller's location. Text around the goroutines is passed over.
//
// (The dump of debug=1 is the same text as that of the other kinds of profile,
// and package legacy reads it.)
//
// It misleads where the runtime does: the dump leaves out the runtime's own
// frames, prints the innermost and outermost 50 of a deep stack (the place
// between them is marked by a frame named [frames elided]), and stops after
// 64 MiB, which a warning says where it is seen.
package goroutines
