package profile

import (
	"bytes"
	"fmt"

	"github.com/google/pprof/profile"
)

// bounded refuses what ReadPacked refuses, before google/pprof, which has no
// bounds, unpacks it.
func bounded(data []byte) error {
	_, err := ReadPacked(bytes.NewReader(data), int64(len(data)), DefaultLimits())
	return err
}

// Merge adds up profiles of one binary and returns the sum as a gzipped pprof
// file. Unlike merging models it keeps what only the file holds: addresses,
// mappings and build ids, so that the file can be disassembled later.
func Merge(files ...[]byte) ([]byte, error) {
	var parts []*profile.Profile
	for i, data := range files {
		if err := bounded(data); err != nil {
			return nil, fmt.Errorf("merge: profile %d: %w", i+1, err)
		}
		p, err := profile.ParseData(data)
		if err != nil {
			return nil, fmt.Errorf("merge: profile %d: %w", i+1, err)
		}
		parts = append(parts, p)
	}
	sum, err := profile.Merge(parts)
	if err != nil {
		return nil, fmt.Errorf("merge: %w", err)
	}
	var out bytes.Buffer
	if err := sum.Write(&out); err != nil {
		return nil, fmt.Errorf("merge: %w", err)
	}
	return out.Bytes(), nil
}
