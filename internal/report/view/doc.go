// Package view prints a profile: which functions cost most (top), through which
// calls (tree, peek, the call graph as DOT, as a picture and as a page), for which labels (tags), on which
// lines and instructions (list, weblist, disasm), and sample by sample (stacks,
// raw).
//
// Input is a selection, what the options of a view leave of a profile; output
// is text in the layout of `go tool pprof`, equal to its own to the byte, and a
// JSON document for scripts, whet/<verb>/1, with units in the names of keys.
//
// Where the texts differ from pprof's, on purpose:
//
//	names, labels, comments   are whatever a profile's author wrote: control characters, line
//	                          ends and characters that reorder text are shown as escapes
//	warnings                  come first; pprof prints them elsewhere, or not at all
//	lines of equal weight     pprof leaves their order to chance where neither weight nor name
//	                          decides (v and -v in a difference, files of which several
//	                          functions have nodes); here it is always the same
//	numbers of locations      in raw are those of their first use, leaf first, as Go's runtime
//	                          and pprof's own merges number them; a file that numbers them
//	                          otherwise does not show its own
//	list with -mean           prints means; pprof prints sums there, alone of its texts
//	lines outside of a list   those after the end of the file, or before the function, are
//	                          listed; pprof leaves them out, and its lines do not add up
//	a disasm's last line      pprof takes a function's last byte for its end, so that it loses
//	                          the last instruction or sees half of it
//	source in disasm          stands after the place; without source the text is pprof's
//	weblist                   shows inlined calls, of which go tool pprof knows none in a binary,
//	                          stripped programs, too, and whole functions, where pprof shows
//	                          what lies around samples; a sample counts once for a line or
//	                          function that calls itself
//
// The call graph's picture says what pprof's says, laid out by package layered
// without a program to be installed; how its DOT differs stands in its test.
//
// A view misleads where values of a difference cancel, and where what was
// dropped below a share of the total adds up: the head says how much of the
// total is shown and how many nodes are not.
package view
