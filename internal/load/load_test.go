package load

import (
	"context"
	"encoding/pem"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"whet/internal/load/engine"
	"whet/internal/load/record"
	"whet/internal/loadresult"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// options returns the options of a short load.
func options(url string) Options {
	o := DefaultOptions()
	o.URL, o.Concurrency, o.Warmup, o.Duration, o.Timeout = url, 4, 0, 300*time.Millisecond, 5*time.Second
	return o
}

// quiet returns a server whose own complaints nobody needs.
func quiet(t *testing.T, h http.HandlerFunc) *httptest.Server {
	s := httptest.NewUnstartedServer(h)
	s.Config.ErrorLog = discard()
	s.Start()
	t.Cleanup(s.Close)
	return s
}

// run drives a load, and a longer one where the machine is so busy that no
// request ends in it.
func run(t *testing.T, o Options) *loadresult.Result {
	t.Helper()
	for {
		r, err := Run(context.Background(), o)
		if err != nil {
			t.Fatal(err)
		}
		if r.Requests > 0 || o.Duration > 10*time.Second {
			return r
		}
		o.Duration *= 4
	}
}

// said returns the warnings that are not about the generator: it shares this process
// with the target, and the machine with whoever else.
func said(r *loadresult.Result) []string {
	return slices.DeleteFunc(slices.Clone(r.Warnings), func(w string) bool {
		return strings.HasPrefix(w, "the generator") || strings.HasPrefix(w, "the machine")
	})
}

// The server's own counts are the second source: all that was answered is
// counted once, with the warm-up in Completed and without it in the result,
// over as many connections as there are clients.
func TestCounts(t *testing.T) {
	if testing.Short() {
		t.Skip("drives a load")
	}
	var served, connections atomic.Int64
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		served.Add(1)
		io.WriteString(w, "hello")
	}))
	s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			connections.Add(1)
		}
	}
	s.Start()
	t.Cleanup(s.Close)

	o := options(s.URL)
	o.Warmup = 100 * time.Millisecond
	var states []Progress
	o.Duration = time.Second
	o.Progress = func(p Progress) { states = append(states, p) }
	running, err := Start(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	<-running.Started()
	atStart := running.Completed()
	r := running.Wait()
	<-running.Done()

	if r.Requests == 0 || r.Failed() != 0 || r.Answered() != r.Requests || r.Bytes != 5*r.Requests || r.Service.Count() != r.Requests {
		t.Errorf("%d requests, %d failed, %d answered, %d bytes, %d times", r.Requests, r.Failed(), r.Answered(), r.Bytes, r.Service.Count())
	}
	if diff := cmp.Diff(map[int]int64{200: r.Requests}, r.Status); diff != "" {
		t.Error(diff)
	}
	// What is in flight at the end was served or not; each client has one. What
	// ended in the warm-up had ended when Started was seen.
	if all := running.Completed(); all < r.Requests || all > atStart+r.Requests+int64(o.Concurrency) || served.Load() < all || served.Load() > all+int64(o.Concurrency) {
		t.Errorf("%d completed, %d of them by the start, %d in the result, %d served", all, atStart, r.Requests, served.Load())
	}
	if n := connections.Load(); n > 2*int64(o.Concurrency) {
		t.Errorf("%d connections for %d requests", n, served.Load())
	}
	if r.End.Sub(r.Start) != o.Duration || r.Start.Sub(r.Began) < o.Warmup || r.Interrupted || r.Generator.CPU <= 0 || len(said(r)) != 0 {
		t.Errorf("%v + %v, generator %v, warnings %v", r.Start.Sub(r.Began), r.End.Sub(r.Start), r.Generator.CPU, said(r))
	}
	if r.InFlight > o.Concurrency {
		t.Errorf("%d in flight", r.InFlight)
	}
	if len(states) == 0 || states[len(states)-1].WarmingUp || states[len(states)-1].Of != o.Duration || states[len(states)-1].Requests == 0 {
		t.Errorf("progress %+v", states)
	}
}

