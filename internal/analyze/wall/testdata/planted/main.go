// Planted is a program whose wall-clock costs are known: it serves HTTP on the
// loopback, asks itself, and traces the whole. The trace goes to standard
// output, and what the handlers measured with their own clock, as JSON, to
// standard error.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime/trace"
	"sync"
	"sync/atomic"
	"time"
)

// cost is what one handler measured of itself.
type cost struct {
	Requests int64
	Ns       atomic.Int64 `json:"-"`
	TotalNs  int64        // in the planted call
}

var costs = map[string]*cost{}

type planted struct {
	name  string
	calls int
	serve http.HandlerFunc
	wrap  func(http.Handler) http.Handler
	http2 bool
}

func main() {
	log.SetFlags(0)
	dir, err := os.MkdirTemp("", "planted")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)

	// The downstream is traced too, in this process: its handler sleeps.
	downstream := serve(http.HandlerFunc(slowly))
	client := &http.Client{}
	var mu sync.Mutex
	handlers := []planted{
		{name: "lock", calls: 12, serve: func(w http.ResponseWriter, _ *http.Request) { holdLock(&mu) }},
		{name: "sleep", calls: 12, serve: func(http.ResponseWriter, *http.Request) { timed("sleep", nap) }},
		{name: "ask", calls: 12, serve: func(w http.ResponseWriter, _ *http.Request) {
			timed("ask", func() { ask(client, downstream) })
		}},
		{name: "file", calls: 12, serve: func(http.ResponseWriter, *http.Request) {
			timed("file", func() { writeFile(filepath.Join(dir, "f")) })
		}},
		{name: "compute", calls: 8, serve: func(http.ResponseWriter, *http.Request) { timed("compute", compute) }},
		{name: "allocate", calls: 8, serve: func(http.ResponseWriter, *http.Request) { timed("allocate", allocate) }},
		{name: "channel", calls: 8, serve: func(http.ResponseWriter, *http.Request) { timed("channel", channel) }},
		{name: "group", calls: 8, serve: func(http.ResponseWriter, *http.Request) { timed("group", group) }},
		{name: "timeout", calls: 8, serve: func(http.ResponseWriter, *http.Request) { timed("timeout", nap) },
			wrap: func(h http.Handler) http.Handler { return http.TimeoutHandler(h, time.Minute, "late") }},
		{name: "body", calls: 6, serve: func(_ http.ResponseWriter, r *http.Request) {
			timed("body", func() { io.Copy(io.Discard, r.Body) })
		}},
		{name: "stream", calls: 8, http2: true, serve: func(http.ResponseWriter, *http.Request) { timed("stream", nap) }},
		{name: "quick", calls: 50, serve: func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(204) }},
	}
	mux := http.NewServeMux()
	for _, h := range handlers {
		costs[h.name] = &cost{Requests: int64(h.calls)}
		var handler http.Handler = named(h.name, h.serve)
		if h.wrap != nil {
			handler = h.wrap(handler)
		}
		mux.Handle("/"+h.name, logged(handler))
	}
	addr := serve(mux)

	if err := trace.Start(os.Stdout); err != nil {
		log.Fatal(err)
	}
	// Two clients a handler with a connection each, all at once.
	var all sync.WaitGroup
	for _, h := range handlers {
		for range 2 {
			own := &http.Client{Transport: &http.Transport{Protocols: protocols(h.http2)}}
			all.Go(func() {
				for range h.calls / 2 {
					get(own, "http://"+addr+"/"+h.name, h.name == "body")
				}
				own.CloseIdleConnections()
			})
		}
	}
	all.Wait()
	trace.Stop()
	for _, c := range costs {
		c.TotalNs = c.Ns.Load()
	}
	if err := json.NewEncoder(os.Stderr).Encode(costs); err != nil {
		log.Fatal(err)
	}
}

// named gives each handler a method of its own to be found by.
func named(name string, h http.HandlerFunc) http.Handler {
	switch name {
	case "lock":
		return lockHandler{h}
	case "sleep":
		return sleepHandler{h}
	case "ask":
		return askHandler{h}
	case "file":
		return fileHandler{h}
	case "compute":
		return computeHandler{h}
	case "allocate":
		return allocateHandler{h}
	case "channel":
		return channelHandler{h}
	case "group":
		return groupHandler{h}
	case "timeout":
		return timeoutHandler{h}
	case "body":
		return bodyHandler{h}
	case "stream":
		return streamHandler{h}
	}
	return h
}

