package callstack

import "encoding/binary"

// Builder interns frames, stacks and labels and collects samples. The zero
// value is not usable: call NewBuilder.
type Builder struct {
	p        *Profile
	frameID  map[Frame]FrameID
	stackID  map[string]StackID
	labelsID map[string]LabelsID
	key      []byte
}

// NewBuilder returns a builder for a profile with the given value columns.
func NewBuilder(types ...ValueType) *Builder {
	p := &Profile{
		Meta:       Meta{Types: types},
		stackStart: []uint32{0},
		values:     make([][]int64, len(types)),
		labelSets:  [][]Label{nil},
	}
	return &Builder{
		p:        p,
		frameID:  make(map[Frame]FrameID),
		stackID:  make(map[string]StackID),
		labelsID: map[string]LabelsID{"": 0},
	}
}

// Profile returns the profile under construction. Its exported fields may be
// set by the caller; it is finished when the builder is no longer used.
func (b *Builder) Profile() *Profile { return b.p }

// Frame interns f.
func (b *Builder) Frame(f Frame) FrameID {
	id, ok := b.frameID[f]
	if !ok {
		id = FrameID(len(b.p.frames))
		b.p.frames = append(b.p.frames, f)
		b.frameID[f] = id
	}
	return id
}

// Stack interns frames, given leaf first.
func (b *Builder) Stack(frames []FrameID) StackID {
	b.key = b.key[:0]
	for _, f := range frames {
		b.key = binary.LittleEndian.AppendUint32(b.key, uint32(f))
	}
	id, ok := b.stackID[string(b.key)]
	if !ok {
		id = StackID(len(b.p.stackStart) - 1)
		b.p.stackFrame = append(b.p.stackFrame, frames...)
		b.p.stackStart = append(b.p.stackStart, uint32(len(b.p.stackFrame)))
		b.stackID[string(b.key)] = id
	}
	return id
}

// LabelSet interns labels; their order is kept and is part of the identity.
func (b *Builder) LabelSet(labels []Label) LabelsID {
	b.key = b.key[:0]
	for _, l := range labels {
		for _, s := range [...]string{l.Key, l.Str, l.Unit} {
			b.key = binary.AppendUvarint(b.key, uint64(len(s)))
			b.key = append(b.key, s...)
		}
		b.key = binary.AppendVarint(b.key, l.Num)
	}
	id, ok := b.labelsID[string(b.key)]
	if !ok {
		id = LabelsID(len(b.p.labelSets))
		b.p.labelSets = append(b.p.labelSets, append([]Label(nil), labels...))
		b.labelsID[string(b.key)] = id
	}
	return id
}

// Sample adds one sample with a value for every column.
func (b *Builder) Sample(s StackID, l LabelsID, values ...int64) {
	if len(values) != len(b.p.values) {
		panic("callstack: a sample needs one value per column")
	}
	b.p.stack = append(b.p.stack, s)
	b.p.labels = append(b.p.labels, l)
	for t, v := range values {
		b.p.values[t] = append(b.p.values[t], v)
	}
}
