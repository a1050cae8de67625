// Package slo reads bounds on what a load may show, such as
// "p99<50ms,errors<0.1%,throughput>1000/s", and judges a result by them.
//
// It answers: does the service keep what it promises at this load, and if not,
// which promise is broken. Its input is the text of -slo and a loadresult.Result.
//
// Method: a bound is a metric, an operator (<, <=, > or >=) and a value. Metrics
// are quantiles (p50, p99, p99.9: any number between 0 and 100), mean and max of
// the times; errors, the share of the requests that failed in any way, timeouts
// among them; and throughput, whole answers per second. Times are response times
// in an open loop, and service times in a closed one, which knows no others;
// service.p99 and response.p99 name one of them. A time is written as Go writes
// it (50ms, 1.5s), a share as 0.1% or 0.001, a rate as 1000/s or 1000. The bounds
// stand in one row with commas between them, and all of them must hold.
//
// It misleads where there are few requests: a quantile of fewer than 1/(1−q) of
// them is the largest time that was seen, and the verdict says so. Times are
// those of a histogram, whose buckets are 1/128 wide. Requests that failed
// otherwise than by a timeout have no time and are in no quantile: a bound on
// times alone says nothing about a service that refuses quickly, so bound the
// errors too.
package slo
