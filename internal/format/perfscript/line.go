package perfscript

import (
	"bytes"
	"strconv"
)

// header is the first line of a sample.
type header struct {
	comm      string
	pid, tid  int64 // -1 where not printed
	time      int64 // nanoseconds, -1 where not printed
	event     string
	period    int64
	hasPeriod bool
	leaf      frame
	hasLeaf   bool // on this line, as without call chains
	isBranch  bool // the sample is a branch, and leaf is where it leaves
}

// parseHeader reads a line such as
//
//	w 23460/23461 [001] 35175.016725:    5025125 cpu-clock:pppH:
//
// of which -F may leave out any part. The time, or else the thread, is where
// the parts in front of it, a name that may have blanks, are told from those
// after it.
func parseHeader(line []byte) (h header, ok bool) {
	h.pid, h.tid, h.time = -1, -1, -1
	front, back := line, []byte(nil)
	for from := 0; from < len(line); {
		start, end := word(line, from)
		if end == start {
			break
		}
		if t, ok := clock(line[start:end]); ok {
			h.time, front, back = t, line[:start], line[end:]
			break
		}
		from = end
	}
	if h.time < 0 {
		front, back = splitAtThread(line)
	}
	h.who(front)
	h.what(back)
	return h, h.event != "" || h.time >= 0 || h.tid >= 0
}

// word returns the next run of non-blanks.
func word(line []byte, from int) (start, end int) {
	for start = from; start < len(line) && (line[start] == ' ' || line[start] == '\t'); start++ {
	}
	for end = start; end < len(line) && line[end] != ' ' && line[end] != '\t'; end++ {
	}
	return start, end
}

// clock reads "35175.016725:".
func clock(w []byte) (ns int64, ok bool) {
	w, ok = bytes.CutSuffix(w, []byte(":"))
	sec, frac, point := bytes.Cut(w, []byte("."))
	if !ok || !point || len(frac) != 6 && len(frac) != 9 {
		return 0, false
	}
	s, err := strconv.ParseUint(string(sec), 10, 33)
	f, err2 := strconv.ParseUint(string(frac), 10, 64)
	if err != nil || err2 != nil {
		return 0, false
	}
	if len(frac) == 6 {
		f *= 1000
	}
	return int64(s)*1e9 + int64(f), true
}

// splitAtThread divides a line without a time after "23460" or "23460/23461",
// and the processor if there is one. A number in a column of ten is a period,
// and the line is divided in front of it.
func splitAtThread(line []byte) (front, back []byte) {
	_, from := word(line, 0)
	for from < len(line) {
		start, end := word(line, from)
		if end == start {
			break
		}
		if _, err := strconv.ParseUint(string(line[start:end]), 10, 64); err == nil && end-from > 10 {
			return line[:start], line[start:]
		}
		if _, _, ok := threadOf(line[start:end]); ok {
			if s, e := word(line, end); e > s && isProcessor(line[s:e]) {
				end = e
			}
			return line[:end], line[end:]
		}
		from = end
	}
	return nil, line
}

// threadOf reads "23460", a thread, or "23460/23461", a process and a thread.
func threadOf(w []byte) (pid, tid int64, ok bool) {
	p, t, both := bytes.Cut(w, []byte("/"))
	tid, err := strconv.ParseInt(string(p), 10, 64)
	if err != nil || !both {
		return -1, tid, err == nil
	}
	pid = tid
	tid, err = strconv.ParseInt(string(t), 10, 64)
	return pid, tid, err == nil
}

func isProcessor(w []byte) bool {
	return len(w) > 2 && w[0] == '[' && w[len(w)-1] == ']' && bytes.Trim(w[1:len(w)-1], "0123456789") == nil
}

// who reads the parts in front of the time, from the back: processor and
// flags, thread, name.
func (h *header) who(front []byte) {
	front = bytes.TrimSpace(front)
	name := front
	for len(front) > 0 {
		i := bytes.LastIndexAny(front, " \t") + 1
		if pid, tid, ok := threadOf(front[i:]); ok {
			h.pid, h.tid = pid, tid
			name = front[:i]
			break
		}
		front = bytes.TrimSpace(front[:i])
	}
	h.comm = string(bytes.TrimSpace(name))
}

