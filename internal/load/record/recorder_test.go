package record

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"whet/internal/loadresult"
)

var epoch = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

const ms = int64(time.Millisecond)

// warm is the warm-up of the tests' loads.
const warm = 100 * ms

func plan(duration time.Duration) Plan {
	return Plan{Origin: epoch.Add(-time.Duration(warm)), Warmup: time.Duration(warm), Duration: duration}
}

// ended returns a closed loop's request that ended at a moment after the warm-up.
func ended(at int64, o Outcome) *Outcome {
	o.Due, o.End = -1, warm+at
	o.Sent = o.End - o.Sent // given as the service time
	return &o
}

func answer(at, took int64) *Outcome {
	return ended(at, Outcome{Sent: took, Status: 200, Bytes: 10})
}

// Written out: a load of 2.5 s. Seconds: [0,1) two answers of 10 and 30 ms,
// [1,2) a refused connection, [2,2.5) a 503 of 5 ms and a timeout of 1 s.
func TestWrittenOut(t *testing.T) {
	const ms = time.Millisecond
	r := New(plan(2500 * ms))
	s := r.Shard()
	s.Record(answer(int64(-ms), int64(ms))) // warm-up
	s.Record(answer(-1, int64(ms)))         // ended before the start
	if n, failed := r.WarmedUp(); n != 2 || failed != 0 {
		t.Errorf("warm-up: %d requests, %d failed", n, failed)
	}
	s.Record(answer(0, int64(10*ms)))
	s.Record(answer(int64(999*ms), int64(30*ms)))
	s.Fail(ended(int64(1500*ms), Outcome{Sent: int64(ms), Kind: loadresult.Refused, Connect: int64(ms)}), func() string { return "dial: refused\x1b[31m" })
	s.Record(ended(int64(2200*ms), Outcome{Sent: int64(5 * ms), Status: 503, Kind: loadresult.Status5xx, Connect: int64(2 * ms)}))
	s.Record(ended(int64(2499*ms), Outcome{Sent: int64(time.Second), Bytes: 7, Kind: loadresult.TimedOut}))
	s.Record(answer(int64(2500*ms), int64(ms))) // the end
	if n, failed := r.Counted(); n != 5 || failed != 3 {
		t.Errorf("%d requests, %d failed", n, failed)
	}
	s.Record(answer(int64(2600*ms), int64(ms)))
	got := r.Finish(warm+int64(2610*ms), false)

	if got.Requests != 5 || got.Bytes != 27 || got.Answered() != 3 || got.Failed() != 3 || got.Throughput() != 3/2.5 || !got.End.Equal(epoch.Add(2500*ms)) {
		t.Errorf("%d requests, %d bytes, %d answered, %d failed, %v/s, end %v", got.Requests, got.Bytes, got.Answered(), got.Failed(), got.Throughput(), got.End)
	}
	if r.Answers() != 7 || got.Connections != 2 || got.Connecting != 3*ms {
		t.Errorf("%d answers in all, %d connections in %v", r.Answers(), got.Connections, got.Connecting)
	}
	if diff := cmp.Diff(map[string]int64{loadresult.Refused: 1, loadresult.Status5xx: 1, loadresult.TimedOut: 1}, got.Errors); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(map[string]string{loadresult.Refused: "dial: refused·[31m", loadresult.Status5xx: "answered 503 Service Unavailable", loadresult.TimedOut: "no answer within the timeout"}, got.Examples); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(map[int]int64{200: 2, 503: 1}, got.Status); diff != "" {
		t.Error(diff)
	}
	// Service times: 5, 10, 30 and 1,000 ms; the refused one took no service.
	if s := &got.Service; s.Count() != 4 || s.Min() != int64(5*ms) || s.Max() != int64(time.Second) || s.Mean() != float64(1045*ms)/4 {
		t.Errorf("%d service times, %d to %d, mean %v", s.Count(), s.Min(), s.Max(), s.Mean())
	}
	// Quantiles are the ends of buckets: of 10⁷ ns, 23 leading zeros and so
	// shift 16: 152·2¹⁶ = 9,961,472 to 153·2¹⁶ − 1 = 10,027,007; of 5·10⁶,
	// shift 15: 152·2¹⁵ to 153·2¹⁵ − 1 = 5,013,503. A maximum is exact.
	want := []loadresult.Second{
		{Start: epoch, Length: time.Second, Requests: 2, Answered: 2, Bytes: 20, P50: 10_027_007, P99: 30 * ms, Max: 30 * ms},
		{Start: epoch.Add(time.Second), Length: time.Second, Requests: 1, Errors: 1, Kinds: map[string]int64{loadresult.Refused: 1}},
		{Start: epoch.Add(2 * time.Second), Length: 500 * ms, Requests: 2, Answered: 1, Errors: 2, Bytes: 7, Kinds: map[string]int64{loadresult.Status5xx: 1, loadresult.TimedOut: 1},
			P50: 5_013_503, P99: time.Second, Max: time.Second},
	}
	if diff := cmp.Diff(want, got.Seconds); diff != "" {
		t.Error(diff)
	}
	if len(got.Answers) != 250 || got.Answers[0] != 1 || got.Answers[99] != 1 || got.Answers[220] != 1 {
		t.Errorf("bins: %v", got.Answers)
	}
}

