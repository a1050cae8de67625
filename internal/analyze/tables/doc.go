// Package tables compares benchmark results that stand in files.
//
// It answers what benchstat answers: what is the middle of each benchmark's
// measurements, how sure is it, and which of the columns beside the first
// differ from it. Its input is the Go benchmark format
// (https://go.dev/design/14313-benchmark-format); results are filtered and
// sorted into tables, rows and columns by the expressions of
// golang.org/x/perf/benchproc/syntax.
//
// Methods, all of them those of golang.org/x/perf/benchmath, so that every
// figure is benchstat's but for one: the median with an interval from order statistics;
// the Mann-Whitney U-test between a cell and the first of its row; geometric
// means of medians and of their ratios; units with "assume=exact" by their
// most frequent value, without a test. Beyond benchstat:
//
//   - All tests of one run are read together, so their p-values are adjusted by
//     Holm's method (package stat). Two samples that hold one value between
//     them give p = 1 however the runs fell: such a test can reject nothing,
//     and the others need not pay for it (R. E. Tarone, Biometrics 46 (1990),
//     515–522).
//   - A difference may be significant and too small to matter: Options.Margin
//     marks those by the ratio of the medians.
//   - What cannot be read is an error, with file and line. A benchmark that is
//     missing because its line was broken looks like one that nobody ran.
//
// It misleads when the files were measured one after the other: a machine that
// changed in between makes all columns differ, and no test over the values can
// tell. Package prove takes turns for that reason. A median of few runs is
// itself uncertain, and "no difference found" is not "no difference".
package tables
