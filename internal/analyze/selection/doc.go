// Package selection answers which part of a profile a view shows: which samples,
// which frames of their stacks, the name under which each frame is counted, and
// its value.
//
// Its input is one or several [callstack.Profile] and the [Options] that users
// know from pprof; options have the same meaning, and are applied in the same
// order as in pprof's driver, because the figures depend on it. Its output is a
// [Selection]: the table of nodes, the total that percentages refer to, and any
// number of [Walk]s over the remaining samples.
//
// An option about a place in the program is decided once for each location, one
// about labels once for each distinct set of them. A walk only looks these
// decisions up, and only for the part of a stack that differs from the one
// before.
//
// It differs from pprof on purpose:
//
//   - An invalid expression in a profile's own drop_frames is a warning; pprof
//     ignores it and drops nothing.
//   - A -prune_from without a match is a warning, as for the other expressions.
//     "Without a match" means no location of a sample.
//   - A number of more than 64 bits in -tagfocus is an error; pprof panics.
//   - A single profile with two sample types of one name keeps both; pprof drops
//     them.
//   - Among several profiles of different sample types, one whose default is a
//     type that it does not have counts as if its default were its last.
//   - A mapping whose file is a URL keeps its name.
//
// It misleads where pprof does: an expression that hides frames matches file and
// mapping names too; a numeric label is compared in the first unit that occurs
// for its key; with several values for one key, any of them matches.
package selection
