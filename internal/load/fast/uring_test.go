//go:build linux

package fast

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"path/filepath"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"whet/internal/load/conformance"
	"whet/internal/load/engine"
	"whet/internal/load/record"
	iouring "whet/internal/load/ring"
	"whet/internal/loadresult"
)

// byIOUring returns the engine over io_uring, where the kernel lets it.
func byIOUring(t testing.TB) engine.Engine {
	t.Helper()
	e, err := IOUring()
	if errors.Is(err, iouring.ErrUnavailable) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestConformanceOverIOUring(t *testing.T) {
	if testing.Short() {
		t.Skip("drives a load")
	}
	conformance.Run(t, func() engine.Engine { return byIOUring(t) }, conformance.Features{})
}

// TestOverIOUring runs the tests of the loop over io_uring: drive sees the name.
func TestOverIOUring(t *testing.T) {
	if testing.Short() {
		t.Skip("drives a load")
	}
	byIOUring(t)
	for name, test := range map[string]func(*testing.T){
		"allocations": TestAllocations, "requests": TestRequests, "arrivals": TestArrivals, "giving up": TestGiveUp,
		"cut off": TestCutOff, "closed idle": TestClosedIdle, "large body": TestLargeBody, "early answer": TestEarlyAnswer,
		"templates": TestTemplates, "check": TestCheck, "addresses": TestAddresses, "refused": TestRefused,
		"hostile": TestHostile, "hostile, cut off": TestHostileCutOff,
	} {
		t.Run(name, test)
	}
}

// TestSlotsTurnOver: what is queued for a socket that is closed does not reach
// the next one in its slot: the service gets each request once, and the first
// failure is its own.
func TestSlotsTurnOver(t *testing.T) {
	var got, cut atomic.Int64
	addr := listen(t, "tcp", "127.0.0.1:0", func(c net.Conn) {
		n := 0
		requests(c, func() bool {
			got.Add(1)
			if n++; n == 3 {
				cut.Add(1)
				_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf")
				return false
			}
			_, err := io.WriteString(c, answer)
			return err == nil
		})
	})
	j := job(t, addr)
	j.Connections, j.Loops, j.Requests = 16, 1, 960
	r, _ := driveWith(t, t.Context(), byIOUring(t), j)
	wantKinds(t, r, 960, map[string]int64{loadresult.ShortBody: cut.Load()})
	if got.Load() != 960 || cut.Load() < 300 {
		t.Errorf("the service got %d requests and cut off %d answers", got.Load(), cut.Load())
	}
}

// TestLargeAnswers: an answer of many buffers, and many of them at once, so that
// the buffers run out.
func TestLargeAnswers(t *testing.T) {
	body := bytes.Repeat([]byte("0123456789abcdef"), 1<<17) // 2 MiB: what comes of eight does not fit
	addr := listen(t, "tcp", "127.0.0.1:0", func(c net.Conn) {
		requests(c, func() bool {
			_, err := fmt.Fprintf(c, "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
			return err == nil
		})
	})
	j := job(t, addr)
	j.Connections, j.Loops, j.Requests = 8, 1, 64
	r, _ := driveWith(t, t.Context(), byIOUring(t), j)
	wantKinds(t, r, 64, nil)
	if want := int64(64 * len(body)); r.Bytes != want {
		t.Errorf("%d bytes, want %d", r.Bytes, want)
	}
}

// TestSlotIsFlushed: a request that is queued when its socket is closed does not
// go to the socket that comes into the slot next. A Unix socket is connected at
// once, so that it could.
func TestSlotIsFlushed(t *testing.T) {
	byIOUring(t)
	path := filepath.Join(t.TempDir(), "s")
	served := make(chan int, 4) // requests of a connection, when it ends
	listen(t, "unix", path, func(c net.Conn) {
		n := 0
		requests(c, func() bool {
			n++
			_, err := io.WriteString(c, answer)
			return err == nil
		})
		served <- n
	})
	j := job(t, "h:80")
	j.Addresses[0] = engine.Address{Network: "unix", Dial: path}
	j.Requests, j.Origin = 1, time.Now()
	j.Recorder = record.New(record.Plan{Origin: j.Origin, Duration: j.Duration, Requests: 1})
	runtime.LockOSThread()
	t.Cleanup(runtime.UnlockOSThread) // after what oneLoop cleans up
	l := oneLoop(t, j, newUring, 1)
	if err := l.t.enter(); err != nil {
		t.Fatal(err)
	}
	c := &l.conns[0]
	l.take(0)
	l.begin(c, -1, 0) // queues the request
	l.hangUp(c)
	l.dial(c, 0) // and once more
	for end := time.Now().Add(10 * time.Second); c.busy && time.Now().Before(end); {
		if err := l.t.wait(50e6, 0); err != nil {
			t.Fatal(err)
		}
	}
	if c.busy {
		t.Error("the request over the second socket has no answer")
	}
	l.finish(0)
	for range 2 {
		if n := <-served; n > 1 {
			t.Errorf("a connection got %d requests", n)
		}
	}
}

// TestEndWithAnswer: an answer with the end of the connection after it. The next request
// is queued by then; it is not sent into that, and costs no error.
func TestEndWithAnswer(t *testing.T) {
	byIOUring(t)
	l, service, _ := stepping(t, newUring, 1)
	say(t, service[0], 5)
	if err := service[0].(*net.TCPConn).CloseWrite(); err != nil {
		t.Fatal(err)
	}
	for l.job.Recorder.Answers() == 0 {
		if err := l.t.wait(int64(time.Second), 0); err != nil {
			t.Fatal(err)
		}
	}
	if c := &l.conns[0]; !c.busy || c.state != connecting {
		t.Errorf("under way %v, state %d; want a request that connects", c.busy, c.state)
	}
	if n, err := service[0].Read(make([]byte, 1)); n > 0 || err != io.EOF {
		t.Errorf("the service got %d bytes more, %v", n, err)
	}
}
