package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os/exec"
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
	u, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	orders, err := json.Marshal(drive{Addr: u.Host, Requests: avatarRequests(u.Host, "/"), Connections: 2, Duration: 100 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	var stdout, stderr bytes.Buffer
	code := play(t.Context(), driveRole, bytes.NewReader(orders), &stdout, &stderr)
	var got driven
	if err := json.Unmarshal(stdout.Bytes(), &got); err != nil || code != done || stderr.Len() > 0 || got.Bytes != 1234*got.Completed {
		t.Errorf("exit status %d, %s, %s, %v", code, &stdout, &stderr, err)
	}
	for _, tt := range []struct{ role, orders, want string }{
		{driveRole, "", "load: EOF\n"},
		{driveRole, "{}", "load: there is nothing to do: give requests, connections and a duration\n"},
		{postRole, "", "load: EOF\n"},
		{"clown", "{}", "load: \"clown\" is no role\n"},
	} {
		stderr.Reset()
		if c := play(t.Context(), tt.role, strings.NewReader(tt.orders), io.Discard, &stderr); c != failed || stderr.String() != tt.want {
			t.Errorf("%s with %q: exit status %d, %s", tt.role, tt.orders, c, &stderr)
		}
	}
}

// As many bodies as a slice has are sent, each whole; an answer that is not 200
// is an error.
func TestPosts(t *testing.T) {
	var mu sync.Mutex
	var bodies [][sha256.Size]byte
	status := http.StatusOK
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		mu.Lock()
		defer mu.Unlock()
		if err == nil && r.Method == http.MethodPost && r.URL.Path == "/ingest" {
			bodies = append(bodies, sha256.Sum256(body))
		}
		w.WriteHeader(status)
	}))
	defer s.Close()
	o := postOrders{s.URL + "/ingest", ingesttest.Size100KB}
	if err := playApart(t.Context(), postRole, o, new(struct{}), (*exec.Cmd).Start); err != nil {
		t.Fatal(err)
	}
	want := sha256.Sum256(ingesttest.Body(ingesttest.Size100KB))
	for _, got := range bodies {
		if got != want {
			t.Error("another body arrived than the one of this size")
		}
	}
	if len(bodies) != postsPerSlice {
		t.Errorf("%d bodies, want %d", len(bodies), postsPerSlice)
	}
	status = http.StatusRequestEntityTooLarge
	if err := playApart(t.Context(), postRole, o, new(struct{}), (*exec.Cmd).Start); err == nil || !strings.Contains(err.Error(), "it was answered 413 Request Entity Too Large") {
		t.Error(err)
	}
	l := &posts{name: "ingest", program: "/no/such/program"}
	if _, err := l.slice(t.Context(), nil, "best, 3 MB"); err == nil || err.Error() != `"best, 3 MB" names no size of bodies` {
		t.Error(err)
	}
	if _, err := l.slice(t.Context(), nil, "best, 20 MB"); err == nil || !strings.HasPrefix(err.Error(), "start stage best: ") {
		t.Error(err)
	}
}
