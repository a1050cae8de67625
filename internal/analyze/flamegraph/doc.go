// Package flamegraph answers which call paths a profile's value went through: a
// tree of frames, the root on one side, each as wide as the value of its samples.
//
// Input is a selection of samples (package selection), or of a profile with
// frames. Samples with a common beginning of their paths share its frames; a
// frame's value is the sum of the samples through it (its cum), and the part that
// is not in its children is its own (its flat). The picture is that of Gregg,
// "The Flame Graph", CACM 59(6), 2016.
//
// A frame below 1/[Options.Parts] of the root is not drawn: it and all above it
// are counted in a block of its caller, with their number and their value. So
// nothing disappears, and sums are exact.
//
// Every frame has two values. Value is its gain or cost, Base the value on the
// other side: of the profile it is compared with ([Diff]), or, within one
// selection, of samples with negative values, as in differences of profiles. The
// change is Value − Base, and the width Value + Base: never negative, and a
// vanished frame is as wide as it was.
//
// # When it misleads
//
// Widths are sums over all samples: a function that is wide in no single place
// may be large in sum ([Sandwich] and the reversed graph combine its frames). The
// order of siblings says nothing about time. In a profile with many different
// stacks the numbers of frames in the blocks are estimates ([Graph.Estimated]):
// within a thousandth in sum. Means do not sum: for a selection of means the
// widths are their sums.
package flamegraph
