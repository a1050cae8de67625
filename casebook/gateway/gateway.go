package gateway

import (
	"context"
	"math/rand"
	"net/http"
)

const (
	Path        = "/call"            // where a server mounts a stage
	ContentType = "application/json" // of every answer

	MaxBody   = 1 << 20 // bytes of a request's body
	MaxAnswer = 1 << 20 // bytes that are read of a downstream's answer
	MaxDepth  = 100     // levels of arrays and objects in either

	MaxName     = 64   // bytes of a business name, and of a session id
	MaxQua      = 32   // pairs in qua
	MaxQuaBytes = 2048 // bytes of qua, joined

	// Alphabet is what session ids are made of.
	Alphabet      = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
	SessionLength = 32

	// Message is what the header of an answer says that holds a payload.
	Message = "ok"
)

// Gateway is what every stage offers.
type Gateway interface {
	http.Handler
	// Health returns what the gateway tells of itself. Nothing that happens
	// later changes it.
	Health() Health
}

// Call is what a request comes down to: what the downstream is called with.
type Call struct {
	Business string
	Qua      string // k=v&k=v
	Session  string
	Payload  string // JSON
}

// Downstream is the service behind the gateway.
type Downstream interface {
	// Call hands a call on and returns the JSON it is answered with. It returns
	// within bounded time; the error is a context.DeadlineExceeded, wrapped or
	// not, when that ran out. It is called by many goroutines at once, and may
	// keep what it is given.
	Call(ctx context.Context, c Call) (string, error)
}

// Random is where session ids come from: what the stages need of a
// *math/rand.Rand, and safe for concurrent use. The ids tell sessions apart and
// are no secret.
type Random interface {
	Intn(n int) int
	Int63() int64
}

// Global is the source that math/rand keeps for the whole program.
type Global struct{}

func (Global) Intn(n int) int { return rand.Intn(n) }

func (Global) Int63() int64 { return rand.Int63() }

// Accept checks the method and bounds the body.
func Accept(w http.ResponseWriter, r *http.Request) error {
	if r.Method != http.MethodPost {
		return WrongMethod
	}
	if r.Body == nil {
		r.Body = http.NoBody
	}
	r.Body = http.MaxBytesReader(w, r.Body, MaxBody)
	return nil
}
