package legacy

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"whet/internal/callstack"
	"whet/internal/lazyregexp"
)

var (
	errSum       = errors.New("the sum of its sample values overflows an int64: they cannot be right")
	errMalformed = errors.New("malformed") // of a line, which is left out
)

// What a text's first line says of its kind.
var (
	heapHead  = lazyregexp.Pattern{Text: `heap profile: *(\d+): *(\d+) *\[ *(\d+): *(\d+) *\] *@ *([a-z][a-z0-9_]*)/?(\d*)`}
	countHead = lazyregexp.Pattern{Text: `^(\S+) profile: total \d+$`}
)

// Is reports whether a file that begins with head is in one of these formats.
func Is(head []byte) bool {
	_, ok := cpuHeader(head)
	return ok || reading((&lines{rest: head}).first()) != nil
}

// reading returns the method that reads a text with such a first line, or nil.
func reading(line string) func(*reader) error {
	switch {
	case heapHead.Regexp().MatchString(line):
		return (*reader).heap
	case countHead.Regexp().MatchString(line):
		return (*reader).counts
	case isContention(line):
		return (*reader).contention
	case strings.TrimSpace(line) == "--- heapz 1 ---":
		return (*reader).javaHeap
	case isThreads(line):
		return (*reader).threads
	}
	return nil
}

// first goes to the first line that is neither blank nor a comment.
func (l *lines) first() string {
	for l.next() && isComment(l.text) {
	}
	return l.text
}

// isComment reports whether a line holds nothing, or a comment.
func isComment(line string) bool {
	line = strings.TrimSpace(line)
	return line == "" || line[0] == '#'
}

// Read decodes a profile. Its Warnings list damage that was skipped.
func Read(data []byte, limits callstack.Limits) (*callstack.Profile, error) {
	if int64(len(data)) > limits.MaxBytes {
		return nil, fmt.Errorf("larger than %d MiB: too large to read", limits.MaxBytes>>20)
	}
	r := &reader{symbols: newSymbols(limits.MaxMemory), samples: samples{max: limits.MaxMemory}}
	r.lines = lines{rest: data}
	var err error
	if h, ok := cpuHeader(data); ok {
		err = r.cpu(h, data[5*h.size:])
	} else if read := reading(r.lines.first()); read != nil {
		err = read(r)
	} else {
		err = errors.New("not a profile in a format of gperftools or of Go before 1.9")
	}
	if err != nil {
		return nil, err
	}
	return r.assemble()
}

// reader collects what a file holds.
type reader struct {
	lines lines

	meta     callstack.Meta
	samples  samples
	symbols  symbols
	mappings []callstack.Mapping
	twice    bool // a leaf may stand on its stack twice
	allocs   bool // the stacks are those of allocations
	java     bool // addresses are numbers of places, in no mapping

	lost      []string // what is missing or in doubt
	malformed int      // lines left out
	first     int      // the first of them
}

func (r *reader) say(format string, args ...any) {
	r.lost = append(r.lost, fmt.Sprintf(format, args...))
}

// bad counts the line at hand as left out.
func (r *reader) bad() {
	if r.malformed++; r.malformed == 1 {
		r.first = r.lines.number
	}
}

func types(pairs ...string) (t []callstack.ValueType) {
	for i := 0; i < len(pairs); i += 2 {
		t = append(t, callstack.ValueType{Type: pairs[i], Unit: pairs[i+1]})
	}
	return t
}

// maxLine is longer than the line of any stack or name: of a longer one, the
// beginning is read.
const maxLine = 1 << 20

// lines goes through a text.
type lines struct {
	rest   []byte
	text   string
	number int
}

func (l *lines) next() bool {
	if len(l.rest) == 0 {
		l.text = ""
		return false
	}
	line, rest, _ := bytes.Cut(l.rest, []byte{'\n'})
	l.text, l.rest = string(bytes.TrimSuffix(line[:min(len(line), maxLine)], []byte{'\r'})), rest
	l.number++
	return true
}
