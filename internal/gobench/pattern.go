package gobench

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Exact returns the -test.bench pattern that matches the benchmark called
// name, and no other but its own sub-benchmarks. The testing package splits a
// pattern at slashes and matches each part against one level of the name.
func Exact(name string) string {
	parts := strings.Split(name, "/")
	for i, p := range parts {
		parts[i] = "^" + regexp.QuoteMeta(p) + "$"
	}
	return strings.Join(parts, "/")
}

// splitPattern splits a -test.bench pattern as the testing package does: at
// bars into alternatives, at slashes into levels, neither inside of brackets
// or parentheses.
func splitPattern(s string) [][]string {
	var all [][]string
	var levels []string
	start, square, round := 0, 0, 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '[':
			square++
		case ']':
			square = max(square-1, 0)
		case '(':
			if square == 0 {
				round++
			}
		case ')':
			if square == 0 {
				round--
			}
		case '\\':
			i++
		case '/', '|':
			if square != 0 || round != 0 {
				continue
			}
			levels = append(levels, s[start:i])
			start = i + 1
			if s[i] == '|' {
				all, levels = append(all, levels), nil
			}
		}
	}
	return append(all, append(levels, s[start:]))
}

// firstLevel returns the regular expression for top-level names in pattern.
func firstLevel(pattern string) (string, error) {
	if err := CheckPattern(pattern); err != nil {
		return "", newError(KindUsage, "", fmt.Sprintf("-bench %s: %v", pattern, err), "")
	}
	var first []string
	for _, levels := range splitPattern(pattern) {
		first = append(first, levels[0])
	}
	return strings.Join(first, "|"), nil
}

// CheckPattern reports a -bench or -run pattern that package testing refuses.
func CheckPattern(pattern string) error {
	for _, levels := range splitPattern(pattern) {
		for _, l := range levels {
			if _, err := regexp.Compile(l); err != nil {
				return err
			}
		}
	}
	return nil
}

// Below returns the -test.bench pattern that selects, from the top-level benchmark
// called top, the same as pattern: all of it, or the sub-benchmarks in the alternatives
// that match top.
func Below(pattern, top string) string {
	var alternatives []string
	for _, levels := range splitPattern(pattern) {
		if ok, err := regexp.MatchString(levels[0], top); err != nil || !ok {
			continue
		}
		levels[0] = Exact(top)
		alternatives = append(alternatives, strings.Join(levels, "/"))
	}
	if len(alternatives) == 0 {
		return Exact(top)
	}
	return strings.Join(alternatives, "|")
}

// Unmatched returns the alternatives of a -test.bench pattern, verbatim, that name
// sub-benchmarks and select none of those that ran. A top-level benchmark that ran
// without a result, for example because it failed, may have had any.
func Unmatched(pattern string, ran []string) []string {
	var out []string
	for _, levels := range splitPattern(pattern) {
		if len(levels) > 1 && !slices.ContainsFunc(ran, func(name string) bool { return selects(levels, name) }) {
			out = append(out, strings.Join(levels, "/"))
		}
	}
	return out
}

// selects reports whether the levels of one alternative match a name's.
func selects(levels []string, name string) bool {
	parts := strings.Split(name, "/")
	for i, re := range levels {
		if i >= len(parts) {
			break
		}
		if ok, err := regexp.MatchString(re, parts[i]); err != nil || !ok {
			return false
		}
	}
	return true
}
