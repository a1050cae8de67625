package legacy

import (
	"fmt"
	"strconv"
	"strings"

	"whet/internal/callstack"
	"whet/internal/lazyregexp"
)

var (
	countLine      = lazyregexp.Pattern{Text: `^(\d+) @((?: 0x[0-9a-f]+)*)$`}
	contentionLine = lazyregexp.Pattern{Text: `(\d+) *(\d+) @([ x0-9a-f]*)`}
)

// parse reads the addresses of a stack, each "0x" and digits, whatever stands
// between them, and the numbers before it.
func parse(stack string, numbers ...string) (addresses []uint64, values []int64, err error) {
	for _, n := range numbers {
		v, err := strconv.ParseInt(n, 10, 64)
		if err != nil {
			return nil, nil, err
		}
		values = append(values, v)
	}
	addresses = make([]uint64, 0, strings.Count(stack, "0x"))
	for {
		_, after, ok := strings.Cut(stack, "0x")
		if !ok {
			return addresses, values, nil
		}
		stack = strings.TrimLeft(after, "0123456789abcdef")
		digits := after[:len(after)-len(stack)]
		if digits == "" {
			continue
		}
		a, err := strconv.ParseUint(digits, 16, 64)
		if err != nil {
			return nil, nil, err
		}
		addresses = append(addresses, a)
	}
}

// stacks reads samples and the comments below them, from the line at hand on if
// there is one, up to a line at which they end; then the memory map. A line that
// sample returns an error for is left out, but for errSum.
func (r *reader) stacks(more bool, end func(line string) bool, sample func(line string) error) error {
	for ; more; more = r.lines.next() {
		line := r.lines.text
		if isComment(line) {
			r.comment(line)
			continue
		}
		if end(line) {
			break
		}
		if err := sample(line); err == errSum {
			return err
		} else if err != nil {
			r.bad()
		}
	}
	r.symbols.end()
	r.sections()
	return nil
}

// comment reads what a comment says of the last sample, or of its addresses.
func (r *reader) comment(line string) {
	line = strings.TrimSpace(line)
	if labels, ok := strings.CutPrefix(line, "# labels: "); ok {
		r.samples.label(callstack.QuotedLabels(strings.TrimPrefix(labels, "{"), ":")...)
		return
	}
	r.symbols.comment(line)
}

// sample adds one with the addresses that calls return to, and makes the
// comments that follow its own.
func (r *reader) sample(stack []uint64, values ...int64) {
	calls(stack)
	r.samples.add(stack, values...)
	r.symbols.begin(stack)
	if r.samples.full() {
		r.lines.rest = nil // it will be refused
	}
}

// counts reads what runtime/pprof prints of goroutines, threads and profiles of
// the program's own:
//
//	goroutine profile: total 1001
//	1 @ 0x4429b1 0x47e85d
//	# labels: {"endpoint":"/"}
//	#	0x47e85c	main.f+0x1c	/src/main.go:7
func (r *reader) counts() error {
	kind, total, _ := strings.Cut(r.lines.text, " profile: total ")
	r.meta.Types = types(kind, "count")
	r.meta.PeriodType, r.meta.Period = r.meta.Types[0], 1
	var sum float64
	end := func(line string) bool { return strings.HasPrefix(line, "---") }
	err := r.stacks(r.lines.next(), end, func(line string) error {
		m := countLine.Regexp().FindStringSubmatch(line)
		if m == nil {
			return errMalformed
		}
		stack, n, err := parse(m[2], m[1])
		if err != nil {
			return err
		}
		r.sample(stack, n...)
		sum += float64(n[0])
		return nil
	})
	if want, notNumber := strconv.ParseFloat(total, 64); notNumber == nil && sum < want {
		r.say("its stacks sum to %.0f, but its first line says %.0f: it was cut off, or damaged", sum, want)
	}
	return err
}

func isContention(line string) bool {
	return strings.HasPrefix(line, "--- contentionz ") || strings.HasPrefix(line, "--- mutex:") || strings.HasPrefix(line, "--- contention:")
}

// contention reads the profiles of waits: attributes, then lines of cycles
// waited, how often, and the stack.
//
//	--- mutex:
//	cycles/second=2100000000
//	sampling period=1
//	4200 2 @ 0x4a0b1c
func (r *reader) contention() error {
	a, err := r.attributes()
	if err != nil {
		return err
	}
	if a.java {
		return r.javaContention(a)
	}
	r.meta.Types = types("contentions", "count", "delay", "nanoseconds")
	r.meta.PeriodType, r.meta.Period = r.meta.Types[0], 1
	if a.sampled {
		r.meta.Period = a.period
	}
	end := func(line string) bool { return strings.HasPrefix(strings.TrimSpace(line), "---") }
	return r.stacks(a.more, end, func(line string) error {
		m := contentionLine.Regexp().FindStringSubmatch(line)
		if m == nil {
			return errMalformed
		}
		stack, n, err := parse(m[3], m[1], m[2])
		if err != nil {
			return err
		}
		delay, count := n[0], n[1]
		if r.meta.Period > 0 {
			// One wait in a period is recorded: it stands for so many.
			if a.perSecond > 0 {
				d := float64(delay) * float64(r.meta.Period) / (float64(a.perSecond) / 1e9)
				if d >= 1<<63 {
					return errSum
				}
				delay = int64(d)
			}
			if count > (1<<63-1)/r.meta.Period {
				return errSum
			}
			count *= r.meta.Period
		}
		r.sample(stack, count, delay)
		return nil
	})
}

// attributes are what stands before the samples of waits, and of Java programs.
type attributes struct {
	more       bool // samples may follow: the line at hand is not one of these
	sampled    bool // a sampling period is among them
	period     int64
	perSecond  int64 // cycles
	java       bool
	resolution string // the unit of a Java program's values
}

// attributes reads "key = value" lines up to the first line that is none.
func (r *reader) attributes() (a attributes, err error) {
	for r.lines.next() {
		line := strings.TrimSpace(r.lines.text)
		if isComment(line) {
			continue
		}
		key, value, ok := strings.Cut(line, "=")
		if !ok || strings.HasPrefix(line, "---") {
			a.more = true
			break
		}
		key, value = strings.TrimSpace(key), strings.TrimSpace(value)
		n, notNumber := strconv.ParseInt(value, 0, 64)
		switch key {
		case "format":
			if a.java = true; value != "java" {
				return a, fmt.Errorf("line %d: unknown format %q", r.lines.number, value)
			}
			continue
		case "resolution":
			a.java, a.resolution = true, value
			continue
		case "cycles/second":
			a.perSecond = n
		case "sampling period":
			a.sampled, a.period = true, n
		case "ms since reset":
			r.meta.Duration = n * 1e6
		case "discarded samples":
			if notNumber == nil && n > 0 {
				r.say("the program discarded %d samples: it had no room for them", n)
			}
			continue
		default:
			r.bad()
			continue
		}
		if notNumber != nil {
			return a, fmt.Errorf("line %d: %s is %q, not a number: the unit of the values is lost", r.lines.number, key, value)
		}
	}
	return a, nil
}