// An interrupted load is as long as it came, and a load that ends in its
// warm-up measured nothing.
func TestInterrupted(t *testing.T) {
	r := New(plan(time.Minute))
	r.Shard().Record(answer(1200*ms, ms))
	got := r.Finish(warm+1500*ms, true)
	if !got.Interrupted || got.End.Sub(got.Start) != 1500*time.Millisecond || len(got.Seconds) != 2 || got.Seconds[1].Length != 500*time.Millisecond || len(got.Answers) != 150 {
		t.Errorf("%+v, %d bins", got.Seconds, len(got.Answers))
	}
	// Goroutines that share a shard may come to be counted in another order than
	// they looked at the clock, and after whoever ends the load.
	r = New(plan(time.Minute))
	shared := r.Shared()
	shared.Record(answer(1200*ms, ms))
	shared.Record(answer(900*ms, ms))
	shared.Tick(warm + 2100*ms)
	if got := r.Finish(warm+1100*ms, true); got.End.Sub(got.Start) != 1200*time.Millisecond+1 || len(got.Seconds) != 2 || got.Seconds[1].Requests != 2 || got.Seconds[1].Length != 200*time.Millisecond+1 || got.Answers[100] != 1 || got.Answers[120] != 1 {
		t.Errorf("%v, %+v", got.End.Sub(got.Start), got.Seconds)
	}
	r = New(plan(time.Minute))
	r.Shard().Record(answer(-ms, ms))
	got = r.Finish(warm-ms, true)
	if !got.Interrupted || got.Requests != 0 || !got.End.Equal(got.Start) || !got.End.Equal(epoch.Add(-time.Millisecond)) || len(got.Seconds) != 0 || got.Throughput() != 0 {
		t.Errorf("%+v", got)
	}
}

// A load of a number of requests ends with the last of them, and counts those
// that were sent after the warm-up, whenever they ended.
func TestRequests(t *testing.T) {
	p := plan(time.Hour)
	p.Requests = 3
	r := New(p)
	s := r.Shard()
	s.Record(answer(50*ms, 60*ms)) // sent during the warm-up
	s.Record(answer(100*ms, 100*ms))
	s.Record(answer(150*ms, 50*ms))
	s.Record(answer(1700*ms, 1500*ms))
	s.Tick(warm + 1800*ms)
	s.Done()
	got := r.Finish(warm+1800*ms, false)
	if got.Requests != 3 || got.End.Sub(got.Start) != 1700*time.Millisecond+1 || len(got.Seconds) != 2 || got.Drain != 0 || got.Interrupted {
		t.Errorf("%d requests in %v, %d seconds", got.Requests, got.End.Sub(got.Start), len(got.Seconds))
	}
}

