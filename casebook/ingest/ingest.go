package ingest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"time"
)

const (
	Path        = "/ingest"          // where a server mounts a stage
	ContentType = "application/json" // of the answer

	MaxBody     = 32 << 20         // bytes of a request
	MaxLine     = 64 << 10         // bytes of a line, without its \n
	MaxReported = 100              // broken lines that an answer lists
	MaxTime     = 30 * time.Second // from a request's header to the end of the sink's work
)

// Intake is what every stage offers.
type Intake interface {
	http.Handler
	// Take reads a body of size bytes, or of unknown size when that is -1, and
	// hands it to use: in one part or in several that follow one another. Each
	// part but the last ends in \n, unless it is one line's and longer than
	// MaxLine. A part is the caller's until use returns, and no longer. An
	// error of use ends Take and is returned. When the body cannot be read to
	// its end, that is the error, and use may have seen some of it.
	Take(body io.Reader, size int64, use func(part []byte) error) error
}

// Sink is where documents are passed on.
type Sink interface {
	// Bulk takes documents in the bulk form. nil means that r was read to its
	// end and all of them are kept. An error, of r or of its own, means that
	// none is. r must not be read after Bulk has returned: the memory behind
	// it belongs to another request then.
	Bulk(ctx context.Context, r io.Reader) error
}

// sinkError is a failure of the sink, as opposed to one of the body.
type sinkError struct{ err error }

func (e *sinkError) Error() string { return "pass the documents on: " + e.err.Error() }
func (e *sinkError) Unwrap() error { return e.err }

// PassOn calls the sink and marks its error as the sink's.
func PassOn(ctx context.Context, sink Sink, r io.Reader) error {
	if err := sink.Bulk(ctx, r); err != nil {
		return &sinkError{err}
	}
	return nil
}

// Accept bounds what a request can cost, in bytes and in time, and reports
// true; the context is the sink's. What cannot be taken it answers itself, and
// reports false.
//
// The client's time is bounded by the connection's read deadline, which a
// server sets anew for its next request. Where there is no connection, as in a
// benchmark, nothing bounds how long a Read takes.
func Accept(w http.ResponseWriter, r *http.Request) (context.Context, context.CancelFunc, bool) {
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		http.Error(w, "use POST", http.StatusMethodNotAllowed)
		return nil, nil, false
	}
	if r.ContentLength > MaxBody {
		tooLarge(w)
		return nil, nil, false
	}
	if r.Body == nil {
		r.Body = http.NoBody
	}
	r.Body = http.MaxBytesReader(w, r.Body, MaxBody)
	deadline := time.Now().Add(MaxTime)
	if err := http.NewResponseController(w).SetReadDeadline(deadline); err != nil && !errors.Is(err, http.ErrNotSupported) {
		http.Error(w, "bound the time for the body: "+err.Error(), http.StatusInternalServerError)
		return nil, nil, false
	}
	ctx, cancel := context.WithDeadline(r.Context(), deadline)
	return ctx, cancel, true
}

func tooLarge(w http.ResponseWriter) {
	http.Error(w, fmt.Sprintf("the body is larger than %d bytes: send it in parts", MaxBody), http.StatusRequestEntityTooLarge)
}

// Answer ends a request: with the report, or with what went wrong.
func Answer(w http.ResponseWriter, report *Report, err error) {
	var (
		large *http.MaxBytesError
		sink  *sinkError
	)
	switch {
	case err == nil:
		report.answer(w)
	case errors.As(err, &sink) && errors.Is(err, context.DeadlineExceeded):
		http.Error(w, fmt.Sprintf("pass the documents on: not done after %v: send fewer", MaxTime), http.StatusGatewayTimeout)
	case sink != nil:
		http.Error(w, sink.Error(), http.StatusBadGateway)
	case errors.As(err, &large):
		tooLarge(w)
	case errors.Is(err, os.ErrDeadlineExceeded):
		http.Error(w, fmt.Sprintf("read the body: not all has come after %v: send it faster or in parts", MaxTime), http.StatusRequestTimeout)
	default:
		http.Error(w, "read the body: "+err.Error(), http.StatusBadRequest)
	}
}
