package profile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/klauspost/compress/gzip"

	"whet/internal/callstack"
	"whet/internal/quantity"
)

// Limits bound what Read and ReadFrames take on; a profile beyond them is refused.
type Limits struct {
	callstack.Limits       // MaxBytes is of all members of the file together
	MaxRatio         int64 // of the bytes to the file's size, and half of it of the memory, where they are more than anyRatio; 0: any
	MaxFrames        int64 // of all samples together, as ReadFrames counts them
}

// DefaultLimits are far above any profile seen, and well below what takes a
// machine down.
func DefaultLimits() Limits {
	return Limits{Limits: callstack.Limits{MaxBytes: 1 << 30, MaxMemory: 2 << 30}, MaxRatio: 100, MaxFrames: 1 << 27}
}

// Of returns the limits of a file of so many bytes, which decides how much
// more than itself it may become.
func (l Limits) Of(size int64) Limits {
	if l.MaxRatio > 0 {
		most := l.MaxRatio * min(size, math.MaxInt64/l.MaxRatio)
		l.MaxBytes = min(l.MaxBytes, max(most, anyRatio))
		l.MaxMemory = min(l.MaxMemory, max(most/2, anyRatio))
	}
	l.MaxFrames = min(l.MaxFrames, l.MaxMemory/frameBytes)
	return l
}

// frameBytes bounds the time that is spent on frames, as what reads them goes
// through all of them again and again: MaxMemory allows one for so many bytes.
const frameBytes = 8

var errSeveral = errors.New("begins a second profile: several uncompressed profiles are in one file; pass them as separate files")

// Read decodes the profile that the first size bytes of r hold, a file or a
// bytes.Reader. Errors say what is wrong with it, in one line and without its
// name, which the caller knows. What could be read around is in the profile's
// Warnings. Little more is in memory than what it returns. It may read r more
// than once.
func Read(r io.ReaderAt, size int64, limits Limits) (*callstack.Profile, error) {
	return ReadWanted(r, size, limits, Want{})
}

// ReadWanted is Read for who asks for a part of the profile.
func ReadWanted(r io.ReaderAt, size int64, limits Limits, want Want) (*callstack.Profile, error) {
	return newSource(r, size).read(limits, want, new(damage))
}

// ReadFrames decodes a profile as Read does, and expands its locations.
func ReadFrames(data []byte, limits Limits) (*callstack.Frames, error) {
	p, err := Read(bytes.NewReader(data), int64(len(data)), limits)
	if err != nil {
		return nil, err
	}
	return p.Frames(limits.Of(int64(len(data))).MaxFrames)
}

// read counts in d, of which there is none yet, what it read around.
func (s *source) read(limits Limits, want Want, d *damage) (*callstack.Profile, error) {
	limits = limits.Of(s.size)
	head := make([]byte, min(2, s.size))
	if n, err := s.r.ReadAt(head, 0); n < len(head) {
		return nil, fmt.Errorf("read: %w", err)
	}
	var p *callstack.Profile
	var err error
	switch {
	case s.size == 0:
		err = errors.New("the file is empty")
	case isGzip(head):
		if want := want.of(s.size); want.Only != Everything {
			p, err = s.readOnly(limits, want, d)
		}
		if p == nil && err == nil {
			p, err = s.readMembers(limits, d)
		}
	case s.size > limits.MaxBytes:
		err = tooLarge(limits.MaxBytes)
	default:
		var f *feed
		p, f, err = readMessage(func() *feed { return s.plain(s.size) }, limits, want, d)
		if f.failed != nil {
			err = fmt.Errorf("read: %w", f.failed)
		}
	}
	if err != nil {
		return nil, err
	}
	p.Warnings = d.warnings(p)
	return p, nil
}

// readOnly reads what is wanted of a file that is one sound gzip member. Of others
// it returns no profile and no error: profiles are added up whole.
func (s *source) readOnly(limits Limits, want Want, d *damage) (*callstack.Profile, error) {
	var mine damage
	p, f, err := readMessage(func() *feed { return s.member(0, limits.MaxBytes) }, limits, want, &mine)
	if f.err != nil || f.failed != nil || f.bytes == 0 || f.end < s.size {
		return nil, nil
	}
	*d = mine
	return p, err
}

