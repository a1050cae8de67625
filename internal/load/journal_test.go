package load

import (
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"whet/internal/hist"
	"whet/internal/load/message"
	"whet/internal/loadresult"
	"whet/internal/schedule"
)

// The server keeps a journal of its own: when each request came, and when its
// answer was made. Whatever the machine does meanwhile, of requests on one
// connection, one after the other,
//
//	Sent(k) <= came(k) <= made(k) <= End(k) <= Sent(k+1) <= came(k+1)
//
// since the client cannot send what it has not decided to send, nor read what was
// not written. So for each request the journal says between which two times the
// service time lies, and, as it is known when a request was due, the response time:
//
//	made(k) − came(k) <= service(k)  <= came(k+1) − max(made(k−1), due(k))
//	made(k) − due(k)  <= response(k) <= came(k+1) − due(k)
//
// If each of n numbers is between two others, so is the r-th smallest of them
// between the r-th smallest of these. A quantile of a histogram may lie 1/128 above
// it (package hist). No other tolerance is needed: what the loopback takes is within.

// entry is a request in the journal, in time since the load's origin.
type entry struct {
	id         int
	connection string
	came, made time.Duration
}

// journal is a server that writes one.
type journal struct {
	mu      sync.Mutex
	entries []entry
	moments [][2]time.Time // of each entry
}

// serve answers requests for /1, /2, …, each after the time it is to be held.
func (j *journal) serve(hold func(id int) time.Duration) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		came := time.Now()
		id, _ := strconv.Atoi(r.URL.Path[1:])
		if d := hold(id); d > 0 {
			<-time.After(d)
		}
		made := time.Now()
		j.mu.Lock()
		j.entries = append(j.entries, entry{id: id, connection: r.RemoteAddr})
		j.moments = append(j.moments, [2]time.Time{came, made})
		j.mu.Unlock()
		io.WriteString(w, "hello")
	}
}

// drive drives a load of such requests, and returns its journal in the order in
// which they came.
func (j *journal) drive(t *testing.T, o Options, url string) (*loadresult.Result, []entry, time.Duration) {
	t.Helper()
	set, err := message.New([]message.Target{{URL: url + "/{{seq}}"}}, message.Options{})
	if err != nil {
		t.Fatal(err)
	}
	o.Messages = set
	r, err := Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	over := time.Since(r.Began)
	j.mu.Lock()
	defer j.mu.Unlock()
	ids := make(map[int]int)
	for i := range j.entries {
		e := &j.entries[i]
		e.came, e.made = j.moments[i][0].Sub(r.Began), j.moments[i][1].Sub(r.Began)
		ids[e.id]++
	}
	slices.SortFunc(j.entries, func(a, b entry) int { return int(a.came - b.came) })
	n := len(j.entries)
	if int64(n) != r.Requests || int64(n) != r.Answered() || r.Failed() != 0 || r.Service.Count() != int64(n) || r.Bytes != int64(5*n) || len(ids) != n {
		t.Fatalf("the journal has %d requests, %d different ones; the result %d, %d answered, %v, %d service times", n, len(ids), r.Requests, r.Answered(), r.Errors, r.Service.Count())
	}
	for id := 1; id <= n; id++ {
		if ids[id] != 1 {
			t.Fatalf("request %d came %d times", id, ids[id])
		}
	}
	return r, j.entries, over
}

// within checks a histogram against bounds of each time that is in it.
func within(t *testing.T, what string, h *hist.Histogram, low, high []time.Duration) {
	t.Helper()
	n := len(low)
	if h.Count() != int64(n) {
		t.Fatalf("%d %ss of %d", h.Count(), what, n)
	}
	slices.Sort(low)
	slices.Sort(high)
	check := func(name string, got int64, rank int) {
		t.Helper()
		least, most := int64(low[rank-1]), int64(high[rank-1])
		if got < least || got > most+most/128+1 {
			t.Errorf("%s %s: %v, by the journal %v to %v", what, name, time.Duration(got), time.Duration(least), time.Duration(most))
		}
	}
	for _, percent := range []int{1, 10, 25, 50, 75, 90, 95, 99, 100} {
		check(fmt.Sprintf("p%d", percent), h.Quantile(float64(percent)/100), (percent*n+99)/100)
	}
	check("least", h.Min(), 1)
	check("largest", h.Max(), n)
	var least, most float64
	for i := range low {
		least, most = least+float64(low[i])/float64(n), most+float64(high[i])/float64(n)
	}
	if m := h.Mean(); m < least*(1-1e-9) || m > most*(1+1e-9) {
		t.Errorf("%s mean: %v, by the journal %v to %v", what, m, least, most)
	}
}

