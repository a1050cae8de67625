package rawmessage

import (
	"io"
	"net/http"

	"whet/casebook/gateway"
)

// Handler is the gateway. Use New.
type Handler struct {
	down    gateway.Downstream
	random  gateway.Random
	journal gateway.Journal
	record  *gateway.Record
}

// New returns a gateway to a downstream that logs to w.
func New(down gateway.Downstream, w io.Writer, random gateway.Random) *Handler {
	return &Handler{down: down, random: random, journal: gateway.NewJournal(w), record: gateway.NewRecord()}
}

// Health returns a copy of the record.
func (h *Handler) Health() gateway.Health { return h.record.Health() }

func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var e exchange
	answer, err := h.exchange(&e, w, r)
	h.record.Count(gateway.Status(err))
	h.journal.Write(e.call, err)
	if err != nil {
		gateway.Refuse(w, err)
		return
	}
	w.Header().Set("Content-Type", gateway.ContentType)
	w.Write(answer)
}

// exchange does what a request asks for.
func (h *Handler) exchange(e *exchange, w http.ResponseWriter, r *http.Request) ([]byte, error) {
	if err := gateway.Accept(w, r); err != nil {
		return nil, err
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, gateway.BodyError(err)
	}
	if err := gateway.CheckBody(body); err != nil {
		return nil, err
	}
	if err := e.decode(body); err != nil {
		return nil, err
	}
	if e.call.Session == "" {
		e.call.Session = SessionID(h.random)
	}
	payload, err := h.down.Call(r.Context(), e.call)
	if err != nil {
		return nil, gateway.DownstreamError(r.Context(), err)
	}
	if err := gateway.CheckAnswer(payload); err != nil {
		return nil, err
	}
	return e.encode(payload)
}
