package conformance

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"whet/internal/load/engine"
	"whet/internal/load/message"
	"whet/internal/loadresult"
	"whet/internal/schedule"
)

func serverConfig(ca *authority) *tls.Config {
	return &tls.Config{Certificates: []tls.Certificate{ca.certificate()}}
}

// multiplexed is net/http's server with HTTP/2.
type multiplexed struct {
	*http.Server
	address     string
	connections atomic.Int64
	requests    atomic.Int64
	most        atomic.Int64 // requests at a time on one connection
	ended       sync.WaitGroup
}

// connKey is the key of the number of requests that are under way on a
// connection.
type connKey struct{}

// maxStreams is the number of streams that the server lets be open on a connection.
const maxStreams = 50

func multiplex(t *testing.T, config *tls.Config, handler http.HandlerFunc) *multiplexed {
	t.Helper()
	m := new(multiplexed)
	l := tcp(t, "127.0.0.1:0")
	m.address = l.Addr().String()
	protocols := new(http.Protocols)
	protocols.SetHTTP2(config != nil)
	protocols.SetUnencryptedHTTP2(config == nil)
	m.Server = &http.Server{
		Protocols: protocols, TLSConfig: config, ErrorLog: log.New(io.Discard, "", 0),
		HTTP2: &http.HTTP2Config{MaxConcurrentStreams: maxStreams},
		ConnContext: func(ctx context.Context, c net.Conn) context.Context {
			m.connections.Add(1)
			return context.WithValue(ctx, connKey{}, new(atomic.Int64))
		},
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			m.requests.Add(1)
			under := r.Context().Value(connKey{}).(*atomic.Int64)
			now := under.Add(1)
			defer under.Add(-1)
			for most := m.most.Load(); now > most && !m.most.CompareAndSwap(most, now); most = m.most.Load() {
			}
			if r.ProtoMajor != 2 {
				w.WriteHeader(http.StatusHTTPVersionNotSupported)
				return
			}
			handler(w, r)
		}),
	}
	m.ended.Go(func() {
		if config != nil {
			m.ServeTLS(l, "", "")
		} else {
			m.Serve(l)
		}
	})
	t.Cleanup(func() {
		m.Close()
		m.ended.Wait()
	})
	return m
}

// http2 checks connections of many streams, over TLS and without.
func (s *runner) http2(t *testing.T) {
	for _, protocol := range []engine.Protocol{engine.HTTP2, engine.H2C} {
		t.Run(protocol.String(), func(t *testing.T) { s.streams(t, protocol) })
	}
	t.Run("server without HTTP/2", s.withoutHTTP2)
	t.Run("garbage", s.garbageHTTP2)
	t.Run("server that does not read", s.deafHTTP2)
	t.Run("statuses that are none", s.statusHTTP2)
	t.Run("each request once", s.sentOnce)
}

