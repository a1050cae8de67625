package capture

import (
	"bytes"
	"io"
)

// ReadAtMost reads a stream that may never end: to its end, or until it exceeds limit
// bytes, when it returns no data and whole is false. Data before an error is returned
// with it.
//
// The bytes are kept in pieces until the end: a growing slice would take up to three
// times as much during a copy.
func ReadAtMost(r io.Reader, limit int64) (data []byte, whole bool, err error) {
	const first, longest = 64 << 10, 4 << 20
	var pieces [][]byte
	for total := int64(0); err == nil; {
		piece, n := make([]byte, min(first<<min(len(pieces), 6), longest)), 0
		for n < len(piece) && err == nil {
			var m int
			m, err = r.Read(piece[n:])
			n += m
		}
		pieces = append(pieces, piece[:n])
		if total += int64(n); total > limit {
			return nil, false, nil
		}
	}
	if err == io.EOF {
		err = nil
	}
	if len(pieces) == 1 {
		return pieces[0], true, err
	}
	return bytes.Join(pieces, nil), true, err
}
