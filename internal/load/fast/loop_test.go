//go:build linux

package fast

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"whet/internal/load/engine"
	"whet/internal/load/message"
	"whet/internal/loadresult"
	"whet/internal/schedule"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// A request allocates nothing. The server of this test does not either; what
// remains is making loops and connections.
func TestAllocations(t *testing.T) {
	if testing.Short() {
		t.Skip("drives a load")
	}
	addr := listen(t, "tcp", "127.0.0.1:0", hello)
	for _, open := range []bool{false, true} {
		j := job(t, addr)
		j.Connections, j.Requests = 32, 30_000
		want := j.Requests
		if open {
			j.Requests, j.Duration, j.Arrivals = 0, time.Second, schedule.Constant(5000)
			want = 5000
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		r, _ := drive(t, j)
		runtime.ReadMemStats(&after)
		wantKinds(t, r, want, nil)
		if n := after.Mallocs - before.Mallocs; n > 1500 {
			t.Errorf("open %v: %d allocations for %d requests", open, n, want)
		}
	}
}

// Exactly as many requests as were asked for reach the server, from several
// loops.
func TestRequests(t *testing.T) {
	var seen atomic.Int64
	addr := listen(t, "tcp", "127.0.0.1:0", func(c net.Conn) {
		requests(c, func() bool {
			seen.Add(1)
			_, err := io.WriteString(c, answer)
			return err == nil
		})
	})
	for _, n := range []int64{1, 2, 7, 1000} {
		seen.Store(0)
		j := job(t, addr)
		j.Connections, j.Loops, j.Requests = 7, 3, n
		r, report := drive(t, j)
		wantKinds(t, r, n, nil)
		if seen.Load() != n || report.InFlight != 0 {
			t.Errorf("%d requests reached the server, %d were cut off; want %d, 0", seen.Load(), report.InFlight, n)
		}
	}
}

// A loop whose connections all think does not hold up the end.
func TestThinkAtTheEnd(t *testing.T) {
	addr := listen(t, "tcp", "127.0.0.1:0", hello)
	j := job(t, addr)
	think, err := message.ParseThink("1h")
	if err != nil {
		t.Fatal(err)
	}
	j.Think, j.Requests = think, 3 // of four connections
	r, _ := drive(t, j)
	wantKinds(t, r, 3, nil)
}

// Every arrival that was due is recorded once, whatever loop it fell to.
func TestArrivals(t *testing.T) {
	addr := listen(t, "tcp", "127.0.0.1:0", hello)
	for _, loops := range []int{1, 2, 3} {
		j := job(t, addr)
		j.Connections, j.Loops = 8, loops
		j.Arrivals, j.Warmup, j.Duration = schedule.Constant(2000), 50*time.Millisecond, 250*time.Millisecond
		r, _ := drive(t, j)
		// Arrivals k/2000 s in [0.05, 0.3): k from 100 to 599.
		wantKinds(t, r, 500, nil)
		if r.Response.Count() != 500 || r.Lateness.Count() != 500 {
			t.Errorf("%d loops: %d response times, %d latenesses; want 500", loops, r.Response.Count(), r.Lateness.Count())
		}
	}
}

// What is unanswered or unsent when the load is given up has timed out; it has
// waited since it was due.
func TestGiveUp(t *testing.T) {
	addr := listen(t, "tcp", "127.0.0.1:0", silent)
	j := job(t, addr)
	j.Connections, j.Loops = 2, 2
	j.Arrivals, j.Duration, j.Timeout = schedule.Constant(100), 100*time.Millisecond, 300*time.Millisecond
	r, report := drive(t, j)
	wantKinds(t, r, 10, map[string]int64{loadresult.TimedOut: 10})
	// Arrival k is due after 10k ms; the first two are sent at once and time out
	// at about 300 and 310 ms; the next two are sent then, and given up at 400 ms
	// with all others; they stand there with their timeout too.
	// Fewer are sent where the machine comes late to the loop.
	if n := r.Service.Count(); r.Response.Count() != 10 || r.Response.Min() < int64(j.Timeout) || n > 0 && r.Service.Min() < int64(j.Timeout) || n > 4 || report.InFlight != 0 {
		t.Errorf("%d response times from %v, %d service times from %v, %d in flight", r.Response.Count(), time.Duration(r.Response.Min()), r.Service.Count(), time.Duration(r.Service.Min()), report.InFlight)
	}
}

// Nothing is sent that was due at the end or after it, though connections are
// free and the load still waits for answers.
func TestNothingBehindTheEnd(t *testing.T) {
	var seen atomic.Int64
	addr := listen(t, "tcp", "127.0.0.1:0", func(c net.Conn) {
		requests(c, func() bool { seen.Add(1); return true })
	})
	j := job(t, addr)
	j.Connections = 64
	j.Arrivals, j.Duration, j.Timeout = schedule.Constant(100), 100*time.Millisecond, 300*time.Millisecond
	r, _ := drive(t, j)
	wantKinds(t, r, 10, map[string]int64{loadresult.TimedOut: 10})
	if seen.Load() > 10 { // fewer where the machine comes late to the loop, or to the service
		t.Errorf("the service got %d requests", seen.Load())
	}
}

// An end of the context cuts off at once, also where nothing happens.
func TestCutOff(t *testing.T) {
	if testing.Short() {
		t.Skip("drives a load")
	}
	asked := make(chan struct{}, 8)
	addr := listen(t, "tcp", "127.0.0.1:0", func(c net.Conn) {
		requests(c, func() bool { asked <- struct{}{}; return true })
	})
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		for range 4 {
			<-asked
		}
		cancel()
	}()
	r, report := driveUntil(t, ctx, job(t, addr))
	if r.Requests != 0 || report.InFlight != 4 || report.OldestInFlight <= 0 || !r.Interrupted {
		t.Errorf("%d requests, %+v", r.Requests, report)
	}
}

