package goroutines

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"whet/internal/callstack"
	"whet/internal/quantity"
)

// Frames that stand for what a dump does not show.
const (
	elided      = "[frames elided]"
	cutOff      = "[frames cut off]"
	unavailable = "[stack unavailable]"
)

// maxLine is longer than any line with a name, arguments or labels.
const maxLine = 1 << 20

// bufferSize is where runtime/pprof stops to print goroutines.
const bufferSize = 64 << 20

// Is reports whether a file that begins with head is a goroutine dump, or
// something that prints one, such as a panic.
func Is(head []byte) bool {
	for line := range bytes.Lines(head) {
		if !bytes.HasSuffix(line, []byte("\n")) && !bytes.HasSuffix(line, []byte("]:")) {
			return false // cut
		}
		if _, ok := parseHeader(string(bytes.TrimRight(line, "\r\n"))); ok {
			return true
		}
	}
	return false
}

// Read decodes a dump.
func Read(data []byte, limits callstack.Limits) (*callstack.Profile, error) {
	return read(data, limits, bufferSize)
}

// read decodes a dump that was cut if it has full bytes.
func read(data []byte, limits callstack.Limits, full int) (*callstack.Profile, error) {
	if int64(len(data)) > limits.MaxBytes {
		return nil, fmt.Errorf("larger than %d MiB: too large to read", limits.MaxBytes>>20)
	}
	r := newReader()
	for line := range bytes.Lines(data) {
		r.number++
		whole := bytes.HasSuffix(line, []byte("\n"))
		line = bytes.TrimRight(line, "\r\n")
		if len(line) == 0 {
			r.end()
			continue
		}
		if len(line) > maxLine {
			r.oddLine()
			continue
		}
		r.line(line, whole)
		if r.b.Memory() > limits.MaxMemory {
			return nil, fmt.Errorf("line %d: %w", r.number, callstack.ErrMemory)
		}
	}
	if len(data) == full {
		r.cut()
	}
	r.end()
	if r.p.Len() == 0 {
		if r.deep > 0 {
			return nil, fmt.Errorf("line %d: a goroutine's stack of more than %d frames: it cannot be right", r.firstDeep, callstack.MaxDepth)
		}
		return nil, errors.New("it has no goroutines")
	}
	r.warn()
	return r.p, nil
}

// reader builds the profile. Between the header of a goroutine and the blank
// line after it, the goroutine is open.
type reader struct {
	b *callstack.Builder
	p *callstack.Profile

	open   bool
	header header
	path   []callstack.LocationID // leaf first
	group  []frame                // frames inlined into the one that comes next, innermost first
	name   string                 // of the frame whose file comes next
	inline bool
	made   bool // "created by" has been read
	skip   bool // what follows is the stack of the goroutine that started it

	locations map[string]callstack.LocationID
	key       []byte

	number     int // of the line
	odd        int // lines in goroutines that could not be read
	firstOdd   int
	elidedIn   int // goroutines
	frames     int // of the goroutine at hand
	deep       int // goroutines with more frames than a stack may have
	firstDeep  int
	isCut      bool
	unfinished bool // the goroutine at hand was cut off
}

type frame struct {
	name, file string
	line       int
}

func newReader() *reader {
	t := callstack.ValueType{Type: "goroutine", Unit: "count"}
	b := callstack.NewBuilder(t)
	p := b.Profile()
	p.PeriodType, p.Period = t, 1
	return &reader{b: b, p: p, locations: make(map[string]callstack.LocationID)}
}

// line reads a line that is not blank.
func (r *reader) line(line []byte, whole bool) {
	if bytes.HasPrefix(line, []byte("goroutine ")) {
		if h, ok := parseHeader(string(line)); ok {
			r.end()
			r.open, r.header = h.id != "0", h // which is a thread's own stack
			return
		}
	}
	if !whole && !r.open && (bytes.HasPrefix(line, []byte("goroutine ")) || bytes.HasPrefix([]byte("goroutine "), line)) {
		r.isCut = true // in a header
		return
	}
	if !r.open && len(line) > 10 && line[10] >= '0' && line[10] <= '9' && bytes.HasPrefix(line, []byte("goroutine ")) {
		r.oddLine() // a damaged header
	}
	if !r.open || r.skip {
		return
	}
	if !whole && (r.made || bytes.HasPrefix(line, []byte("created by "))) {
		r.isCut = true // after the stack
		return
	}
	if !whole && !bytes.HasPrefix(line, []byte("\t")) {
		r.cut()
		return
	}
	switch {
	case line[0] == '\t' && r.made:
		// Where it was created: the label has the function.
	case line[0] == '\t' && r.name != "":
		r.place(line[1:], whole)
	case bytes.HasPrefix(line, []byte("created by ")) && r.made:
		r.oddLine() // a goroutine is created once
	case bytes.HasPrefix(line, []byte("created by ")):
		r.made = true
		by, _, _ := strings.Cut(string(line[len("created by "):]), " in goroutine ")
		r.header.labels = append(r.header.labels, callstack.Label{Key: "created_by", Str: by})
	case bytes.HasPrefix(line, []byte("[originating from goroutine ")):
		r.skip = true
	case bytes.HasPrefix(line, []byte("non-Go function at pc=")):
		r.foreign(line[len("non-Go function at pc="):])
	case bytes.HasSuffix(line, []byte(" elided...")):
		r.marker(elided)
		r.elidedIn++
	case bytes.Contains(line, []byte("stack unavailable")):
		r.marker(unavailable)
	default:
		r.function(line)
	}
}

