// Package metrics reads the rows that a measured program writes about itself ten
// times a second: values of runtime/metrics and the process's own use of the
// machine.
//
// A row is one JSON object on one line. Counters run since the process began;
// readers take differences. A key that is missing or null is unknown, not zero: a
// program with net/http/pprof alone reports few of them.
//
// It misleads about a process that restarted between two rows: its counters run
// backwards. Read reports such a restart, and Split cuts the rows there.
package metrics
