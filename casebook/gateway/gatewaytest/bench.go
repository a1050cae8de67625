package gatewaytest

import (
	"bytes"
	"io"
	"net/http"
	"net/url"
	"reflect"
	"runtime"
	"testing"

	"whet/casebook/gateway"
)

// page is a response writer of fixed size that is used again and again.
type page struct {
	status int
	header http.Header
	n      int
	body   [4096]byte
}

func newPage() *page { return &page{header: make(http.Header)} }

func (p *page) Header() http.Header { return p.header }

func (p *page) WriteHeader(status int) {
	if p.status == 0 {
		p.status = status
	}
}

// Write keeps what fits; the rest is a short write.
func (p *page) Write(b []byte) (int, error) {
	p.WriteHeader(http.StatusOK)
	n := copy(p.body[p.n:], b)
	p.n += n
	if n < len(b) {
		return n, io.ErrShortWrite
	}
	return n, nil
}

func (p *page) reset() { p.status, p.n = 0, 0 }

// sink drops a log and counts its records.
type sink struct{ records int }

func (s *sink) Write(b []byte) (int, error) {
	s.records++
	return len(b), nil
}

func template() *http.Request {
	return &http.Request{
		Method: http.MethodPost,
		URL:    &url.URL{Path: gateway.Path},
		Proto:  "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{"Content-Type": {gateway.ContentType}},
		Body:   http.NoBody,
		Host:   "localhost",
	}
}

// reading is a body.
type reading struct{ bytes.Reader }

func (*reading) Close() error { return nil }

// fresh copies a request and gives it a body. That is two allocations.
func fresh(t *http.Request, body []byte) *http.Request {
	r, in := *t, new(reading)
	in.Reset(body)
	r.Body, r.ContentLength = in, int64(len(body))
	return &r
}

// bodies returns some bodies of one size.
func bodies(n, size int) [][]byte {
	var all [][]byte
	for seed := range n {
		all = append(all, Body(uint64(seed), size))
	}
	return all
}

// kinds are the bodies that are measured.
var kinds = []struct {
	name    string
	n, size int
}{{"1KB", 32, 1000}, {"100KB", 4, 100_000}}

// Call measures a stage called with a new request each time.
func Call(b *testing.B, make New) {
	for _, k := range kinds {
		b.Run(k.name, func(b *testing.B) {
			all, log := bodies(k.n, k.size), new(sink)
			h := make(gateway.Stub{}, log, gateway.Global{})
			calls := loop(b, h, all)
			check(b, h, log, calls)
		})
	}
}

// loop calls a handler with each body in turn and returns how often.
func loop(b *testing.B, h http.Handler, all [][]byte) (calls int) {
	t, p := template(), newPage()
	for _, body := range all {
		h.ServeHTTP(p, fresh(t, body))
		p.reset()
		calls++
	}
	b.ReportAllocs()
	b.ResetTimer()
	for b.Loop() {
		h.ServeHTTP(p, fresh(t, all[calls%len(all)]))
		p.reset()
		calls++
	}
	return calls
}

// check fails a benchmark that measured less than the whole job: each call must
// have been answered, counted and logged, and one more call is looked at.
func check(b *testing.B, h gateway.Gateway, log *sink, calls int) {
	b.Helper()
	if got := h.Health().Answers; len(got) != 1 || got["200"] != int64(calls) || log.records != calls {
		b.Fatalf("%d calls are counted as %v and logged %d times", calls, got, log.records)
	}
	p := newPage()
	h.ServeHTTP(p, fresh(template(), Body(1, 1000)))
	got := ReadEnvelope(b, string(p.body[:p.n]))
	want := Envelope{http.StatusOK, gateway.Message, Value(b, gateway.Answer)}
	if p.status != http.StatusOK || p.header.Get("Content-Type") != gateway.ContentType || !reflect.DeepEqual(got, want) {
		b.Fatalf("answered %d %v %v, want %v", p.status, p.header, got, want)
	}
}

// Session measures the making of a session id.
func Session(b *testing.B, id func(gateway.Random) string) {
	var random gateway.Random = gateway.Global{}
	b.ReportAllocs()
	for b.Loop() {
		if len(id(random)) != gateway.SessionLength {
			b.Fatal("that is no session id")
		}
	}
}

// Cost returns a stage's allocations per call with bodies of 1 kB, and their
// bytes, with those of making the request.
func Cost(make New) (allocs, bytes uint64) {
	const n = 2000
	h, t, p := make(gateway.Stub{}, new(sink), gateway.Global{}), template(), newPage()
	all := bodies(kinds[0].n, kinds[0].size)
	call := func(i int) {
		h.ServeHTTP(p, fresh(t, all[i%len(all)]))
		p.reset()
	}
	call(0) // what is kept is made now
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for i := range n {
		call(i)
	}
	runtime.ReadMemStats(&after)
	return (after.Mallocs - before.Mallocs) / n, (after.TotalAlloc - before.TotalAlloc) / n
}
