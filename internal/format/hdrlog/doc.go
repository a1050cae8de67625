// Package hdrlog reads and writes HdrHistogram's interval logs (.hlog, format
// 1.3 with V2 compressed histograms) and writes its percentile distributions
// (.hgrm), so that what whet measured is plotted, merged and kept by the tools
// that others have, and what those measured by whet.
//
// It answers: which times were counted in each interval, and when was that.
// Input are the bytes of a log; output are histograms of package hist.
//
// hist's buckets are those of an HdrHistogram with a lowest value of 1 and two
// significant digits, index by index. So a log that was written here is read
// again without loss: counts pass unchanged, and what the format has no place
// for (the smallest time, the largest, the sum of all) stands in a comment line
// before each interval, which other readers skip. A comment that the counts
// contradict is dropped with a warning.
//
// The format is that of HistogramLogWriter and Histogram.encodeIntoByteBuffer in
// Gil Tene's HdrHistogram: a line is
//
//	[Tag=NAME,]START,LENGTH,MAX,HISTOGRAM
//
// with START and LENGTH in seconds, MAX in milliseconds, and the histogram in
// base64: cookie, length, and deflated a header of 40 bytes with the counts as
// zigzag LEB128 numbers, where a negative one stands for so many empty buckets.
// START is since the log's #[BaseTime], where there is none since its
// #[StartTime] if it is more than a year before that, and else since 1970.
//
// # When it misleads
//
// The format has no unit. Values are taken for nanoseconds, as most tools write
// them; a log in microseconds gives times that are a thousand times too short.
//
// A histogram with more digits than two, or a lowest value above 1, is counted
// by the highest value that each of its buckets is for. Bucket by bucket that is
// what its own tools report, and it is not what was recorded to the nanosecond.
// Encodings before V2 (2015) are refused.
//
// Logs come from anywhere: a line is at most 4 MiB, a histogram at most 8 MiB
// once inflated, and a header is never believed in how much there is to come:
// memory follows the counts that are there.
package hdrlog
