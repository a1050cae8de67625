// Package sweep finds the settings of the collector that are worth choosing from: those
// that no other setting beats in both time and memory.
//
// Its input is a function that runs the program once with a setting of GOGC and
// GOMEMLIMIT and says how long that took and how much memory it had at most. There is
// neither a clock nor a process here.
//
// # Method
//
// The settings are a grid. In each round every setting is measured once, in an order drawn
// by lot, so that a drift of the machine and what runs beside hit all of them; a drift that
// repeated runs show is taken out of the times (package search). After three rounds the
// settings that no other one beats are the front: of time and memory by their estimates. Where
// the front bends most (farthest from the line between its ends, both figures on a
// logarithmic scale), the gaps to its neighbours are halved by new settings, which are
// measured as often as the others, until the budget is spent or a gap is narrower than a
// fifth.
//
// Worth choosing from are the settings of the front that differ: from the least memory on,
// each that is faster than the last one chosen by more than twice the standard error of the
// difference, from the deviations of all repeated runs about their settings' estimates.
//
// # When it misleads
//
// The time of a run is all of it, start-up included: what runs for milliseconds hardly
// collects. Peak memory is resident memory, which the runtime gives back late, so that
// of runs of one setting it varies more than the heap does. The front is one of this
// program with this input on this machine.
package sweep
