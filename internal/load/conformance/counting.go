package conformance

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"whet/internal/load/engine"
	"whet/internal/load/message"
)

// counts checks that what an engine records is what the server counted, in
// every kind of loop.
func (s *runner) counts(t *testing.T) {
	t.Run("requests exactly", s.exactly)
	t.Run("as many at a time as connections", s.together)
	t.Run("one request a connection", s.unkept)
	t.Run("closed loop by time", s.timed)
	t.Run("warm-up", s.warmUp)
	t.Run("open loop", s.openLoop)
	t.Run("open loop with fewer connections than it needs", s.crowded)
	t.Run("mix", s.mix)
	t.Run("weighted mix", s.weighted)
	t.Run("think time", s.think)
}

// exactly checks the bound of requests for numbers below, at and above that of
// the connections.
func (s *runner) exactly(t *testing.T) {
	for _, c := range []struct{ requests, connections int }{{1, 1}, {1, 8}, {7, 8}, {8, 8}, {9, 8}, {1000, 1}, {1000, 7}, {3000, 64}} {
		t.Run(fmt.Sprintf("%d of %d", c.requests, c.connections), func(t *testing.T) {
			server := answering(t, always(sized("hello")))
			j := server.to(int64(c.requests))
			j.Connections = c.connections
			got := s.drive(t, t.Context(), j, server)
			got.all(t, int64(c.requests), http.StatusOK, "")
			server.counted(t, int64(c.requests), c.connections)
			if got.InFlight != 0 || got.Bytes != 5*int64(c.requests) || got.Interrupted {
				t.Errorf("%d in flight, %d bytes, interrupted %v", got.InFlight, got.Bytes, got.Interrupted)
			}
		})
	}
}

// spare returns how many connections more than it was told an engine may make to make
// up for kept ones: on a machine so busy that it takes 50 ms to hand a request to
// the kernel, net/http gives up the connection after the answer.
func spare(connections int) int { return 2 + connections/2 }

// counted checks what the server saw.
func (s *server) counted(t *testing.T, requests int64, connections int) {
	t.Helper()
	if got := s.requests.Load(); got != requests {
		t.Errorf("the server got %d requests, want %d", got, requests)
	}
	if got := s.connections.Load(); got > int64(connections+spare(connections)) || got == 0 && requests > 0 {
		t.Errorf("the server saw %d connections, want at most %d", got, connections)
	}
}

// together answers nothing until as many requests are there as there are
// connections, and checks that there are never more.
func (s *runner) together(t *testing.T) {
	const connections = 5
	b := newBarrier(connections)
	server := answering(t, func(c *conn, _ *serverRequest) bool {
		b.wait(t.Context())
		return c.give(sized("hello"))
	})
	j := server.to(20 * connections)
	j.Connections = connections
	got := s.drive(t, t.Context(), j, server)
	got.all(t, 20*connections, http.StatusOK, "")
	server.counted(t, 20*connections, connections)
	if n := server.connections.Load(); n < connections {
		t.Errorf("%d connections, want %d", n, connections)
	}
}

// barrier lets as many go on at a time as it is for.
type barrier struct {
	of   int
	mu   sync.Mutex
	in   int
	open chan struct{}
}

func newBarrier(of int) *barrier { return &barrier{of: of, open: make(chan struct{})} }

// wait waits for the others, and at most until ctx ends.
func (b *barrier) wait(ctx context.Context) {
	b.mu.Lock()
	open := b.open
	if b.in++; b.in == b.of {
		close(open)
		b.in, b.open = 0, make(chan struct{})
	}
	b.mu.Unlock()
	select {
	case <-open:
	case <-ctx.Done():
	}
}

// unkept makes a connection for every request, and says so in it.
func (s *runner) unkept(t *testing.T) {
	var said atomic.Int64
	server := answering(t, func(c *conn, q *serverRequest) bool {
		if q.Close {
			said.Add(1)
		}
		c.give(sized("hello"))
		c.last()
		return false
	})
	j := server.to(40)
	j.KeepAlive = false
	got := s.drive(t, t.Context(), j, server)
	got.all(t, 40, http.StatusOK, "")
	if n := server.connections.Load(); n != 40 || said.Load() != 40 || server.again.Load() != 0 {
		t.Errorf("%d connections for 40 requests, %d of which said that they close, %d used again", n, said.Load(), server.again.Load())
	}
	if got.Connections != 40 || got.Connecting <= 0 {
		t.Errorf("%d connections recorded, made in %v", got.Connections, got.Connecting)
	}
}

