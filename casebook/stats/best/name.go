package best

import (
	"slices"

	"whet/casebook/stats"
)

// stackName is how long a name may get, in bytes, before it needs memory
// beside its string.
const stackName = 128

// translation is what each byte of a tag becomes.
var translation = func() (t [256]byte) {
	for c := range t {
		t[c] = byte(c)
	}
	for _, c := range "{}/\\:. \t\n\f\r" {
		t[c] = '-'
	}
	return t
}()

// appendTag appends a dot and a tag, and replaces what may not stand in it.
func appendTag(b []byte, value string) []byte {
	n := len(b)
	if cap(b)-n <= len(value) {
		b = slices.Grow(b, 1+len(value))
	}
	b = b[:n+1+len(value)]
	b[n] = '.'
	tag := b[n+1:][:len(value)]
	for i := range tag {
		tag[i] = translation[value[i]]
	}
	return b
}

// appendTags appends the tags that every name has.
func appendTags(b []byte, endpoint, system, browser string) []byte {
	if endpoint != "" {
		b = appendTag(b, endpoint)
	} else {
		b = append(b, ".no-"+stats.TagEndpoint...)
	}
	if system != "" {
		b = appendTag(b, system)
	} else {
		b = append(b, ".no-"+stats.TagOS...)
	}
	if browser != "" {
		return appendTag(b, browser)
	}
	return append(b, ".no-"+stats.TagBrowser...)
}

// Name returns the name of a metric with these tags.
func (h *Handler) Name(metric string, tags stats.Tags) string {
	var memory [stackName]byte
	b := append(memory[:0], metric...)
	if host := tags[stats.TagHost]; host != "" {
		b = appendTag(b, host)
	}
	return string(appendTags(b, tags[stats.TagEndpoint], tags[stats.TagOS], tags[stats.TagBrowser]))
}
