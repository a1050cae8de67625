//go:build linux

package fast

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"sync/atomic"
	"testing"

	"whet/internal/load/conformance"
	"whet/internal/load/engine"
	"whet/internal/load/record"
	iouring "whet/internal/load/ring"
)

// byIOUring is the engine over io_uring, where the kernel lets it.
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
	conformance.Run(t, func() engine.Engine { return byIOUring(t) }, conformance.Features{})
}

// TestOverIOUring runs the tests of the loop over io_uring: drive sees the name.
func TestOverIOUring(t *testing.T) {
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
	wantKinds(t, r, 960, map[string]int64{record.ShortBody: cut.Load()})
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
