package goroutines

import (
	"slices"
	"strconv"
	"strings"

	"whet/internal/callstack"
)

// header is a goroutine's first line.
type header struct {
	id     string
	labels []callstack.Label
}

// parseHeader reads "goroutine 19 [chan receive, 3 minutes, locked to
// thread]:". Between number and state, crashes print addresses.
func parseHeader(line string) (header, bool) {
	rest, ok := strings.CutPrefix(line, "goroutine ")
	if !ok || rest == "" || rest[0] < '0' || rest[0] > '9' {
		return header{}, false
	}
	id, state, ok := strings.Cut(rest, " [")
	if !ok {
		return header{}, false
	}
	id, _, _ = strings.Cut(id, " ") // a crash prints addresses after it
	state, ok = strings.CutSuffix(state, "]:")
	if !ok {
		return header{}, false
	}
	h := header{id: id}
	own := ""
	if before, after, ok := strings.Cut(state, " labels:{"); ok {
		state, own = before, after
	}
	parts := strings.Split(state, ", ")
	h.labels = append(h.labels, callstack.Label{Key: "state", Str: strings.TrimSuffix(parts[0], " (scan)")})
	for _, part := range parts[1:] {
		if n, ok := strings.CutSuffix(part, " minutes"); ok {
			if n, err := strconv.ParseInt(n, 10, 64); err == nil {
				h.labels = append(h.labels, callstack.Label{Key: "wait", Num: n, Unit: "minutes"})
			}
		} else if to, ok := strings.CutPrefix(part, "locked "); ok {
			h.labels = append(h.labels, callstack.Label{Key: "locked", Str: to})
		} else if n, ok := strings.CutPrefix(part, "synctest bubble "); ok {
			if n, err := strconv.ParseInt(n, 10, 64); err == nil {
				h.labels = append(h.labels, callstack.Label{Key: "bubble", Num: n})
			}
		}
	}
	h.labels = slices.Concat(callstack.QuotedLabels(own, ": "), h.labels)
	return h, true
}
