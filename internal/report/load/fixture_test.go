package load

import (
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"whet/internal/analyze/capacity"
	"whet/internal/hist"
	"whet/internal/load/record"
	"whet/internal/loadresult"
	"whet/internal/report/pagetest"
	"whet/internal/stat"
)

// loadStart is when the fixtures' loads began to count.
var loadStart = time.Date(2026, 11, 20, 9, 30, 0, 0, time.UTC)

// simulated returns a service that answers in 0.4 ms, every tenth request in 3 ms, a
// little more or less by lot, and stands still from 12 s to 12.5 s.
func simulated(rng *rand.Rand, sent int64) (end int64) {
	took := 400e3 * math.Exp(0.25*rng.NormFloat64())
	if rng.IntN(10) == 0 {
		took = 3e6 * math.Exp(0.1*rng.NormFloat64())
	}
	if sent >= 12e9 && sent < 12.5e9 {
		sent = 12.5e9
	}
	return sent + int64(took)
}

// intervalMaker makes intervals as the recorder does, which merges seconds that come
// as fast as in a test.
type intervalMaker struct {
	open  bool
	times map[int64]*hist.Histogram
}

func newSecondly(open bool) *intervalMaker {
	return &intervalMaker{open, make(map[int64]*hist.Histogram)}
}

func (s *intervalMaker) count(o *record.Outcome) {
	if o.Status == 0 {
		return
	}
	at := o.End / 1e9
	if s.times[at] == nil {
		s.times[at] = new(hist.Histogram)
	}
	if s.open {
		s.times[at].Record(o.End - o.Due)
	} else {
		s.times[at].Record(o.End - o.Sent)
	}
}

func (s *intervalMaker) course(length int) *Course {
	c := NewCourse(s.open)
	for k := range int64(length) {
		iv := loadresult.Interval{Second: loadresult.Second{Start: loadStart.Add(time.Duration(k) * time.Second), Length: time.Second}, Service: new(hist.Histogram), Response: new(hist.Histogram)}
		h := s.times[k]
		if h == nil {
			h = new(hist.Histogram)
		}
		if s.open {
			iv.Response = h
		} else {
			iv.Service = h
		}
		c.Add(iv)
	}
	return c
}

// openLoad returns an open loop of perSecond arrivals for 30 s, as a recorder counts
// it. Three requests in the twentieth second fail.
func openLoad(name string, perSecond int64, slower float64) Run {
	r := record.New(record.Plan{Origin: loadStart, Duration: 30 * time.Second, Open: true})
	s := r.Shard()
	rng := rand.New(rand.NewPCG(1, uint64(perSecond)))
	var all []record.Outcome
	for k := range 30 * perSecond {
		due := k * 1e9 / perSecond
		o := record.Outcome{Due: due, Free: due, Sent: due + 20_000 + rng.Int64N(20_000), Status: 200, Bytes: 1000}
		o.End = o.Sent + int64(slower*float64(simulated(rng, o.Sent)-o.Sent))
		switch {
		case due >= 20e9 && due < 20.003e9 && perSecond == 1000:
			o.Status, o.Kind = 503, loadresult.Status5xx
		case k == 29*perSecond:
			o.Status, o.Kind = 0, loadresult.Reset
		}
		all = append(all, o)
	}
	slices.SortFunc(all, func(a, b record.Outcome) int { return int(a.End - b.End) })
	course := newSecondly(true)
	for i := range all {
		o := &all[i]
		course.count(o)
		if o.Kind != "" {
			s.Fail(o, func() string { return "GET /: <b>" + o.Kind + "</b> & more" })
			continue
		}
		s.Record(o)
	}
	s.Done()
	res := r.Finish(30e9+5e6, false)
	res.Rate = float64(perSecond)
	res.Generator = loadresult.Generator{Engine: "epoll", CPU: 900 * time.Millisecond, Share: 0.03, Processors: 1, Pauses: 2, LongestPause: 40 * time.Microsecond, PauseTime: 70 * time.Microsecond}
	return Run{Name: name, Result: res, Course: course.course(30), Plan: loadresult.Plan{
		URL: "http://127.0.0.1:8080/hello", Targets: 1, Method: "GET", Protocol: "HTTP/1.1", Connections: 64, Streams: 1,
		Rate: "1000/s", KeepAlive: true, Warmup: 5 * time.Second, Duration: 30 * time.Second, Timeout: 10 * time.Second,
	}}
}

