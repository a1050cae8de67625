package record

import (
	"testing"
	"time"

	"whet/internal/loadresult"
)

// Whoever takes long over an interval holds up nobody: the seconds that wait
// are put together, and all of them come, in order.
func TestSlowReader(t *testing.T) {
	r := New(plan(30 * time.Second))
	release, begun := make(chan struct{}), make(chan struct{})
	var got []loadresult.Interval
	var times int64
	r.Interval(func(i loadresult.Interval) {
		if len(got) == 0 {
			close(begun)
			<-release
		}
		got = append(got, i)
		times += i.Service.Count()
		if int64(i.Max) != i.Service.Max() || i.Service.Count() != i.Requests {
			t.Errorf("%+v does not sum up its times", i.Second)
		}
	})
	s := r.Shard()
	s.Record(answer(0, ms))
	s.Tick(warm + int64(time.Second))
	<-begun
	for k := range int64(29) {
		s.Record(answer((k+1)*1000*ms, k*ms))
	}
	release <- struct{}{}
	res := r.Finish(warm+30_000*ms, false)
	// One is being read, eight wait, and all others are in the last of those; the
	// thirtieth may find room again.
	if len(got) < 9 || len(got) > 10 || times != 30 || res.Requests != 30 || len(res.Seconds) != 30 {
		t.Errorf("%d intervals with %d times, %d seconds", len(got), times, len(res.Seconds))
	}
	next := epoch
	for _, i := range got {
		if !i.Start.Equal(next) {
			t.Errorf("an interval begins at %v, not %v", i.Start, next)
		}
		next = i.Start.Add(i.Length)
	}
	if !next.Equal(epoch.Add(30 * time.Second)) {
		t.Errorf("the last ends at %v", next)
	}
}

// A second is closed once all shards have passed it; one that is done passes
// them all.
func TestClosing(t *testing.T) {
	r := New(plan(time.Minute))
	passed := make(chan int64, 100)
	r.Interval(func(i loadresult.Interval) { passed <- i.Requests })
	a, b := r.Shard(), r.Shard()
	a.Record(answer(100*ms, ms))
	b.Record(answer(200*ms, ms))
	a.Record(answer(2100*ms, ms))
	if got := len(r.result.Seconds); got != 0 {
		t.Errorf("%d seconds are closed, which one shard has not passed", got)
	}
	b.Tick(warm + 1500*ms)
	if n := <-passed; n != 2 || len(r.result.Seconds) != 1 {
		t.Errorf("%d requests in the first of %d seconds", n, len(r.result.Seconds))
	}
	b.Done()
	if n := <-passed; n != 0 || len(r.result.Seconds) != 2 {
		t.Errorf("%d requests in the second of %d seconds", n, len(r.result.Seconds))
	}
	// A shard that comes later begins with what is open.
	c := r.Shard()
	c.Record(answer(1000*ms, ms))
	a.Done()
	c.Done()
	got := r.Finish(warm+3000*ms, true)
	if len(got.Seconds) != 3 || got.Seconds[2].Requests != 2 || got.Requests != 4 {
		t.Errorf("%+v", got.Seconds)
	}
}

// The last interval of a load that was cut short is as long as it came, and of
// several shards' first failures the first is the example.
func TestCutShort(t *testing.T) {
	r := New(plan(time.Minute))
	var length time.Duration
	r.Interval(func(i loadresult.Interval) { length += i.Length })
	late, early := r.Shard(), r.Shard()
	late.Fail(ended(300*ms, Outcome{Kind: loadresult.Refused}), func() string { return "second" })
	early.Fail(ended(200*ms, Outcome{Kind: loadresult.Refused}), func() string { return "first" })
	late.Fail(ended(400*ms, Outcome{Kind: loadresult.Refused}), func() string { return "third" })
	got := r.Finish(warm+1250*ms, true)
	if length != 1250*time.Millisecond || got.Examples[loadresult.Refused] != "first" {
		t.Errorf("intervals of %v, example %q", length, got.Examples[loadresult.Refused])
	}
	r = New(plan(time.Minute))
	early, late = r.Shard(), r.Shard()
	early.Fail(ended(200*ms, Outcome{Kind: loadresult.Refused}), func() string { return "first" })
	late.Fail(ended(300*ms, Outcome{Kind: loadresult.Refused}), func() string { return "second" })
	if got := r.Finish(warm+1250*ms, true); got.Examples[loadresult.Refused] != "first" {
		t.Errorf("example %q", got.Examples[loadresult.Refused])
	}
}
