//go:build go1.26

package agent

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/pprof/profile"
	"go.uber.org/goleak"
	exptrace "golang.org/x/exp/trace"
)

// TestMain plays the program under measurement when a test starts this binary
// again with childKey set.
func TestMain(m *testing.M) {
	if play, ok := children[os.Getenv(childKey)]; ok {
		play()
		return
	}
	goleak.VerifyTestMain(m)
}

const childKey = "WHET_AGENT_TEST_CHILD"

// quick returns a schedule whose times pass within a test.
func quick() *schedule {
	return &schedule{
		cpu: true, segment: time.Hour, cumulative: time.Hour, row: 5 * time.Millisecond,
		traceFirst: time.Hour, traceLength: 50 * time.Millisecond,
	}
}

// begun starts an agent that logs to the test and is stopped at its end.
func begun(t *testing.T, s settings) *Agent {
	t.Helper()
	s.log = func(string) {}
	a := start(s)
	t.Cleanup(a.Stop)
	return a
}

// await waits until ok, and fails the test when that takes too long.
func await(t *testing.T, what string, ok func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for !ok() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatalf("waited in vain for %s", what)
		}
	}
}

// burn uses CPU for d.
func burn(d time.Duration) int {
	n := 0
	for begin := time.Now(); time.Since(begin) < d; {
		for i := 0; i < 10_000; i++ {
			n += i ^ n
		}
	}
	return n
}

func warned(a *Agent, part string) bool {
	for _, w := range a.Warnings() {
		if strings.Contains(w, part) {
			return true
		}
	}
	return false
}

func ask(h http.Handler, method, target string, header ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, target, nil)
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func readFile(t *testing.T, path ...string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(path...))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// checkProfile reads a profile with google/pprof's own reader.
func checkProfile(t *testing.T, name string, data []byte) *profile.Profile {
	t.Helper()
	p, err := profile.ParseData(data)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if err := p.CheckValid(); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return p
}

// checkTrace reads a trace to its end with x/exp/trace and returns the number
// of events.
func checkTrace(t *testing.T, name string, data []byte) int {
	t.Helper()
	r, err := exptrace.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	for n := 0; ; n++ {
		if _, err := r.ReadEvent(); errors.Is(err, io.EOF) {
			return n
		} else if err != nil {
			t.Fatalf("%s: event %d: %v", name, n, err)
		}
	}
}
