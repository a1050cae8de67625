//go:build linux

package fast

import (
	"crypto/tls"
	"net"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"whet/internal/loadresult"
)

// Both versions of TLS, with and without resumption, over connections that are
// kept and that are not.
func TestTLS(t *testing.T) {
	server, client := certified(t)
	var handshakes, resumed atomic.Int64
	l, err := tls.Listen("tcp", "127.0.0.1:0", server)
	if err != nil {
		t.Fatal(err)
	}
	serveAll(t, l, func(c net.Conn) {
		if c.(*tls.Conn).Handshake() != nil {
			return
		}
		handshakes.Add(1)
		if c.(*tls.Conn).ConnectionState().DidResume {
			resumed.Add(1)
		}
		hello(c)
	})
	for _, version := range []uint16{tls.VersionTLS12, tls.VersionTLS13} {
		for _, keep := range []bool{true, false} {
			for _, cache := range []bool{true, false} {
				handshakes.Store(0)
				resumed.Store(0)
				config := client.Clone()
				config.MinVersion, config.MaxVersion = version, version
				if cache {
					config.ClientSessionCache = tls.NewLRUClientSessionCache(8)
				}
				j := secured(job(t, l.Addr().String()), config)
				j.KeepAlive, j.Connections, j.Loops, j.Requests = keep, 1, 1, 20
				r, _ := drive(t, j)
				wantKinds(t, r, 20, nil)
				want := [2]int64{20, 0}
				if keep {
					want[0] = 1
				}
				if cache && !keep {
					want[1] = 19
				}
				if got := [2]int64{handshakes.Load(), resumed.Load()}; got != want {
					t.Errorf("%s, kept %v, cache %v: handshakes and resumed ones %v, want %v", tls.VersionName(version), keep, cache, got, want)
				}
			}
		}
	}
}

// More connections than there may be handshakes at a time.
func TestManyHandshakes(t *testing.T) {
	server, client := certified(t)
	l, err := tls.Listen("tcp", "127.0.0.1:0", server)
	if err != nil {
		t.Fatal(err)
	}
	serveAll(t, l, hello)
	j := secured(job(t, l.Addr().String()), client)
	j.Connections, j.Loops, j.Requests = 30, 1, 90
	r, _ := driveWith(t, t.Context(), driver{transport: newEpoll, shaking: 4}, j)
	wantKinds(t, r, 90, nil)
}

// What crypto/tls writes while it reads reaches the service: here the alert about
// a record that was tampered with.
func TestAlert(t *testing.T) {
	server, client := certified(t)
	told := make(chan error, 1)
	addr := listen(t, "tcp", "127.0.0.1:0", func(raw net.Conn) {
		c := tls.Server(raw, server)
		if _, err := c.Read(make([]byte, 4096)); err != nil {
			return
		}
		_, _ = raw.Write([]byte{23, 3, 3, 0, 20, 19: 7, 24: 7})
		_, err := c.Read(make([]byte, 4096))
		told <- err
	})
	j := secured(job(t, addr), client)
	j.Connections, j.Requests = 1, 1
	r, _ := drive(t, j)
	wantKinds(t, r, 1, map[string]int64{loadresult.TLS: 1})
	if err := <-told; err == nil || !strings.Contains(err.Error(), "bad record MAC") {
		t.Errorf("the service was told %v", err)
	}
}

// bufferingConn is a connection that sends the bytes written to it on demand.
type bufferingConn struct {
	net.Conn
	holds bool
	held  []byte
}

func (c *bufferingConn) Write(b []byte) (int, error) {
	if c.holds {
		c.held = append(c.held, b...)
		return len(b), nil
	}
	return c.Conn.Write(b)
}

