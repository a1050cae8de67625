package appended

import (
	"bytes"
	"html"
	"io"
	"net/http"
	"strconv"
	"sync"

	"github.com/rs/zerolog"

	"whet/casebook/visits"
)

// Handler counts visits. Use New.
type Handler struct {
	log zerolog.Logger

	mu     sync.Mutex
	counts map[string]int
}

// New returns a counter at zero that logs to w.
func New(w io.Writer) *Handler {
	// zerolog does not keep concurrent records apart by itself.
	log := zerolog.New(zerolog.SyncWriter(w)).With().Timestamp().Str("module", visits.Module).Logger()
	return &Handler{log: log, counts: make(map[string]int)}
}

// Count returns how often a name has visited.
func (h *Handler) Count(name string) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.counts[name]
}

// maxPooled is the largest buffer that goes back to the pool: one visitor with
// a very long name must not make every later one hold that much memory.
const maxPooled = 64 << 10

var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

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

	h.log.Info().Str("name", name).Int("count", count).Msg(visits.Message)

	buf := buffers.Get().(*bytes.Buffer)
	buf.Reset()
	buf.WriteString("<h1 style='color: ")
	buf.WriteString(colour)
	buf.WriteString("'>Welcome!</h1>\n<p>Name: ")
	buf.WriteString(html.EscapeString(name))
	buf.WriteString("</p>\n<p>Count: ")
	buf.Write(strconv.AppendInt(buf.AvailableBuffer(), int64(count), 10))
	buf.WriteString("</p>\n")

	w.Header().Set("Content-Type", visits.ContentType)
	w.Write(buf.Bytes())
	if buf.Cap() <= maxPooled {
		buffers.Put(buf)
	}
}
