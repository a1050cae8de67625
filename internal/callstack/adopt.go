package callstack

import "slices"

// adopt makes p the merged profile, with its stacks as p has them packed: all that is
// left to do is to number its locations as pprof does, and to find each sample's
// identity. It adopts no profile that has one location twice, or a mapping that only
// samples of zero are in (a later profile may have another of its kind), and leaves m in
// a state in which it cannot be used then.
//
// A sample that is zero, or the same as one before it, keeps its place and holds
// nothing: Merged leaves it out.
func (m *Merger) adopt(p *Profile) (adopted bool, err error) {
	b := m.b
	b.p.strings, b.p.sets = slices.Clip(p.strings), slices.Clip(p.sets)
	for id, s := range slices.Backward(p.strings) {
		b.stringID[s] = uint64(id)
		if id > 0 {
			b.memory += stringBytes + int64(len(s))
		}
	}
	for id, set := range slices.Backward(p.sets) {
		b.setID[string(set)] = LabelSet(id)
		b.memory += setBytes + int64(len(set))
	}
	a, err := m.Begin(1, p)
	if err != nil {
		return false, err
	}
	for t := range m.columns {
		m.columns[t].small = m.columns[t].small[:p.samples]
	}
	a.adopting = true
	if err := a.addAll(p.Samples()); err != nil {
		return false, err
	}
	mappings := len(b.p.Mappings)
	after := a.renumbered()
	if len(b.p.Locations) < a.located || len(b.p.Mappings) > mappings {
		return false, nil
	}
	b.adopt(p, after)
	return true, nil
}

// renumbered returns p.after in the numbers of the merged profile.
func (a *Addition) renumbered() [][]LocationID {
	after := make([][]LocationID, 1+len(a.p.Locations))
	for at, ids := range a.p.after {
		if len(ids) == 0 {
			continue
		}
		to := 0
		if at > 0 {
			to = 1 + int(a.locate(LocationID(at-1)))
		}
		after[to] = make([]LocationID, len(ids))
		for i, id := range ids {
			after[to][i] = a.locate(id)
		}
	}
	return after
}

// adopt takes over the samples of p, with what follows its locations as the builder
// numbers them. The next sample shares nothing with them.
func (b *Builder) adopt(p *Profile, after [][]LocationID) {
	b.p.after = after
	for at, ids := range after {
		for n, id := range ids {
			number, _ := b.follows.At(int32(at), int32(id))
			*number = int32(n)
		}
		b.memory += afterBytes * int64(len(ids))
	}
	b.growRecent()
	b.p.samples, b.p.deepest, b.p.unshared = p.samples, p.deepest, p.unshared
	b.p.stacks, b.p.labels = p.stacks.shared(), p.labels.shared()
}
