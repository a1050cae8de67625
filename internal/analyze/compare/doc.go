// Package compare judges two sides by alternating measurements.
//
// It answers: is new faster than old, by what ratio, and how certain is that. Its
// input are rounds, of benchmarks, of commands or of services under load. A round
// has one turn or several; a turn is one slice of old, one of new and one more of
// either, chosen at random, every slice a process of its own, one after the other
// in random order. A slice has a figure for each metric. The round is the unit:
// its slices share the layout of the code, as iterations in a process share its
// memory and its cache, and count as one observation however many they are.
//
// # Figures
//
// Each turn and metric gives the difference log(old) − log(new), the mean over the
// pairs of a slice of either side: what disturbs a whole turn cancels. The round's is
// the Hodges–Lehmann estimate from its turns, which a disturbed turn hardly affects;
// for counts the mean over all pairs of the round, because the meaning of a median of
// whole numbers is not known. For rates, where higher is better, it is
// log(new) − log(old), so that above 0 is always faster. Because order and repeated side are random, the
// difference of two equal sides is as likely to be d as −d, whatever the
// distribution of times, the drift, and the effect of the layout, as long as each
// round has a layout of its own. Wilcoxon's signed-rank test assumes exactly this
// and nothing else. The ratio shown is the Hodges–Lehmann estimate, the interval
// contains the ratios that the test does not reject (package stat has both, their
// sources, and the treatment of ties and zeros).
//
// # Looks
//
// The number of rounds of a run is fixed before the first. The figures are judged
// after all of them, and after half, a quarter and so on if a verdict is
// possible; rows with a verdict are not measured further. A look k spends the
// share w(k) = s·(n(k) − n(k−1))/n of the error, with n(k) its rounds, n the
// planned ones and s the share of the run (K. Kim and D. L. DeMets, Biometrika 74
// (1987), 149–154, with ρ = 1). s is 0.8 for the first run of a question, 0.16
// for the second, 0.032 for the third: each pools its rounds with those of the
// runs before, and a user who repeats the question until the result pleases has
// spent alpha once. The p-value of a row is the smallest p(k)/w(k) of the looks
// so far, and is valid whenever it is read: no joint distribution is assumed, the
// errors of the looks are summed. A run that ends early, by budget or by
// interrupt, has its last look there with all the remaining error. That is
// allowed if its end does not depend on the figures; the duration of a round is
// the same whichever of its slices is called old.
//
// # Verdicts
//
// "The sides are equal" is tested for every row, and Holm's procedure runs over
// all rows of the run, as many as were planned, at alpha: a rejection is "faster"
// or "slower". "They differ by the margin or more" is tested by two one-sided
// tests (D. J. Schuirmann, Journal of Pharmacokinetics and Biopharmaceutics 15
// (1987), 657–680), with a separate Holm procedure at NoChangeAlpha: a rejection is "no change".
// Both rejections together are "no change", with a ratio whose interval excludes
// 1 and is within the margin. Neither is "cannot tell", with the number of rounds
// that a verdict would need, if it can be estimated (needed.go). A verdict stays:
// later looks do not withdraw it.
//
// The level of the interval shown is the one that the row's test had to pass, so
// that verdict and interval never contradict each other (verdict.go explains
// this, and the joint confidence of all intervals of a run, which is lower than
// that of each).
//
// Counts (bytes and allocations per operation) are whole numbers, rounded down by
// package testing, and usually do not vary at all. If each side has one value in
// every slice, in so many rounds that this is no chance, the interval is that of
// the rounding, and nothing is tested; a varying count is treated like a time,
// with the smallest and the largest ratio that each round may stand for. If the
// rounding leaves the verdict open, the other count may decide it; counts.go
// explains when. "No change" of a small count may then have an interval that is
// wider than the margin, and "faster" one that touches 1.
//
// The slices of the repeated side, compared with each other, show the noise: the
// differences between equal things on this machine, in the same rounds.
//
// # When it misleads
//
// If the benchmark does not resemble the program's work. If all rounds have one
// code layout: then the two layouts are compared together with the change, and a
// tight loop may move by some percent (T. Mytkowicz et al., "Producing Wrong Data
// Without Doing Anything Obviously Wrong!", ASPLOS 2009). If the differences of
// rounds depend on each other, for example because one side leaves files that
// affect the next round: the random order breaks every such dependence except
// through a cache outside the processes. The error alpha is that of the run; a
// user who proves a hundred changes will be wrong about some. And a ratio found
// at an early look is a little too far from 1 on average, like every estimate
// selected for being large; its interval is not affected by that.
package compare