func (s *runner) streams(t *testing.T, protocol engine.Protocol) {
	ca := newAuthority(t)
	serve := func(t *testing.T, handler http.HandlerFunc) (*multiplexed, func(requests int64, targets ...message.Target) *engine.Job) {
		scheme, config := "http", (*tls.Config)(nil)
		if protocol == engine.HTTP2 {
			scheme, config = "https", serverConfig(ca)
		}
		m := multiplex(t, config, handler)
		return m, func(requests int64, targets ...message.Target) *engine.Job {
			if len(targets) == 0 {
				targets = []message.Target{{}}
			}
			for i := range targets {
				targets[i].URL = scheme + "://" + m.address + "/" + targets[i].URL
			}
			j := job(t, "tcp", m.address, requests, targets...)
			j.Protocol = protocol
			if config != nil {
				j.Addresses[0].TLS = ca.trusted()
			}
			return j
		}
	}
	hello := func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "hello") }

	t.Run("requests exactly", func(t *testing.T) {
		for _, c := range [][3]int{{1, 1, 1}, {100, 1, 1}, {500, 2, 8}, {37, 3, 50}} {
			m, to := serve(t, hello)
			j := to(int64(c[0]))
			j.Connections, j.Streams = c[1], c[2]
			got := s.drive(t, t.Context(), j)
			got.all(t, int64(c[0]), http.StatusOK, "")
			if m.requests.Load() != int64(c[0]) || m.connections.Load() > int64(c[1]) || m.most.Load() > int64(c[2]) {
				t.Errorf("the server got %d requests over %d connections, at most %d at a time on one; want %v", m.requests.Load(), m.connections.Load(), m.most.Load(), c)
			}
			if len(got.report.Notes) > 0 {
				t.Errorf("notes %q", got.report.Notes)
			}
			if got.Connections != m.connections.Load() || got.Bytes != 5*int64(c[0]) {
				t.Errorf("%d connections recorded of %d, %d bytes", got.Connections, m.connections.Load(), got.Bytes)
			}
		}
	})
	t.Run("as many at a time as streams", func(t *testing.T) {
		b := newBarrier(2 * 6)
		m, to := serve(t, func(w http.ResponseWriter, r *http.Request) {
			b.wait(r.Context())
			io.WriteString(w, "hello")
		})
		j := to(10 * 12)
		j.Connections, j.Streams = 2, 6
		got := s.drive(t, t.Context(), j)
		got.all(t, 120, http.StatusOK, "")
		if m.connections.Load() != 2 || m.most.Load() != 6 {
			t.Errorf("%d connections, %d requests at a time on one", m.connections.Load(), m.most.Load())
		}
	})
	t.Run("more streams than the server takes", func(t *testing.T) {
		b := newBarrier(2 * maxStreams)
		var nth atomic.Int64
		m, to := serve(t, func(w http.ResponseWriter, r *http.Request) {
			if nth.Add(1) <= 2*maxStreams {
				b.wait(r.Context())
			}
			io.WriteString(w, "hello")
		})
		j := to(6 * maxStreams)
		j.Connections, j.Streams = 2, maxStreams+20
		got := s.drive(t, t.Context(), j)
		// A stream that was about to be opened when the server said how many may be
		// is one too many, and fails. There are at most so many of those.
		reset := got.Errors[loadresult.StreamReset]
		if got.Requests != 6*maxStreams || got.Answered()+reset != 6*maxStreams || got.Failed() != reset || reset > 2*20 {
			t.Errorf("%d requests, status %v, errors %v %q", got.Requests, got.Status, got.Errors, got.Examples)
		}
		if n := m.connections.Load(); n < 2 || n > 2+reset || m.most.Load() != maxStreams || len(got.report.Notes) != 1 || !strings.Contains(got.report.Notes[0], "allows fewer than") {
			t.Errorf("%d connections, %d requests at a time on one, notes %q", n, m.most.Load(), got.report.Notes)
		}
	})
	t.Run("one request a connection", func(t *testing.T) {
		m, to := serve(t, hello)
		j := to(20)
		j.Streams, j.KeepAlive = 2, false
		got := s.drive(t, t.Context(), j)
		got.all(t, 20, http.StatusOK, "")
		if m.connections.Load() != 20 || m.most.Load() != 1 {
			t.Errorf("%d connections for 20 requests, %d at a time on one", m.connections.Load(), m.most.Load())
		}
	})
	t.Run("open loop", func(t *testing.T) {
		m, to := serve(t, hello)
		j := to(0)
		j.Connections, j.Streams, j.Arrivals, j.Duration = 2, 4, schedule.Constant(1000).Poisson(3), 200*time.Millisecond
		want := due(j.Arrivals, 0, j.Duration)
		got := s.drive(t, t.Context(), j)
		got.all(t, want, http.StatusOK, "")
		arrived(t, got, want)
		if m.requests.Load() != want {
			t.Errorf("the server got %d requests of %d", m.requests.Load(), want)
		}
	})
	t.Run("statuses and bodies", func(t *testing.T) {
		body := make([]byte, 300_000)
		var wrong atomic.Int64
		_, to := serve(t, func(w http.ResponseWriter, r *http.Request) {
			if n, err := io.Copy(io.Discard, r.Body); n != int64(len(body)) || err != nil || r.Method != http.MethodPut || r.Header.Get("X-Id") != "7" || r.Header.Get("User-Agent") != "whet" || r.RequestURI != "/up?a=%20" {
				wrong.Add(1)
			}
			w.WriteHeader(http.StatusTeapot)
			w.Write(body)
		})
		j := to(30, message.Target{Method: http.MethodPut, URL: "up?a=%20", Body: body, Literal: true, Header: []message.Field{{Name: "X-Id", Value: "7"}}})
		j.Streams = 4
		got := s.drive(t, t.Context(), j)
		got.all(t, 30, http.StatusTeapot, loadresult.Status4xx)
		if wrong.Load() > 0 || got.Bytes != 30*int64(len(body)) {
			t.Errorf("%d requests came wrong; %d bytes came back", wrong.Load(), got.Bytes)
		}
	})
	t.Run("timeouts", func(t *testing.T) {
		s.untilFrom(t, shortTimeout, func(timeout time.Duration) bool {
			m, to := serve(t, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
			j := to(24)
			j.Streams, j.Timeout = 4, timeout
			got := s.drive(t, t.Context(), j)
			got.all(t, 24, 0, loadresult.TimedOut)
			n := m.requests.Load()
			if n > 24 || time.Duration(got.Service.Min()) < j.Timeout*99/100 {
				t.Errorf("the server got %d requests of 24; the shortest wait was %v", n, time.Duration(got.Service.Min()))
			}
			return n == 24
		})
	})
	t.Run("resets of streams", func(t *testing.T) {
		m, to := serve(t, func(w http.ResponseWriter, r *http.Request) {
			io.WriteString(w, "hel")
			http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		})
		j := to(16)
		j.Streams = 4
		got := s.drive(t, t.Context(), j)
		got.all(t, 16, 0, loadresult.StreamReset)
		if m.requests.Load() != 16 {
			t.Errorf("the server got %d requests of 16", m.requests.Load())
		}
	})
	t.Run("interrupted", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		b := newBarrier(8)
		_, to := serve(t, func(_ http.ResponseWriter, r *http.Request) {
			b.wait(r.Context())
			cancel()
			<-r.Context().Done()
		})
		j := to(0)
		j.Streams = 4
		got := s.drive(t, ctx, j)
		if got.Requests != 0 || got.InFlight != 8 || !got.Interrupted {
			t.Errorf("%d requests, errors %v, %d under way", got.Requests, got.Errors, got.InFlight)
		}
	})
	t.Run("server goes away", func(t *testing.T) {
		// Shutdown sends GOAWAY and closes once idle; the listener is closed too, so
		// that what comes after is refused, on top of the requests asked for. All that
		// was answered is recorded, and every request ends in one way.
		var m *multiplexed
		var once sync.Once
		var shut sync.WaitGroup
		answered := atomic.Int64{}
		m, to := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			if answered.Add(1) == 40 {
				once.Do(func() { shut.Go(func() { m.Shutdown(t.Context()) }) })
			}
			io.WriteString(w, "hello")
		})
		j := to(80)
		j.Streams = 4
		got := s.drive(t, t.Context(), j)
		shut.Wait()
		if got.Requests < 80 || got.Requests != got.Answered()+got.Failed() || got.Answered() < 40 || got.Answered() > answered.Load() ||
			got.Failed() != got.Errors[loadresult.Refused]+got.Errors[loadresult.Reset] {
			t.Errorf("%d requests, status %v of %d, errors %v %q", got.Requests, got.Status, answered.Load(), got.Errors, got.Examples)
		}
	})
}

