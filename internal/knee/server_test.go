package knee

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"whet/internal/analyze/capacity"
	"whet/internal/load/slo"
	"whet/internal/loadresult"
)

// server is a service simulated event by event, in virtual time.
type server struct {
	// A request passes the network, then waits for one of the workers in the order
	// of arrival, then is worked on, then passes the network again. trip is the
	// network's time both ways together.
	trip float64
	// workers that work at the same time; 0: any number.
	workers int
	// work is how long a request is worked on, in seconds, with as many under way
	// in the service as it begins.
	work func(r *rand.Rand, under int) float64
	// noise: every run is faster or slower than another by a factor of this
	// standard deviation, and each tenth of a run by one of its own.
	noise float64
	rand  *rand.Rand
	// timeout of a request of an open loop.
	timeout float64
	// room is how many may wait for a worker: more are refused at once; 0: any number.
	room int
	// One run in so many is disturbed: it takes half as long again; 0: none.
	disturbed int
	// What a run is done with serves the next: of every slice that grows, the race
	// detector looks at all that is in it.
	events  events
	queue   []event
	answers []completion
	due     []float64
	times   []float64
}

type event struct {
	at    float64
	kind  int
	begun float64 // when the request was sent, or due
}

const (
	arrived = iota
	worked
)

// events are a heap by time.
type events []event

//go:norace
func (e *events) push(x event) {
	*e = append(*e, x)
	h := *e
	for i := len(h) - 1; i > 0; {
		up := (i - 1) / 2
		if h[up].at <= h[i].at {
			break
		}
		h[up], h[i] = h[i], h[up]
		i = up
	}
}

//go:norace
func (e *events) pop() event {
	h := *e
	first, n := h[0], len(h)-1
	h[0] = h[n]
	h = h[:n]
	*e = h
	for i := 0; ; {
		down := 2*i + 1
		if down >= n {
			break
		}
		if down+1 < n && h[down+1].at < h[down].at {
			down++
		}
		if h[i].at <= h[down].at {
			break
		}
		h[i], h[down] = h[down], h[i]
		i = down
	}
	return first
}

// completion is a completed request: its arrival and duration.
type completion struct {
	at, took, begun float64
	refused         bool
}

// simulate runs clients of a closed loop, or arrivals of an open one, for a time,
// and returns all answers, also those of an open loop that come later, until the
// next run. The race detector would take most of the time, and one goroutine is all
// there is.
//
//go:norace
func (s *server) simulate(clients int, due []float64, length float64) []completion {
	slow := 1 + s.noise*s.rand.NormFloat64()
	if s.disturbed > 0 && s.rand.IntN(s.disturbed) == 0 {
		slow *= 1.5
	}
	slices := make([]float64, 11)
	for i := range slices {
		slices[i] = slow * (1 + s.noise*s.rand.NormFloat64())
	}
	queue, waiting := s.queue[:0], 0
	s.answers = s.answers[:0]
	e := &s.events
	*e = (*e)[:0]
	for range clients {
		// They do not begin at the very same time.
		at := s.rand.Float64() * 1e-3
		e.push(event{at + s.trip/2, arrived, at})
	}
	under, busy, open := 0, 0, len(due) > 0
	back := func(now float64, ev event, refused bool) {
		at := now + s.trip/2
		s.answers = append(s.answers, completion{at, at - ev.begun, ev.begun, refused})
		if !open {
			e.push(event{at + s.trip/2, arrived, at})
		}
	}
	start := func(now float64, ev event) {
		busy++
		factor := slices[min(int(now/length*10), 10)]
		e.push(event{now + s.work(s.rand, under)*max(factor, 0.1), worked, ev.begun})
	}
	for len(*e) > 0 || len(due) > 0 {
		var ev event
		if len(due) > 0 && (len(*e) == 0 || due[0]+s.trip/2 <= (*e)[0].at) {
			ev, due = event{due[0] + s.trip/2, arrived, due[0]}, due[1:]
		} else {
			ev = e.pop()
		}
		if !open && ev.at > length {
			break
		}
		switch ev.kind {
		case arrived:
			if s.room > 0 && len(queue)-waiting >= s.room {
				back(ev.at, ev, true)
				continue
			}
			under++
			if s.workers == 0 || busy < s.workers {
				start(ev.at, ev)
			} else {
				queue = append(queue, ev)
			}
		case worked:
			under--
			busy--
			if waiting < len(queue) {
				start(ev.at, queue[waiting])
				waiting++
			}
			back(ev.at, ev, false)
		}
	}
	s.queue = queue
	return s.answers
}

const warmup = 0.3 // seconds

