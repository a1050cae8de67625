// Package idlebehindlock is the rule that finds a lock which leaves processors without
// work: goroutines wait for it, and a processor has nothing to run.
//
// The mutex profile says that there is waiting; only the execution trace says that
// nothing else was done meanwhile. For each place that waits it has the time in which
// at least one goroutine waited there and at least one of GOMAXPROCS processors was
// idle, each moment once.
//
// It misleads on a machine that is busy with other work: a thread that the operating
// system does not run has its processor all the same, so that less seems idle.
package idlebehindlock
