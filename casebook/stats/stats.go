package stats

import (
	"io"
	"net/http"
	"path"
	"strings"
)

const (
	SimplePath  = "/simple"    // answered, and nothing more
	AdvancePath = "/advance"   // answered, counted and timed; so are the paths below it
	Greeting    = "Hello VIP!" // the answer
	Metric      = "recv"       // the first part of every name in the ledger

	// MaxEndpoint bounds the last element of a path, in bytes.
	MaxEndpoint = 64
)

// The tags of a name, in their order.
const (
	TagHost     = "host"
	TagEndpoint = "endpoint"
	TagOS       = "os"
	TagBrowser  = "browser"
)

// Tags are the values of a name's tags. A tag that is empty is missing; one
// that no name has is of no effect.
type Tags map[string]string

// Service is what every stage offers. Both methods may be called by any number
// of goroutines.
type Service interface {
	http.Handler
	// Name returns the name of a metric with these tags. The metric is the
	// program's own word and is not cleaned. The name is the caller's: no later
	// call changes it.
	Name(metric string, tags Tags) string
}

// Greet writes the answer. Its Content-Type is left to net/http, which takes
// it for the plain text that it is.
func Greet(w http.ResponseWriter) {
	io.WriteString(w, Greeting) // a visitor who has gone needs no answer
}

// Endpoint returns the endpoint tag of a request that is to be counted, by its
// path, and false for any other.
func Endpoint(p string) (string, bool) {
	below, ok := strings.CutPrefix(p, AdvancePath)
	if !ok || below != "" && below[0] != '/' {
		return "", false
	}
	last := path.Base(p)
	return last, len(last) <= MaxEndpoint
}
