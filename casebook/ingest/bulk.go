package ingest

import (
	"bytes"
	"context"
	"io"
)

// The line before a document names its index between these. An index name
// needs no escaping: see Route.
const (
	actionStart = `{"index":{"_index":"`
	actionEnd   = "\"}}\n"

	// MaxAction is the length of the longest such line, with its \n.
	MaxAction = len(actionStart) + MaxType + len("-2006.01.02") + len(actionEnd)
)

// AppendBulk appends a document in the bulk form: at most MaxAction bytes, the
// document, and \n.
func AppendBulk(b []byte, to Index, document []byte) []byte {
	b = append(b, actionStart...)
	b = to.Append(b)
	b = append(b, actionEnd...)
	b = append(b, document...)
	return append(b, '\n')
}

// document is one that waits to be passed on. Both are slices of the body it
// came in.
type document struct {
	to     Index
	source []byte
}

// PassOnWhole takes a whole body to pieces and passes its documents on, as all
// stages do that read the body first. The sink reads slices of the body: the
// body has to stay as it is until PassOnWhole has returned.
func PassOnWhole(ctx context.Context, sink Sink, body []byte) (*Report, error) {
	report := new(Report)
	var documents []document
	for line := range bytes.SplitSeq(body, []byte{'\n'}) {
		if source, to, ok := report.Line(line); ok {
			documents = append(documents, document{to, source})
		}
	}
	if len(documents) == 0 {
		return report, nil
	}
	return report, PassOn(ctx, sink, &bulk{documents: documents})
}

// bulk reads documents in the bulk form.
type bulk struct {
	documents []document // still to come
	form      []byte     // of the last one that did not fit a Read
	rest      []byte     // what is left of form
}

func (b *bulk) Read(p []byte) (n int, err error) {
	for n < len(p) {
		if len(b.rest) == 0 {
			if len(b.documents) == 0 {
				break
			}
			d := b.documents[0]
			b.documents = b.documents[1:]
			if len(p)-n >= MaxAction+len(d.source)+len("\n") {
				n = len(AppendBulk(p[:n], d.to, d.source))
				continue
			}
			b.form = AppendBulk(b.form[:0], d.to, d.source)
			b.rest = b.form
		}
		k := copy(p[n:], b.rest)
		b.rest = b.rest[k:]
		n += k
	}
	if n == 0 && len(p) > 0 {
		return 0, io.EOF
	}
	return n, nil
}
