//go:build linux

package fast

import (
	"context"
	"crypto/tls"
	"math/rand/v2"
	"net"
	"os"
	"testing"
	"time"

	"whet/internal/loadresult"
	"whet/internal/schedule"
)

// hostile answers each request in one of the ways that servers go wrong in.
func hostile(c net.Conn) {
	rng := rand.New(rand.NewPCG(1, uint64(c.RemoteAddr().(*net.TCPAddr).Port)))
	b := []byte(answer)
	requests(c, func() bool {
		switch rng.IntN(9) {
		case 0: // resets
			if tcp, ok := c.(*net.TCPConn); ok {
				_ = tcp.SetLinger(0)
			}
			return false
		case 1: // closes
			return false
		case 2: // closes within the head or the body
			_, _ = c.Write(b[:1+rng.IntN(len(b)-1)])
			return false
		case 3: // trickles
			for i := range b {
				if _, err := c.Write(b[i : i+1]); err != nil {
					return false
				}
			}
			return true
		case 4: // is no HTTP
			_, err := c.Write([]byte("220 smtp.example.com\r\n"))
			return err == nil
		case 5: // says more than it was asked
			_, err := c.Write(append(b, b...))
			return err == nil
		case 6: // stalls
			return true
		}
		_, err := c.Write(b)
		return err == nil
	})
}

// Against a server that does all that, every request ends in one way, and
// nothing is left: TestMain looks for goroutines, this test for descriptors.
func TestHostile(t *testing.T) {
	if testing.Short() {
		t.Skip("drives a load")
	}
	server, client := certified(t)
	l, err := tls.Listen("tcp", "127.0.0.1:0", server)
	if err != nil {
		t.Fatal(err)
	}
	serveAll(t, l, hostile)
	plain := listen(t, "tcp", "127.0.0.1:0", hostile)
	for _, secure := range []bool{false, true} {
		for _, open := range []bool{false, true} {
			addr, config := plain, (*tls.Config)(nil)
			if secure {
				addr, config = l.Addr().String(), client
			}
			j := secured(job(t, addr), config)
			j.Connections, j.Requests, j.Timeout = 40, 600, 50*time.Millisecond
			if open {
				j.Arrivals = schedule.Constant(1000).Poisson(1)
			}
			before := descriptors(t)
			r, report := drive(t, j)
			if r.Requests != 600 || report.InFlight != 0 {
				t.Errorf("TLS %v, open %v: %d requests, %d in flight", secure, open, r.Requests, report.InFlight)
			}
			var failed int64
			for kind, n := range r.Errors {
				switch kind {
				case loadresult.Reset, loadresult.ShortBody, loadresult.BadAnswer, loadresult.TimedOut:
					failed += n
				default:
					t.Errorf("TLS %v, open %v: %d of kind %q: %s", secure, open, n, kind, r.Examples[kind])
				}
			}
			if r.Status[200]+failed != 600 || failed < 100 {
				t.Errorf("TLS %v, open %v: %d answered, errors %v", secure, open, r.Status[200], r.Errors)
			}
			after := descriptors(t)
			for deadline := time.Now().Add(time.Minute); after != before && time.Now().Before(deadline); after = descriptors(t) {
			}
			if after != before {
				t.Errorf("TLS %v, open %v: %d descriptors before, %d after", secure, open, before, after)
			}
		}
	}
}

// descriptors returns the descriptors of the process that lead to sockets and epoll
// instances; the server's end with ours.
func descriptors(t *testing.T) int {
	t.Helper()
	files, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(files)
}

// An end in the midst of it leaves nothing either.
func TestHostileCutOff(t *testing.T) {
	addr := listen(t, "tcp", "127.0.0.1:0", hostile)
	for range 20 {
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Millisecond)
		j := job(t, addr)
		j.Connections = 50
		r, report := driveUntil(t, ctx, j)
		cancel()
		if !r.Interrupted || report.InFlight > 50 {
			t.Errorf("interrupted %v, %d in flight", r.Interrupted, report.InFlight)
		}
	}
}
