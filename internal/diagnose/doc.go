// Package diagnose answers what to change in a program, and how much could be
// gained at most: it applies rules to the profiles, the source and the typed
// calls of each benchmark, of a program or of a service under load, and weighs
// their claims. The verdict names in one line the work or the wait that takes the
// time; it also uses the requests' traces, the control group and the load generator,
// if they were recorded.
//
// A [Rule] is documented data with a function. It reads a [Subject] and makes
// claims: each names a statement of the user's own, its samples in each profile, and
// the part of them that the remedy removes. The runner ([Run]) computes
// every figure from those sets of samples, so that no rule invents one:
//
//	cpu_ratio         = cum of the place / all base samples of the CPU profile
//	alloc_bytes_ratio = the same of allocated bytes
//	delay_ratio       = d / (d + c), d the place's mutex delay and c the base's
//	                    CPU time, both in nanoseconds and per iteration
//	ceiling_ratio     = 1 / (1 − max(avoidable_cpu_ratio, wait)), at most 100
//
// where avoidable_cpu_ratio is the part of cpu_ratio that the remedy removes, and
// wait the part of the time that waiting takes, by the execution trace or the block
// profile if they show it, or else by the mutex profile: for a benchmark the
// delay_ratio; for a service the place's delay for each request, divided by
// the mean service time (64 requests that wait at once delay each other by far
// more than any of them takes); for a program 0, since its goroutines wait
// concurrently. If unknown, it is 0 too.
//
// Work done while a lock is held takes over that lock's delay: see
// Claim.Held.
//
// Base is the measured code as package hot defines it. A claim becomes a
// finding if its avoidable part reaches [Threshold] of any of the three.
//
// It misleads where base is unknown (the benchmark's source is missing, so
// that set-up counts as base), where samples are few (each rule has a minimum,
// and reports no CPU time below it), and where a statement that a profile
// names by its line shares that line with another.
package diagnose
