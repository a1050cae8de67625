// Package hist counts times in buckets, so that quantiles of any number of
// measurements take fixed memory and can be merged.
//
// It answers: which time did a share q of the measurements not exceed. Input
// are times in nanoseconds, from 0 to the largest int64.
//
// The buckets are log-linear: each power of two is cut into 128 equal parts,
// so a bucket is never wider than 1/128 of its smallest value, and times below
// 256 ns have a bucket each. A quantile is found by nearest rank: the
// ⌈q·n⌉-th smallest of n times, ranks counted from 1 (Hyndman and Fan,
// "Sample Quantiles in Statistical Packages", The American Statistician 50
// (1996), definition 1). Of the bucket that holds it the largest time is
// reported, so an answer is never too small and too large by less than 1/128
// of the true one (0.79 %). Count, Min, Max and Mean are exact.
//
// The idea of log-linear buckets is that of Gil Tene's HdrHistogram; there the
// precision is given in decimal digits, here it is fixed.
//
// # When it misleads
//
// A quantile says nothing about what was not measured: a closed loop that waits
// for a stalled server records one long time where users would have seen many.
// The highest quantiles rest on few times: of 1,000 times one lies above p999.
package hist
