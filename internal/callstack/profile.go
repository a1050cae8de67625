package callstack

import (
	"encoding/binary"
	"iter"
)

// LocationID, FunctionID and MappingID index a Profile's tables.
type (
	LocationID uint32
	FunctionID uint32
	MappingID  int32 // NoMapping where none is known
)

// NoMapping means that an address's mapping is unknown.
const NoMapping MappingID = -1

// Function is a function of the program, as the linker names it.
type Function struct {
	Name       string // as shown: "net/http.(*conn).serve"
	SystemName string // in the binary, often the same; empty for a label
	File       string
	Start      int // first line, 0 when unknown
}

// SourceLine is a line of a function.
type SourceLine struct {
	Function FunctionID
	Line     int // 0 when unknown
	Column   int // 0 when unknown
}

// Location is an address in the program's code. It has several lines if functions
// were inlined, and none if only its address is known.
type Location struct {
	Mapping MappingID
	Address uint64
	Folded  bool // the linker made several functions with equal code one
	first   uint32
	end     uint32 // its lines are Profile.lines[first:end]
}

// Profile holds samples in columns of a few bytes a sample:
// of a stack only what differs from the sample before, which in profiles of
// deep stacks is a fifth of it; values and label sets as varints. It is read
// in order, by a Cursor, as often as needed, and built by a Builder.
//
// Of a heap profile of 130 MB with 1.39 million stacks, nearly all of them
// different, whole stacks interned would take 250 MB, and a tree of them, measured,
// over 1 GB.
type Profile struct {
	Meta
	Functions []Function
	Locations []Location

	lines    []SourceLine
	strings  []string // of labels
	sets     [][]byte // label sets, encoded, in the order of their first sample
	samples  int
	omitted  int // samples that its reader was not asked for
	partial  bool
	deepest  int
	unshared int64 // bytes of the ids of the locations that samples do not share with the one before

	// after[1+id] lists the locations that follow location id on stacks towards
	// the leaf, in the order of their first sample; after[0] lists those at the
	// root. Few locations follow any one, and most stacks pass from one to the first of
	// them: see numberBits.
	after [][]LocationID

	stacks varints   // a sample: locations shared with the one before; of the others, root first, the length in bytes of their numbers in after, and these
	values []varints // a column: zigzag varints
	labels varints   // a sample: its label set
}

// LabelSet is the number of a set of labels in its profile. Equal sets in equal
// order may have several.
type LabelSet uint32

// Len returns the number of samples.
func (p *Profile) Len() int { return p.samples }

// Listed returns the number of samples of the file: Len, and those that its reader
// left out as nobody asked for them.
func (p *Profile) Listed() int { return p.samples + p.omitted }

// Partial reports whether its reader left out what nobody asked for: see
// Builder.Sparing.
func (p *Profile) Partial() bool { return p.partial }

// Deepest returns the number of locations of the deepest stack.
func (p *Profile) Deepest() int { return p.deepest }

// Lines returns the frames of a location, innermost first: each but the last
// is inlined into the next. The slice is the profile's own.
func (p *Profile) Lines(id LocationID) []SourceLine {
	l := &p.Locations[id]
	return p.lines[l.first:l.end:l.end]
}

// HasSymbols reports whether any function has a name, or there is nothing to
// name.
func (p *Profile) HasSymbols() bool {
	for i := range p.Functions {
		if p.Functions[i].Name != "" {
			return true
		}
	}
	return len(p.Locations) == 0
}

// Total sums a column.
func (p *Profile) Total(column int) int64 { return p.Sum(column, nil) }

// Sum adds a column up over the samples kept.
func (p *Profile) Sum(column int, keep Keep) int64 {
	var sum int64
	r := p.values[column].reader()
	for i := range p.samples {
		r.record()
		if v := r.varint(); keep == nil || keep(i) {
			sum += v
		}
	}
	return sum
}

// LabelSets returns the number of label sets.
func (p *Profile) LabelSets() int { return len(p.sets) }

// Labels decodes a label set.
func (p *Profile) Labels(set LabelSet) []Label { return p.AppendLabels(nil, set) }

// AppendLabels appends the labels of a set.
func (p *Profile) AppendLabels(out []Label, set LabelSet) []Label {
	return p.appendLabels(out, p.sets[set])
}

func (p *Profile) appendLabels(out []Label, encoded []byte) []Label {
	for l := range encodedLabels(encoded) {
		out = append(out, Label{Key: p.strings[l.Key], Str: p.strings[l.Str], Num: l.Num, Unit: p.strings[l.Unit]})
	}
	return out
}

// NumberedLabel is a label with the numbers of its texts.
type NumberedLabel struct {
	Key, Str int // see Profile.LabelText
	Num      int64
	Unit     int
}

// NumberedLabels returns the labels of a set, for sums that look at each text once.
func (p *Profile) NumberedLabels(set LabelSet) iter.Seq[NumberedLabel] {
	return encodedLabels(p.sets[set])
}

// LabelTexts returns the number of texts of labels.
func (p *Profile) LabelTexts() int { return len(p.strings) }

// LabelText returns a text of labels. Two numbers may be of the same text.
func (p *Profile) LabelText(number int) string { return p.strings[number] }