// closed returns a closed loop of some connections for as many seconds.
func closed(name string, connections, length int) Run {
	r := record.New(record.Plan{Origin: loadStart, Duration: time.Duration(length) * time.Second})
	s := r.Shard()
	rng := rand.New(rand.NewPCG(2, 2))
	course := newSecondly(false)
	free := make([]int64, connections)
	for {
		k := 0
		for i := range free {
			if free[i] < free[k] {
				k = i
			}
		}
		sent := free[k]
		if sent >= int64(length)*1e9 {
			break
		}
		free[k] = simulated(rng, sent)
		o := &record.Outcome{Due: -1, Free: sent, Sent: sent, End: free[k], Status: 200, Bytes: 100}
		if o.End < int64(length)*1e9 {
			course.count(o)
		}
		s.Record(o)
	}
	s.Done()
	res := r.Finish(int64(length)*1e9, false)
	res.InFlight = connections
	res.Generator = loadresult.Generator{Engine: "io_uring", CPU: time.Second, Share: -1}
	return Run{Name: name, Result: res, Course: course.course(length), Plan: loadresult.Plan{
		URL: "http://127.0.0.1:8080/hello", Targets: 1, Method: "GET", Protocol: "HTTP/1.1", Connections: connections, Streams: 1, KeepAlive: true,
	}}
}

// kneeFound returns a search over connections, of a service with the law
// 1000·N/(1+0.02(N−1)+0.0004·N(N−1)).
func kneeFound() KneeSearch {
	law := capacity.Law{Lambda: 1000, Sigma: 0.02, Kappa: 0.0004}
	k := KneeSearch{Headline: "the knee is at 49 connections: 16,700/s", Found: true, At: 49, Low: 40, High: 49, Throughput: 16_700, Warnings: []string{"runs of one level vary by 27.5 %"},
		Plateau: &capacity.Plateau{Throughput: stat.Interval{Center: 16_700, Low: 16_366, High: 17_034}, From: 40, To: 49},
		Law: &capacity.Fit{Law: law, LambdaInterval: stat.Interval{Center: 1000, Low: 990, High: 1010}, SigmaInterval: stat.Interval{Center: 0.02, Low: 0.019, High: 0.021},
			KappaInterval: stat.Interval{Center: 0.0004, Low: 0.00038, High: 0.00042}, Peak: stat.Interval{Center: 49.5, Low: 48, High: 51}, R2: 0.99, Deviation: 0.008}}
	for i, n := range []float64{1, 2, 4, 8, 16, 32, 40, 49, 64, 128} {
		x := law.At(n) * (1 + 0.01*float64(i%3-1))
		k.Levels = append(k.Levels, KneeLevel{n, x, n < 64, []KneeRun{{Throughput: x, Concurrency: n, P50: time.Duration(1e6 + n*2e4), P99: time.Duration(2e6 * math.Exp(n/30))}}})
	}
	return k
}

// rateFound returns a search over rates, of a service that takes 10,000 requests a
// second.
func rateFound() KneeSearch {
	k := KneeSearch{Open: true, Headline: "the bounds hold up to 9,800/s and not at 10,100/s", Found: true, At: 9800, Low: 9800, High: 10_100, Throughput: 9800}
	for _, rate := range []float64{1000, 2000, 4000, 8000, 9800, 10_100, 16_000} {
		x := min(rate, 10_000)
		k.Levels = append(k.Levels, KneeLevel{rate, x, rate < 10_000, []KneeRun{{Throughput: x, P50: time.Millisecond, P99: time.Duration(2e6 + max(rate-9500, 0)*2e5)}}})
	}
	return k
}

// rateMissed returns a search over rates that found none: no rate keeps the bounds.
func rateMissed() KneeSearch {
	k := KneeSearch{Open: true, Headline: "no rate from 1/s to 33,400/s keeps the bounds", High: 1, Warnings: []string{"p99 of the lowest rate is of 5 answers"}}
	for _, rate := range []float64{1, 261, 2088} {
		k.Levels = append(k.Levels, KneeLevel{rate, rate, false, []KneeRun{{Throughput: rate, P50: time.Millisecond, P99: 2 * time.Millisecond, Broken: "p99<1ns is broken: 2.00 ms"}}})
	}
	return k
}

