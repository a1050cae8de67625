package ingesttest

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/iotest"

	"whet/casebook/ingest"
)

// Run tests a stage.
func Run(t *testing.T, make New) {
	t.Run("requests", func(t *testing.T) {
		for _, q := range requests {
			t.Run(q.what, func(t *testing.T) { testRequest(t, make, q) })
		}
	})
	t.Run("sizes", func(t *testing.T) { testSizes(t, make) })
	t.Run("take", func(t *testing.T) { testTake(t, make) })
	t.Run("methods", func(t *testing.T) { testMethods(t, make) })
	t.Run("body is too large", func(t *testing.T) { testTooLarge(t, make) })
	t.Run("body fails", func(t *testing.T) { testBodyFails(t, make) })
	t.Run("sink fails", func(t *testing.T) { testSinkFails(t, make) })
	t.Run("concurrent", func(t *testing.T) { testConcurrent(t, make) })
	t.Run("documents stay while the sink reads", func(t *testing.T) { testHandedOut(t, make) })
	t.Run("server", func(t *testing.T) { testServer(t, make) })
	t.Run("body cut off on its way", func(t *testing.T) { testCutOff(t, make) })
	t.Run("slow client", func(t *testing.T) { testSlowClient(t, make) })
	t.Run("slow sink", func(t *testing.T) { testSlowSink(t, make) })
}

// Request returns a POST of a body that comes as r gives it.
func Request(r io.Reader, size int64) *http.Request {
	return &http.Request{
		Method: http.MethodPost,
		Proto:  "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header:        make(http.Header),
		Body:          io.NopCloser(r),
		ContentLength: size,
		Host:          "localhost",
	}
}

// onlyRead hides all that a reader can do but Read: a body from the network
// can do no more.
type onlyRead struct{ io.Reader }

// ways are how a body may come.
var ways = []struct {
	what  string
	known bool // its size is
	read  func(io.Reader) io.Reader
}{
	{"at once, of known size", true, func(r io.Reader) io.Reader { return onlyRead{r} }},
	{"at once, of unknown size", false, func(r io.Reader) io.Reader { return onlyRead{r} }},
	{"byte by byte", true, iotest.OneByteReader},
	{"in halves", false, iotest.HalfReader},
	{"with the end beside the last bytes", true, iotest.DataErrReader},
	{"with the end beside the last bytes, of unknown size", false, iotest.DataErrReader},
	{"with reads that give nothing", true, func(r io.Reader) io.Reader { return &stutter{r: iotest.HalfReader(r)} }},
}

// stutter gives nothing in two of three Reads.
type stutter struct {
	r io.Reader
	n int
}

func (s *stutter) Read(p []byte) (int, error) {
	if s.n++; s.n%3 != 0 {
		return 0, nil
	}
	return s.r.Read(p)
}

func testRequest(t *testing.T, make New, q request) {
	sink := new(Keep)
	h := make(sink)
	for _, way := range ways {
		if way.what == "byte by byte" && len(q.body) > 3*ingest.MaxLine {
			continue // the length of pieces is tried enough without
		}
		before := len(sink.Batches())
		size := int64(len(q.body))
		if !way.known {
			size = -1
		}
		w := NewRecorder()
		h.ServeHTTP(w, Request(way.read(strings.NewReader(q.body)), size))
		checkAnswer(t, way.what, w, q.answer)
		checkBatches(t, way.what, sink.Batches()[before:], q.bulk)
	}
	// The table is right about itself: two people have read the rules.
	got, report := Expect([]byte(q.body))
	if string(got) != q.bulk {
		t.Errorf("Expect gives %.300q, want %.300q", got, q.bulk)
	}
	if got := answer(report); got != q.answer {
		t.Errorf("Expect answers %.300q, want %.300q", got, q.answer)
	}
}

func checkAnswer(t testing.TB, what string, w *Recorder, want string) {
	t.Helper()
	if got := string(w.Body); w.Status != http.StatusOK || got != want {
		t.Errorf("%s: answer is %d %.300q, want 200 %.300q", what, w.Status, got, want)
	}
	if got := w.header.Get("Content-Type"); got != "application/json" {
		t.Errorf("%s: Content-Type is %q", what, got)
	}
}

func checkBatches(t testing.TB, what string, got []string, want string) {
	t.Helper()
	if want == "" {
		if len(got) != 0 {
			t.Errorf("%s: the sink was given %.300q, want nothing", what, got)
		}
		return
	}
	if len(got) != 1 || got[0] != want {
		t.Errorf("%s: the sink was given %d batches, %.300q, want one of %.300q", what, len(got), got, want)
	}
}

