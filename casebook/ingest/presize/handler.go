package presize

import (
	"bytes"
	"io"
	"net/http"

	"whet/casebook/ingest"
)

// Handler takes in documents. Use New.
type Handler struct{ sink ingest.Sink }

// New returns an intake that passes documents on to sink.
func New(sink ingest.Sink) *Handler { return &Handler{sink} }

// Take reads the body into memory of its size and hands it to use in one part.
func (h *Handler) Take(body io.Reader, size int64, use func(part []byte) error) error {
	b, err := readAll(body, size)
	if err != nil {
		return err
	}
	return use(b)
}

func readAll(body io.Reader, size int64) ([]byte, error) {
	if size < 0 {
		return io.ReadAll(body)
	}
	buf := bytes.NewBuffer(make([]byte, 0, size+bytes.MinRead))
	_, err := buf.ReadFrom(body)
	return buf.Bytes(), err
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
