// Package collectionpercall is the rule that finds maps, sets and lists that a
// call makes, fills and drops, and the next one makes again.
//
// A map takes a header and a table, and tables again as it grows; a list takes a
// block for each doubling. What a call drops the collector has to find and free
// before the next call takes as much. The rule asks which collections take memory
// on the heap, reads in the source of the package that nothing of them is left
// when the call is over, and asks the profile whether they are made again and
// again.
//
// Of memory all is avoidable; of CPU time what the runtime takes memory with and
// moves into larger memory. Looking into a map stays where the map is kept and
// cleared; of small sets it goes too, as a slice of at most eight elements is
// looked through faster than it is hashed.
//
// It misleads where calls are few and each makes very much: keeping that memory
// between them may cost more than it brings.
package collectionpercall
