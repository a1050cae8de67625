// Package heapgrowth is the rule that finds memory that is kept: live heap that
// grows with every operation.
//
// It reads how much was alive all along, and two heap profiles, one from early
// in the run and one of its end. What is alive must rise from the beginning to
// the end and still do so at the end; the difference of the profiles says what
// is alive now and was not before, and where it was allocated. Both have to be
// so: garbage that nobody has collected yet is in no heap profile, and a cache
// that has filled up rises no more.
//
// What holds the memory no profile says. Where the statement that allocates it
// stores it in a map, a slice or a variable, the source does; elsewhere it is
// not known.
//
// It misleads where a program is filling a table that it needs, which looks as
// one that forgets to remove what it no longer needs; and heap profiles are
// samples, of one allocation in 512 KiB.
package heapgrowth
