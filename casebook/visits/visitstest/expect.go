package visitstest

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"whet/casebook/visits"
)

var escape = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", "'", "&#39;", `"`, "&#34;")

// body is the answer to a visit.
func body(name, colour string, count int) string {
	return fmt.Sprintf("<h1 style='color: %s'>Welcome!</h1>\n<p>Name: %s</p>\n<p>Count: %d</p>\n", colour, escape.Replace(name), count)
}

// Recorder keeps one answer as the handler gave it. Unlike the one of package
// httptest, and a server, it does not guess a Content-Type that was left out.
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

// Records parses all records and fails the test at a bad one.
func (l *Log) Records(t testing.TB, parse Parse) []Record {
	t.Helper()
	if l.overlap.Load() {
		t.Error("two records were written to the log at once")
	}
	records := make([]Record, 0, len(l.Writes))
	for _, line := range l.Writes {
		line, ok := strings.CutSuffix(line, "\n")
		if !ok || strings.ContainsAny(line, "\n\r") {
			t.Fatalf("one write to the log is not one line: %q", line)
		}
		r, err := parse([]byte(line))
		if err != nil {
			t.Fatalf("%v in %q", err, line)
		}
		records = append(records, r)
	}
	return records
}

// checkRecord compares one record of a visit; times are cut to seconds in
// every format.
func checkRecord(t testing.TB, r Record, name string, count int, from, to time.Time) {
	t.Helper()
	if r.Level != "info" || r.Message != visits.Message {
		t.Errorf("record has level %q and message %q, want info and %q", r.Level, r.Message, visits.Message)
	}
	want := map[string]string{"module": visits.Module, "name": string([]rune(name)), "count": fmt.Sprint(count)}
	for k, v := range want {
		if got, ok := r.Fields[k]; !ok || got != v {
			t.Errorf("record has %s %q, want %q", k, got, v)
		}
	}
	if len(r.Fields) != len(want) {
		t.Errorf("record has the fields %q, want %q", r.Fields, want)
	}
	if r.Time.Before(from.Truncate(time.Second)) || r.Time.After(to) {
		t.Errorf("record is of %v, want between %v and %v", r.Time, from, to)
	}
}

// locked makes a writer safe for concurrent use, for tests about something else.
type locked struct {
	mu sync.Mutex
	fn func([]byte)
}

func (l *locked) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.fn(b)
	return len(b), nil
}
