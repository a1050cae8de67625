package folded

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"whet/internal/callstack"
	"whet/internal/quantity"
)

// unknown stands for a frame without a name, as in pprof.
const unknown = "<unknown>"

// Mappings that the scripts' marks stand for.
const (
	kernel = "[kernel.kallsyms]"
	jit    = "[jit]"
)

// Is reports whether a file that begins with head looks like folded stacks:
// its first line that is not blank has frames, a blank and a count.
func Is(head []byte) bool {
	head = bytes.TrimLeft(head, " \t\r\n")
	line, rest, whole := bytes.Cut(head, []byte{'\n'})
	for whole && isComment(line) && visible(line) {
		line, rest, whole = bytes.Cut(rest, []byte{'\n'})
	}
	if !whole && len(head) >= 512 && len(rest) == 0 {
		// A stack longer than the head: no count to be seen yet.
		return bytes.Count(line, []byte{';'}) > 1 && visible(line)
	}
	stack, _, ok := cut(trim(line))
	return visible(line) && (ok && len(stack) > 0 || mostlyStacks(rest, len(head) >= 512))
}

// mostlyStacks reports whether more of the lines after a first one that is no
// stack are stacks than are none, and one has a semicolon: no other text has.
// Of a cut head the last line may lack its end.
func mostlyStacks(head []byte, cutOff bool) bool {
	good, bad, several := 0, 1, false
	for line := range bytes.Lines(head) {
		if !visible(bytes.TrimRight(line, "\r\n")) {
			return false
		}
		if cutOff && !bytes.HasSuffix(line, []byte{'\n'}) {
			break
		}
		if line = trim(line); len(line) == 0 {
			continue
		}
		if stack, _, ok := cut(line); ok && len(stack) > 0 {
			good++
			several = several || bytes.IndexByte(stack, ';') > 0
		} else {
			bad++
		}
	}
	return several && good > bad
}

// isComment reports whether a line in front of the first stack says what wrote
// the file, as some collectors' do; an empty one is nothing. What ends in a
// count is a stack, whatever its first function is called.
func isComment(line []byte) bool {
	if line = trim(line); len(line) == 0 {
		return true
	}
	_, _, stack := cut(line)
	return line[0] == '#' && !stack
}

// visible reports whether line holds no control characters.
func visible(line []byte) bool {
	return bytes.IndexFunc(line, func(r rune) bool { return r < ' ' && r != '\t' && r != '\r' || r == 0x7f }) < 0
}

// Read decodes folded stacks. Lines that are none are left out, and counted in
// a warning.
func Read(data []byte, limits callstack.Limits) (*callstack.Profile, error) {
	if int64(len(data)) > limits.MaxBytes {
		return nil, fmt.Errorf("larger than %d MiB: too large to read", limits.MaxBytes>>20)
	}
	r := newReader(differential(data))
	for line := range bytes.Lines(data) {
		r.line(line)
		if r.b.Memory() > limits.MaxMemory {
			return nil, fmt.Errorf("line %d: %w", r.number, callstack.ErrMemory)
		}
		if r.overflow {
			return nil, fmt.Errorf("line %d: the sum of the counts overflows an int64: they cannot be right", r.number)
		}
	}
	if r.p.Len() == 0 {
		if r.deep > 0 {
			return nil, fmt.Errorf("line %d: a stack of more than %d frames: it cannot be right", r.firstDeep, callstack.MaxDepth)
		}
		if r.bad > 0 {
			return nil, fmt.Errorf("line %d: not a folded stack: want frames separated by semicolons, a space and a count", r.firstBad)
		}
		return nil, errors.New("it has no stacks")
	}
	r.warn()
	return r.p, nil
}

// differential reports whether every line that is a stack ends in two counts.
func differential(data []byte) bool {
	some := false
	for line := range bytes.Lines(data) {
		if !some && isComment(line) {
			continue
		}
		stack, _, ok := cut(trim(line))
		if !ok {
			continue
		}
		if stack, _, ok = cut(stack); !ok || len(stack) == 0 {
			return false
		}
		some = true
	}
	return some
}

// trim takes the end of the line and blanks around it off.
func trim(line []byte) []byte {
	return bytes.Trim(bytes.TrimRight(line, "\r\n"), " \t")
}

// cut divides a line into the stack and the count after its last blank.
func cut(line []byte) (stack, count []byte, ok bool) {
	i := bytes.LastIndexAny(line, " \t")
	if i < 0 || !isNumber(line[i+1:]) {
		return nil, nil, false
	}
	return bytes.TrimRight(line[:i], " \t"), line[i+1:], true
}

// reader builds the profile.
type reader struct {
	b *callstack.Builder
	p *callstack.Profile

	locations map[string]callstack.LocationID // by the text of a frame and those inlined into it
	functions map[string]callstack.FunctionID

	sums      []sum // one a column
	row       []int64
	path      []callstack.LocationID
	number    int // of the line
	begun     bool
	bad       int // lines that are no stacks
	firstBad  int
	deep      int // stacks of more frames than a stack may have
	firstDeep int
	negative  int
	decimals  bool
	overflow  bool
}

