//go:build go1.26

package agent

import (
	"runtime/trace"
	"strings"
	"testing"
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
	if w := ask(h, "POST", prefix+"flight?seconds=0"); w.Code != 200 || trace.IsEnabled() {
		t.Errorf("ended: %d, tracing %v", w.Code, trace.IsEnabled())
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
