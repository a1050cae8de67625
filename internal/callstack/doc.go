// Package callstack answers where a profile's samples fall: which functions and
// lines they end in (flat), and which they pass through (cum).
//
// Its input is a [Profile]: samples in columns of a few bytes each, built by a
// [Builder] from any profile format and read in order. [Frames] are its locations
// with inlined calls expanded, for questions about functions and lines. Flat and cum
// follow pprof: flat counts a sample at its leaf frame; cum counts it once for every
// distinct key on its stack, however often recursion repeats the key. Inlined frames
// are frames of their own.
//
// It misleads if a sample type is a rate that the format's reader did not scale up,
// and if the recorder truncated stacks: cum of the functions near the root is then
// too low.
package callstack
