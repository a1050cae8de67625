// Package densemap is the rule that finds maps whose keys could be indices: all the
// elements of a collection, or the numbers from 0 to n-1.
//
// A lookup in a map hashes the key and compares control bytes and keys in a group of
// slots somewhere else in memory; an index is an addition and one load. The rule finds
// the lines of the user's own code at which the runtime's map functions run, and reads
// in the package's source which map that is and whether it is filled with every key.
//
// All of the map's CPU time is avoidable, and half of its memory: a slice needs the
// values of the slots too, but not the keys, control bytes, empty slots and outgrown
// tables.
//
// It misleads where the collection has few of all existing elements: a number in each,
// and a slice for all, may then take more memory than the map.
package densemap
