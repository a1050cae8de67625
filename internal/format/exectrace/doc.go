// Package exectrace reads execution traces: what runtime/trace, go test
// -trace, /debug/pprof/trace and the flight recorder write, in the format of
// Go 1.22 and newer.
//
// [Read] hands out one event after the other: what each goroutine goes over to
// and why it waits, the collector's ranges, and CPU samples where a CPU profile
// ran beside the trace. Equal stacks are one [Stack]. The events come in one
// order that agrees with the trace's own rules of what precedes what, at times
// that never fall; each goroutine's changes join up, so that its states cover
// its life without gap or overlap.
//
// The decoding is golang.org/x/exp/trace's, and nothing of its types is seen
// from outside. It works by generations of about a second and needs each whole:
// of a trace that is cut off or damaged, what stands before the last whole
// generation is read, and [Summary.Warnings] says that the rest is missing.
// A trace of under a second has one generation, and is lost when it is cut.
//
// It misleads where the trace does. A goroutine that waits since before the
// trace began has no reason for it, and a stack only if it waits to the end of
// a generation. The times of different processors come from their own clocks;
// where these disagree the reader moves events by nanoseconds, so that causes
// precede effects. Stacks are cut at 128 frames: the root of deeper ones is
// missing ([Stack.Cut]).
package exectrace
