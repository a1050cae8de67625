package callstack

import (
	"encoding/binary"
	"math"
	"slices"
)

// Builder interns what samples refer to and packs the samples.
type Builder struct {
	p          *Profile
	functionID map[Function]FunctionID
	locationID map[string]LocationID
	stringID   map[string]uint64
	key        []byte
	path       []LocationID // of the sample before, root first, unless that was packed
	set        []byte       // of the sample before, encoded
	ids        []byte
	memory     int64 // of all but samples, as Memory counts
}

// NewBuilder returns a builder for a profile with the given value
// columns.
func NewBuilder(types ...ValueType) *Builder {
	return &Builder{
		p:          &Profile{Meta: Meta{Types: types}, values: make([]tape, len(types)), strings: []string{""}},
		functionID: make(map[Function]FunctionID),
		locationID: make(map[string]LocationID),
		stringID:   map[string]uint64{"": 0},
	}
}

// Profile returns the profile under construction. Its exported fields may be
// set by the caller; it is finished when the builder is no longer used.
func (b *Builder) Profile() *Profile { return b.p }

// Function interns f.
func (b *Builder) Function(f Function) FunctionID {
	id, ok := b.functionID[f]
	if !ok {
		id = FunctionID(len(b.p.Functions))
		b.p.Functions = append(b.p.Functions, f)
		b.functionID[f] = id
		b.memory += functionBytes + int64(len(f.Name)+len(f.SystemName)+len(f.File))
	}
	return id
}

// Location interns a location with its frames, innermost first.
func (b *Builder) Location(mapping MappingID, address uint64, folded bool, lines ...SourceLine) LocationID {
	b.key = binary.AppendVarint(b.key[:0], int64(mapping))
	b.key = binary.AppendUvarint(b.key, address)
	if folded {
		b.key = append(b.key, 1)
	} else {
		b.key = append(b.key, 0)
	}
	for _, l := range lines {
		b.key = binary.AppendUvarint(b.key, uint64(l.Function))
		b.key = binary.AppendVarint(b.key, int64(l.Line))
		b.key = binary.AppendVarint(b.key, int64(l.Column))
	}
	id, ok := b.locationID[string(b.key)]
	if !ok {
		id = b.NewLocation(mapping, address, folded, lines...)
		b.locationID[string(b.key)] = id
		b.memory += int64(len(b.key))
	}
	return id
}

// NewLocation adds a location without looking for an equal one: for readers of
// formats that number their locations themselves.
func (b *Builder) NewLocation(mapping MappingID, address uint64, folded bool, lines ...SourceLine) LocationID {
	b.memory += locationBytes + lineBytes*int64(len(lines))
	first := uint32(len(b.p.lines))
	b.p.lines = append(b.p.lines, lines...)
	b.p.Locations = append(b.p.Locations, Location{Mapping: mapping, Address: address, Folded: folded, first: first, end: uint32(len(b.p.lines))})
	return LocationID(len(b.p.Locations) - 1)
}

// Add packs a sample: its stack leaf first, as profiles have it, and a value
// for every column.
func (b *Builder) Add(leafFirst []LocationID, labels []Label, values ...int64) {
	n, shared := len(leafFirst), 0
	for shared < n && shared < len(b.path) && leafFirst[n-1-shared] == b.path[shared] {
		shared++
	}
	b.path = b.path[:shared]
	for i := n - 1 - shared; i >= 0; i-- {
		b.path = append(b.path, leafFirst[i])
	}
	b.key = b.key[:0]
	for _, l := range labels {
		b.key = AppendLabel(b.key, b.string(l.Key), b.string(l.Str), l.Num, b.string(l.Unit))
	}
	b.addValues(values)
	b.addPath(shared)
	b.addLabels(b.key)
}

// Frame interns a location that holds these frames, innermost first.
func (b *Builder) Frame(frames ...Frame) LocationID {
	mapping, address := NoMapping, uint64(0)
	var lines []SourceLine
	for _, f := range frames {
		if f.Function == "" && address == 0 {
			mapping, address = b.Object(f.Object), f.Address
			if len(frames) == 1 && f == (Frame{Address: f.Address, Object: f.Object}) {
				break // nothing but an address
			}
		}
		lines = append(lines, SourceLine{Function: b.Function(Function{Name: f.Function, SystemName: f.Function, File: f.File, Start: f.Start}), Line: f.Line})
	}
	return b.Location(mapping, address, false, lines...)
}

