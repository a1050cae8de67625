// Package markedpointers is the rule that finds the many small objects, full of
// pointers, that the collector goes through again and again.
//
// It reads how much of the CPU time the collector's own goroutines take, and the newest
// heap profile for where the objects that were alive were allocated. What they are the
// types of the source say: only values with pointers are gone through.
//
// It misleads where the collector runs often because much is allocated while little is
// alive elsewhere: then fewer allocations help as much. It claims the statement's part
// of the objects of the collector's time; large objects take longer than small ones.
package markedpointers
