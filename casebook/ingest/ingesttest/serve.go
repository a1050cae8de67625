package ingesttest

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"whet/casebook/ingest"
)

// testConcurrent: requests at once do not meet in each other's memory.
func testConcurrent(t *testing.T, make New) {
	const workers, rounds = 4, 6
	sizes := []int{1500, 40_000, Size100KB, 2*ingest.MaxLine + 1}
	sink := new(Keep)
	h := make(sink)
	var wg sync.WaitGroup
	for i := range workers {
		wg.Go(func() {
			for j := range rounds {
				for k := range sizes {
					size := sizes[(i+j+k)%len(sizes)]
					w := NewRecorder()
					h.ServeHTTP(w, Request(onlyRead{strings.NewReader(expected(size).body)}, int64(size)))
					checkAnswer(t, "at once", w, expected(size).answer)
				}
			}
		})
	}
	wg.Wait()
	left := map[string]int{}
	for _, size := range sizes {
		left[expected(size).bulk] = workers * rounds
	}
	for _, b := range sink.Batches() {
		if left[b]--; left[b] < 0 {
			t.Fatalf("a batch of %d bytes came too often or is wrong: %.300q", len(b), b)
		}
	}
	if n := len(sink.Batches()); n != workers*rounds*len(sizes) {
		t.Errorf("%d batches, want %d", n, workers*rounds*len(sizes))
	}
}

// testHandedOut: while a sink reads one request's documents, others are served
// from beginning to end. A published stage gave a buffer back before that.
func testHandedOut(t *testing.T, make New) {
	for _, size := range []int{Size100KB, Size4_9MB} {
		other, kept := size-1, new(Keep)
		var h ingest.Intake
		var got []byte
		inside := false
		h = make(sinkFunc(func(ctx context.Context, r io.Reader) error {
			if inside {
				return kept.Bulk(ctx, r)
			}
			head := []byte{}
			for len(head) < size/2 {
				p := [1 << 10]byte{}
				n, err := r.Read(p[:])
				if err != nil {
					return err
				}
				head = append(head, p[:n]...)
			}
			inside = true
			for range 3 {
				w := NewRecorder()
				h.ServeHTTP(w, Request(onlyRead{strings.NewReader(expected(other).body)}, int64(other)))
				checkAnswer(t, "inside", w, expected(other).answer)
			}
			inside = false
			rest, err := io.ReadAll(r)
			got = append(head, rest...)
			return err
		}))
		w := NewRecorder()
		h.ServeHTTP(w, Request(onlyRead{strings.NewReader(expected(size).body)}, int64(size)))
		checkAnswer(t, "around", w, expected(size).answer)
		if want := expected(size).bulk; string(got) != want {
			t.Errorf("documents of %d bytes changed while the sink was reading them", size)
		}
		for _, b := range kept.Batches() {
			if b != expected(other).bulk {
				t.Errorf("documents of %d bytes that came meanwhile are wrong", other)
			}
		}
	}
}

// testServer goes through net/http on both sides, as a user does.
func testServer(t *testing.T, make New) {
	engine := new(Keep)
	remote := httptest.NewServer(Serve(engine))
	defer remote.Close()
	sink, err := ingest.NewRemote(remote.URL + "/_bulk?token=secret")
	if err != nil {
		t.Fatal(err)
	}
	defer sink.Close()
	server := httptest.NewServer(make(sink))
	defer server.Close()
	const size = 1_000_000
	for _, body := range []io.Reader{strings.NewReader(expected(size).body), onlyRead{strings.NewReader(expected(size).body)}} { // the second is sent in chunks
		before := len(engine.Batches())
		r, err := server.Client().Post(server.URL+ingest.Path, "application/x-ndjson", body)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r.Body)
		r.Body.Close()
		if want := expected(size).answer; err != nil || r.StatusCode != http.StatusOK || string(text) != want {
			t.Errorf("answer is %s %q, %v, want 200 %q", r.Status, text, err, want)
		}
		checkBatches(t, "server", engine.Batches()[before:], expected(size).bulk)
	}
	sink.Close()
	remote.Close()
	r, err := server.Client().Post(server.URL+ingest.Path, "application/x-ndjson", strings.NewReader(at))
	if err != nil {
		t.Fatal(err)
	}
	text, _ := io.ReadAll(r.Body)
	r.Body.Close()
	if r.StatusCode != http.StatusBadGateway || !strings.HasPrefix(string(text), "pass the documents on: the connection to the sink failed") {
		t.Errorf("without a sink the answer is %s %q, want 502", r.Status, text)
	}
	if strings.Contains(string(text), strings.TrimPrefix(remote.URL, "http://")) || strings.Contains(string(text), "secret") {
		t.Errorf("the answer %q tells a visitor where the sink is", text)
	}
}

