package callstack

import "encoding/binary"

// LocationID, FunctionID and MappingID index a Profile's tables.
type (
	LocationID uint32
	FunctionID uint32
	MappingID  int32 // NoMapping where none is known
)

// NoMapping says that it is not known what an address lies in.
const NoMapping MappingID = -1

// Function is one function of the program, as the linker names it.
type Function struct {
	Name       string // as shown: "net/http.(*conn).serve"
	SystemName string // as the binary has it, often the same; of what is no function but a label, empty
	File       string
	Start      int // first line, 0 when unknown
}

// SourceLine is a line of a function.
type SourceLine struct {
	Function FunctionID
	Line     int // 0 when unknown
	Column   int // 0 when unknown
}

// Location is one place in the program's code: several frames where functions
// were inlined, none where nothing is known but its address.
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
// A heap profile of 130 MB with 1.39 million stacks, nearly all of them
// different, takes some 30 MB; interning whole stacks would take 250 MB, and a
// tree of them, measured, over 1 GB.
type Profile struct {
	Meta
	Functions []Function
	Locations []Location

	lines   []SourceLine
	strings []string // of labels
	sets    [][]byte // label sets, encoded, in the order of their first sample
	samples int
	deepest int

	// after has for each location those that follow it on stacks towards the
	// leaf, in the order in which they were met, at 1 + its id, and at 0 those at
	// the root. Few follow any one, so that a stack is written with a byte for
	// each location.
	after [][]LocationID

	stacks tape   // a sample: locations shared with the one before, length of the others, of each, root first, its number in after
	values []tape // a column: zigzag varints
	labels tape   // a sample: its label set
}

// LabelSet is the number of a set of labels in its profile. Equal sets in equal
// order may have several.
type LabelSet uint32

// Len returns the number of samples.
func (p *Profile) Len() int { return p.samples }

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
	r := p.values[column].reel()
	for i := range p.samples {
		r.record()
		if v := r.varint(); keep == nil || keep(i) {
			sum += v
		}
	}
	return sum
}

// LabelSets returns how many label sets there are.
func (p *Profile) LabelSets() int { return len(p.sets) }

// EncodedLabels returns a label set as AppendLabel wrote it.
func (p *Profile) EncodedLabels(set LabelSet) []byte { return p.sets[set] }

// Labels decodes a label set.
func (p *Profile) Labels(set LabelSet) []Label { return p.appendLabels(nil, set) }

func (p *Profile) appendLabels(out []Label, set LabelSet) []Label {
	r := reel{at: p.sets[set]}
	for len(r.at) > 0 {
		key, str := r.uvarint(), r.uvarint()
		num, unit := r.varint(), r.uvarint()
		out = append(out, Label{Key: p.strings[key], Str: p.strings[str], Num: num, Unit: p.strings[unit]})
	}
	return out
}

// Cursor goes through the samples of a Profile in their order.
//
//	c := p.Cursor(column)
//	for c.Next() {
//		use(c.Path, c.Shared, c.Value(0))
//	}
type Cursor struct {
	// Path is the sample's stack, root first. It is valid until Next, which
	// changes only what stands after the first Shared locations: those are
	// the locations of the sample that Next stood at before. A sum over
	// prefixes of stacks is made once for each change of one, not once for
	// each location of a sample.
	Path   []LocationID
	Shared int

	Rows       // of the same samples
	end    int // of the part it goes through
	stacks reel
	behind []stretch // what Path lacks of the stack of the sample at hand, each from further on
	all    bool      // stop at samples that are zero in all columns, too
	list   []next    // see nexts
	from   []uint32
}

// Cursor returns a cursor over the samples in which any of the columns is not
// zero; without columns, over all of them.
func (p *Profile) Cursor(columns ...int) *Cursor {
	c := &Cursor{Rows: *p.Rows(columns...), end: p.samples, stacks: p.stacks.reel(), Path: make([]LocationID, 0, p.deepest)}
	c.list, c.from = p.nexts()
	return c
}

// Samples returns a cursor over all samples with their values in all columns.
func (p *Profile) Samples() *Cursor {
	columns := make([]int, len(p.Types))
	for t := range columns {
		columns[t] = t
	}
	c := p.Cursor(columns...)
	c.all = true
	return c
}

// stretch is a part of a stack that has not been decoded: the numbers of its
// locations from the at-th on, as far as the next stretch does not replace them.
type stretch struct {
	at      int
	numbers []byte
}

// Part makes a cursor that has not moved yet go through the samples from one
// number up to another alone, so that several can share the work. What stands
// before the part is passed over, in a small fraction of the time of a sum over
// it.
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

// pass goes to the next sample and leaves its stack undecoded: samples that
// nobody asks for cost no more than noting what may be needed of them. A
// stretch from further on than what the sample shares is not.
func (c *Cursor) pass() {
	c.next++
	c.stacks.record()
	shared := int(c.stacks.uvarint())
	numbers := c.stacks.bytes(int(c.stacks.uvarint()))
	n := len(c.behind)
	for n > 0 && c.behind[n-1].at >= shared {
		n--
	}
	c.behind = append(c.behind[:n], stretch{shared, numbers})
}

// decode makes Path the stack of the sample at hand.
func (c *Cursor) decode() {
	last := len(c.behind) - 1
	c.Shared = min(len(c.Path), c.behind[0].at)
	for i := range last {
		c.Path = c.follow(c.Path[:c.behind[i].at], c.behind[i].numbers, c.behind[i+1].at)
	}
	c.Path = c.follow(c.Path[:c.behind[last].at], c.behind[last].numbers, cap(c.Path))
	c.behind = c.behind[:0]
}

// next is a location on a stack, and where in the list of nexts those begin that
// follow it.
type next struct {
	id   LocationID
	from uint32
}

// nexts makes one list of what follows each location, so that a stack is
// decoded with one look into memory for each of its locations. At the root it
// begins with the first.
func (p *Profile) nexts() (list []next, from []uint32) {
	from = make([]uint32, max(1+len(p.Locations), len(p.after)))
	n := uint32(0)
	for at, ids := range p.after {
		from[at] = n
		n += uint32(len(ids))
	}
	list = make([]next, 0, n)
	for _, ids := range p.after {
		for _, id := range ids {
			list = append(list, next{id, from[1+id]})
		}
	}
	return list, from
}

// follow decodes locations behind a path that has room for them, until it is so
// long: the inner loop of every view.
func (c *Cursor) follow(path []LocationID, numbers []byte, length int) []LocationID {
	n, at := len(path), uint32(0)
	if n > 0 {
		at = c.from[1+path[n-1]]
	}
	path = path[:length]
	list := c.list
	for n < length && len(numbers) > 0 {
		number := uint32(numbers[0])
		if number < 0x80 {
			numbers = numbers[1:]
		} else {
			u, k := binary.Uvarint(numbers)
			number, numbers = uint32(u), numbers[k:]
		}
		step := list[at+number]
		path[n], at = step.id, step.from
		n++
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
