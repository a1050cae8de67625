// Package selection answers which part of a profile a view is about: which of
// its samples, which frames of their stacks, under which name each frame is
// counted, and with which value.
//
// Its input is one or several [callstack.Packed] and the [Options] that users
// know from pprof; options mean what they mean there, and they are applied in
// the order in which pprof's driver applies them, because the figures depend
// on it. Its output is a [Selection]: the table of nodes, the total that
// percentages are of, and any number of [Walk]s over the samples that are left.
//
// What an option says of a place in the program is decided once for each
// location, what it says of labels once for each distinct set of them. A walk
// only looks these decisions up, and only for the part of a stack in which it
// differs from the one before.
//
// It misleads where pprof does: an expression that hides frames matches file
// and mapping names too; a numeric label is compared in the first unit that
// occurs for its key; with several values for one key, any of them will do.
package selection
