// Package selection answers which part of a profile a view is about: which of
// its samples, which frames of their stacks, under which name each frame is
// counted, and with which value.
//
// Its input is one or several [callstack.Profile] and the [Options] that users
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
// What is decided differently from pprof, on purpose:
//
//   - Bad expressions in a profile's own drop_frames are a warning; pprof keeps
//     silent and drops nothing.
//   - A -prune_from that matches nothing is a warning, as it is for the other
//     expressions. "Nothing" means no location that a sample has.
//   - A number of more than 64 bits in -tagfocus is an error; pprof panics.
//   - A single profile with two sample types of one name keeps both; pprof drops
//     them.
//   - Of several profiles of different sample types, one whose default is a type
//     that it does not have counts as if it had named its last.
//   - A mapping whose file is a URL keeps its name.
//
// It misleads where pprof does: an expression that hides frames matches file
// and mapping names too; a numeric label is compared in the first unit that
// occurs for its key; with several values for one key, any of them will do.
package selection
