// Package exectrace reads execution traces: what runtime/trace, go test
// -trace, /debug/pprof/trace and the flight recorder write.
//
// [Read] hands out the events in batches: what each goroutine and processor goes over to
// and why a goroutine waits, the collector's ranges, the heap's size, tasks, regions
// and logs, and CPU samples where a CPU profile ran beside the trace. They come in
// one order that agrees with the trace's own rules of what precedes what, at
// times that rise; each goroutine's changes join up, so that its states cover
// its life without gap or overlap. Order, times and everything else are those of
// golang.org/x/exp/trace, which tests hold it against event by event.
//
// A trace of Go 1.22 and newer consists of generations of about a second each. A
// generation stands for itself: it states what lives and numbers its own
// stacks and strings. Hence several are read side by side, each thread's batches
// as they are needed, and what is held at once is some of the largest generation's
// tables, 2 MB of events for each that is read ahead, and one record for each
// goroutine that lives. What can be added up of generations, [ReadParts] reads without
// handing events from one thread to another. Traces of Go 1.11 to 1.21 are read with x/exp/trace.
//
// Of a trace that is cut off, every batch before the cut is read, though the
// stacks of the last generation, which come at its end, are missing. Where
// damage or a cut took events, the goroutines they concern go over to what the next
// event implies. [Summary.Warnings] says all of it.
//
// It misleads where the trace does. A goroutine that waits since before the
// trace began has no reason for it, and a stack only if it waits to the end of
// a generation. The times of different processors come from their own clocks;
// where these disagree the reader moves events by nanoseconds, so that causes
// precede effects. Stacks are cut at 128 frames: the root of deeper ones is
// missing ([Stack.Cut]).
package exectrace
