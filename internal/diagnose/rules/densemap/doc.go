// Package densemap is the rule that finds maps whose keys could be indices: all
// the elements of a collection, or the numbers from 0 to n-1.
//
// A look-up in a map hashes the key and compares control bytes and keys in a
// group of slots somewhere else in memory; an index is an addition and one load.
// The rule asks in which lines of the user's own the runtime's maps work, and
// reads in the source of the package which map that is and whether it is filled
// with every key.
//
// The avoidable part is all the map's CPU time, and half of its memory: of a slot
// of a map the value is what a slice needs too, and keys, control bytes, empty
// slots and the tables that were outgrown are what it does not.
//
// It misleads where the elements of a collection are few of those that there are:
// a number in each, and a slice for all, may then take more memory than the map.
package densemap
