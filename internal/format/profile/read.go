package profile

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"

	"whet/internal/callstack"
)

// Limits bound what Read takes on; a profile beyond them is refused.
type Limits struct {
	MaxBytes   int64 // unpacked, all members of the file together
	MaxRecords int   // strings, functions, locations, their lines and mappings
	MaxFrames  int64 // of all samples together, each location counted at every use
}

// DefaultLimits are far above any profile seen, and well below what takes a
// machine down.
func DefaultLimits() Limits {
	return Limits{MaxBytes: 1 << 30, MaxRecords: 1 << 24, MaxFrames: 1 << 27}
}

var errSeveral = errors.New("begins a second profile: several were written one after the other without compression; pass them as separate files")

// Read decodes a profile. Errors say what is wrong with it, in one line and
// without its name, which the caller knows. What could be read around is in
// the profile's Warnings.
func Read(data []byte, limits Limits) (*callstack.Profile, error) {
	if len(data) == 0 {
		return nil, errors.New("the file is empty")
	}
	var d damage
	messages := [][]byte{data}
	if isGzip(data) {
		var err error
		if messages, err = unpack(data, limits.MaxBytes, &d); err != nil {
			return nil, err
		}
	}
	if int64(len(messages[0])) > limits.MaxBytes {
		return nil, tooLarge(limits.MaxBytes)
	}
	p, err := readMessages(messages, limits, &d)
	if err != nil {
		return nil, err
	}
	if err := checkSums(p); err != nil {
		return nil, err
	}
	p.Warnings = d.warnings(p)
	return p, nil
}

// readMessages reads each gzip member as a profile and adds them up. Where
// one alone is no profile, the members may be pieces of a single one.
func readMessages(messages [][]byte, limits Limits, d *damage) (*callstack.Profile, error) {
	if len(messages) == 1 {
		return readMessage(messages[0], limits, d)
	}
	each := *d
	profiles := make([]*callstack.Profile, 0, len(messages))
	var first error
	for i, m := range messages {
		p, err := readMessage(m, limits, &each)
		if err != nil {
			first = fmt.Errorf("profile %d of %d in the file: %w", i+1, len(messages), err)
			break
		}
		profiles = append(profiles, p)
	}
	if first != nil {
		p, err := readMessage(bytes.Join(messages, nil), limits, d)
		if err != nil {
			return nil, first
		}
		return p, nil
	}
	*d = each
	return callstack.Merge(profiles...)
}

func readMessage(data []byte, limits Limits, d *damage) (*callstack.Profile, error) {
	if what := kindOf(data); what != "" {
		return nil, errors.New(what)
	}
	var t tables
	err := t.scan(data, limits)
	cut := err == errCut
	if err != nil && !cut {
		return nil, fmt.Errorf("not a pprof profile, or a damaged one: %w", err)
	}
	cut = cut || d.gzipCut
	switch {
	case cut && (len(t.strings) == 0 || len(t.types) == 0 || t.samples == 0):
		return nil, errors.New("the file ends in the middle of the profile: it was cut off, or is no pprof profile; record or fetch it again")
	case len(t.strings) == 0:
		return nil, errors.New("not a pprof profile, or one that was cut off: it has no string table")
	case len(t.types) == 0:
		return nil, errors.New("the profile names no sample type, so that its values mean nothing")
	}
	mine := damage{}
	p, err := build(&t, data, limits, &mine)
	if err != nil {
		return nil, err
	}
	if cut {
		if mine.references() > 0 || t.malformed > 0 {
			return nil, errors.New("the file ends in the middle of the profile, and what samples refer to is lost: it was cut off; record or fetch it again")
		}
		mine.cut = true
	}
	d.add(mine)
	return p, nil
}

func isGzip(data []byte) bool {
	return len(data) >= 2 && data[0] == 0x1f && data[1] == 0x8b
}

func tooLarge(limit int64) error {
	return fmt.Errorf("unpacked it is larger than %d MiB: too large to read", limit>>20)
}

// A profile packs to a tenth of its size, seldom to a thirtieth. A file that
// grows by more was made to fill memory, unless it is small.
const (
	maxRatio = 100
	anyRatio = 64 << 20 // bytes that a file of any size may unpack to
)

// unpack returns the contents of the gzip members. Damage to the first is an
// error; from a later one on, what follows is counted in d and dropped.
func unpack(data []byte, maxBytes int64, d *damage) ([][]byte, error) {
	maxBytes = min(maxBytes, max(maxRatio*int64(len(data)), anyRatio))
	var messages [][]byte
	var total int64
	r := bytes.NewReader(data) // an io.ByteReader: gzip takes no byte beyond the member
	var zr *gzip.Reader
	for r.Len() > 0 {
		start := r.Len()
		var err error
		if zr == nil {
			zr, err = gzip.NewReader(r)
		} else {
			err = zr.Reset(r)
		}
		var out []byte
		if err == nil {
			zr.Multistream(false)
			out, err = io.ReadAll(io.LimitReader(zr, maxBytes-total+1))
		}
		total += int64(len(out))
		if total > maxBytes {
			return nil, tooLarge(maxBytes)
		}
		switch {
		case err == nil:
			if len(out) > 0 {
				messages = append(messages, out)
			}
		case len(messages) > 0:
			d.trailing = start
			return messages, nil
		case errors.Is(err, gzip.ErrChecksum):
			return nil, errors.New("the gzip checksum does not match: some of its figures are wrong; record or fetch it again")
		case errors.Is(err, io.ErrUnexpectedEOF) && len(out) > 0:
			d.gzipCut = true
			return [][]byte{out}, nil
		case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
			return nil, errors.New("the file ends in the middle of the gzip header: it was cut off; record or fetch it again")
		default:
			return nil, fmt.Errorf("the gzip stream is damaged (%v): record or fetch it again", err)
		}
	}
	if len(messages) == 0 {
		return nil, errors.New("the gzip stream holds nothing: the profile was not written; stop profiling before the program ends")
	}
	return messages, nil
}
