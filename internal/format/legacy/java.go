package legacy

import (
	"errors"
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
	javaSample   = lazyregexp.Pattern{Text: ` *(\d+) +(\d+) +@ +([ x0-9a-f]*)`}
	javaLocation = lazyregexp.Pattern{Text: `^\s*0x([[:xdigit:]]+)\s+(.*)\s*$`}
	javaFileLine = lazyregexp.Pattern{Text: `^(.*)\s+\((.+):(-?[[:digit:]]+)\)$`}
	javaLibrary  = lazyregexp.Pattern{Text: `^(.*)\s+\((.*)\)$`}
)

// javaRate is the mean distance of heap samples in bytes.
const javaRate = 512 << 10

// javaHeap reads a heap profile of a Java program:
//
//	--- heapz 1 ---
//	format = java
//	resolution = bytes
//	7048 1 @ 0x1 0x2
//
//	0x1 com.example.Store.put (Store.java:17)
func (r *reader) javaHeap() error {
	a, err := r.attributes()
	if err != nil {
		return err
	}
	r.meta.Types = types("inuse_objects", "count", "inuse_space", a.resolution)
	return r.javaSamples(a, func(size, count int64) (int64, int64, bool) { return scale(count, size, javaRate) })
}

// javaContention reads the waits of a Java program after their attributes.
func (r *reader) javaContention(a attributes) error {
	r.meta.Types = types("contentions", "count", "delay", a.resolution)
	by := int64(1)
	if a.sampled {
		r.meta.PeriodType, r.meta.Period = r.meta.Types[0], a.period
		by = max(by, a.period)
	}
	return r.javaSamples(a, func(delay, count int64) (int64, int64, bool) {
		return count * by, delay * by, max(delay, count) <= math.MaxInt64/by
	})
}

// javaSamples reads samples and their locations. values makes of a sample's two
// numbers the values that it stands for.
func (r *reader) javaSamples(a attributes, values func(n, count int64) (int64, int64, bool)) error {
	if a.resolution == "" {
		return fmt.Errorf("line %d: the profile of a Java program names no resolution, so its values have no unit", r.lines.number)
	}
	if a.period < 0 || r.meta.Duration < 0 {
		return errors.New("its sampling period or its duration is negative: it is damaged")
	}
	heap := r.meta.Types[0].Type == "inuse_objects"
	more := a.more
	for ; more; more = r.lines.next() {
		line := strings.TrimSpace(r.lines.text)
		if line == "" {
			continue
		}
		m := javaSample.Regexp().FindStringSubmatch(line)
		if m == nil {
			break
		}
		stack, n, err := parse(m[3], m[1], m[2])
		if err != nil || heap && n[1] == 0 {
			r.bad()
			continue
		}
		count, size, ok := values(n[0], n[1])
		if !ok {
			return errSum
		}
		r.samples.add(stack, count, size)
		if heap {
			r.samples.label(callstack.Label{Key: "bytes", Num: n[0] / n[1]})
		}
	}
	r.javaLocations(more)
	return nil
}

// javaLocations reads the names of the addresses that samples have, which stand
// after them; the line at hand is one of these.
func (r *reader) javaLocations(more bool) {
	r.java = true
	used := make(map[uint64]bool)
	for _, sample := range r.samples.list {
		for _, a := range sample.stack {
			used[a] = true
		}
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
