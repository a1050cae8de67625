package gctrace

import (
	"bytes"
	"io"
	"sync"
)

// Variable returns the environment variable that makes a program print each collection
// and each package's initialization, in addition to the settings in the user's GODEBUG,
// which may be "".
func Variable(godebug string) string {
	const asked = "gctrace=1,inittrace=1"
	if godebug != "" {
		return "GODEBUG=" + godebug + "," + asked
	}
	return "GODEBUG=" + asked
}

// Splitter separates the runtime's lines from a program's standard error. If it gets
// each write separately, it also separates output of the program in the middle of such
// a line.
type Splitter struct {
	to   io.Writer
	line func(line []byte)

	mu      sync.Mutex
	begun   []byte // the beginning of a line of the runtime's
	held    []byte // the beginning of an initialization's, while begun is a cycle's
	between int    // bytes of others since then
	own     []byte // to be passed on
}

// NewSplitter returns a splitter that hands each of the runtime's lines, with its end,
// to line, and passes on the rest to a writer; nil: nowhere. Neither may call the
// splitter.
func NewSplitter(to io.Writer, line func(line []byte)) *Splitter {
	return &Splitter{to: to, line: line}
}

// maxBetween bounds how much others may print in the middle of a line before it
// is taken for the program's own.
const maxBetween = 64 << 10

// Write never fails: losing output must not end a measurement.
func (s *Splitter) Write(p []byte) (int, error) {
	s.WriteEach([][]byte{p})
	return len(p), nil
}

// WriteEach takes writes, each by itself.
func (s *Splitter) WriteEach(writes [][]byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, w := range writes {
		s.add(w)
	}
	s.passOn()
}

// add takes one write.
func (s *Splitter) add(p []byte) {
	data := p
	if len(s.begun) > 0 {
		line, _, ended := bytes.Cut(data, []byte("\n"))
		if ended {
			line = data[:len(line)+1]
		}
		switch whole := append(bytes.Clone(s.begun), line...); {
		case Begins(whole):
			if data, s.begun, s.between = data[len(line):], nil, 0; ended {
				s.line(whole)
				s.resume()
			} else {
				s.begun = whole
			}
		// The runtime prints a cycle at once, an initialization in steps: a cycle may
		// come between them.
		case len(s.held) == 0 && bytes.HasPrefix(s.begun, []byte("init ")) && bytes.HasPrefix(line, []byte("gc ")) && Begins(line):
			s.held, s.begun = s.begun, nil
			defer s.resume()
		case s.between+len(p) > maxBetween || Begins(line) && startsAnew(line):
			s.release() // its end does not come
		default:
			s.between += len(p)
			s.pass(p)
			return
		}
	}
	for len(data) > 0 {
		line, rest, ended := bytes.Cut(data, []byte("\n"))
		if ended {
			line = data[:len(line)+1]
		}
		data = rest
		at := beginning(line)
		s.pass(line[:at]) // what the program had not ended its line of
		switch line = line[at:]; {
		case ended && IsLine(line):
			s.line(line)
		case len(line) > 0 && !ended && Begins(line):
			s.begun = bytes.Clone(line)
		default:
			s.pass(line)
		}
	}
}

// firsts are what the runtime prints first of a line, at once.
var firsts = [][]byte{[]byte("gc "), []byte("init ")}

func startsAnew(line []byte) bool {
	for _, first := range firsts {
		if bytes.HasPrefix(line, first) {
			return true
		}
	}
	return false
}

// pass is for the program's own.
func (s *Splitter) pass(line []byte) {
	if s.to != nil {
		s.own = append(s.own, line...)
	}
}

func (s *Splitter) passOn() {
	if len(s.own) > 0 {
		s.to.Write(s.own)
		s.own = s.own[:0]
	}
}

// Flush passes on the last line, which did not end: unless it is the runtime's,
// cut off by the program's end.
func (s *Splitter) Flush() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, line := range []*[]byte{&s.held, &s.begun} {
		if bytes.Contains(*line, []byte(" @")) {
			*line = nil
		}
	}
	s.release()
	s.passOn()
}

// release passes on what began like a line of the runtime's and is none.
func (s *Splitter) release() {
	s.pass(s.held)
	s.pass(s.begun)
	s.held, s.begun, s.between = nil, nil, 0
}

// resume goes on with the initialization that a cycle came into the middle of.
func (s *Splitter) resume() {
	if len(s.begun) == 0 {
		s.begun, s.held = s.held, nil
	}
}

// beginning returns where the runtime's line, or its beginning, begins in a line of
// standard error; its length where there is none.
func beginning(line []byte) int {
	least := len(line)
	for _, first := range firsts {
		for at := 0; at < least; at++ {
			i := bytes.Index(line[at:least], first)
			if i < 0 {
				break
			}
			if at += i; Begins(line[at:]) {
				least = at
			}
		}
	}
	if least == len(line) && isScavenger(bytes.TrimSuffix(line, []byte("\n"))) {
		return 0
	}
	return least
}
