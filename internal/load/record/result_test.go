package record

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"whet/internal/loadresult"
)

// Two targets and two shards: of the first an answer of 2 ms, one of 3 ms with a
// status of 503 and a refused connection, which has no time; of the second a
// timeout of 7 ms and, in an open loop, one that was never sent.
func TestTargets(t *testing.T) {
	for _, open := range []bool{false, true} {
		p := plan(time.Second)
		p.Open, p.Targets = open, 2
		r := New(p)
		shards := []*Shard{r.Shard(), r.Shard()}
		for i, o := range []Outcome{
			{Sent: 10 * ms, End: 12 * ms, Status: 200},
			{Sent: 20 * ms, End: 23 * ms, Status: 503, Kind: loadresult.Status5xx},
			{Sent: 30 * ms, End: 31 * ms, Kind: loadresult.Refused},
			{Sent: 40 * ms, End: 47 * ms, Kind: loadresult.TimedOut, Target: 1},
			{Sent: -ms, End: 40 * ms, Kind: loadresult.TimedOut, Target: 1},
		} {
			if o.Sent < 0 && !open {
				continue
			}
			o.Due = -1
			if open {
				o.Due = warm + 5*ms
			}
			if o.Sent >= 0 {
				o.Sent += warm
			}
			o.End += warm
			shards[i%2].Record(&o)
		}
		want := []loadresult.Target{{Requests: 3, Errors: 2, Timed: 2, Service: 5 * time.Millisecond}, {Requests: 1, Errors: 1, Timed: 1, Service: 7 * time.Millisecond}}
		if open {
			want[1].Requests, want[1].Errors = 2, 2
		}
		if diff := cmp.Diff(want, r.Finish(warm+int64(time.Second), false).Targets); diff != "" {
			t.Errorf("open %v: %s", open, diff)
		}
	}
}

// A shard may be seconds ahead of another: each has its own second, also where the
// memory of those that were closed before is used again.
func TestAhead(t *testing.T) {
	r := New(plan(5 * time.Second))
	ahead, behind := r.Shard(), r.Shard()
	ahead.Record(answer(100*ms, ms))
	behind.Record(answer(100*ms, ms))
	ahead.Tick(warm + 1100*ms)
	behind.Tick(warm + 1100*ms)
	for second := range int64(3) {
		for range second + 1 {
			ahead.Record(answer((second+1)*1000*ms+200*ms, ms))
		}
	}
	ahead.Tick(warm + 4100*ms)
	behind.Record(answer(2500*ms, ms))
	var got []int64
	for _, s := range r.Finish(warm+5000*ms, false).Seconds {
		got = append(got, s.Requests)
	}
	if diff := cmp.Diff([]int64{2, 1, 3, 3, 0}, got); diff != "" {
		t.Error(diff)
	}
}
