// Package load reads and writes the part of a recording about a load: the plan of
// its requests, the results as a whole and in each second, and every time as a
// histogram.
//
// Its input is a [loadresult.Result] with its seconds as they end, or a recording.
// It alone reads and writes these files of a recording:
//
//	load/run.json       the plan, the bounds, and all figures but those below
//	load/seconds.json   a row a second, and the responses in each 10 ms
//	load/service.hlog   service times, an HdrHistogram interval log (format/hdrlog)
//	load/response.hlog  response times, of an open loop
//	load/lateness.hlog  how late requests were sent, of an open loop, as one interval
//
// A program that drives a load writes them with a [Writer], whatever else the
// recording has. [Read] returns the same result, except for the monotonic clock and
// for Responses, Waited, Unsent and Begun, which no file has.
//
// It misleads about old recordings: those of a service have seconds of seven figures
// and the sums in the manifest, and no histogram. Such a result has no times, which
// [Load.Summed] reports; the manifest has the quantiles of the whole.
package load
