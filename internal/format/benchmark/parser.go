package benchmark

import (
	"bytes"
	"slices"
	"strings"
	"unicode"
)

// Bounds on what a parser keeps of output that may be anything.
const (
	maxLine  = 1 << 16 // bytes of one line: its first and last half
	maxLines = 1 << 16 // results
	maxKeys  = 64      // settings
)

// Parser reads output as it is written to it. The zero value is ready.
type Parser struct {
	head, tail []byte // of the current line
	cut        bool   // the line was longer than both
	open       string // full name of the benchmark whose figures are due
	lines      []Line // Name still with its suffix
	settings   []Setting
	units      map[string]Better // declared
	dropped    int
}

// Write takes the next piece of output. It never fails.
func (p *Parser) Write(b []byte) (int, error) {
	n := len(b)
	for len(b) > 0 {
		i := bytes.IndexByte(b, '\n')
		if i < 0 {
			p.add(b)
			break
		}
		p.add(b[:i])
		p.endLine()
		b = b[i+1:]
	}
	return n, nil
}

func (p *Parser) add(b []byte) {
	const half = maxLine / 2
	if room := half - len(p.head); room > 0 {
		take := min(room, len(b))
		p.head = append(p.head, b[:take]...)
		b = b[take:]
	}
	if len(b) > half {
		b, p.cut = b[len(b)-half:], true
		p.tail = p.tail[:0]
	}
	if over := len(p.tail) + len(b) - half; over > 0 {
		p.cut = true
		p.tail = slices.Delete(p.tail, 0, over)
	}
	p.tail = append(p.tail, b...)
}

func (p *Parser) endLine() {
	line := string(p.head)
	if p.cut {
		line += " \x00 " // matches nothing, keeps the two ends apart
	}
	line += string(p.tail)
	p.head, p.tail, p.cut = p.head[:0], p.tail[:0], false
	p.line(strings.TrimSuffix(line, "\r"))
}

func (p *Parser) line(line string) {
	// A clean line.
	if name, rest, _ := cutField(line); validName(name) {
		if l, ok := parseFigures(name, rest); ok {
			p.take(l)
			return
		}
	}
	// The name as the testing package writes it, padded and with a tab,
	// perhaps after something printed without a newline; then the figures at
	// the line's end.
	if name, rest, ok := findHeader(line); ok {
		p.open = name
		if l, ok := trailingFigures(name, rest); ok {
			p.take(l)
		} else {
			p.unitLine(rest) // what a benchmark prints first stands on the line of its name
		}
		return
	}
	if p.unitLine(line) {
		return
	}
	// Under -v the name stands alone when the benchmark starts.
	if validName(line) && strings.IndexFunc(line, unicode.IsSpace) < 0 {
		p.open = line
		return
	}
	if p.open != "" {
		if l, ok := trailingFigures(p.open, line); ok {
			p.take(l)
			return
		}
	}
	if key, value, ok := strings.Cut(line, ": "); ok && isKey(key) && len(p.settings) < maxKeys {
		s := Setting{key, strings.TrimSpace(value)}
		if i := slices.IndexFunc(p.settings, func(o Setting) bool { return o.Key == key }); i >= 0 {
			p.settings[i] = s
		} else {
			p.settings = append(p.settings, s)
		}
	}
}

func (p *Parser) take(l Line) {
	p.open = ""
	if len(p.lines) == maxLines {
		p.dropped++
		return
	}
	p.lines = append(p.lines, l)
}

// Open returns the full name of the benchmark that began and has no result
// yet, "" when there is none.
func (p *Parser) Open() string { return p.open }

// Dropped returns the number of results beyond those kept.
func (p *Parser) Dropped() int { return p.dropped }

// Settings returns the lines "goos: linux" and the like, the last of each key.
func (p *Parser) Settings() []Setting { return slices.Clone(p.settings) }

// Lines returns the results so far. procs is the GOMAXPROCS they ran with: only that
// suffix is taken off, and none when procs is 1. With 0 any suffix is.
func (p *Parser) Lines(procs int) []Line {
	out := slices.Clone(p.lines)
	for i := range out {
		out[i].Name, out[i].Procs = splitProcs(out[i].Name, procs)
	}
	return out
}

// Full returns the names of the results so far as printed, with their suffixes.
func (p *Parser) Full() []string {
	out := make([]string, len(p.lines))
	for i, l := range p.lines {
		out[i] = l.Name
	}
	return out
}

// Parse returns the results in a text whose processors are not known.
func Parse(text []byte) []Line {
	var p Parser
	p.Write(text)
	p.Flush()
	return p.Lines(0)
}

// Flush ends a last line that has no newline.
func (p *Parser) Flush() {
	if len(p.head) > 0 {
		p.endLine()
	}
}

// findHeader finds a benchmark's name followed by blanks and a tab.
func findHeader(line string) (name, rest string, ok bool) {
	for at := 0; ; {
		i := strings.Index(line[at:], "Benchmark")
		if i < 0 {
			return "", "", false
		}
		at += i
		name, rest, blank := cutField(line[at:])
		if validName(name) && strings.Contains(blank, "\t") {
			return name, rest, true
		}
		at += len("Benchmark")
	}
}

// cutField cuts off the first field; blank is what stood after it.
func cutField(line string) (field, rest, blank string) {
	end := strings.IndexFunc(line, unicode.IsSpace)
	if end < 0 {
		return line, "", ""
	}
	field, rest = line[:end], strings.TrimLeftFunc(line[end:], unicode.IsSpace)
	return field, rest, line[end : len(line)-len(rest)]
}

// trailingFigures parses the figures at the end of a line that began with
// anything else. The count is the number before the first tab that is
// followed by figures up to the line's end.
func trailingFigures(name, line string) (Line, bool) {
	for at := 0; ; {
		i := strings.IndexByte(line[at:], '\t')
		if i < 0 {
			return Line{}, false
		}
		tab := at + i
		at = tab + 1
		start := tab
		for start > 0 && '0' <= line[start-1] && line[start-1] <= '9' {
			start--
		}
		// The count is padded to eight places: a longer run of digits may
		// have begun in what the benchmark printed, and so may one that
		// stands against a sign or a point.
		if start == tab || !standsAlone(line[:start], tab-start) {
			continue
		}
		if l, ok := parseFigures(name, line[start:]); ok && measured(l) {
			return l, true
		}
	}
}

func standsAlone(before string, digits int) bool {
	if before == "" {
		return true
	}
	switch c := before[len(before)-1]; c {
	case ' ', '\t':
		return true
	default:
		return digits >= 8 && c != '-' && c != '.' && c != '+' && c != ','
	}
}

// measured tells figures from a table that a benchmark happens to print.
func measured(l Line) bool { return !l.NoTime || l.AllocsPerOp != nil }

// isKey reports whether key is one of the format: it begins with a lower-case
// letter and has neither upper case nor blanks.
func isKey(key string) bool {
	for i, r := range key {
		if unicode.IsUpper(r) || unicode.IsSpace(r) || i == 0 && !unicode.IsLower(r) {
			return false
		}
	}
	return key != "" && len(key) <= 64
}
