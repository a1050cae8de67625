// Package markedpointers is the rule that finds large numbers of small objects with
// pointers, which the garbage collector marks again and again.
//
// It reads the share of CPU time that the garbage collector's own goroutines take, and
// the newest heap profile, which shows where the live objects were allocated. The types
// in the source show what they are: only values with pointers are scanned.
//
// It misleads where the garbage collector runs often because much is allocated while
// little else is alive: then fewer allocations help as much. It claims the share of the
// garbage collector's time that the statement's objects have among all objects; large
// objects take longer than small ones.
package markedpointers