// closed measures a level of a closed loop.
//
//go:norace
func (s *server) closed(_ context.Context, level float64, span time.Duration) (Point, error) {
	length := warmup + span.Seconds()
	times := s.times[:0]
	counts := make([]float64, blocks)
	for _, a := range s.simulate(int(level), nil, length) {
		if a.at >= warmup && a.at < length && !a.refused {
			times = append(times, a.took)
			counts[min(int((a.at-warmup)/span.Seconds()*blocks), blocks-1)] += blocks / span.Seconds()
		}
	}
	p := Point{Level: level, Concurrency: level, Throughput: float64(len(times)) / span.Seconds(), Meets: true, Span: span, Took: span + seconds(warmup), Blocks: counts}
	p.P50, p.P99 = quantile(times, 0.5), quantile(times, 0.99)
	s.times = times
	return p, nil
}

// open measures a rate of an open loop with evenly spaced arrivals, or random
// ones, judged by a bound on the 99th percentile and on errors.
func (s *server) open(bound time.Duration, poisson bool) Measure {
	bounds, err := slo.Parse(fmt.Sprintf("p99<%v,errors<0.1%%", bound))
	return func(_ context.Context, rate float64, span time.Duration) (Point, error) {
		length := warmup + span.Seconds()
		due := s.due[:0]
		for at := 0.0; at < length; {
			due = append(due, at)
			if poisson {
				at += s.rand.ExpFloat64() / rate
			} else {
				at = float64(len(due)) / rate
			}
		}
		s.due = due
		return PointOf(s.result(due, span), rate, bounds), err
	}
}

// result returns the load of an open loop, as a generator sees it.
//
//go:norace
func (s *server) result(due []float64, span time.Duration) *loadresult.Result {
	length := warmup + span.Seconds()
	start := time.Unix(100, 0)
	r := &loadresult.Result{
		Began: start.Add(-seconds(warmup)), Start: start, End: start.Add(span), Open: true,
		Status: make(map[int]int64), Errors: make(map[string]int64), Answers: make([]int32, (span+loadresult.Bin-1)/loadresult.Bin),
	}
	each := make([][]float64, int(math.Ceil(span.Seconds())))
	last := length
	for _, a := range s.simulate(0, due, length) {
		late := a.took > s.timeout
		if late {
			a.at, a.took = a.begun+s.timeout, s.timeout
		}
		counts := a.begun >= warmup
		if counts {
			r.Requests++
			r.Response.RecordMany(int64(a.took*1e9), 1)
			last = max(last, a.at)
		}
		if late {
			if counts {
				r.Errors[loadresult.TimedOut]++
			}
			continue
		}
		behind := a.at >= length
		switch {
		case counts:
			if a.refused {
				r.Status[503]++
				r.Errors[loadresult.Status5xx]++
			} else {
				r.Status[200]++
			}
			if behind {
				r.Behind++
			}
		case a.at >= warmup && !behind:
			r.Leftover++
		default:
			continue
		}
		r.Answers[min(int((a.at-warmup)/loadresult.Bin.Seconds()), len(r.Answers)-1)]++
		i := min(int(a.at-warmup), len(each)-1)
		each[i] = append(each[i], a.took)
	}
	for i, times := range each {
		begun := time.Duration(i) * time.Second
		r.Seconds = append(r.Seconds, loadresult.Second{Start: start.Add(begun), Length: min(time.Second, span-begun), Response: loadresult.Quantiles{P50: quantile(times, 0.5)}})
	}
	r.Drain = seconds(last - length)
	return r
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

func quantile(times []float64, q float64) time.Duration {
	if len(times) == 0 {
		return 0
	}
	slices.Sort(times)
	return seconds(times[int(math.Ceil(q*float64(len(times))))-1])
}

func newServer(seed uint64) *server {
	return &server{rand: rand.New(rand.NewPCG(seed, 11)), noise: 0.025, trip: 100e-6, timeout: 2}
}

// pool is k workers that take the same time for each request: k/work requests a
// second, reached with k·(1 + trip/work) clients.
func pool(seed uint64, k int, work float64) *server {
	s := newServer(seed)
	s.workers = k
	s.work = func(*rand.Rand, int) float64 { return work }
	return s
}

// locked is one lock, held for hold, and work beside it that all do at the same
// time: 1/hold requests a second, reached with (beside + hold)/hold clients. The
// work beside stands in trip.
func locked(seed uint64, hold, beside float64) *server {
	s := newServer(seed)
	s.workers, s.trip = 1, beside
	s.work = func(*rand.Rand, int) float64 { return hold }
	return s
}

// slowed is k workers that get slower by a share for each request under way beyond
// k: k/work requests a second with k clients, and fewer with more.
func slowed(seed uint64, k int, work, share float64) *server {
	s := newServer(seed)
	s.workers = k
	s.work = func(_ *rand.Rand, under int) float64 { return work * (1 + share*float64(max(under-k, 0))) }
	return s
}

// lawful follows the scalability law: with n requests under way each takes n/X(n).
func lawful(seed uint64, law capacity.Law) *server {
	s := newServer(seed)
	s.trip = 0
	s.work = func(_ *rand.Rand, under int) float64 { return float64(under) / law.At(float64(under)) }
	return s
}
