package prealloc

import (
	"strings"

	"whet/casebook/stats"
)

// clean replaces what may not stand in a tag.
func clean(value string) string {
	b := make([]byte, len(value))
	for i := 0; i < len(value); i++ {
		switch c := value[i]; c {
		case '{', '}', '/', '\\', ':', '.', ' ', '\t', '\n', '\f', '\r':
			b[i] = '-'
		default:
			b[i] = c
		}
	}
	return string(b)
}

// Name returns the name of a metric with these tags.
func (h *Handler) Name(metric string, tags stats.Tags) string {
	order := make([]string, 0, 4)
	if tags[stats.TagHost] != "" {
		order = append(order, stats.TagHost)
	}
	order = append(order, stats.TagEndpoint, stats.TagOS, stats.TagBrowser)

	parts := make([]string, 0, 5)
	parts = append(parts, metric)
	for _, tag := range order {
		if value := tags[tag]; value != "" {
			parts = append(parts, clean(value))
		} else {
			parts = append(parts, "no-"+tag)
		}
	}
	return strings.Join(parts, ".")
}
