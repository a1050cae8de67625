package best

import (
	"io"
	"net/http"
	"sync"

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

// contentType is shared by all answers. Its capacity is its length, so that
// adding to a header copies it; nothing in net/http writes into its elements.
var contentType = []string{gateway.ContentType}

func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	call, payload, err := h.call(w, r)
	h.record.Count(gateway.Status(err))
	h.journal.Write(call, err)
	if err != nil {
		gateway.Refuse(w, err)
		return
	}
	w.Header()["Content-Type"] = contentType
	writeAnswer(w, payload)
}

// call does what a request asks for and returns what the downstream has
// answered. The call is empty if it was not called.
func (h *Handler) call(w http.ResponseWriter, r *http.Request) (gateway.Call, string, error) {
	if err := gateway.Accept(w, r); err != nil {
		return gateway.Call{}, "", err
	}
	text, err := read(r)
	if err != nil {
		return gateway.Call{}, "", err
	}
	var b body
	if err := b.parse(text); err != nil {
		return gateway.Call{}, "", err
	}
	call, err := b.call()
	if err != nil {
		return gateway.Call{}, "", err
	}
	if call.Session == "" {
		call.Session = SessionID(h.random)
	}
	payload, err := h.down.Call(r.Context(), call)
	if err != nil {
		return call, "", gateway.DownstreamError(r.Context(), err)
	}
	return call, payload, gateway.CheckAnswer(payload)
}

// maxPooled is the largest buffer that goes back to the pool: one long answer
// must not make every later one hold that much memory.
const maxPooled = 64 << 10

var buffers = sync.Pool{New: func() any { b := make([]byte, 0, 1024); return &b }}

func writeAnswer(w io.Writer, payload string) {
	p := buffers.Get().(*[]byte)
	b := append((*p)[:0], `{"header":{"code":200,"message":"`+gateway.Message+`"},"payload":`...)
	b = append(b, payload...)
	b = append(b, '}')
	w.Write(b)
	if cap(b) <= maxPooled {
		*p = b
		buffers.Put(p)
	}
}
