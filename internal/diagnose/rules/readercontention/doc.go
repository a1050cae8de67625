// Package readercontention is the rule that finds readers that contend for a
// sync.RWMutex.
//
// RLock and RUnlock add to one counter, whose cache line moves from processor to
// processor with each of them: readers never wait for each other, but still slow each
// other down. No profile of waits shows that; the CPU profile has it in the two
// functions themselves.
//
// It reports nothing unless the source shows that all of them read under one lock, and
// it cannot tell how long the two functions would take for a single reader: some 10 ns
// of each pair remain until the lock is removed.
package readercontention
