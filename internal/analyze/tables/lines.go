package tables

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Bounds on what one run reads. A line of other output may be of any length.
const (
	maxLine = 60_000 // bytes of a line that is read; the reader after it takes 65,536
	maxKeys = 1_000  // different configuration keys
)

// Error is a place in a file that cannot be read.
type Error struct {
	File string
	Line int // from 1; 0: the file as a whole
	Text string
}

func (e *Error) Error() string {
	if e.Line == 0 {
		return e.File + ": " + e.Text
	}
	return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Text)
}

// lines feeds a file to benchfmt's reader line by line: a Read returns at most one
// line. So text holds the line of the current record. It blanks and counts lines
// that are neither results nor settings; a line that shows that the file is damaged
// ends the input.
type lines struct {
	in   *bufio.Reader
	file string
	keys map[string]bool // configuration keys of all files so far

	text []byte // of the current line, without its end
	out  []byte // the line as benchfmt sees it
	rest []byte // of out, still to be read
	end  error  // what comes after rest

	n          int // lines so far
	other      int
	unended    bool // the current line has no line break: the file ends here
	failed     int  // first line where go test says that something failed
	failure    string
	firstOther string // for what a file without results may be
}

func newLines(file string, r io.Reader, keys map[string]bool) *lines {
	return &lines{in: bufio.NewReaderSize(r, maxLine), file: file, keys: keys}
}

func (l *lines) fault(format string, args ...any) error {
	return &Error{l.file, l.n, fmt.Sprintf(format, args...)}
}

// Read implements io.Reader.
func (l *lines) Read(p []byte) (int, error) {
	for len(l.rest) == 0 {
		if l.end != nil {
			return 0, l.end
		}
		l.next()
	}
	n := copy(p, l.rest)
	l.rest = l.rest[n:]
	return n, nil
}

// next fills rest with the next line as benchfmt shall see it.
func (l *lines) next() {
	line, err := l.in.ReadSlice('\n')
	if len(line) == 0 && err != nil {
		l.end = err // benchfmt says where
		return
	}
	l.n++
	if l.n == 1 {
		line = bytes.TrimPrefix(line, []byte("\ufeff"))
	}
	if bytes.IndexByte(line, 0) >= 0 {
		l.end = l.fault("%s", binary(line))
		return
	}
	long := errors.Is(err, bufio.ErrBufferFull)
	l.text = append(l.text[:0], line...)
	for errors.Is(err, bufio.ErrBufferFull) {
		_, err = l.in.ReadSlice('\n')
	}
	l.unended = err != nil
	if err != nil && !errors.Is(err, io.EOF) {
		l.end = err
		return
	}
	l.text = bytes.TrimSuffix(bytes.TrimSuffix(l.text, []byte("\n")), []byte("\r"))
	keep, fault := l.classify(l.text, long)
	if fault != nil {
		l.end = fault
		return
	}
	l.out = l.out[:0]
	if keep {
		l.out = append(l.out, l.text...)
	}
	l.out = append(l.out, '\n')
	l.rest = l.out
}

// classify reports whether benchfmt shall see a line.
func (l *lines) classify(line []byte, long bool) (keep bool, err error) {
	switch {
	case len(bytes.TrimSpace(line)) == 0:
		return false, nil
	case bytes.HasPrefix(line, []byte("Benchmark")):
		keep = true
	case isUnit(line):
		keep = true
	case bytes.HasPrefix(line, []byte("panic: ")): // and not a key with its value
	default:
		key, ok := settingKey(line)
		if ok && !l.keys[key] {
			if len(l.keys) >= maxKeys {
				return false, l.fault("more than %d different keys before a colon: not benchmark results; if some lines are, select them with grep", maxKeys)
			}
			l.keys[key] = true
		}
		keep = ok
	}
	if keep && long {
		return false, l.fault("the line has more than %d bytes", maxLine)
	}
	if keep && !utf8.Valid(line) {
		return false, l.fault("the line is not UTF-8 text: the file is damaged, or in another encoding")
	}
	if !keep {
		l.skip(line)
		if name := gluedResult(line); name != "" {
			return false, l.fault("the result of %s follows other output on its line: put the output on its own line, or remove the line", name)
		}
	}
	return keep, nil
}

// skip counts a line of other output. What go test itself prints around
// results is not counted.
func (l *lines) skip(line []byte) {
	s := string(line[:min(len(line), 200)])
	for _, own := range []string{"PASS", "ok  \t", "?   \t", "=== ", "--- BENCH: ", "--- PASS: ", "--- SKIP: "} {
		if strings.HasPrefix(strings.TrimLeft(s, " "), own) {
			return
		}
	}
	for _, bad := range []string{"FAIL", "--- FAIL: ", "panic: ", "fatal error: ", "exit status "} {
		if strings.HasPrefix(strings.TrimLeft(s, " "), bad) {
			if l.failed == 0 {
				l.failed, l.failure = l.n, strings.TrimSpace(s)
			}
			return
		}
	}
	l.other++
	if l.firstOther == "" {
		l.firstOther = s
	}
}

// binary says what a line with a zero byte is.
func binary(line []byte) string {
	switch {
	case bytes.HasPrefix(line, []byte("\x1f\x8b")):
		return "this is a gzip file, not text: unpack it first"
	case bytes.HasPrefix(line, []byte("\xff\xfe")), bytes.HasPrefix(line, []byte("\xfe\xff")):
		return "this is UTF-16, which PowerShell's > writes: write it again as UTF-8"
	}
	return "this is not text: it contains a zero byte"
}

// isUnit recognises metadata of units: "Unit UNIT KEY=VALUE…". Prose that
// begins with the word has no "=".
func isUnit(line []byte) bool {
	fields := bytes.Fields(line[:min(len(line), maxLine)])
	return len(fields) > 2 && string(fields[0]) == "Unit" && line[0] == 'U' && bytes.IndexByte(bytes.Join(fields[2:], nil), '=') > 0
}

// settingKey returns the key of a "key: value" line: it begins with a lower
// case letter and holds neither white space nor upper case.
func settingKey(line []byte) (key string, ok bool) {
	colon := bytes.IndexByte(line, ':')
	if colon <= 0 {
		return "", false
	}
	key = string(line[:colon])
	first, _ := utf8.DecodeRuneInString(key)
	if !unicode.IsLower(first) || strings.ContainsFunc(key, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsUpper(r) }) {
		return "", false
	}
	value := line[colon+1:]
	return key, len(value) == 0 || value[0] == ' ' || value[0] == '\t'
}

// gluedResult finds a result that a program's output pushed to the right:
// "doneBenchmarkX-2  100  5 ns/op". benchfmt passes it over, and the benchmark
// would be missing without a word. A comment may quote one.
func gluedResult(line []byte) (name string) {
	i := bytes.LastIndex(line, []byte("Benchmark"))
	if i <= 0 || line[0] == '#' || line[0] == '/' {
		return ""
	}
	fields := strings.Fields(string(line[i:]))
	if len(fields) < 4 || !isCount(fields[1]) || fields[3] != "ns/op" {
		return ""
	}
	return fields[0]
}

func isCount(s string) bool {
	return strings.Trim(s, "0123456789") == ""
}
