package original

import (
	"runtime"
	"strconv"
	"sync"

	"whet/casebook/gateway"
)

// health is the record that is shown, and what it is made from.
type health struct {
	mu      sync.Mutex
	failing bool
	answers map[int]int64
	record  gateway.Health
}

// Health returns the record of the last request.
func (h *Handler) Health() gateway.Health {
	h.health.mu.Lock()
	defer h.health.mu.Unlock()
	return h.health.record
}

// report counts an answer and puts a new record in the place of the old one.
func (h *Handler) report(status int) {
	h.health.mu.Lock()
	defer h.health.mu.Unlock()
	if h.health.answers == nil {
		h.health.answers = make(map[int]int64)
	}
	h.health.answers[status]++
	h.health.failing = gateway.Failing(h.health.failing, status)
	h.health.record = h.record()
}

// record builds the health record.
func (h *Handler) record() gateway.Health {
	answers := make(map[string]int64)
	for status, n := range h.health.answers {
		answers[strconv.Itoa(status)] = n
	}
	return gateway.Health{
		Service: gateway.ServiceName,
		Started: h.started,
		Failing: h.health.failing,
		Answers: answers,
		Facts: map[string]string{
			"protocol":       "json/1",
			"go":             runtime.Version(),
			"platform":       runtime.GOOS + "/" + runtime.GOARCH,
			"path":           gateway.Path,
			"body.max":       strconv.Itoa(gateway.MaxBody),
			"answer.max":     strconv.Itoa(gateway.MaxAnswer),
			"depth.max":      strconv.Itoa(gateway.MaxDepth),
			"name.max":       strconv.Itoa(gateway.MaxName),
			"qua.max":        strconv.Itoa(gateway.MaxQua),
			"qua.bytes.max":  strconv.Itoa(gateway.MaxQuaBytes),
			"session.length": strconv.Itoa(gateway.SessionLength),
		},
	}
}
