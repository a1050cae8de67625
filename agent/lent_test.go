//go:build go1.26

package agent

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"runtime/trace"
	"strings"
	"sync"
	"testing"
	"time"
)

// A flight recorder is lent for a while, and is the agent's to end.
func TestFlightLent(t *testing.T) {
	a := begun(t, settings{})
	h := a.Handler()
	status := func() string { return ask(h, "GET", prefix+"status").Body.String() }
	if w := ask(h, "GET", prefix+"flight"); w.Code != 404 || !strings.Contains(status(), `"flight_recorder":false`) {
		t.Errorf("before: %d, %s", w.Code, status())
	}
	for _, bad := range []string{"", "?seconds=-1", "?seconds=x", "?seconds=601"} {
		if w := ask(h, "POST", prefix+"flight"+bad); w.Code != 400 {
			t.Errorf("%q: %d", bad, w.Code)
		}
	}
	for range 2 { // the second lengthens it
		if w := ask(h, "POST", prefix+"flight?seconds=60"); w.Code != 200 || !strings.Contains(w.Body.String(), `"flight_recorder":true`) {
			t.Fatalf("%d %s", w.Code, w.Body)
		}
	}
	if w := ask(h, "GET", prefix+"flight"); w.Code != 200 || checkTrace(t, "flight", w.Body.Bytes()) == 0 {
		t.Errorf("while it runs: %d", w.Code)
	}
	for _, left := range []bool{true, false} { // the other one has it still
		if w := ask(h, "POST", prefix+"flight?seconds=0"); w.Code != 200 || trace.IsEnabled() != left {
			t.Errorf("given back: %d, tracing %v", w.Code, trace.IsEnabled())
		}
	}
	if w := ask(h, "GET", prefix+"flight"); w.Code != 404 {
		t.Errorf("after: %d", w.Code)
	}
	// It ends by itself, and when the agent does.
	ask(h, "POST", prefix+"flight?seconds=0.001")
	await(t, "the end of the lent recorder", func() bool { return !strings.Contains(status(), `"flight_recorder":true`) })
	ask(h, "POST", prefix+"flight?seconds=60")
	a.Stop()
	if trace.IsEnabled() {
		t.Error("after Stop something still traces")
	}
	if a.lent.lend(a, 1) {
		t.Error("a stopped agent lends a recorder")
	}
}

// One that the program has anyway stays.
func TestFlightOwnStays(t *testing.T) {
	a := begun(t, settings{flight: true})
	for _, query := range []string{"?seconds=5", "?seconds=0"} {
		if w := ask(a.Handler(), "POST", prefix+"flight"+query); w.Code != 200 {
			t.Errorf("%s: %d", query, w.Code)
		}
		if w := ask(a.Handler(), "GET", prefix+"flight"); w.Code != 200 {
			t.Errorf("after %s: %d", query, w.Code)
		}
	}
}

// Whoever asks for less time than is left, or in the moment in which it ends, takes
// nothing from the others.
func TestFlightLengthened(t *testing.T) {
	a := begun(t, settings{})
	if !a.lent.lend(a, time.Minute) {
		t.Fatal("nothing is lent")
	}
	f, until := a.lent.flight, a.lent.until
	if !a.lent.lend(a, time.Nanosecond) || a.lent.until != until {
		t.Errorf("a nanosecond more ends at %v, not at %v", a.lent.until, until)
	}
	if !a.lent.lend(a, time.Hour) || a.lent.until.Sub(until) < 58*time.Minute {
		t.Errorf("an hour more ends at %v, a minute at %v", a.lent.until, until)
	}
	a.lent.expire(f) // the timer of before, which had waited for the lock
	if a.lent.now() != f || !trace.IsEnabled() {
		t.Error("what was lengthened ended")
	}
	a.lent.until = time.Now()
	a.lent.expire(f)
	if a.lent.now() != nil || trace.IsEnabled() {
		t.Error("what is over goes on")
	}
	a.lent.expire(f)
}

// Many who ask at the same time, and end what others have, leave nothing behind.
func TestFlightLentToMany(t *testing.T) {
	a := begun(t, settings{token: "secret"})
	h := a.Handler()
	asks := func(method, path, token string) int {
		r := httptest.NewRequest(method, prefix+path, nil)
		r.Header.Set("Authorization", "Bearer "+token)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w.Code
	}
	for _, method := range []string{"POST", "GET"} {
		if code := asks(method, "flight?seconds=60", "wrong"); code != http.StatusUnauthorized || trace.IsEnabled() {
			t.Errorf("%s without the token: %d, tracing %v", method, code, trace.IsEnabled())
		}
	}
	for _, bad := range []string{"601", "1e300", "NaN", "Inf", "-0", "1e-300", "0x", "\x00"} {
		if code := asks("POST", "flight?seconds="+url.QueryEscape(bad), "secret"); code != http.StatusBadRequest || trace.IsEnabled() {
			t.Errorf("%q seconds: %d, tracing %v", bad, code, trace.IsEnabled())
		}
	}
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for j := range 6 {
				method, path := "POST", "flight?seconds="+[]string{"60", "0.001", "0"}[(i+j)%3]
				if i%4 == 3 {
					method, path = "GET", "flight"
				}
				switch code := asks(method, path, "secret"); code {
				case http.StatusOK, http.StatusServiceUnavailable:
				case http.StatusNotFound, http.StatusInternalServerError: // it ended before the snapshot, or in it
					if method == "POST" {
						t.Errorf("%s: %d", path, code)
					}
				default:
					t.Errorf("%s %s: %d", method, path, code)
				}
			}
		})
	}
	all.Wait()
	a.Stop()
	if trace.IsEnabled() || a.lent.now() != nil {
		t.Error("after Stop something still traces")
	}
}