// testCutOff: a client that goes away leaves nothing in the search engine.
func testCutOff(t *testing.T, make New) {
	const size = 1_000_000
	header := "POST " + ingest.Path + " HTTP/1.1\r\nHost: x\r\n"
	half := string(Body(size)[:size/2])
	for what, text := range map[string]string{
		"size":   header + "Content-Length: " + strconv.Itoa(size) + "\r\n\r\n" + half,
		"chunks": header + "Transfer-Encoding: chunked\r\n\r\n" + strconv.FormatInt(size/2, 16) + "\r\n" + half + "\r\n",
		"chunk":  header + "Transfer-Encoding: chunked\r\n\r\n" + strconv.FormatInt(size, 16) + "\r\n" + half,
	} {
		t.Run(what, func(t *testing.T) {
			engine := new(Keep)
			remote := httptest.NewServer(Serve(engine))
			defer remote.Close()
			sink, err := ingest.NewRemote(remote.URL)
			if err != nil {
				t.Fatal(err)
			}
			defer sink.Close()
			server := httptest.NewServer(make(sink))
			defer server.Close()
			c, err := net.Dial("tcp", server.Listener.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			if _, err := io.WriteString(c, text); err != nil {
				t.Fatal(err)
			}
			c.(*net.TCPConn).CloseWrite()
			r, err := http.ReadResponse(bufio.NewReader(c), nil)
			if err != nil {
				t.Fatal(err)
			}
			answer, _ := io.ReadAll(r.Body)
			if r.StatusCode != http.StatusBadRequest || string(answer) != "read the body: unexpected EOF\n" {
				t.Errorf("answer is %s %q, want 400", r.Status, answer)
			}
			server.Close()
			remote.Close() // both wait for what is under way
			checkBatches(t, what, engine.Batches(), "")
		})
	}
}

// one connection is all that a listener gives.
type listener struct {
	conns chan net.Conn
	done  chan struct{}
	once  sync.Once
}

func (l *listener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.done:
		return nil, net.ErrClosed
	}
}

func (l *listener) Close() error   { l.once.Do(func() { close(l.done) }); return nil }
func (l *listener) Addr() net.Addr { return &net.TCPAddr{} }

// testSlowClient: a client that stops sending is answered when its time is
// over, and has left nothing in the sink. The time is that of a bubble.
func testSlowClient(t *testing.T, stage New) {
	body := Body(1_000_000)
	synctest.Test(t, func(t *testing.T) {
		sink := new(Keep)
		l := &listener{conns: make(chan net.Conn, 1), done: make(chan struct{})}
		server := &http.Server{Handler: stage(sink)}
		go server.Serve(l)
		client, conn := net.Pipe()
		l.conns <- conn
		from := time.Now()
		if _, err := io.WriteString(client, "POST "+ingest.Path+" HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n"+string(body[:500_000])); err != nil {
			t.Fatal(err)
		}
		r, err := http.ReadResponse(bufio.NewReader(client), nil)
		if err != nil {
			t.Fatal(err)
		}
		answer, _ := io.ReadAll(r.Body)
		if r.StatusCode != http.StatusRequestTimeout || !strings.HasPrefix(string(answer), "read the body: not all has come after 30s") {
			t.Errorf("answer is %s %q, want 408", r.Status, answer)
		}
		if d := time.Since(from); d != ingest.MaxTime {
			t.Errorf("it came after %v, want %v", d, ingest.MaxTime)
		}
		client.Close()
		server.Close()
		checkBatches(t, "slow client", sink.Batches(), "")
	})
}

// testSlowSink: a sink that takes too long is given up.
func testSlowSink(t *testing.T, stage New) {
	body := Body(Size100KB)
	for _, read := range []int64{0, 50_000, 1 << 30} {
		synctest.Test(t, func(t *testing.T) {
			h := stage(sinkFunc(func(ctx context.Context, r io.Reader) error {
				io.CopyN(io.Discard, r, read)
				<-ctx.Done()
				return errors.Join(errors.New("gave up"), ctx.Err())
			}))
			from := time.Now()
			w := NewRecorder()
			h.ServeHTTP(w, Request(bytes.NewReader(body), Size100KB))
			checkRefused(t, w, http.StatusGatewayTimeout, "not done after 30s")
			if d := time.Since(from); d != ingest.MaxTime {
				t.Errorf("it was given up after %v, want %v", d, ingest.MaxTime)
			}
		})
	}
}
