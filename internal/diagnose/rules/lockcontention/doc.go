// Package lockcontention is the rule that finds a lock for which goroutines wait so
// often and so long that it limits the program, whatever the work under it.
//
// The mutex profile charges the delay of waiting goroutines to the stack that unlocks.
// The critical sections are those that package lockheld finds in the source: if
// logging, encoding or I/O is to blame, its rule takes precedence at the same place. A
// lock without a critical section in the available source, such as one inside a
// library, is charged to the innermost line of the user's own code.
//
// It decides by the number of waits and by their part of a request's or an operation's
// time, and by no CPU sample. The wait depends on how many goroutines run at once: the
// finding gives the number of processors.
//
// It misleads where workers take turns at a scarce resource, which the source does not
// show.
package lockcontention
