package legacy

import (
	"strconv"
	"strings"

	"whet/internal/callstack"
	"whet/internal/lazyregexp"
)

// A mapping is a line of /proc/self/maps, or a shorter form of it:
//
//	00400000-004a1000 r-xp 00000000 08:01 1234 /bin/program
//	0x40000-0x80000 /bin/program (@FF00) buildid
var (
	procMap = lazyregexp.Pattern{Text: `^\s*(?:0x)?([[:xdigit:]]+)[\s-]?\s*(?:0x)?([[:xdigit:]]+):?` +
		`(?:\s+([-rwxp]+))?(?:\s+([[:xdigit:]]+))?\s+[[:xdigit:]]+:[[:xdigit:]]+\s+[[:digit:]]+(?:\s+(\S+))?`}
	briefMap = lazyregexp.Pattern{Text: `^\s*(?:0x)?([[:xdigit:]]+)[\s-]?\s*(?:0x)?([[:xdigit:]]+):?` +
		`(?:\s+([-rwxp]+))?(?:\s+(\S+))?(?:\s+\(@([[:xdigit:]]+)\))?(?:\s+([[:xdigit:]]+))?`}
	logPrefix = lazyregexp.Pattern{Text: `^[^\[\]]+:[0-9]+]\s`} // "I0102 file.cc:12] "
	library   = lazyregexp.Pattern{Text: `[.]so$|[.]so[._][0-9]+`}
)

func isMapsHead(line string) bool {
	return strings.Contains(line, "--- Memory map: ---") || strings.Contains(line, "MAPPED_LIBRARIES:")
}

// sections reads what follows the samples of a text: of that, the memory map.
func (r *reader) sections() {
	for !isMapsHead(r.lines.text) && r.lines.next() {
	}
	r.memoryMap(r.lines)
}

// maxVariables is more than the one, build, that is known to be used.
const maxVariables = 64

// memoryMap reads mappings. Among them, "name=value" says what $name stands
// for in those that follow. Other lines are none.
func (r *reader) memoryMap(l lines) {
	var variables []string
	replacer := strings.NewReplacer()
	for l.next() {
		line := l.text
		if at := logPrefix.Regexp().FindStringIndex(line); at != nil {
			line = line[at[1]:]
		}
		line = replacer.Replace(line)
		m, executable, ok := parseMapping(line)
		if !ok {
			if name, value, ok := strings.Cut(line, "="); ok && len(variables) < 2*maxVariables {
				variables = append(variables, "$"+strings.TrimSpace(name), strings.TrimSpace(value))
				replacer = strings.NewReplacer(variables...)
			}
			continue
		}
		if executable {
			r.mappings = append(r.mappings, m)
		}
	}
	r.mappings = mainFirst(joined(r.mappings))
}

func parseMapping(line string) (m callstack.Mapping, executable, ok bool) {
	var start, limit, perm, offset string
	if f := procMap.Regexp().FindStringSubmatch(line); f != nil {
		start, limit, perm, offset, m.File = f[1], f[2], f[3], f[4], f[5]
	} else if f := briefMap.Regexp().FindStringSubmatch(line); f != nil {
		start, limit, perm, m.File, offset, m.BuildID = f[1], f[2], f[3], f[4], f[5], f[6]
	} else {
		return m, false, false
	}
	if perm != "" && !strings.Contains(perm, "x") {
		return m, false, true
	}
	var errs [3]error
	m.Start, errs[0] = strconv.ParseUint(start, 16, 64)
	m.Limit, errs[1] = strconv.ParseUint(limit, 16, 64)
	m.Offset, errs[2] = strconv.ParseUint("0"+offset, 16, 64)
	ok = errs == [3]error{}
	return m, ok, ok
}

// joined makes neighbours that continue each other one.
func joined(in []callstack.Mapping) (out []callstack.Mapping) {
	for _, m := range in {
		if n := len(out); n > 0 && continues(out[n-1], m) {
			last := &out[n-1]
			last.Limit = m.Limit
			if m.File != "" {
				last.File = m.File
			}
			if m.BuildID != "" {
				last.BuildID = m.BuildID
			}
			continue
		}
		out = append(out, m)
	}
	return out
}

func continues(a, b callstack.Mapping) bool {
	differ := func(a, b string) bool { return a != "" && b != "" && a != b }
	return !differ(a.File, b.File) && !differ(a.BuildID, b.BuildID) && a.Limit == b.Start &&
		(a.Offset == 0 || b.Offset == 0 || a.Offset+(a.Limit-a.Start) == b.Offset)
}

// mainFirst puts what looks like the program in front: the first mapping with
// a name that is no library and not in brackets.
func mainFirst(m []callstack.Mapping) []callstack.Mapping {
	for i := range m {
		file := strings.TrimSpace(strings.ReplaceAll(m[i].File, "(deleted)", ""))
		if file != "" && file[0] != '[' && !library.Regexp().MatchString(file) {
			m[0], m[i] = m[i], m[0]
			break
		}
	}
	return m
}

// linked is where Linux programs begin that are not position-independent.
const linked = 0x400000

// mapper says which mapping an address lies in. Its rules are pprof's: they
// mend what recorders got wrong, and depend on the order of the questions.
type mapper struct {
	mappings []callstack.Mapping
	known    map[uint64]callstack.MappingID
	rest     callstack.MappingID // holds what lies in no mapping
	steps    int                 // comparisons made
	none     bool                // addresses lie in no mapping
}

// maxSteps bounds looking addresses up one mapping after the other, which the
// rules ask for: a thousand mappings and a million addresses.
const maxSteps = 1 << 30

func newMapper(m []callstack.Mapping) *mapper {
	if len(m) > 1 && strings.HasPrefix(m[0].File, "/anon_hugepage") && m[0].Limit == m[1].Start {
		m = m[1:]
	}
	if len(m) > 0 && m[0].Start-m[0].Offset == linked {
		m[0].Start, m[0].Offset = linked, 0
	}
	return &mapper{mappings: m, known: make(map[uint64]callstack.MappingID), rest: callstack.NoMapping}
}

func (m *mapper) of(address uint64) callstack.MappingID {
	id, ok := m.known[address]
	if !ok {
		id = m.find(address)
		m.known[address] = id
	}
	return id
}

func (m *mapper) find(a uint64) callstack.MappingID {
	if a == 0 || m.none {
		return callstack.NoMapping
	}
	m.steps += len(m.mappings)
	for i := range m.mappings {
		if p := &m.mappings[i]; p.Start <= a && a < p.Limit {
			return callstack.MappingID(i)
		}
	}
	for i := range m.mappings { // the file's first part was left out
		if p := &m.mappings[i]; p.Start-p.Offset <= a && a < p.Start {
			p.Start -= p.Offset
			p.Offset = 0
			return callstack.MappingID(i)
		}
	}
	if m.rest == callstack.NoMapping {
		m.rest = callstack.MappingID(len(m.mappings))
		m.mappings = append(m.mappings, callstack.Mapping{Limit: ^uint64(0)})
	}
	return m.rest
}