// what reads the parts after the time: period, event, and the rest.
func (h *header) what(back []byte) {
	start, end := word(back, 0)
	if n, err := strconv.ParseInt(string(back[start:end]), 10, 64); err == nil && n >= 0 {
		if s, e := word(back, end); e > s && back[e-1] == ':' {
			h.period, h.hasPeriod = n, true
			start, end = s, e
		}
	}
	if event, ok := bytes.CutSuffix(back[start:end], []byte(":")); ok && len(event) > 0 {
		h.event = string(event)
		// An address stands in a column of its own, what a tracepoint says
		// after one blank.
		if rest := back[end:]; bytes.HasPrefix(rest, []byte("  ")) && !h.branch(rest) {
			h.leaf, h.hasLeaf = parseFrame(rest)
		}
	}
}

// branch reads a place and the one that a branch goes to from there, as of
// samples of Intel PT and BTS:
//
//	call     401136 main+0x10 (/bin/x) =>     401020 puts+0x0 (/bin/x)
//
// The kind of branch in front may have been left out. The sample's own place is
// the first, as perf report has it.
func (h *header) branch(text []byte) bool {
	i, _ := arrow(text)
	if i < 0 {
		return false
	}
	for text = text[:i]; len(text) > 0; {
		_, end := word(text, 0)
		if f, ok := parseFrame(text); ok {
			h.leaf, h.hasLeaf, h.isBranch = f, true, true
			return true
		}
		text = text[end:]
	}
	return false
}

// isArrow reports whether a line is two addresses with an arrow between them.
func isArrow(line []byte) bool {
	i, ok := arrow(line)
	if !ok {
		return false
	}
	_, ok = parseFrame(line[:i])
	return ok
}

// maxGap is more than perf puts after an arrow: blanks and an address.
const maxGap = 64

// arrow finds "=>", or "->", and an address after it.
func arrow(text []byte) (at int, ok bool) {
	for _, sign := range []string{"=>", "->"} {
		for from := 0; ; {
			i := bytes.Index(text[from:], []byte(sign))
			if i < 0 {
				break
			}
			from += i + len(sign)
			near := text[:min(len(text), from+maxGap)]
			start, end := word(near, from)
			if _, err := strconv.ParseUint(string(bytes.TrimPrefix(near[start:end], []byte("0x"))), 16, 64); err == nil {
				return from - len(sign), true
			}
		}
	}
	return -1, false
}

// frame is a line of a call chain.
type frame struct {
	ip      uint64
	name    string // "" where unknown
	object  string // "" where unknown
	inlined bool   // into the next frame
}

// parseFrame reads a line such as
//
//	a1b96 main.work+0xb6 (/srv/hash)
//
// in which offset and object may be left out, and names may have blanks.
func parseFrame(line []byte) (f frame, ok bool) {
	start, end := word(line, 0)
	ip, err := strconv.ParseUint(string(line[start:end]), 16, 64)
	if err != nil || end-start < 1 {
		return f, false
	}
	f.ip = ip
	rest := bytes.TrimSpace(line[end:])
	if i := bytes.Index(rest, []byte(" 0x")); i >= 0 && bytes.IndexByte(rest[i:], '/') > 0 {
		rest = bytes.TrimSpace(rest[:i]) // branch records after it
	}
	if n := len(rest); n > 0 && rest[n-1] == ')' {
		if open := opening(rest); open == 0 || open > 0 && rest[open-1] == ' ' {
			object := string(rest[open+1 : n-1])
			switch object {
			case "inlined":
				f.inlined = true
			case "[unknown]", "":
			default:
				f.object = object
			}
			rest = bytes.TrimSpace(rest[:max(0, open)])
		}
	}
	if plus := bytes.LastIndex(rest, []byte("+0x")); plus > 0 {
		if _, err := strconv.ParseUint(string(rest[plus+3:]), 16, 64); err == nil {
			rest = rest[:plus]
		}
	}
	if name := string(rest); name != "[unknown]" {
		f.name = name
	}
	return f, true
}

// opening returns where the parenthesis opens that the last byte closes, or -1.
func opening(text []byte) int {
	depth := 0
	for i := len(text) - 1; i >= 0; i-- {
		switch text[i] {
		case ')':
			depth++
		case '(':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// parseSourceLine reads what -F srcline prints below a frame: "go.go:12", perhaps
// with a remark in parentheses after it.
func parseSourceLine(line []byte) (file string, number int, ok bool) {
	text := bytes.TrimSpace(line)
	if i := bytes.Index(text, []byte(" (")); i > 0 {
		text = text[:i]
	}
	colon := bytes.LastIndexByte(text, ':')
	if colon <= 0 || string(text[:colon]) == "??" {
		return "", 0, false
	}
	n, err := strconv.ParseUint(string(text[colon+1:]), 10, 31)
	if err != nil {
		return "", 0, false
	}
	return string(text[:colon]), int(n), true
}
