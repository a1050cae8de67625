package best

import (
	"net/http"
	"os"

	"whet/casebook/stats"
)

// Handler answers, counts and times requests. Use New.
type Handler struct {
	ledger *stats.Ledger
	start  []byte // of every request's name: metric and host
}

// New returns a handler that counts in l.
func New(l *stats.Ledger) *Handler {
	h := &Handler{ledger: l, start: []byte(stats.Metric)}
	if host, err := os.Hostname(); err == nil && host != "" {
		h.start = appendTag(h.start, host)
	}
	return h
}

func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == stats.SimplePath {
		stats.Greet(w)
		return
	}
	endpoint, ok := stats.Endpoint(r.URL.Path)
	if !ok {
		http.NotFound(w, r)
		return
	}
	took := h.ledger.TimeGreeting(w)
	var agent string
	if values := r.Header["User-Agent"]; len(values) > 0 { // the key as net/http writes it
		agent = values[0]
	}
	system, browser := stats.ParseUserAgent(agent)
	var memory [stackName]byte
	name := append(memory[:0], h.start...)
	h.ledger.AddBytes(appendTags(name, endpoint, system, browser), took)
}