// Conservation: whatever ends when, in whichever shard, seconds and bins add up
// to the whole and cover the load without a gap; the intervals that are passed
// on meanwhile hold all of it; and several shards make what one makes that is
// told the same.
func TestConservation(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		duration := time.Duration(rapid.Int64Range(1, int64(4*time.Second)).Draw(t, "duration"))
		random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		n, shards := rapid.IntRange(0, 200).Draw(t, "requests"), rapid.IntRange(1, 4).Draw(t, "shards")
		p := plan(duration)
		p.Open, p.KeepResponses, p.Targets = rapid.Bool().Draw(t, "open"), true, 3
		many, one := New(p), New(p)
		var passed, sum loadresult.Second
		var times int64
		many.Interval(func(i loadresult.Interval) {
			if !i.Start.Equal(epoch.Add(passed.Length)) {
				t.Errorf("an interval begins at %v after %v", i.Start, passed.Length)
			}
			passed.Length += i.Length
			passed.Requests += i.Requests
			passed.Errors += i.Errors
			times += i.Service.Count() + i.Response.Count()
		})
		single := one.Shard()
		all := make([]*Shard, shards)
		for i := range all {
			all[i] = many.Shard()
		}
		var requests, answers, failed, leftover, behind int64
		at := -warm
		for range n {
			at += random.Int64N(3 * (int64(duration) + warm) / int64(n))
			o := []*Outcome{answer(at, 1), ended(at, Outcome{Kind: loadresult.Refused}), ended(at, Outcome{Kind: loadresult.TimedOut, Sent: ms}), ended(at, Outcome{Status: 500, Kind: loadresult.Status5xx, Connect: 7})}[random.IntN(4)]
			o.Target = random.IntN(3)
			belongs := at
			if p.Open {
				o.Due = max(0, o.End-random.Int64N(300*ms))
				if belongs = o.Due - warm; o.Kind == loadresult.TimedOut && random.IntN(2) == 0 {
					o.Sent = -1
				}
			}
			all[random.IntN(shards)].Record(o)
			single.Record(o)
			if random.IntN(4) == 0 {
				all[random.IntN(shards)].Tick(o.End)
			}
			if belongs < 0 && at >= 0 && at < int64(duration) && o.Status != 0 {
				leftover++
			}
			if belongs < 0 || belongs >= int64(duration) {
				continue
			}
			if at >= int64(duration) && o.Status != 0 {
				behind++
			}
			requests++
			if o.Status != 0 {
				answers++
			}
			if o.Kind != "" {
				failed++
			}
		}
		now := warm + max(at, int64(duration))
		got, want := many.Finish(now, false), one.Finish(now, false)
		var bins, length, due, came int64
		for i, s := range got.Seconds {
			if !s.Start.Equal(epoch.Add(time.Duration(i) * time.Second)) {
				t.Fatalf("second %d starts at %v", i, s.Start)
			}
			sum.Requests += s.Requests
			sum.Errors += s.Errors
			sum.Answered += s.Answered
			sum.Bytes += s.Bytes
			length += int64(s.Length)
			due += s.Due
			came += s.Came()
			if s.InTime > s.Due {
				t.Fatalf("%d of %d in time", s.InTime, s.Due)
			}
		}
		for _, b := range got.Answers {
			bins += int64(b)
		}
		if got.Requests != requests || sum.Requests != requests || sum.Errors != failed || got.Failed() != failed || bins != answers || got.Answered() != answers || sum.Answered != answers || sum.Bytes != got.Bytes || length != int64(duration) {
			t.Fatalf("%d requests, %d failed, %d answers: %+v", requests, failed, answers, got)
		}
		if came != answers+leftover-behind || got.Leftover != leftover || got.Behind != behind || len(got.Seconds) > 0 && got.Seconds[len(got.Seconds)-1].Behind != behind {
			t.Fatalf("%d left over, %d after the end; want %d and %d", got.Leftover, got.Behind, leftover, behind)
		}
		if p.Open != (due == requests) && requests > 0 {
			t.Fatalf("%d requests were due of %d", due, requests)
		}
		if passed.Requests != requests || passed.Errors != failed || int64(passed.Length) != length || times != got.Service.Count()+got.Response.Count() {
			t.Fatalf("passed on: %+v and %d times", passed, times)
		}
		if want := int((duration + loadresult.Bin - 1) / loadresult.Bin); len(got.Answers) != want {
			t.Fatalf("%d bins, want %d", len(got.Answers), want)
		}
		if got.Service != want.Service || got.Response != want.Response || got.Lateness != want.Lateness || got.LateSends != want.LateSends || got.Connections != want.Connections || got.Connecting != want.Connecting || got.Drain != want.Drain || len(got.Responses) != len(want.Responses) || len(got.Responses) != int(got.Response.Count()) {
			t.Fatal("several shards make other times than one")
		}
		if diff := cmp.Diff(want.Targets, got.Targets) + cmp.Diff(want.Status, got.Status) + cmp.Diff(want.Errors, got.Errors); diff != "" {
			t.Fatal(diff)
		}
		// In an open loop, where an answer may be recorded after one that ended
		// later, the shard decides which second it falls in.
		if diff := cmp.Diff(want.Seconds, got.Seconds) + cmp.Diff(want.Answers, got.Answers); diff != "" {
			t.Fatal(diff)
		}
	})
}

