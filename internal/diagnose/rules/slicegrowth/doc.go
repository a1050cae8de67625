// Package slicegrowth is the rule that finds slices which append grows step by step
// although a loop determines their length.
//
// A full slice is copied into a block of up to twice the size, again and again: n
// elements take about log2(n) blocks, and most elements are copied more than once. The
// rule finds the statements of the user's own that call the runtime's growslice, and
// reads in the source whether the number of rounds of the surrounding loops is known
// beforehand.
//
// The outgrown blocks are avoidable, not the last one, which a slice of the right size
// needs too. The allocation profile has the block sizes; of CPU time, the copying is
// avoidable, and of the rest of growslice the same share as of the blocks.
//
// It misleads where slices of very different lengths grow at one place: a size at which
// more than a tenth of them ended counts as needed by all; in a sampled profile, one at
// which more than a tenth ended for certain. The savings of a filtering loop are
// unknown, so only its copying counts. If one of several statements allocates in other
// ways too, the profile does not separate its growth steps, and they do not count.
package slicegrowth