// A request that a server takes and does not answer has failed, and is not sent
// again.
func TestClosedBetween(t *testing.T) {
	var seen atomic.Int64
	addr := listen(t, "tcp", "127.0.0.1:0", func(c net.Conn) {
		n := 0
		requests(c, func() bool {
			seen.Add(1)
			if n++; n == 2 {
				return false
			}
			_, err := io.WriteString(c, answer)
			return err == nil
		})
	})
	j := job(t, addr)
	j.Connections, j.Requests = 1, 20
	r, _ := drive(t, j)
	wantKinds(t, r, 20, map[string]int64{loadresult.Reset: 10})
	if seen.Load() != 20 {
		t.Errorf("the server got %d requests", seen.Load())
	}
}

// A connection that was closed while nothing was sent over it costs no error.
func TestClosedIdle(t *testing.T) {
	t.Parallel()
	addr := listen(t, "tcp", "127.0.0.1:0", func(c net.Conn) {
		requests(c, func() bool {
			_, _ = io.WriteString(c, answer)
			return false
		})
	})
	think, err := message.ParseThink("3s") // within which a busy machine, too, comes to the end of the connection
	if err != nil {
		t.Fatal(err)
	}
	j := job(t, addr)
	j.Connections, j.Loops, j.Requests, j.Think = 1, 1, 3, think
	r, _ := drive(t, j)
	wantKinds(t, r, 3, nil)
	if r.Connections != 3 {
		t.Errorf("%d connections, want 3", r.Connections)
	}
}

// silentTransport carries nothing, and counts connections.
type silentTransport struct {
	connects  int
	connected func(*conn) // nil: nothing becomes of them
}

func (t *silentTransport) connect(c *conn) {
	t.connects++
	if t.connected != nil {
		t.connected(c)
	}
}
func (t *silentTransport) enter() error          { return nil }
func (t *silentTransport) leave()                {}
func (t *silentTransport) send(*conn)            {}
func (t *silentTransport) close(*conn)           {}
func (t *silentTransport) wait(_, _ int64) error { return nil }
func (t *silentTransport) wake()                 {}
func (t *silentTransport) shutdown()             {}