// Requests that wait for a connection are not late: the generator is not to
// blame. A request is late by what passed since it was due and its connection
// free, whichever came last.
func TestLateness(t *testing.T) {
	r := New(Plan{Origin: epoch, Duration: time.Second, Open: true})
	s := r.Shard()
	for _, c := range []struct{ due, free, sent, end int64 }{
		{10, 0, 10, 12},    // in time
		{20, 50, 50, 52},   // waited for its connection
		{30, 5, 45, 47},    // the generator was 15 ms late
		{40, 60, 61, 62},   // 1 ms after its connection: not more than that
		{50, 70, 90, 1500}, // late, and answered after the end
	} {
		s.Record(&Outcome{Due: c.due * ms, Free: c.free * ms, Sent: c.sent * ms, End: c.end * ms, Status: 200})
	}
	s.Record(&Outcome{Due: 900 * ms, Sent: -1, End: 2000 * ms, Kind: loadresult.TimedOut})
	s.Record(&Outcome{Due: 1000 * ms, Sent: 1000 * ms, End: 2000 * ms, Status: 200}) // due at the end: not in it
	res := r.Finish(2100*ms, false)
	if res.LateSends != 2 || res.LateRatio() != 2.0/5 || res.Lateness.Max() != 20*ms {
		t.Errorf("%d late (%v), at most by %v", res.LateSends, res.LateRatio(), time.Duration(res.Lateness.Max()))
	}
	if res.Requests != 6 || res.Errors[loadresult.TimedOut] != 1 || res.Response.Count() != 6 || res.Service.Count() != 5 {
		t.Errorf("%d requests, errors %v, %d response times, %d service times", res.Requests, res.Errors, res.Response.Count(), res.Service.Count())
	}
	// 1100 ms of waiting for the request that was never sent, 1450 of the last.
	if m := res.Response.Max(); m != 1450*ms {
		t.Errorf("largest response time %v", time.Duration(m))
	}
	if res.Drain != time.Second { // of what was given up
		t.Errorf("drain %v", res.Drain)
	}
	if s := res.Seconds[0]; s.Due != 6 || s.InTime != 5 || len(res.Seconds) != 1 {
		t.Errorf("%d due, %d in time", s.Due, s.InTime)
	}
	if res.Waited != 3 || res.Unsent != 1 { // number two, four and five
		t.Errorf("%d waited for a connection, %d never got one", res.Waited, res.Unsent)
	}
}

