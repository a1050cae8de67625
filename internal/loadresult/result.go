package loadresult

import (
	"maps"
	"math"
	"slices"
	"time"

	"whet/internal/hist"
)

// Bin is the length of the bins of Result.Answers.
const Bin = 10 * time.Millisecond

// LateAfter is from when on a request counts as sent late.
const LateAfter = time.Millisecond

// Result is the result of a load. Times carry the monotonic reading of the load's
// origin. The keys are those of format/load, which keeps the rest elsewhere.
type Result struct {
	Began time.Time `json:"began"` // the load's origin
	Start time.Time `json:"start"` // after the warm-up: all that follows counts from here
	End   time.Time `json:"end"`
	// Interrupted: the context ended before the load did.
	Interrupted bool `json:"interrupted"`

	Requests int64             `json:"requests"`   // that ended: answers of any status and failures
	Errors   map[string]int64  `json:"errors"`     // failed requests by kind
	Examples map[string]string `json:"examples"`   // one line for each kind in Errors: the first that ended
	Status   map[int]int64     `json:"-"`          // answers that came whole, by status code
	Bytes    int64             `json:"body_bytes"` // of answers' bodies, also of those cut short
	InFlight int               `json:"in_flight"`  // requests that the end of the load cut off; not in Requests
	// OldestInFlight is how long the first sent of those had been under way.
	OldestInFlight time.Duration `json:"oldest_in_flight_ns"`
	// Connections that were made for the requests that count, and the time that
	// took, with TLS handshakes.
	Connections int64         `json:"connections"`
	Connecting  time.Duration `json:"connecting_ns"`

	// Service has the service times of complete responses and timeouts, in nanoseconds.
	Service hist.Histogram `json:"-"`
	// Open reports whether requests were sent when they were due. Then Rate is the
	// planned mean rate between Start and End, per second; Response has the response
	// times, from the intended send of each request; Lateness the delays of the sends,
	// in nanoseconds; LateSends the number of sends more than a millisecond late.
	Open     bool           `json:"open"`
	Rate     float64        `json:"planned_per_s"`
	Response hist.Histogram `json:"-"`
	// Responses are the times counted in Response, in no order, if the options request
	// them: a comparison of two loads by less than the width of a histogram's bucket
	// needs them.
	Responses []time.Duration `json:"-"`
	Lateness  hist.Histogram  `json:"-"`
	LateSends int64           `json:"late_sends"`
	// Waited is the number of requests that were sent and had to wait for a
	// connection: all were busy when they were due.
	Waited int64 `json:"-"`
	// Unsent is the number of requests that never were: all connections were busy
	// until the load was given up. They are among the timeouts, and have response
	// times alone.
	Unsent int64 `json:"-"`
	// Begun is the number of timeouts of which the answer's head had come.
	Begun int64 `json:"-"`
	// Drain is how long after End the last of an open loop's requests ended, and
	// Behind how many whole answers came in that time. Leftover are those between
	// Start and End to requests of its warm-up, which nothing else counts.
	Drain    time.Duration `json:"drain_ns"`
	Behind   int64         `json:"drain_answered"`
	Leftover int64         `json:"warmup_answered"`

	Seconds []Second `json:"-"`
	// Answers counts the whole answers in each Bin since Start, without a gap,
	// so that a while without progress can be found.
	Answers []int32 `json:"-"`
	// Targets counts the requests to each target, where there are several.
	Targets []Target `json:"targets"`

	Generator Generator `json:"generator"`

	// Invalid is the reason that the figures are not the service's: the generator was
	// the bottleneck. "": they are.
	Invalid  string   `json:"invalid"`
	Warnings []string `json:"-"` // the reason of Invalid first
}

// Generator is the resource use of this process between Start and the end of the load:
// of the load and any other work in it.
type Generator struct {
	Engine string        // that drove the load
	CPU    time.Duration // user and system time; negative: unknown
	// Share is CPU divided by the time of the processors available to the process;
	// negative: unknown.
	Share      float64
	Processors int // that the load may use
	Shared     int // of those that this process may use, how many the target may use too; negative: unknown
	// Pauses of its collector, and how long they took: the bound of the longest
	// one's bucket, and about the sum.
	Pauses       int64
	LongestPause time.Duration
	PauseTime    time.Duration
	// Still is how long it did nothing at all: it was stopped, or its machine had
	// no processor for it. A second or more at a time.
	Still time.Duration
}