// Each way to fail has its kind, and the load ends as planned.
func TestKinds(t *testing.T) {
	if testing.Short() {
		t.Skip("drives a load")
	}
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed.Close()
	secure := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	secure.Config.ErrorLog = discard()
	secure.StartTLS()
	defer secure.Close()

	hang := make(chan struct{})
	handlers := map[string]http.HandlerFunc{
		"500": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(500) },
		"404": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(404) },
		"reset": func(w http.ResponseWriter, _ *http.Request) {
			c, _, _ := w.(http.Hijacker).Hijack()
			c.(*net.TCPConn).SetLinger(0)
			c.Close()
		},
		"closed": func(w http.ResponseWriter, _ *http.Request) {
			c, _, _ := w.(http.Hijacker).Hijack()
			c.Close()
		},
		"short": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "100")
			io.WriteString(w, "0123456789")
		},
		"hang": func(_ http.ResponseWriter, r *http.Request) {
			select {
			case <-r.Context().Done():
			case <-hang:
			}
		},
		"endless": func(w http.ResponseWriter, r *http.Request) {
			for b := make([]byte, 1<<16); r.Context().Err() == nil; {
				w.Write(b)
			}
		},
		"garbage": func(w http.ResponseWriter, _ *http.Request) {
			c, _, _ := w.(http.Hijacker).Hijack()
			io.WriteString(c, "220 mail.example ESMTP\r\n")
			c.Close()
		},
	}
	s := quiet(t, func(w http.ResponseWriter, r *http.Request) { handlers[r.URL.Path[1:]](w, r) })
	defer close(hang)

	for _, c := range []struct {
		name, url, kind, example string
		answered                 bool // whole answers
		timed                    bool // in the service times
	}{
		{"500 to everything", s.URL + "/500", loadresult.Status5xx, "answered 500 Internal Server Error", true, true},
		{"404", s.URL + "/404", loadresult.Status4xx, "answered 404 Not Found", true, true},
		{"refused", "http://" + closed.Addr().String(), loadresult.Refused, "connection refused", false, false},
		{"reset", s.URL + "/reset", loadresult.Reset, "reset", false, false},
		{"closed", s.URL + "/closed", loadresult.Reset, "EOF|closed before an answer", false, false},
		{"short body", s.URL + "/short", loadresult.ShortBody, "unexpected EOF|ended within the body", false, false},
		{"timeout", s.URL + "/hang", loadresult.TimedOut, "no answer within the timeout", false, true},
		{"endless body", s.URL + "/endless", loadresult.TimedOut, record.ErrHalfAnswer.Error() + "|" + record.ErrTimeout.Error(), false, true}, // a busy machine may not come to the head
		{"not HTTP", s.URL + "/garbage", loadresult.BadAnswer, "malformed HTTP|does not begin with HTTP", false, false},
		{"unknown authority", secure.URL, loadresult.TLS, "certificate", false, false},
		{"TLS to a server without", strings.Replace(s.URL, "http:", "https:", 1), loadresult.TLS, "tls:", false, false},
	} {
		for _, engine := range []string{Auto, Portable} {
			t.Run(c.name+" "+engine, func(t *testing.T) {
				o := options(c.url)
				o.Engine, o.Duration = engine, 150*time.Millisecond
				if c.kind == loadresult.TimedOut {
					o.Timeout = 60 * time.Millisecond
				}
				r := run(t, o)
				if r.Requests == 0 || r.Errors[c.kind] != r.Requests || len(r.Errors) != 1 {
					t.Fatalf("%d requests, errors %v, %v", r.Requests, r.Errors, r.Examples)
				}
				if len(r.Examples) != 1 || !slices.ContainsFunc(strings.Split(c.example, "|"), func(text string) bool { return strings.Contains(r.Examples[c.kind], text) }) {
					t.Errorf("examples %v", r.Examples)
				}
				if c.answered != (r.Answered() == r.Requests) || c.timed != (r.Service.Count() == r.Requests) || !c.timed && r.Service.Count() != 0 {
					t.Errorf("%d answered, %d times of %d", r.Answered(), r.Service.Count(), r.Requests)
				}
				if c.kind == loadresult.TimedOut && r.Service.Min() < int64(o.Timeout) {
					t.Errorf("timed out after %v", time.Duration(r.Service.Min()))
				}
				// Pauses of 5, 10, 20, 40, 80, 100, … ms: a client sends five
				// requests, then one each 100 ms, however fast they fail.
				if most := 6 + int64(r.End.Sub(r.Start)/(100*time.Millisecond)); !c.timed && r.Requests > most*int64(o.Concurrency) {
					t.Errorf("%d requests: the clients spin", r.Requests)
				}
				if len(said(r)) == 0 || said(r)[0] != "every request failed: the figures describe failures only" {
					t.Errorf("warnings %q", said(r))
				}
			})
		}
	}
}

