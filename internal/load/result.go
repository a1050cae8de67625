package load

import (
	"time"

	"whet/internal/hist"
)

// Kinds of failed requests.
const (
	Refused   = "connection refused"
	Reset     = "connection reset" // or closed, before an answer
	TimedOut  = "timeout"
	NoHost    = "no such host"
	TLS       = "tls"
	ShortBody = "short body" // the connection ended within the answer's body
	Status4xx = "status 4xx"
	Status5xx = "status 5xx"
	Other     = "other"
)

// Bin is the length of the bins of Result.Answers.
const Bin = 10 * time.Millisecond

// Result is what a load did and saw. Times carry Options.Now's monotonic
// reading.
type Result struct {
	Began time.Time // the first request was sent
	Start time.Time // behind the warm-up: all that follows counts from here
	End   time.Time
	// Interrupted: the context ended before the load did.
	Interrupted bool

	Requests int64             // that ended: answers of any status and failures
	Errors   map[string]int64  // failed requests by kind
	Examples map[string]string // one line for each kind in Errors
	Status   map[int]int64     // answers that came whole, by status code
	Bytes    int64             // of answers' bodies, also of those cut short
	InFlight int               // requests that the end of the load cut off; not in Requests
	// OldestInFlight is how long the first sent of those had been under way.
	OldestInFlight time.Duration

	// Service holds the service times of whole answers and timeouts, in
	// nanoseconds.
	Service hist.Histogram
	// Rate is that of the options. Where it is not 0, Response holds the
	// response times, from when each request was due; Lateness how much later
	// than it could it was sent, in nanoseconds; and LateSends the number of
	// those sent more than a millisecond late.
	Rate     float64
	Response hist.Histogram
	// Responses are the times that Response counts, as the answers came, where
	// the options ask for them: what compares two loads by less than the width
	// of a histogram's bucket needs them.
	Responses []time.Duration
	Lateness  hist.Histogram
	LateSends int64
	// Drain is how long after End the last of an open loop's requests ended.
	Drain time.Duration

	Seconds []Second
	// Answers counts the whole answers in each Bin since Start, without a gap,
	// so that a while without progress can be found.
	Answers []int32

	// GeneratorCPU is what this process used between Start and End, user and
	// system time: the load and whatever else ran in it. Negative: unknown.
	GeneratorCPU time.Duration

	Warnings []string
}

// Second is one second of the load.
type Second struct {
	Start    time.Time
	Length   time.Duration // a second, but for the last one of a load that ends between seconds
	Requests int64         // that ended
	Errors   int64         // of them failed
	// Of the service times in this second; 0 when there are none.
	P50, P99, Max time.Duration
}

// Answered is the number of whole answers, whatever their status.
func (r *Result) Answered() int64 {
	var n int64
	for _, c := range r.Status {
		n += c
	}
	return n
}

// Failed is the number of failed requests of all kinds.
func (r *Result) Failed() int64 {
	var n int64
	for _, c := range r.Errors {
		n += c
	}
	return n
}

// LateRatio is the share of an open loop's requests that were sent late.
func (r *Result) LateRatio() float64 {
	return float64(r.LateSends) / float64(max(r.Lateness.Count(), 1))
}

// Throughput is the number of whole answers per second, whatever their status;
// 0 when no time passed.
func (r *Result) Throughput() float64 {
	s := (r.End.Sub(r.Start) + r.Drain).Seconds()
	if s <= 0 {
		return 0
	}
	return float64(r.Answered()) / s
}
