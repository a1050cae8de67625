// Package lockheld is the rule that finds a sync.Mutex or RWMutex held across
// work that needs no lock: I/O, logging, encoding and formatting.
//
// The mutex profile charges the delay of those who wait to the stack that
// unlocks, so every sample leads to an Unlock. The source says which Lock it
// belongs to and which statements run in between: the critical section is
// followed statement by statement, through branches, early unlocks, deferred
// ones, and a pair of helper methods. The calls on those lines, followed
// through the program's own functions, say what is done there, and the samples
// of the CPU profile that pass through the lines how much of it.
//
// It misleads where one line holds both the lock and work beside it, where a
// lock is handed from one function to another other than by such a pair, and
// where a call on the held lines is one that seldom runs while something else
// there blocks: with few CPU samples under the lock it says so by its
// confidence.
package lockheld
