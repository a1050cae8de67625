package run

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"whet/internal/lazyregexp"
	"whet/internal/printable"
	"whet/internal/quantity"
	"whet/internal/report/page"
)

// textDoubts is how many kinds of warnings are named.
const textDoubts = 5

// TestsFail is the beginning of the warning that the package's own tests fail: all
// measurements may be of wrong code. The warning comes first and is never shortened.
const TestsFail = "the tests fail: "

// doubts writes the warnings: one line a kind, so many at most, or all of them in
// full.
func (t *writer) doubts(p *Page, most int, full bool) {
	all := p.doubtful()
	if full {
		t.Warnings(all)
		return
	}
	kinds := doubtKinds(all, p.Benchmarks)
	room := min(t.Width, 100) - 4
	for i, text := range kinds {
		if more := len(kinds) - i; i == most-1 && more > 1 {
			t.Line(t.Paint(page.Yellow, "  ! "), t.Paint(page.Dim, fmt.Sprintf("… %d more kinds of warnings with -v", more)))
			break
		}
		if strings.HasPrefix(text, TestsFail) {
			t.Hang(2, "!", 2, text)
			continue
		}
		t.Line(t.Paint(page.Yellow, "  ! "), oneLine(text, room))
	}
}

// doubtful returns the warnings, and the benchmarks that failed.
func (p *Page) doubtful() []string {
	out := warnings(p)
	for i := range p.Benchmarks {
		if b := &p.Benchmarks[i]; b.Failure != "" {
			out = append(out, b.Name+": failed: "+b.Failure)
		}
	}
	first := func(text string) int {
		if strings.HasPrefix(text, TestsFail) {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(out, func(a, b string) int { return cmp.Compare(first(a), first(b)) })
	return out
}

// oneLine cuts a warning where a clause ends, if that leaves half of the line.
func oneLine(text string, room int) string {
	if page.Cells(text) <= room {
		return text
	}
	cut := page.Cut(text, room)
	at := 0
	for _, end := range []string{": ", "; ", ", "} {
		at = max(at, strings.LastIndex(cut, end))
	}
	if 2*page.Cells(cut[:at]) >= room {
		return cut[:at] + " …"
	}
	return cut
}

// A doubtKind is warnings that differ in nothing but the benchmark they are of
// and their figures.
type doubtKind struct {
	text    string // the first of them
	named   bool   // its text begins with a benchmark
	of      []string
	figures [][2]string // the least and the most of each figure
}

// figure is a number with its unit, if it has one. One that is part of a name or
// of a place (x.go:12) is none.
var figure = lazyregexp.Pattern{Text: `\d[\d,]*(?:\.\d+)?(?:e[-+]?\d+)?(?:[\s\x{a0}]?(?:%|ns|µs|ms|s|B|KiB|MiB|GiB|kB|MB|GB)\b|[\s\x{a0}]?%)?`}

// figures returns where the figures of a text stand.
func figures(text string) (at [][]int) {
	for _, m := range figure.Regexp().FindAllStringIndex(text, -1) {
		if before, _ := utf8.DecodeLastRuneInString(text[:m[0]]); m[0] == 0 || strings.ContainsRune(" \u00a0(<±~", before) {
			at = append(at, m)
		}
	}
	return at
}

// refigured returns a text with other figures.
func refigured(text string, with func(i int) string) string {
	var b strings.Builder
	from := 0
	for i, m := range figures(text) {
		b.WriteString(text[from:m[0]] + with(i))
		from = m[1]
	}
	return b.String() + text[from:]
}

// doubtKinds says each kind of warning once, in the order of their first, with
// how many there are and between what their figures lie: "8 of 11 benchmarks got
// 22.0 to 49.0 % of a processor".
func doubtKinds(texts []string, benchmarks []Benchmark) []string {
	var names []string
	for i := range benchmarks {
		if n := printable.Line(benchmarks[i].Name); n != "" {
			names = append(names, n)
		}
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b)) })
	names = slices.Compact(names)
	var order []string
	kinds := make(map[string]*doubtKind)
	for _, text := range texts {
		text = printable.Line(text)
		name, rest := subjectOf(text, names)
		shape := rest
		for _, n := range names {
			shape = strings.ReplaceAll(shape, n, "\x01")
		}
		shape = refigured(shape, func(int) string { return "\x00" })
		if name != "" {
			shape = "\x01" + shape
		}
		k := kinds[shape]
		if k == nil {
			k = &doubtKind{text: rest, named: name != ""}
			kinds[shape] = k
			order = append(order, shape)
		}
		k.add(name, rest)
	}
	out := make([]string, 0, len(order))
	for _, shape := range order {
		out = append(out, kinds[shape].String(len(names)))
	}
	return out
}

// subjectOf divides a warning from the benchmark it begins with, if it does; of
// names the longest come first.
func subjectOf(text string, names []string) (name, rest string) {
	for _, n := range names {
		after, ok := strings.CutPrefix(text, n)
		if ok && (strings.HasPrefix(after, ": ") || strings.HasPrefix(after, " got ")) {
			return n, after
		}
	}
	return "", text
}

func (k *doubtKind) add(name, rest string) {
	for i, m := range figures(rest) {
		f := rest[m[0]:m[1]]
		switch {
		case len(k.of) == 0:
			k.figures = append(k.figures, [2]string{f, f})
		case i >= len(k.figures): // names with figures in them were alike
		case amount(f) < amount(k.figures[i][0]):
			k.figures[i][0] = f
		case amount(f) > amount(k.figures[i][1]):
			k.figures[i][1] = f
		}
	}
	if !k.named || !slices.Contains(k.of, name) {
		k.of = append(k.of, name)
	}
}

func (k *doubtKind) String(benchmarks int) string {
	text := refigured(k.text, func(i int) string { return between(k.figures[i]) })
	switch {
	case k.named && len(k.of) == 1:
		return k.of[0] + text
	case k.named:
		return fmt.Sprintf("%d of %s%s", len(k.of), quantity.Plural(benchmarks, "benchmark"), text)
	case len(k.of) > 1:
		return fmt.Sprintf("%s (%d of them)", text, len(k.of))
	}
	return text
}

// between prints a range; a unit that both ends have stands once.
func between(r [2]string) string {
	if r[0] == r[1] {
		return r[0]
	}
	low, unit := divided(r[0])
	if _, same := divided(r[1]); same != unit {
		low = r[0]
	}
	return low + " to " + r[1]
}

// divided returns a figure's number and its unit.
func divided(f string) (number, unit string) {
	number = strings.TrimRight(f, "%nµmskKMGiB \u00a0")
	return number, strings.Trim(f[len(number):], " \u00a0")
}

// amount returns a figure in the unit that its kind is counted in.
func amount(f string) float64 {
	number, unit := divided(f)
	v, err := strconv.ParseFloat(strings.ReplaceAll(number, ",", ""), 64)
	if err != nil {
		return 0
	}
	return v * cmp.Or(map[string]float64{
		"ns": 1e-9, "µs": 1e-6, "ms": 1e-3, "kB": 1e3, "MB": 1e6, "GB": 1e9, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30,
	}[unit], 1)
}
