package buffer

import (
	"bytes"

	"whet/casebook/stats"
)

// writeClean writes a tag and replaces what may not stand in it.
func writeClean(buf *bytes.Buffer, value string) {
	for i := 0; i < len(value); i++ {
		switch c := value[i]; c {
		case '{', '}', '/', '\\', ':', '.', ' ', '\t', '\n', '\f', '\r':
			buf.WriteByte('-')
		default:
			buf.WriteByte(c)
		}
	}
}

// writeTag writes a tag that has to be there.
func writeTag(buf *bytes.Buffer, tags stats.Tags, tag string) {
	buf.WriteByte('.')
	if value := tags[tag]; value != "" {
		writeClean(buf, value)
	} else {
		buf.WriteString("no-")
		buf.WriteString(tag)
	}
}

// Name returns the name of a metric with these tags.
func (h *Handler) Name(metric string, tags stats.Tags) string {
	buf := new(bytes.Buffer)
	buf.WriteString(metric)
	if host := tags[stats.TagHost]; host != "" {
		buf.WriteByte('.')
		writeClean(buf, host)
	}
	writeTag(buf, tags, stats.TagEndpoint)
	writeTag(buf, tags, stats.TagOS)
	writeTag(buf, tags, stats.TagBrowser)
	return buf.String()
}