func encodedLabels(set []byte) iter.Seq[NumberedLabel] {
	return func(yield func(NumberedLabel) bool) {
		for r := (varintReader{at: set}); len(r.at) > 0; {
			key, str := r.uvarint(), r.uvarint()
			num, unit := r.varint(), r.uvarint()
			if !yield(NumberedLabel{int(key), int(str), num, int(unit)}) {
				return
			}
		}
	}
}

// Cursor goes through the samples of a Profile in their order.
//
//	c := p.Cursor(column)
//	for c.Next() {
//		use(c.Path, c.Shared, c.Value(0))
//	}
type Cursor struct {
	// Path is the sample's stack, root first. It is valid until Next. The first
	// Shared locations are those of the sample before, so that a sum over
	// prefixes of stacks is computed once for each change of a prefix, not once
	// for each location of a sample.
	Path   []LocationID
	Shared int

	Rows           // of the same samples
	end        int // of the part it goes through
	stacks     varintReader
	suffixes   []suffix    // the undecoded part of the current sample's stack, in ascending order of at
	all        bool        // stop at samples that are zero in all columns, too
	successors []successor // see Profile.successors
	from       []uint32
}

// Cursor returns a cursor over the samples in which any of the columns is not
// zero; without columns, over all of them.
func (p *Profile) Cursor(columns ...int) *Cursor {
	c := &Cursor{Rows: *p.Rows(columns...), end: p.samples, stacks: p.stacks.reader(), Path: make([]LocationID, 0, p.deepest)}
	c.successors, c.from = p.successors()
	return c
}

// Samples returns a cursor over all samples with their values in all columns.
func (p *Profile) Samples() *Cursor {
	c := p.Cursor(AllColumns(len(p.Types))...)
	c.all = true
	return c
}

// AllColumns returns the indexes of n value columns.
func AllColumns(n int) []int {
	out := make([]int, n)
	for t := range out {
		out[t] = t
	}
	return out
}

// suffix is the undecoded end of a stack: the numbers of its locations from the
// at-th on. The next suffix replaces it from that suffix's at on.
type suffix struct {
	at      int
	numbers []byte
}

// Part restricts a cursor that has not moved yet to the samples [from, to), so
// that several cursors can share the work. Skipping the samples before from takes
// a small fraction of the time of a sum over them.
func (c *Cursor) Part(from, to int) {
	for c.next < from {
		c.pass()
		for i := range c.columns {
			c.columns[i].record()
			c.columns[i].varint()
		}
	}
	c.end = to
}

// pass goes to the next sample and leaves its stack undecoded: skipping a sample
// costs no more than keeping its suffix. It drops the suffixes that begin after
// the locations the sample shares with the one before.
func (c *Cursor) pass() {
	c.next++
	c.stacks.record()
	shared := int(c.stacks.uvarint())
	numbers := c.stacks.bytes(int(c.stacks.uvarint()))
	n := len(c.suffixes)
	for n > 0 && c.suffixes[n-1].at >= shared {
		n--
	}
	c.suffixes = append(c.suffixes[:n], suffix{shared, numbers})
}

// decode sets Path to the stack of the current sample.
func (c *Cursor) decode() {
	last := len(c.suffixes) - 1
	c.Shared = min(len(c.Path), c.suffixes[0].at)
	for i := range last {
		c.Path = c.follow(c.Path[:c.suffixes[i].at], c.suffixes[i].numbers, c.suffixes[i+1].at)
	}
	c.Path = c.follow(c.Path[:c.suffixes[last].at], c.suffixes[last].numbers, cap(c.Path))
	c.suffixes = c.suffixes[:0]
}

// successor is a location on a stack. Its own successors begin at index from of
// the list of all successors.
type successor struct {
	id   LocationID
	from uint32
}

// successors returns the successors of every location in one list, so that
// decoding a stack reads memory once for each of its locations. The successors
// at the root come first; from[1+id] is the index of the first successor of id.
func (p *Profile) successors() (list []successor, from []uint32) {
	from = make([]uint32, max(1+len(p.Locations), len(p.after)))
	n := uint32(0)
	for at, ids := range p.after {
		from[at] = n
		n += uint32(len(ids))
	}
	list = make([]successor, 0, n)
	for _, ids := range p.after {
		for _, id := range ids {
			list = append(list, successor{id, from[1+id]})
		}
	}
	return list, from
}

// follow appends decoded locations to path, which has the capacity for them,
// until it has the given length: the inner loop of every view.
func (c *Cursor) follow(path []LocationID, numbers []byte, length int) []LocationID {
	n, at := len(path), uint32(0)
	if n > 0 {
		at = c.from[1+path[n-1]]
	}
	path = path[:length]
	list := c.successors
	for n < length && len(numbers) > 0 {
		number, first := uint32(numbers[0]&longNumber), numbers[0]>>numberBits
		numbers = numbers[1:]
		if number == longNumber {
			u, k := binary.Uvarint(numbers)
			number, numbers = number+uint32(u), numbers[k:]
		}
		for at += number; ; first-- {
			step := list[at]
			path[n], at = step.id, step.from
			if n++; first == 0 || n == length {
				break
			}
		}
	}
	return path[:n]
}

// Next goes to the next sample and reports whether there is one.
func (c *Cursor) Next() bool {
	for c.next < c.end {
		c.pass()
		any := c.all || len(c.columns) == 0
		for i := range c.columns {
			c.columns[i].record()
			c.row[i] = c.columns[i].varint()
			any = any || c.row[i] != 0
		}
		if any {
			c.decode()
			return true
		}
	}
	return false
}
