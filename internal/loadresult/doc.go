// Package loadresult is what a load gave: what was asked for, the figures of the
// whole and of each second, and the distributions of its times.
//
// It answers for every part of whet what a load is: the instrument fills a
// [Result] (package load/record says how a request is counted, and in which of
// its times), package format/load writes and reads it, and bounds, searches and
// pages are about it. Its input are figures that somebody else has counted; there
// is neither a clock nor a network here.
//
// It misleads as the load does: the quantiles of a second rest on that second's
// requests alone, and the service times of a closed loop hide what a stall would
// have done to requests that were not sent (package load).
package loadresult
