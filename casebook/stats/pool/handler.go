package pool

import (
	"net/http"
	"os"

	"whet/casebook/stats"
)

// Handler answers, counts and times requests. Use New.
type Handler struct {
	ledger *stats.Ledger
}

// New returns a handler that counts in l.
func New(l *stats.Ledger) *Handler { return &Handler{ledger: l} }

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
	h.ledger.Add(h.Name(stats.Metric, tagsOf(r, endpoint)), took)
}

func tagsOf(r *http.Request, endpoint string) stats.Tags {
	system, browser := stats.ParseUserAgent(r.UserAgent())
	tags := stats.Tags{
		stats.TagEndpoint: endpoint,
		stats.TagOS:       system,
		stats.TagBrowser:  browser,
	}
	if host, err := os.Hostname(); err == nil {
		tags[stats.TagHost] = host
	}
	return tags
}
