package ingesttest

import (
	"context"
	"io"
	"net/http"
	"slices"
	"sync"

	"whet/casebook/ingest"
)

// Keep is a sink that keeps each batch.
type Keep struct {
	mu      sync.Mutex
	batches []string
}

func (k *Keep) Bulk(ctx context.Context, r io.Reader) error {
	b, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.batches = append(k.batches, string(b))
	return ctx.Err()
}

// Batches returns what was kept.
func (k *Keep) Batches() []string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return slices.Clone(k.batches)
}

// sinkFunc is a sink that is a function.
type sinkFunc func(context.Context, io.Reader) error

func (f sinkFunc) Bulk(ctx context.Context, r io.Reader) error { return f(ctx, r) }

// Serve answers one search engine's bulk request: it hands the body to sink.
func Serve(sink ingest.Sink) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if err := sink.Bulk(r.Context(), r.Body); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		io.WriteString(w, `{"took":1,"errors":false,"items":[]}`)
	}
}

// Recorder keeps one answer as the handler gave it.
type Recorder struct {
	Status int
	Body   []byte

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
	w.Body = append(w.Body, b...)
	return len(b), nil
}
