package constant

import (
	"net/http"
	"strconv"

	"whet/casebook/avatar"
)

// Handler answers a constant. Use New.
type Handler struct {
	body        []byte
	contentType []string
	length      []string
}

// New returns a handler that answers with body, which must not be changed any
// more.
func New(body []byte) *Handler {
	return &Handler{body: body, contentType: []string{avatar.ContentType}, length: []string{strconv.Itoa(len(body))}}
}

func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	header["Content-Type"] = h.contentType
	header["Content-Length"] = h.length
	w.Write(h.body)
}
