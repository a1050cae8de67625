//go:build go1.26

package agent

import (
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

func quiet(string) {}

func TestStartTwiceStopTwice(t *testing.T) {
	a := Start(Config{Log: quiet})
	defer a.Stop()
	b := Start(Config{Log: quiet, Record: filepath.Join(t.TempDir(), "b.whet"), Listen: "127.0.0.1:0"})
	if !warned(b, "an agent already runs in this program, since") || b.continuous != nil || b.door != nil {
		t.Errorf("warnings %q", b.Warnings())
	}
	if w := ask(b.Handler(), "GET", prefix+"status"); w.Code != 503 || !strings.Contains(w.Body.String(), "this one does nothing") {
		t.Errorf("%d %q", w.Code, w.Body)
	}
	h := http.NotFoundHandler()
	if ask(b.Wrap(h), "GET", "/").Code != 404 {
		t.Error("Wrap of an agent that does nothing changes the handler")
	}
	b.Stop()
	b.Stop()
	if w := ask(a.Handler(), "GET", prefix+"status"); w.Code != 200 {
		t.Errorf("the first agent went with the second: %d", w.Code)
	}
	a.Stop()
	a.Stop()
	c := Start(Config{Log: quiet})
	defer c.Stop()
	if len(c.Warnings()) > 0 {
		t.Errorf("after the first was stopped: %q", c.Warnings())
	}
}

func TestStopFromManySides(t *testing.T) {
	a := begun(t, settings{dir: t.TempDir(), continuous: quick()})
	var wg sync.WaitGroup
	for i := 0; i < 8; i++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			a.Stop()
			select {
			case <-a.ended:
			default:
				t.Error("Stop returned before the end")
			}
		}()
	}
	wg.Wait()
}

// Log that panics or blocks harms nobody.
func TestLog(t *testing.T) {
	var lines []string
	a := start(settings{log: func(line string) { lines = append(lines, line) }})
	a.notes.add("one %d", 1)
	a.notes.add("one %d", 1) // once is enough
	a.Stop()
	a.notes.add("after the end")
	if len(lines) != 1 || lines[0] != "one 1" {
		t.Errorf("logged %q", lines)
	}
	for i := 0; i < 2*maxNotes; i++ {
		a.notes.add("%d", i)
	}
	if n := len(a.Warnings()); n != maxNotes {
		t.Errorf("%d warnings are kept, want %d", n, maxNotes)
	}

	b := start(settings{log: func(string) { panic("in Log") }})
	b.notes.add("one")
	b.notes.add("two")
	b.Stop()

	blocked := make(chan struct{})
	c := start(settings{log: func(string) { <-blocked }})
	for i := 0; i < 2*maxNotes; i++ {
		c.notes.add("%d", i) // must not block
	}
	go close(blocked)
	c.Stop()
}

// Each setting of Config reaches what it is for.
func TestSettings(t *testing.T) {
	zero := Config{}.settings()
	if zero.continuous != nil || zero.rates != (rates{}) || zero.flight || zero.listen != "" {
		t.Errorf("the zero Config does something: %+v", zero)
	}
	rec := Config{Record: "x.whet"}.settings()
	if c := rec.continuous; c == nil || !c.cpu || c.row != 100*time.Millisecond || c.traceLength != time.Second {
		t.Errorf("Record: %+v", rec.continuous)
	}
	if *rec.rates.BlockRateNs != 10_000 || *rec.rates.MutexFraction != 10 || rec.rates.MemProfileRate != nil {
		t.Errorf("Record sets the rates %+v", rec.rates)
	}
	off := Config{Record: "x.whet", BlockRate: -1, MutexFraction: -1}.settings()
	if off.rates != (rates{}) {
		t.Errorf("negative rates set %+v", off.rates)
	}
	for _, b := range []Bounds{{ResponseTime: 1}, {Goroutines: 1}, {HeapBytes: 1}} {
		if s := (Config{Bounds: b}).settings(); !s.flight || s.bounds.Between != time.Minute {
			t.Errorf("%+v: flight recorder %v, %v between snapshots", b, s.flight, s.bounds.Between)
		}
	}
}

// Wrap lets everything of the writer through, and panics too.
func TestWrapChangesNothing(t *testing.T) {
	a := Start(Config{Log: quiet, Bounds: Bounds{ResponseTime: time.Hour}})
	defer a.Stop()
	w := httptest.NewRecorder()
	var inside http.ResponseWriter
	a.Wrap(http.HandlerFunc(func(in http.ResponseWriter, r *http.Request) { inside = in })).ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
	if inside != http.ResponseWriter(w) {
		t.Errorf("the handler was given a %T", inside)
	}
	defer func() {
		if p := recover(); p != http.ErrAbortHandler {
			t.Errorf("panic %v", p)
		}
	}()
	a.Wrap(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })).ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
}
