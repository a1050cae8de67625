package conformance

import (
	"context"
	"net/http"
	"testing"
	"time"

	"whet/internal/schedule"
)

// stopping checks that a load ends at once when told to, with requests in flight,
// and reports them. Every case checks that no connection stays open.
func (s *runner) stopping(t *testing.T) {
	t.Run("interrupted", s.interrupted)
	t.Run("interrupted before it began", s.interruptedBefore)
	t.Run("interrupted while it connects", s.interruptedConnecting)
	t.Run("interrupted open loop", s.interruptedOpen)
	t.Run("interrupted while it thinks", s.interruptedThinking)
	t.Run("ends within requests", s.cutOff)
	t.Run("ends within the warm-up", s.interruptedWarmUp)
}

// interrupted answers some requests, lets one on each connection hang, and
// interrupts the load then.
func (s *runner) interrupted(t *testing.T) {
	const connections = 4
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	b := newBarrier(connections)
	server := answering(t, func(c *conn, q *serverRequest) bool {
		if c.asked <= 10 {
			return c.give(sized("hello"))
		}
		b.wait(ctx)
		cancel()
		c.stall()
		return false
	})
	j := server.to(0)
	j.Connections = connections
	got := s.drive(t, ctx, j, server)
	got.all(t, 10*connections, http.StatusOK, "")
	if !got.Interrupted || got.InFlight != connections || got.OldestInFlight <= 0 || server.requests.Load() != 11*connections {
		t.Errorf("interrupted %v, %d under way, the oldest for %v; the server got %d requests", got.Interrupted, got.InFlight, got.OldestInFlight, server.requests.Load())
	}
}

// interruptedBefore sends nothing.
func (s *runner) interruptedBefore(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	server := answering(t, always(sized("hello")))
	got := s.drive(t, ctx, server.to(0), server)
	if got.Answered() != 0 || !got.Interrupted {
		t.Errorf("%d answers, interrupted %v", got.Answered(), got.Interrupted)
	}
}

// interruptedConnecting hangs in a handshake.
func (s *runner) interruptedConnecting(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	server := listen(t, func(c *conn) {
		if c.nth == 1 {
			cancel()
		}
		c.stall()
	})
	ca := newAuthority(t)
	got := s.drive(t, ctx, server.toSecure(0, ca.trusted()), server)
	if got.Requests != 0 || !got.Interrupted || got.InFlight != 2 {
		t.Errorf("%d requests, errors %v, %d under way, interrupted %v", got.Requests, got.Errors, got.InFlight, got.Interrupted)
	}
}

// interruptedOpen leaves requests unanswered and unsent; none of them counts. An
// answer may have been on its way.
func (s *runner) interruptedOpen(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	server := answering(t, func(c *conn, q *serverRequest) bool {
		if q.nth < 20 {
			return c.give(sized("hello"))
		}
		cancel()
		c.stall()
		return false
	})
	j := server.to(0)
	j.Connections, j.Arrivals = 2, schedule.Constant(2000)
	got := s.drive(t, ctx, j, server)
	given := server.answers.Load()
	if !got.Interrupted || got.Failed() != 0 || got.InFlight < 1 || got.Requests > given || got.Requests+int64(got.InFlight) < given {
		t.Errorf("interrupted %v, %d requests, errors %v, %d under way; the server gave %d answers", got.Interrupted, got.Requests, got.Errors, got.InFlight, given)
	}
}

// interruptedThinking waits for users who think for an hour.
func (s *runner) interruptedThinking(t *testing.T) {
	s.untilSome(t, func(d time.Duration) bool {
		ctx, cancel := context.WithTimeout(t.Context(), d)
		defer cancel()
		server := answering(t, always(sized("hello")))
		j := server.to(0)
		j.Think = thinking(t, "1h")
		got := s.drive(t, ctx, j, server)
		if got.Requests > 2 || got.Failed() != 0 {
			t.Errorf("%d requests, errors %v", got.Requests, got.Errors)
		}
		return got.Requests == 2
	})
}

// cutOff ends by time while every connection waits for an answer.
func (s *runner) cutOff(t *testing.T) {
	server := answering(t, func(c *conn, _ *serverRequest) bool { c.stall(); return false })
	for _, requests := range []int64{0, 100} {
		s.untilSome(t, func(d time.Duration) bool {
			before := server.requests.Load()
			j := server.to(requests)
			j.Duration = d
			got := s.drive(t, t.Context(), j, server)
			if got.Requests != 0 || got.Interrupted || got.InFlight != 2 {
				t.Errorf("%d requests, errors %v, interrupted %v, %d under way", got.Requests, got.Errors, got.Interrupted, got.InFlight)
			}
			return server.requests.Load() == before+2
		})
	}
}

// interruptedWarmUp counts nothing.
func (s *runner) interruptedWarmUp(t *testing.T) {
	for _, open := range []bool{false, true} {
		ctx, cancel := context.WithCancel(t.Context())
		server := answering(t, func(c *conn, q *serverRequest) bool {
			if q.nth == 10 {
				cancel()
			}
			return c.give(sized("hello"))
		})
		j := server.to(0)
		j.Warmup = time.Hour
		if open {
			j.Arrivals = schedule.Constant(1000)
		}
		got := s.drive(t, ctx, j, server)
		if got.Requests != 0 || !got.Interrupted || server.requests.Load() < 10 {
			t.Errorf("%d requests, interrupted %v; the server got %d", got.Requests, got.Interrupted, server.requests.Load())
		}
		cancel()
	}
}
