// Package slo reads bounds on the results of a load, such as
// "p99<50ms,errors<0.1%,throughput>1000/s", and judges a result by them.
//
// It answers: does the service keep the bounds at this load, and if not, which
// one is broken. Its input is the text of -slo and a loadresult.Result.
//
// Method: a bound is a metric, an operator (<, <=, > or >=) and a value. Metrics
// are quantiles (p50, p99, p99.9: any number between 0 and 100), mean and max of
// the times; errors, the share of requests that failed in any way, including
// timeouts; and throughput, complete responses per second. Times are response
// times in an open loop, and service times in a closed one, which has no others;
// service.p99 and response.p99 select one of them. A time is written as in Go
// (50ms, 1.5s), a share as 0.1% or 0.001, a rate as 1000/s or 1000. Commas
// separate the bounds, and all of them must hold.
//
// It misleads if there are few requests: a quantile of fewer than 1/(1−q) of them
// is the largest observed time, and the verdict says so. Times come from a
// histogram with buckets 1/128 wide. Requests that failed other than by a timeout
// have no time and are in no quantile: a bound on times alone does not notice a
// service that refuses quickly, so bound the errors too.
package slo
