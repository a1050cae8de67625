// Package collectorassists is the rule that finds requests that assist the garbage
// collector: while it marks, a goroutine that allocates more than its share has to mark
// memory itself before it gets more.
//
// The execution trace shows how long requests did that, and the CPU profile at which
// statements: in runtime.gcAssistAlloc, below the allocating call. Only the request
// pays for assists, unlike for the garbage collector's own workers, which run
// concurrently.
//
// It misleads where requests were few: a cycle that fell into three of them says little
// about the others.
package collectorassists