// withoutHTTP2 asks servers that speak HTTP/1.1 alone: no request is answered,
// and none is taken for answered.
func (s *runner) withoutHTTP2(t *testing.T) {
	ca := newAuthority(t)
	for _, next := range [][]string{nil, {"http/1.1"}} {
		t.Run(fmt.Sprint(next), func(t *testing.T) {
			config := serverConfig(ca)
			config.NextProtos = next
			server := secure(t, config, each(always(sized("hello"))))
			j := server.toSecure(4, ca.trusted())
			j.Protocol, j.Streams = engine.HTTP2, 2
			got := s.drive(t, t.Context(), j, server)
			if got.Requests != 4 || got.Failed() != 4 || got.Answered() != 0 || got.Errors[loadresult.TLS]+got.Errors[loadresult.BadAnswer] != 4 {
				t.Errorf("%d requests, status %v, errors %v %q", got.Requests, got.Status, got.Errors, got.Examples)
			}
		})
	}
	t.Run("h2c", func(t *testing.T) {
		server := listen(t, func(c *conn) {
			c.send("HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
			c.half()
			c.stall()
		})
		j := server.to(4)
		j.Protocol, j.Streams = engine.H2C, 2
		got := s.drive(t, t.Context(), j, server)
		if got.Requests != 4 || got.Failed() != 4 || got.Answered() != 0 {
			t.Errorf("%d requests, status %v, errors %v %q", got.Requests, got.Status, got.Errors, got.Examples)
		}
	})
}

// garbageHTTP2 is what is no frame. Streams beside the one that it was read for
// may see no more than the connection's end.
func (s *runner) garbageHTTP2(t *testing.T) {
	server := listen(t, func(c *conn) {
		c.send("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff")
		c.stall()
	})
	j := server.to(4)
	j.Protocol, j.Streams = engine.H2C, 2
	got := s.drive(t, t.Context(), j, server)
	if bad := got.Errors[loadresult.BadAnswer]; got.Requests != 4 || bad == 0 || bad+got.Errors[loadresult.Reset] != 4 {
		t.Errorf("%d requests, status %v, errors %v %q", got.Requests, got.Status, got.Errors, got.Examples)
	}
}

// deafHTTP2 asks a server that says that it takes large bodies and never reads
// them: what is written waits for that for good, and no request longer than its
// timeout.
func (s *runner) deafHTTP2(t *testing.T) {
	const (
		settings = "\x00\x00\x06\x04\x00\x00\x00\x00\x00" + "\x00\x04\x7f\xff\xff\xff" // the window of a stream
		update   = "\x00\x00\x04\x08\x00\x00\x00\x00\x00" + "\x7f\xff\x00\x00"         // of the connection, which has 65,535
	)
	server := listen(t, func(c *conn) {
		c.send(settings + update)
		<-c.server.driven
	})
	j := job(t, "tcp", server.addr(), 4, message.Target{Method: http.MethodPut, URL: "http://" + server.addr() + "/", Body: make([]byte, 32<<20), Literal: true})
	j.Protocol, j.Connections, j.Streams, j.Timeout = engine.H2C, 1, 2, 4*shortTimeout
	got := s.drive(t, t.Context(), j, server)
	if got.Requests != 4 || got.Failed() != 4 || got.Errors[loadresult.TimedOut] == 0 {
		t.Errorf("%d requests, status %v, errors %v %q", got.Requests, got.Status, got.Errors, got.Examples)
	}
}

// streamOpened reads up to the first stream's headers: a client may overlook
// what it is answered of a stream that it has not opened.
func (c *conn) streamOpened() {
	f := &frames{conn: c}
	io.CopyN(io.Discard, c.reader, int64(len(preface)))
	for {
		if kind, _, _, _, err := f.frame(); err != nil || kind == frameHeaders {
			return
		}
	}
}

// statusHTTP2 are answers whose status has not three digits, or begins with 0.
func (s *runner) statusHTTP2(t *testing.T) {
	for _, status := range []string{"000", "99", "099", "1000", "12345", "-20"} {
		server := listen(t, func(c *conn) {
			c.send(frame(frameSettings, 0, 0, ""))
			c.streamOpened()
			c.send(frame(frameHeaders, flagEndAll, 1, "\x08"+string(rune(len(status)))+status)) // :status, by its index in the table of HPACK
			c.stall()
		})
		j := server.to(1)
		j.Protocol, j.Streams = engine.H2C, 1
		s.drive(t, t.Context(), j, server).all(t, 1, 0, loadresult.BadAnswer)
	}
}
