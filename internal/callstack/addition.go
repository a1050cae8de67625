package callstack

import (
	"errors"
	"math"
	"slices"
)

// Addition adds the samples of a profile to a Merger, a batch at a time. While one is
// added, by a goroutine of its own, the caller has the next one read.
type Addition struct {
	m         *Merger
	p         *Profile
	scale     float64
	adopting  bool         // the merged profile has the samples already: see adopt
	locations []LocationID // 1 + id in the merged profile, 0 before the first sample
	located   int          // so many of them are not 0
	sets      [][]byte     // p's label sets, as far as samples of the batch have them
	labels    []mergedSet  // by label set of p
	taken     int          // samples
	stack     []LocationID // of the sample that is identified
	valid     int          // so many of m.path are of it
	path      []LocationID // of the sample that is packed
	packed    int          // so many of m.b.path are of it
	before    int64        // m.Memory
	touched   uint32

	batch *batch      // that is being filled
	full  chan *batch // nil before the first
	empty chan *batch
}

// mergedSet is a label set in the merged profile.
type mergedSet struct {
	identity uint64 // that of Merger.sets, 0 before the first sample
	set      LabelSet
	packed   bool // set is known
}

// batch is samples that are to be added.
type batch struct {
	samples []batchSample
	others  []LocationID // of one after the other
	values  []int64      // likewise
	sets    [][]byte

	// Of all samples up to these.
	memory int64
	err    error
}

type batchSample struct {
	shared, end int32 // of its stack: the locations of the sample before, and the end of its own in others
	set         LabelSet
	any         bool // a value is not zero
	identity    uint128
}

// batchSize is small enough for a batch to stay in the processor's caches.
const batchSize = 512

// Begin adds the metadata of p, and returns what its samples are added with: they need
// not be in p, which has their locations and label sets. No other profile is added
// until they are: until End was called.
func (m *Merger) Begin(scale float64, p *Profile) (*Addition, error) {
	if err := m.meta(&p.Meta); err != nil {
		return nil, err
	}
	if len(m.b.p.Mappings) == 0 && len(p.Mappings) > 0 {
		m.mapping(p, 0) // by custom the main binary
	}
	m.apart = m.apart || scale < 0
	for t := range m.columns {
		m.columns[t].reserve(p.samples)
	}
	if !m.distinct {
		m.samples.reserve(p.samples)
	}
	return &Addition{m: m, p: p, scale: scale, locations: make([]LocationID, len(p.Locations)), before: m.Memory(), batch: new(batch)}, nil
}

// Memory returns the approximate size in bytes of what was added to the merged profile.
func (a *Addition) Memory() int64 { return a.batch.memory }

// Sample adds a sample as Builder.AddShared does. The error may be of one before it.
func (a *Addition) Sample(shared int, others []LocationID, set LabelSet, values []int64) error {
	b := a.batch
	b.others = append(b.others, others...)
	b.values = append(b.values, values...)
	b.samples = append(b.samples, batchSample{shared: int32(shared), end: int32(len(b.others)), set: set})
	if len(b.samples) < batchSize {
		return nil
	}
	if a.full == nil {
		a.full, a.empty = make(chan *batch, 1), make(chan *batch, 3)
		a.empty <- new(batch)
		a.empty <- new(batch)
		go a.run()
	}
	b.sets = a.p.sets
	a.full <- b
	a.batch = <-a.empty
	return a.batch.err
}

// End waits until all samples are added.
func (a *Addition) End() error {
	a.batch.sets = a.p.sets
	if a.full == nil {
		a.add(a.batch)
		return a.batch.err
	}
	a.full <- a.batch
	close(a.full)
	var last *batch
	for last = range a.empty {
	}
	return last.err
}

func (a *Addition) run() {
	var err error
	for b := range a.full {
		if b.err = err; err == nil {
			a.add(b)
			err = b.err
		}
		b.samples, b.others, b.values = b.samples[:0], b.others[:0], b.values[:0]
		a.empty <- b
	}
	close(a.empty)
}

// addAll adds the samples that a cursor stops at.
func (a *Addition) addAll(c *Cursor) error {
	for c.Next() {
		if err := a.Sample(c.Shared, c.Path[c.Shared:], c.LabelSet(), c.row); err != nil {
			break // which End returns
		}
	}
	return a.End()
}

