// Package idlebehindlock is the rule that finds a lock which leaves processors idle:
// goroutines wait for it, and a processor has nothing to run.
//
// The mutex profile shows that goroutines wait; only the execution trace shows that a
// processor was idle meanwhile. For each waiting place the rule adds up the time in
// which at least one goroutine waited there and at least one of GOMAXPROCS processors
// was idle, each moment once.
//
// It misleads on a machine that is busy with other work: a thread that the operating
// system does not run keeps its processor, so that fewer seem idle.
package idlebehindlock
