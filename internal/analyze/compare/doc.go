// Package compare judges two sides by measurements that were taken in turns.
//
// It answers: is new faster than old, by what ratio, and how sure is that. Its
// input are rounds, of benchmarks, of commands or of services under load; each
// has one turn or several, a turn one slice of old, one of new and one more of
// either, drawn by lot, every slice a process of its own, run one after the other
// in an order drawn by lot. A slice has a figure for each metric. The round is the
// unit: its slices share the layout of the code, as iterations inside a process
// share its memory and its cache, and count as one observation however many they
// are.
//
// # Figures
//
// Of each round and metric the difference log(old) − log(new) is taken: the
// median over all pairs of a slice of either side, which a disturbed slice hardly
// moves; of counts the mean, as what the median of whole numbers stands for is
// not known. For rates, of which more is better, it is log(new) − log(old), so
// that above 0 is faster everywhere. As order and doubled side are drawn by lot, the difference of two equal sides is as likely to be d as −d, whatever the
// distribution of times, whatever drifts, and whatever the layout of the code
// does, as long as each round has its own. Wilcoxon's signed-rank test supposes
// exactly this and nothing else. The ratio shown is the Hodges–Lehmann estimate,
// the interval what the test does not reject (package stat has both, their
// sources, and what becomes of ties and zeros).
//
// # Looks
//
// The rounds of a run are fixed before the first. The figures are judged after
// all of them, and after half, a quarter and so on where a verdict is possible;
// what has its verdict is measured no more. A look k spends the share
// w(k) = s·(n(k) − n(k−1))/n of the error, n(k) being its rounds, n the planned
// ones and s the share of the run (K. Kim and D. L. DeMets, Biometrika 74 (1987),
// 149–154, with ρ = 1). s is 0.8 for the first run of a question, 0.16 for the
// second, 0.032 for the third: each pools its rounds with those of the runs
// before, and whoever asks again until the answer pleases has spent alpha once.
// The p-value of a row is the smallest p(k)/w(k) of the looks so far, and is valid
// whenever it is read: no joint distribution is assumed, the looks' errors are
// added up. A run that ends early, by budget or by hand, has its last look there
// with all that is left. That is allowed as long as its end does not depend on
// the figures; what a round takes is the same whichever of its slices is called
// old.
//
// # Verdicts
//
// "The sides are equal" is tested for every row, and Holm's procedure runs over
// all rows of the run, as many as were planned, at alpha: what it rejects is
// "faster" or "slower". "They differ by the margin or more" is tested by two
// one-sided tests (D. J. Schuirmann, Journal of Pharmacokinetics and
// Biopharmaceutics 15 (1987), 657–680), with a Holm procedure of its own: what it
// rejects is "no change". Both at once is "no change", of a ratio whose interval
// excludes 1 and lies within the margin. Neither is "cannot tell", with the
// rounds that a verdict would take, where they can be estimated (needed.go). What
// came first stays: a verdict is not withdrawn by later looks.
//
// The interval shown is that of the level which the row's test had to pass, so
// that verdict and interval never contradict each other (verdict.go says how, and
// what all intervals of a run promise together: less than each of them).
//
// Counts (bytes and allocations per operation) are whole numbers, as package
// testing rounds them down, and usually do not vary at all. Where each side
// shows one value in every slice, in so many rounds that this is no chance, the
// interval is that of the rounding, and nothing is tested; where a count varies
// it is treated like a time, with the smallest and the largest ratio that each
// round may stand for. Where the rounding leaves the verdict open, the other
// count may settle it; counts.go says when. "No change" of a small count then
// stands beside an interval that is wider than the margin, and "faster" beside
// one that touches 1.
//
// The slices of the doubled side against each other show the noise: what this
// machine makes of equal things, in the same rounds.
//
// # When it misleads
//
// When the benchmark does not resemble the program's work. Where all rounds have
// one code layout: then the two layouts are compared with the change, and a tight
// loop may move by some percent (T. Mytkowicz et al., "Producing Wrong Data
// Without Doing Anything Obviously Wrong!", ASPLOS 2009). Where rounds depend on
// each other in their difference, as when one side leaves something behind that
// the next round's finds: the lot breaks every such tie but a cache outside of
// the processes. The error alpha is that of the run; who proves a hundred changes
// will be wrong about some. And a ratio that was found at an early look is a
// little too far from 1 on average, as every estimate is that was kept because it
// was large; its interval is not touched by that.
package compare
