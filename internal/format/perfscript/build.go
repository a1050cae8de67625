package perfscript

import (
	"errors"
	"fmt"
	"math"
	"strconv"

	"whet/internal/callstack"
	"whet/internal/quantity"
)

// reader builds the profile.
type reader struct {
	limits callstack.Limits

	e *events
	b *callstack.Builder
	p *callstack.Profile
	state

	number      int // of the line
	pending     bool
	at          header
	atLine      int
	chain       []frame      // of the sample at hand, leaf first
	sourceLines []sourceLine // beside it

	locations map[string]callstack.LocationID
	mappings  map[string]callstack.MappingID
	key       []byte
	path      []callstack.LocationID
	row, sums []int64
	odd       int // lines that could not be read
	firstOdd  int
	bare      int // samples without a frame
	branches  int // samples that are branches
	arrows    int // lines of branches below a stack
	firstDeep int
	deep      int // samples with more frames than a stack may have
	from, to  int64
}

// sourceLine is the source line of a frame.
type sourceLine struct {
	file string
	line int
}

func newReader(e *events, limits callstack.Limits) *reader {
	t := e.types()
	b := callstack.NewBuilder(t...)
	r := &reader{
		limits: limits, e: e, b: b, p: b.Profile(),
		locations: make(map[string]callstack.LocationID), mappings: make(map[string]callstack.MappingID),
		row: make([]int64, len(t)), sums: make([]int64, len(t)), from: -1, to: -1,
	}
	r.p.DefaultType = e.main()
	return r
}

func (r *reader) line(line []byte) error {
	h, is := r.next(line)
	switch is {
	case isBlank:
		return r.end()
	case isHeader:
		if err := r.end(); err != nil {
			return err
		}
		r.at, r.atLine, r.pending = h, r.number, true
		if h.hasLeaf {
			r.push(h.leaf)
		}
	case isChain:
		f, _ := parseFrame(line)
		r.push(f)
	case isSourceLine:
		if file, n, ok := parseSourceLine(line); ok && len(r.sourceLines) > 0 {
			r.sourceLines[len(r.sourceLines)-1] = sourceLine{file, n}
		}
	case isArrowBelow:
		r.arrows++
	case isOdd:
		r.oddLine(r.number)
	}
	return nil
}

func (r *reader) oddLine(number int) {
	if r.odd++; r.odd == 1 {
		r.firstOdd = number
	}
}

// push adds a frame to the sample at hand. Beyond those that a stack may have,
// none is kept but one that says so.
func (r *reader) push(f frame) {
	if len(r.chain) > callstack.MaxDepth {
		return
	}
	r.chain = append(r.chain, f)
	r.sourceLines = append(r.sourceLines, sourceLine{})
}

// end adds the sample at hand, if there is one.
func (r *reader) end() error {
	if !r.pending {
		return nil
	}
	r.pending = false
	defer func() { r.chain, r.sourceLines = r.chain[:0], r.sourceLines[:0] }()
	if !r.at.counts(len(r.chain) > 0) {
		r.oddLine(r.atLine)
		return nil
	}
	if len(r.chain) > callstack.MaxDepth {
		if r.deep++; r.deep == 1 {
			r.firstDeep = r.atLine
		}
		return nil
	}
	clear(r.row)
	column := r.e.column(r.e.index[r.at.eventName()])
	if r.e.periods {
		r.row[column+1] = r.at.period
	}
	r.row[column] = 1
	for t, v := range r.row {
		if v > math.MaxInt64-r.sums[t] {
			return errSum
		}
		r.sums[t] += v
	}
	r.path = r.path[:0]
	for i := 0; i < len(r.chain); {
		n := 1
		for i+n < len(r.chain) && r.chain[i+n-1].inlined {
			n++
		}
		r.path = append(r.path, r.location(r.chain[i:i+n], r.sourceLines[i:i+n]))
		i += n
	}
	if r.b.Memory() > r.limits.MaxMemory {
		return callstack.ErrMemory
	}
	if len(r.path) == 0 {
		r.bare++
	}
	if r.at.isBranch {
		r.branches++
	}
	r.b.Add(r.path, r.at.labels(), r.row...)
	if r.at.time >= 0 {
		if r.from < 0 || r.at.time < r.from {
			r.from = r.at.time
		}
		r.to = max(r.to, r.at.time)
	}
	return nil
}