// Of the requests over a kept connection that ends, only one that was not begun
// to be sent goes over another one.
func TestEndedBeforeSending(t *testing.T) {
	for _, c := range []struct {
		name     string
		kept     bool
		sent     int
		connects int
	}{{"kept, nothing sent", true, 0, 1}, {"kept, a byte sent", true, 1, 0}, {"new, nothing sent", false, 0, 0}} {
		l, transport := byHand(t, job(t, "127.0.0.1:1"), 1)
		k := &l.conns[0]
		k.state, k.answers = ready, c.kept
		l.begin(k, -1, 0)
		if c.sent > 0 {
			l.departs(k, 0)
			k.out = k.out[c.sent:]
		}
		l.ended(k, 0)
		if transport.connects != c.connects || k.busy != (c.connects > 0) {
			t.Errorf("%s: %d connections, request under way %v", c.name, transport.connects, k.busy)
		}
	}
}

// A body that is larger than what sockets hold goes out in parts, over TLS as
// well.
func TestLargeBody(t *testing.T) {
	body := strings.Repeat("0123456789abcdef", 1<<17) // 2 MiB
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got, err := io.ReadAll(r.Body)
		if err != nil || string(got) != body {
			w.WriteHeader(http.StatusBadRequest)
		}
	})
	config, accepts := certified(t)
	for _, secure := range []bool{false, true} {
		s := httptest.NewUnstartedServer(handler)
		if secure {
			s.TLS = config
			s.StartTLS()
		} else {
			s.Start()
		}
		t.Cleanup(s.Close)
		addr := s.Listener.Addr().String()
		j := job(t, addr, message.Target{Method: "POST", URL: s.URL, Body: []byte(body)})
		if secure {
			secured(j, accepts)
		}
		j.Connections, j.Requests = 2, 6
		r, _ := drive(t, j)
		wantKinds(t, r, 6, nil)
	}
}

// An answer that comes before the request is out is an answer; its connection
// is not used again.
func TestEarlyAnswer(t *testing.T) {
	var connections atomic.Int64
	addr := listen(t, "tcp", "127.0.0.1:0", func(c net.Conn) {
		connections.Add(1)
		if _, err := c.Read(make([]byte, 1)); err == nil {
			_, _ = io.WriteString(c, answer)
		}
		_, _ = c.Read(make([]byte, 1)) // neither read nor closed: the request cannot go on
		<-t.Context().Done()
	})
	j := job(t, addr, message.Target{Method: "POST", URL: "http://" + addr + "/", Body: make([]byte, 32<<20)})
	j.Connections, j.Loops, j.Requests = 1, 1, 3
	r, _ := drive(t, j)
	wantKinds(t, r, 3, nil)
	if connections.Load() != 3 {
		t.Errorf("%d connections for 3 requests", connections.Load())
	}
}

// Templates make a request of their own each time.
func TestTemplates(t *testing.T) {
	var mu sync.Mutex
	seen := make(map[string]int)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		mu.Lock()
		defer mu.Unlock()
		seen[r.URL.Path+" "+string(body)]++
	}))
	t.Cleanup(s.Close)
	j := job(t, s.Listener.Addr().String(),
		message.Target{Method: "POST", URL: s.URL + "/{{seq}}", Body: []byte("x")}, message.Target{Method: "POST", URL: s.URL + "/fixed", Body: []byte("y")})
	j.Requests = 100
	r, _ := drive(t, j)
	wantKinds(t, r, 100, nil)
	mu.Lock()
	defer mu.Unlock()
	if seen["/fixed y"] != 50 || len(seen) != 51 {
		t.Errorf("%d different requests, %d of the fixed one; want 51 and 50", len(seen), seen["/fixed y"])
	}
	if len(r.Targets) != 2 || r.Targets[0].Requests != 50 || r.Targets[1].Requests != 50 {
		t.Errorf("targets %+v", r.Targets)
	}
}

