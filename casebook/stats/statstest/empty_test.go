package statstest

import (
	"io"
	"net/http"
	"testing"

	"whet/casebook/stats"
)

// idle is a stage that does nothing.
type idle struct{}

func (idle) Name(string, stats.Tags) string { return "" }

func (idle) ServeHTTP(http.ResponseWriter, *http.Request) {}

// newIdle hides from the compiler which stage it makes. Else the calls would be
// inlined, and the requests kept on the stack.
//
//go:noinline
func newIdle() stats.Service { return idle{} }

// The benchmarks' own cost: the same loops around a stage that does nothing.

func BenchmarkEmptyName(b *testing.B) {
	h := newIdle()
	sets := [inputs]stats.Tags(TagSets(seed, inputs))
	i, length := 0, 0
	b.ReportAllocs()
	for b.Loop() {
		length += len(h.Name(stats.Metric, sets[i%inputs]))
		i++
	}
	if length != 0 {
		b.Fatal("names of nothing have a length")
	}
}

func BenchmarkEmptyRequest(b *testing.B) {
	h := newIdle()
	ts, p := templates(func(int) string { return stats.SimplePath }), newPage()
	i := 0
	b.ReportAllocs()
	for b.Loop() {
		p.reset()
		h.ServeHTTP(p, fresh(ts[i%inputs]))
		i++
	}
}

// The page is what the benchmarks take it for.
func TestPage(t *testing.T) {
	p := newPage()
	p.WriteHeader(http.StatusTeapot)
	p.WriteHeader(http.StatusOK)
	for range 6 {
		if n, err := io.WriteString(p, stats.Greeting); n != 10 || err != nil {
			t.Errorf("%d, %v", n, err)
		}
	}
	if n, err := p.Write([]byte(stats.Greeting)); n != 4 || err != io.ErrShortWrite || p.status != http.StatusTeapot {
		t.Errorf("%d, %v and status %d after more than it holds", n, err, p.status)
	}
	if n, err := io.WriteString(p, stats.Greeting); n != 0 || err != io.ErrShortWrite {
		t.Errorf("%d, %v after more than it holds", n, err)
	}
}