func newReader(differential bool) *reader {
	types := []callstack.ValueType{{Type: "samples", Unit: "count"}}
	if differential {
		types = []callstack.ValueType{{Type: "before", Unit: "count"}, {Type: "after", Unit: "count"}}
	}
	b := callstack.NewBuilder(types...)
	p := b.Profile()
	p.DefaultType = len(types) - 1
	return &reader{
		b: b, p: p,
		locations: make(map[string]callstack.LocationID),
		functions: make(map[string]callstack.FunctionID),
		sums:      make([]sum, len(types)), row: make([]int64, len(types)),
	}
}

// line adds one line.
func (r *reader) line(line []byte) {
	r.number++
	line = trim(line)
	if len(line) == 0 || !r.begun && isComment(line) {
		return
	}
	r.begun = true
	stack, ok := line, true
	var counts [2][]byte
	for i := len(r.row) - 1; i >= 0 && ok; i-- {
		stack, counts[i], ok = cut(stack)
	}
	if !ok || len(stack) == 0 {
		if r.bad++; r.bad == 1 {
			r.firstBad = r.number
		}
		return
	}
	if bytes.Count(stack, []byte{';'}) >= callstack.MaxDepth {
		if r.deep++; r.deep == 1 {
			r.firstDeep = r.number
		}
		return
	}
	below := false
	for i := range r.row {
		v, whole, ok := r.sums[i].add(counts[i])
		if !ok {
			r.overflow = true
			return
		}
		r.row[i] = v
		r.decimals = r.decimals || !whole
		below = below || v < 0
	}
	if below {
		r.negative++
	}
	r.path = r.path[:0]
	for len(stack) > 0 {
		var group []byte
		group, stack = nextGroup(stack)
		r.path = append(r.path, r.location(group))
	}
	slices.Reverse(r.path) // to leaf first
	r.b.Add(r.path, nil, r.row...)
}

// nextGroup divides a stack after its first frame and the frames inlined into
// it.
func nextGroup(stack []byte) (group, rest []byte) {
	end := frameEnd(stack, 0)
	for end < len(stack) {
		next := frameEnd(stack, end+1)
		if !bytes.HasSuffix(stack[end+1:next], []byte("_[i]")) {
			return stack[:end], stack[end+1:]
		}
		end = next
	}
	return stack, nil
}

func frameEnd(stack []byte, from int) int {
	if i := bytes.IndexByte(stack[from:], ';'); i >= 0 {
		return from + i
	}
	return len(stack)
}

// location interns a frame and those inlined into it.
func (r *reader) location(group []byte) callstack.LocationID {
	if id, ok := r.locations[string(group)]; ok {
		return id
	}
	key := string(group)
	mapping := callstack.NoMapping
	var lines []callstack.SourceLine
	for i, name := range strings.Split(key, ";") {
		name, mark := mark(name)
		switch {
		case i > 0:
		case mark == 'k':
			mapping = r.b.Object(kernel)
		case mark == 'j':
			mapping = r.b.Object(jit)
		}
		if name == "" {
			name = unknown
		}
		id, ok := r.functions[name]
		if !ok {
			id = r.b.Function(callstack.Function{Name: name})
			r.functions[name] = id
		}
		lines = append(lines, callstack.SourceLine{Function: id})
	}
	slices.Reverse(lines) // to innermost first
	id := r.b.Location(mapping, 0, false, lines...)
	r.locations[key] = id
	return id
}

// mark takes the scripts' marks, and blanks around it, off a name, and returns
// the last mark.
func mark(name string) (string, byte) {
	var last byte
	for {
		name = strings.Trim(name, " \t")
		n := len(name) - len("_[k]")
		if n < 0 || name[n:n+2] != "_[" || name[n+3] != ']' || strings.IndexByte("kij", name[n+2]) < 0 {
			return name, last
		}
		if last == 0 {
			last = name[n+2]
		}
		name = name[:n]
	}
}

func (r *reader) warn() {
	say := func(texts ...string) { r.p.Warnings = append(r.p.Warnings, texts...) }
	several := func(n int, one, many string) { say(quantity.Several(n, one, many)...) }
	several(r.bad, fmt.Sprintf("line %d is not a folded stack and was left out", r.firstBad),
		fmt.Sprintf("%d lines are not folded stacks and were left out, the first of them line %d", r.bad, r.firstBad))
	several(r.deep, fmt.Sprintf("the stack on line %d has more than %d frames and was left out", r.firstDeep, callstack.MaxDepth),
		fmt.Sprintf("%d stacks have more than %d frames and were left out, the first of them line %d", r.deep, callstack.MaxDepth, r.firstDeep))
	if r.decimals {
		say("the counts have decimals: they were rounded to whole numbers that keep the sums")
	}
	several(r.negative, "1 sample has a negative value: the file looks like the difference of two files",
		fmt.Sprintf("%d samples have negative values: the file looks like the difference of two files", r.negative))
}
