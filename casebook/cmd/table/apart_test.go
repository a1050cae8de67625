package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"whet/casebook/avatar/constant"
	"whet/casebook/ingest/ingesttest"
)

// The generator reads its orders, and says what is wrong with them.
func TestPlay(t *testing.T) {
	s := httptest.NewServer(constant.New(make([]byte, 1234)))
	defer s.Close()
	orders, err := json.Marshal(drive{URLs: []string{s.URL}, Connections: 2, Duration: 100 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	var stdout, stderr bytes.Buffer
	code := playGenerator(t.Context(), bytes.NewReader(orders), &stdout, &stderr)
	var got driven
	if err := json.Unmarshal(stdout.Bytes(), &got); err != nil || code != done || stderr.Len() > 0 || got.Bytes != 1234*got.Completed {
		t.Errorf("exit status %d, %s, %s, %v", code, &stdout, &stderr, err)
	}
	for _, tt := range []struct{ orders, want string }{
		{"", "load: EOF\n"},
		{"{}", "load: make requests: no targets\n"},
		{`{"URLs":["http://127.0.0.1:1/"],"Duration":1}`, "load: concurrency 0: give 1 to 10000\n"},
	} {
		stderr.Reset()
		if c := playGenerator(t.Context(), strings.NewReader(tt.orders), io.Discard, &stderr); c != failed || stderr.String() != tt.want {
			t.Errorf("%q: exit status %d, %s", tt.orders, c, &stderr)
		}
	}
}

// Bodies of the size that was asked for are sent, each whole but for those that
// the end cuts off, on as many connections as there are; an answer that is not
// 200 is counted.
func TestPosts(t *testing.T) {
	var mu sync.Mutex
	var received [][sha256.Size]byte
	status := http.StatusOK
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		mu.Lock()
		defer mu.Unlock()
		if err == nil && r.Method == http.MethodPost && r.URL.Path == "/ingest" {
			received = append(received, sha256.Sum256(body))
		}
		w.WriteHeader(status)
	}))
	defer s.Close()
	const size = ingesttest.Size100KB
	o := drive{URLs: []string{s.URL + "/ingest"}, Body: size, Connections: bodies.connections, Duration: 100 * time.Millisecond}
	got, err := o.apart(t.Context(), nil)
	if err != nil || got.Failed > 0 {
		t.Fatalf("%+v, %v", got, err)
	}
	want := sha256.Sum256(ingesttest.Body(size))
	mu.Lock() // of requests that were cut off the server may still be at work
	for _, r := range received {
		if r != want {
			t.Error("another body arrived than the one of this size")
		}
	}
	if n := int64(len(received)); n < 2 || got.Completed > n || n > got.Completed+2 {
		t.Errorf("%d bodies, and %d were counted on 2 connections", n, got.Completed)
	}
	status = http.StatusRequestEntityTooLarge
	mu.Unlock()
	if got, err := o.apart(t.Context(), nil); err != nil || got.Failed == 0 || !strings.Contains(got.Example, "413") {
		t.Errorf("%+v, %v", got, err)
	}
	o.Connections = 0
	if _, err := o.apart(t.Context(), nil); err == nil || !strings.HasPrefix(err.Error(), "exit status 3: load: concurrency 0") {
		t.Error(err)
	}
	l := newServices(&group{name: "ingest", kind: uploads}, "/no/such/program")
	if _, err := l.slice(t.Context(), target{stage: "best, 3 MB"}); err == nil || err.Error() != `"best, 3 MB" names no size of bodies` {
		t.Error(err)
	}
	if _, err := l.slice(t.Context(), target{stage: "best, 20 MB"}); err == nil || !strings.HasPrefix(err.Error(), "start stage best: ") {
		t.Error(err)
	}
}
