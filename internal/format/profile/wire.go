package profile

import "errors"

// Wire types of protocol buffers.
const (
	wireVarint  = 0
	wireFixed64 = 1
	wireBytes   = 2
	wireFixed32 = 5
)

var (
	errCut      = errors.New("ends in the middle of a record")
	errWireType = errors.New("has an unknown wire type")
	errMismatch = errors.New("has a field of the wrong type")
)

// field is a field of a message: u for varints, body for wireBytes.
type field struct {
	num  uint64
	wire int
	u    uint64
	body []byte
}

// nextVarint decodes a varint. Bits beyond the 64th are dropped, as protocol
// buffers have it.
func nextVarint(data []byte) (uint64, []byte, error) {
	var u uint64
	for i, c := range data {
		if i == 10 {
			return 0, nil, errMismatch
		}
		u |= uint64(c&0x7f) << (7 * i)
		if c < 0x80 {
			return u, data[i+1:], nil
		}
	}
	return 0, nil, errCut
}

// next splits the first field off a message.
func next(data []byte) (f field, rest []byte, err error) {
	key, rest, err := nextVarint(data)
	if err != nil {
		return f, nil, err
	}
	f.num, f.wire = key>>3, int(key&7)
	switch f.wire {
	case wireVarint:
		f.u, rest, err = nextVarint(rest)
	case wireBytes:
		var n uint64
		if n, rest, err = nextVarint(rest); err != nil {
			return f, nil, err
		}
		if n > uint64(len(rest)) {
			return f, nil, errCut
		}
		f.body, rest = rest[:n], rest[n:]
	case wireFixed64, wireFixed32: // no field of a profile has these
		n := 8
		if f.wire == wireFixed32 {
			n = 4
		}
		if len(rest) < n {
			return f, nil, errCut
		}
		rest = rest[n:]
	default:
		err = errWireType
	}
	return f, rest, err
}

// eachField calls fn for the fields of a message in order.
func eachField(data []byte, fn func(f field) error) error {
	for len(data) > 0 {
		f, rest, err := next(data)
		if err != nil {
			return err
		}
		if err := fn(f); err != nil {
			return err
		}
		data = rest
	}
	return nil
}

// varint stores a scalar field.
func (f field) varint(to *uint64) error {
	if f.wire != wireVarint {
		return errMismatch
	}
	*to = f.u
	return nil
}

// varints appends a repeated scalar field, packed or not.
func (f field) varints(to []uint64) ([]uint64, error) {
	switch f.wire {
	case wireVarint:
		return append(to, f.u), nil
	case wireBytes:
		for rest := f.body; len(rest) > 0; {
			var u uint64
			var err error
			if u, rest, err = nextVarint(rest); err != nil {
				return to, err
			}
			to = append(to, u)
		}
		return to, nil
	}
	return to, errMismatch
}
