package selection

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"whet/internal/callstack"
	"whet/internal/lazyregexp"
	"whet/internal/quantity"
)

// tagFilter is what -tagfocus or -tagignore asks of a sample's labels. It is
// one of two kinds: a range of numbers, or regular expressions of texts.
type tagFilter struct {
	key    string // "" is any
	within func(value int64, unit string) bool
	texts  []*regexp.Regexp
}

// compileTagFilter reads [KEY=]RANGE or [KEY=]REGEXP[,REGEXP…].
func compileTagFilter(option, expression string) (*tagFilter, error) {
	if expression == "" {
		return nil, nil
	}
	f := new(tagFilter)
	value := expression
	if key, v, ok := strings.Cut(expression, "="); ok {
		f.key, value = key, v
	}
	var err error
	if f.within, err = compileRange(value); err != nil {
		return nil, fmt.Errorf("-%s=%s: %w", option, expression, err)
	}
	if f.within != nil {
		return f, nil
	}
	for text := range strings.SplitSeq(value, ",") {
		re, err := regexp.Compile(text)
		if err != nil {
			return nil, fmt.Errorf("-%s=%s is neither a range of numbers nor a regular expression: %w", option, expression, reason(err))
		}
		f.texts = append(f.texts, re)
	}
	return f, nil
}

// match reports whether labels match: without a key, every expression must
// match one of them as "key:text"; with one, any expression a text of it.
func (f *tagFilter) match(labels []callstack.Label, units map[string]string) bool {
	switch {
	case f.within != nil:
		for _, l := range labels {
			if l.Str == "" && (f.key == "" || f.key == l.Key) && f.within(l.Num, units[l.Key]) {
				return true
			}
		}
		return false
	case f.key == "":
		for _, re := range f.texts {
			if !anyText(labels, func(l callstack.Label) bool { return re.MatchString(l.Key + ":" + l.Str) }) {
				return false
			}
		}
		return true
	}
	return anyText(labels, func(l callstack.Label) bool {
		if l.Key != f.key {
			return false
		}
		for _, re := range f.texts {
			if re.MatchString(l.Str) {
				return true
			}
		}
		return false
	})
}

func anyText(labels []callstack.Label, match func(callstack.Label) bool) bool {
	for _, l := range labels {
		if l.Str != "" && match(l) {
			return true
		}
	}
	return false
}

// compileRange reads "32kb", "32kb:", ":32kb" or "12kb:64mb", bounds included.
// It returns nil for what is no range. Values count in the first bound's unit;
// those in units that do not convert to it are outside.
func compileRange(s string) (func(value int64, unit string) bool, error) {
	bounds := boundRx.Regexp().FindAllStringSubmatch(s, 2)
	if len(bounds) == 0 {
		return nil, nil
	}
	parse := func(b []string) (int64, error) {
		n, err := strconv.ParseInt(b[1], 10, 64)
		if err != nil {
			return 0, fmt.Errorf("%s is not a 64-bit number", b[1])
		}
		return n, nil
	}
	first, err := parse(bounds[0])
	if err != nil {
		return nil, err
	}
	low, unit := quantity.PprofScale(first, bounds[0][2], bounds[0][2])
	text := bounds[0][0]
	if len(bounds) == 2 {
		if s != text+":"+bounds[1][0] {
			return nil, nil
		}
		second, err := parse(bounds[1])
		if err != nil {
			return nil, err
		}
		high, other := quantity.PprofScale(second, bounds[1][2], unit)
		if other != unit {
			return nil, nil
		}
		return func(value int64, u string) bool {
			v, u := quantity.PprofScale(value, u, unit)
			return u == unit && low <= v && v <= high
		}, nil
	}
	var inside func(v float64) bool
	switch s {
	case text:
		inside = func(v float64) bool { return v == low }
	case text + ":":
		inside = func(v float64) bool { return v >= low }
	case ":" + text:
		inside = func(v float64) bool { return v <= low }
	default:
		return nil, nil
	}
	return func(value int64, u string) bool {
		v, u := quantity.PprofScale(value, u, unit)
		return u == unit && inside(v)
	}, nil
}

var boundRx = lazyregexp.Pattern{Text: "([+-]?[[:digit:]]+)([[:alpha:]]+)?"}
