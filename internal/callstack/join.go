package callstack

import (
	"encoding/binary"
	"math"
	"slices"
)

// Joined returns the samples of p and behind them those of q, their values
// multiplied by scale and rounded. It is what Merge makes of the two, but
// that equal samples stay apart, and so do equal locations, and that samples of
// zero and what only they refer to are kept: enough for sums, in a quarter of
// the time. A build that is mapped under two file names may go by the other
// one. What is p's is shared with it.
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
		samples:   p.samples + q.samples,
		deepest:   max(p.deepest, q.deepest),
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

	others := make([]LocationID, 0, q.deepest)
	var ids []byte
	stacks, labels := q.stacks.reel(), q.labels.reel()
	for i := range q.samples {
		stacks.record()
		shared := int(stacks.uvarint())
		others = appendLocations(others[:0], stacks.bytes(int(stacks.uvarint())), cap(others))
		ids = ids[:0]
		for _, id := range others {
			ids = AppendLocation(ids, id+LocationID(len(p.Locations)))
		}
		out.stacks.stack(shared, ids)

		labels.record()
		length := labels.uvarint()
		var set []byte
		if length > 0 {
			set = labels.bytes(int(length) - 1)
		}
		to := out.labels.room(binary.MaxVarintLen32 + 3*binary.MaxVarintLen32*len(set))
		if length == 0 && i > 0 {
			*to = append(*to, 0)
			continue
		}
		set = shiftedLabels(set, uint64(len(p.strings)))
		*to = binary.AppendUvarint(*to, 1+uint64(len(set)))
		*to = append(*to, set...)
	}
	for t := range p.values {
		column, values := p.values[t].shared(), q.values[t].reel()
		for range q.samples {
			values.record()
			to := column.room(binary.MaxVarintLen64)
			*to = binary.AppendVarint(*to, int64(math.Round(float64(values.varint())*scale)))
		}
		out.values = append(out.values, column)
	}
	return out, nil
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
	for r := (reel{at: set}); len(r.at) > 0; {
		key, str := shift(r.uvarint()), shift(r.uvarint())
		num := r.varint()
		out = AppendLabel(out, key, str, num, shift(r.uvarint()))
	}
	return out
}
