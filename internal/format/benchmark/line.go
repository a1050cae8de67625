package benchmark

import (
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Line is a result.
type Line struct {
	Name string // "BenchmarkX/sub", without the suffix for processors
	// Procs is GOMAXPROCS, 1 when the name has no suffix.
	Procs int
	N     int64
	// NsPerOp is 0 and NoTime true when the benchmark suppressed its time.
	NsPerOp float64
	NoTime  bool
	// BytesPerOp and AllocsPerOp are nil when memory was not measured.
	BytesPerOp, AllocsPerOp *float64
	Metrics                 []Metric // MB/s and custom ones, in the order printed
}

// Metric is a value under a unit.
type Metric struct {
	Unit  string  `json:"unit"`
	Value float64 `json:"value"`
}

const (
	unitTime   = "ns/op"
	unitBytes  = "B/op"
	unitAllocs = "allocs/op"
)

// splitProcs separates the suffix for processors. procs is what is known of
// GOMAXPROCS, 0 when nothing is.
func splitProcs(full string, procs int) (string, int) {
	name, n, ok := suffix(full)
	switch {
	case !ok, procs > 0 && n != procs:
		return full, 1
	default:
		return name, n
	}
}

// suffix returns the number after the last dash, as strconv writes it.
func suffix(full string) (name string, n int, ok bool) {
	i := strings.LastIndexByte(full, '-')
	if i < 0 {
		return full, 1, false
	}
	n, err := strconv.Atoi(full[i+1:])
	if err != nil || n < 1 || strconv.Itoa(n) != full[i+1:] {
		return full, 1, false
	}
	return full[:i], n, true
}

// parseFigures parses "1000\t 123 ns/op\t 16 B/op" after the name.
func parseFigures(full, text string) (Line, bool) {
	f := strings.Fields(text)
	if len(f) < 3 || len(f)%2 == 0 {
		return Line{}, false
	}
	n, err := strconv.ParseInt(f[0], 10, 64)
	if err != nil || n < 0 {
		return Line{}, false
	}
	l := Line{Name: full, N: n, NoTime: true}
	for i := 1; i < len(f); i += 2 {
		v, err := strconv.ParseFloat(f[i], 64)
		if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
			return Line{}, false
		}
		l.Set(f[i+1], v)
	}
	return l, true
}

// Set enters a value. A line without time yet has NoTime; a unit of package
// testing's own that is there already is a metric like any other.
func (l *Line) Set(unit string, v float64) {
	switch {
	case unit == unitTime && l.NoTime:
		l.NsPerOp, l.NoTime = v, false
	case unit == unitBytes && l.BytesPerOp == nil:
		l.BytesPerOp = &v
	case unit == unitAllocs && l.AllocsPerOp == nil:
		l.AllocsPerOp = &v
	default:
		l.Metrics = append(l.Metrics, Metric{Unit: unit, Value: v})
	}
}

// Values are all of a line: those of package testing, then the others in the
// order printed.
func (l *Line) Values() []Metric {
	var out []Metric
	if !l.NoTime {
		out = append(out, Metric{unitTime, l.NsPerOp})
	}
	if l.BytesPerOp != nil {
		out = append(out, Metric{unitBytes, *l.BytesPerOp})
	}
	if l.AllocsPerOp != nil {
		out = append(out, Metric{unitAllocs, *l.AllocsPerOp})
	}
	return append(out, l.Metrics...)
}

// validName reports whether the testing package takes a function of this name
// for a benchmark: "Benchmark" alone, or followed by anything but a lower-case
// letter. The slash begins a sub-benchmark.
func validName(name string) bool {
	rest, ok := strings.CutPrefix(name, "Benchmark")
	if !ok {
		return false
	}
	r, _ := utf8.DecodeRuneInString(rest)
	return rest == "" || !unicode.IsLower(r)
}