// readMembers reads each gzip member as a profile and adds them up. Where one
// alone is no profile, the members may be pieces of a single one. Damage to
// the first is an error; from a later one on, what follows is dropped.
func (s *source) readMembers(limits Limits, d *damage) (*callstack.Profile, error) {
	maxBytes := limits.MaxBytes
	var (
		sum      *callstack.Profile
		merger   *callstack.Merger
		each     damage
		members  int
		total    int64
		bad      int   // number of the first member that is no profile
		badErr   error // why
		mergeErr error
	)
	offset := int64(0)
	add := func(p *callstack.Profile) error {
		if merger.Memory()+callstack.MergeMemory(p) > limits.MaxMemory {
			return fmt.Errorf("merge its %d profiles: %w", members, callstack.ErrMemory)
		}
		return merger.Add(1, p)
	}
	for offset < s.size && each.trailing == 0 {
		mine := damage{}
		p, f, err := readMessage(func() *feed { return s.member(offset, maxBytes-total) }, limits, Want{}, &mine)
		total += f.bytes
		switch {
		case f.failed != nil:
			return nil, fmt.Errorf("read: %w", f.failed)
		case f.err == errBytes:
			return nil, tooLarge(maxBytes)
		case f.err == nil && f.bytes == 0:
			offset = f.end
			continue
		case f.err == nil:
			offset = f.end
		case members > 0:
			each.trailing = int(s.size - offset)
			continue
		case f.err == io.ErrUnexpectedEOF && f.bytes > 0:
			*d = mine
			return p, err
		default:
			return nil, gzipDamage(f.err)
		}
		members++
		switch {
		case bad > 0:
		case err != nil:
			bad, badErr, sum, merger = members, err, nil, nil
		case members == 1:
			sum = p
		default:
			if merger == nil {
				merger = callstack.NewMerger(&sum.Meta)
				mergeErr = add(sum)
				sum = nil
			}
			if mergeErr == nil {
				mergeErr = add(p)
			}
		}
		each.add(mine)
	}
	switch {
	case members == 0:
		return nil, errors.New("the gzip stream is empty: the profile was not written; stop profiling before the program ends")
	case bad > 0 && members == 1:
		return nil, badErr
	case bad > 0:
		d.trailing = each.trailing
		p, f, err := readMessage(func() *feed { return s.members(offset, maxBytes) }, limits, Want{}, d)
		if err != nil || f.err != nil {
			return nil, fmt.Errorf("profile %d of %d in the file: %w", bad, members, badErr)
		}
		return p, nil
	case mergeErr != nil:
		return nil, mergeErr
	}
	*d = each
	if merger != nil {
		sum = merger.Merged()
	}
	return sum, nil
}

func gzipDamage(err error) error {
	switch {
	case errors.Is(err, gzip.ErrChecksum):
		return errors.New("the gzip checksum does not match: some of its figures are wrong; record or fetch it again")
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return errors.New("the file ends in the middle of the gzip header: it was cut off; record or fetch it again")
	}
	return fmt.Errorf("the gzip stream is damaged (%v): record or fetch it again", err)
}

func isGzip(data []byte) bool {
	return len(data) >= 2 && data[0] == 0x1f && data[1] == 0x8b
}

// ErrTooLarge is in the error of a profile beyond [Limits.MaxBytes].
var ErrTooLarge = errors.New("too large to read")

func tooLarge(limit int64) error {
	return fmt.Errorf("larger than %s when unpacked: %w", quantity.Bytes(float64(limit)), ErrTooLarge)
}

// A profile packs to a tenth of its size, seldom to a thirtieth, and takes some
// ten times its packed size in memory. A file that grows by MaxRatio was made to
// fill memory, unless it is small: so many bytes any file may become.
const anyRatio int64 = 64 << 20
