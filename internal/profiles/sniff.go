package profiles

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/klauspost/compress/gzip"

	"whet/internal/callstack"
	"whet/internal/format/folded"
	"whet/internal/format/goroutines"
	"whet/internal/format/legacy"
	"whet/internal/format/perfscript"
	"whet/internal/format/profile"
	"whet/internal/lazyregexp"
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
	read func(data []byte, limits profile.Limits) (*callstack.Profile, error)
	// byLine: each line is a sample, and half a line one with another value.
	byLine bool
}

// otherFormats are told apart by how they begin, in this order.
func otherFormats() []profileFormat {
	return []profileFormat{
		{is: goroutines.Is, read: func(data []byte, l profile.Limits) (*callstack.Profile, error) {
			return goroutines.Read(data, l.Limits)
		}},
		{is: legacy.Is, read: func(data []byte, l profile.Limits) (*callstack.Profile, error) {
			return legacy.Read(data, l.Limits)
		}},
		{is: perfscript.Is, read: func(data []byte, l profile.Limits) (*callstack.Profile, error) {
			return perfscript.Read(data, l.Limits)
		}},
		{is: folded.Is, read: func(data []byte, l profile.Limits) (*callstack.Profile, error) {
			return folded.Read(data, l.Limits)
		}, byLine: true},
	}
}

// benchmarks matches a line of go test -bench.
var benchmarks = lazyregexp.Pattern{Text: `(?m)^(goos: |Benchmark\S+\s+\d+\s.*ns/op)`}

// Read reads a profile of the given size in any format that whet knows; if it is
// pprof's, it reads only the wanted part.
func Read(r io.ReaderAt, size int64, limits profile.Limits, want profile.Want) (*callstack.Profile, error) {
	c := content{r, size}
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
		if isMessage(inner) {
			break
		}
		if !f.is(inner) {
			continue
		}
		limits := limits.Of(c.size)
		data, doubt, err := readAll(c, packed, limits.MaxBytes)
		if err != nil {
			return nil, err
		}
		if doubt != "" && f.byLine {
			data = data[:bytes.LastIndexByte(data, '\n')+1]
		}
		p, err := f.read(data, limits)
		switch {
		case err != nil && doubt == "":
			return nil, raisable(err)
		case doubt == "":
			return p, nil
		case err != nil:
			return nil, fmt.Errorf("%s: copy or fetch it again: %w", doubt, err)
		}
		p.Warnings = append(p.Warnings, doubt)
		return p, nil
	}
	if !isMessage(inner) && benchmarks.Regexp().Match(inner) {
		return nil, errors.New("these are results of benchmarks: try whet compare; go test -cpuprofile FILE writes a profile")
	}
	p, err := profile.ReadWanted(c, c.size, limits, want)
	return p, raisable(err)
}

// isMessage reports whether a file begins as the protocol buffers of pprof do, and
// as no text does: with the record of a sample or period type, which begins with its
// length and a backspace, or with a time in nanoseconds, of nine bytes.
func isMessage(head []byte) bool {
	if len(head) < 10 {
		return false
	}
	return (head[0] == 0x0a || head[0] == 0x5a) && head[1] < 0x20 && head[2] == 0x08 || head[0] == 0x48 && !utf8.Valid(head[1:9])
}

// raisable says how to read what is too large unless it is asked for.
func raisable(err error) error {
	if errors.Is(err, profile.ErrTooLarge) || errors.Is(err, callstack.ErrMemory) {
		return fmt.Errorf("%w: raise the limit with -max_size", err)
	}
	return err
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
	// Unpacked once to see how long it is, so that memory holds it once.
	size := c.size
	if packed {
		r, err := unpacked(c)
		if err != nil {
			return nil, "", err
		}
		size, _ = io.Copy(io.Discard, io.LimitReader(r, limit+1))
	}
	if size > limit {
		return nil, "", fmt.Errorf("it is larger than %s: raise the limit with -max_size", quantity.Bytes(float64(limit)))
	}
	var r io.Reader = io.NewSectionReader(c, 0, c.size)
	if packed {
		if r, err = unpacked(c); err != nil {
			return nil, "", err
		}
	}
	data = make([]byte, size)
	n, err := io.ReadFull(r, data)
	if data = data[:n]; err == nil {
		_, err = io.ReadFull(r, make([]byte, 1)) // the checksum, or what is wrong
	}
	if err == io.EOF {
		err = nil
	}
	switch {
	case len(data) > 0 && errors.Is(err, io.ErrUnexpectedEOF):
		return data, "the file is truncated: samples may be missing at its end, and no checksum covers the rest", nil
	case len(data) > 0 && errors.Is(err, gzip.ErrHeader):
		return data, "unreadable data after the profile was dropped", nil
	case err != nil:
		return nil, "", fmt.Errorf("unpack: %w", err)
	}
	return data, "", nil
}

// unpacked reads the text in a gzip file.
func unpacked(c content) (io.Reader, error) {
	z, err := gzip.NewReader(io.NewSectionReader(c, 0, c.size))
	if err != nil {
		return nil, fmt.Errorf("unpack: %w", err)
	}
	return z, nil
}
