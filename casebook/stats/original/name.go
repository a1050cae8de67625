package original

import (
	"regexp"
	"strings"

	"whet/casebook/stats"
)

var special = regexp.MustCompile(`[{}/\\:.\s]`)

// clean replaces what may not stand in a tag.
func clean(value string) string { return special.ReplaceAllString(value, "-") }

// Name returns the name of a metric with these tags.
func (h *Handler) Name(metric string, tags stats.Tags) string {
	var order []string
	if tags[stats.TagHost] != "" {
		order = append(order, stats.TagHost)
	}
	order = append(order, stats.TagEndpoint, stats.TagOS, stats.TagBrowser)

	parts := []string{metric}
	for _, tag := range order {
		if value := tags[tag]; value != "" {
			parts = append(parts, clean(value))
		} else {
			parts = append(parts, "no-"+tag)
		}
	}
	return strings.Join(parts, ".")
}