func checkRefused(t testing.TB, w *Recorder, status int, text string) {
	t.Helper()
	if got := string(w.Body); w.Status != status || !strings.Contains(got, text) || strings.Count(got, "\n") != 1 {
		t.Errorf("answer is %d %q, want %d and one line with %q", w.Status, got, status, text)
	}
	if got := w.header.Get("Content-Type"); got != "text/plain; charset=utf-8" {
		t.Errorf("Content-Type of a refusal is %q", got)
	}
}

// boundaries are the sizes at which some way of taking in a body turns: the
// 512 bytes that bytes.Buffer wants to spare before 5 MiB, and before and
// after it; the buffer of best, and twice that.
var boundaries = []int{
	1, 511, 512, 513, 1500, Size100KB,
	2*ingest.MaxLine - 1, 2 * ingest.MaxLine, 2*ingest.MaxLine + 1, 4*ingest.MaxLine - 1, 4 * ingest.MaxLine, 4*ingest.MaxLine + 1,
	Size4_9MB, Size5MiB - 512, Size5MiB - 511, Size5MiB, Size5MiB + 1,
}

// expectation is a body, and what has to become of it.
type expectation struct{ body, bulk, answer string }

var expectations sync.Map // size to func() expectation

// expected returns a body of exactly size bytes: a seeded one as far as Expect
// is quick enough for it, and one of a few long lines beyond.
func expected(size int) expectation {
	make, _ := expectations.LoadOrStore(size, sync.OnceValue(func() expectation {
		if size > Size100KB {
			return longLines(size)
		}
		bulk, report := Expect(Body(size))
		return expectation{string(Body(size)), string(bulk), answer(report)}
	}))
	return make.(func() expectation)()
}

// longLines is a body of documents of 60,001 bytes, or 60,002 if size is odd,
// and two of what is left.
func longLines(size int) expectation {
	line := 60_000 + size%2
	var documents []string
	rest := size
	for ; rest > 2*ingest.MaxLine; rest -= line + 1 {
		documents = append(documents, sized(line))
	}
	documents = append(documents, sized(rest/2), sized(rest-rest/2-2))
	return expectation{
		strings.Join(documents, "\n") + "\n",
		bulk("app-2026.11.20", documents...), taken(len(documents)),
	}
}

// testSizes: bodies of every size, through one handler, which so meets each
// size with memory that an earlier one has used.
func testSizes(t *testing.T, make New) {
	sink := new(Keep)
	h := make(sink)
	for _, size := range boundaries {
		want := expected(size)
		if len(want.body) != size {
			t.Fatalf("the body for %d bytes has %d", size, len(want.body))
		}
		for _, length := range []int64{int64(size), -1} {
			w := NewRecorder()
			before := len(sink.Batches())
			h.ServeHTTP(w, Request(onlyRead{strings.NewReader(want.body)}, length))
			checkAnswer(t, "a body of its size", w, want.answer)
			checkBatches(t, "a body of its size", sink.Batches()[before:], want.bulk)
		}
	}
}

// testTake holds Take to what Intake promises.
func testTake(t *testing.T, make New) {
	h := make(new(Keep))
	bodies := [][]byte{Body(1), Body(1500), Body(Size100KB), Body(Size100KB + 1)[:Size100KB], bytes.Repeat([]byte("x"), 5*ingest.MaxLine+3), nil}
	for _, q := range requests {
		bodies = append(bodies, []byte(q.body))
	}
	for _, body := range bodies {
		for _, way := range ways {
			if way.what == "byte by byte" && len(body) > 3*ingest.MaxLine {
				continue
			}
			size := int64(len(body))
			if !way.known {
				size = -1
			}
			var parts [][]byte
			err := h.Take(way.read(bytes.NewReader(body)), size, func(part []byte) error {
				parts = append(parts, bytes.Clone(part))
				clear(part) // it is use's until it returns
				return nil
			})
			if err != nil || !bytes.Equal(bytes.Join(parts, nil), body) {
				t.Fatalf("%s: %d bytes came as %d parts, %v, want the same bytes", way.what, len(body), len(parts), err)
			}
			inLong := false
			for i, p := range parts {
				if ended := bytes.HasSuffix(p, []byte{'\n'}); !ended && i < len(parts)-1 && !inLong && len(p) <= ingest.MaxLine {
					t.Fatalf("%s: part %d of %d bytes ends inside a line of less", way.what, i, len(p))
				}
				inLong = !bytes.HasSuffix(p, []byte{'\n'})
			}
		}
	}
	stop := errors.New("stop")
	calls := 0
	err := h.Take(bytes.NewReader(Body(Size4_9MB)), Size4_9MB, func([]byte) error { calls++; return stop })
	if !errors.Is(err, stop) || calls != 1 {
		t.Errorf("Take called use %d times and returned %v, want once and the error of use", calls, err)
	}
	for _, cut := range []int{0, 10, Size100KB} {
		failing := io.MultiReader(bytes.NewReader(Body(Size100KB)[:cut]), iotest.ErrReader(stop))
		if err := h.Take(failing, Size100KB, func([]byte) error { return nil }); !errors.Is(err, stop) {
			t.Errorf("Take of a body that fails after %d bytes returned %v, want its error", cut, err)
		}
	}
}

