package callstack

import (
	"math"
	"slices"
)

// Joined returns the samples of p and after them those of q, their values
// multiplied by scale and rounded. Unlike Merge it does not combine equal
// samples or equal locations and keeps samples of zero with their locations:
// enough for sums, in a quarter of the time. A build mapped under two file names
// may get either name. The result shares p's data.
func (p *Profile) Joined(q *Profile, scale float64) (*Profile, error) {
	m := NewMerger(&p.Meta)
	for _, meta := range []*Meta{&p.Meta, &q.Meta} {
		if err := m.meta(meta); err != nil {
			return nil, err
		}
	}
	m.b.p.Mappings = slices.Clone(p.Mappings)
	for i := range slices.Backward(p.Mappings) {
		m.mappings[keyOf(&p.Mappings[i])] = MappingID(i)
	}
	out := &Profile{
		Functions: slices.Concat(p.Functions, q.Functions),
		Locations: slices.Concat(p.Locations, q.Locations),
		lines:     slices.Concat(p.lines, q.lines),
		strings:   slices.Concat(p.strings, q.strings),
		sets:      slices.Clip(p.sets),
		after:     slices.Clone(p.after),
		samples:   p.samples + q.samples,
		omitted:   p.omitted + q.omitted,
		partial:   p.partial || q.partial,
		deepest:   max(p.deepest, q.deepest),
		unshared:  p.unshared + q.unshared,
		stacks:    p.stacks.shared(),
		labels:    p.labels.shared(),
	}
	for i := len(p.Locations); i < len(out.Locations); i++ {
		l := &out.Locations[i]
		l.first += uint32(len(p.lines))
		l.end += uint32(len(p.lines))
		if l.Mapping != NoMapping {
			start := q.Mappings[l.Mapping].Start
			l.Mapping = m.mapping(q, l.Mapping)
			l.Address += m.b.p.Mappings[l.Mapping].Start - start
		}
	}
	for i := len(p.lines); i < len(out.lines); i++ {
		out.lines[i].Function += FunctionID(len(p.Functions))
	}
	out.Meta = m.b.p.Meta

	for _, set := range q.sets {
		out.sets = append(out.sets, shiftedLabels(set, uint64(len(p.strings))))
	}
	first := out.succeed(q, len(p.Locations))
	stacks, labels := q.stacks.reader(), q.labels.reader()
	var numbers []byte
	for range q.samples {
		stacks.record()
		shared := int(stacks.uvarint())
		n := int(stacks.uvarint())
		others := varintReader{at: stacks.bytes(n)}
		numbers = numbers[:0]
		if shared == 0 && n > 0 { // q's locations at the root come after p's
			at := others.bytes(1)[0]
			number := uint32(at & longNumber)
			if number == longNumber {
				number += uint32(others.uvarint())
			}
			numbers = appendNumber(numbers, number+first)
			numbers[0] |= at &^ longNumber
		}
		out.stacks.stack(shared, append(numbers, others.at...))
		if len(q.labels.chunks) > 0 { // else labels were not asked for
			labels.record()
			out.labels.set(LabelSet(labels.uvarint()) + LabelSet(len(p.sets)))
		}
	}
	for t := range p.values {
		column, values := p.values[t].shared(), q.values[t].reader()
		for range q.samples {
			values.record()
			column.value(int64(math.Round(float64(values.varint()) * scale)))
		}
		out.values = append(out.values, column)
	}
	return out, nil
}

// succeed adds to the locations that follow others those of q, whose ids are
// larger by so many here, and returns how many there were at the root.
func (p *Profile) succeed(q *Profile, by int) (first uint32) {
	p.after = append(p.after, make([][]LocationID, max(0, 1+by-len(p.after)))...)
	first = uint32(len(p.after[0]))
	for at, ids := range q.after {
		shifted := make([]LocationID, len(ids))
		for i, id := range ids {
			shifted[i] = id + LocationID(by)
		}
		if at == 0 {
			p.after[0] = slices.Concat(p.after[0], shifted)
		} else {
			p.after = append(p.after, shifted)
		}
	}
	return first
}

// shiftedLabels encodes a label set for a table of strings that has so many
// before its own. The empty string stays the first.
func shiftedLabels(set []byte, by uint64) (out []byte) {
	shift := func(id uint64) uint64 {
		if id > 0 {
			id += by
		}
		return id
	}
	for r := (varintReader{at: set}); len(r.at) > 0; {
		key, str := shift(r.uvarint()), shift(r.uvarint())
		num := r.varint()
		out = AppendLabel(out, key, str, num, shift(r.uvarint()))
	}
	return out
}
