package legacy

import (
	"strings"

	"whet/internal/callstack"
	"whet/internal/lazyregexp"
)

var (
	threadsHead = lazyregexp.Pattern{Text: `--- threadz \d+ ---`}
	threadHead  = lazyregexp.Pattern{Text: `--- Thread ([[:xdigit:]]+) \(name: (.*)/(\d+)\) stack: ---`}
)

func isThreads(line string) bool {
	return threadsHead.Regexp().MatchString(line) || threadHead.Regexp().MatchString(line)
}

// threads reads gperftools' stacks of threads: a line of dashes for each, and
// addresses below it, or that they are those of the thread before.
func (r *reader) threads() error {
	r.meta.Types = types("thread", "count")
	r.meta.PeriodType, r.meta.Period = r.meta.Types[0], 1
	r.twice = true
	if threadsHead.Regexp().MatchString(r.lines.text) {
		for r.lines.next() && !isMapsHead(r.lines.text) && !strings.HasPrefix(r.lines.text, "-") {
		}
	}
	for threadHead.Regexp().MatchString(r.lines.text) && !isMapsHead(r.lines.text) {
		var stack []uint64
		same := false
		for r.lines.next() {
			line := strings.TrimSpace(r.lines.text)
			if strings.HasPrefix(line, "---") {
				break
			}
			if strings.Contains(line, "same as previous thread") {
				same = true
				continue
			}
			if len(stack) > callstack.MaxDepth {
				continue // it will be counted, and not kept
			}
			more, _, err := parse(line)
			if err != nil {
				r.bad()
				continue
			}
			stack = append(stack, more...)
		}
		switch n := len(r.samples.list); {
		case !same && len(stack) > 0:
			calls(stack[1:]) // the leaf is none
			r.samples.add(stack, 1)
		case n > 0:
			r.samples.list[n-1].values[0]++
		}
	}
	r.sections()
	return nil
}
