// Package sched answers what an execution trace says of scheduling and waiting:
// how long the goroutines of each start function ran, waited for a processor
// and were blocked, and where; who ended whose wait; what the collector
// stopped; how long tasks and regions took.
//
// A goroutine's states sum to its life within the trace, a processor's running
// and idle time to the trace's span. The blocking profiles ([Blocking]) follow
// go tool trace -pprof, whose figures they equal: what a goroutine waited
// before it ran for the first time in the trace is left out there, and in the
// sums of states it is in.
//
// It misleads where the trace does: a wait that began before the trace has no
// reason unless a generation states its stack, and a thread that the operating
// system does not schedule runs for the trace.
package sched