var errSum = errors.New("the sum of its sample periods overflows an int64: they cannot be right")

func (h *header) labels() []callstack.Label {
	var out []callstack.Label
	if h.comm != "" {
		out = append(out, callstack.Label{Key: "comm", Str: h.comm})
	}
	if h.pid >= 0 {
		out = append(out, callstack.Label{Key: "pid", Num: h.pid})
	}
	if h.tid >= 0 {
		out = append(out, callstack.Label{Key: "tid", Num: h.tid})
	}
	return out
}

// location interns frames each of which is inlined into the next.
func (r *reader) location(frames []frame, places []sourceLine) callstack.LocationID {
	r.key = r.key[:0]
	for i, f := range frames {
		r.key = strconv.AppendUint(r.key, f.ip, 16)
		for _, s := range []string{f.name, f.object, places[i].file} {
			r.key = append(append(r.key, '\n'), s...) // which no line holds
		}
		r.key = strconv.AppendInt(append(r.key, '\n'), int64(places[i].line), 10)
		r.key = append(r.key, '\n')
	}
	id, ok := r.locations[string(r.key)]
	if ok {
		return id
	}
	last := frames[len(frames)-1]
	mapping := callstack.NoMapping
	if last.object != "" {
		mapping = r.mapping(last.object)
	}
	var lines []callstack.SourceLine
	for i, f := range frames {
		if f.name != "" || len(frames) > 1 {
			fn := r.b.Function(callstack.Function{Name: f.name, SystemName: f.name, File: places[i].file})
			lines = append(lines, callstack.SourceLine{Function: fn, Line: places[i].line})
		}
	}
	id = r.b.NewLocation(mapping, last.ip, false, lines...)
	r.locations[string(r.key)] = id
	return id
}

func (r *reader) mapping(object string) callstack.MappingID {
	id, ok := r.mappings[object]
	if !ok {
		id = callstack.MappingID(len(r.p.Mappings))
		r.p.Mappings = append(r.p.Mappings, callstack.Mapping{File: object})
		r.mappings[object] = id
	}
	return id
}

func (r *reader) warn(cut bool) {
	say := func(texts ...string) { r.p.Warnings = append(r.p.Warnings, texts...) }
	several := func(n int, one, many string) { say(quantity.Several(n, one, many)...) }
	if cut {
		say("the text is truncated in the middle of a line: the last stack is incomplete, and samples may be missing")
	}
	several(r.odd, fmt.Sprintf("line %d has no known form of perf script's output, and was left out", r.firstOdd),
		fmt.Sprintf("%d lines have no known form of perf script's output, and were left out, the first of them line %d", r.odd, r.firstOdd))
	several(r.branches, "1 sample is a branch (A => B): it counts at the branch's source; its target is left out",
		fmt.Sprintf("%d samples are branches (A => B): they count at the branches' sources; their targets are left out", r.branches))
	several(r.arrows, "1 line below a stack is a branch (A => B), not a frame, and was left out",
		fmt.Sprintf("%d lines below stacks are branches (A => B), not frames, and were left out", r.arrows))
	several(r.deep, fmt.Sprintf("the stack of the sample on line %d has more than %d frames and was left out", r.firstDeep, callstack.MaxDepth),
		fmt.Sprintf("%d stacks have more than %d frames and were left out, the first of them at line %d", r.deep, callstack.MaxDepth, r.firstDeep))
	if r.bare == r.p.Len() {
		say("no sample has a stack: record with perf record -g, and print with the fields ip and sym")
		return
	}
	several(r.bare, "1 sample has no stack: it counts in totals only, for no function",
		fmt.Sprintf("%d samples have no stack: they count in totals only, for no function", r.bare))
}
