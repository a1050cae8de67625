// Package trace prints the analysis of an execution trace as text and as JSON:
// waiting, processors, the collector, and tasks.
//
// Its input is the result of package analyze/sched. Text and JSON have the same
// figures; text shows the first rows of each table and the number of all rows.
//
// It misleads about a partial trace, of which a warning stands above all tables, and
// about a selection of goroutines: processors and the collector are always those of
// the whole process.
package trace
