// Package metrics reads the rows that a measured program writes about itself
// ten times a second: what runtime/metrics says, and the process's own use of
// the machine.
//
// A row is one JSON object on a line of its own. Counters run since the process
// began; a reader takes differences. A key that is missing or null is unknown,
// not zero: a program that serves net/http/pprof alone tells little of this.
//
// It misleads where a process was restarted between two rows: counters then run
// backwards, which Read reports and Split cuts at.
package metrics
