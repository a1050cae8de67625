package avatartest

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

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

// Records reads all records, without their times, and fails the test at a bad
// one.
func (l *Log) Records(t testing.TB) []map[string]any {
	t.Helper()
	if l.overlap.Load() {
		t.Error("two records were written to the log at once")
	}
	var records []map[string]any
	for _, line := range l.Writes {
		text, ok := strings.CutSuffix(line, "\n")
		var r map[string]any
		if err := json.Unmarshal([]byte(text), &r); !ok || strings.Contains(text, "\n") || err != nil {
			t.Fatalf("one write to the log is not one line of JSON: %q, %v", line, err)
		}
		at, _ := r["time"].(string)
		if _, err := time.Parse(time.RFC3339, at); err != nil {
			t.Errorf("record %q: %v", line, err)
		}
		delete(r, "time")
		records = append(records, r)
	}
	return records
}

// answered is the record of a request that was.
func answered(name string, size, bytes int) map[string]any {
	return map[string]any{"level": "info", "msg": "answered", "module": "avatar", "name": name, "size": float64(size), "bytes": float64(bytes)}
}

// checkRefusals: each record is a warning with a reason and the status.
func checkRefusals(t testing.TB, records []map[string]any, status int) {
	t.Helper()
	for _, r := range records {
		reason, _ := r["msg"].(string)
		want := map[string]any{"level": "warning", "msg": r["msg"], "module": "avatar", "status": float64(status)}
		if reason == "" || !maps.Equal(r, want) {
			t.Errorf("record of a refusal is %v, want %v", r, want)
		}
	}
}