// loadPages are pages of loads by name, which nobody changes: making them takes
// long with the race detector.
var loadPages = sync.OnceValue(func() map[string]*Page {
	open := openLoad("", 1000, 1)
	open.Bounds = []Bound{{Bound: "p99<50ms", Value: "478 ms", Broken: true}, {Bound: "errors<1%", Value: "<0.1 %"}, {Bound: "p99.99<1s", Unknown: true, Note: "too few requests"}}
	open.Result.Warnings = []string{"4 requests failed"}
	// The second is asked a tenth as often, and takes most of the time.
	open.Plan.Targets, open.Plan.TargetsFrom, open.Plan.TargetNames = 3, "targets.txt", []string{"GET http://127.0.0.1:8080/hello", "POST http://127.0.0.1:8080/report"}
	open.Result.Targets = []loadresult.Target{{Requests: 27_000, Timed: 27_000, Service: 2_700 * time.Millisecond}, {Requests: 3000, Errors: 4, Timed: 2999, Service: 5_998 * time.Millisecond}, {}}
	hostile := openLoad(pagetest.Tag, 200, 1)
	hostile.Plan.TargetNames, hostile.Result.Targets = []string{pagetest.Tag + "/1"}, make([]loadresult.Target, 2)
	hostile.Plan.URL = "http://x/" + pagetest.Tag
	hostile.Plan.Rate, hostile.Plan.Protocol = pagetest.Tag, pagetest.Tag
	hostile.Result.Invalid = pagetest.Tag
	hostile.Result.Warnings = []string{pagetest.Tag, pagetest.Tag + " again"}
	hostile.Result.Errors[pagetest.Tag], hostile.Result.Examples[pagetest.Tag] = 1, pagetest.Tag
	hostile.Result.Generator.Engine = pagetest.Tag
	hostile.Bounds = []Bound{{Bound: pagetest.Tag, Value: pagetest.Tag, Note: pagetest.Tag}}
	hostileSearch := Search{Name: pagetest.Tag, SLO: pagetest.Tag, Growth: []KneeGrowth{{Kind: pagetest.Tag, Unit: pagetest.Tag, Rows: []GrowthRow{{Function: pagetest.Tag + ".f", File: pagetest.Tag}}}},
		Found: []KneeSearch{{Open: true, Headline: pagetest.Tag, Invalid: pagetest.Tag, Warnings: []string{pagetest.Tag}, Levels: []KneeLevel{{Level: 1, Runs: []KneeRun{{}}}}}}}
	nothing := Run{Result: record.New(record.Plan{Origin: loadStart, Duration: time.Second}).Finish(0, true)}
	return map[string]*Page{
		"open":    {Runs: []Run{open}},
		"closed":  {Runs: []Run{closed("", 8, 20)}, Warnings: []string{"the body is the name of a file"}},
		"several": {Runs: []Run{openLoad("before", 1000, 1), openLoad("after", 1000, 0.6), openLoad("", 500, 1)}, Warnings: []string{"the loads are of two addresses"}},
		"mixed":   {Runs: []Run{openLoad("open", 200, 1), closed("closed", 2, 10)}},
		"knee": {Runs: []Run{closed("", 4, 3)}, Searches: []Search{{Found: []KneeSearch{kneeFound()}, Growth: []KneeGrowth{
			{Kind: "cpu", Column: "cpu", Unit: "nanoseconds", LowLevel: 20, HighLevel: 40, LowRequests: 20_000, HighRequests: 40_000, LowTotal: 100e3, HighTotal: 150e3,
				Rows: []GrowthRow{{"main.handle", "main.go", 10e3, 40e3, 50e3, 90e3}, {"runtime.futex", "futex.go", 9e3, 5e3, 9e3, 5e3}}},
			{Kind: "mutex", Column: "delay", Unit: "nanoseconds", LowLevel: 20, HighLevel: 40, LowRequests: 20_000, HighRequests: 40_000},
		}}}},
		"rate":    {Runs: []Run{openLoad("rate", 200, 1)}, Searches: []Search{{SLO: "p99<50ms", Found: []KneeSearch{rateFound()}}}},
		"missed":  {Runs: []Run{closed("best throughput", 4, 3)}, Searches: []Search{{SLO: "p99<1ns", Found: []KneeSearch{kneeFound(), rateMissed()}}}},
		"lost":    {Searches: []Search{{Plan: loadresult.Plan{URL: "http://127.0.0.1:8080/hello", Targets: 1, Method: "GET"}, SLO: "p99<1ns", Found: []KneeSearch{rateMissed()}}}},
		"hostile": {Runs: []Run{hostile, hostile}, Searches: []Search{hostileSearch}},
		"nothing": {Runs: []Run{nothing}},
	}
})