// Target is the results of the requests to one target.
type Target struct {
	Requests int64
	Errors   int64
	Timed    int64         // of which Service is the sum
	Service  time.Duration // sum of service times
}

// Second is a second of the load.
type Second struct {
	Start    time.Time        `json:"-"`
	Length   time.Duration    `json:"length_ns"`       // a second, but for the last one of a load that ends between seconds
	Requests int64            `json:"requests"`        // that ended
	Answered int64            `json:"answered"`        // of them with a whole answer
	Behind   int64            `json:"drain_answered"`  // after the end of an open loop: counted in the last second
	Leftover int64            `json:"warmup_answered"` // whole answers in it to requests of the warm-up, which nothing else counts
	Errors   int64            `json:"errors"`          // of them failed
	Bytes    int64            `json:"body_bytes"`
	Kinds    map[string]int64 `json:"kinds"` // of Errors; nil: none
	// In an open loop: the requests that were due in this second, and those of
	// them that were sent within it.
	Due    int64 `json:"due"`
	InTime int64 `json:"in_time"`
	// Of the service times in this second; 0 when there are none.
	P50 time.Duration `json:"p50_ns"`
	P99 time.Duration `json:"p99_ns"`
	Max time.Duration `json:"max_ns"`
	// Of the response times.
	Response Quantiles `json:"-"`
}

// Came returns the number of whole answers that came in it, whenever their requests
// were due.
func (s *Second) Came() int64 { return s.Answered + s.Leftover - s.Behind }

// Throughput returns the responses per second; 0 if no time passed.
func (s *Second) Throughput() float64 {
	if s.Length <= 0 {
		return 0
	}
	return float64(s.Came()) / s.Length.Seconds()
}

// Short reports whether fewer responses arrived in a time than requests were planned to
// be due a service time before: by a twentieth, and by more than the rounding of the
// times explains. Random arrivals also differ from their plan, by up to three standard
// deviations.
func Short(planned float64, random bool, answered int64) bool {
	chance := 2.0
	if random {
		chance += 3 * math.Sqrt(planned)
	}
	return float64(answered) < 0.95*planned-chance
}

// Interval is a closed second with all its times, or several on end.
type Interval struct {
	Second
	Service, Response *hist.Histogram // until the function returns
}

// Answered returns the number of complete responses, with any status.
func (r *Result) Answered() int64 {
	var n int64
	for _, c := range r.Status {
		n += c
	}
	return n
}

// Failed returns the number of failed requests of all kinds.
func (r *Result) Failed() int64 {
	var n int64
	for _, c := range r.Errors {
		n += c
	}
	return n
}

// Times returns the times that users see: response times of an open loop, and service
// times of a closed one, which knows no others.
func (r *Result) Times() *hist.Histogram {
	if r.Open {
		return &r.Response
	}
	return &r.Service
}

// Commonest returns the kind of most failures, of several the first by name; "" where
// none failed.
func (r *Result) Commonest() string {
	most := ""
	for _, kind := range slices.Sorted(maps.Keys(r.Errors)) {
		if most == "" || r.Errors[kind] > r.Errors[most] {
			most = kind
		}
	}
	return most
}

// LateRatio returns the share of an open loop's requests that were sent late.
func (r *Result) LateRatio() float64 {
	return float64(r.LateSends) / float64(max(r.Lateness.Count(), 1))
}

// Throughput returns the number of complete responses per second between Start and End,
// with any status and whenever their requests were due; 0 if no time passed.
//
// In an open loop these are not only the requests that count. Those under way at the
// end of the warm-up are answered within the time, and those under way at the end after
// it: at a steady rate equally many. Dividing all that count by the time until the last
// of them ended would make the throughput depend on one response that takes ten
// seconds.
func (r *Result) Throughput() float64 {
	s := r.End.Sub(r.Start).Seconds()
	if s <= 0 {
		return 0
	}
	return float64(r.Answered()+r.Leftover-r.Behind) / s
}
