package conformance

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"whet/internal/loadresult"
	"whet/internal/schedule"
)

// openLoop sends what the schedule plans, all of it and once.
func (s *runner) openLoop(t *testing.T) {
	plans := map[string]schedule.Schedule{
		"constant": schedule.Constant(1000),
		"fast":     schedule.Constant(10_000),
		"ramp":     schedule.Ramp(100, 2000, 300*time.Millisecond),
		"steps":    schedule.Steps([]schedule.Step{{Rate: 200, For: 100 * time.Millisecond}, {Rate: 2000, For: 100 * time.Millisecond}, {Rate: 500, For: time.Second}}),
		"poisson":  schedule.Constant(1000).Poisson(7),
	}
	for name, plan := range plans {
		t.Run(name, func(t *testing.T) {
			for _, loops := range []int{1, 2} {
				server := answering(t, always(sized("hello")))
				j := server.to(0)
				j.Connections, j.Loops, j.Arrivals, j.Duration = 16, loops, plan, 250*time.Millisecond
				want := due(plan, 0, j.Duration)
				got := s.drive(t, t.Context(), j, server)
				got.all(t, want, http.StatusOK, "")
				server.counted(t, want, 16)
				arrived(t, got, want)
			}
		})
	}
	t.Run("requests exactly", func(t *testing.T) {
		for _, requests := range []int64{1, 99} {
			server := answering(t, always(sized("hello")))
			j := server.to(requests)
			j.Connections, j.Loops, j.Arrivals = 8, 2, schedule.Constant(2000)
			got := s.drive(t, t.Context(), j, server)
			got.all(t, requests, http.StatusOK, "")
			server.counted(t, requests, 8)
			arrived(t, got, requests)
		}
	})
	// The first request of each connection finds it free, also where it is due before
	// the engine has begun: what it waits for is that the connection is made.
	t.Run("first requests", func(t *testing.T) {
		const connections = 8
		b := newBarrier(connections)
		server := answering(t, func(c *conn, _ *serverRequest) bool {
			b.wait(t.Context())
			return c.give(sized("hello"))
		})
		j := server.to(connections)
		j.Connections, j.Loops, j.Arrivals = connections, 2, schedule.Constant(100_000)
		got := s.drive(t, t.Context(), j, server)
		got.all(t, connections, http.StatusOK, "")
		if got.Waited != 0 || got.Connections != connections {
			t.Errorf("%d requests waited for one of %d connections; %d were made", got.Waited, connections, got.Connections)
		}
	})
	t.Run("warm-up", func(t *testing.T) {
		server := answering(t, always(sized("hello")))
		j := server.to(0)
		j.Connections, j.Arrivals = 8, schedule.Constant(1000)
		j.Warmup, j.Duration = 100*time.Millisecond, 200*time.Millisecond
		got := s.drive(t, t.Context(), j, server)
		got.all(t, 200, http.StatusOK, "")
		// An arrival of the warm-up that finds no connection free is let go.
		if n := server.requests.Load(); n < 200 || n > 300 {
			t.Errorf("the server got %d requests; want 200, and up to 100 of the warm-up", n)
		}
		arrived(t, got, 200)
	})
	// Each connection's first request is answered after the warm-up: what else fell
	// due in that is not sent, and all that counts is.
	t.Run("behind in the warm-up", func(t *testing.T) {
		const warmup = 100 * time.Millisecond
		server := answering(t, func(c *conn, _ *serverRequest) bool {
			if c.asked == 1 {
				<-time.After(warmup)
			}
			return c.give(sized("hello"))
		})
		j := server.to(0)
		j.Connections, j.Arrivals = 2, schedule.Constant(1000)
		j.Warmup, j.Duration = warmup, 200*time.Millisecond
		got := s.drive(t, t.Context(), j, server)
		got.all(t, 200, http.StatusOK, "")
		if n := server.requests.Load(); n < 200 || n > 202 {
			t.Errorf("the server got %d requests; want 200, and up to 2 of the warm-up", n)
		}
		arrived(t, got, 200)
	})
}

// due returns how many arrivals a plan has between two moments, one by one.
func due(plan schedule.Schedule, from, to time.Duration) (n int64) {
	a := plan.Arrivals(0, 1)
	for at := a.Next(); at < to; at = a.Next() {
		if at >= from {
			n++
		}
	}
	return n
}

// arrived checks what an open loop counts besides, where all was sent.
func arrived(t *testing.T, got outcome, want int64) {
	t.Helper()
	var planned int64
	for _, second := range got.Seconds {
		planned += second.Due
		if second.InTime > second.Due {
			t.Errorf("%d requests sent in their second, %d were due in it", second.InTime, second.Due)
		}
	}
	if got.Response.Count() != want || got.Service.Count() != want || got.Lateness.Count() != want || planned != want {
		t.Errorf("%d response times, %d service times, %d sends that may be late, %d due in the seconds; want %d of each",
			got.Response.Count(), got.Service.Count(), got.Lateness.Count(), planned, want)
	}
	if got.Response.Max() < got.Service.Max() || got.Response.Min() < got.Service.Min() {
		t.Errorf("response times %d to %d ns, service times %d to %d ns: a response takes as long as its service at least",
			got.Response.Min(), got.Response.Max(), got.Service.Min(), got.Service.Max())
	}
}

// crowded has fewer connections than arrivals need, and a server that answers
// none: what was due is recorded all the same, sent or not, as timed out.
func (s *runner) crowded(t *testing.T) {
	for _, connections := range []int{1, 3} {
		t.Run(fmt.Sprint(connections), func(t *testing.T) {
			server := answering(t, func(c *conn, _ *serverRequest) bool { c.stall(); return false })
			j := server.to(0)
			j.Connections, j.Arrivals, j.Duration, j.Timeout = connections, schedule.Constant(200), 100*time.Millisecond, 60*time.Millisecond
			got := s.drive(t, t.Context(), j, server)
			got.all(t, 20, 0, loadresult.TimedOut)
			if got.Response.Count() != 20 || got.Service.Count() != got.Lateness.Count() || got.Service.Count() >= 20 || got.Service.Count() < server.requests.Load() {
				t.Errorf("%d response times, %d service times, %d sends that may be late, %d requests at the server",
					got.Response.Count(), got.Service.Count(), got.Lateness.Count(), server.requests.Load())
			}
			// Also of those that were sent when there was less than that left.
			if got.Service.Count() > 0 && got.Service.Min() < int64(j.Timeout) || got.Response.Min() < int64(j.Timeout) {
				t.Errorf("service times from %d ns, response times from %d ns, of a timeout of %v", got.Service.Min(), got.Response.Min(), j.Timeout)
			}
			if got.InFlight != 0 {
				t.Errorf("%d cut off", got.InFlight)
			}
		})
	}
	// The queue drains: all are answered, though most came late.
	t.Run("drained", func(t *testing.T) {
		server := answering(t, always(sized("hello")))
		j := server.to(0)
		j.Connections, j.Arrivals, j.Duration = 1, schedule.Constant(50_000), 100*time.Millisecond
		got := s.drive(t, t.Context(), j, server)
		got.all(t, 5000, http.StatusOK, "")
		server.counted(t, 5000, 1)
		arrived(t, got, 5000)
	})
}
