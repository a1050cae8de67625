package profile

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"slices"

	"whet/internal/callstack"
)

// packer packs samples as they pass. What they refer to mostly stands after
// them in the file, so that locations and strings are numbered as they appear,
// and looked up at the end.
//
// Samples stand beside those they resemble: of a stack only what differs from
// the one before is decoded, and of labels nothing if they are the same bytes
// again. No sample costs an allocation.
type packer struct {
	b         *callstack.Builder
	only      Part
	columns   []int // that are asked for, unless everything is
	locations numbering
	strings   numbering // of labels
	sums      []uint64  // of the magnitudes of each column
	highest   uint64    // all bits that were ever set in one of them
	malformed int
	wrong     int // samples with another number of values than columns
	negative  int
	deep      int   // samples with more locations than a stack may have
	steps     int64 // locations that samples do not share with the one before

	// What samples are added to instead of being packed: see Addend.AddTo.
	into       *callstack.Addition
	lines      []int // of each location
	numStrings int
	depths     []int // frames up to each location of the path
	deepest    int   // of them
	frames     int64 // that samples do not share with the one before
	failed     error

	// The last sample that was added.
	stack []byte // ids of its locations, packed, leaf first
	depth int

	// Labels, as samples' fields.
	sets   map[string]callstack.LabelSet
	sought int                // how often, in sets
	unique bool               // nearly all are of one sample, and none is sought any more
	bytes  int64              // of sets
	labels []byte             // of the last sample
	last   callstack.LabelSet // its set
	set    []byte             // the last that was decoded, as callstack encodes it

	// The sample at hand.
	row      []int64
	others   []callstack.LocationID // that it does not share, root first
	gathered [2][]byte              // stacks in several fields: s.stack may be the other one
	turn     int
}

// fewSets is how many label sets are sought before it is asked whether that pays.
const fewSets = 4096

func newPacker(columns int, want Want) *packer {
	s := &packer{
		b:    callstack.NewBuilder(make([]callstack.ValueType, columns)...),
		sums: make([]uint64, columns),
		row:  make([]int64, columns),
		sets: make(map[string]callstack.LabelSet),
		only: want.Only,
	}
	if s.only != Everything && s.only != tables && columns > 0 {
		s.columns = want.columns(columns)
		s.b.Sparing(s.columns, s.only != Labels, s.only != Stacks)
	}
	s.strings.of(0) // the empty string: what a label does not have refers to it
	return s
}

// memory is about how many bytes the samples take, with the numbers of what
// they refer to.
func (s *packer) memory() int64 {
	n := s.b.Memory() + s.locations.memory() + s.strings.memory() + s.bytes
	if s.into != nil {
		n += s.into.Memory()
	}
	return n
}

// settle copies what lies in the window, which is about to move.
func (s *packer) settle() {
	s.stack = append(s.gathered[s.turn][:0], s.stack...)
	s.gathered[s.turn] = s.stack
	s.turn = 1 - s.turn
	s.labels = bytes.Clone(s.labels)
}

// add packs a sample, or counts why it does not.
func (s *packer) add(body []byte) {
	if s.only == tables {
		return
	}
	stack, labels, values, ok := s.fields(body)
	if !ok {
		s.malformed++
		return
	}
	if s.columns != nil && s.only != Labels && values == len(s.row) && s.isZero() {
		s.sum()
		s.b.Omit()
		return
	}
	set, known := s.last, s.only == Stacks || len(s.sets) > 0 && bytes.Equal(labels, s.labels)
	if !known {
		if !s.unique {
			set, known = s.sets[string(labels)]
			s.sought++
		}
		if !known && !s.decodeLabels(labels) {
			s.malformed++
			return
		}
	}
	shared := 0
	if s.only != Labels {
		shared, ok = s.decodeStack(stack)
	}
	switch {
	case !ok:
		s.malformed++
		return
	case values != len(s.row):
		s.wrong++
		return
	case shared+len(s.others) > callstack.MaxDepth:
		s.deep++
		return
	}
	if !known {
		set = s.b.NewLabelSet(s.set)
		if s.sought > fewSets && 16*len(s.sets) > 15*s.sought {
			s.unique = true
		} else {
			s.sets[string(labels)] = set
			s.bytes += int64(len(labels))
		}
	}
	s.steps += int64(len(s.others))
	s.labels, s.last = labels, set
	s.sum()
	if s.into != nil {
		s.intoSum(shared, set)
	} else {
		s.b.AddShared(shared, s.others, set, s.row)
	}
	s.stack, s.depth = stack, shared+len(s.others)
	if len(s.gathered[s.turn]) > 0 && len(stack) > 0 && &s.gathered[s.turn][0] == &stack[0] {
		s.turn = 1 - s.turn
	}
}

