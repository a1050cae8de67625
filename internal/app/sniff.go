package app

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"regexp"

	"whet/internal/callstack"
	"whet/internal/format/folded"
	"whet/internal/format/goroutines"
	"whet/internal/format/legacy"
	"whet/internal/format/perfscript"
	"whet/internal/format/profile"
	"whet/internal/quantity"
)

// headBytes is how much of a file is looked at to tell what it is.
const headBytes = 4 << 10

// content is a profile's bytes: a file, or what came through a pipe.
type content struct {
	io.ReaderAt
	size int64
}

// profileFormat is a format of profiles besides pprof's own.
type profileFormat struct {
	is   func(head []byte) bool
	read func(data []byte, limits profile.Limits) (*callstack.Packed, error)
	// byLine: each line is a sample, and half a line one with another value.
	byLine bool
}

// otherFormats are told apart by how they begin, in this order.
func otherFormats() []profileFormat {
	return []profileFormat{
		{is: goroutines.Is, read: func(data []byte, l profile.Limits) (*callstack.Packed, error) {
			return goroutines.Read(data, goroutines.Limits{MaxBytes: l.MaxBytes, MaxRecords: l.MaxRecords})
		}},
		{is: legacy.Is, read: func(data []byte, l profile.Limits) (*callstack.Packed, error) {
			return legacy.Read(data, legacy.Limits{MaxBytes: l.MaxBytes, MaxRecords: l.MaxRecords})
		}},
		{is: perfscript.Is, read: func(data []byte, l profile.Limits) (*callstack.Packed, error) {
			return perfscript.Read(data, perfscript.Limits{MaxBytes: l.MaxBytes, MaxRecords: l.MaxRecords})
		}},
		{is: folded.Is, read: func(data []byte, l profile.Limits) (*callstack.Packed, error) {
			return folded.Read(data, folded.Limits{MaxBytes: l.MaxBytes, MaxRecords: l.MaxRecords})
		}, byLine: true},
	}
}

// benchmarks matches a line of go test -bench.
var benchmarks = regexp.MustCompile(`(?m)^(goos: |Benchmark\S+\s+\d+\s.*ns/op)`)

// readProfile reads a profile in any format that whet knows.
func readProfile(c content, limits profile.Limits) (*callstack.Packed, error) {
	head := make([]byte, min(headBytes, c.size))
	if _, err := c.ReadAt(head, 0); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	packed := bytes.HasPrefix(head, []byte{0x1f, 0x8b})
	inner := head
	if packed {
		inner = gunzipHead(head)
	}
	if bytes.HasPrefix(inner, []byte("go 1.")) && !bytes.Contains(inner[:min(16, len(inner))], []byte(" trace")) {
		inner = nil // some text that begins alike
	}
	for _, f := range otherFormats() {
		if !f.is(inner) {
			continue
		}
		data, doubt, err := readAll(c, packed, limits.MaxBytes)
		if err != nil {
			return nil, err
		}
		if doubt != "" && f.byLine {
			data = data[:bytes.LastIndexByte(data, '\n')+1]
		}
		p, err := f.read(data, limits)
		switch {
		case doubt == "":
			return p, err
		case err != nil:
			return nil, fmt.Errorf("%s: copy or fetch it again: %w", doubt, err)
		}
		p.Warnings = append(p.Warnings, doubt)
		return p, nil
	}
	if benchmarks.Match(inner) {
		return nil, errors.New("these are results of benchmarks: try whet compare; go test -cpuprofile FILE writes a profile")
	}
	p, err := profile.ReadPacked(c, c.size, limits)
	if errors.Is(err, profile.ErrTooLarge) {
		err = fmt.Errorf("%w: -max_size raises the bound", err)
	}
	return p, err
}

// gunzipHead unpacks what there is of a file's beginning.
func gunzipHead(head []byte) []byte {
	z, err := gzip.NewReader(bytes.NewReader(head))
	if err != nil {
		return nil
	}
	out := make([]byte, headBytes)
	n, _ := io.ReadFull(z, out) // it ends in the middle
	return out[:n]
}

// readAll reads a text, unpacked. Of one that is damaged, it is what stands
// before the damage, and doubt says what that means.
func readAll(c content, packed bool, limit int64) (data []byte, doubt string, err error) {
	var r io.Reader = io.NewSectionReader(c, 0, c.size)
	if packed {
		z, err := gzip.NewReader(r)
		if err != nil {
			return nil, "", fmt.Errorf("unpack: %w", err)
		}
		r = z
	}
	data, err = io.ReadAll(io.LimitReader(r, limit+1))
	switch {
	case int64(len(data)) > limit:
		return nil, "", fmt.Errorf("it is larger than %s: -max_size raises the bound", quantity.Bytes(float64(limit)))
	case len(data) > 0 && errors.Is(err, io.ErrUnexpectedEOF):
		return data, "the file ends early: samples may be missing at its end, and no checksum vouches for the rest", nil
	case len(data) > 0 && errors.Is(err, gzip.ErrHeader):
		return data, "what follows the profile in the file could not be read and was dropped", nil
	case err != nil:
		return nil, "", fmt.Errorf("unpack: %w", err)
	}
	return data, "", nil
}