// Object finds the mapping of a file, or adds it.
func (b *Builder) Object(file string) MappingID {
	if file == "" {
		return NoMapping
	}
	i := slices.IndexFunc(b.p.Mappings, func(m Mapping) bool { return m.File == file })
	if i < 0 {
		i = len(b.p.Mappings)
		b.p.Mappings = append(b.p.Mappings, Mapping{File: file})
	}
	return MappingID(i)
}

// AddFrames packs a sample whose stack is given as frames, leaf first.
func (b *Builder) AddFrames(leafFirst []Frame, labels []Label, values ...int64) {
	var stack []LocationID
	for first := 0; first < len(leafFirst); {
		last := first
		for last < len(leafFirst)-1 && leafFirst[last].Inlined {
			last++
		}
		stack = append(stack, b.Frame(leafFirst[first:last+1]...))
		first = last + 1
	}
	b.Add(stack, labels, values...)
}

// Frames returns the profile as frames. The builder takes no more samples.
func (b *Builder) Frames() *Frames {
	f, err := b.p.Frames(math.MaxInt64)
	if err != nil {
		panic("callstack: " + err.Error()) // no memory holds so many
	}
	return f
}

// AddEncoded packs a sample whose stack is given as the number of locations at
// the root that it has in common with the sample before, and the n others behind
// them, root first, encoded with AppendLocation. Its label set is encoded with
// AppendLabel. Who adds samples in this way does not add others with Add.
func (b *Builder) AddEncoded(shared, n int, others, labels []byte, values []int64) {
	b.addValues(values)
	b.addStack(shared, n, others)
	b.addLabels(labels)
}

// addPath adds the stack b.path, of which the root part is shared.
func (b *Builder) addPath(shared int) {
	b.ids = b.ids[:0]
	for _, id := range b.path[shared:] {
		b.ids = AppendLocation(b.ids, id)
	}
	b.addStack(shared, len(b.path)-shared, b.ids)
}

// addStack adds a sample, except for its values and labels.
func (b *Builder) addStack(shared, n int, others []byte) {
	b.p.samples++
	b.p.deepest = max(b.p.deepest, shared+n)
	b.memory += encodedBytes * int64(len(others))
	b.p.stacks.stack(shared, others)
}

// AppendLocation appends a location to the encoded ones of a stack.
func AppendLocation(ids []byte, id LocationID) []byte {
	for ; id >= 0x80; id >>= 7 {
		ids = append(ids, byte(id)|0x80)
	}
	return append(ids, byte(id))
}

// addValues adds the values of a sample.
func (b *Builder) addValues(values []int64) {
	if len(values) != len(b.p.values) {
		panic("callstack: a sample needs one value per column")
	}
	b.memory += int64(len(values))
	for t, v := range values {
		to := b.p.values[t].room(binary.MaxVarintLen64)
		if u := uint64(v)<<1 ^ uint64(v>>63); u < 0x80 { // zigzag, as most are: in one byte
			*to = append(*to, byte(u))
		} else {
			*to = binary.AppendUvarint(*to, u)
		}
	}
}

// addLabels adds the label set of a sample.
func (b *Builder) addLabels(labels []byte) {
	to := b.p.labels.room(binary.MaxVarintLen32 + len(labels))
	if string(labels) == string(b.set) { // at the first sample: the empty set
		*to = append(*to, 0)
		return
	}
	*to = binary.AppendUvarint(*to, 1+uint64(len(labels)))
	*to = append(*to, labels...)
	b.set = append(b.set[:0], labels...)
	b.memory += int64(len(labels))
}

// AppendLabel appends a label to an encoded set. Strings are given by their
// index in the table of LabelStrings.
func AppendLabel(set []byte, key, str uint64, num int64, unit uint64) []byte {
	set = binary.AppendUvarint(set, key)
	set = binary.AppendUvarint(set, str)
	set = binary.AppendVarint(set, num)
	return binary.AppendUvarint(set, unit)
}

// LabelStrings sets the strings that the label sets given to AddEncoded refer
// to. The first is the empty one.
func (b *Builder) LabelStrings(table []string) { b.p.strings = table }

// string interns a string of a label.
func (b *Builder) string(s string) uint64 {
	id, ok := b.stringID[s]
	if !ok {
		id = uint64(len(b.p.strings))
		b.p.strings = append(b.p.strings, s)
		b.stringID[s] = id
		b.memory += stringBytes + int64(len(s))
	}
	return id
}
