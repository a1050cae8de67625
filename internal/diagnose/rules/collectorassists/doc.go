// Package collectorassists is the rule that finds requests that work for the collector:
// while it marks, a goroutine that allocates more than its share has to mark itself,
// before it gets the memory.
//
// The execution trace has for how long requests did that, and the CPU profile at which
// statements: in runtime.gcAssistAlloc, below what allocates there. Nobody else pays
// for it, unlike for the collector's own workers, which run beside.
//
// It misleads where requests were few: a cycle of the collector that fell into three of
// them says little of the others.
package collectorassists
