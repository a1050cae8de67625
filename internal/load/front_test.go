package load

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"whet/internal/load/engine"
	"whet/internal/load/fast"
	"whet/internal/load/message"
	"whet/internal/loadresult"
	"whet/internal/schedule"
)

// each runs a test with every engine that there is on this machine.
func each(t *testing.T, f func(t *testing.T, engine string)) {
	names := []string{Auto, Portable}
	if _, err := fast.IOUring(); err == nil {
		names = append(names, IOUring)
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) { f(t, name) })
	}
}

// A number of requests is sent exactly, whatever the connections, in a closed
// and in an open loop, and the load ends when they are answered.
func TestRequests(t *testing.T) {
	if testing.Short() {
		t.Skip("drives a load")
	}
	each(t, func(t *testing.T, engine string) {
		for _, n := range []int64{1, 7, 500} {
			for _, plan := range []schedule.Schedule{{}, schedule.Constant(2000)} {
				var served atomic.Int64
				o := options(quiet(t, func(w http.ResponseWriter, _ *http.Request) { served.Add(1) }).URL)
				o.Engine, o.Concurrency, o.Requests, o.Schedule, o.Duration = engine, 5, n, plan, time.Hour
				r, err := Run(t.Context(), o)
				if err != nil {
					t.Fatal(err)
				}
				if served.Load() != n || r.Requests != n || r.Answered() != n || r.InFlight != 0 || r.Interrupted || r.End.Sub(r.Start) > time.Minute {
					t.Errorf("open %v: %d of %d served, %d in the result, %d in flight, %v", plan.Open(), served.Load(), n, r.Requests, r.InFlight, r.End.Sub(r.Start))
				}
			}
		}
	})
}

// Behind a warm-up a number of requests is sent besides those of the warm-up. On a
// machine so busy that it has none, it is given more time.
func TestRequestsBehindWarmup(t *testing.T) {
	if testing.Short() {
		t.Skip("drives a load")
	}
	each(t, func(t *testing.T, engine string) {
		var served atomic.Int64
		o := options(quiet(t, func(w http.ResponseWriter, _ *http.Request) { served.Add(1) }).URL)
		o.Engine, o.Requests, o.Duration = engine, 50, time.Hour
		for o.Warmup = 50 * time.Millisecond; o.Warmup < time.Minute; o.Warmup *= 4 {
			served.Store(0)
			running, err := Start(t.Context(), o)
			if err != nil {
				t.Fatal(err)
			}
			r := running.Wait()
			if r.Requests != 50 || running.Completed() != served.Load() || served.Load() < 50 {
				t.Fatalf("%d requests, %d completed, %d served", r.Requests, running.Completed(), served.Load())
			}
			if served.Load() > 50 {
				return
			}
		}
		t.Error("no request in the longest warm-up")
	})
}

