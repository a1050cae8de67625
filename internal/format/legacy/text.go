package legacy

import (
	"fmt"
	"strconv"
	"strings"

	"whet/internal/callstack"
	"whet/internal/lazyregexp"
)

var contentionLine = lazyregexp.Pattern{Text: `(\d+) *(\d+) @([ x0-9a-f]*)`}

// addresses reads the hexadecimal numbers in a text: "0x" and digits, whatever
// stands between them.
func addresses(text string) ([]uint64, error) {
	out := make([]uint64, 0, strings.Count(text, "0x"))
	for {
		i := strings.Index(text, "0x")
		if i < 0 {
			return out, nil
		}
		text = text[i+len("0x"):]
		n := 0
		for n < len(text) && (text[n] >= '0' && text[n] <= '9' || text[n] >= 'a' && text[n] <= 'f') {
			n++
		}
		if n == 0 {
			continue
		}
		a, err := strconv.ParseUint(text[:n], 16, 64)
		if err != nil {
			return nil, err
		}
		out = append(out, a)
		text = text[n:]
	}
}

// countSample divides "12 @ 0x1 0x2", in which nothing else may stand.
func countSample(line string) (count, stack string, ok bool) {
	count, stack, ok = strings.Cut(line, " @")
	if !ok || count == "" || strings.Trim(count, "0123456789") != "" {
		return "", "", false
	}
	for rest := stack; rest != ""; {
		if rest, ok = strings.CutPrefix(rest, " 0x"); !ok {
			return "", "", false
		}
		digits := strings.TrimLeft(rest, "0123456789abcdef")
		if len(digits) == len(rest) {
			return "", "", false
		}
		rest = digits
	}
	return count, stack, true
}

// sample adds one, and makes the comments that follow its own.
func (r *reader) sample(stack []uint64, values ...int64) {
	r.samples.add(stack, values...)
	r.symbols.begin(stack)
	if r.samples.full {
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
	for r.lines.next() {
		line := r.lines.text
		if isComment(line) {
			if labels, ok := strings.CutPrefix(line, "# labels: "); ok && r.samples.len() > 0 {
				r.samples.label(callstack.QuotedLabels(strings.TrimPrefix(labels, "{"), ":")...)
				continue
			}
			r.symbols.comment(line)
			continue
		}
		if strings.HasPrefix(line, "---") {
			break
		}
		count, text, ok := countSample(line)
		if !ok {
			r.bad()
			continue
		}
		n, err := strconv.ParseInt(count, 10, 64)
		stack, err2 := addresses(text)
		if err != nil || err2 != nil {
			r.bad()
			continue
		}
		calls(stack)
		r.sample(stack, n)
		sum += float64(n)
	}
	r.symbols.end()
	if want, err := strconv.ParseFloat(total, 64); err == nil && sum < want {
		r.say("its stacks sum to %.0f, but its first line says %.0f: it was cut off, or damaged", sum, want)
	}
	return r.sections()
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
	r.meta.Types = types("contentions", "count", "delay", "nanoseconds")
	r.meta.PeriodType, r.meta.Period = r.meta.Types[0], 1
	more, perSecond, err := r.attributes()
	if err != nil {
		return err
	}
	for ; more; more = r.lines.next() {
		line := strings.TrimSpace(r.lines.text)
		if strings.HasPrefix(line, "---") {
			break
		}
		if isComment(line) {
			r.symbols.comment(line)
			continue
		}
		m := contentionLine.Regexp().FindStringSubmatch(line)
		if m == nil {
			r.bad()
			continue
		}
		delay, err := strconv.ParseInt(m[1], 10, 64)
		count, err2 := strconv.ParseInt(m[2], 10, 64)
		stack, err3 := addresses(m[3])
		if err != nil || err2 != nil || err3 != nil {
			r.bad()
			continue
		}
		if r.meta.Period > 0 {
			// One wait in a period is recorded: it stands for so many.
			if perSecond > 0 {
				d := float64(delay) * float64(r.meta.Period) / (float64(perSecond) / 1e9)
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
		calls(stack)
		r.sample(stack, count, delay)
	}
	r.symbols.end()
	return r.sections()
}

// attributes reads "key = value" lines up to the first line that is none, and
// reports whether there is one, and the cycles in a second.
func (r *reader) attributes() (more bool, perSecond int64, err error) {
	for r.lines.next() {
		line := strings.TrimSpace(r.lines.text)
		if isComment(line) {
			continue
		}
		key, value, ok := strings.Cut(line, "=")
		if !ok || strings.HasPrefix(line, "---") {
			return true, perSecond, nil
		}
		key, value = strings.TrimSpace(key), strings.TrimSpace(value)
		n, notNumber := strconv.ParseInt(value, 0, 64)
		switch key {
		case "format", "resolution":
			return false, 0, errJava
		case "cycles/second":
			perSecond = n
		case "sampling period":
			r.meta.Period = n
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
			return false, 0, fmt.Errorf("line %d: %s is %q, not a number: the unit of the values is lost", r.lines.number, key, value)
		}
	}
	return false, perSecond, nil
}
