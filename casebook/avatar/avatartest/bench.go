package avatartest

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"testing"

	"whet/casebook/avatar"
)

// seed is that of the benchmarks' names.
const seed = 1

// page is a response writer of fixed size that is used again and again, with
// its header as the last answer left it.
type page struct {
	status int
	header http.Header
	n      int
	body   [16 << 10]byte
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

// fresh copies a request that has not been served.
func fresh(t *http.Request) *http.Request {
	r, u := *t, *t.URL
	r.URL = &u
	return &r
}

// Draw measures the drawing of distinct names, at the default size.
func Draw(b *testing.B, make New) {
	h := start(b, make, io.Discard, nil)
	names := Names(seed, WorkingSet)
	var pictures []avatar.Picture
	for _, name := range names {
		pictures = append(pictures, picture(b, name, avatar.DefaultSize))
	}
	var data []byte
	last := 0
	b.ReportAllocs()
	for b.Loop() {
		last = (last + 1) % len(pictures)
		var err error
		if data, err = h.Draw(context.Background(), pictures[last]); err != nil {
			b.Fatal(err)
		}
	}
	CheckPicture(b, data, names[last], avatar.DefaultSize)
}

// Handler measures the handler for names that repeat, each asked for once
// before. Making a request takes two allocations of its own.
func Handler(b *testing.B, make New) {
	h := start(b, make, io.Discard, nil)
	names := Names(seed, WorkingSet)
	var templates []*http.Request
	p := newPage()
	for _, name := range names {
		t := Get("", avatar.Path+name, "", "")
		templates = append(templates, t)
		h.ServeHTTP(p, fresh(t))
	}
	last, failed := 0, 0
	b.ReportAllocs()
	for b.Loop() {
		last = (last + 1) % len(templates)
		p.reset()
		h.ServeHTTP(p, fresh(templates[last]))
		if p.status != http.StatusOK {
			failed++
		}
	}
	if failed > 0 {
		b.Errorf("%d requests were refused", failed)
	}
	CheckPicture(b, p.body[:p.n], names[last], avatar.DefaultSize)
}

// AllocsHit returns a stage's allocations for a request whose picture is at
// hand, less those of making the request.
func AllocsHit(t testing.TB, make New, query string) float64 {
	template := &http.Request{Method: http.MethodGet, URL: &url.URL{Path: "/avatar/Émilie van der Ólafsson", RawQuery: query}, Body: http.NoBody}
	p := newPage()
	run := func(h http.Handler) float64 {
		return testing.AllocsPerRun(200, func() {
			p.reset()
			h.ServeHTTP(p, fresh(template))
		})
	}
	return run(start(t, make, io.Discard, nil)) - run(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
}
