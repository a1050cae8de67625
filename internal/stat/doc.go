// Package stat estimates from few, skewed measurements, and says how sure the
// estimate is.
//
// It answers: what is the middle of these values, between which bounds does
// the middle of all such values lie, is a share above a threshold, and how
// are several such questions asked together. Its input are values that are
// independent of each other: one number per process run, not one per
// iteration within a run. Nothing here supposes a normal distribution, since
// times are bounded below and have a long tail above.
//
// Methods and their sources:
//
//   - Quantiles: definition 7 of R. J. Hyndman and Y. Fan, "Sample Quantiles
//     in Statistical Packages", The American Statistician 50 (1996), 361–365.
//   - Interval for the median: two order statistics; its coverage is a sum of
//     binomial probabilities, whatever the distribution (H. A. David and
//     H. N. Nagaraja, Order Statistics, 3rd ed., Wiley 2003, section 7.1).
//   - Ratio of paired measurements: the median of the logarithms of the
//     ratios, so that a/b and b/a give reciprocal answers.
//   - Centre of paired differences: the signed-rank test of F. Wilcoxon,
//     Biometrics Bulletin 1 (1945), 80–83, with its exact distribution, and the
//     estimate and interval that go with it (J. L. Hodges and E. L. Lehmann,
//     Annals of Mathematical Statistics 34 (1963), 598–611).
//   - Looks at figures before all are in: alpha spending, linear in the number
//     of values (K. Kim and D. L. DeMets, Biometrika 74 (1987), 149–154).
//   - Interval for a share: C. J. Clopper and E. S. Pearson, Biometrika 26
//     (1934), 404–413, which never covers less than it says; and E. B. Wilson,
//     JASA 22 (1927), 209–212, which is shorter and covers it on average.
//   - Slope of a trend: the median of the slopes between pairs of points, with
//     the interval of P. K. Sen, JASA 63 (1968), 1379–1389; whether there is one:
//     Kendall's rank correlation with time, as in H. B. Mann, Econometrica 13
//     (1945), 245–259.
//   - Changes of level in a series: circular binary segmentation (A. B. Olshen
//     and others, Biostatistics 5 (2004), 557–572) on ranks, with p-values from
//     permutation; the sources and the sharing of the error are at Changes.
//   - Several comparisons: S. Holm, Scandinavian Journal of Statistics 6
//     (1979), 65–70, and Bonferroni's inequality.
//
// It misleads when values depend on each other: a machine that slows down
// during a series makes neighbouring values alike, and every interval here
// too short. Package prove pairs and shuffles its measurements for that reason.
package stat
