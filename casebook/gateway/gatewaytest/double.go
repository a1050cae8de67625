package gatewaytest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"math/rand"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"

	"whet/casebook/gateway"
)

// Downstream keeps what it is called with and answers what it is told to.
type Downstream struct {
	// Reply makes the answer; nil answers gateway.Answer.
	Reply func(gateway.Call) (string, error)

	mu    sync.Mutex
	calls []gateway.Call
}

// Call implements gateway.Downstream.
func (d *Downstream) Call(_ context.Context, c gateway.Call) (string, error) {
	d.mu.Lock()
	d.calls = append(d.calls, c)
	d.mu.Unlock()
	if d.Reply == nil {
		return gateway.Answer, nil
	}
	return d.Reply(c)
}

// Calls returns what it was called with so far.
func (d *Downstream) Calls() []gateway.Call {
	d.mu.Lock()
	defer d.mu.Unlock()
	return append([]gateway.Call(nil), d.calls...)
}

// seeded is a source of random numbers that is always the same, and safe for
// concurrent use.
type seeded struct {
	mu sync.Mutex
	r  *rand.Rand
}

// Seeded returns a source for a seed.
func Seeded(seed int64) gateway.Random { return &seeded{r: rand.New(rand.NewSource(seed))} }

func (s *seeded) Intn(n int) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.r.Intn(n)
}

func (s *seeded) Int63() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.r.Int63()
}

// Recorder keeps one answer as the handler gave it.
type Recorder struct {
	Status int
	Body   bytes.Buffer

	header http.Header
}

// NewRecorder returns an empty recorder.
func NewRecorder() *Recorder { return &Recorder{header: make(http.Header)} }

func (w *Recorder) Header() http.Header { return w.header }

func (w *Recorder) WriteHeader(status int) {
	if w.Status == 0 {
		w.Status = status
	}
}

func (w *Recorder) Write(b []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	return w.Body.Write(b)
}

// Log keeps each record it is given. Like most writers it is not safe for
// concurrent use; it notices when that happens.
type Log struct {
	Writes []string

	busy    atomic.Bool
	overlap atomic.Bool
}

func (l *Log) Write(b []byte) (int, error) {
	if !l.busy.CompareAndSwap(false, true) {
		l.overlap.Store(true)
		return 0, errors.New("two records are written at once")
	}
	l.Writes = append(l.Writes, string(b))
	l.busy.Store(false)
	return len(b), nil
}

// Request returns a POST with a body.
func Request(body string) *http.Request {
	r := template()
	r.ContentLength = int64(len(body))
	r.Body = io.NopCloser(bytes.NewReader([]byte(body)))
	return r
}

// Value returns what a JSON text stands for, each number with its digits.
func Value(t testing.TB, text string) any {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader([]byte(text)))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%v in %q", err, text)
	}
	if _, err := d.Token(); err != io.EOF {
		t.Fatalf("%q is more than one value", text)
	}
	return v
}

// Envelope is an answer, whatever its text.
type Envelope struct {
	Code    int
	Message string
	Payload any
}

// ReadEnvelope reads an answer, which has these members and no others.
func ReadEnvelope(t testing.TB, text string) Envelope {
	t.Helper()
	all, ok := Value(t, text).(map[string]any)
	header, ok2 := all["header"].(map[string]any)
	code, ok3 := header["code"].(json.Number)
	message, ok4 := header["message"].(string)
	payload, ok5 := all["payload"]
	if !ok || !ok2 || !ok3 || !ok4 || !ok5 || len(all) != 2 || len(header) != 2 {
		t.Fatalf("answer is %q", text)
	}
	n, err := code.Int64()
	if err != nil {
		t.Fatalf("code is %s", code)
	}
	return Envelope{int(n), message, payload}
}
