// Package trace prints what an execution trace says: of waiting, of processors, of the
// collector, of tasks, as text and as JSON.
//
// Its input is the result of analyze/sched. Text and JSON hold the same figures; text
// shows the first rows of each table and says how many there are.
//
// It misleads where a trace is partial: then a warning stands before all tables, and
// where only some goroutines were asked for: processors and the collector are always
// those of the whole process.
package trace