type (
	lockHandler     struct{ h http.HandlerFunc }
	sleepHandler    struct{ h http.HandlerFunc }
	askHandler      struct{ h http.HandlerFunc }
	fileHandler     struct{ h http.HandlerFunc }
	computeHandler  struct{ h http.HandlerFunc }
	allocateHandler struct{ h http.HandlerFunc }
	channelHandler  struct{ h http.HandlerFunc }
	groupHandler    struct{ h http.HandlerFunc }
	timeoutHandler  struct{ h http.HandlerFunc }
	bodyHandler     struct{ h http.HandlerFunc }
	streamHandler   struct{ h http.HandlerFunc }
)

func (s lockHandler) ServeHTTP(w http.ResponseWriter, r *http.Request)     { s.h(w, r) }
func (s sleepHandler) ServeHTTP(w http.ResponseWriter, r *http.Request)    { s.h(w, r) }
func (s askHandler) ServeHTTP(w http.ResponseWriter, r *http.Request)      { s.h(w, r) }
func (s fileHandler) ServeHTTP(w http.ResponseWriter, r *http.Request)     { s.h(w, r) }
func (s computeHandler) ServeHTTP(w http.ResponseWriter, r *http.Request)  { s.h(w, r) }
func (s allocateHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.h(w, r) }
func (s channelHandler) ServeHTTP(w http.ResponseWriter, r *http.Request)  { s.h(w, r) }
func (s groupHandler) ServeHTTP(w http.ResponseWriter, r *http.Request)    { s.h(w, r) }
func (s timeoutHandler) ServeHTTP(w http.ResponseWriter, r *http.Request)  { s.h(w, r) }
func (s bodyHandler) ServeHTTP(w http.ResponseWriter, r *http.Request)     { s.h(w, r) }
func (s streamHandler) ServeHTTP(w http.ResponseWriter, r *http.Request)   { s.h(w, r) }

// logged is a middleware that all requests pass.
func logged(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { next.ServeHTTP(w, r) })
}

func serve(h http.Handler) (addr string) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	both := protocols(true)
	both.SetHTTP1(true)
	go (&http.Server{Handler: h, Protocols: both}).Serve(l)
	return l.Addr().String()
}

func protocols(http2 bool) *http.Protocols {
	p := new(http.Protocols)
	p.SetHTTP1(!http2)
	p.SetUnencryptedHTTP2(http2)
	return p
}

func get(c *http.Client, url string, dribble bool) {
	var body io.Reader
	if dribble {
		body = &dribbling{left: 3}
	}
	req, err := http.NewRequest("POST", url, body)
	if err != nil {
		log.Fatal(err)
	}
	resp, err := c.Do(req)
	if err != nil {
		log.Fatal(err)
	}
	io.Copy(io.Discard, resp.Body)
	resp.Body.Close()
}

// dribbling is a body that comes byte by byte.
type dribbling struct{ left int }

func (d *dribbling) Read(p []byte) (int, error) {
	if d.left--; d.left < 0 {
		return 0, io.EOF
	}
	time.Sleep(5 * time.Millisecond)
	return copy(p, "x"), nil
}

func timed(name string, f func()) {
	begin := time.Now()
	f()
	costs[name].Ns.Add(int64(time.Since(begin)))
}

// holdLock measures the wait for the lock, and sleeps while it holds it.
func holdLock(mu *sync.Mutex) {
	timed("lock", mu.Lock)
	time.Sleep(20 * time.Millisecond)
	mu.Unlock()
}

func nap() { time.Sleep(10 * time.Millisecond) }

func slowly(w http.ResponseWriter, _ *http.Request) {
	time.Sleep(15 * time.Millisecond)
	fmt.Fprintln(w, "late")
}

func ask(c *http.Client, addr string) { get(c, "http://"+addr+"/", false) }

func writeFile(name string) {
	f, err := os.Create(name)
	if err != nil {
		log.Fatal(err)
	}
	defer f.Close()
	f.Write(bytes.Repeat([]byte("x"), 1<<20))
	f.Sync()
}

var sink [64]byte

func compute() {
	for end := time.Now().Add(10 * time.Millisecond); time.Now().Before(end); {
		for i := range sink {
			sink[i] = sink[i]*31 + byte(i)
		}
	}
}

type tree struct{ left, right *tree }

func grow(depth int) *tree {
	if depth == 0 {
		return &tree{}
	}
	return &tree{grow(depth - 1), grow(depth - 1)}
}

func allocate() {
	for range 4 {
		grow(15)
	}
}

func channel() {
	answer := make(chan int)
	time.AfterFunc(10*time.Millisecond, func() { answer <- 1 })
	<-answer
}

func group() {
	var wg sync.WaitGroup
	wg.Go(nap)
	wg.Wait()
}
