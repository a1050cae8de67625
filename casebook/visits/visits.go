package visits

import "net/http"

const (
	Path          = "/hello"                   // where a server mounts a stage
	Module        = "hello"                    // the log's module field
	Message       = "visited"                  // the log's message
	ContentType   = "text/html; charset=utf-8" // of every answer to a visit
	DefaultColour = "black"

	// MaxBody bounds the form in a request's body, in bytes.
	MaxBody = 1 << 20
)

// Counter is what every stage offers.
type Counter interface {
	http.Handler
	// Count returns how often a name has visited.
	Count(name string) int
}

// Accept bounds the body of a GET or POST and reports true. Any other method
// it answers itself, with 405, and reports false.
func Accept(w http.ResponseWriter, r *http.Request) bool {
	if r.Method != http.MethodGet && r.Method != http.MethodPost {
		w.Header().Set("Allow", "GET, POST")
		http.Error(w, "use GET or POST", http.StatusMethodNotAllowed)
		return false
	}
	if r.Body != nil && r.Body != http.NoBody && r.Form == nil {
		r.Body = http.MaxBytesReader(w, r.Body, MaxBody)
	}
	return true
}

// NoName answers a request that gives no name.
func NoName(w http.ResponseWriter) {
	http.Error(w, "name is missing: ask for "+Path+"?name=YOU", http.StatusBadRequest)
}
