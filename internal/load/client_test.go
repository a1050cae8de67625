package load

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// ask asks once.
func ask(t *testing.T, o Options, q Request) (*Response, error) {
	t.Helper()
	a, err := NewClient(o)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	return a.Do(context.Background(), q)
}

// What is asked arrives as it was meant, with what the request leaves out taken
// from the options.
func TestAsk(t *testing.T) {
	s := quiet(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("Location", "/elsewhere")
		w.WriteHeader(302)
		io.WriteString(w, strings.Join([]string{r.Method, r.RequestURI, r.Host, r.Header.Get("X-A"), r.Header.Get("X-B"), string(body)}, "|"))
	})
	o := options(s.URL + "/base?q=1")
	host := strings.TrimPrefix(s.URL, "http://")
	o.Method, o.Body, o.Header = "PUT", []byte("theirs"), http.Header{"X-A": {"a"}}
	for want, q := range map[string]Request{
		"PUT|/base?q=1|" + host + "|a||theirs":      {},
		"GET|/x%20y?z|" + host + "|a|b|":            {Method: "GET", Target: "/x%20y?z", Header: map[string]string{"x-b": "b"}},
		"POST|/|example.com|c||mine":                {Method: "POST", Target: "/", Header: map[string]string{"Host": "example.com", "X-A": "c"}, Body: []byte("mine")},
		"PUT|/only/the/path|" + host + "|a||theirs": {Target: "/only/the/path"},
	} {
		a, err := ask(t, o, q)
		if err != nil {
			t.Errorf("%+v: %v", q, err)
			continue
		}
		sum := sha256.Sum256([]byte(want))
		if string(a.Body) != want || a.Status != 302 || !slices.Equal(a.Header["Location"], []string{"/elsewhere"}) || a.Bytes != int64(len(want)) || a.SHA256 != hex.EncodeToString(sum[:]) {
			t.Errorf("%+v: %d %q, %d bytes, %s", q, a.Status, a.Body, a.Bytes, a.SHA256)
		}
	}
}

// Of a long answer the beginning is kept, and all of it digested.
func TestAskLong(t *testing.T) {
	const size = MaxResponseBody + 12345
	s := quiet(t, func(w http.ResponseWriter, _ *http.Request) { w.Write(make([]byte, size)) })
	a, err := ask(t, options(s.URL), Request{})
	sum := sha256.Sum256(make([]byte, size))
	if err != nil || len(a.Body) != MaxResponseBody || a.Bytes != size || a.SHA256 != hex.EncodeToString(sum[:]) {
		t.Errorf("%d of %d bytes, %v", len(a.Body), a.Bytes, err)
	}
}

func TestAskFails(t *testing.T) {
	s := quiet(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/hang":
			<-r.Context().Done()
		case "/short":
			w.Header().Set("Content-Length", "10")
		}
	})
	o := options(s.URL)
	o.Timeout = 50 * time.Millisecond
	for want, q := range map[string]Request{
		"no answer within 50ms":    {Target: "/hang"},
		"short body":               {Target: "/short"},
		`path "http://other/"`:     {Target: "http://other/"},
		`path "x"`:                 {Target: "x"},
		`method "G T"`:             {Method: "G T"},
		`header "X-·"`:             {Header: map[string]string{"X-\n": "v"}},
		`header "X": invalid name`: {Header: map[string]string{"X": "a\r\nb"}},
	} {
		if _, err := ask(t, o, q); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %q", q, err, want)
		}
	}
	a, err := NewClient(o)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := a.Do(ctx, Request{}); err != context.Canceled {
		t.Errorf("cancelled: %v", err)
	}
	if _, err := NewClient(Options{}); err == nil {
		t.Error("no options, no error")
	}
}

// The ports differ, and can be listened on.
func TestFreePorts(t *testing.T) {
	ports, err := FreePorts(20)
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(ports)
	if diff := cmp.Diff(20, len(slices.Compact(ports))); diff != "" {
		t.Error("ports come twice")
	}
	l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(ports[0])))
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
}
