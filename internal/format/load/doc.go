// Package load reads and writes what a recording keeps of a load: which requests
// were to be sent, what came of them in all and in each second, and every time
// as a histogram.
//
// Its input is a [loadresult.Result] with the seconds as they are closed, or a
// recording. These files of a recording are its alone:
//
//	load/run.json       the plan, the bounds, and all figures but those below
//	load/seconds.json   a row a second, and the answers in each 10 ms
//	load/service.hlog   service times, an HdrHistogram interval log (format/hdrlog)
//	load/response.hlog  response times, of an open loop
//	load/lateness.hlog  how late requests were sent, of an open loop, as one interval
//
// Whoever drives a load writes them by a [Writer], whatever else the recording
// holds, and [Read] gives the same result back, but for the monotonic clock and
// for Responses, Waited, Unsent and Begun, which no file holds.
//
// It misleads where a recording is older than this: that of a service then has
// seconds of seven figures and the sums of the manifest, and no histogram. Its
// result has no times, which [Load.Summed] says; the manifest has the quantiles of
// the whole.
package load
