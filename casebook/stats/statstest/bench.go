package statstest

import (
	"io"
	"net/http"
	"testing"

	"whet/casebook/stats"
)

const (
	seed   = 20170809
	inputs = 64 // a power of two
)

// page is a response writer of fixed size that is used again and again.
type page struct {
	status int
	header http.Header
	n      int
	body   [64]byte
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

// WriteString is what net/http's own writers have as well.
func (p *page) WriteString(s string) (int, error) {
	p.WriteHeader(http.StatusOK)
	n := copy(p.body[p.n:], s)
	p.n += n
	if n < len(s) {
		return n, io.ErrShortWrite
	}
	return n, nil
}

func (p *page) reset() { p.status, p.n = 0, 0 }

func (p *page) check(b *testing.B) {
	b.Helper()
	if p.status != http.StatusOK || string(p.body[:p.n]) != stats.Greeting {
		b.Fatalf("status %d and answer %q, want 200 and %q", p.status, p.body[:p.n], stats.Greeting)
	}
}

// templates are the requests that a benchmark copies.
func templates(path func(i int) string) (ts [inputs]*http.Request) {
	for i, agent := range Agents(seed, inputs) {
		ts[i] = Request(http.MethodGet, path(i), agent.Text)
	}
	return ts
}

// fresh copies a request.
func fresh(t *http.Request) *http.Request {
	r, u := *t, *t.URL
	r.URL = &u
	return &r
}

// Name measures one name.
func Name(b *testing.B, make New) {
	h := make(quiet())
	sets := [inputs]stats.Tags(TagSets(seed, inputs))
	for _, tags := range sets {
		if got, want := h.Name(stats.Metric, tags), Want(stats.Metric, tags); got != want {
			b.Fatalf("name is %q, want %q", got, want)
		}
	}
	i, length := 0, 0
	b.ReportAllocs()
	for b.Loop() {
		length += len(h.Name(stats.Metric, sets[i%inputs]))
		i++
	}
	want := 0
	for j, tags := range sets {
		// Input j came up once for each i below the last that leaves j.
		want += len(Want(stats.Metric, tags)) * ((i + inputs - 1 - j) / inputs)
	}
	if length != want {
		b.Fatalf("%d names have %d bytes, want %d", i, length, want)
	}
}

// Simple measures a request that is not counted.
func Simple(b *testing.B, make New) {
	ledger := quiet()
	h := make(ledger)
	ts, p := templates(func(int) string { return stats.SimplePath }), newPage()
	i := 0
	b.ReportAllocs()
	for b.Loop() {
		p.reset()
		h.ServeHTTP(p, fresh(ts[i%inputs]))
		i++
	}
	p.check(b)
	if n := len(ledger.Totals()); n != 0 {
		b.Fatalf("%d names were counted, want none", n)
	}
}

// Advance measures a request that is counted and timed.
func Advance(b *testing.B, make New) {
	ledger := quiet()
	h := make(ledger)
	paths := Paths(seed, inputs)
	ts, p := templates(func(i int) string { return paths[i] }), newPage()
	for _, t := range ts { // a name is new only once
		p.reset()
		h.ServeHTTP(p, fresh(t))
	}
	i := 0
	b.ReportAllocs()
	for b.Loop() {
		p.reset()
		h.ServeHTTP(p, fresh(ts[i%inputs]))
		i++
	}
	p.check(b)
	counted := 0
	for _, total := range ledger.Totals() {
		counted += total.Count
	}
	if counted != inputs+i {
		b.Fatalf("%d requests were counted in %d calls", counted, inputs+i)
	}
}

// AllocsName returns a stage's allocations for one name.
func AllocsName(make New) float64 {
	h := make(quiet())
	sets := TagSets(seed, inputs)
	i := 0
	return testing.AllocsPerRun(100*inputs-1, func() {
		h.Name(stats.Metric, sets[i%inputs])
		i++
	})
}

// AllocsAdvance returns a stage's allocations for one request that is counted,
// less those of making the request.
func AllocsAdvance(make New) float64 {
	paths := Paths(seed, inputs)
	ts, p := templates(func(i int) string { return paths[i] }), newPage()
	run := func(h http.Handler) float64 {
		for _, t := range ts {
			p.reset()
			h.ServeHTTP(p, fresh(t))
		}
		i := 0
		return testing.AllocsPerRun(1000, func() {
			p.reset()
			h.ServeHTTP(p, fresh(ts[i%inputs]))
			i++
		})
	}
	return run(make(quiet())) - run(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
}
