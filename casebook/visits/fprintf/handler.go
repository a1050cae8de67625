package fprintf

import (
	"fmt"
	"html"
	"io"
	"net/http"
	"sync"

	"github.com/sirupsen/logrus"

	"whet/casebook/visits"
)

// Handler counts visits. Use New.
type Handler struct {
	log *logrus.Logger

	mu     sync.Mutex
	counts map[string]int
}

// New returns a counter at zero that logs to w.
func New(w io.Writer) *Handler {
	log := logrus.New()
	log.SetOutput(w)
	return &Handler{log: log, counts: make(map[string]int)}
}

// Count returns how often a name has visited.
func (h *Handler) Count(name string) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.counts[name]
}

func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !visits.Accept(w, r) {
		return
	}
	name := r.FormValue("name")
	if name == "" {
		visits.NoName(w)
		return
	}
	colour := visits.Colour(r.FormValue("color"))

	h.mu.Lock()
	defer h.mu.Unlock()
	h.counts[name]++
	count := h.counts[name]

	h.log.WithFields(logrus.Fields{"module": visits.Module, "name": name, "count": count}).Info(visits.Message)

	w.Header().Set("Content-Type", visits.ContentType)
	fmt.Fprintf(w, "<h1 style='color: %s'>Welcome!</h1>\n<p>Name: %s</p>\n<p>Count: %d</p>\n", colour, html.EscapeString(name), count)
}
