package nohealth

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
	call, answer, err := h.call(w, r)
	h.record.Count(gateway.Status(err))
	h.journal.Write(call, err)
	if err != nil {
		gateway.Refuse(w, err)
		return
	}
	w.Header().Set("Content-Type", gateway.ContentType)
	w.Write(answer)
}

// call does what a request asks for. The call is empty if the downstream was
// not called.
func (h *Handler) call(w http.ResponseWriter, r *http.Request) (gateway.Call, []byte, error) {
	if err := gateway.Accept(w, r); err != nil {
		return gateway.Call{}, nil, err
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return gateway.Call{}, nil, gateway.BodyError(err)
	}
	if err := gateway.CheckBody(body); err != nil {
		return gateway.Call{}, nil, err
	}
	call, err := decode(body)
	if err != nil {
		return gateway.Call{}, nil, err
	}
	if call.Session == "" {
		call.Session = SessionID(h.random)
	}
	payload, err := h.down.Call(r.Context(), call)
	if err != nil {
		return call, nil, gateway.DownstreamError(r.Context(), err)
	}
	if err := gateway.CheckAnswer(payload); err != nil {
		return call, nil, err
	}
	answer, err := encode(payload)
	return call, answer, err
}
