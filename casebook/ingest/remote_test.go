package ingest_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"syscall"
	"testing"
	"testing/iotest"
	"time"

	"whet/casebook/ingest"
	"whet/casebook/ingest/ingesttest"
)

func remote(t *testing.T, h http.HandlerFunc) *ingest.Remote {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	s, err := ingest.NewRemote(server.URL + "/_bulk")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func TestRemote(t *testing.T) {
	sink := new(ingest.Check)
	s := remote(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Method != "POST" || r.URL.Path != "/_bulk" || r.Header.Get("Content-Type") != "application/x-ndjson" || r.ContentLength != -1 {
			t.Errorf("got %s %s with %v and length %d", r.Method, r.URL, r.Header, r.ContentLength)
		}
		ingesttest.Serve(sink)(w, r)
	})
	for range 3 {
		if err := s.Bulk(t.Context(), strings.NewReader(strings.Repeat(action+document, 2000))); err != nil {
			t.Fatal(err)
		}
	}
	if got := sink.Totals(); got.Batches != 3 || got.Documents != 6000 {
		t.Errorf("%+v, want 3 batches of 2,000 documents", got)
	}
}

func TestRemoteFails(t *testing.T) {
	read := func(status int, answer string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			io.Copy(io.Discard, r.Body)
			w.WriteHeader(status)
			io.WriteString(w, answer)
		}
	}
	for _, tt := range []struct {
		handler http.HandlerFunc
		want    string
	}{
		{read(400, "no"), "the sink answered 400 Bad Request"},
		{read(503, ""), "the sink answered 503 Service Unavailable"},
		{func(w http.ResponseWriter, r *http.Request) {
			io.Copy(io.Discard, r.Body)
			if r.Method == http.MethodPost {
				http.Redirect(w, r, "/elsewhere", http.StatusFound)
			}
		}, "the sink answered 302 Found"},
		{read(200, `{"took":30,"errors":true,"items":[]}`), "did not take all documents"},
		{read(200, `{"took":30, "errors" : true}`), "did not take all documents"},
		{read(200, "{ \"errors\":\n true }"), "did not take all documents"},
		{read(200, "\n{\n  \"took\" : 30,\n  \"errors\"\t:\r\n\ttrue"), "did not take all documents"},
		{read(200, `{"items":[`+strings.Repeat(`{"index":{"_index":"errors","errors":false,"_id":[1]}},`, 1000)+`{}],"errors":true}`), "did not take all documents"},
		{read(200, `{"took":{"errors":false},"status":"errors","errors":true}`), "did not take all documents"},
		{read(200, `{"a":"\\\"","b":"\\\\","c":"}{","errors":true}`), "did not take all documents"},
		{read(200, `{"took":30,"err`), "is not known"},
		{read(200, `{"took":30,"items":[{}]`), "is not known"},
		{func(w http.ResponseWriter, r *http.Request) {
			io.Copy(io.Discard, r.Body)
			w.Header().Set("Content-Length", "100")
			io.WriteString(w, `{"errors":false`)
		}, "the connection to the sink failed"},
		{func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "{}") }, "answered before it had all documents"},
	} {
		s := remote(t, tt.handler)
		var documents io.Reader = strings.NewReader(action + document)
		if strings.Contains(tt.want, "before") {
			documents = endless{}
		}
		err := s.Bulk(t.Context(), documents)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("error is %v, want one with %q", err, tt.want)
		}
	}
}

// What an engine says that has taken all documents, or that says nothing of it.
func TestRemoteTakes(t *testing.T) {
	for _, answer := range []string{
		"", "OK", "[]", `"errors"`, "true", "{}", `{"took":30,"errors":false,"items":[{"index":{"errors":true}}]}`, `{"errors":false,"errors":true}`,
		`{"took":30,"items":[{"errors":true},[["errors",true]]]}`, `{"status":"errors","took":true}`, `{"errors":null}`, `{"errors":[true]}`, `{"errors":"true"}`,
		`{"errors ":true,"error":true,"\"errors":true,"errors\"":true,"a\\":"errors","b":true}`,
	} {
		s := remote(t, func(w http.ResponseWriter, r *http.Request) {
			io.Copy(io.Discard, r.Body)
			io.WriteString(w, answer)
		})
		if err := s.Bulk(t.Context(), strings.NewReader(action+document)); err != nil {
			t.Errorf("%s: %v", answer, err)
		}
	}
}