// isZero reports whether the sample at hand is zero in the columns asked for.
func (s *packer) isZero() bool {
	for _, t := range s.columns {
		if s.row[t] != 0 {
			return false
		}
	}
	return true
}

// sum adds the sample at hand to the sums.
func (s *packer) sum() {
	negative := false
	for t, v := range s.row {
		magnitude := uint64(v)
		if v < 0 {
			magnitude, negative = -magnitude, true
		}
		s.sums[t] += magnitude
		s.highest |= s.sums[t]
	}
	if negative {
		s.negative++
	}
}

// Tags of a sample's fields, as all writers have them: in one byte.
const (
	tagLocation  = 1<<3 | wireVarint
	tagLocations = 1<<3 | wireBytes
	tagValue     = 2<<3 | wireVarint
	tagValues    = 2<<3 | wireBytes
	tagLabel     = 3<<3 | wireBytes
)

// fields takes a sample apart: its stack as one list of packed ids, its label
// fields side by side, and the values into s.row, as far as it has room, with
// their number.
func (s *packer) fields(body []byte) (stack, labels []byte, values int, ok bool) {
	gathering := false
	for at := 0; at < len(body); {
		start := at
		switch tag := body[at]; tag {
		case tagLocation, tagValue:
			var u uint64
			if u, at = varint(body, at+1); at < 0 {
				return nil, nil, 0, false
			}
			if tag == tagValue {
				s.value(values, u)
				values++
				continue
			}
			if !gathering {
				gathering = true
				s.gathered[s.turn] = append(s.gathered[s.turn][:0], stack...)
			}
			stack = binary.AppendUvarint(s.gathered[s.turn], u)
			s.gathered[s.turn] = stack
		case tagLocations, tagValues, tagLabel:
			if tag == tagLabel && labels == nil && bytes.Equal(body[at:], s.labels) {
				return stack, s.labels, values, true
			}
			var n uint64
			if n, at = varint(body, at+1); at < 0 || n > uint64(len(body)-at) {
				return nil, nil, 0, false
			}
			f := body[at : at+int(n)]
			at += int(n)
			if tag == tagLabel {
				switch k := len(labels); {
				case k == 0:
					labels = body[start:at]
				case k <= start && &labels[0] == &body[start-k]:
					labels = body[start-k : at]
				default: // something stands between them
					labels = slices.Concat(labels, body[start:at])
				}
				continue
			}
			if n > 0 && f[n-1] >= 0x80 {
				return nil, nil, 0, false // it ends within a number
			}
			switch {
			case tag == tagValues:
				for i := 0; i < len(f); values++ {
					var u uint64
					if u, i = varint(f, i); i < 0 {
						return nil, nil, 0, false
					}
					s.value(values, u)
				}
			case len(stack) == 0:
				stack = f
			default:
				if !gathering {
					gathering = true
					s.gathered[s.turn] = append(s.gathered[s.turn][:0], stack...)
				}
				stack = append(s.gathered[s.turn], f...)
				s.gathered[s.turn] = stack
			}
		default:
			// A field that is not known, or a known one of another type or
			// with a tag in more bytes than it needs.
			f, rest, err := next(body[at:])
			if err != nil || f.num >= 1 && f.num <= 3 {
				return nil, nil, 0, false
			}
			at = len(body) - len(rest)
		}
	}
	return stack, labels, values, true
}

func (s *packer) value(i int, u uint64) {
	if i < len(s.row) {
		s.row[i] = int64(u)
	}
}

