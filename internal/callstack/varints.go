package callstack

import (
	"encoding/binary"
	"slices"
)

// The chunks of varints double in size up to chunkSize: small compared with the
// profile, large compared with a record.
const (
	firstChunk = 4 << 10
	chunkSize  = 256 << 10
)

// varints is an append-only sequence of records of varints, read in order. It
// grows by chunks, so that growth copies nothing and reserves little; no record
// spans two chunks.
type varints struct{ chunks [][]byte }

// room returns the chunk to append the next n bytes to.
func (t *varints) room(n int) *[]byte {
	if k := len(t.chunks); k > 0 && cap(t.chunks[k-1])-len(t.chunks[k-1]) >= n {
		return &t.chunks[k-1]
	}
	size := min(firstChunk<<min(len(t.chunks), 16), chunkSize)
	t.chunks = append(t.chunks, make([]byte, 0, max(size, n)))
	return &t.chunks[len(t.chunks)-1]
}

// stack writes the record of a stack: how many locations it shares with the one
// before, and the numbers of the others.
func (t *varints) stack(shared int, numbers []byte) {
	to := t.room(2*binary.MaxVarintLen32 + len(numbers))
	*to = appendUvarint(*to, uint64(shared))
	*to = appendUvarint(*to, uint64(len(numbers)))
	*to = append(*to, numbers...)
}

// The number of a location among those that follow another takes one byte: its lower bits
// are the number, its upper ones count the locations after it that are number 0, and have
// no byte. Of a long number the lower bits are all set, and a varint after that byte is
// what the number exceeds them by.
const (
	numberBits = 5
	longNumber = 1<<numberBits - 1
	mostFirst  = 1<<(8-numberBits) - 1
)

func appendNumber(b []byte, number uint32) []byte {
	if number < longNumber {
		return append(b, byte(number))
	}
	return binary.AppendUvarint(append(b, longNumber), uint64(number-longNumber))
}

// value writes a value, zigzag.
func (t *varints) value(v int64) {
	to := t.room(binary.MaxVarintLen64)
	*to = appendUvarint(*to, uint64(v)<<1^uint64(v>>63))
}

// set writes a label set.
func (t *varints) set(set LabelSet) {
	to := t.room(binary.MaxVarintLen32)
	*to = appendUvarint(*to, uint64(set))
}

// appendUvarint is binary.AppendUvarint with the one-byte case, nearly all
// numbers, inlined.
func appendUvarint(b []byte, u uint64) []byte {
	if u < 0x80 {
		return append(b, byte(u))
	}
	return binary.AppendUvarint(b, u)
}

// shared returns varints that begin with t's records; appending to them leaves
// t unchanged.
func (t *varints) shared() varints {
	chunks := slices.Clone(t.chunks)
	if k := len(chunks) - 1; k >= 0 {
		chunks[k] = slices.Clip(chunks[k])
	}
	return varints{chunks}
}

// varintReader reads varints from the start.
type varintReader struct {
	at   []byte   // the rest of the chunk being read
	rest [][]byte // the chunks after it
}

func (t *varints) reader() varintReader { return varintReader{rest: t.chunks} }

// record moves to the next record, which must exist: it begins at r.at[0].
func (r *varintReader) record() {
	if len(r.at) == 0 {
		r.at, r.rest = r.rest[0], r.rest[1:]
	}
}

func (r *varintReader) uvarint() uint64 {
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

func (r *varintReader) varint() int64 {
	u := r.uvarint()
	return int64(u>>1) ^ -int64(u&1)
}

func (r *varintReader) bytes(n int) []byte {
	b := r.at[:n:n]
	r.at = r.at[n:]
	return b
}