// A closed loop over three connections. Requests are held for 0 to 2.9 ms.
func TestJournalOfClosedLoop(t *testing.T) {
	if testing.Short() {
		t.Skip("drives a load")
	}
	each(t, func(t *testing.T, engine string) {
		var j journal
		s := quiet(t, j.serve(func(id int) time.Duration { return time.Duration(id*7%30) * 100 * time.Microsecond }))
		o := options("")
		o.Engine, o.Concurrency, o.Loops, o.Requests, o.Duration = engine, 3, 1, 300, time.Hour
		r, all, over := j.drive(t, o, s.URL)
		by := make(map[string][]entry)
		for _, e := range all {
			by[e.connection] = append(by[e.connection], e)
		}
		// net/http gives a connection up whose write it did not hear of for 50 ms.
		if len(by) < 3 || r.Requests != 300 {
			t.Errorf("%d requests over %d connections", r.Requests, len(by))
		}
		var low, high []time.Duration
		for _, name := range slices.Sorted(maps.Keys(by)) {
			entries := by[name]
			for k, e := range entries {
				before, next := time.Duration(0), over
				if k > 0 {
					before = entries[k-1].made
				}
				if k+1 < len(entries) {
					next = entries[k+1].came
				}
				low, high = append(low, e.made-e.came), append(high, next-before)
			}
		}
		within(t, "service time", &r.Service, low, high)
		// The load ends with its last answer.
		if end := r.End.Sub(r.Began); end < all[len(all)-1].made || end > over {
			t.Errorf("the load ended at %v, the last answer was made at %v", end, all[len(all)-1].made)
		}
	})
}

// A planted stall: 1,000 requests are due, one each millisecond, over one
// connection, and number 300 (from 0) is held for half a second. Those due
// meanwhile wait: number 300 + i for 500 − i ms at least, so that of the 1,000 the
// largest is 500 ms or more, the next 499 ms, and so on. Rank 750 is the 251st
// largest: 250 ms. Of the service times that of number 300 alone is a long one, and
// the journal shows that as well.
//
// It was seen to fail with response times from the actual send, and with service
// times from when a request was due, in each engine.
func TestPlantedStall(t *testing.T) {
	if testing.Short() {
		t.Skip("drives a load")
	}
	each(t, func(t *testing.T, engine string) {
		const stalled, stall = 300, 500 * time.Millisecond
		var j journal
		s := quiet(t, j.serve(func(id int) time.Duration {
			if id == stalled+1 { // {{seq}} counts from 1
				return stall
			}
			return 0
		}))
		o := options("")
		o.Engine, o.Concurrency, o.Duration, o.Schedule = engine, 1, time.Second, schedule.Constant(1000)
		r, all, over := j.drive(t, o, s.URL)
		if r.Requests != 1000 || r.Response.Count() != 1000 || r.Unsent != 0 {
			t.Fatalf("%d requests, %d response times, %d never sent", r.Requests, r.Response.Count(), r.Unsent)
		}
		var service, response [2][]time.Duration
		for k, e := range all {
			due := time.Duration(k) * time.Millisecond
			before, next := due, over
			if k > 0 {
				before = max(due, all[k-1].made)
			}
			if k+1 < len(all) {
				next = all[k+1].came
			}
			service[0], service[1] = append(service[0], e.made-e.came), append(service[1], next-before)
			response[0], response[1] = append(response[0], e.made-due), append(response[1], next-due)
		}
		within(t, "service time", &r.Service, service[0], service[1])
		within(t, "response time", &r.Response, response[0], response[1])
		for _, c := range []struct {
			q     float64
			paper time.Duration
		}{{0.75, 250 * time.Millisecond}, {0.9, 400 * time.Millisecond}, {0.99, 490 * time.Millisecond}, {1, 500 * time.Millisecond}} {
			if got := time.Duration(r.Response.Quantile(c.q)); got < c.paper {
				t.Errorf("response time at %v: %v, on paper %v at least", c.q, got, c.paper)
			}
		}
		if r.Waited < 499 {
			t.Errorf("%d requests waited for the connection, on paper 499 at least", r.Waited)
		}
	})
}
