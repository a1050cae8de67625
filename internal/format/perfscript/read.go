package perfscript

import (
	"bytes"
	"errors"
	"fmt"

	"whet/internal/callstack"
)

// Limits bound what Read takes on; a text beyond them is refused.
type Limits struct {
	MaxBytes   int64
	MaxRecords int // different functions and locations
	MaxEvents  int
}

// DefaultLimits are far above any recording seen, and well below what takes a
// machine down.
func DefaultLimits() Limits { return Limits{MaxBytes: 1 << 30, MaxRecords: 1 << 24, MaxEvents: 32} }

// Is reports whether a file that begins with head looks like perf script's
// output: a sample's first line with its time or event and, unless the head
// ends there or the frame stands on it, a frame below.
func Is(head []byte) bool {
	var first []byte
	for line := range bytes.Lines(head) {
		line = bytes.TrimRight(line, "\r\n")
		switch {
		case len(bytes.TrimSpace(line)) == 0 && first == nil, line != nil && bytes.HasPrefix(line, []byte("#")):
			continue
		case first == nil && isFrame(line):
			return true // -F ip,sym
		case first == nil:
			h, ok := parseHeader(line)
			if !ok || h.tid < 0 && h.time < 0 || h.tid >= 0 && h.time < 0 && h.event == "" && h.comm == "" {
				return false
			}
			if h.event != "" && h.time >= 0 {
				return true
			}
			if _, ok := parseFrame(h.rest); ok && h.event != "" {
				return true
			}
			first = line
		default:
			return isFrame(line)
		}
	}
	return false
}

// isFrame reports whether a line is a frame of a call chain, which begins with
// a tab.
func isFrame(line []byte) bool {
	if len(line) == 0 || line[0] != '\t' {
		return false
	}
	f, ok := parseFrame(line)
	return ok && (f.name != "" || f.object != "" || bytes.Contains(line, []byte("[unknown]")))
}

// Read decodes the text. Lines that cannot be read are left out, and counted in
// a warning.
func Read(data []byte, limits Limits) (*callstack.Packed, error) {
	if int64(len(data)) > limits.MaxBytes {
		return nil, fmt.Errorf("it is larger than %d MiB: too large to read", limits.MaxBytes>>20)
	}
	e, err := scanEvents(data, limits)
	if err != nil {
		return nil, err
	}
	if len(e.names) == 0 {
		return nil, errors.New("it holds no samples of perf script")
	}
	r := newReader(e)
	for line := range bytes.Lines(data) {
		r.number++
		if err := r.line(bytes.TrimRight(line, "\r\n")); err != nil {
			return nil, fmt.Errorf("line %d: %w", r.number, err)
		}
		if len(r.p.Functions) > limits.MaxRecords || len(r.p.Locations) > limits.MaxRecords {
			return nil, fmt.Errorf("line %d: more than %d different functions or places in them: too large to read", r.number, limits.MaxRecords)
		}
	}
	if err := r.end(); err != nil {
		return nil, err
	}
	if r.from >= 0 {
		r.p.Duration = r.to - r.from
	}
	r.warn(len(data) > 0 && data[len(data)-1] != '\n')
	return r.p, nil
}
