package ingesttest

import (
	"bytes"
	"encoding/json"
	"net/http"
	"testing"

	"whet/casebook/ingest"
)

var bulkSizes = []struct {
	name string
	size int
}{{"100KB", Size100KB}, {"4.9MB", Size4_9MB}, {"5MiB", Size5MiB}, {"20MB", Size20MB}}

var takeSizes = bulkSizes[1:3]

// answer is the answer that holds a report.
func answer(r ingest.Report) string {
	b, err := json.Marshal(r)
	if err != nil {
		panic(err) // numbers and text
	}
	return string(b) + "\n"
}

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

func (p *page) Write(b []byte) (int, error) {
	p.WriteHeader(http.StatusOK)
	p.n += copy(p.body[p.n:], b)
	return len(b), nil
}

func (p *page) reset() { p.status, p.n = 0, 0 }

// serving returns a function that calls a handler with a fresh request.
func serving(p *page, size int) func(http.Handler) {
	whole := NewReader(size)
	return func(h http.Handler) {
		p.reset()
		body := *whole
		h.ServeHTTP(p, Request(&body, int64(size)))
	}
}

// Bulk measures the whole handler, with a fresh request each time.
func Bulk(b *testing.B, make New) {
	for _, s := range bulkSizes {
		b.Run(s.name, func(b *testing.B) {
			sink, p := new(ingest.Check), newPage()
			h, serve := make(sink), serving(p, s.size)
			b.SetBytes(int64(s.size))
			b.ReportAllocs()
			serve(h)
			want := sink.Totals()
			calls := 1
			for b.Loop() {
				serve(h)
				calls++
			}
			// A benchmark that measured less than the whole job fails: every line
			// of a body is a document, and every call the same ones.
			if n := bytes.Count(Body(s.size), []byte{'\n'}); want.Documents != n || want.Bytes < int64(s.size+n*len("{}")) {
				b.Fatalf("the sink was given %+v for %d documents", want, n)
			}
			text := string(p.body[:p.n])
			if p.status != http.StatusOK || text != answer(ingest.Report{Taken: want.Documents}) {
				b.Fatalf("answer is %d %q, want 200 and %d documents", p.status, text, want.Documents)
			}
			want.Batches *= calls
			want.Documents *= calls
			want.Bytes *= int64(calls)
			want.Sum *= uint64(calls)
			if got := sink.Totals(); got != want {
				b.Fatalf("the sink was given %+v in %d calls, want %+v", got, calls, want)
			}
		})
	}
}

// Take measures the taking in of the body, from one reader.
func Take(b *testing.B, make New) {
	for _, s := range takeSizes {
		b.Run(s.name, func(b *testing.B) {
			h, whole, body := make(new(ingest.Check)), NewReader(s.size), new(Reader)
			b.SetBytes(int64(s.size))
			b.ReportAllocs()
			calls, taken := 0, 0
			use := func(part []byte) error {
				taken += len(part)
				return nil
			}
			for b.Loop() {
				*body = *whole
				if err := h.Take(body, int64(s.size), use); err != nil {
					b.Fatal(err)
				}
				calls++
			}
			if taken != calls*s.size {
				b.Fatalf("%d bytes were taken in %d calls, want %d", taken, calls, calls*s.size)
			}
		})
	}
}

// AllocBulk returns the bytes that a stage's whole handler allocates for a
// body, in a call that is not its first.
func AllocBulk(t testing.TB, h http.Handler, size int) int64 {
	t.Helper()
	p := newPage()
	serve := serving(p, size)
	call := func() {
		if serve(h); p.status != http.StatusOK {
			t.Fatalf("answer is %d %q", p.status, p.body[:p.n])
		}
	}
	call()
	return Allocated(call)
}

// AllocTake returns the bytes that a stage allocates to take in a body, in a
// call that is not its first.
func AllocTake(t testing.TB, h ingest.Intake, size int) int64 {
	t.Helper()
	whole, body := NewReader(size), new(Reader)
	take := func() {
		*body = *whole
		if err := h.Take(body, int64(size), func([]byte) error { return nil }); err != nil {
			t.Fatal(err)
		}
	}
	take()
	return Allocated(take)
}
