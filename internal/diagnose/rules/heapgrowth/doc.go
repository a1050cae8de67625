// Package heapgrowth is the rule that finds a live heap that grows with every
// operation.
//
// It reads the size of the live heap over the run, and two heap profiles, one from
// early in the run and one of its end. The live heap must rise from the beginning to
// the end and still do so at the end; the difference of the profiles shows the added
// objects, and where they were allocated. Both are required: garbage that is not
// collected yet is in no heap profile, and a cache that has filled up grows no more.
//
// No profile shows what references the memory. If the allocating statement stores it in
// a map, a slice or a variable, the source does; elsewhere it is unknown.
//
// It misleads where a program fills a table that it needs, which looks like one that
// forgets to remove entries; and heap profiles are samples, of one allocation in 512
// KiB.
package heapgrowth
