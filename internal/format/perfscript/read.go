package perfscript

import (
	"bytes"
	"errors"
	"fmt"

	"whet/internal/callstack"
)

// Is reports whether a file that begins with head looks like perf script's
// output: the first line of a sample, and a frame on it or below it.
func Is(head []byte) bool {
	var s state
	var first header
	begun := false
	for line := range bytes.Lines(head) {
		h, is := s.next(bytes.TrimRight(line, "\r\n"))
		switch {
		case is == isBlank && !begun:
		case is == isHeader && !begun:
			if h.hasLeaf {
				return true
			}
			first, begun = h, true
		default:
			return is == isChain
		}
	}
	if !begun { // with --header, the head holds nothing else
		return bytes.HasPrefix(head, []byte("# ========\n")) && bytes.Contains(head, []byte("\n# header version"))
	}
	// The head ends here: time and event are enough.
	return first.time >= 0 && first.event != ""
}

// isFrame reports whether a line is a frame of a call chain: after a tab, or
// the blanks that an editor made of it.
func isFrame(line []byte) bool {
	f, ok := parseFrame(line)
	return ok && isIndented(line) && !bytes.Contains(line, []byte("\tinsn:")) && (f.name != "" || f.object != "" || bytes.Contains(line, []byte("[unknown]")))
}

func isIndented(line []byte) bool {
	return bytes.HasPrefix(line, []byte("\t")) || bytes.HasPrefix(line, []byte("        "))
}

// isBareFrame reports whether a line is a frame that lost the blanks in front
// of it, as in a mail. The object after it tells it from other texts.
func isBareFrame(line []byte) bool {
	f, ok := parseFrame(line)
	return ok && (f.inlined || f.object != "" || bytes.HasSuffix(line, []byte("([unknown])")))
}

// Read decodes the text. Lines that cannot be read are left out, and counted in
// a warning.
func Read(data []byte, limits callstack.Limits) (*callstack.Profile, error) {
	if int64(len(data)) > limits.MaxBytes {
		return nil, fmt.Errorf("larger than %d MiB: too large to read", limits.MaxBytes>>20)
	}
	e, err := scanEvents(data)
	if err != nil {
		return nil, err
	}
	if len(e.names) == 0 {
		return nil, errors.New("it has no samples of perf script")
	}
	r := newReader(e, limits)
	for line := range bytes.Lines(data) {
		r.number++
		if err := r.line(bytes.TrimRight(line, "\r\n")); err != nil {
			return nil, fmt.Errorf("line %d: %w", r.number, err)
		}
	}
	if err := r.end(); err != nil {
		return nil, fmt.Errorf("line %d: %w", r.number, err)
	}
	if r.p.Len() == 0 && r.deep > 0 {
		return nil, fmt.Errorf("line %d: a stack of more than %d frames: it cannot be right", r.firstDeep, callstack.MaxDepth)
	}
	if r.from >= 0 {
		r.p.Duration = r.to - r.from
	}
	r.warn(len(data) > 0 && data[len(data)-1] != '\n')
	return r.p, nil
}
