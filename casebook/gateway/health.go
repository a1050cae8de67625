package gateway

import (
	"encoding/json"
	"maps"
	"net/http"
	"runtime"
	"strconv"
	"sync"
	"time"
)

// HealthPath is where a server shows the health of a stage.
const HealthPath = "/health"

// Health is what a gateway tells of itself.
type Health struct {
	Service string    `json:"service"`
	Started time.Time `json:"started"`
	// Failing is whether the downstream let the gateway down when it was last
	// called.
	Failing bool             `json:"failing"`
	Answers map[string]int64 `json:"answers"` // by status
	// Facts do not change while the gateway runs.
	Facts map[string]string `json:"facts"`
}

// ServiceName is what a gateway calls itself.
const ServiceName = "gateway"

// Facts returns the facts of every gateway.
func Facts() map[string]string {
	return map[string]string{
		"protocol":       "json/1",
		"go":             runtime.Version(),
		"platform":       runtime.GOOS + "/" + runtime.GOARCH,
		"path":           Path,
		"body.max":       strconv.Itoa(MaxBody),
		"answer.max":     strconv.Itoa(MaxAnswer),
		"depth.max":      strconv.Itoa(MaxDepth),
		"name.max":       strconv.Itoa(MaxName),
		"qua.max":        strconv.Itoa(MaxQua),
		"qua.bytes.max":  strconv.Itoa(MaxQuaBytes),
		"session.length": strconv.Itoa(SessionLength),
	}
}

// Record is a health record that is kept up to date in place. Use NewRecord.
type Record struct {
	started time.Time
	facts   map[string]string

	mu      sync.Mutex
	failing bool
	answers map[int]int64
}

// NewRecord returns the record of a gateway that starts now.
func NewRecord() *Record {
	return &Record{started: time.Now(), facts: Facts(), answers: make(map[int]int64)}
}

// Count counts an answer by its status.
func (r *Record) Count(status int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.answers[status]++
	r.failing = Failing(r.failing, status)
}

// Failing tells whether the downstream is failing after an answer.
func Failing(before bool, status int) bool {
	switch status {
	case http.StatusOK:
		return false
	case http.StatusBadGateway, http.StatusGatewayTimeout:
		return true
	}
	return before // it was not called, or whoever wanted its answer has gone
}

// Health returns a copy.
func (r *Record) Health() Health {
	r.mu.Lock()
	defer r.mu.Unlock()
	answers := make(map[string]int64, len(r.answers))
	for status, n := range r.answers {
		answers[strconv.Itoa(status)] = n
	}
	return Health{Service: ServiceName, Started: r.started, Failing: r.failing, Answers: answers, Facts: maps.Clone(r.facts)}
}

// Mux serves a gateway and its health.
func Mux(g Gateway) *http.ServeMux {
	mux := http.NewServeMux()
	mux.Handle(Path, g)
	mux.HandleFunc("GET "+HealthPath, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", ContentType)
		json.NewEncoder(w).Encode(g.Health()) // a visitor who has gone needs no answer
	})
	return mux
}