// A request that had less than its timeout when the load was given up has its
// timeout in the times, but the load did not last so long: two seconds, of which
// the last 500 ms drained what was due in the first 1,500, with one answer.
func TestGivenUp(t *testing.T) {
	p := plan(1500 * time.Millisecond)
	p.Open = true
	r := New(p)
	s := r.Shard()
	s.Record(&Outcome{Due: warm, Sent: warm, End: warm + 100*ms, Status: 200})
	s.Record(&Outcome{Due: warm + 1400*ms, Free: warm + 1900*ms, Sent: warm + 1900*ms, End: warm + 2900*ms, Kind: loadresult.TimedOut})
	res := r.Finish(warm+2000*ms, false)
	if res.Service.Max() != int64(time.Second) || res.Response.Max() != 1500*ms || res.Drain != 500*time.Millisecond || res.Throughput() != 1/1.5 {
		t.Errorf("service times up to %d ns, response times up to %d ns, drained for %v", res.Service.Max(), res.Response.Max(), res.Drain)
	}
}

// A request costs no allocation, also where seconds pass.
func TestNoAllocation(t *testing.T) {
	r := New(Plan{Origin: epoch, Duration: time.Hour, Open: true, Targets: 2})
	s := r.Shard()
	var now int64
	var o Outcome
	record := func() {
		now += 10 * ms
		o = Outcome{Due: now, Free: now, Sent: now + 1, End: now + ms, Status: 200, Bytes: 5, Connect: 1, Target: 1}
		s.Record(&o)
		s.Tick(now + ms)
	}
	for range 300 {
		record()
	}
	if n := testing.AllocsPerRun(1000, record); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkRecord(b *testing.B) {
	s := New(Plan{Origin: epoch, Duration: time.Hour}).Shard()
	o := Outcome{Due: -1, Status: 200, Bytes: 5}
	for i := range b.N {
		o.Sent = int64(i) * 10_000
		o.End = o.Sent + 100_000 + int64(i%1000)*100
		s.Record(&o)
	}
}

// Throughput returns the throughput of the answers between start and end, whenever they were due:
// of three, two are to requests of the warm-up. What comes after the end is none of
// them, and a request that hangs until its timeout takes nothing from it.
func TestThroughput(t *testing.T) {
	p := plan(time.Second)
	p.Open = true
	r := New(p)
	s := r.Shard()
	s.Record(&Outcome{Due: 0, Sent: 0, End: warm - 1, Status: 200})
	s.Record(&Outcome{Due: warm - 1, Sent: warm - 1, End: warm, Status: 200})
	s.Record(&Outcome{Due: warm - ms, Sent: warm, End: warm + 5*ms, Status: 503, Kind: loadresult.Status5xx})
	s.Record(&Outcome{Due: warm, Sent: warm, End: warm + ms, Status: 200})
	s.Record(&Outcome{Due: warm - 2*ms, Sent: warm, End: warm + 1000*ms, Status: 200})
	s.Record(&Outcome{Due: warm + 999*ms, Sent: warm + 999*ms, End: warm + 1000*ms, Status: 200})
	s.Fail(&Outcome{Due: warm - ms, Sent: warm - ms, End: warm + 5*ms, Kind: loadresult.Reset}, nil)
	s.Fail(&Outcome{Due: warm + 998*ms, Sent: warm + 998*ms, End: warm + 10_998*ms, Kind: loadresult.TimedOut}, nil)
	res := r.Finish(warm+10_998*ms, false)
	if res.Leftover != 2 || res.Behind != 1 || res.Requests != 3 || res.Answered() != 2 || res.Throughput() != 3 || res.Drain != 9998*time.Millisecond {
		t.Errorf("%d left over, %d after the end, %d requests, %d answered, %v/s, drain %v", res.Leftover, res.Behind, res.Requests, res.Answered(), res.Throughput(), res.Drain)
	}
	if s := res.Seconds[0]; s.Answered != 2 || s.Behind != 1 || s.Leftover != 2 || s.Throughput() != 3 || len(res.Seconds) != 1 {
		t.Errorf("%+v", res.Seconds)
	}

	// Of a number of requests it is that of these, in the time until the last ended.
	p.Requests = 2
	r = New(p)
	s = r.Shard()
	s.Record(&Outcome{Due: warm - 1, Sent: warm - 1, End: warm + ms, Status: 200})
	s.Record(&Outcome{Due: warm, Sent: warm, End: warm + ms, Status: 200})
	s.Record(&Outcome{Due: warm + ms, Sent: warm + ms, End: warm + 499_999_999, Status: 200})
	if res := r.Finish(warm+600*ms, false); res.Throughput() != 4 || res.End.Sub(res.Start) != 500*time.Millisecond {
		t.Errorf("%v/s in %v", res.Throughput(), res.End.Sub(res.Start))
	}
}

// A service that takes 2.5 ms for a request, asked 1,000 a second over one
// connection, for 3 s after a warm-up of one, with a timeout of 1 s. What falls due
// in the warm-up while it is busy is not sent: it gets every third, the last at 999
// ms. So request i of those that count is sent at 1,001.5 + 2.5·i ms, and answered
// 2.5 ms later. Those up to number 1,598 are answered before all is given up at
// 5,000 ms, at 4,999 ms the last; the next is under way then, and 1,400 were never
// sent: 1,599 + 1 + 1,400 are the 3,000 that were due.
//
// Number 1,199 is the first whose answer, at 4,001.5 ms, comes after the end, and
// 400 do. With the one that the warm-up left under way, (1,599 + 1 − 400) / 3 s are
// the 400 a second that the service does.
func TestOverloadOnPaper(t *testing.T) {
	const second = 1000 * ms
	r := New(Plan{Origin: epoch, Warmup: time.Second, Duration: 3 * time.Second, Open: true})
	s := r.Shard()
	free, due, end := int64(0), int64(0), 5*second
	for ; due < 4*second; due += ms {
		if due < free && due < second {
			continue
		}
		o := Outcome{Due: due, Free: free, Sent: max(due, free), Status: 200}
		o.End = o.Sent + 5*ms/2
		switch {
		case o.Sent >= end:
			o = Outcome{Due: due, Free: due, Sent: -1, End: end, Kind: loadresult.TimedOut}
		case o.End >= end:
			o.Status, o.Kind, o.End = 0, loadresult.TimedOut, o.Sent+second
		}
		if o.Sent >= 0 {
			free = o.End
		}
		s.Record(&o)
	}
	res := r.Finish(end, false)
	if res.Requests != 3000 || res.Answered() != 1599 || res.Unsent != 1400 || res.Errors[loadresult.TimedOut] != 1401 || res.Leftover != 1 || res.Behind != 400 || res.Throughput() != 400 {
		t.Errorf("%d requests, %d answered, %d unsent, %v, %d left over, %d after the end, %v/s", res.Requests, res.Answered(), res.Unsent, res.Errors, res.Leftover, res.Behind, res.Throughput())
	}
	// The first is there after 4 ms; the one under way was due at 2,599 ms, and stands
	// with its timeout until 5,999 ms.
	if res.Response.Min() != 4*ms || res.Response.Max() != 3400*ms || res.Service.Min() != 5*ms/2 || res.Service.Max() != second {
		t.Errorf("response times %v to %v, service times %v to %v", time.Duration(res.Response.Min()), time.Duration(res.Response.Max()), time.Duration(res.Service.Min()), time.Duration(res.Service.Max()))
	}
}
