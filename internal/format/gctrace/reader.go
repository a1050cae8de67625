package gctrace

import (
	"bufio"
	"bytes"
	"fmt"
	"io"

	"slices"
)

// Counts are the lines of a stream by kind. They sum to Lines.
type Counts struct {
	Lines                       int64
	Cycles, Inits               int64
	Scheduler, Pacer, Scavenger int64 // of schedtrace, gcpacertrace and scvg
	Ancient                     int64 // cycles of Go 1.4 and older
	Cut                         int64 // that begin as a cycle's and are none
	Others                      int64
	firstCut, firstAncient      int64
}

// Line is a line with a cycle or an initialization.
type Line struct {
	Number int64  // counted from 1
	Cycle  *Cycle // overwritten by the next line; nil: the line is none
	Init   *Init
}

// Reader reads a program's standard error line by line, of any length.
type Reader struct {
	Counts Counts
	in     *bufio.Reader
	line   []byte // put together, or without colours
	plain  []byte
	cycle  Cycle
	init   Init
}

// NewReader returns a reader of a stream; nil: of lines that it is handed.
func NewReader(r io.Reader) *Reader { return &Reader{in: bufio.NewReaderSize(r, 64<<10)} }

// Next returns the next line with a cycle or an initialization; io.EOF after the last
// one.
func (r *Reader) Next() (Line, error) {
	for {
		line, err := r.next()
		if len(line) == 0 && err != nil {
			if err == io.EOF {
				return Line{}, err
			}
			return Line{}, fmt.Errorf("read gctrace: line %d: %w", r.Counts.Lines+1, err)
		}
		if found, ok := r.Take(line); ok {
			return found, nil
		}
	}
}

// next returns the next line with its end; of one that is longer than the buffer, the
// end.
func (r *Reader) next() ([]byte, error) {
	line, err := r.in.ReadSlice('\n')
	if err != bufio.ErrBufferFull {
		return line, err
	}
	for err == bufio.ErrBufferFull {
		r.line = append(r.line[:0], line[max(len(line)-maxLine, 0):]...)
		line, err = r.in.ReadSlice('\n')
	}
	r.line = append(r.line, line...)
	return r.line, err
}

// Take determines the kind of a line, counts it, and reports whether it has a cycle or
// an initialization. Next does so with each line of the stream.
func (r *Reader) Take(line []byte) (found Line, ok bool) {
	n := &r.Counts
	n.Lines++
	found.Number = n.Lines
	line = bytes.TrimRight(line, "\r\n")
	if bytes.IndexByte(line, escape) >= 0 {
		r.plain = withoutColours(r.plain[:0], line)
		line = r.plain
	}
	// What another writer had not ended its line of stands before the runtime's, or
	// what a collector of logs puts there.
	at := 0
	if !bytes.HasPrefix(line, []byte("gc ")) {
		at = max(bytes.LastIndex(line, []byte("gc ")), 0)
	}
	if r.cycle, ok = parseCycle(line[at:]); ok {
		n.Cycles++
		found.Cycle = &r.cycle
		return found, true
	}
	if at = max(bytes.LastIndex(line, []byte("init ")), 0); bytes.HasSuffix(line, []byte(" allocs")) {
		if r.init, ok = parseInit(line[at:]); ok {
			n.Inits++
			found.Init = &r.init
			return found, true
		}
	}
	switch {
	case begins(line):
		if n.Cut++; n.Cut == 1 {
			n.firstCut = n.Lines
		}
	case isAncient(line):
		if n.Ancient++; n.Ancient == 1 {
			n.firstAncient = n.Lines
		}
	case bytes.HasPrefix(line, []byte("SCHED ")):
		n.Scheduler++
	case bytes.HasPrefix(line, []byte("pacer: ")):
		n.Pacer++
	case isScavenger(line):
		n.Scavenger++
	default:
		n.Others++
	}
	return Line{}, false
}

const escape = 0x1b

// withoutColours appends a line without the sequences that colour it: from ESC [ to a
// byte from @ to ~ (ECMA-48, 5.4).
func withoutColours(to, line []byte) []byte {
	for len(line) > 0 {
		i := bytes.IndexByte(line, escape)
		if i < 0 {
			return append(to, line...)
		}
		to = append(to, line[:i]...)
		line = line[i+1:]
		if len(line) == 0 || line[0] != '[' {
			continue
		}
		end := slices.IndexFunc(line[1:], func(b byte) bool { return b >= 0x40 && b <= 0x7e })
		if end < 0 {
			return to
		}
		line = line[1+end+1:]
	}
	return to
}
