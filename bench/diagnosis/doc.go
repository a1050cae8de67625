// Command diagnosis asks whether whet names the place that a speed-up changed.
//
// A case of cases.json is one commit of a public module that made something
// faster or leaner, by its author's words and measurements: the version before
// it, a benchmark of the author's that runs what the commit changed (or a
// program or a service of the module with an input), and the lines that the
// commit changed, as they stand in the version before. A case of kind "tuned"
// is a package known for its care, of which nothing should be claimed.
//
// For each case it fetches the version before through the Go module proxy,
// works on a copy, lets whet tune record it, and judges what whet diagnose
// says of the recording:
//
//   - A place of hot_places is right if its line, or one of the lines of an
//     entry of several, lies in a range of the case, file included. A range is
//     a run of lines that the commit's hunks removed or replaced, those between
//     two hunks a few lines apart included; the lines that a hunk stands between
//     where it only added some; and the whole function where the commit
//     changed half of its lines, took it out of use or keeps what it returned.
//   - "First" and "among three" count entries of hot_places from the top.
//   - An outcome "floor" or "spread" is wrong for every case that is not tuned.
//   - A finding of a tuned package that says what to do is a remedy claimed.
//   - Too few samples, or a recording that is not valid, is no answer: such a
//     case counts as missed until it is recorded again.
//
// Beside whet stands a script's answer over the same CPU profile: the
// innermost line of the module's own code, tests apart, with the most CPU time.
//
// It misleads where a release mended two faults of one benchmark and the case
// knows only one of them: whet may name the other, rightly. Cases name the
// places of every commit of the release that the benchmark shows. Whether a
// place is the right one was judged by hand; the case says why ("judged").
//
// Modules are only taken where the SHA-256 of the module path begins with a
// hexadecimal digit from 0 to 7; the rest is for those who judge whet by cases
// of their own. Nothing of the modules is in this repository.
package main
