package best

import (
	"bytes"
	"io"

	"whet/casebook/ingest"
)

// stream reads a body's documents in the bulk form. It is the memory of one
// request.
type stream struct {
	chunks
	report ingest.Report

	part     []byte // what is left of the part that is looked at
	inLong   bool   // part begins inside a line that is too long, and was reported
	document []byte // the next one, a slice of part; nil if it is not known
	to       ingest.Index
	end      error // why there are no more parts

	out  []byte // a document in the bulk form that did not fit the last Read
	read int    // how much of out was read
}

func (s *stream) reset(body io.Reader) {
	s.chunks.reset(body)
	s.report.Reset()
	s.part, s.inLong, s.document, s.to, s.end = nil, false, nil, ingest.Index{}, nil
	s.out, s.read = s.out[:0], 0
}

// Read gives documents as they come, and does not wait for more when it has
// some. The body's error is Read's when all that came before it was read.
func (s *stream) Read(p []byte) (int, error) {
	n := copy(p, s.out[s.read:])
	s.read += n
	for n < len(p) {
		if !s.find(n == 0) {
			break
		}
		if len(p)-n >= ingest.MaxAction+len(s.document)+1 {
			n = len(ingest.AppendBulk(p[:n], s.to, s.document))
		} else {
			s.out = ingest.AppendBulk(s.out[:0], s.to, s.document)
			s.read = copy(p[n:], s.out)
			n += s.read
		}
		s.document = nil
	}
	if n == 0 && len(p) > 0 {
		return 0, s.end
	}
	return n, nil
}

// find makes the next document known, and reports false if there is none, or
// none in the part that is there and it may not wait for another.
func (s *stream) find(wait bool) bool {
	for s.document == nil {
		if len(s.part) == 0 {
			if !wait {
				return false
			}
			if s.part, s.end = s.next(); s.end != nil {
				return false
			}
		}
		line, ok := s.line()
		if !ok {
			continue
		}
		if document, to, ok := s.report.Line(line); ok {
			s.document, s.to = document, to
		}
	}
	return true
}

// line takes a line from the part. It reports false where that was only the
// rest of a line.
func (s *stream) line() (line []byte, ok bool) {
	ok = !s.inLong
	i := bytes.IndexByte(s.part, '\n')
	if i < 0 {
		line, s.part = s.part, nil
		s.inLong = s.inLong || len(line) > ingest.MaxLine
		return line, ok
	}
	line, s.part = s.part[:i], s.part[i+1:]
	s.inLong = false
	return line, ok
}
