package record

import (
	"testing"
	"time"
)

// A service that stalls, on paper. 10,000 requests are due, one each
// millisecond, over one connection. Each takes 0.2 ms, but number 4,000 takes
// 500.2 ms. Those after it are answered one after the other: number 4,000 + i
// at 4,500.2 + 0.2·i ms, so that its response time is 500.2 − 0.8·i ms, until the
// backlog is gone: number 4,625 would be begun at 4,500.2 + 0.2·624 = 4,625 ms,
// which is when it is due.
//
// So of the response times 9,375 are 0.2 ms, and the 625 others lie 0.8 ms apart
// from 500.2 − 0.8·624 = 1.0 to 500.2 ms: rank r > 9,375 is 1.0 + 0.8·(r − 9,376).
// Of the service times all but one are 0.2 ms: an uncorrected recorder shows a
// p99.99 of 0.2 ms.
func TestStallOnPaper(t *testing.T) {
	const us = int64(time.Microsecond)
	r := New(Plan{Origin: epoch, Duration: 10 * time.Second, Open: true})
	shards := []*Shard{r.Shard(), r.Shard(), r.Shard()}
	free := int64(0)
	for k := range int64(10_000) {
		took := 200 * us
		if k == 4000 {
			took = 500_200 * us
		}
		o := Outcome{Due: k * ms, Free: free, Status: 200}
		o.Sent = max(o.Due, o.Free)
		o.End = o.Sent + took
		free = o.End
		shards[k%3].Record(&o)
		for _, s := range shards {
			s.Tick(o.End)
		}
	}
	got := r.Finish(free, false)
	near := func(what string, got, paper int64) {
		t.Helper()
		if got < paper || got-paper > paper/128 {
			t.Errorf("%s: %v, on paper %v", what, time.Duration(got), time.Duration(paper))
		}
	}
	for _, c := range []struct {
		q    float64
		rank int64
	}{{0.5, 5000}, {0.9, 9000}, {0.9375, 9375}, {0.9376, 9376}, {0.95, 9500}, {0.99, 9900}, {0.999, 9990}, {0.9999, 9999}, {1, 10_000}} {
		paper := 200 * us
		if c.rank > 9375 {
			paper = 1000*us + 800*us*(c.rank-9376)
		}
		near("response time", got.Response.Quantile(c.q), paper)
		service := 200 * us
		if c.rank == 10_000 {
			service = 500_200 * us
		}
		near("service time", got.Service.Quantile(c.q), service)
	}
	if got.Requests != 10_000 || got.Response.Max() != 500_200*us || got.LateSends != 0 || got.Lateness.Max() != 0 || got.Waited != 624 {
		t.Errorf("%d requests, at most %v, %d late, %d waited", got.Requests, time.Duration(got.Response.Max()), got.LateSends, got.Waited)
	}
	// The second of the stall: due each millisecond, and those of its last
	// 499.8 ms were sent when their turn came, all within it.
	if s := got.Seconds[4]; s.Due != 1000 || s.InTime != 1000 || s.Requests != 1000 || s.Response.Max != time.Duration(500_200*us) {
		t.Errorf("%+v", s)
	}
}
