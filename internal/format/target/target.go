package target

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Target is a request as a file lists it.
type Target struct {
	Method string // "" where the file has none
	URL    string
	Header []Field
	Body   []byte
	Weight float64 // 0: none is given
	Line   int     // on which it begins, from 1

	// Recorded targets were sent as they are: no part of them is a template.
	Recorded bool
}

// Field is a line of a header.
type Field struct{ Name, Value string }

// Format is the format of a list of requests.
type Format int

const (
	Unknown Format = iota
	HTTP           // vegeta's http format
	JSON           // vegeta's JSON format
	HAR            // an HTTP archive
)

func (f Format) String() string {
	switch f {
	case HTTP:
		return "http"
	case JSON:
		return "json"
	case HAR:
		return "har"
	}
	return "unknown"
}

// The limits of what is read.
const (
	maxInput   = 1 << 30   // bytes of a file
	maxBodies  = 1 << 30   // bytes of all bodies together
	maxTargets = 1_000_000 // in a file
	maxLine    = 1 << 20   // bytes, of the http format
	maxHeader  = 1000      // fields of a target
	sniffed    = 1 << 10   // bytes that are looked at for the format
)

// Options configure the reading of a file.
type Options struct {
	Name   string // of the file in errors
	Format Format // Unknown: as Sniff says
	// File reads the body that a target in the http format refers to, by the name in
	// the target. Without it such targets are refused.
	File func(name string) ([]byte, error)
}

// Reader reads targets one after the other.
type Reader struct {
	o    Options
	in   *lines
	next func() (Target, error)

	targets  int
	bodies   int64
	files    map[string][]byte
	err      error
	warnings []string
	skipped  int
}

// NewReader begins to read. Its errors are those of Next.
func NewReader(r io.Reader, o Options) *Reader {
	buffered := bufio.NewReaderSize(r, 1<<16)
	if o.Format == Unknown {
		o.Format = Sniff(head(buffered, len(`{"log"`)))
	}
	t := &Reader{o: o, in: &lines{r: buffered}, files: make(map[string][]byte)}
	switch o.Format {
	case JSON:
		t.next = newJSON(t).next
	case HAR:
		t.next = newHAR(t).next
	default:
		t.next = newHTTP(t).next
	}
	return t
}

// head returns the begin of what a reader holds: as much as has that many bytes other
// than blanks, and no more, since a pipe may be long in bringing it.
func head(r *bufio.Reader, solid int) []byte {
	for n := 1; ; n++ {
		b, err := r.Peek(n)
		if err != nil || len(bytes.Join(bytes.Fields(b), nil)) >= solid+len(byteOrderMark) || n == sniffed {
			return b // an error comes again when it is read
		}
	}
}

// Format returns the format of the file.
func (r *Reader) Format() Format { return r.o.Format }

// Warnings lists what was left out so far.
func (r *Reader) Warnings() []string {
	if r.skipped > len(r.warnings) {
		return append(slices.Clip(r.warnings), fmt.Sprintf("%s: %d more entries were skipped", r.o.Name, r.skipped-len(r.warnings)))
	}
	return r.warnings
}

// skip takes note of an entry that is left out.
func (r *Reader) skip(line int, why string) {
	const most = 10
	if r.skipped++; r.skipped <= most {
		r.warnings = append(r.warnings, fmt.Sprintf("%s:%d: skipped: %s", r.o.Name, line, why))
	}
}

// Next returns the next target, and io.EOF after the last one. After an error
// there are no more.
func (r *Reader) Next() (Target, error) {
	if r.err != nil {
		return Target{}, r.err
	}
	t, err := r.next()
	if err == nil {
		r.targets++
		r.bodies += int64(len(t.Body))
		switch {
		case r.targets > maxTargets:
			err = fmt.Errorf("more than %d targets", maxTargets)
		case r.bodies > maxBodies:
			err = fmt.Errorf("the bodies up to here total more than %d bytes", maxBodies)
		case len(t.Header) > maxHeader:
			err = fmt.Errorf("more than %d headers", maxHeader)
		case !(t.Weight >= 0) || t.Weight > 1e300:
			err = fmt.Errorf("weight %g is not a number above 0", t.Weight)
		}
		if err != nil {
			err = r.at(t.Line, err)
		}
	}
	if err != nil {
		r.err = err
		return Target{}, err
	}
	return t, nil
}

// at says where in the file an error is.
func (r *Reader) at(line int, err error) error {
	return fmt.Errorf("read targets: %s:%d: %w", r.o.Name, line, err)
}

// body returns what a file holds that a target refers to. Each is read once.
func (r *Reader) body(name string) ([]byte, error) {
	if b, ok := r.files[name]; ok {
		r.bodies -= int64(len(b)) // it is in memory once
		return b, nil
	}
	if r.o.File == nil {
		return nil, fmt.Errorf("body @%.60s: body files are not supported here", name)
	}
	b, err := r.o.File(name)
	if err != nil {
		return nil, fmt.Errorf("body @%.60s: %w", name, err)
	}
	r.files[name] = b
	return b, nil
}

// ReadAll reads all targets, of which there must be one at least.
func ReadAll(r io.Reader, o Options) (targets []Target, warnings []string, err error) {
	in := NewReader(r, o)
	for {
		t, err := in.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, nil, err
		}
		targets = append(targets, t)
	}
	if len(targets) == 0 {
		err := fmt.Errorf("read targets: %s: no targets in it (%s format)", o.Name, in.Format())
		if w := in.Warnings(); len(w) > 0 {
			err = fmt.Errorf("%w; %s", err, w[0])
		}
		return nil, nil, err
	}
	return targets, in.Warnings(), nil
}

// Sniff returns the format of a file from its beginning. Text that is not JSON is taken
// as the http format, whose errors then describe the fault.
func Sniff(head []byte) Format {
	text := strings.TrimLeft(strings.TrimPrefix(string(head), byteOrderMark), " \t\r\n")
	if strings.HasPrefix(text, "[") {
		return JSON
	}
	rest, ok := strings.CutPrefix(text, "{")
	if !ok {
		return HTTP
	}
	if strings.HasPrefix(strings.TrimLeft(rest, " \t\r\n"), `"log"`) {
		return HAR
	}
	return JSON
}

const byteOrderMark = "\ufeff"

// lines is a bounded reader that knows on which line a byte of what was read
// from it lies.
type lines struct {
	r      *bufio.Reader
	read   int64
	breaks []int64 // where lines ended that were not asked for yet
	before int     // lines that ended before those
	begun  bool
}

// errTooLong is the error of input longer than maxInput.
var errTooLong = fmt.Errorf("more than %d bytes", int64(maxInput))

func (l *lines) Read(p []byte) (int, error) {
	if !l.begun {
		l.begun = true
		if mark, _ := l.r.Peek(len(byteOrderMark)); string(mark) == byteOrderMark {
			if _, err := l.r.Discard(len(mark)); err != nil {
				return 0, err
			}
		}
	}
	n, err := l.r.Read(p)
	for i, c := range p[:n] {
		if c == '\n' {
			l.breaks = append(l.breaks, l.read+int64(i))
		}
	}
	if l.read += int64(n); l.read > maxInput {
		return 0, errTooLong
	}
	return n, err
}

// line returns the line on which a byte lies. Offsets must not go back.
func (l *lines) line(offset int64) int {
	i, _ := slices.BinarySearch(l.breaks, offset)
	l.before += i
	l.breaks = l.breaks[i:]
	return l.before + 1
}
