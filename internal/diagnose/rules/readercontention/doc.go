// Package readercontention is the rule that finds readers of a sync.RWMutex that pay
// for each other.
//
// RLock and RUnlock add to one counter, so that its line of memory goes from
// processor to processor with each of them: readers never wait for each other, and
// slow each other down all the same. No profile of waits shows it; the CPU profile
// has it in the two functions themselves.
//
// It says nothing where the source does not show that all of them read under one
// lock, and it cannot tell what the two functions would cost a lone reader: some
// 10 ns of each pair stay what they are until the lock goes.
package readercontention