func testMethods(t *testing.T, make New) {
	for _, method := range []string{"GET", "HEAD", "PUT", "DELETE", "OPTIONS", "post", ""} {
		sink := new(Keep)
		w := NewRecorder()
		r := Request(strings.NewReader(at), int64(len(at)))
		r.Method = method
		make(sink).ServeHTTP(w, r)
		checkRefused(t, w, http.StatusMethodNotAllowed, "use POST")
		if got := w.header.Get("Allow"); got != "POST" {
			t.Errorf("Allow is %q, want POST", got)
		}
		checkBatches(t, method, sink.Batches(), "")
	}
	w := NewRecorder()
	make(new(Keep)).ServeHTTP(w, &http.Request{Method: http.MethodPost})
	checkAnswer(t, "no body", w, taken(0))
}

// lines is a body of n bytes of long lines that are no documents, after one
// that is.
func lines(n int) io.Reader {
	line := strings.Repeat("x", 60_000-1) + "\n"
	first := at + "\n"
	return io.LimitReader(io.MultiReader(strings.NewReader(first), repeat(line)), int64(n))
}

type repeater struct {
	text string
	at   int
}

func repeat(text string) io.Reader { return &repeater{text: text} }

func (r *repeater) Read(p []byte) (int, error) {
	n := copy(p, r.text[r.at:])
	r.at = (r.at + n) % len(r.text)
	return n, nil
}

// testTooLarge: a body of the greatest size is taken, and of one byte more
// nothing is.
func testTooLarge(t *testing.T, make New) {
	sink := new(Keep)
	h := make(sink)
	for _, known := range []bool{true, false} {
		for _, n := range []int{ingest.MaxBody, ingest.MaxBody + 1} {
			size := int64(n)
			if !known {
				size = -1
			}
			w := NewRecorder()
			before := len(sink.Batches())
			h.ServeHTTP(w, Request(onlyRead{lines(n)}, size))
			batches := sink.Batches()[before:]
			if n <= ingest.MaxBody {
				if w.Status != http.StatusOK || !strings.HasPrefix(string(w.Body), `{"taken":1,"broken":`) {
					t.Errorf("%d bytes are answered %d %.100q, want 200", n, w.Status, w.Body)
				}
				checkBatches(t, "greatest size", batches, bulk("app-2026.11.20", at))
				continue
			}
			checkRefused(t, w, http.StatusRequestEntityTooLarge, "larger than 33554432 bytes")
			checkBatches(t, "too large", batches, "")
		}
	}
	// A size that is said is believed before anything is read.
	w := NewRecorder()
	h.ServeHTTP(w, Request(iotest.ErrReader(errors.New("it was read")), ingest.MaxBody+1))
	checkRefused(t, w, http.StatusRequestEntityTooLarge, "larger than")
}

// testBodyFails: a body that is not whole leaves nothing in the sink, however
// much of it was on its way.
func testBodyFails(t *testing.T, make New) {
	sink := new(Keep)
	h := make(sink)
	for _, cut := range []int{0, 1, 1500, 70_000, 500_000, 999_999} {
		for _, size := range []int64{-1, 1_000_000} {
			failing := io.MultiReader(bytes.NewReader(Body(1_000_000)[:cut]), iotest.ErrReader(io.ErrUnexpectedEOF))
			w := NewRecorder()
			h.ServeHTTP(w, Request(onlyRead{failing}, size))
			checkRefused(t, w, http.StatusBadRequest, "read the body: unexpected EOF")
			checkBatches(t, "failing body", sink.Batches(), "")
		}
	}
	// The handler works on.
	w := NewRecorder()
	h.ServeHTTP(w, Request(strings.NewReader(at), int64(len(at))))
	checkAnswer(t, "after failures", w, taken(1))
	checkBatches(t, "after failures", sink.Batches(), bulk("app-2026.11.20", at))
}

// testSinkFails: whatever the sink had read, the answer says that it failed.
func testSinkFails(t *testing.T, make New) {
	for _, read := range []int64{0, 1, 100_000, 1 << 30} {
		h := make(sinkFunc(func(_ context.Context, r io.Reader) error {
			io.CopyN(io.Discard, r, read)
			return errors.New("no shard is active")
		}))
		for range 2 {
			w := NewRecorder()
			h.ServeHTTP(w, Request(bytes.NewReader(Body(Size100KB*3)), Size100KB*3))
			checkRefused(t, w, http.StatusBadGateway, "pass the documents on: no shard is active")
		}
	}
}
