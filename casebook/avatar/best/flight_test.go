package best

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"whet/casebook/avatar"
	"whet/casebook/avatar/avatartest"
)

const (
	annLee  = "/avatar/Ann%20Lee?size=16"
	larger  = "/avatar/Ann%20Lee?size=17"
	another = "/avatar/Bob?size=16"
)

// stopped returns a stage whose painters are away, so that requests that miss
// wait, and a function that brings them back. They are called in a bubble.
func stopped(t *testing.T) (h *Handler, bring func()) {
	t.Helper()
	h, err := New(avatar.DefaultOptions(io.Discard))
	if err != nil {
		t.Fatal(err)
	}
	var away []*painter
	for range cap(h.painters) {
		away = append(away, <-h.painters)
	}
	return h, func() {
		for _, p := range away {
			h.painters <- p
		}
	}
}

// answered keeps an answer, and where in memory it was written from.
type answered struct {
	*httptest.ResponseRecorder
	from *byte
}

func (a *answered) Write(b []byte) (int, error) {
	a.from = &b[0]
	return a.ResponseRecorder.Write(b)
}

func ask(ctx context.Context, h *Handler, target string) *answered {
	w := &answered{ResponseRecorder: httptest.NewRecorder()}
	h.ServeHTTP(w, httptest.NewRequestWithContext(ctx, http.MethodGet, target, nil))
	return w
}

func check(t *testing.T, w *answered, status int) {
	t.Helper()
	if w.Code != status {
		t.Errorf("answered %d %q, want %d", w.Code, w.Body, status)
	} else if status == http.StatusOK {
		avatartest.CheckPicture(t, w.Body.Bytes(), "Ann Lee", 16)
	}
}

// flights returns how many pictures are being drawn.
func (c *cache) inFlight() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.flights)
}

// Requests that miss one picture at the same time are answered with one
// drawing; other pictures are drawn beside it.
func TestMissesCollapse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, bring := stopped(t)
		const each = 20
		targets := []string{annLee, larger, another}
		answers := make([][each]*answered, len(targets))
		var wg sync.WaitGroup
		for i, target := range targets {
			for j := range each {
				wg.Go(func() { answers[i][j] = ask(t.Context(), h, target) })
			}
		}
		synctest.Wait() // until all of them wait for a picture
		if n := h.cache.inFlight(); n != len(targets) {
			t.Errorf("%d pictures are being drawn for %d requests, want %d", n, each*len(targets), len(targets))
		}
		bring()
		wg.Wait()
		seen := map[*byte]bool{}
		for _, all := range answers {
			for _, w := range all {
				if w.Code != http.StatusOK || w.from != all[0].from {
					t.Errorf("answered %d, from memory of its own: %v", w.Code, w.from != all[0].from)
				}
				seen[w.from] = true
			}
		}
		check(t, answers[0][0], http.StatusOK)
		if len(seen) != len(targets) || h.cache.inFlight() != 0 || len(h.cache.kept) != len(targets) {
			t.Errorf("%d drawings were answered, %d go on, %d are kept; want %d, 0, %d", len(seen), h.cache.inFlight(), len(h.cache.kept), len(targets), len(targets))
		}
		if again := ask(t.Context(), h, annLee); again.from != answers[0][0].from {
			t.Error("a later request is answered from another drawing")
		}
	})
}

// A drawing goes on for those who wait when the client it was begun for goes,
// and one of those who goes is not waited with.
func TestClientsThatGo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, bring := stopped(t)
		first, goFirst := context.WithCancel(t.Context())
		second, goSecond := context.WithCancel(t.Context())
		defer goSecond()
		var wg sync.WaitGroup
		var gone, stays *answered
		wg.Go(func() { ask(first, h, annLee) })
		synctest.Wait() // until it has begun
		wg.Go(func() { gone = ask(second, h, annLee) })
		wg.Go(func() { stays = ask(t.Context(), h, annLee) })
		synctest.Wait()
		goFirst()
		goSecond()
		synctest.Wait()
		if gone == nil || stays != nil || h.cache.inFlight() != 1 {
			t.Fatalf("who went is answered: %v, who stays: %v, %d drawings", gone != nil, stays != nil, h.cache.inFlight())
		}
		check(t, gone, http.StatusServiceUnavailable)
		bring()
		wg.Wait()
		check(t, stays, http.StatusOK)
	})
}

