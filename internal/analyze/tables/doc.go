// Package tables compares benchmark results in files.
//
// It answers the same questions as benchstat: what is the middle of each
// benchmark's measurements, how certain is it, and which columns differ from the
// first. Its input is the Go benchmark format
// (https://go.dev/design/14313-benchmark-format); the expressions of
// golang.org/x/perf/benchproc/syntax filter the results and sort them into
// tables, rows and columns.
//
// Methods are those of golang.org/x/perf/benchmath, so that every figure but one
// equals benchstat's: the median with an interval from order statistics; the
// Mann-Whitney U-test between a cell and the first of its row; geometric means of
// medians and of their ratios; units with "assume=exact" by their most frequent
// value, without a test. Beyond benchstat:
//
//   - The p-values of all tests of one run are adjusted together, by Holm's
//     method (package stat). Two samples with a single common value give p = 1 in
//     any order: such a test can reject nothing, and does not count (R. E.
//     Tarone, Biometrics 46 (1990), 515–522).
//   - A difference may be significant and too small to matter: Options.Margin
//     marks those by the ratio of the medians.
//   - Invalid input is an error, with file and line. A benchmark whose line is
//     broken would otherwise look like one that did not run.
//
// It misleads if the files were measured one after the other: if the machine
// changed in between, all columns differ, and no test over the values can tell.
// Package prove alternates for that reason. A median of few runs is itself
// uncertain, and "no difference found" is not "no difference".
package tables
