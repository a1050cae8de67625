package callstack

import (
	"encoding/binary"
	"math"
	"math/bits"
	"slices"
)

// numberedLocation is a location with its number among the successors of another.
type numberedLocation struct {
	at     int32 // in Profile.after
	id     int32 // 1 + the location; 0 is a free slot
	number int32
}

// Builder builds a Profile: it interns functions, locations and labels and
// encodes the samples.
type Builder struct {
	p          *Profile
	functionID map[Function]FunctionID
	locationID map[string]LocationID
	stringID   map[string]uint64
	setID      map[string]LabelSet
	follows    Pairs              // at in Profile.after and a location: its number there
	recent     []numberedLocation // of follows, by their hash, those looked up last: as many as a power of two
	columns    []int              // whose values AddShared packs
	noStacks   bool               // see Sparing
	noLabels   bool
	setText    []byte // the newest sets lie in it
	key        []byte
	path       []LocationID // of the sample before, root first
	others     []LocationID
	numbers    []byte
	memory     int64 // of all but samples and their stacks, as Memory counts
}

// NewBuilder returns a builder for a profile with the given value
// columns.
func NewBuilder(types ...ValueType) *Builder {
	b := &Builder{
		p:          &Profile{Meta: Meta{Types: types}, values: make([]varints, len(types)), strings: []string{""}},
		functionID: make(map[Function]FunctionID),
		locationID: make(map[string]LocationID),
		stringID:   map[string]uint64{"": 0},
		setID:      make(map[string]LabelSet),
		recent:     make([]numberedLocation, fewestRecent),
	}
	for t := range types {
		b.columns = append(b.columns, t)
	}
	return b
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

// EndSamples gives back what only the packing of samples needs: no more are added.
func (b *Builder) EndSamples() { b.follows, b.recent = Pairs{}, nil }

// Reserve makes room for so many more locations and lines.
func (b *Builder) Reserve(locations, lines int) {
	b.p.Locations, b.p.lines = slices.Grow(b.p.Locations, locations), slices.Grow(b.p.lines, lines)
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

// Add adds a sample: its stack, leaf first as in pprof profiles, and a value for
// every column.
func (b *Builder) Add(leafFirst []LocationID, labels []Label, values ...int64) {
	n, shared := len(leafFirst), 0
	for shared < n && shared < len(b.path) && leafFirst[n-1-shared] == b.path[shared] {
		shared++
	}
	b.others = b.others[:0]
	for i := n - 1 - shared; i >= 0; i-- {
		b.others = append(b.others, leafFirst[i])
	}
	b.AddShared(shared, b.others, b.labelSet(labels), values)
}

// Frame interns a location with these frames, innermost first.
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

// AddFrames adds a sample whose stack is given as frames, leaf first.
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

// AddShared adds a sample whose stack begins, at the root, with the first shared
// locations of the sample before; others are the rest of the stack, root first.
func (b *Builder) AddShared(shared int, others []LocationID, set LabelSet, values []int64) {
	if len(values) != len(b.p.values) {
		panic("callstack: a sample needs one value per column")
	}
	b.memory += int64(len(b.columns))
	for _, t := range b.columns {
		b.p.values[t].value(values[t])
	}
	if b.noStacks {
		b.p.samples++
	} else {
		b.addStack(shared, others)
	}
	if !b.noLabels {
		b.p.labels.set(set)
	}
}

// Sparing makes the builder pack the values of some columns alone, and stacks and
// labels only if asked to: nothing may read the others of the profile.
func (b *Builder) Sparing(columns []int, stacks, labels bool) {
	b.columns, b.noStacks, b.noLabels = columns, !stacks, !labels
	b.p.partial = true
}

// Omit counts a sample that is not packed.
func (b *Builder) Omit() { b.p.omitted++ }

// addStack adds a sample, except for its values and labels.
func (b *Builder) addStack(shared int, others []LocationID) {
	at, unshared := 0, int64(0)
	b.path = b.path[:shared]
	if shared > 0 {
		at = 1 + int(b.path[shared-1])
	}
	numbers, last := b.numbers[:0], -1
	for _, id := range others {
		unshared += int64((bits.Len32(uint32(id)|1) + 6) / 7)
		slot := &b.recent[int((uint32(at)*0x9e3779b1^uint32(id)*0x85ebca6b)>>(32-mostRecentBits))&(len(b.recent)-1)]
		if slot.at != int32(at) || slot.id != 1+int32(id) {
			*slot = numberedLocation{int32(at), 1 + int32(id), b.number(at, id)}
		}
		if slot.number == 0 && last >= 0 && numbers[last] < mostFirst<<numberBits {
			numbers[last] += 1 << numberBits
		} else {
			last = len(numbers)
			numbers = appendNumber(numbers, uint32(slot.number))
		}
		at = 1 + int(id)
	}
	b.p.unshared += unshared
	b.numbers = numbers
	b.path = append(b.path, others...)
	b.p.samples++
	b.p.deepest = max(b.p.deepest, len(b.path))
	b.p.stacks.stack(shared, numbers)
}

// Nineteen of twenty pairs are among the 8,192 looked up last, which the
// processor's nearest caches hold. Small profiles do with fewer.
const (
	fewestRecent   = 1 << 7
	mostRecentBits = 13 // an even number more than fewestRecent has
)

// number returns the number of a location among the successors of another.
func (b *Builder) number(at int, id LocationID) int32 {
	number, known := b.follows.At(int32(at), int32(id))
	if known {
		return *number
	}
	if at >= len(b.p.after) {
		b.p.after = append(b.p.after, make([][]LocationID, at+1-len(b.p.after))...)
	}
	after := &b.p.after[at]
	*number = int32(len(*after))
	*after = append(*after, id)
	b.memory += afterBytes
	b.growRecent()
	return *number
}

func (b *Builder) growRecent() {
	for b.follows.used > len(b.recent) && len(b.recent) < 1<<mostRecentBits {
		b.recent = make([]numberedLocation, 4*len(b.recent))
	}
}

// labelSet interns a set of labels.
func (b *Builder) labelSet(labels []Label) LabelSet {
	b.key = b.key[:0]
	for _, l := range labels {
		b.key = AppendLabel(b.key, b.string(l.Key), b.string(l.Str), l.Num, b.string(l.Unit))
	}
	set, ok := b.setID[string(b.key)]
	if !ok {
		set = b.NewLabelSet(b.key)
		b.setID[string(b.key)] = set
	}
	return set
}

// NewLabelSet adds a set encoded with AppendLabel without looking for an equal
// one: for readers that know that their sets differ.
func (b *Builder) NewLabelSet(encoded []byte) LabelSet {
	if cap(b.setText)-len(b.setText) < len(encoded) {
		b.setText = make([]byte, 0, max(firstChunk, min(2*cap(b.setText), chunkSize), len(encoded)))
	}
	from := len(b.setText)
	b.setText = append(b.setText, encoded...)
	b.p.sets = append(Roomy(b.p.sets), b.setText[from:len(b.setText):len(b.setText)])
	b.memory += setBytes + int64(len(encoded))
	return LabelSet(len(b.p.sets) - 1)
}

// Roomy doubles a slice that is full: append alone would copy a large one, whose size no
// one knows beforehand, a quarter larger again and again.
func Roomy[T any](s []T) []T {
	if len(s) == cap(s) {
		return slices.Grow(s, len(s)+8)
	}
	return s
}

// AppendLabel appends a label to an encoded set. Strings are given by their
// index in the table of LabelStrings.
func AppendLabel(set []byte, key, str uint64, num int64, unit uint64) []byte {
	set = binary.AppendUvarint(set, key)
	set = binary.AppendUvarint(set, str)
	set = binary.AppendVarint(set, num)
	return binary.AppendUvarint(set, unit)
}

// LabelStrings sets the strings that the label sets given to NewLabelSet refer
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
