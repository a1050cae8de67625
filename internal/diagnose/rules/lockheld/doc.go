// Package lockheld is the rule that finds a sync.Mutex or RWMutex held across work that
// needs no lock: I/O, logging, encoding and formatting.
//
// The mutex profile charges the delay of waiting goroutines to the stack that unlocks,
// so every sample leads to an Unlock. The source shows which Lock it belongs to and
// which statements run in between: the rule follows the critical section statement by
// statement, through branches, early unlocks, deferred ones, and a pair of helper
// methods. The calls on those lines, followed through the program's own functions, show
// the kind of work, and the samples of the CPU profile on these lines its amount.
//
// It misleads where one line has both the lock and other work, where one function locks
// and another unlocks other than by such a pair, and where a call on the held lines
// seldom runs while something else there blocks: with few CPU samples under the lock
// its confidence is lower.
package lockheld
