// Package flamegraph answers which call paths a profile's value went through:
// a tree of frames, the root on one side, each as wide as what its samples
// hold.
//
// Input is a selection of samples (package selection), or of a
// profile with frames. Samples with a common beginning of their paths share its
// frames; a frame's value is the sum of the samples through it (its cum), and
// what its children do not hold is its own (its flat). Gregg, "The Flame
// Graph", CACM 59(6), 2016, is where the picture comes from.
//
// A frame below 1/[Options.Parts] of the root is not drawn: it and all above it
// are counted in a block of its caller, with their number and their value. So
// nothing disappears, and sums are exact.
//
// Two values stand on every frame. Value is what it gained or holds, Base what
// stands against it: the profile that is compared with ([Diff]), or, within one
// selection, samples with negative values, as differences of profiles have
// them. The change is Value − Base, and the width Value + Base: never negative,
// and a frame that has vanished is as wide as what it held.
//
// # When it misleads
//
// Widths are sums over all samples: a frame that is wide in no single place may
// be the sum of thousands ([Sandwich] and the reversed graph bring them
// together). The order of siblings says nothing about time. In a profile of
// many different stacks the numbers of frames in the blocks are estimates
// ([Graph.Estimated]): within a thousandth in sum. Means do not add up: for a
// selection of means the widths are their sums.
package flamegraph
