// Package service answers whether one HTTP service is faster than another, how
// sure that is, and whether the two answer alike.
//
// Its input are two addresses of services that run, or two commands that start
// them and the address that either listens on. The sides take turns in rounds
// (package rounds). A slice is a stretch of load on one side: first a closed
// loop, which warms it up and shows the throughput that it reaches, then an open
// loop at an arrival rate that is the same for both sides in all slices. Under
// equal arrivals response times can be compared; under a closed loop the faster
// side would get more work. The rate is half of the throughput of the slower
// side, found before the rounds, unless the user names one.
//
// Response time runs from when a request was due (package load). Its median
// decides the exit code; the 90th and 99th percentile stand beside it. A quantile
// is reported where a slice holds at least five requests beyond it, and where the
// generator's own lateness is less than half of it; it is one of the times
// themselves, not of a histogram's buckets. Throughput is that of the closed
// loop. CPU time per request is that of the process group of a side that was started here, or what
// an agent in it says; bytes per request are the runtime's count of what was
// allocated, where the side's instruments tell, less what asking for it costs.
// What a side does not tell is missing.
//
// Commands are started anew for every slice, on a free port each time where the
// address holds {port}, so that the unit of comparison is a process: what
// differs between two starts of one program is part of the noise that the
// rounds see.
//
// With SameAnswers, one stream of requests is sent to both sides first, one at a
// time, and status, chosen headers and body of the answers are compared: JSON by
// its values, anything else by its bytes. Sides that answer differently are not
// measured.
//
// # When it misleads
//
// Services that run already are one process a side. What the placement of its
// memory or the age of its caches does to one of them is in the ratio, and no
// number of rounds tells it from the change; the result warns of it.
//
// Generator and services share the processors of one machine where the address
// is local. At half the throughput there is room for both, at a rate near
// saturation they disturb each other, and throughput then holds the cost of
// generating the load on both sides: the ratio is nearer to 1 than that of the
// services alone.
//
// The same request again and again finds every cache warm. Requests that change
// the service's state change it for the slices that follow.
//
// JSON is compared as package encoding/json reads it: of a name that comes twice
// in one object the last value counts.
package service