// A ramp begins after the warm-up, which sends at its first rate: 100/s for
// 100 ms are 10, of which those that find no connection free are let go, and from
// 100/s to 500/s over 500 ms 150.
func TestRamp(t *testing.T) {
	if testing.Short() {
		t.Skip("drives a load")
	}
	each(t, func(t *testing.T, engine string) {
		o := options(quiet(t, func(http.ResponseWriter, *http.Request) {}).URL)
		o.Engine, o.Warmup, o.Duration = engine, 100*time.Millisecond, 500*time.Millisecond
		o.Schedule = schedule.Ramp(100, 500, 500*time.Millisecond)
		running, err := Start(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		r := running.Wait()
		if r.Requests != 150 || running.Completed() < 150 || running.Completed() > 160 || r.Rate < 299.9 || r.Rate > 300.1 || r.Seconds[0].Due != 150 {
			t.Errorf("%d requests, %d completed, rate %v, %+v", r.Requests, running.Completed(), r.Rate, r.Seconds)
		}
	})
}

// Random arrivals are all in the result, too.
func TestPoisson(t *testing.T) {
	if testing.Short() {
		t.Skip("drives a load")
	}
	each(t, func(t *testing.T, engine string) {
		o := options(quiet(t, func(http.ResponseWriter, *http.Request) {}).URL)
		o.Engine, o.Warmup, o.Schedule = engine, 50*time.Millisecond, schedule.Constant(500).Poisson(3)
		r, err := Run(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		if want := due(o, r); r.Requests != want || r.Response.Count() != want || want < 100 || want > 200 {
			t.Errorf("%d requests, %d were due", r.Requests, want)
		}
	})
}

// Answers are looked at, and wrong ones count as failed and as answered.
func TestCheckedAnswers(t *testing.T) {
	if testing.Short() {
		t.Skip("drives a load")
	}
	s := quiet(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Kind", "test")
		io.WriteString(w, `{"id":`+r.URL.Query().Get("id")+`}`)
	})
	each(t, func(t *testing.T, name string) {
		for id, wrong := range map[string]bool{"7": false, "8": true} {
			o := options(s.URL + "/?id=" + id)
			o.Engine, o.Requests, o.Duration = name, 20, time.Hour
			o.Check = &engine.Check{Header: []engine.Field{{Name: "X-Kind", Value: "test"}}, Bytes: &engine.Range{First: 8, Last: 8}, JSON: []engine.Field{{Name: "id", Value: "7"}}}
			r, err := Run(t.Context(), o)
			if err != nil {
				t.Fatal(err)
			}
			if r.Answered() != 20 || (r.Failed() == 20) != wrong || !wrong && r.Failed() != 0 || r.Service.Count() != 20 {
				t.Errorf("%d answered, %v", r.Answered(), r.Errors)
			}
			if wrong && r.Examples[loadresult.WrongAnswer] != "the value at id is not 7" {
				t.Errorf("%q", r.Examples)
			}
		}
	})
}

// Targets in turn, to two servers: where an event loop does not do it, the
// portable engine does.
func TestSeveralTargets(t *testing.T) {
	if testing.Short() {
		t.Skip("drives a load")
	}
	var served [2]atomic.Int64
	var targets []message.Target
	for i := range served {
		targets = append(targets, message.Target{URL: quiet(t, func(w http.ResponseWriter, r *http.Request) {
			served[i].Add(1)
			if i == 1 {
				w.WriteHeader(404)
			}
		}).URL + "/"})
	}
	set, err := message.New(targets, message.Options{})
	if err != nil {
		t.Fatal(err)
	}
	o := options("")
	o.Messages, o.Requests, o.Duration = set, 100, time.Hour
	r, err := Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Targets) != 2 || r.Targets[0].Requests != 50 || r.Targets[1].Requests != 50 || r.Targets[1].Errors != 50 || r.Targets[0].Errors != 0 || served[0].Load() != 50 || served[1].Load() != 50 {
		t.Errorf("%+v", r.Targets)
	}
	if r.Generator.Engine != "portable" {
		t.Errorf("driven by %s", r.Generator.Engine)
	}
	o.Engine = Epoll
	if _, err := Run(t.Context(), o); err == nil || err.Error() != "engine epoll: an event loop takes one address, the requests go to 2: give portable, or auto" {
		t.Error(err)
	}
}

func TestUnixSocket(t *testing.T) {
	if testing.Short() {
		t.Skip("drives a load")
	}
	path := filepath.Join(t.TempDir(), "s")
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	var host atomic.Value
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { host.Store(r.Host) }))
	s.Listener.Close()
	s.Listener = l
	s.Start()
	t.Cleanup(s.Close)
	each(t, func(t *testing.T, engine string) {
		o := options("http://name.example/x")
		o.Engine, o.Socket, o.Requests, o.Duration = engine, path, 20, time.Hour
		if err := Ready(t.Context(), o, time.Minute, nil); err != nil {
			t.Fatal(err)
		}
		r, err := Run(t.Context(), o)
		if err != nil || r.Answered() != 20 || r.Failed() != 0 || host.Load() != "name.example" {
			t.Errorf("%v, %d answered, %v, host %v", err, r.Answered(), r.Examples, host.Load())
		}
	})
}

func TestIPv6(t *testing.T) {
	if testing.Short() {
		t.Skip("drives a load")
	}
	l, err := net.Listen("tcp", "[::1]:0")
	if err != nil {
		t.Skip("there is no IPv6 here")
	}
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	s.Listener.Close()
	s.Listener = l
	s.Start()
	t.Cleanup(s.Close)
	each(t, func(t *testing.T, engine string) {
		o := options(s.URL)
		o.Engine, o.Requests, o.Duration = engine, 20, time.Hour
		if r, err := Run(t.Context(), o); err != nil || r.Answered() != 20 {
			t.Errorf("%v, %+v", err, r)
		}
	})
}