// What goes wrong on the way is said, and where the sink is is not.
func TestRemoteIsNotThere(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	where := strings.TrimPrefix(server.URL, "http://")
	s, err := ingest.NewRemote(server.URL + "/_bulk?token=secret")
	if err != nil {
		t.Fatal(err)
	}
	server.Close()
	err = s.Bulk(t.Context(), strings.NewReader(action+document))
	if _, isErrno := errors.AsType[syscall.Errno](err); err == nil || !isErrno || !strings.HasPrefix(err.Error(), "the connection to the sink failed: ") || strings.Contains(err.Error(), where) || strings.Contains(err.Error(), "secret") {
		t.Errorf("error is %v, want the system's, without the address", err)
	}
	ended, cancel := context.WithDeadline(t.Context(), time.Unix(0, 0))
	defer cancel()
	if err := s.Bulk(ended, strings.NewReader(action+document)); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error is %v, want that the time is over", err)
	}
}

// endless is documents without an end.
type endless struct{}

func (endless) Read(p []byte) (int, error) { return copy(p, action+document), nil }

// What fails on its way is not kept at the other end.
func TestRemoteBodyFails(t *testing.T) {
	sink := new(ingesttest.Keep)
	ended := make(chan struct{}, 1)
	s := remote(t, func(w http.ResponseWriter, r *http.Request) {
		ingesttest.Serve(sink)(w, r)
		ended <- struct{}{}
	})
	fails := errors.New("the client is gone")
	err := s.Bulk(t.Context(), io.MultiReader(strings.NewReader(strings.Repeat(action+document, 5000)), iotest.ErrReader(fails)))
	if !errors.Is(err, fails) {
		t.Errorf("error is %v, want the reader's", err)
	}
	<-ended
	if got := sink.Batches(); len(got) != 0 {
		t.Errorf("%d batches were kept of one that failed", len(got))
	}
}

// stuck is a reader that waits in the middle of a batch.
type stuck struct {
	given          int
	entered, leave chan struct{}
	finished       bool
}

func (s *stuck) Read(p []byte) (int, error) {
	if s.given < 500_000 { // more than the client's buffer holds
		n := copy(p, action+document)
		s.given += n
		return n, nil
	}
	close(s.entered)
	<-s.leave
	s.finished = true
	return 0, io.ErrUnexpectedEOF
}

// An answer may come while documents are still read, and the transport goes on
// reading them for a while. Bulk waits until the reader is free.
func TestRemoteWaitsForTheReader(t *testing.T) {
	ended := make(chan struct{})
	r := &stuck{entered: make(chan struct{}), leave: make(chan struct{})}
	s := remote(t, func(w http.ResponseWriter, req *http.Request) {
		c := http.NewResponseController(w)
		c.EnableFullDuplex()
		<-r.entered
		w.WriteHeader(http.StatusServiceUnavailable)
		c.Flush()
		io.Copy(io.Discard, req.Body)
		close(ended)
	})
	go func() {
		<-ended // the connection is closed: the answer has been looked at
		close(r.leave)
	}()
	if err := s.Bulk(t.Context(), r); err == nil || !strings.Contains(err.Error(), "503") {
		t.Errorf("error is %v, want the answer's status", err)
	}
	if !r.finished {
		t.Error("Bulk has returned while its reader was read")
	}
}

func TestRemoteAddress(t *testing.T) {
	for _, address := range []string{"", "localhost:9200", "ftp://x/", "http://", "/_bulk", "http://[::1", "http://user:secret@/x"} {
		_, err := ingest.NewRemote(address)
		if err == nil || !strings.HasPrefix(err.Error(), "read the sink's address") || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: error %v", address, err)
		}
	}
	for _, address := range []string{"http://127.0.0.1:9200/_bulk", "https://search.example/_bulk?filter_path=errors"} {
		if _, err := ingest.NewRemote(address); err != nil {
			t.Error(err)
		}
	}
}