// What is wrong with an answer beyond its status is looked at, and said.
func TestCheck(t *testing.T) {
	addr := listen(t, "tcp", "127.0.0.1:0", hello)
	for body, kinds := range map[string]map[string]int64{"hello": nil, "hullo": {loadresult.WrongAnswer: 20}} {
		j := job(t, addr)
		j.Requests = 20
		sum := sha256.Sum256([]byte(body))
		j.Check = &engine.Check{SHA256: hex.EncodeToString(sum[:])}
		r, _ := drive(t, j)
		if r.Requests != 20 || r.Status[200] != 20 || !maps.Equal(r.Errors, kinds) {
			t.Errorf("%s: %d requests, status %v, errors %v %v", body, r.Requests, r.Status, r.Errors, r.Examples)
		}
		if why := r.Examples[loadresult.WrongAnswer]; kinds != nil && !strings.Contains(why, "sha256") {
			t.Errorf("example %q", why)
		}
	}
}

// A name with several addresses is tried at each of them.
func TestAddresses(t *testing.T) {
	addr := listen(t, "tcp", "127.0.0.1:0", hello)
	_, port, _ := net.SplitHostPort(addr)
	gone := listenAndClose(t)
	p := func(addr string) peer {
		a, err := net.ResolveTCPAddr("tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		return tcpPeer(net.IPAddr{IP: a.IP}, a.Port)
	}
	j := job(t, net.JoinHostPort("localhost", port))
	j.Requests = 10
	r, _ := drive(t, j)
	wantKinds(t, r, 10, nil)

	plan, err := newPlan(t.Context(), j)
	if err != nil {
		t.Fatal(err)
	}
	plan.peers = []peer{p(gone), p(gone), p(addr), p(gone)}
	c := &conn{}
	l := &loop{plan: plan}
	var tried []int
	for c.peers = range 4 {
		for i := range plan.peers {
			if l.target(c) == &plan.peers[i] {
				tried = append(tried, i)
			}
		}
	}
	if fmt.Sprint(tried) != "[0 1 2 3]" {
		t.Errorf("tried %v", tried)
	}
}

// listenAndClose returns an address that refuses connections.
func listenAndClose(t *testing.T) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// Refused connections are failures, of which there are few in a second.
func TestRefused(t *testing.T) {
	j := job(t, listenAndClose(t))
	j.Connections, j.Requests = 2, 8
	r, _ := drive(t, j)
	wantKinds(t, r, 8, map[string]int64{loadresult.Refused: 8})
}

// The body of an answer is not counted again for the failure after it.
func TestBytesBeforeFailure(t *testing.T) {
	if testing.Short() {
		t.Skip("drives a load")
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	serveAll(t, l, func(c net.Conn) {
		requests(c, func() bool {
			l.Close()
			_, _ = io.WriteString(c, answer)
			return false
		})
	})
	j := job(t, l.Addr().String())
	j.Connections, j.Requests, j.KeepAlive = 1, 3, false
	r, _ := drive(t, j)
	// Refused tries come on top of the three.
	refused := r.Errors[loadresult.Refused]
	wantKinds(t, r, 1+refused, map[string]int64{loadresult.Refused: refused})
	if refused < 2 {
		t.Errorf("%d refused, want 2 or more", refused)
	}
	if r.Bytes != 5 {
		t.Errorf("%d bytes, want 5", r.Bytes)
	}
}

func TestNoHost(t *testing.T) {
	j := job(t, "127.0.0.1:1")
	j.Addresses[0].Dial = "no-such-host.invalid:80"
	j.Requests = 3
	r, _ := drive(t, j)
	if r.Requests != 3 || r.Failed() != 3 {
		t.Errorf("%d requests, errors %v", r.Requests, r.Errors)
	}
}

// Jobs that an event loop does not do are refused.
func TestRefusesJobs(t *testing.T) {
	e, err := Epoll()
	if err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*engine.Job){
		"two addresses": func(j *engine.Job) { j.Addresses = append(j.Addresses, j.Addresses[0]) },
		"HTTP/2":        func(j *engine.Job) { j.Protocol = engine.HTTP2 },
		"cookies":       func(j *engine.Job) { j.Cookies = true },
	} {
		j := job(t, "127.0.0.1:1")
		change(j)
		if _, err := e.Drive(t.Context(), j); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
