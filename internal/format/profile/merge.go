package profile

import (
	"bytes"
	"errors"
	"fmt"

	"whet/internal/callstack"
)

// sound reads a profile that nothing is missing from: in a sum or a difference
// nobody would see what was read around.
func sound(data []byte, limits Limits) (*callstack.Profile, error) {
	var d damage
	p, err := newSource(bytes.NewReader(data), int64(len(data))).read(limits, Want{}, &d)
	if err == nil && d != (damage{negative: d.negative}) {
		err = errors.New(d.warnings(p)[0])
	}
	return p, err
}

// Merge adds up profiles of one binary and returns the sum as a gzipped pprof
// file.
func Merge(files ...[]byte) ([]byte, error) {
	if len(files) == 0 {
		return nil, errors.New("merge: no profile")
	}
	var parts []*callstack.Profile
	for i, data := range files {
		p, err := sound(data, DefaultLimits())
		if err != nil {
			return nil, fmt.Errorf("merge: profile %d: %w", i+1, err)
		}
		parts = append(parts, p)
	}
	sum, err := callstack.Merge(nil, parts...)
	if err != nil {
		return nil, err
	}
	return packed(sum)
}

func packed(p *callstack.Profile) ([]byte, error) {
	var out bytes.Buffer
	err := Write(&out, p)
	return out.Bytes(), err
}
