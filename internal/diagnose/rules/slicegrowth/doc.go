// Package slicegrowth is the rule that finds slices which append grows step by
// step although a loop says how many elements they will have.
//
// A slice that is full is copied into a block of up to twice the size, again
// and again: for n elements about log2(n) blocks are allocated and most
// elements copied more than once. The rule asks which statement of the user's
// own the runtime's growslice is called by, and reads in the source whether the
// rounds of the loops around it are known before the first.
//
// The avoidable part is the blocks that were given up for larger ones, not the
// last one, which a slice of the right size needs too. Block sizes are in the
// allocation profile; of CPU time, the copying is avoidable, and of the rest of
// growslice the same share as of the blocks.
//
// It misleads where slices of very different lengths grow at one place: sizes
// that more than a tenth of them ended with count as needed by all; of a
// sampled profile, those that more than a tenth ended with for certain. What a
// filtering loop would save is not known, so that only its copying counts.
// Where one statement of several allocates in other ways too, the profile does
// not tell its steps of the growth apart, and they are not counted.
package slicegrowth