// A connection for each request, and sessions that are taken up again where
// that is asked for; the version is the one that was asked for, and the client
// shows its certificate.
func TestTLS(t *testing.T) {
	if testing.Short() {
		t.Skip("drives a load")
	}
	certificate, key := clientFiles(t)
	var connections, resumed, shown, version atomic.Int64
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		version.Store(int64(r.TLS.Version))
		if len(r.TLS.PeerCertificates) == 1 {
			shown.Add(1)
		}
		if r.TLS.DidResume {
			resumed.Add(1)
		}
	}))
	s.TLS = &tls.Config{ClientAuth: tls.RequireAnyClientCert}
	s.Config.ErrorLog = discard()
	s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			connections.Add(1)
		}
	}
	s.StartTLS()
	t.Cleanup(s.Close)
	each(t, func(t *testing.T, engine string) {
		for _, v := range []uint16{tls.VersionTLS12, tls.VersionTLS13} {
			for _, resume := range []bool{false, true} {
				for _, n := range []*atomic.Int64{&connections, &resumed, &shown} {
					n.Store(0)
				}
				o := options(s.URL)
				o.Engine, o.Requests, o.Duration, o.Concurrency, o.Insecure, o.KeepAlive, o.Resume = engine, 20, time.Hour, 1, true, false, resume
				o.MinTLS, o.MaxTLS, o.Certificate, o.Key = v, v, certificate, key
				r, err := Run(t.Context(), o)
				if err != nil {
					t.Fatal(err)
				}
				if r.Answered() != 20 || connections.Load() != 20 || shown.Load() != 20 || version.Load() != int64(v) || (resumed.Load() >= 15) != resume || !resume && resumed.Load() != 0 {
					t.Errorf("%s, resume %v: %d answered, %d connections, %d with a certificate, %d resumed, %s; %v", tls.VersionName(v), resume, r.Answered(), connections.Load(), shown.Load(), resumed.Load(), tls.VersionName(uint16(version.Load())), r.Examples)
				}
			}
		}
	})
	o := options(s.URL)
	o.Certificate, o.Key = certificate, key+".missing"
	if _, err := Start(t.Context(), o); err == nil || !strings.HasPrefix(err.Error(), "read client certificate: ") {
		t.Error(err)
	}
}

// clientFiles writes a certificate and its key.
func clientFiles(t *testing.T) (certificate, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "client"}, NotBefore: epoch, NotAfter: epoch.AddDate(100, 0, 0)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	certificate, key = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	for name, block := range map[string]*pem.Block{certificate: {Type: "CERTIFICATE", Bytes: der}, key: {Type: "PRIVATE KEY", Bytes: secret}} {
		if err := os.WriteFile(name, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return certificate, key
}

var epoch = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// Each second of the load is passed on once, and together they are all of it.
func TestInterval(t *testing.T) {
	if testing.Short() {
		t.Skip("drives a load")
	}
	each(t, func(t *testing.T, engine string) {
		o := options(quiet(t, func(http.ResponseWriter, *http.Request) {}).URL)
		var requests, times int64
		var length time.Duration
		o.Engine, o.Warmup, o.Duration = engine, 50*time.Millisecond, 1200*time.Millisecond
		o.Interval = func(i loadresult.Interval) {
			requests += i.Requests
			times += i.Service.Count()
			length += i.Length
		}
		r, err := Run(t.Context(), o)
		if err != nil || r.Requests == 0 || requests != r.Requests || times != r.Service.Count() || length != o.Duration {
			t.Errorf("%v: %d of %d requests, %d times, %v", err, requests, r.Requests, times, length)
		}
	})
}

// HTTP/2, over TLS and without, with several requests at a time on each
// connection.
func TestHTTP2(t *testing.T) {
	if testing.Short() {
		t.Skip("drives a load")
	}
	var connections atomic.Int64
	var version atomic.Value
	serve := func(secure bool) string {
		s := httptest.NewUnstartedServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { version.Store(r.Proto) }))
		s.Config.ErrorLog = discard()
		s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
			if state == http.StateNew {
				connections.Add(1)
			}
		}
		s.Config.Protocols = new(http.Protocols)
		s.Config.Protocols.SetHTTP1(true)
		s.Config.Protocols.SetHTTP2(true)
		s.Config.Protocols.SetUnencryptedHTTP2(true)
		s.EnableHTTP2 = true
		if secure {
			s.StartTLS()
		} else {
			s.Start()
		}
		t.Cleanup(s.Close)
		return s.URL
	}
	for protocol, secure := range map[engine.Protocol]bool{engine.HTTP2: true, engine.H2C: false} {
		connections.Store(0)
		o := options(serve(secure))
		o.Protocol, o.Streams, o.Concurrency, o.Requests, o.Duration, o.Insecure = protocol, 8, 2, 200, time.Hour, true
		r, err := Run(t.Context(), o)
		if err != nil || r.Answered() != 200 || r.Failed() != 0 || version.Load() != "HTTP/2.0" || connections.Load() != 2 {
			t.Errorf("%v: %v, %d answered, %v, %v over %d connections", protocol, err, r.Answered(), r.Examples, version.Load(), connections.Load())
		}
		if err := Ready(t.Context(), o, time.Minute, nil); err != nil {
			t.Error(err)
		}
	}
}
