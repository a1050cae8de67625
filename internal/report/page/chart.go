package page

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"whet/internal/quantity"
	"whet/internal/stat"
)

// Charts over time are drawn as SVG by the program, so that a report needs no
// script for them and prints as it is seen. A line's coordinates are its own,
// chartX wide and chartY high, and the browser stretches them to the room there
// is; what must not be stretched (text, marks) is placed in percent.
//
// A line is thinned to what can be seen: at most chartColumns columns, in each
// the least and the greatest value in their order. A recording of an hour has
// 36,000 rows of metrics, which as they are would make a megabyte of each
// chart; by least and greatest no spike of a single row is lost, which every
// n-th row or a mean would hide.
const (
	chartColumns = 720
	ChartX       = 2 * chartColumns
	ChartY       = 200
)

// Axis is the time that the charts of a group share, from and to in
// nanoseconds. The arithmetic is in floating point, since a damaged recording
// may hold any number.
type Axis struct{ From, To float64 }

func NewAxis() Axis { return Axis{math.Inf(1), math.Inf(-1)} }

func (s *Axis) Add(t int64) {
	s.From, s.To = min(s.From, float64(t)), max(s.To, float64(t))
}

// At returns the position of a time, in [0,1].
func (s Axis) At(t int64) float64 {
	if !(s.To > s.From) {
		return 0
	}
	return min(max((float64(t)-s.From)/(s.To-s.From), 0), 1)
}

// Tick is a line across a chart and what stands beside it.
type Tick struct {
	At     string // in percent of the chart's width or height, without the sign
	Label  string
	Anchor string // of a time's text
}

// NewTick returns a tick below a chart: at its ends the text stays within it.
func NewTick(at float64, label string) Tick {
	t := Tick{At: PercentOf(at), Label: label, Anchor: "middle"}
	switch {
	case at < 0.04:
		t.Anchor = "start"
	case at > 0.96:
		t.Anchor = "end"
	}
	return t
}

// ChartTicks is the approximate number of times written below a chart.
const ChartTicks = 6

// Ticks are round times within the axis.
func (s Axis) Ticks() []Tick {
	if !(s.To > s.From) {
		return nil
	}
	step := Nice((s.To - s.From) / ChartTicks)
	var out []Tick
	for k := math.Ceil(s.From / step); k*step <= s.To && len(out) < 2*ChartTicks; k++ {
		at := (k*step - s.From) / (s.To - s.From)
		out = append(out, NewTick(at, Seconds(k*step)))
	}
	return out
}

// Seconds prints a round time of an axis.
func Seconds(ns float64) string {
	return strconv.FormatFloat(math.Round(ns/1e3)/1e6, 'f', -1, 64) + " s"
}

// Nice returns the least of 1, 2, 2.5 and 5 times a power of ten that is not below v.
func Nice(v float64) float64 {
	if !(v > 0) || math.IsInf(v, 0) {
		return 1
	}
	power := math.Pow(10, math.Floor(math.Log10(v)))
	for _, m := range []float64{1, 2, 2.5, 5, 10} {
		if m*power >= v {
			return m * power
		}
	}
	return 10 * power
}

// PercentOf prints a share as a place in percent.
func PercentOf(ratio float64) string {
	return strings.TrimSuffix(strings.TrimRight(strconv.FormatFloat(min(max(ratio, 0), 1)*100, 'f', 2, 64), "0"), ".")
}

// Scale maps values to heights: 0 at the bottom of a chart, 1 at its top.
type Scale struct {
	Low, High float64
	Log       bool // low and high are then above zero
}

// Linear returns the scale of values from zero, or from the least where one is
// below zero, to a round number above the greatest.
func Linear(least, most float64, unit string) Scale {
	s := Scale{Low: min(least, 0), High: roundUp(max(most, 0), unit)}
	if s.Low < 0 {
		s.Low = -roundUp(-s.Low, unit)
	}
	if !(s.High > s.Low) {
		s.High = s.Low + 1
	}
	return s
}

// roundUp returns a round number of the unit that is not below v: of bytes one that
// is round in KiB, MiB, ….
func roundUp(v float64, unit string) float64 {
	if v <= 0 {
		return 0
	}
	step, next := 1.0, math.Inf(1)
	if strings.HasPrefix(unit, "bytes") {
		for next = 1024; v/step >= 1024; {
			step *= 1024
		}
	}
	// Finer than nice: a chart's room is for its line.
	power := math.Pow(10, math.Floor(math.Log10(v/step)))
	for _, m := range []float64{1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10} {
		if up := min(m*power, next) * step; up >= v && !math.IsInf(up, 0) {
			return up
		}
	}
	return v
}

// Logarithmic returns the scale of whole powers of ten around the values, which are
// above zero.
func Logarithmic(least, most float64) Scale {
	s := Scale{Low: math.Pow(10, math.Floor(math.Log10(least))), High: math.Pow(10, math.Ceil(math.Log10(most))), Log: true}
	if !(s.High > s.Low) {
		s.High = s.Low * 10
	}
	return s
}

// At returns the height of a value, in [0,1].
func (s Scale) At(v float64) float64 {
	r := (v - s.Low) / (s.High - s.Low)
	switch {
	case math.IsInf(s.High-s.Low, 0):
		r = (v/2 - s.Low/2) / (s.High/2 - s.Low/2)
	case s.Log:
		r = math.Log(v/s.Low) / math.Log(s.High/s.Low)
	}
	return min(max(r, 0), 1)
}

