// Package goroutines reads goroutine dumps in the runtime's text format: from
// /debug/pprof/goroutine?debug=2, SIGQUIT, a panic, or runtime.Stack.
//
// [Read] makes one sample of each goroutine, with the sample type of the goroutine
// profile. Labels give its state ("state": "chan receive"), how long it has waited
// ("wait", in minutes, from one minute on), whether it is locked to a thread
// ("locked"), its synctest bubble ("bubble"), the function that started it
// ("created_by"), and the program's labels if the dump has them. A frame printed
// without arguments was inlined, and is part of its caller's location. Text around
// the goroutines is skipped.
//
// (The dump of debug=1 has the text format of the other kinds of profile, which
// package legacy reads.)
//
// It misleads where the runtime does: the dump omits the runtime's own frames,
// prints only the innermost and outermost 50 of a deep stack (a frame named [frames
// elided] marks the gap), and stops after 64 MiB, of which a warning tells.
package goroutines
