package view

import (
	"cmp"
	"slices"

	"whet/internal/analyze/callgraph"
	"whet/internal/quantity"
)

// mostTags is how many tags a node shows beside it, and as many numbers each
// of them.
const mostTags = 4

// tags picks the tags that are shown of a node. Of a node with callees they
// are those of the samples that end there; of one without, those of all, as
// its callees have been dropped.
func tags(n *callgraph.Node) []GraphTag {
	flat := len(n.Out) > 0
	labels := slices.Clone(n.Labels)
	sortTags(labels, flat)
	var out []GraphTag
	for i, t := range labels[:min(mostTags, len(labels))] {
		weight := t.CumValue()
		if flat {
			weight = t.FlatValue()
		}
		if weight != 0 {
			out = append(out, GraphTag{Name: t.Name, Weight: weight, Below: numbers(n.Numbers[t.Name], flat), index: i})
		}
	}
	return append(out, numbers(n.Numbers[""], flat)...)
}

// numbers makes at most mostTags of numeric tags: the heaviest, each together
// with those that lie nearest to it.
func numbers(list []*callgraph.Tag, flat bool) []GraphTag {
	list = slices.Clone(list)
	sortTags(list, flat)
	if len(list) > mostTags {
		groups := make([][]*callgraph.Tag, mostTags)
		for i, t := range list {
			nearest := i
			if i >= mostTags {
				nearest = 0
				for g := range groups {
					if distance(t, groups[g][0]) < distance(t, groups[nearest][0]) {
						nearest = g
					}
				}
			}
			groups[nearest] = append(groups[nearest], t)
		}
		list = list[:0]
		for _, g := range groups {
			list = append(list, together(g))
		}
		sortTags(list, flat)
	}
	var out []GraphTag
	for i, t := range list {
		tag := GraphTag{Name: t.Name, Number: true, Weight: t.CumValue(), Passing: true, index: i}
		if flat || t.FlatValue() == t.CumValue() {
			tag.Weight, tag.Passing = t.FlatValue(), false
		}
		if tag.Weight != 0 {
			out = append(out, tag)
		}
	}
	return out
}

// sortTags puts the heaviest first.
func sortTags(list []*callgraph.Tag, flat bool) {
	slices.SortStableFunc(list, func(a, b *callgraph.Tag) int {
		byCum := 0
		if !flat {
			byCum = cmp.Compare(magnitude(b.Cum), magnitude(a.Cum))
		}
		return cmp.Or(byCum, cmp.Compare(magnitude(b.Flat), magnitude(a.Flat)), cmp.Compare(a.Name, b.Name))
	})
}

// distance returns how far the number u lies from t, in t's unit.
func distance(t, u *callgraph.Tag) float64 {
	at, _ := quantity.PprofScale(u.Value, u.Unit, t.Unit)
	if at < float64(t.Value) {
		return float64(t.Value) - at
	}
	return at - float64(t.Value)
}

// together makes one tag of a group: the range of its numbers, in units of
// their own, which values as small as these need, and the sum of their values.
func together(group []*callgraph.Tag) *callgraph.Tag {
	least, most := group[0], group[0]
	var sum callgraph.Costs
	for _, t := range group {
		if at, _ := quantity.PprofScale(t.Value, t.Unit, least.Unit); int64(at) < least.Value {
			least = t
		}
		if at, _ := quantity.PprofScale(t.Value, t.Unit, most.Unit); int64(at) > most.Value {
			most = t
		}
		sum.Add(&t.Costs)
	}
	name := number(least)
	if len(group) > 1 {
		name += ".." + number(most)
	}
	return &callgraph.Tag{Name: name, Costs: callgraph.Costs{Flat: sum.FlatValue(), Cum: sum.CumValue()}}
}

func number(t *callgraph.Tag) string { return quantity.PprofLabel(t.Value, t.Unit, "auto") }
