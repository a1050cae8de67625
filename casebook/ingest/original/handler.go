package original

import (
	"io"
	"net/http"

	"whet/casebook/ingest"
)

// Handler takes in documents. Use New.
type Handler struct{ sink ingest.Sink }

// New returns an intake that passes documents on to sink.
func New(sink ingest.Sink) *Handler { return &Handler{sink} }

// Take reads the body and hands it to use in one part.
func (h *Handler) Take(body io.Reader, size int64, use func(part []byte) error) error {
	b, err := io.ReadAll(body)
	if err != nil {
		return err
	}
	return use(b)
}

func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	ctx, cancel, ok := ingest.Accept(w, r)
	if !ok {
		return
	}
	defer cancel()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		ingest.Answer(w, nil, err)
		return
	}
	report, err := ingest.PassOnWhole(ctx, h.sink, body)
	ingest.Answer(w, report, err)
}
