package visitstest

import (
	"io"
	"net/http"
	"net/url"
	"testing"

	"whet/casebook/visits"
)

const query = "name=Gopher&color=teal"

// page is a response writer of fixed size that is used again and again. Its
// header map stays as the last answer left it, as in the published benchmark:
// emptying a map costs more than all else that the loop does by itself.
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
		Method: http.MethodGet,
		URL:    &url.URL{Path: visits.Path, RawQuery: query},
		Proto:  "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: make(http.Header),
		Body:   http.NoBody,
		Host:   "localhost",
	}
}

// fresh copies a request that has not been parsed.
func fresh(t *http.Request) *http.Request {
	r, u := *t, *t.URL
	r.URL = &u
	return &r
}

// Reused measures a stage called with one request and one page.
func Reused(b *testing.B, make New) {
	log := new(sink)
	h := make(log)
	r, p := template(), newPage()
	h.ServeHTTP(p, r) // the form is parsed here, and the name is new only once
	calls := 1
	b.ReportAllocs()
	for b.Loop() {
		p.reset()
		h.ServeHTTP(p, r)
		calls++
	}
	check(b, h, r, log, calls)
}

// Fresh measures a stage called with a new request each time.
func Fresh(b *testing.B, make New) {
	log := new(sink)
	h := make(log)
	t, p := template(), newPage()
	h.ServeHTTP(p, fresh(t))
	calls := 1
	b.ReportAllocs()
	for b.Loop() {
		p.reset()
		h.ServeHTTP(p, fresh(t))
		calls++
	}
	check(b, h, t, log, calls)
}

// check fails a benchmark that measured less than the whole job: each call
// must have been counted and logged, and one more call is looked at.
func check(b *testing.B, h visits.Counter, r *http.Request, log *sink, calls int) {
	b.Helper()
	if got := h.Count("Gopher"); got != calls || log.records != calls {
		b.Fatalf("%d visits were counted and %d logged in %d calls", got, log.records, calls)
	}
	p := newPage()
	h.ServeHTTP(p, r)
	if p.status != http.StatusOK || p.header.Get("Content-Type") != visits.ContentType {
		b.Fatalf("status %d and Content-Type %q, want 200 and %q", p.status, p.header.Get("Content-Type"), visits.ContentType)
	}
	if got, want := string(p.body[:p.n]), body("Gopher", "teal", calls+1); got != want {
		b.Fatalf("answer is %q, want %q", got, want)
	}
}

// AllocsReused returns a stage's allocations per call on a reused request.
func AllocsReused(make New) float64 {
	h := make(new(sink))
	r, p := template(), newPage()
	return testing.AllocsPerRun(1000, func() {
		p.reset()
		h.ServeHTTP(p, r)
	})
}

// AllocsFresh returns a stage's allocations per call on fresh requests, less
// those of making the request.
func AllocsFresh(make New, query string) float64 {
	t, p := template(), newPage()
	t.URL.RawQuery = query
	run := func(h http.Handler) float64 {
		return testing.AllocsPerRun(1000, func() {
			p.reset()
			h.ServeHTTP(p, fresh(t))
		})
	}
	return run(make(new(sink))) - run(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
}
