//go:build go1.26

package agent

import (
	"bytes"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"runtime/pprof"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestToken(t *testing.T) {
	a := begun(t, settings{token: "correct horse"})
	for _, tt := range []struct {
		header []string
		want   int
	}{
		{nil, 401},
		{[]string{"Authorization", "Bearer correct horse"}, 200},
		{[]string{"X-Whet-Token", "correct horse"}, 200},
		{[]string{"Authorization", "Bearer correct hors"}, 401},
		{[]string{"Authorization", "Bearer correct horse "}, 401},
		{[]string{"Authorization", "Basic correct horse"}, 401},
		{[]string{"Authorization", "Bearer "}, 401},
		{[]string{"X-Whet-Token", ""}, 401},
		// The agent's own header counts, whatever a proxy on the way wants.
		{[]string{"Authorization", "Bearer no", "X-Whet-Token", "correct horse"}, 200},
		{[]string{"Authorization", "Bearer correct horse", "X-Whet-Token", "no"}, 401},
	} {
		for _, path := range []string{"status", "pprof/heap", "files"} {
			w := ask(a.Handler(), "GET", prefix+path, tt.header...)
			if got := w.Code; got != tt.want && !(tt.want == 200 && path == "files" && got == 404) {
				t.Errorf("%s with %q: %d, want %d", path, tt.header, got, tt.want)
			}
		}
	}
	for _, path := range []string{"rates?mutex_fraction=3", "flush"} {
		if w := ask(a.Handler(), "POST", prefix+path); w.Code != 401 || w.Header().Get("WWW-Authenticate") != "Bearer" {
			t.Errorf("%s: %d", path, w.Code)
		}
	}
	if runtime.SetMutexProfileFraction(-1) == 3 {
		t.Error("a request without a token set the rate")
	}
}

func TestAnswers(t *testing.T) {
	a := begun(t, settings{})
	for _, tt := range []struct {
		method, path string
		status       int
		text         string
	}{
		{"GET", "status", 200, `"schema":"whet/agent/1"`},
		{"GET", "", 404, `the agent has no ""`},
		{"GET", "nothing", 404, `the agent has no "nothing": it has status, pprof/, metrics,`},
		{"GET", "pprof/", 404, `this program has no profile ""`},
		{"GET", "pprof/nothing", 404, `this program has no profile "nothing"`},
		{"GET", "pprof/goroutine?debug=1", 200, "goroutine profile: total "},
		{"GET", "pprof/goroutine?debug=2", 200, "goroutine 1 ["},
		{"GET", "pprof/heap?debug=1&gc=1", 200, "heap profile: "},
		{"GET", "pprof/heap?debug=9", 400, `debug="9" is not 0, 1 or 2`},
		{"GET", "pprof/allocs?seconds=5", 400, "seconds applies to profile and trace only: take allocs twice and subtract"},
		{"GET", "pprof/profile?seconds=-1", 400, `seconds="-1" is not a number of seconds above 0 and up to 3600`},
		{"GET", "pprof/profile?seconds=NaN", 400, `seconds="NaN" is not`},
		{"GET", "pprof/trace?seconds=1e9", 400, `seconds="1e9" is not`},
		{"GET", "metrics?seconds=x", 400, `seconds="x" is not`},
		{"GET", "metrics?every_ms=1", 400, `every_ms="1" is not a number from 10 to 60000`},
		{"POST", "status", 405, "status takes GET, not POST"},
		{"GET", "rates?block_rate_ns=1", 405, "rates takes POST, not GET"},
		{"POST", "rates", 400, "give block_rate_ns, mutex_fraction or both"},
		{"POST", "rates?block_rate_ns=-1", 400, `block_rate_ns="-1" is not a number from 0 to 2147483647`},
		{"POST", "rates?mutex_fraction=99999999999", 400, `mutex_fraction="99999999999" is not a number`},
		{"GET", "flight", 404, "no flight recorder runs: set Config.FlightRecorder or a bound"},
		{"GET", "files", 404, "the agent writes no files: it was not configured to record"},
		{"POST", "flush", 404, "the agent writes no files: it was not configured to record"},
	} {
		for _, before := range []string{prefix, "/"} {
			w := ask(a.Handler(), tt.method, before+tt.path)
			if w.Code != tt.status || !strings.Contains(w.Body.String(), tt.text) {
				t.Errorf("%s %s%s: %d %.200q, want %d and %q", tt.method, before, tt.path, w.Code, w.Body, tt.status, tt.text)
			}
			if w.Code >= 400 && (strings.Count(w.Body.String(), "\n") != 1 || !strings.HasPrefix(w.Header().Get("Content-Type"), "text/plain")) {
				t.Errorf("%s %s: %q is not one line of text", tt.method, tt.path, w.Body)
			}
		}
	}
	for _, name := range []string{"allocs", "heap", "block", "mutex", "goroutine", "threadcreate"} {
		checkProfile(t, name, ask(a.Handler(), "GET", prefix+"pprof/"+name).Body.Bytes())
	}
}

// Rates are set, answered as they were, and put back.
func TestRates(t *testing.T) {
	own := runtime.SetMutexProfileFraction(7)
	defer runtime.SetMutexProfileFraction(own)
	a := begun(t, settings{})
	set := func(query string) (before rates) {
		t.Helper()
		w := ask(a.Handler(), "POST", prefix+"rates?"+query)
		if err := json.Unmarshal(w.Body.Bytes(), &before); err != nil {
			t.Fatalf("%v: %s", err, w.Body)
		}
		return before
	}
	if before := set("block_rate_ns=1&mutex_fraction=10"); before.BlockRateNs != nil || *before.MutexFraction != 7 {
		t.Errorf("before: %v and %d, want unknown and 7", before.BlockRateNs, *before.MutexFraction)
	}
	if blocked() == 0 {
		t.Error("the block rate was set, and nothing was sampled")
	}
	if before := set("mutex_fraction=20"); *before.BlockRateNs != 1 || *before.MutexFraction != 10 {
		t.Errorf("before: %d and %d, want 1 and 10", *before.BlockRateNs, *before.MutexFraction)
	}
	a.Stop()
	if got := runtime.SetMutexProfileFraction(-1); got != 7 {
		t.Errorf("after Stop the mutex fraction is %d, want 7", got)
	}
	if n := blocked(); n != 0 {
		t.Errorf("after Stop %d waits were sampled", n)
	}

	// What the program has set itself since is left alone.
	three := int64(3)
	b := begun(t, settings{rates: rates{MutexFraction: &three}})
	runtime.SetMutexProfileFraction(5)
	b.Stop()
	if got := runtime.SetMutexProfileFraction(-1); got != 5 {
		t.Errorf("the program set 5, and after Stop it is %d", got)
	}
}

// blocked returns how many waits the block profile samples of a goroutine that
// waits a hundred times.
func blocked() int {
	before := waits()
	ping, pong := make(chan int), make(chan int)
	go func() {
		defer close(pong)
		for i := range ping {
			pong <- i
		}
	}()
	for i := 0; i < 100; i++ {
		ping <- i
		<-pong
	}
	close(ping)
	<-pong
	return waits() - before
}

func waits() int {
	records := make([]runtime.BlockProfileRecord, 10_000)
	n, ok := runtime.BlockProfile(records)
	if !ok {
		panic("more stacks than expected")
	}
	sum := 0
	for _, r := range records[:n] {
		for _, f := range r.Stack() {
			if fn := runtime.FuncForPC(f); fn != nil && strings.Contains(fn.Name(), "agent.blocked") {
				sum += int(r.Count)
				break
			}
		}
	}
	return sum
}

// At most so many requests at a time; the others are told.
func TestRequestsAreBounded(t *testing.T) {
	a := begun(t, settings{})
	for i := 0; i < maxRequests; i++ {
		a.slots <- struct{}{}
	}
	if w := ask(a.Handler(), "GET", prefix+"status"); w.Code != 503 || !strings.Contains(w.Body.String(), "8 requests are being answered") {
		t.Errorf("%d %q", w.Code, w.Body)
	}
	<-a.slots
	if w := ask(a.Handler(), "GET", prefix+"status"); w.Code != 200 {
		t.Errorf("with a free slot: %d %q", w.Code, w.Body)
	}
	if len(a.slots) != maxRequests-1 {
		t.Errorf("%d slots are taken after the request, want %d", len(a.slots), maxRequests-1)
	}
}

// All of it at once, and Stop in the middle: no race, no hang, no other answer
// than those that are meant.
func TestAtOnce(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and starts programs")
	}
	s := quick()
	s.segment, s.cumulative, s.traceFirst = 5*time.Millisecond, 5*time.Millisecond, time.Millisecond
	a := begun(t, settings{dir: t.TempDir(), continuous: s, flight: true})
	h := a.Handler()
	var wg sync.WaitGroup
	for i := 0; i < 4; i++ {
		for _, request := range []string{
			"GET status", "GET pprof/profile?seconds=0.005", "GET pprof/trace?seconds=0.005", "GET pprof/goroutine", "GET metrics?seconds=0.02&every_ms=10",
			"POST rates?mutex_fraction=5", "GET flight", "GET files", "POST flush",
		} {
			wg.Add(1)
			go func() {
				defer wg.Done()
				method, path, _ := strings.Cut(request, " ")
				for j := 0; j < 3; j++ {
					w := ask(h, method, prefix+path)
					if w.Code != 200 && w.Code != 503 && !(w.Code == 500 && path == "flight") {
						t.Errorf("%s: %d %q", request, w.Code, w.Body)
					}
				}
			}()
		}
	}
	a.Stop()
	wg.Wait()
	if w := ask(h, "GET", prefix+"status"); w.Code != 503 || w.Body.String() != "the agent was stopped\n" {
		t.Errorf("after Stop: %d %q", w.Code, w.Body)
	}
}

