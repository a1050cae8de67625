// Package search measures at one level after the other, for whoever looks for a
// level: the knee of a service among concurrencies and rates, or the best setting of
// a collector.
//
// Its input is a function that measures a level for a while, and a budget of time.
// It keeps the levels with all their runs, says by how much the figures of one level
// vary (package capacity says how), takes a drift of the machine out of them
// (drift.go), and tells how much time is left. Which level comes next, and when that
// is enough, is its caller's to decide. There is neither a clock nor a network here.
//
// It misleads where a run takes much longer than the ones before: what the budget
// still has room for is judged by those.
package search