// timed ends by time: what was served and not recorded was under way.
func (s *runner) timed(t *testing.T) {
	s.untilSome(t, func(d time.Duration) bool {
		server := answering(t, always(sized("hello")))
		j := server.to(0)
		j.Connections, j.Duration = 4, d
		got := s.drive(t, t.Context(), j, server)
		if got.Failed() != 0 || got.End.Sub(got.Start) != d || got.Interrupted {
			t.Errorf("errors %v, %v long, interrupted %v", got.Errors, got.End.Sub(got.Start), got.Interrupted)
		}
		server.under(t, got, j)
		return got.Requests > 0
	})
}

// untilSome gives a load more time where the machine is so busy that too little
// came of it.
func (s *runner) untilSome(t *testing.T, enough func(time.Duration) bool) {
	t.Helper()
	s.untilFrom(t, 200*time.Millisecond, enough)
}

// untilFrom is untilSome from another time on: that of a timeout, within which a
// busy machine may not come to what the server is to have done before.
func (s *runner) untilFrom(t *testing.T, first time.Duration, enough func(time.Duration) bool) {
	t.Helper()
	for d := first; !enough(d); d *= 4 {
		if d > patience {
			t.Fatalf("not enough came of %v", d)
		}
	}
}

// under checks that all that the server got was recorded, but for what may have
// been under way at the end.
func (s *server) under(t *testing.T, got outcome, j *engine.Job) {
	t.Helper()
	served, most := s.requests.Load(), int64(j.Connections*j.Streams)
	if served < got.Requests || served > got.Requests+most {
		t.Errorf("the server got %d requests, %d were recorded, %d may have been under way", served, got.Requests, most)
	}
}

// warmUp checks that only requests after the warm-up count.
func (s *runner) warmUp(t *testing.T) {
	t.Run("by time", func(t *testing.T) {
		s.untilSome(t, func(d time.Duration) bool {
			server := answering(t, always(sized("hello")))
			j := server.to(0)
			j.Warmup, j.Duration = d, d
			got := s.drive(t, t.Context(), j, server)
			warm, _ := j.Recorder.WarmedUp()
			if served := server.requests.Load(); served < got.Requests+warm || served > got.Requests+warm+2 {
				t.Errorf("the server got %d requests, %d were recorded and %d in the warm-up", served, got.Requests, warm)
			}
			if got.Start.Sub(got.Began) != d {
				t.Errorf("the warm-up took %v", got.Start.Sub(got.Began))
			}
			return got.Requests > 0 && warm > 0
		})
	})
	t.Run("by number", func(t *testing.T) {
		s.untilSome(t, func(d time.Duration) bool {
			server := answering(t, always(sized("hello")))
			j := server.to(50)
			j.Warmup = d
			got := s.drive(t, t.Context(), j, server)
			got.all(t, 50, http.StatusOK, "")
			warm, _ := j.Recorder.WarmedUp()
			if served := server.requests.Load(); served != warm+50 {
				t.Errorf("the server got %d requests, %d in the warm-up and 50 after it were recorded", served, warm)
			}
			return warm > 0
		})
	})
}

// mix sends targets in turn: each as often as any other, as it was written.
func (s *runner) mix(t *testing.T) {
	var counts mixCounts
	server := answering(t, counts.answer)
	j := job(t, "tcp", server.addr(), 300, mixTargets(server.addr(), 0, 0, 0)...)
	j.Connections = 5
	got := s.drive(t, t.Context(), j, server)
	for i := range counts.of {
		if n := counts.of[i].Load(); n != 100 {
			t.Errorf("target %d was asked %d times of 300", i, n)
		}
	}
	counts.check(t, got)
}

