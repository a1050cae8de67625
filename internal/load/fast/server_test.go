//go:build linux

package fast

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"math/big"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"whet/internal/load/engine"
	"whet/internal/load/message"
	"whet/internal/load/record"
	"whet/internal/loadresult"
)

const answer = "HTTP/1.1 200 OK\r\nDate: Sat, 21 Nov 2026 07:00:00 GMT\r\nContent-Length: 5\r\n\r\nhello"

// listen serves connections until the test ends.
func listen(t testing.TB, network, address string, serve func(net.Conn)) string {
	t.Helper()
	l, err := net.Listen(network, address)
	if err != nil {
		t.Fatal(err)
	}
	serveAll(t, l, serve)
	return l.Addr().String()
}

func serveAll(t testing.TB, l net.Listener, serve func(net.Conn)) {
	var all sync.WaitGroup
	var mu sync.Mutex
	open := make(map[net.Conn]bool)
	all.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			mu.Lock()
			open[c] = true
			mu.Unlock()
			all.Go(func() {
				serve(c)
				c.Close()
				mu.Lock()
				delete(open, c)
				mu.Unlock()
			})
		}
	})
	t.Cleanup(func() {
		l.Close()
		mu.Lock()
		for c := range open {
			c.Close()
		}
		mu.Unlock()
		all.Wait()
	})
}

// requests calls f for each request without a body that comes over c, until f
// says that there is to be no more. It does not allocate for a request.
func requests(c net.Conn, f func() bool) {
	var buf [4096]byte
	have := 0
	for {
		n, err := c.Read(buf[have:])
		if err != nil {
			return
		}
		have += n
		for {
			i := bytes.Index(buf[:have], []byte("\r\n\r\n"))
			if i < 0 {
				break
			}
			have = copy(buf[:], buf[i+4:have])
			if !f() {
				return
			}
		}
	}
}

// hello answers every request.
func hello(c net.Conn) {
	b := []byte(answer)
	requests(c, func() bool {
		_, err := c.Write(b)
		return err == nil
	})
}

// silent reads all there is and answers nothing.
func silent(c net.Conn) { _, _ = io.Copy(io.Discard, c) }

// job returns a closed loop of GET requests to a TCP server.
func job(t testing.TB, addr string, targets ...message.Target) *engine.Job {
	t.Helper()
	if len(targets) == 0 {
		targets = []message.Target{{URL: "http://" + addr + "/"}}
	}
	set, err := message.New(targets, message.Options{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	return &engine.Job{
		Addresses: []engine.Address{{Network: "tcp", Dial: addr}}, Messages: set,
		Connections: 4, Streams: 1, KeepAlive: true, Loops: 2,
		Duration: time.Hour, Timeout: time.Minute,
	}
}

var errPatience = errors.New("the engine did not end")

// drive does a job over epoll, or within TestOverIOUring over io_uring.
func drive(t testing.TB, j *engine.Job) (*loadresult.Result, engine.Report) {
	t.Helper()
	return driveUntil(t, context.Background(), j)
}

func driveUntil(t testing.TB, ctx context.Context, j *engine.Job) (*loadresult.Result, engine.Report) {
	t.Helper()
	if strings.HasPrefix(t.Name(), "TestOverIOUring/") {
		return driveWith(t, ctx, byIOUring(t), j)
	}
	e, err := Epoll()
	if err != nil {
		t.Fatal(err)
	}
	return driveWith(t, ctx, e, j)
}

func driveWith(t testing.TB, ctx context.Context, e engine.Engine, j *engine.Job) (*loadresult.Result, engine.Report) {
	t.Helper()
	if testing.Short() {
		t.Skip("drives a load")
	}
	patience, cancel := context.WithTimeoutCause(ctx, 5*time.Minute, errPatience)
	defer cancel()
	j.Origin = time.Now()
	j.Recorder = record.New(record.Plan{
		Origin: j.Origin, Warmup: j.Warmup, Duration: j.Duration, Requests: j.Requests, Open: j.Open(), Targets: j.Messages.Len(),
	})
	report, err := e.Drive(patience, j)
	if err != nil {
		t.Fatal(err)
	}
	if context.Cause(patience) == errPatience {
		t.Fatal(errPatience)
	}
	return j.Recorder.Finish(j.Now(), ctx.Err() != nil), report
}

// wantKinds checks what became of the requests; the rest was answered with 200.
func wantKinds(t testing.TB, r *loadresult.Result, requests int64, kinds map[string]int64) {
	t.Helper()
	ok := requests
	for kind, n := range kinds {
		ok -= n
		if r.Errors[kind] != n {
			t.Errorf("%d requests ended with %q, want %d", r.Errors[kind], kind, n)
		}
	}
	if r.Requests != requests || r.Status[200] != ok || len(r.Errors) != len(kinds) {
		t.Errorf("%d requests, %d of them answered with 200, errors %v %v; want %d, %d, %v",
			r.Requests, r.Status[200], r.Errors, r.Examples, requests, ok, kinds)
	}
}

// certified makes a certificate for 127.0.0.1, and what accepts it.
func certified(t testing.TB) (server, client *tls.Config) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	c := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	der, err := x509.CreateCertificate(rand.Reader, c, c, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AddCert(parsed)
	return &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}},
		&tls.Config{RootCAs: pool, ServerName: "127.0.0.1"}
}

// secured has a job speak TLS.
func secured(j *engine.Job, config *tls.Config) *engine.Job {
	j.Addresses[0].TLS = config
	return j
}