func TestPrivateAuthority(t *testing.T) {
	if testing.Short() {
		t.Skip("drives a load")
	}
	s := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer s.Close()
	file := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, set := range []func(*Options){func(o *Options) { o.CAFile = file }, func(o *Options) { o.Insecure = true }} {
		o := options(s.URL)
		set(&o)
		if r := run(t, o); r.Requests == 0 || r.Failed() != 0 {
			t.Errorf("%d requests, errors %v %v", r.Requests, r.Errors, r.Examples)
		}
	}
	empty := filepath.Join(t.TempDir(), "empty.pem")
	os.WriteFile(empty, nil, 0o600)
	for _, file := range []string{empty, empty + ".missing"} {
		o := options(s.URL)
		o.CAFile = file
		if _, err := Run(context.Background(), o); err == nil || !strings.HasPrefix(err.Error(), "read certificate authorities: ") {
			t.Errorf("%v", err)
		}
	}
}

// Every request carries the body and the headers, also when the answer to the
// one before came before its body was read.
func TestRequest(t *testing.T) {
	if testing.Short() {
		t.Skip("drives a load")
	}
	t.Run("read", func(t *testing.T) { testRequest(t, 0) })
	t.Run("every third refused", func(t *testing.T) { testRequest(t, 3) })
}

func testRequest(t *testing.T, refuse int64) {
	body := strings.Repeat("0123456789", 50_000)
	var bad atomic.Value
	var n atomic.Int64
	s := quiet(t, func(w http.ResponseWriter, r *http.Request) {
		if i := n.Add(1); refuse > 0 && i%refuse == 0 {
			w.WriteHeader(http.StatusRequestEntityTooLarge)
			return
		}
		got, err := io.ReadAll(r.Body)
		user, password, _ := r.BasicAuth()
		if err == nil && (string(got) != body || r.Method != "PUT" || r.Host != "name.example" || r.Header.Get("X-Id") != "7" || user != "me" || password != "secret" || r.Header.Get("User-Agent") != "whet" || r.Header.Get("Accept-Encoding") != "") {
			bad.Store(fmt.Sprintf("%d bytes, %s %s, %v", len(got), r.Method, r.Host, r.Header))
		}
	})
	o := options(strings.Replace(s.URL, "http://", "http://me:secret@", 1))
	o.Method, o.Body = "PUT", []byte(body)
	o.Header = http.Header{"host": {"name.example"}, "x-id": {"7"}}
	r := run(t, o)
	if bad := bad.Load(); bad != nil {
		t.Error(bad)
	}
	// A server that answers early closes the connection, and what is still
	// being written fails.
	if r.Status[200] == 0 || refuse == 0 && r.Failed() != 0 || r.Failed() != r.Errors[loadresult.Status4xx]+r.Errors[loadresult.Reset] {
		t.Errorf("%v %v %v", r.Status, r.Errors, r.Examples)
	}
	for _, example := range append(r.Warnings, fmt.Sprint(r.Examples)) {
		if strings.Contains(example, "secret") {
			t.Errorf("the password is in %q", example)
		}
	}
}

func TestRedirects(t *testing.T) {
	if testing.Short() {
		t.Skip("drives a load")
	}
	s := quiet(t, func(w http.ResponseWriter, r *http.Request) {
		to := map[string]string{"/loop": "/loop", "/away": "http://me:secret@[other"}[r.URL.Path]
		w.Header()["Location"] = []string{to}
		w.WriteHeader(http.StatusFound)
	})
	for path, want := range map[string]string{
		"/loop": "which are not followed: they lead back to the same address",
		"/away": "", // not an address that can be read, and so not shown
		"/none": "which are not followed",
	} {
		r := run(t, options(s.URL+path))
		if r.Failed() != 0 || r.Status[302] != r.Requests || len(said(r)) != 1 || !strings.HasPrefix(said(r)[0], "all answers (") || !strings.HasSuffix(said(r)[0], want) || strings.Contains(said(r)[0], "secret") {
			t.Errorf("%s: %v, %q", path, r.Status, said(r))
		}
	}
	if got, want := leadsTo("http://a.example/x", "https://me:secret@a.example/x/"), ": use the address they lead to, https://me:xxxxx@a.example/x/"; got != want {
		t.Errorf("%q", got)
	}
}

