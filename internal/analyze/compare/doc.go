// Package compare judges two versions of a benchmark by measurements that were
// taken in pairs.
//
// It answers: is new faster than old, by what ratio, and how sure is that.
// Its input are rounds; each holds one slice of old, one of new and one more of
// old, every slice a process of its own, run one after the other in an order
// drawn by lot. The pair of processes in one round is the unit: iterations
// inside a process share its memory layout, its scheduling and its cache, and
// count as one observation however many they are.
//
// Times: the estimate is the median of the paired ratios old/new with the
// order-statistic interval of package stat, at confidence 1 − alpha/m where m
// is the number of rows, three for each benchmark (Bonferroni), so that all
// intervals of a run hold together with probability 1 − alpha, whichever of
// the counts turn out to vary. Because the
// order is drawn by lot, old and new of equal speed are exchangeable, and the
// chance that any equal benchmark is called different is at most alpha,
// whatever the distribution of the times.
//
// Verdicts: "faster" when the whole interval lies above 1, "slower" when below;
// else "no change" when it lies within the margin around 1, that is in
// [1/(1+margin), 1+margin]; else "cannot tell". WithinMargin says of any verdict
// that the whole interval lies within the margin: a difference that is
// there, and that hardly matters.
//
// Counts (bytes and allocations per operation) are whole numbers, as package
// testing rounds them down, and usually do not vary at all. Where each side
// shows one value in every round, provided that so many rounds cannot fall
// apart by chance (stat.SeparationP), the interval is that of the rounding; where
// a count varies it is treated like a time, with the rounding added. Where the
// rounding leaves the verdict open, the other count may settle it; counts.go says
// when.
//
// The second slice of old shows the noise: old against itself, measured the
// same way. When even that interval excludes 1 the machine treats equal
// things unequally and no verdict on time is given.
//
// It misleads when the benchmark does not resemble the program's work, and
// where the two binaries differ in more than the change: another layout of the
// code alone can move a tight loop by some percent (T. Mytkowicz et al.,
// "Producing Wrong Data Without Doing Anything Obviously Wrong!", ASPLOS 2009).
package compare
