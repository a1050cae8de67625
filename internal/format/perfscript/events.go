package perfscript

import (
	"bytes"
	"fmt"
	"strings"

	"whet/internal/callstack"
)

// events are the events that occur, in the order of their first samples.
type events struct {
	names   []string
	index   map[string]int
	samples []int // by index
	periods bool  // are printed
}

// none is the name of the only event where -F leaves events out.
const none = "samples"

func (h *header) eventName() string {
	if h.event == "" {
		return none
	}
	return h.event
}

// counts reports whether a sample is one: a line that names no event could be
// anything, but for the stack below it.
func (h *header) counts(stack bool) bool { return h.event != "" || stack }

// maxEvents bounds the columns: every sample has a value in each.
const maxEvents = 32

// scanEvents reads the samples' first lines, so that the columns are known.
func scanEvents(data []byte) (*events, error) {
	e := &events{index: make(map[string]int)}
	var s state
	var at header
	seen := true // at has been counted
	for line := range bytes.Lines(data) {
		h, is := s.next(bytes.TrimRight(line, "\r\n"))
		if is == isHeader {
			at, seen = h, false
		}
		if seen || !at.counts(is == isChain || at.hasLeaf) {
			continue
		}
		seen = true
		name := at.eventName()
		e.periods = e.periods || at.hasPeriod
		if _, ok := e.index[name]; !ok {
			if len(e.names) == maxEvents {
				return nil, fmt.Errorf("it has samples of more than %d events: record fewer, or print only some", maxEvents)
			}
			e.index[name] = len(e.names)
			e.names, e.samples = append(e.names, name), append(e.samples, 0)
		}
		e.samples[e.index[name]]++
	}
	return e, nil
}

// column returns where an event's samples are counted; its periods are beside.
func (e *events) column(index int) int {
	if e.periods {
		return 2 * index
	}
	return index
}

// main returns the column to show: of the event with the most samples. Which comes
// first is chance.
func (e *events) main() int {
	most := 0
	for i, n := range e.samples {
		if n > e.samples[most] {
			most = i
		}
	}
	if e.periods {
		return e.column(most) + 1
	}
	return most
}

// types returns the columns.
func (e *events) types() []callstack.ValueType {
	var out []callstack.ValueType
	for _, name := range e.names {
		count := callstack.ValueType{Type: "samples", Unit: "count"}
		if len(e.names) > 1 {
			count.Type = name + "_samples"
		}
		out = append(out, count)
		if e.periods {
			unit := "count"
			if base, _, _ := strings.Cut(name, ":"); base == "cpu-clock" || base == "task-clock" {
				unit = "nanoseconds"
			}
			out = append(out, callstack.ValueType{Type: name, Unit: unit})
		}
	}
	return out
}

// kinds of lines
type kind int

const (
	isBlank      kind = iota
	isHeader          // begins a sample
	isChain           // a frame of the sample at hand
	isSourceLine      // the file and line of the frame before
	isBranch          // of branch records: passed over
	isArrowBelow      // a branch from place to place below a stack
	isOdd
)

// state tells lines apart by what stood before them: named, the sample at hand
// names an event.
type state struct{ open, frame, named bool }

func (s *state) next(line []byte) (header, kind) {
	text := bytes.TrimSpace(line)
	switch {
	case len(text) == 0:
		*s = state{}
		return header{}, isBlank
	case !s.open && text[0] == '#':
		return header{}, isBlank
	case isIndented(line) && isArrow(line):
		if s.open {
			return header{}, isArrowBelow
		}
		h := header{pid: -1, tid: -1, time: -1} // -F ip,sym,addr: each line is a sample
		h.branch(line)
		return h, isHeader
	case isFrame(line):
		s.frame = true
		if !s.open { // -F ip,sym: samples have no first line
			s.open = true
			h := header{pid: -1, tid: -1, time: -1}
			h.leaf, h.hasLeaf = parseFrame(line)
			return h, isHeader
		}
		return header{}, isChain
	}
	h, ok := parseHeader(line)
	clear := ok && h.event != "" && (h.time >= 0 || h.tid >= 0)
	switch {
	case line[0] != '\t' && (clear || ok && !s.open):
		s.open, s.frame, s.named = true, h.hasLeaf, h.event != ""
		return h, isHeader
	case s.open && isArrow(line):
		return header{}, isArrowBelow
	case s.named && isBareFrame(line):
		s.frame = true
		return header{}, isChain
	case s.open && s.frame && bytes.HasPrefix(line, []byte("  ")):
		return header{}, isSourceLine
	case s.open && isBranchLine(text):
		return header{}, isBranch
	}
	return header{}, isOdd
}

// isBranchLine recognises what brstack and brstackinsn print: pairs of
// addresses, and the instructions between them.
func isBranchLine(text []byte) bool {
	return bytes.HasPrefix(text, []byte("0x")) || bytes.Contains(text, []byte("insn:")) || bytes.Contains(text, []byte("/P/")) || bytes.Contains(text, []byte("/M/")) ||
		bytes.HasSuffix(text, []byte(":")) || bytes.HasPrefix(text, []byte("..."))
}
