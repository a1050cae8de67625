package best

import (
	"io"
	"net/http"
	"sync"

	"whet/casebook/ingest"
)

// Handler takes in documents. Use New.
type Handler struct{ sink ingest.Sink }

// New returns an intake that passes documents on to sink.
func New(sink ingest.Sink) *Handler { return &Handler{sink} }

// streams are all of about one size, whatever they were used for.
var streams = sync.Pool{New: func() any { return new(stream) }}

func get(body io.Reader) *stream {
	s := streams.Get().(*stream)
	s.reset(body)
	return s
}

func (s *stream) release() {
	s.reset(nil) // a stream that waits holds no request
	streams.Put(s)
}

// Take hands the body to use as it comes, in parts.
func (h *Handler) Take(body io.Reader, size int64, use func(part []byte) error) error {
	s := get(body)
	defer s.release()
	for {
		part, err := s.next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if err := use(part); err != nil {
			return err
		}
	}
}

func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	ctx, cancel, ok := ingest.Accept(w, r)
	if !ok {
		return
	}
	defer cancel()
	s := get(r.Body)
	defer s.release()
	var err error
	if s.find(true) { // a body without a document is not the sink's business
		err = ingest.PassOn(ctx, h.sink, s)
	}
	if s.err != nil && s.err != io.EOF {
		// What the sink says then, if it has noticed at all, is the consequence:
		// a server ends the request's context with its connection.
		err = s.err
	}
	ingest.Answer(w, &s.report, err)
}