// panickingConn is a connection that panics.
type panickingConn struct{ *httptest.ResponseRecorder }

func (panickingConn) Write([]byte) (int, error) { panic("no more") }

func TestPanicStaysInside(t *testing.T) {
	a := begun(t, settings{})
	func() {
		defer func() {
			if p := recover(); p != nil && p != "no more" {
				t.Errorf("panic %v", p)
			}
		}()
		a.Handler().ServeHTTP(panickingConn{httptest.NewRecorder()}, httptest.NewRequest("GET", prefix+"status", nil))
	}()
	if !warned(a, "failed: no more") {
		t.Errorf("warnings %q", a.Warnings())
	}
	if len(a.slots) != 0 {
		t.Error("the slot was not given back")
	}
	a.work("a part", func() { panic("trouble") })
	await(t, "the note", func() bool { return warned(a, "a part failed and is off: trouble") })
}

// A reader that does not read holds up nobody: rows are not kept for it, and
// Stop does not wait.
func TestSlowReader(t *testing.T) {
	a := begun(t, settings{})
	here, there := net.Pipe()
	server := &http.Server{Handler: a.Handler()}
	go server.Serve(&singleListener{conn: there, closed: make(chan struct{})})
	defer server.Close()
	if _, err := io.WriteString(here, "GET /debug/whet/metrics?seconds=3600&every_ms=10 HTTP/1.1\r\nHost: x\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	// The head and no more: the pipe has no buffer, so the next write blocks.
	if _, err := io.ReadFull(here, make([]byte, 100)); err != nil {
		t.Fatal(err)
	}
	a.Stop()
	here.Close()
	await(t, "the handler to end", func() bool { return len(a.slots) == 0 })
}

// singleListener is a listener with one connection.
type singleListener struct {
	conn   net.Conn
	closed chan struct{}
	once   sync.Once
	given  bool
}

func (l *singleListener) Accept() (net.Conn, error) {
	if !l.given {
		l.given = true
		return l.conn, nil
	}
	<-l.closed
	return nil, net.ErrClosed
}
func (l *singleListener) Close() error   { l.once.Do(func() { close(l.closed) }); return nil }
func (l *singleListener) Addr() net.Addr { return l.conn.LocalAddr() }

// A profile ends when its client goes.
func TestClientGoes(t *testing.T) {
	a := begun(t, settings{})
	server := httptest.NewServer(a.Handler())
	defer server.Close()
	resp, err := http.Get(server.URL + prefix + "metrics?seconds=3600")
	if err != nil {
		t.Fatal(err)
	}
	if len(a.slots) != 1 {
		t.Errorf("%d slots are taken", len(a.slots))
	}
	resp.Body.Close()
	await(t, "the stream to end", func() bool { return len(a.slots) == 0 })
	http.DefaultClient.CloseIdleConnections()
}

// What the agent starts bears its label, and the program's own does not.
func TestLabels(t *testing.T) {
	a := begun(t, settings{dir: t.TempDir(), continuous: quick()})
	var buf bytes.Buffer
	if err := pprof.Lookup("goroutine").WriteTo(&buf, 0); err != nil {
		t.Fatal(err)
	}
	for _, s := range checkProfile(t, "goroutine", buf.Bytes()).Sample {
		ours := false
		for _, l := range s.Location {
			name := l.Line[0].Function.Name
			ours = ours || strings.HasSuffix(name, "agent.(*continuous).run") || strings.HasSuffix(name, "agent.(*rows).run")
		}
		if labelled := len(s.Label["whet"]) == 1; ours && !labelled {
			t.Errorf("a goroutine of the agent has the labels %v", s.Label)
		} else if name := s.Location[len(s.Location)-1].Line[0].Function.Name; labelled && name == "testing.tRunner" {
			t.Error("the goroutine that called Start kept the label")
		}
	}
	a.Stop()
}
