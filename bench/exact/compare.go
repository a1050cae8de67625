package main

import (
	"regexp"
	"slices"
	"strings"
)

// verdict is how two texts compare.
type verdict string

const (
	equal     verdict = "equal"
	refused   verdict = "both refuse"
	chance    verdict = "equal to a run of pprof" // whose runs differ from each other
	order     verdict = "equal but for an order that pprof leaves to chance"
	numbered  verdict = "equal but for the numbers of locations"
	chosen    verdict = "a graph of which pprof leaves more than the order to chance, with equal legend and count"
	different verdict = "different"
)

// clean takes out of a text what is known to differ: where warnings stand, the
// prompt that pprof prints without a terminal, too, and calls of pprof's node 0.
func clean(text string, pprof bool) string {
	if pprof {
		text = strings.ReplaceAll(text, "(pprof) ", "")
	}
	lines := strings.SplitAfter(text, "\n")
	lines = slices.DeleteFunc(lines, func(l string) bool {
		return strings.HasPrefix(l, "Warning: ") || pprof && strings.Contains(l, " -> N0 [")
	})
	return strings.TrimRight(strings.Join(lines, ""), "\n") + "\n"
}

var (
	nodeNumber = regexp.MustCompile(`\b(N+|node)(\d+)(?:_|\b)`)
	nodeLine   = regexp.MustCompile(`^N(\d+) \[(.*)\]`)
	percentage = regexp.MustCompile(`[\d.e+-]+%`)
)

// separator stands between the nodes of a tree.
const separator = "----------------------------------------------------------+-------------\n"

// settled puts what has no order in one: the lines of a graph without the
// numbers of its nodes, and in a text neighbours with the same share. The sums
// over the lines before are left out: they are of an order.
func settled(text string) string {
	if strings.HasPrefix(text, "digraph") {
		lines := strings.SplitAfter(text, "\n")
		said := make(map[string]string)
		for _, l := range lines {
			if m := nodeLine.FindStringSubmatch(l); m != nil {
				said[m[1]] = nodeNumber.ReplaceAllString(m[2], "")
			}
		}
		for i, l := range lines {
			lines[i] = nodeNumber.ReplaceAllStringFunc(l, func(s string) string {
				m := nodeNumber.FindStringSubmatch(s)
				return m[1] + "<" + said[m[2]] + ">"
			})
		}
		slices.Sort(lines)
		return strings.Join(lines, "")
	}
	blocks := strings.Split(text, separator)
	for i, b := range blocks {
		lines := strings.SplitAfter(b, "\n")
		first := make([]string, len(lines))
		for n, l := range lines {
			at := percentage.FindAllStringIndex(l, -1)
			if len(at) >= 3 {
				lines[n] = strings.TrimRight(l[:at[1][0]], " ") + l[at[1][1]:]
			}
			first[n] = strings.TrimPrefix(percentage.FindString(l), "-")
		}
		for from := 0; from < len(lines); {
			to := from + 1
			for to < len(lines) && first[to] != "" && first[to] == first[from] {
				to++
			}
			slices.Sort(lines[from:to])
			from = to
		}
		blocks[i] = strings.Join(lines, "")
	}
	if len(blocks) > 2 {
		slices.Sort(blocks[1:])
	}
	return strings.Join(blocks, separator)
}

var (
	location = regexp.MustCompile(`(?m)^ +(\d+): (0x.*)$`)
	stack    = regexp.MustCompile(`(?m): (?:\d+ )+$`)
)

// unnumbered returns what raw prints with locations in place of their numbers, which
// whet gives by first use, whatever a file says.
func unnumbered(text string) string {
	samples, locations, ok := strings.Cut(text, "\nLocations\n")
	if !ok {
		return text
	}
	said := make(map[string]string)
	for _, m := range location.FindAllStringSubmatch(locations, -1) {
		said[m[1]] = m[2]
	}
	samples = stack.ReplaceAllStringFunc(samples, func(s string) string {
		numbers := strings.Fields(s[2:])
		for i, n := range numbers {
			numbers[i] = said[n]
		}
		return ": " + strings.Join(numbers, "; ")
	})
	lines := strings.Split(location.ReplaceAllString(locations, "$2"), "\n")
	slices.Sort(lines)
	return samples + strings.Join(lines, "\n")
}

// heads returns what chance has no say in where pprof's graphs differ in more than
// order: the legend, and how many nodes there are.
func heads(text string) string {
	if !strings.HasPrefix(text, "digraph") {
		return text
	}
	var out strings.Builder
	for l := range strings.Lines(text) {
		switch {
		case strings.HasPrefix(l, "subgraph"):
			out.WriteString(l)
		case nodeLine.MatchString(l):
			out.WriteString("node\n")
		}
	}
	return out.String()
}

// firstDifference shows where two texts part.
func firstDifference(pprof, whet string) string {
	a, b := strings.Split(pprof, "\n"), strings.Split(whet, "\n")
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	var out strings.Builder
	for _, part := range []struct {
		mark  string
		lines []string
	}{{"-", a}, {"+", b}} {
		for _, l := range part.lines[min(i, len(part.lines)):min(i+4, len(part.lines))] {
			if len(l) > 300 {
				l = l[:300] + "…"
			}
			out.WriteString(part.mark + l + "\n")
		}
	}
	return out.String()
}
