// Package sched analyzes scheduling and waiting in an execution trace: how long the
// goroutines of each start function ran, waited for a processor and were blocked,
// and where; which goroutine ended a wait; what the collector stopped; and how long
// tasks and regions took.
//
// A goroutine's states sum to its life within the trace, a processor's running and
// idle time to the trace's span. The blocking profiles ([Blocking]) equal those of
// go tool trace -pprof: they exclude a goroutine's waits before it first ran in the
// trace, which the sums of states include.
//
// It misleads where the trace does: a wait that began before the trace has no reason
// unless a generation states its stack, and a thread that the operating system does
// not schedule counts as running.
package sched