// What hangs is in no service time, so that it has to be said.
func TestHanging(t *testing.T) {
	if testing.Short() {
		t.Skip("drives a load")
	}
	for _, c := range []struct {
		oldest, slowest time.Duration
		said            bool
	}{
		{3 * time.Second, 50 * time.Millisecond, true},
		{3 * time.Second, 2 * time.Second, false},
		{50 * time.Millisecond, time.Millisecond, false},
	} {
		w := &warner{res: &loadresult.Result{Requests: 1, InFlight: 4, OldestInFlight: c.oldest}, options: new(Options), report: new(engine.Report), check: new(selfCheck), job: new(engine.Job)}
		w.res.Service.Record(int64(c.slowest))
		w.warn()
		if got := strings.Join(w.res.Warnings, "\n"); strings.Contains(got, "4 requests still in flight when the load ended, the oldest for 3.00 s") != c.said {
			t.Errorf("oldest %v, slowest %v: %q", c.oldest, c.slowest, got)
		}
	}
}

// Whatever is in flight ends with the load, at once.
func TestEndsInFlight(t *testing.T) {
	if testing.Short() {
		t.Skip("drives a load")
	}
	waiting := func(t *testing.T) (url string, entered chan struct{}) {
		entered = make(chan struct{}, 100)
		return quiet(t, func(_ http.ResponseWriter, r *http.Request) {
			entered <- struct{}{}
			<-r.Context().Done()
		}).URL, entered
	}
	t.Run("planned", func(t *testing.T) {
		url, _ := waiting(t)
		o := options(url)
		o.Timeout = time.Hour
		r, err := Run(context.Background(), o)
		if err != nil || r.Interrupted || r.InFlight != o.Concurrency || r.Requests != 0 || len(said(r)) != 1 || !strings.HasPrefix(said(r)[0], "no request ended within 300 ms: 4 requests still in flight, the oldest for ") {
			t.Errorf("%d in flight, %d requests, %q", r.InFlight, r.Requests, said(r))
		}
	})
	for _, warmup := range []time.Duration{0, time.Hour} {
		t.Run("cancelled", func(t *testing.T) {
			ctx, cancel := context.WithCancel(context.Background())
			url, entered := waiting(t)
			o := options(url)
			o.Timeout, o.Warmup, o.Duration = time.Hour, warmup, time.Hour
			running, err := Start(ctx, o)
			if err != nil {
				t.Fatal(err)
			}
			for range o.Concurrency {
				<-entered
			}
			cancel()
			r := running.Wait()
			<-running.Started()
			if !r.Interrupted || r.InFlight != o.Concurrency || r.Requests != 0 || r.End.Sub(r.Start) > time.Minute {
				t.Errorf("%d in flight, %d requests, %v", r.InFlight, r.Requests, r.End.Sub(r.Start))
			}
		})
	}
	t.Run("handshake", func(t *testing.T) {
		// A server that accepts and says nothing, where loadresult.TLS waits for it.
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		var accepting sync.WaitGroup
		accepting.Go(func() {
			for {
				c, err := l.Accept()
				if err != nil {
					return
				}
				accepting.Go(func() { io.Copy(io.Discard, c); c.Close() })
			}
		})
		o := options("https://" + l.Addr().String())
		o.Timeout = time.Hour
		if r, err := Run(context.Background(), o); err != nil || r.InFlight != o.Concurrency {
			t.Errorf("%d in flight, %v", r.InFlight, err)
		}
		if err := Ready(context.Background(), o, 50*time.Millisecond, nil); err == nil || !strings.Contains(err.Error(), "no answer came") {
			t.Error(err)
		}
		l.Close()
		accepting.Wait()
	})
}

// A server that dies costs errors, and the load goes on to its end.
func TestServerDies(t *testing.T) {
	if testing.Short() {
		t.Skip("drives a load")
	}
	s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	states := make(chan Progress)
	o := options(s.URL)
	o.Duration = time.Hour
	o.Progress = func(p Progress) {
		select {
		case states <- p:
		case <-ctx.Done():
		}
	}
	running, err := Start(ctx, o)
	if err != nil {
		t.Fatal(err)
	}
	for p := range states {
		if p.Requests >= 20 {
			break
		}
	}
	s.CloseClientConnections()
	s.Close()
	for p := range states {
		if p.Errors >= 20 {
			break
		}
	}
	cancel()
	r := running.Wait()
	if r.Status[200] == 0 || r.Errors[loadresult.Refused] == 0 || r.Requests != r.Status[200]+r.Failed() {
		t.Errorf("%v %v", r.Status, r.Errors)
	}
}
