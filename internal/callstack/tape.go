package callstack

import (
	"encoding/binary"
	"slices"
)

// A tape's pieces double up to chunkSize: small beside the profile, large
// beside a record.
const (
	firstChunk = 4 << 10
	chunkSize  = 256 << 10
)

// tape is a sequence of records of varints, written once at its end and read
// in order. It grows by pieces, so that nothing is copied and no room is kept
// for growth; no record lies in two pieces.
type tape struct{ chunks [][]byte }

// room returns the piece in which the next n bytes have room, to append to.
func (t *tape) room(n int) *[]byte {
	if k := len(t.chunks); k > 0 && cap(t.chunks[k-1])-len(t.chunks[k-1]) >= n {
		return &t.chunks[k-1]
	}
	size := min(firstChunk<<min(len(t.chunks), 16), chunkSize)
	t.chunks = append(t.chunks, make([]byte, 0, max(size, n)))
	return &t.chunks[len(t.chunks)-1]
}

// stack writes the record of a stack: how many locations it shares with the one
// before, and the numbers of the others.
func (t *tape) stack(shared int, numbers []byte) {
	to := t.room(2*binary.MaxVarintLen32 + len(numbers))
	*to = appendUvarint(*to, uint64(shared))
	*to = appendUvarint(*to, uint64(len(numbers)))
	*to = append(*to, numbers...)
}

// value writes a value, zigzag.
func (t *tape) value(v int64) {
	to := t.room(binary.MaxVarintLen64)
	*to = appendUvarint(*to, uint64(v)<<1^uint64(v>>63))
}

// set writes a label set.
func (t *tape) set(set LabelSet) {
	to := t.room(binary.MaxVarintLen32)
	*to = appendUvarint(*to, uint64(set))
}

// appendUvarint is binary.AppendUvarint, inlined for what nearly all numbers are.
func appendUvarint(b []byte, u uint64) []byte {
	if u < 0x80 {
		return append(b, byte(u))
	}
	return binary.AppendUvarint(b, u)
}

// shared returns a tape that begins with t's records and can be written on
// without t's noticing.
func (t *tape) shared() tape {
	chunks := slices.Clone(t.chunks)
	if k := len(chunks) - 1; k >= 0 {
		chunks[k] = slices.Clip(chunks[k])
	}
	return tape{chunks}
}

// reel reads a tape.
type reel struct {
	at   []byte // what is left of the piece
	rest [][]byte
}

func (t *tape) reel() reel { return reel{rest: t.chunks} }

// record makes the next record begin at r.at[0]. There must be one.
func (r *reel) record() {
	if len(r.at) == 0 {
		r.at, r.rest = r.rest[0], r.rest[1:]
	}
}

func (r *reel) uvarint() uint64 {
	if u := r.at[0]; u < 0x80 {
		r.at = r.at[1:]
		return uint64(u)
	}
	if u := r.at[1]; u < 0x80 {
		u := uint64(r.at[0]&0x7f) | uint64(u)<<7
		r.at = r.at[2:]
		return u
	}
	u, n := binary.Uvarint(r.at)
	r.at = r.at[n:]
	return u
}

func (r *reel) varint() int64 {
	u := r.uvarint()
	return int64(u>>1) ^ -int64(u&1)
}

func (r *reel) bytes(n int) []byte {
	b := r.at[:n:n]
	r.at = r.at[n:]
	return b
}
