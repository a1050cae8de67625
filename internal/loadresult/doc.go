// Package loadresult defines the result of a load: its plan, the figures of the
// whole and of each second, and the distributions of its times.
//
// It is the model that the other packages share: the instrument fills a [Result]
// (package load/record defines how a request is counted, and in which of its times),
// package format/load writes and reads it, and bounds, searches and pages use it. It
// has neither a clock nor a network.
//
// It misleads as the load does: the quantiles of a second rest on that second's
// requests alone, and the service times of a closed loop hide the effect of a stall
// on requests that were not sent (package load).
package loadresult
