package hdrlog

import (
	"bufio"
	"bytes"
	"compress/zlib"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"math/bits"

	"whet/internal/hist"
)

// Cookies of encodings. The second half byte from the right is the word size of
// an encoding before V2, and always 1 in V2.
const (
	cookieMask         = ^uint32(0xf0)
	cookieV2           = 0x1c849303
	cookieV2Compressed = 0x1c849304
	cookieV1           = 0x1c849301
	cookieV1Compressed = 0x1c849302
	cookieV0           = 0x1c849308
	cookieV0Compressed = 0x1c849309
)

// decode reads a histogram's base64 text.
func decode(text []byte, exact *hist.Exact) (*hist.Histogram, error) {
	raw := make([]byte, base64.StdEncoding.DecodedLen(len(text)))
	n, err := base64.StdEncoding.Decode(raw, text)
	if err != nil {
		return nil, fmt.Errorf("not base64: %w", err)
	}
	raw = raw[:n]
	if len(raw) < 8 {
		return nil, fmt.Errorf("%d bytes are too few for the header", len(raw))
	}
	switch c := binary.BigEndian.Uint32(raw) & cookieMask; c {
	case cookieV2Compressed:
	case cookieV1Compressed, cookieV1, cookieV0, cookieV0Compressed:
		return nil, errors.New("encoding older than V2: write the log again with a current HdrHistogram")
	default:
		return nil, fmt.Errorf("it begins with %#x, not the cookie of a compressed V2 histogram", c)
	}
	length := binary.BigEndian.Uint32(raw[4:])
	if uint64(length) > uint64(len(raw)-8) {
		return nil, fmt.Errorf("the header declares %d compressed bytes, but %d follow", length, len(raw)-8)
	}
	z, err := zlib.NewReader(bytes.NewReader(raw[8 : 8+length]))
	if err != nil {
		return nil, fmt.Errorf("inflate: %w", err)
	}
	defer z.Close()
	return inflated(bufio.NewReader(z), exact)
}

// header stands before the counts.
type header struct {
	Cookie     uint32
	Payload    int32 // bytes of the counts
	Offset     int32 // of index 0, in histograms that were shifted
	Digits     int32
	Lowest     int64
	Highest    int64
	Conversion float64 // from whole to real numbers; of no use for times
}

func inflated(r *bufio.Reader, exact *hist.Exact) (*hist.Histogram, error) {
	var h header
	if err := binary.Read(r, binary.BigEndian, &h); err != nil {
		return nil, fmt.Errorf("read the header: %w", short(err))
	}
	switch {
	case h.Cookie&cookieMask != cookieV2:
		return nil, fmt.Errorf("the decompressed histogram begins with %#x, not the cookie of V2", h.Cookie)
	case h.Payload < 0 || h.Payload > maxInflated:
		return nil, fmt.Errorf("the header declares %d bytes of counts, more than the limit of %d", h.Payload, maxInflated)
	case h.Offset != 0:
		return nil, errors.New("its values have a normalizing index offset, which is not supported")
	case h.Digits < 0 || h.Digits > 5:
		return nil, fmt.Errorf("%d significant digits are not within 0 to 5", h.Digits)
	}
	c := counter{layout: newLayout(h.Lowest, int(h.Digits)), r: r, left: int(h.Payload)}
	histogram, err := hist.Restore(c.buckets, exact)
	if c.err != nil {
		return nil, c.err
	}
	if err != nil {
		return nil, err
	}
	if _, err := r.ReadByte(); err == nil {
		return nil, errors.New("data follows the counts")
	} else if err != io.EOF {
		return nil, fmt.Errorf("inflate: %w", err) // the checksum
	}
	return histogram, nil
}

func short(err error) error {
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return errors.New("it is truncated")
	}
	return err
}

// layout maps an index to the values that its bucket is for: with half = 2^h
// buckets for each power of two and values in units of 2^u, index i below 2·half
// is for the unit i, and from there on 2^k units each, k = i/half − 1.
type layout struct {
	halfBits uint // h
	unitBits uint // u
}

// newLayout is HdrHistogram's: 2·10^digits values have a bucket of their own, so
// that 2·half is the power of two above that.
func newLayout(lowest int64, digits int) layout {
	single := uint64(2)
	for range digits {
		single *= 10
	}
	return layout{halfBits: uint(max(bits.Len64(single-1), 1)) - 1, unitBits: uint(bits.Len64(uint64(max(lowest, 1)))) - 1}
}

// last returns the highest value of an index.
func (l layout) last(index int64) (int64, bool) {
	shift, sub := uint(0), index
	if k := index>>l.halfBits - 1; k > 0 {
		if k > 63 {
			return 0, false
		}
		shift, sub = uint(k), index-k<<l.halfBits
	}
	shift += l.unitBits
	// The bucket ends before (sub+1)·2^shift, which may be 2⁶³ itself.
	if uint(bits.Len64(uint64(sub)))+shift > 63 {
		return 0, false
	}
	return int64(uint64(sub+1)<<shift - 1), true
}

// counter reads counts.
type counter struct {
	layout layout
	r      *bufio.Reader
	left   int // bytes of the payload
	err    error
}

// buckets iterates over hist's buckets and the counts that fall into them. It is
// over at the first thing that cannot be; then err is set.
func (c *counter) buckets(yield func(int, int64) bool) {
	index := int64(0)
	for c.left > 0 {
		n, err := c.number()
		if err != nil {
			c.err = fmt.Errorf("read the counts: %w", short(err))
			return
		}
		if n < 0 {
			if n == math.MinInt64 || -n > math.MaxInt32-index {
				c.err = fmt.Errorf("%d empty buckets after index %d exceed the range", uint64(-n), index)
				return
			}
			index -= n
			continue
		}
		value, ok := c.layout.last(index)
		if !ok {
			c.err = fmt.Errorf("index %d is beyond all values", index)
			return
		}
		if n > 0 && !yield(hist.Index(value), n) {
			return
		}
		index++
	}
}

// number reads a zigzag LEB128 number of at most nine bytes, of which the last
// has eight bits.
func (c *counter) number() (int64, error) {
	var v uint64
	for i := range uint(9) {
		if c.left == 0 {
			return 0, io.ErrUnexpectedEOF
		}
		b, err := c.r.ReadByte()
		if err != nil {
			return 0, err
		}
		c.left--
		if i == 8 {
			v |= uint64(b) << 56
			break
		}
		v |= uint64(b&0x7f) << (7 * i)
		if b < 0x80 {
			break
		}
	}
	return int64(v>>1) ^ -int64(v&1), nil
}
