package visitstest

import (
	"io"
	"net/http"
	"net/url"
	"testing"

	"whet/casebook/visits"
)

const query = "name=Gopher&color=teal"

// Page is a response writer of fixed size that is reset and used again.
type Page struct {
	Status int

	header http.Header
	n      int
	body   [4096]byte
}

func (p *Page) Header() http.Header {
	if p.header == nil {
		p.header = make(http.Header)
	}
	return p.header
}

func (p *Page) WriteHeader(status int) {
	if p.Status == 0 {
		p.Status = status
	}
}

// Write keeps what fits; the rest is a short write.
func (p *Page) Write(b []byte) (int, error) {
	p.WriteHeader(http.StatusOK)
	n := copy(p.body[p.n:], b)
	p.n += n
	if n < len(b) {
		return n, io.ErrShortWrite
	}
	return n, nil
}

// Body returns what was written since the last Reset.
func (p *Page) Body() []byte { return p.body[:p.n] }

// Reset empties the page.
func (p *Page) Reset() {
	clear(p.header)
	p.Status, p.n = 0, 0
}

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
	r, page := template(), new(Page)
	h.ServeHTTP(page, r) // the form is parsed here, and the name is new only once
	b.ReportAllocs()
	calls := 1
	for b.Loop() {
		page.Reset()
		h.ServeHTTP(page, r)
		calls++
	}
	check(b, page, log, calls)
}

// Fresh measures a stage called with a new request each time.
func Fresh(b *testing.B, make New) {
	log := new(sink)
	h := make(log)
	t, page := template(), new(Page)
	h.ServeHTTP(page, fresh(t))
	b.ReportAllocs()
	calls := 1
	for b.Loop() {
		page.Reset()
		h.ServeHTTP(page, fresh(t))
		calls++
	}
	check(b, page, log, calls)
}

// check fails a benchmark that measured less than the whole job.
func check(b *testing.B, page *Page, log *sink, calls int) {
	b.Helper()
	if page.Status != http.StatusOK || len(page.Header()) != 1 {
		b.Fatalf("last answer has status %d and %d headers, want 200 and 1", page.Status, len(page.Header()))
	}
	if want := body("Gopher", "teal", calls); string(page.Body()) != want {
		b.Fatalf("last of %d answers is %q, want %q", calls, page.Body(), want)
	}
	if log.records != calls {
		b.Fatalf("%d records were logged in %d calls", log.records, calls)
	}
}

// AllocsReused returns a stage's allocations per call on a reused request.
func AllocsReused(make New) float64 {
	h := make(new(sink))
	r, page := template(), new(Page)
	return testing.AllocsPerRun(1000, func() {
		page.Reset()
		h.ServeHTTP(page, r)
	})
}

// AllocsFresh returns a stage's allocations per call on fresh requests, less
// those of making the request.
func AllocsFresh(make New, query string) float64 {
	t, page := template(), new(Page)
	t.URL.RawQuery = query
	run := func(h http.Handler) float64 {
		return testing.AllocsPerRun(1000, func() {
			page.Reset()
			h.ServeHTTP(page, fresh(t))
		})
	}
	return run(make(new(sink))) - run(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
}
