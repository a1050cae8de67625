// Package collectionpercall is the rule that finds maps, sets and lists that each call
// allocates, fills and drops.
//
// A map takes a header and a table, and further tables as it grows; a list takes a
// block for each doubling. The garbage collector has to find and free them before the
// next call allocates as much again. The rule determines which collections are
// allocated on the heap, checks in the package's source that none of them outlives the
// call, and checks in the profile that they are allocated repeatedly.
//
// All of the memory is avoidable, and the CPU time in which the runtime allocates it
// and moves elements into larger blocks. Lookups remain if the map is reused and
// cleared; for small sets they are avoidable too, because scanning a slice of at most
// eight elements is faster than hashing.
//
// It misleads where calls are few and each allocates very much: keeping that memory
// between them may cost more than it saves.
package collectionpercall
