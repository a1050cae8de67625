package best

import (
	"bytes"
	"io"

	"whet/casebook/ingest"
)

// bufferSize lets a line of the greatest length that is taken stand in front
// of a Read of nearly as much again. A part without a line end is longer than
// MaxLine then, or the body's last.
const bufferSize = 2 * ingest.MaxLine

// readSize is how much is asked for at once. What was read is looked at several
// times, and 16 KiB stay in a processor's first cache meanwhile, beside what
// they are copied from: taking in a body from memory takes twice as long with
// 32 KiB.
const readSize = 16 << 10

// maxEmptyReads is how many times a body may give nothing and no error, as in
// package bufio.
const maxEmptyReads = 100

// front is where a Read puts its bytes, and the start of a line that was left
// by the Read before goes right in front of it. So nearly every Read is to one
// address, at the start of a page: such a copy takes a fifth less than one to
// whatever address the line has left.
const front = 4 << 10

// chunks cuts a body into parts that end at line ends.
type chunks struct {
	buf        [bufferSize]byte
	start, end int // buf[start:end] follows the last part

	body io.Reader
	err  error // of the body, once it has one
}

func (c *chunks) reset(body io.Reader) {
	c.body, c.err, c.start, c.end = body, nil, 0, 0
}

// next returns the next part, in memory that the call after this one uses
// again, or the body's error, which at its end is io.EOF. Of a body that fails,
// the start of a line is not returned.
func (c *chunks) next() ([]byte, error) {
	left := c.buf[c.start:c.end]
	first := max(0, front-len(left))
	c.start, c.end = first, first+copy(c.buf[first:], left)
	for empty := 0; c.err == nil; {
		n, err := c.body.Read(c.buf[c.end:min(c.end+readSize, len(c.buf))])
		c.err = err
		from := c.end
		c.end += n
		if i := lastLineEnd(c.buf[from:c.end]); i >= 0 {
			c.start = from + i + 1
			return c.buf[first:c.start], nil
		}
		if c.end == len(c.buf) {
			c.start = c.end
			return c.buf[first:], nil
		}
		if n > 0 {
			empty = 0
		} else if empty++; empty == maxEmptyReads && err == nil {
			c.err = io.ErrNoProgress
		}
	}
	if c.err == io.EOF && c.end > first {
		c.start = c.end
		return c.buf[first:c.end], nil
	}
	return nil, c.err
}

// lastLineEnd returns the index of the last \n, or -1. bytes.LastIndexByte
// would go byte by byte; IndexByte looks at 16 or more at once, and a document
// is some hundred bytes long.
func lastLineEnd(b []byte) int {
	const window = 128
	for end := len(b); end > 0; {
		from := max(0, end-window)
		last := -1
		for rest := b[from:end]; ; {
			i := bytes.IndexByte(rest[last+1:], '\n')
			if i < 0 {
				break
			}
			last += i + 1
		}
		if last >= 0 {
			return from + last
		}
		end = from
	}
	return -1
}
