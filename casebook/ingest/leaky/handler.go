package leaky

import (
	"bytes"
	"io"
	"net/http"

	"whet/casebook/ingest"
)

const (
	bufferSize = 5 << 20 // of a new buffer
	spare      = 8       // buffers that wait for a request
)

// Handler takes in documents. Use New.
type Handler struct {
	sink ingest.Sink
	free chan *bytes.Buffer
}

// New returns an intake that passes documents on to sink.
func New(sink ingest.Sink) *Handler {
	return &Handler{sink: sink, free: make(chan *bytes.Buffer, spare)}
}

func (h *Handler) get() *bytes.Buffer {
	select {
	case buf := <-h.free:
		return buf
	default:
		return bytes.NewBuffer(make([]byte, 0, bufferSize))
	}
}

func (h *Handler) put(buf *bytes.Buffer) {
	if buf.Cap() > bufferSize {
		return
	}
	buf.Reset()
	select {
	case h.free <- buf:
	default:
	}
}

// Take reads the body into a buffer from the free list and hands it to use in
// one part.
func (h *Handler) Take(body io.Reader, size int64, use func(part []byte) error) error {
	buf := h.get()
	defer h.put(buf)
	if _, err := buf.ReadFrom(body); err != nil {
		return err
	}
	return use(buf.Bytes())
}

func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	ctx, cancel, ok := ingest.Accept(w, r)
	if !ok {
		return
	}
	defer cancel()
	var report *ingest.Report
	err := h.Take(r.Body, r.ContentLength, func(body []byte) (err error) {
		report, err = ingest.PassOnWhole(ctx, h.sink, body)
		return err
	})
	ingest.Answer(w, report, err)
}
