package legacy

import (
	"fmt"
	"math"
	"path"
	"strconv"
	"strings"

	"whet/internal/callstack"
	"whet/internal/lazyregexp"
)

// What the lines of a Java profile look like. Its values stand the other way
// round than in other profiles, and its addresses are no return addresses.
var (
	javaAttribute = lazyregexp.Pattern{Text: `([\w ]+)=([\w ]+)`}
	javaSample    = lazyregexp.Pattern{Text: ` *(\d+) +(\d+) +@ +([ x0-9a-f]*)`}
	javaLocation  = lazyregexp.Pattern{Text: `^\s*0x([[:xdigit:]]+)\s+(.*)\s*$`}
	javaFileLine  = lazyregexp.Pattern{Text: `^(.*)\s+\((.+):(-?[[:digit:]]+)\)$`}
	javaLibrary   = lazyregexp.Pattern{Text: `^(.*)\s+\((.*)\)$`}
)

// javaRate is the mean distance of heap samples in bytes.
const javaRate = 512 << 10

func isJavaHeap(line string) bool { return strings.TrimSpace(line) == "--- heapz 1 ---" }

// javaText reads a heap or a contention profile of a Java program:
//
//	--- heapz 1 ---
//	format = java
//	resolution = bytes
//	7048 1 @ 0x1 0x2
//
//	0x1 com.example.Store.put (Store.java:17)
func (r *reader) javaText() error {
	heap := isJavaHeap(r.lines.text)
	more, err := r.javaHeader(heap)
	if err != nil {
		return err
	}
	if r.meta.Types == nil {
		return fmt.Errorf("line %d: the profile of a Java program names no resolution, so its values have no unit", r.lines.number)
	}
	for ; more; more = r.lines.next() {
		line := strings.TrimSpace(r.lines.text)
		if line == "" {
			continue
		}
		m := javaSample.Regexp().FindStringSubmatch(line)
		if m == nil {
			break
		}
		size, err := strconv.ParseInt(m[1], 10, 64)
		count, err2 := strconv.ParseInt(m[2], 10, 64)
		stack, err3 := addresses(m[3])
		if err != nil || err2 != nil || err3 != nil || heap && count == 0 {
			r.bad()
			continue
		}
		if !heap {
			if p := r.meta.Period; p > 0 && max(size, count) > math.MaxInt64/p {
				return errSum
			} else if p != 0 {
				size, count = size*p, count*p
			}
			r.samples.add(stack, count, size)
			continue
		}
		each := size / count
		var ok bool
		if count, size, ok = scale(count, size, javaRate); !ok {
			return errSum
		}
		r.samples.add(stack, count, size)
		r.samples.label(callstack.Label{Key: "bytes", Num: each})
	}
	r.javaLocations(more)
	return nil
}

// javaHeader reads attributes up to the first line that is none, and reports
// whether there is one.
func (r *reader) javaHeader(heap bool) (more bool, err error) {
	for r.lines.next() {
		line := strings.TrimSpace(r.lines.text)
		if line == "" {
			continue
		}
		m := javaAttribute.Regexp().FindStringSubmatch(line)
		if m == nil {
			return true, nil
		}
		key, value := strings.TrimSpace(m[1]), strings.TrimSpace(m[2])
		n, notNumber := strconv.ParseInt(value, 0, 64)
		switch {
		case key == "format":
			if value != "java" {
				return false, fmt.Errorf("line %d: unknown format %q", r.lines.number, value)
			}
			continue
		case key == "resolution" && heap:
			r.meta.Types = types("inuse_objects", "count", "inuse_space", value)
			continue
		case key == "resolution":
			r.meta.Types = types("contentions", "count", "delay", value)
			continue
		case key == "sampling period" && !heap:
			r.meta.PeriodType, r.meta.Period = callstack.ValueType{Type: "contentions", Unit: "count"}, n
		case key == "ms since reset" && !heap:
			r.meta.Duration = n * 1e6
		default:
			r.bad()
			continue
		}
		if notNumber != nil || n < 0 {
			return false, fmt.Errorf("line %d: %s is %q, not a number: the unit of the values is lost", r.lines.number, key, value)
		}
	}
	return false, nil
}

// javaLocations reads the names of the addresses that samples have, which stand
// after them; the line at hand is one of these.
func (r *reader) javaLocations(more bool) {
	r.java = true
	used := make(map[uint64]bool)
	for _, a := range r.samples.addresses {
		used[a] = true
	}
	for ; more; more = r.lines.next() {
		m := javaLocation.Regexp().FindStringSubmatch(strings.TrimSpace(r.lines.text))
		if m == nil {
			continue
		}
		address, err := strconv.ParseUint(m[1], 16, 64)
		if err != nil {
			r.bad()
			continue
		}
		if !used[address] {
			continue
		}
		s := symbol{name: m[2]} // a state of the machine, such as "GC"
		if f := javaFileLine.Regexp().FindStringSubmatch(m[2]); f != nil {
			s.name, s.file = f[1], f[2]
			if n, err := strconv.ParseUint(f[3], 10, 31); err == nil {
				s.line = int(n)
			}
		} else if f := javaLibrary.Regexp().FindStringSubmatch(m[2]); f != nil {
			s.name, s.file = f[1], path.Base(f[2])
		} else if strings.Contains(m[2], "generated stub/JIT") {
			s.name = "STUB"
		}
		r.symbols.at[address] = []symbol{s}
		if r.symbols.memory += 512 + int64(len(m[2])); r.symbols.memory > r.symbols.max {
			return // it will be refused
		}
	}
}
