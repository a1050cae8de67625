// Package mix is what bench/proof measures: benchmarks of eight kinds in
// two sizes, each of which does a number of equal units of work in an operation.
//
// It answers nothing by itself. The suite copies its files into modules of
// their own and plants a slowdown by changing the number of units: 103 units
// instead of 100 take 3 % more time, whatever a unit costs on the machine, and
// nothing else in the code differs. What an operation does besides its units
// is the step of the loop around them, a nanosecond or two of some microseconds
// at least.
//
// It misleads where a unit's cost depends on how many there are in an
// operation: then 103 units are not 3 % more time. Nothing here keeps anything
// from one unit to the next but the place it has come to.
package mix
