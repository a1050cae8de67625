package callstack

// Rows goes through a Profile as a Cursor does, all samples of it, but reads no
// stacks: for sums that ask only for values and labels.
type Rows struct {
	p       *Profile
	next    int // index of the next sample
	columns []varintReader
	row     []int64
	labels  varintReader
	set     LabelSet
	labeled int // samples whose label set has been read
}

// Rows returns the samples' values in the given columns.
func (p *Profile) Rows(columns ...int) *Rows {
	r := &Rows{p: p, labels: p.labels.reader(), row: make([]int64, len(columns))}
	for _, t := range columns {
		r.columns = append(r.columns, p.values[t].reader())
	}
	return r
}

// Next goes to the next sample and reports whether there is one.
func (r *Rows) Next() bool {
	if r.next == r.p.samples {
		return false
	}
	r.next++
	for i := range r.columns {
		r.columns[i].record()
		r.row[i] = r.columns[i].varint()
	}
	return true
}

// Index returns the sample's number, from 0.
func (r *Rows) Index() int { return r.next - 1 }

// Value returns the sample's value in the i-th column asked for.
func (r *Rows) Value(i int) int64 { return r.row[i] }

// LabelSet returns the number of the sample's label set, which Labels decodes.
func (r *Rows) LabelSet() LabelSet {
	for r.labeled < r.next {
		r.labeled++
		r.labels.record()
		r.set = LabelSet(r.labels.uvarint())
	}
	return r.set
}