// foreign adds a frame of which there is only an address.
func (r *reader) foreign(pc []byte) {
	address, err := strconv.ParseUint(string(pc), 0, 64)
	if err != nil {
		r.oddLine()
		return
	}
	r.settle()
	if r.frames++; r.frames <= callstack.MaxDepth {
		r.path = append(r.path, r.b.Location(callstack.NoMapping, address, false))
	}
}

// function reads the first of a frame's two lines: its name and arguments.
func (r *reader) function(line []byte) {
	i := bytes.LastIndexByte(line, '(')
	if i <= 0 || line[len(line)-1] != ')' || r.made {
		r.oddLine()
		return
	}
	r.placeless()
	r.name, r.inline = string(line[:i]), string(line[i:]) == "(...)"
	if r.name == "panic" {
		r.name = "runtime.gopanic" // as the profile has it
	}
}

// place reads the second: its file and line.
func (r *reader) place(line []byte, whole bool) {
	if i := bytes.LastIndex(line, []byte(" +0x")); i >= 0 {
		line = line[:i]
	} else if !whole {
		r.cut() // the line number may be cut
		return
	}
	f := frame{name: r.name}
	if i := bytes.LastIndexByte(line, ':'); i >= 0 {
		if n, err := strconv.ParseUint(string(line[i+1:]), 10, 31); err == nil {
			f.file, f.line = string(line[:i]), int(n)
		}
	}
	if f.file == "" {
		r.oddLine()
	}
	r.add(f)
	if !whole {
		r.cut()
	}
}

// add ends the frame at hand. Beyond those that a stack may have, none is kept.
func (r *reader) add(f frame) {
	if r.frames++; r.frames > callstack.MaxDepth {
		r.name = ""
		return
	}
	r.group, r.name = append(r.group, f), ""
	if !r.inline {
		r.flush()
	}
}

// flush makes a location of the frames collected.
func (r *reader) flush() {
	if len(r.group) == 0 {
		return
	}
	r.key = r.key[:0]
	for _, f := range r.group {
		r.key = append(append(append(r.key, f.name...), 0), f.file...)
		r.key = append(strconv.AppendInt(append(r.key, 0), int64(f.line), 10), 0)
	}
	id, ok := r.locations[string(r.key)]
	if !ok {
		lines := make([]callstack.SourceLine, len(r.group))
		for i, f := range r.group {
			lines[i] = callstack.SourceLine{Function: r.b.Function(callstack.Function{Name: f.name, File: f.file}), Line: f.line}
		}
		id = r.b.Location(callstack.NoMapping, 0, false, lines...)
		r.locations[string(r.key)] = id
	}
	r.path = append(r.path, id)
	r.group = r.group[:0]
}

// placeless adds the frame at hand when no line with its place follows.
func (r *reader) placeless() {
	if r.name != "" {
		r.oddLine()
		r.add(frame{name: r.name})
	}
}

// settle makes locations of all frames read.
func (r *reader) settle() {
	r.placeless()
	r.flush()
	r.inline = false
}

// marker adds a frame that stands for what is not shown.
func (r *reader) marker(name string) {
	r.settle()
	r.add(frame{name: name})
}

// cut notes that the dump ends within the goroutine at hand.
func (r *reader) cut() { r.isCut, r.unfinished = true, true }

// end closes the goroutine at hand, if there is one.
func (r *reader) end() {
	if !r.open {
		return
	}
	if r.unfinished {
		if r.name != "" { // its place is what was cut
			r.add(frame{name: r.name})
		}
		r.marker(cutOff)
	}
	r.settle()
	if len(r.path) == 0 {
		r.marker(unavailable)
	}
	if r.frames <= callstack.MaxDepth {
		r.b.Add(r.path, r.header.labels, 1)
	} else if r.deep++; r.deep == 1 {
		r.firstDeep = r.number
	}
	r.path, r.frames = r.path[:0], 0
	r.open, r.made, r.skip, r.unfinished = false, false, false, false
}

func (r *reader) oddLine() {
	if r.odd++; r.odd == 1 {
		r.firstOdd = r.number
	}
}

func (r *reader) warn() {
	say := func(texts ...string) { r.p.Warnings = append(r.p.Warnings, texts...) }
	several := func(n int, one, many string) { say(quantity.Several(n, one, many)...) }
	if r.isCut {
		say("the dump ends in the middle: it was cut off, and goroutines may be missing (the runtime stops after 64 MiB)")
	}
	several(r.elidedIn, "the dump leaves frames out in the middle of 1 goroutine's stack, which is too deep",
		fmt.Sprintf("the dump leaves frames out in the middle of %d goroutines' stacks, which are too deep", r.elidedIn))
	several(r.deep, fmt.Sprintf("1 goroutine's stack has more than %d frames and was left out: it ends at line %d", callstack.MaxDepth, r.firstDeep),
		fmt.Sprintf("%d goroutines' stacks have more than %d frames and were left out: the first ends at line %d", r.deep, callstack.MaxDepth, r.firstDeep))
	several(r.odd, fmt.Sprintf("line %d of the dump has no known form and was left out", r.firstOdd),
		fmt.Sprintf("%d lines of the dump have no known form and were left out, the first of them line %d", r.odd, r.firstOdd))
}
