// Package search measures levels one after the other for a search: for the knee of a
// service among concurrencies and rates, or for the best setting of a collector.
//
// Its input is a function that measures a level for a period, and a budget of time.
// It keeps the levels with all their runs, estimates the variation of a level's
// figures (see package capacity), corrects for the drift of the machine (drift.go),
// and tells the time left. The caller chooses the next level and the end. It has
// neither a clock nor a network.
//
// It misleads if a run takes much longer than those before: the estimate of the runs
// that fit into the budget rests on them.
package search