// Grid returns the lines across a chart with their values, from the top.
func (s Scale) Grid(unit string) []Tick {
	var out []Tick
	add := func(v float64) { out = append(out, Tick{At: PercentOf(1 - s.At(v)), Label: Round(v, unit)}) }
	if !s.Log {
		add(s.High)
		if s.Low < 0 {
			add(0)
		}
		add(s.Low)
		return out
	}
	decades := int(math.Round(math.Log10(s.High / s.Low)))
	every := 1 + (decades-1)/4
	for k := decades; k >= 0; k -= every {
		add(s.High / math.Pow(10, float64(decades-k)))
	}
	return out
}

// Round prints a value that is round already: "10 ms", not "10.0 ms", zero
// without a unit, and units that are words beside the chart only.
func Round(v float64, unit string) string {
	if v == 0 {
		return "0"
	}
	switch unit {
	case "per second", "bytes", "bytes per second", "nanoseconds":
	default:
		unit = "count"
	}
	number, rest, ok := strings.Cut(Amount(v, unit), " ")
	if strings.Contains(number, ".") && !strings.Contains(number, "e") {
		number = strings.TrimSuffix(strings.TrimRight(number, "0"), ".")
	}
	if ok {
		return number + " " + rest
	}
	return number
}

// Sample is a value of a line.
type Sample struct {
	T int64
	V float64 // NaN where it is unknown
}

// Pairs puts times and values together, in order of time.
func Pairs(times []int64, values []float64) []Sample {
	out := make([]Sample, 0, len(times))
	for i := range min(len(times), len(values)) {
		out = append(out, Sample{times[i], values[i]})
	}
	slices.SortStableFunc(out, func(a, b Sample) int { return cmp.Compare(a.T, b.T) })
	return out
}

func Known(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// chartHole is the distance between two rows, in the usual distance, from
// which what lies between them is unknown: a sampler that was late once or
// twice did not lose the course.
const chartHole = 5

// path draws the known samples as an SVG path. Unknown stretches stay empty,
// unless they are narrower than a column; a value alone is a dot.
func path(l *Line, x Axis, y Scale) string {
	samples, hole := l.Samples, math.Inf(1)
	if d := distances(samples); len(d) > 1 && !l.Whole {
		hole = chartHole * stat.Median(d)
	}
	var b strings.Builder
	var least, most, before Sample // of the column; the known sample before
	column, open, broken := -1, false, true
	put := func(s Sample) {
		command := byte('L')
		if broken {
			command = 'M'
		}
		b.WriteByte(command)
		b.WriteString(strconv.Itoa(int(math.Round(x.At(s.T) * ChartX))))
		b.WriteByte(' ')
		b.WriteString(strconv.Itoa(int(math.Round((1 - y.At(s.V)) * ChartY))))
		if broken {
			b.WriteString("h0") // seen even if nothing follows: caps are round
		}
		broken = false
	}
	flush := func(gap bool) {
		if !open {
			return
		}
		first, second := least, most
		if second.T < first.T {
			first, second = second, first
		}
		put(first)
		if first != second {
			put(second)
		}
		open, broken = false, gap
	}
	gap := false
	for _, s := range samples {
		if !Known(s.V) {
			gap = true
			continue
		}
		at := min(int(x.At(s.T)*chartColumns), chartColumns-1)
		if open && float64(s.T)-float64(before.T) > hole {
			gap = true
		}
		before = s
		if open && at == column { // a gap inside a column is too narrow to see
			gap = false
			if s.V < least.V {
				least = s
			}
			if s.V > most.V {
				most = s
			}
			continue
		}
		flush(gap)
		gap = false
		column, open, least, most = at, true, s, s
	}
	flush(false)
	return b.String()
}

// distances returns the times between samples.
func distances(samples []Sample) []float64 {
	var out []float64
	for i := 1; i < len(samples); i++ {
		if d := float64(samples[i].T) - float64(samples[i-1].T); d > 0 {
			out = append(out, d)
		}
	}
	return out
}

// summary are the figures of a line, for those who do not see it.
type summary struct {
	Known, Unknown            int
	Least, Median, Most, Last float64
}

func summarize(samples []Sample) summary {
	var values []float64
	for _, s := range samples {
		if Known(s.V) {
			values = append(values, s.V)
		}
	}
	s := summary{Known: len(values), Unknown: len(samples) - len(values)}
	if len(values) > 0 {
		s.Last = values[len(values)-1]
		slices.Sort(values)
		s.Least, s.Median, s.Most = values[0], stat.QuantileSorted(values, 0.5), values[len(values)-1]
	}
	return s
}

// rangeOf says from where to where a line goes.
func (s summary) rangeOf(unit string) string {
	low, high := Amount(s.Least, unit), Amount(s.Most, unit)
	if s.Least == 0 && s.Most > 0 {
		low = "0"
	}
	if low == high {
		return low
	}
	if number, rest, ok := strings.Cut(low, " "); ok && strings.HasSuffix(high, " "+rest) {
		low = number
	}
	return low + " to " + high
}

// figures returns the summary's cells in a table.
func (s summary) figures(unit string) [5]string {
	if s.Known == 0 {
		return [5]string{"unknown", "unknown", "unknown", "unknown", quantity.Count(float64(s.Unknown))}
	}
	return [5]string{Amount(s.Least, unit), Amount(s.Median, unit), Amount(s.Most, unit), Amount(s.Last, unit), quantity.Count(float64(s.Unknown))}
}

// From returns the value at a height: the inverse of at.
func (s Scale) From(at float64) float64 {
	if s.Log {
		return s.Low * math.Pow(s.High/s.Low, at)
	}
	return s.Low + at*(s.High-s.Low)
}
