package profile

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/bits"
	"slices"

	"whet/internal/callstack"
)

// packer packs samples as they pass. What they refer to mostly stands behind
// them in the file, so that locations and strings are numbered as they appear,
// and looked up at the end.
//
// Samples stand beside those they resemble: of a stack only what differs from
// the one before is decoded, and of labels nothing if they are the same bytes
// again. No sample costs an allocation.
type packer struct {
	b         *callstack.PackedBuilder
	locations numbering
	strings   numbering // of labels
	sums      []uint64  // of the magnitudes of each column
	overflow  bool      // one of them is beyond 63 bits
	malformed int
	wrong     int // samples with another number of values than columns
	negative  int

	// The last sample that was added.
	stack []byte // ids of its locations, packed, leaf first
	depth int

	// The last labels that were decoded.
	labels []byte // as the sample's fields
	set    []byte // as a label set of callstack

	// The sample at hand.
	row      []int64
	others   []callstack.LocationID
	gathered [2][]byte // stacks in several fields: s.stack may be the other one
	turn     int
}

func newPacker(columns int) *packer {
	s := &packer{
		b:    callstack.NewPackedBuilder(make([]callstack.ValueType, columns)...),
		sums: make([]uint64, columns),
		row:  make([]int64, columns),
	}
	s.strings.of(0) // the empty string: what a label does not have refers to it
	return s
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
	stack, labels, values, ok := s.fields(body)
	if !ok {
		s.malformed++
		return
	}
	if !bytes.Equal(labels, s.labels) {
		if !s.decodeLabels(labels) {
			s.malformed++
			return
		}
		s.labels = labels
	}
	shared, ok := s.decodeStack(stack)
	switch {
	case !ok:
		s.malformed++
		return
	case values != len(s.row):
		s.wrong++
		return
	}
	negative := false
	for t, v := range s.row {
		magnitude := uint64(v)
		if v < 0 {
			magnitude, negative = -magnitude, true
		}
		s.sums[t] += magnitude
		s.overflow = s.overflow || s.sums[t] > math.MaxInt64
	}
	if negative {
		s.negative++
	}
	s.b.AddPacked(shared, s.others, s.set, s.row)
	s.stack, s.depth = stack, shared+len(s.others)
	if len(s.gathered[s.turn]) > 0 && len(stack) > 0 && &s.gathered[s.turn][0] == &stack[0] {
		s.turn = 1 - s.turn
	}
}

// fields takes a sample apart: its stack as one list of packed ids, its label
// fields side by side, and the values into s.row, as far as it has room, with
// their number.
func (s *packer) fields(body []byte) (stack, labels []byte, values int, ok bool) {
	gathering := false
	gather := func() {
		if !gathering {
			gathering = true
			s.gathered[s.turn] = append(s.gathered[s.turn][:0], stack...)
		}
	}
	value := func(u uint64) {
		if values < len(s.row) {
			s.row[values] = int64(u)
		}
		values++
	}
	labelsAt, labelsEnd := 0, 0
	for at := 0; at < len(body); {
		f, rest, err := next(body[at:])
		if err != nil {
			return nil, nil, 0, false
		}
		start := at
		at = len(body) - len(rest)
		switch {
		case f.num == 1 && f.wire == wireBytes:
			if n := len(f.body); n > 0 && f.body[n-1] >= 0x80 {
				return nil, nil, 0, false // it ends within an id
			}
			if len(stack) == 0 {
				stack = f.body
				continue
			}
			gather()
			s.gathered[s.turn] = append(s.gathered[s.turn], f.body...)
			stack = s.gathered[s.turn]
		case f.num == 1 && f.wire == wireVarint:
			gather()
			s.gathered[s.turn] = binary.AppendUvarint(s.gathered[s.turn], f.u)
			stack = s.gathered[s.turn]
		case f.num == 2 && f.wire == wireBytes:
			for rest := f.body; len(rest) > 0; {
				var u uint64
				if u, rest, err = nextVarint(rest); err != nil {
					return nil, nil, 0, false
				}
				value(u)
			}
		case f.num == 2 && f.wire == wireVarint:
			value(f.u)
		case f.num == 3 && f.wire == wireBytes:
			switch {
			case len(labels) == 0:
				labelsAt = start
				labels = body[start:at]
			case labelsEnd == start:
				labels = body[labelsAt:at]
			default: // something stands between them
				labels = append(slices.Clip(labels), body[start:at]...)
				labelsAt = -1
			}
			labelsEnd = at
			if labelsAt < 0 {
				labelsEnd = -1
			}
		case f.num >= 1 && f.num <= 3:
			return nil, nil, 0, false
		}
	}
	return stack, labels, values, true
}

const highBits = 0x8080808080808080

// decodeStack finds how many locations at the root a stack shares with the
// stack before, and decodes the others into s.others, root first. It reports
// whether they are well-formed.
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
	head := stack[:len(stack)-same]
	n := countIDs(head)
	shared = s.depth - countIDs(s.stack[:len(s.stack)-same])
	if cap(s.others) < n {
		s.others = make([]callstack.LocationID, 2*n)
	}
	s.others = s.others[:n]
	for len(head) > 0 {
		var id uint64
		switch {
		case head[0] < 0x80:
			id, head = uint64(head[0]), head[1:]
		case head[1] < 0x80: // there is one: the last byte is below 0x80
			id, head = uint64(head[0]&0x7f)|uint64(head[1])<<7, head[2:]
		case head[2] < 0x80:
			id, head = uint64(head[0]&0x7f)|uint64(head[1]&0x7f)<<7|uint64(head[2])<<14, head[3:]
		default:
			var err error
			if id, head, err = nextVarint(head); err != nil {
				return 0, false
			}
		}
		n--
		s.others[n] = callstack.LocationID(s.locations.of(id))
	}
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

// countIDs counts varints, by the bytes that end one.
func countIDs(packed []byte) int {
	n := 0
	for ; len(packed) >= 8; packed = packed[8:] {
		n += bits.OnesCount64(^binary.LittleEndian.Uint64(packed) & highBits)
	}
	for _, c := range packed {
		if c < 0x80 {
			n++
		}
	}
	return n
}

// decodeLabels decodes label fields into s.set.
func (s *packer) decodeLabels(fields []byte) bool {
	s.set = s.set[:0]
	for len(fields) > 0 {
		f, rest, err := next(fields)
		if err != nil {
			return s.noLabels()
		}
		fields = rest
		var of [5]uint64 // key, text, number, unit, by field number
		for at := f.body; len(at) > 0; {
			f, rest, err := next(at)
			if err != nil {
				return s.noLabels()
			}
			at = rest
			if f.num >= 1 && f.num <= 4 {
				if f.varint(&of[f.num]) != nil {
					return s.noLabels()
				}
			}
		}
		if of[2] != 0 {
			of[3], of[4] = 0, 0
		}
		s.set = callstack.AppendLabel(s.set, s.string(of[1]), s.string(of[2]), int64(of[3]), s.string(of[4]))
	}
	return true
}

// noLabels forgets what was decoded half.
func (s *packer) noLabels() bool {
	s.labels, s.set = nil, s.set[:0]
	return false
}

func (s *packer) string(index uint64) uint64 { return uint64(s.strings.of(index)) }
