package gateway

import (
	"context"
	"io"
	"net/http"
	"strconv"
)

// Answer is what the service that stands in for a real one answers any call.
const Answer = `{"order":{"id":9007199254740993,"state":"accepted","total":"128.40","currency":"EUR","lines":3},` +
	`"delivery":{"from":"2026-11-23","to":"2026-11-25","carrier":"post","express":false},` +
	`"offers":[{"id":7,"title":"Tea, 3 kinds","rate":0.1},{"id":12,"title":"Cup","rate":0.05}],"more":null}`

// Stub is a downstream in the same process that takes no time.
type Stub struct{}

// Call implements Downstream.
func (Stub) Call(context.Context, Call) (string, error) { return Answer, nil }

// maxPayload bounds what a payload becomes when a stage encodes it again: the
// escapes \b and \f, of two bytes, come out with six.
const maxPayload = 3 * MaxBody

// Service is a downstream for a Client to call. It reads what it is sent to the
// end and answers Answer.
func Service() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, err := io.Copy(io.Discard, http.MaxBytesReader(w, r.Body, maxPayload)); err != nil {
			http.Error(w, "the payload breaks off or is too large", http.StatusBadRequest)
			return
		}
		w.Header().Set("Content-Type", ContentType)
		w.Header().Set("Content-Length", strconv.Itoa(len(Answer)))
		io.WriteString(w, Answer)
	})
}
