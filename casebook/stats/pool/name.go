package pool

import (
	"bytes"
	"sync"

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

// maxPooled is the largest buffer that goes back to the pool: one very long
// name must not make every later one hold that much memory.
const maxPooled = 4 << 10

var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// Name returns the name of a metric with these tags.
func (h *Handler) Name(metric string, tags stats.Tags) string {
	buf := buffers.Get().(*bytes.Buffer)
	buf.Reset()
	buf.WriteString(metric)
	if host := tags[stats.TagHost]; host != "" {
		buf.WriteByte('.')
		writeClean(buf, host)
	}
	writeTag(buf, tags, stats.TagEndpoint)
	writeTag(buf, tags, stats.TagOS)
	writeTag(buf, tags, stats.TagBrowser)
	name := buf.String()
	if buf.Cap() <= maxPooled {
		buffers.Put(buf)
	}
	return name
}
