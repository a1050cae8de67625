// Package service answers whether one HTTP service is faster than another, how
// certain that is, and whether the two give the same responses.
//
// Its input are the addresses of two running services, or two commands that start
// them and the address that either listens on. The sides alternate in rounds
// (package rounds). A slice is a period of load on one side: first a closed loop,
// which warms the side up and measures its throughput, then an open loop at an
// arrival rate that is the same for both sides in all slices. Response times can
// be compared under equal arrivals; in a closed loop the faster side would get
// more work. The rate is half of the throughput of the slower side, found before
// the rounds, unless the user gives one.
//
// Response time runs from the intended send (package load). Its median decides
// the exit code; the 90th and 99th percentile are reported with it. A quantile is
// reported if a slice has at least five requests beyond it, and if the
// generator's own lateness is less than half of it; it is one of the measured
// times, not of a histogram's buckets. Throughput is that of the closed loop. CPU
// time per request is that of the process group of a side started here, or is
// reported by the agent in it; bytes per request are the runtime's count of
// allocated bytes, if the side's instruments provide it, less the cost of reading
// it. Figures that a side does not provide are missing.
//
// Commands are started again for every slice, on a free port each time if the
// address contains {port}, so that the unit of comparison is a process:
// differences between two starts of one program are part of the noise in the
// rounds.
//
// With SameAnswers, both sides first get one stream of requests, one at a time,
// and the status, selected headers and body of the responses are compared: JSON
// by its values, anything else by its bytes. Sides that respond differently are
// not measured.
//
// # When it misleads
//
// Each running service is one process. The ratio includes the placement of its
// memory and the age of its caches, and no number of rounds separates these from
// the change; the result warns of it.
//
// Generator and services share the processors of one machine if the address is
// local. At half the throughput there is room for both; at a rate near saturation
// they disturb each other, and throughput then includes the cost of generating
// the load on both sides: the ratio is closer to 1 than that of the services
// alone.
//
// Repeating one request finds every cache warm. Requests that change the
// service's state change it for the slices that follow.
//
// JSON is compared as package encoding/json reads it: of a name that occurs twice
// in one object the last value counts.
package service
