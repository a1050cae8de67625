// Package view prints a profile: which functions cost most (top), through which
// calls (tree, peek, the call graph as DOT), for which labels (tags), on which
// lines and instructions (list, weblist, disasm), and sample by sample (stacks,
// raw).
//
// Input is a selection, what the options of a view leave of a profile; output
// is text in the layout of `go tool pprof`, equal to its own to the byte, and a
// JSON document for scripts, whet/<verb>/1, with units in the names of keys.
//
// Names, labels and comments of a profile are whatever its author wrote. In
// texts their control characters, line ends and characters that reorder text
// are shown as escapes; that, and warnings printed first, is where the texts
// differ from pprof's.
//
// A view misleads where values of a difference cancel, and where what was
// dropped below a share of the total adds up: the head says how much of the
// total is shown and how many nodes are not.
package view