// add adds a batch. What is looked up of all its samples comes from far in memory: it is
// asked for at once, and does not have to be waited for one by one.
func (a *Addition) add(b *batch) {
	a.sets = b.sets
	n := len(a.m.columns)
	from := int32(0)
	for i := range b.samples {
		s := &b.samples[i]
		a.valid = min(a.valid, int(s.shared))
		a.stack = append(a.stack[:s.shared], b.others[from:s.end]...)
		from = s.end
		if s.any, b.err = a.read(b.values[i*n:][:n]); b.err != nil {
			return
		}
		if s.any {
			s.identity = a.identify(a.stack, s.set)
		}
	}
	if !a.m.distinct {
		for i := range b.samples {
			a.touched ^= a.m.samples.home(b.samples[i].identity).sample
		}
	}
	from = 0
	for i := range b.samples {
		s := &b.samples[i]
		a.packed = min(a.packed, int(s.shared))
		a.path = append(a.path[:s.shared], b.others[from:s.end]...)
		from = s.end
		if s.any {
			a.tally(s, b.values[i*n:][:n])
		}
		a.taken++
	}
	b.memory = a.m.Memory() - a.before
}

// tally adds the values of a sample to those of the same stack and labels in the merged
// profile, to which it adds the sample if there is none.
func (a *Addition) tally(s *batchSample, values []int64) {
	i, known := a.m.b.p.samples, a.adopting
	if a.adopting {
		i = a.taken
	}
	if !a.m.distinct {
		var found bool
		i, found = a.m.samples.find(s.identity, i)
		known = known || found
	}
	for t, v := range values {
		a.m.columns[t].add(i, v)
	}
	if !known {
		a.pack(a.path, s.set)
	}
}

// locate returns a location of a.p in the merged profile.
func (a *Addition) locate(id LocationID) LocationID {
	if a.locations[id] == 0 {
		a.locations[id] = 1 + a.m.location(a.p, id)
		a.located++
	}
	return a.locations[id] - 1
}

// identify finds the locations of a sample in the merged profile, or adds them, and
// returns the sample's identity, unless all samples are distinct.
func (a *Addition) identify(path []LocationID, set LabelSet) (sum uint128) {
	for _, id := range slices.Backward(path[a.valid:]) { // leaf first, as pprof numbers them
		if a.locations[id] == 0 {
			a.locate(id)
		}
	}
	if int(set) >= len(a.labels) {
		a.labels = append(a.labels, make([]mergedSet, len(a.sets)-len(a.labels))...)
	}
	labels := &a.labels[set]
	if labels.identity == 0 {
		labels.identity = a.m.labelSet(a.p.appendLabels(nil, a.sets[set]))
	}
	if !a.m.distinct {
		ofLabels, places := a.m.drawn(len(path))
		sums := a.m.path[:a.valid+1]
		sum = sums[a.valid]
		for i := a.valid; i < len(path); i++ {
			sum = sum.plus(places[i], uint64(a.locations[path[i]]))
			sums = append(sums, sum)
		}
		a.m.path = sums
		sum = sum.plus(ofLabels, labels.identity)
	}
	a.valid = len(path)
	return sum
}

// pack adds the stack and the labels of a sample to the merged profile.
func (a *Addition) pack(path []LocationID, set LabelSet) {
	b := a.m.b
	for a.packed < len(path) && a.packed < len(b.path) && a.locations[path[a.packed]] == b.path[a.packed]+1 {
		a.packed++
	}
	b.others = b.others[:0]
	for _, id := range path[a.packed:] {
		b.others = append(b.others, a.locations[id]-1)
	}
	b.addStack(a.packed, b.others)
	labels := &a.labels[set]
	if !labels.packed {
		labels.packed, labels.set = true, b.labelSet(a.p.appendLabels(nil, a.sets[set]))
	}
	b.p.labels.set(labels.set)
	a.packed = len(path)
}

var errMergeSum = errors.New("merge: the sum of the values overflows an int64")

// read scales the values of a sample, and reports whether any is not zero.
func (a *Addition) read(values []int64) (bool, error) {
	any := false
	for t, v := range values {
		switch {
		case a.scale == -1 && v != math.MinInt64: // a difference is exact
			v = -v
		case a.scale != 1:
			f := math.Round(float64(v) * a.scale)
			if !(math.Abs(f) < 1<<63) {
				return false, errMergeSum
			}
			v = int64(f)
		}
		sum := &a.m.sums[t]
		if v < 0 {
			sum[1] -= uint64(v)
		} else {
			sum[0] += uint64(v)
		}
		if max(sum[0], sum[1]) > math.MaxInt64 || !a.m.apart && sum[0]+sum[1] > math.MaxInt64 {
			return false, errMergeSum
		}
		values[t] = v
		any = any || v != 0
	}
	return any, nil
}
