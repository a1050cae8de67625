package why

import (
	"cmp"
	"math"
	"slices"

	"whet/internal/analyze/compare"
	"whet/internal/analyze/hot"
)

const (
	// alpha is the chance that anything is listed between equal sides, for
	// each kind of profile.
	alpha = 0.01
	// fewest samples, both sides together, of a function that is looked at:
	// with fewer no parting of them would be beyond its error.
	fewest = 12
	// most functions are listed of a benchmark.
	most = 20
)

// kind is the quantity that a profile measures.
type kind int

const (
	kindCPU kind = iota
	kindBytes
	kindAllocs
	numKinds = 3
)

// differ collects the profiles of one benchmark's sides and compares them.
type differ struct {
	pair    *pair
	tallies [numKinds][2]tally
	loops   [numKinds][2]struct{ unlooped, whole int64 }
	listed  []key // of the change's functions, in their order
}

func newDiffer(p *pair) *differ { return &differ{pair: p} }

// samples returns the samples of a side's measured code in the CPU profiles.
func (d *differ) samples(s side) int64 { return d.tallies[kindCPU][s].classes[hot.Base].count }

// profilePair is the profiles of one kind of both sides.
type profilePair struct {
	old, new *tally
	scatter  float64
	z        float64
}

// contrast is nil where a side was not profiled.
func (d *differ) contrast(k kind) *profilePair {
	c := &profilePair{old: &d.tallies[k][sideOld], new: &d.tallies[k][sideNew]}
	if c.old.calls == 0 || c.new.calls == 0 {
		return nil
	}
	if k == kindCPU {
		c.scatter = scatter(c.old, c.new)
	}
	looked := 0
	for f := range functions(c) {
		old, new := c.costs(f)
		for _, n := range []int64{old.flat.count + new.flat.count, old.cum.count + new.cum.count} {
			if n >= fewest {
				looked++
			}
		}
	}
	c.z = quantile(alpha, looked)
	return c
}

// functions returns the functions of either side.
func functions(cs ...*profilePair) map[key]bool {
	all := make(map[key]bool)
	for _, c := range cs {
		if c == nil {
			continue
		}
		for _, t := range []*tally{c.old, c.new} {
			for f := range t.functions {
				all[f] = true
			}
		}
	}
	return all
}

func (c *profilePair) costs(f key) (old, new cost) {
	if have := c.old.functions[f]; have != nil {
		old = *have
	}
	if have := c.new.functions[f]; have != nil {
		new = *have
	}
	return old, new
}

// delta returns a pair of sums per operation.
func (c *profilePair) delta(old, new sum) compare.Delta {
	o, n := float64(c.old.calls), float64(c.new.calls)
	variance := c.old.variance(old, c.scatter)/(o*o) + c.new.variance(new, c.scatter)/(n*n)
	return compare.Delta{Old: old.value / o, New: new.value / n, Error: c.z * math.Sqrt(variance)}
}

func (c *profilePair) function(f key) compare.FlatCum {
	old, new := c.costs(f)
	return compare.FlatCum{Flat: c.delta(old.flat, new.flat), Cum: c.delta(old.cum, new.cum)}
}

// differs reports whether the function is to be listed for this kind.
func (c *profilePair) differs(f key, v compare.FlatCum) bool {
	old, new := c.costs(f)
	return old.flat.count+new.flat.count >= fewest && v.Flat.Differs() ||
		old.cum.count+new.cum.count >= fewest && v.Cum.Differs()
}

// whole returns the cost of the measured code on the costlier side, per operation.
func (c *profilePair) whole() float64 {
	base := c.delta(c.old.classes[hot.Base], c.new.classes[hot.Base])
	return max(base.Old, base.New)
}

// fill enters the differences into the change.
func (d *differ) fill(c *compare.Change) {
	// A turn's profile is short, and one sample of it says nothing.
	for _, k := range []kind{kindCPU, kindBytes} {
		for s, seen := range d.loops[k] {
			if !hot.LoopsKnown(seen.unlooped, seen.whole) {
				warn(c, "the measured loop was not found in the source of %v: set-up counts as measured code", side(s))
			}
		}
	}
	contrasts := [numKinds]*profilePair{d.contrast(kindCPU), d.contrast(kindBytes), d.contrast(kindAllocs)}
	for class := range hot.Class(hot.NumClasses) {
		row := compare.ClassChange{Class: class.String()}
		for k, to := range [numKinds]**compare.Delta{&row.CPUNs, &row.Bytes, &row.Allocs} {
			if ct := contrasts[k]; ct != nil {
				v := ct.delta(ct.old.classes[class], ct.new.classes[class])
				*to = &v
			}
		}
		c.Classes = append(c.Classes, row)
	}
	type ranked struct {
		key       key
		change    compare.FunctionChange
		flat, cum float64 // the largest share of the whole that differs
	}
	var found []ranked
	for f := range functions(contrasts[:]...) {
		r := ranked{key: f}
		for k, to := range [numKinds]**compare.FlatCum{&r.change.CPUNs, &r.change.Bytes, &r.change.Allocs} {
			ct := contrasts[k]
			if ct == nil {
				continue
			}
			v := ct.function(f)
			if !ct.differs(f, v) {
				continue
			}
			*to = &v
			if v.Flat.Differs() {
				r.flat = max(r.flat, math.Abs(v.Flat.Diff())/ct.whole())
			}
			r.cum = max(r.cum, math.Abs(v.Cum.Diff())/ct.whole())
		}
		if r.change.CPUNs == nil && r.change.Bytes == nil && r.change.Allocs == nil {
			continue
		}
		found = append(found, r)
	}
	slices.SortFunc(found, func(a, b ranked) int {
		return cmp.Or(cmp.Compare(b.flat, a.flat), cmp.Compare(b.cum, a.cum), cmp.Compare(a.key, b.key))
	})
	if len(found) > most {
		warn(c, "%d more functions differ by less than those listed", len(found)-most)
		found = found[:most]
	}
	c.Functions = []compare.FunctionChange{}
	for _, r := range found {
		r.change.Function, r.change.File = d.pair.display(r.key)
		r.change.Only = d.pair.only(r.key)
		c.Functions = append(c.Functions, r.change)
		d.listed = append(d.listed, r.key)
	}
}
