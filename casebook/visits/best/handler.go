package best

import (
	"io"
	"net/http"
	"sync"

	"whet/casebook/visits"
)

// Handler counts visits. Use New.
type Handler struct {
	log journal

	mu     sync.Mutex
	counts map[string]*tally
}

// New returns a counter at zero that logs to w.
func New(w io.Writer) *Handler {
	h := &Handler{counts: make(map[string]*tally)}
	h.log.init(w)
	return h
}

// Count returns how often a name has visited.
func (h *Handler) Count(name string) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	if t := h.counts[name]; t != nil {
		return t.int()
	}
	return 0
}

// visit counts one visit and appends the new count to b. It keeps no part of
// name: the key is a copy, so that a name does not hold the query it came in.
func (h *Handler) visit(b, name []byte) []byte {
	h.mu.Lock()
	defer h.mu.Unlock()
	t := h.counts[string(name)]
	if t == nil {
		t = new(tally)
		h.counts[string(name)] = t
	}
	t.add()
	return t.append(b)
}

// scratch is the memory of one request.
type scratch struct {
	name, colour []byte // as the visitor gave them
	count        []byte // in decimal
	out          []byte // the log record, then the answer
}

// maxPooled is the largest scratch that goes back to the pool: one visitor
// with a very long name must not make every later one hold that much memory.
const maxPooled = 64 << 10

var scratches = sync.Pool{New: func() any {
	return &scratch{name: make([]byte, 0, 64), colour: make([]byte, 0, 32), count: make([]byte, 0, maxDigits), out: make([]byte, 0, 512)}
}}

func (s *scratch) release() {
	if cap(s.name)+cap(s.colour)+cap(s.out) <= maxPooled {
		scratches.Put(s)
	}
}

// contentType is shared by all answers. Its capacity is its length, so that
// adding to a header copies it; nothing in net/http writes into its elements.
var contentType = []string{visits.ContentType}

func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !visits.Accept(w, r) {
		return
	}
	s := scratches.Get().(*scratch)
	defer s.release()
	s.read(r)
	if len(s.name) == 0 {
		visits.NoName(w)
		return
	}
	if !visits.IsColour(s.colour) {
		s.colour = append(s.colour[:0], visits.DefaultColour...)
	}
	s.count = h.visit(s.count[:0], s.name)

	marks := marksOf(s.name)
	s.out = h.log.appendRecord(s.out[:0], s.name, s.count, marks)
	h.log.write(s.out)

	s.out = appendAnswer(s.out[:0], s.colour, s.name, s.count, marks)
	w.Header()["Content-Type"] = contentType
	w.Write(s.out)
}

func appendAnswer(b, colour, name, count []byte, marks mark) []byte {
	b = append(b, "<h1 style='color: "...)
	b = append(b, colour...)
	b = append(b, "'>Welcome!</h1>\n<p>Name: "...)
	if marks&inHTML == 0 {
		b = append(b, name...)
	} else {
		b = appendHTML(b, name)
	}
	b = append(b, "</p>\n<p>Count: "...)
	b = append(b, count...)
	return append(b, "</p>\n"...)
}