// varint decodes the varint at b[at] and returns where it ends, -1 when it
// does not.
func varint(b []byte, at int) (uint64, int) {
	if at < len(b) && b[at] < 0x80 {
		return uint64(b[at]), at + 1
	}
	return longVarint(b, at)
}

func longVarint(b []byte, at int) (uint64, int) {
	u, rest, err := nextVarint(b[at:])
	if err != nil {
		return 0, -1
	}
	return u, len(b) - len(rest)
}

const highBits = 0x8080808080808080

// decodeStack finds how many locations at the root a stack shares with the
// stack before, and puts the others into s.others. It reports whether they are
// well-formed.
func (s *packer) decodeStack(stack []byte) (shared int, ok bool) {
	same := commonEnd(stack, s.stack)
	// What is the same may begin within an id.
	if n, m := len(stack)-same, len(s.stack)-same; n > 0 && stack[n-1] >= 0x80 || m > 0 && s.stack[m-1] >= 0x80 {
		for same > 0 {
			same--
			if stack[len(stack)-same-1] < 0x80 {
				break
			}
		}
	}
	shared = s.depth - countIDs(s.stack, len(s.stack)-same)
	ids := s.others[:0]
	// From the end: the root comes first, and the last byte of an id, the one
	// below 0x80, holds its highest bits.
	for i := len(stack) - same; i > 0; {
		i--
		id, first := uint64(stack[i]), i
		for i > 0 && stack[i-1] >= 0x80 {
			i--
			id = id<<7 | uint64(stack[i]&0x7f)
		}
		if first-i >= 10 {
			return 0, false
		}
		ids = append(ids, callstack.LocationID(s.locations.of(id)))
	}
	s.others = ids
	return shared, true
}

// commonEnd returns how many bytes at the end are the same.
func commonEnd(a, b []byte) int {
	n, k := min(len(a), len(b)), 0
	for k+8 <= n {
		x := binary.LittleEndian.Uint64(a[len(a)-k-8:]) ^ binary.LittleEndian.Uint64(b[len(b)-k-8:])
		if x != 0 {
			return k + bits.LeadingZeros64(x)/8
		}
		k += 8
	}
	for k < n && a[len(a)-k-1] == b[len(b)-k-1] {
		k++
	}
	return k
}

// countIDs counts the varints in the first n bytes by the bytes that end one.
func countIDs(packed []byte, n int) int {
	count, i := 0, 0
	for ; i < n && i+8 <= len(packed); i += 8 {
		ends := ^binary.LittleEndian.Uint64(packed[i:]) & highBits
		if n-i < 8 {
			ends &= 1<<(8*(n-i)) - 1
		}
		count += bits.OnesCount64(ends)
	}
	for ; i < n; i++ {
		if packed[i] < 0x80 {
			count++
		}
	}
	return count
}

// decodeLabels decodes label fields, as fields returned them, into s.set.
func (s *packer) decodeLabels(fields []byte) bool {
	s.set = s.set[:0]
	for at := 0; at < len(fields); {
		n, from := varint(fields, at+1)
		at = from + int(n)
		var of [5]uint64 // key, text, number, unit, by field number
		if !labelFields(fields[from:at], &of) {
			return false
		}
		if of[2] != 0 {
			of[3], of[4] = 0, 0
		}
		s.set = callstack.AppendLabel(s.set, s.string(of[1]), s.string(of[2]), int64(of[3]), s.string(of[4]))
	}
	return true
}

func labelFields(body []byte, of *[5]uint64) bool {
	for i := 0; i < len(body); {
		if tag := body[i]; tag&7 == wireVarint && tag>>3 <= 4 {
			if of[tag>>3], i = varint(body, i+1); i < 0 {
				return false
			}
			continue
		}
		f, rest, err := next(body[i:])
		if err != nil || f.num >= 1 && f.num <= 4 && f.varint(&of[f.num]) != nil {
			return false
		}
		i = len(body) - len(rest)
	}
	return true
}

func (s *packer) string(index uint64) uint64 { return uint64(s.strings.of(index)) }