// Nothing is drawn when the last one who wanted it has gone, whoever that is;
// who comes then is drawn for anew.
func TestAllGo(t *testing.T) {
	for _, others := range []int{0, 3} {
		synctest.Test(t, func(t *testing.T) {
			h, bring := stopped(t)
			ctx, cancel := context.WithCancel(t.Context())
			var wg sync.WaitGroup
			for range 1 + others {
				wg.Go(func() { check(t, ask(ctx, h, annLee), http.StatusServiceUnavailable) })
				synctest.Wait()
			}
			if n := h.cache.inFlight(); n != 1 {
				t.Errorf("%d pictures are being drawn, want 1", n)
			}
			begin := time.Now()
			cancel()
			wg.Wait() // without a painter
			if n := h.cache.inFlight(); n != 0 || time.Since(begin) > 0 {
				t.Errorf("%d pictures are being drawn for nobody, %v after they went", n, time.Since(begin))
			}
			bring()
			check(t, ask(t.Context(), h, annLee), http.StatusOK)
		})
	}
}

// A flight that all have left is not joined, and its landing does not take the
// one after it away.
func TestFlightThatAllHaveLeft(t *testing.T) {
	var c cache
	c.init(1 << 20)
	_, left, first := c.join(key(1))
	ended := false
	left.cancel = func() { ended = true }
	if c.leave(left); !first || !ended {
		t.Fatalf("who leaves alone was first: %t, and ended the flight: %t", first, ended)
	}
	_, f, first := c.join(key(1))
	if f == left || !first {
		t.Fatal("a flight is joined that brings nothing")
	}
	c.land(key(1), left, func() ([]byte, error) { return nil, context.Canceled })
	if _, again, first := c.join(key(1)); again != f || first {
		t.Error("the flight is gone when the one before it has landed")
	}
	f.cancel = func() { t.Error("a flight is ended that one still waits for") }
	c.leave(f)
}

// Who comes late has their own time, however little was left to the one who
// draws.
func TestDeadlineIsOnesOwn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, bring := stopped(t)
		begin := time.Now()
		var wg sync.WaitGroup
		wg.Go(func() {
			check(t, ask(t.Context(), h, annLee), http.StatusServiceUnavailable)
			if d := time.Since(begin); d != 10*time.Second {
				t.Errorf("who draws is answered after %v, want 10s", d)
			}
		})
		<-time.After(9 * time.Second) // of the bubble's clock
		for range 3 {
			wg.Go(func() { check(t, ask(t.Context(), h, annLee), http.StatusOK) })
		}
		<-time.After(2 * time.Second)
		if n := h.cache.inFlight(); n != 1 {
			t.Errorf("%d pictures are being drawn for those who came late, want 1", n)
		}
		bring()
		wg.Wait()
		if n := h.cache.inFlight(); n != 0 || h.Cached() == 0 {
			t.Errorf("%d drawings go on, %d bytes are kept", n, h.Cached())
		}
	})
}

// Nobody waits for a painter beyond the deadline, and the next one asks anew.
func TestNoPainterInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, bring := stopped(t)
		begin := time.Now()
		var wg sync.WaitGroup
		for range 5 {
			wg.Go(func() { check(t, ask(t.Context(), h, annLee), http.StatusServiceUnavailable) })
		}
		wg.Wait()
		if d := time.Since(begin); d != 10*time.Second { // of the bubble's clock
			t.Errorf("they waited %v, want 10s", d)
		}
		if n := h.cache.inFlight(); n != 0 || h.Cached() != 0 {
			t.Errorf("%d drawings go on, %d bytes are kept", n, h.Cached())
		}
		bring()
		check(t, ask(t.Context(), h, annLee), http.StatusOK)
	})
}

// A panic ends the request that draws; those who wait are answered 500, the
// painter is free again, and the next request is drawn for.
func TestPanic(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, bring := stopped(t)
		var wg sync.WaitGroup
		var panicked any
		wg.Go(func() {
			defer func() { panicked = recover() }()
			ask(t.Context(), h, annLee)
		})
		synctest.Wait()
		var waits *answered
		wg.Go(func() { waits = ask(t.Context(), h, annLee) })
		synctest.Wait()
		h.painters <- new(painter) // it has no generator
		wg.Wait()
		if panicked == nil || h.cache.inFlight() != 0 || h.Cached() != 0 {
			t.Errorf("panic %v, %d drawings go on, %d bytes are kept", panicked, h.cache.inFlight(), h.Cached())
		}
		check(t, waits, http.StatusInternalServerError)
		<-h.painters
		bring()
		check(t, ask(t.Context(), h, annLee), http.StatusOK)
	})
}

// An answer that came between a look-up and the wish to draw is taken.
func TestJoinFindsWhatCameMeanwhile(t *testing.T) {
	var c cache
	c.init(1 << 20)
	want := newAnswer(key(1), []byte("x"))
	c.add(want)
	if a, f, first := c.join(key(1)); a != want || f != nil || first {
		t.Errorf("join gives %v, %v, %v", a, f, first)
	}
}