// A second answer in a record of its own is no answer to the next request.
func TestUnaskedRecord(t *testing.T) {
	server, client := certified(t)
	addr := listen(t, "tcp", "127.0.0.1:0", func(raw net.Conn) {
		under := &bufferingConn{Conn: raw}
		c := tls.Server(under, server)
		requests(c, func() bool {
			under.holds = true
			_, _ = c.Write([]byte(answer))
			_, _ = c.Write([]byte(answer))
			under.holds = false
			_, _ = under.Write(under.held)
			silent(raw)
			return false
		})
	})
	j := secured(job(t, addr), client)
	j.Connections, j.Requests = 1, 2
	r, _ := drive(t, j)
	wantKinds(t, r, 2, map[string]int64{loadresult.BadAnswer: 1})
}

// On one processor loop, handshakes, service and collector take turns.
func TestOneProcessor(t *testing.T) {
	if testing.Short() {
		t.Skip("drives a load")
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	server, client := certified(t)
	l, err := tls.Listen("tcp", "127.0.0.1:0", server)
	if err != nil {
		t.Fatal(err)
	}
	serveAll(t, l, hello)
	over := make(chan struct{})
	var collector sync.WaitGroup
	collector.Go(func() {
		for {
			select {
			case <-over:
				return
			default:
				runtime.GC()
			}
		}
	})
	for _, keep := range []bool{true, false} {
		j := secured(job(t, l.Addr().String()), client)
		j.KeepAlive, j.Loops, j.Requests = keep, 0, 200
		r, _ := drive(t, j)
		wantKinds(t, r, 200, nil)
	}
	close(over)
	collector.Wait()
}

// Handshakes that fail do so with their kind, and those that stall time out,
// also while they wait for their turn.
func TestHandshakesThatFail(t *testing.T) {
	server, client := certified(t)
	l, err := tls.Listen("tcp", "127.0.0.1:0", server)
	if err != nil {
		t.Fatal(err)
	}
	serveAll(t, l, hello)
	j := secured(job(t, l.Addr().String()), &tls.Config{ServerName: "127.0.0.1"}) // knows no authority
	j.Requests = 4
	r, _ := drive(t, j)
	wantKinds(t, r, 4, map[string]int64{loadresult.TLS: 4})

	for kind, serve := range map[string]func(net.Conn){
		loadresult.TLS:      func(c net.Conn) { _, _ = c.Write([]byte(answer)); silent(c) }, // speaks plainly
		loadresult.Reset:    func(c net.Conn) { _, _ = c.Read(make([]byte, 4096)) },
		loadresult.TimedOut: silent,
	} {
		addr := listen(t, "tcp", "127.0.0.1:0", serve)
		j := secured(job(t, addr), client)
		j.Requests = 4
		if kind == loadresult.TimedOut {
			j.Timeout, j.Requests = 200*time.Millisecond, 12
			j.Connections, j.Loops = 12, 1
		}
		r, _ := driveWith(t, t.Context(), driver{transport: newEpoll, shaking: 4}, j)
		wantKinds(t, r, j.Requests, map[string]int64{kind: j.Requests})
	}
}

// records agrees with looking at all that came since the last boundary.
func TestRecords(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var stream []byte
		boundary := map[int]bool{0: true}
		for _, n := range rapid.SliceOfN(rapid.IntRange(0, 300), 1, 20).Draw(t, "lengths") {
			stream = append(stream, 23, 3, 3, byte(n>>8), byte(n))
			stream = append(stream, make([]byte, n)...)
			boundary[len(stream)] = true
		}
		var r records
		for at := 0; at < len(stream); {
			n := rapid.IntRange(1, min(400, len(stream)-at)).Draw(t, "piece")
			inside := 0
			for k := at + 1; k < at+n; k++ {
				if boundary[k] {
					inside++
				}
			}
			want := boundary[at] && boundary[at+n] && inside == 0
			if got := r.pass(stream[at : at+n]); got != want {
				t.Fatalf("bytes %d to %d: one record %v, want %v", at, at+n, got, want)
			}
			at += n
		}
	})
}