// weighted draws targets by weight. That of 300 in 400 draws of probability 3/4
// more than 60 differ from what is expected has a probability below 10⁻¹¹
// (binomial, standard deviation 8.7).
func (s *runner) weighted(t *testing.T) {
	var counts mixCounts
	server := answering(t, counts.answer)
	j := job(t, "tcp", server.addr(), 400, mixTargets(server.addr(), 12, 3, 1)...)
	j.Connections = 3
	got := s.drive(t, t.Context(), j, server)
	if n := counts.of[0].Load(); n < 240 || n > 360 {
		t.Errorf("the target of weight 12 in 16 was asked %d times of 400", n)
	}
	counts.check(t, got)
}

// mixCounts are the requests to each of three targets.
type mixCounts struct {
	of    [3]atomic.Int64
	wrong atomic.Int64
}

func mixTargets(address string, weights ...float64) []message.Target {
	targets := []message.Target{
		{URL: "http://" + address + "/0?a=b&c=%20", Header: []message.Field{{Name: "X-Kind", Value: "zero"}}},
		{URL: "http://" + address + "/1", Method: http.MethodPost, Body: []byte("one, and {{seq}}")},
		{URL: "http://" + address + "/2", Method: http.MethodDelete, Header: []message.Field{{Name: "X-Kind", Value: "two {{int 5 5}}"}}},
	}
	for i := range targets {
		targets[i].Weight = weights[i]
	}
	return targets
}

func (m *mixCounts) answer(c *conn, q *serverRequest) bool {
	status, right := http.StatusOK, false
	switch q.RequestURI {
	case "/0?a=b&c=%20":
		m.of[0].Add(1)
		right = q.Method == http.MethodGet && q.Header.Get("X-Kind") == "zero" && len(q.body) == 0
	case "/1":
		m.of[1].Add(1)
		status = http.StatusCreated
		var n int
		_, err := fmt.Sscanf(string(q.body), "one, and %d", &n)
		right = q.Method == http.MethodPost && q.Header.Get("X-Kind") == "" && err == nil
	case "/2":
		m.of[2].Add(1)
		status = http.StatusNotFound
		right = q.Method == http.MethodDelete && q.Header.Get("X-Kind") == "two 5" && len(q.body) == 0
	}
	if !right {
		m.wrong.Add(1)
	}
	return c.give(fmt.Sprintf("HTTP/1.1 %d Some Reason\r\nContent-Length: 0\r\n\r\n", status))
}

// check compares the result with what the server counted.
func (m *mixCounts) check(t *testing.T, got outcome) {
	t.Helper()
	if n := m.wrong.Load(); n > 0 {
		t.Errorf("%d requests were not as their target was written", n)
	}
	for i, status := range []int{http.StatusOK, http.StatusCreated, http.StatusNotFound} {
		n := m.of[i].Load()
		if got.Status[status] != n || len(got.Targets) != 3 || got.Targets[i].Requests != n {
			t.Errorf("target %d: the server got %d requests; recorded were %d of its status and %+v", i, n, got.Status[status], got.Targets)
		}
	}
}

// think makes every connection think for longer than the load takes, so that
// each sends one request.
func (s *runner) think(t *testing.T) {
	for _, text := range []string{"1h", "exp:1h"} {
		t.Run(text, func(t *testing.T) {
			s.untilSome(t, func(d time.Duration) bool {
				server := answering(t, always(sized("hello")))
				j := server.to(0)
				j.Connections, j.Think, j.Duration = 4, thinking(t, text), d
				got := s.drive(t, t.Context(), j, server)
				// That an exponential time of a mean of an hour is below a second has
				// a probability of 1/3600.
				if n := server.requests.Load(); n > 4 && text == "1h" || n > 5 {
					t.Errorf("%d requests of 4 connections that think", n)
				}
				if got.InFlight > 0 && got.Requests == 4 {
					t.Errorf("%d requests under way while all think", got.InFlight)
				}
				return got.Requests >= 4
			})
		})
	}
}

func thinking(t *testing.T, text string) message.Think {
	t.Helper()
	think, err := message.ParseThink(text)
	if err != nil {
		t.Fatal(err)
	}
	return think
}
