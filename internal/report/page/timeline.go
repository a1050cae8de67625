package page

import (
	"html/template"
	"math"

	"whet/internal/quantity"
)

// Timeline is a group of charts that share one axis of time.
type Timeline struct {
	Name    string // of a benchmark
	Ticks   []Tick // of the axis
	Marks   []Mark
	Labels  []MarkLabel
	Charts  []Chart
	Few     []string     // what has too few values for a chart, a sentence each
	Figures []FiguresRow // the charts as a table
	Seconds []SecondRow  // the load as a table
	More    string
	Read    int // how many values of a line the charts carry for the script
}

// Mark is an event on a chart: a line where it begins, and a bar above the
// charts as long as it. Charts are shaded for short ones only, since a leak
// lasts from beginning to end.
type Mark struct {
	X, Width   string // in percent
	Long, Band bool
	Title      string
}

// MarkLabel stands above the charts, over one event or several that are near.
type MarkLabel struct{ X, Text, Anchor string }

type Chart struct {
	Name   string
	Range  string
	Note   string
	Label  string // what a screen reader says
	Class  string // "low", "high"
	Grid   []Tick
	Ticks  []Tick // of time
	Marks  []Mark
	Lines  []Path
	Legend bool // the lines have names
	Data   template.JS
}

type Path struct{ Class, Name, Path string }

type FiguresRow struct {
	Name  string
	Cells [5]string
}

type SecondRow struct{ Cells [6]string }

func Answered(t int64) string {
	if t <= 0 {
		return "–"
	}
	return Ns(t)
}

// Line is a line of a chart before it is drawn.
type Line struct {
	Class, Name string
	Samples     []Sample
	Whole       bool // nothing lies unknown between two samples, however far apart they are
}

// leastPoints is how many values a line needs to be a course: two are a sentence.
const leastPoints = 3

// Draw adds a chart of lines that share a scale, and their row of the table.
// Lines of fewer than leastPoints values become a sentence, and what was never
// known a row of the table alone.
func (v *Timeline) Draw(name, unit, note, class string, log bool, x Axis, lines []Line) {
	c := Chart{Name: name, Note: note, Class: class, Ticks: v.Ticks, Marks: v.Marks, Legend: len(lines) > 1}
	least, most := math.Inf(1), math.Inf(-1)
	words, longest := "", 0
	for _, l := range lines {
		sum := summarize(l.Samples)
		longest = max(longest, sum.Known)
		title := name
		if c.Legend {
			title += ", " + l.Name
		}
		v.Figures = append(v.Figures, FiguresRow{title, sum.figures(unit)})
		if words != "" {
			words += "; "
		}
		words += title + " over time: "
		if sum.Known == 0 {
			words += "unknown"
			continue
		}
		words += sum.rangeOf(unit)
		if sum.Unknown > 0 {
			words += ", unknown at " + quantity.Count(float64(sum.Unknown)) + " of " + quantity.Count(float64(sum.Known+sum.Unknown)) + " moments"
		}
		least, most = min(least, sum.Least), max(most, sum.Most)
		if !c.Legend {
			c.Range = sum.rangeOf(unit)
		}
	}
	c.Label = words
	switch {
	case longest == 0:
		return
	case longest < leastPoints:
		v.Few = append(v.Few, Capital(words)+": "+quantity.Plural(longest, "value")+", too few for a chart.")
		return
	}
	y := Linear(least, most, unit)
	if log {
		y = Logarithmic(least, most)
	}
	c.Grid = y.Grid(unit)
	for _, l := range lines {
		c.Lines = append(c.Lines, Path{l.Class, l.Name, path(&l, x, y)})
	}
	if v.Read > 0 {
		c.Data = newReadData(unit, x, lines, v.Read)
	}
	v.Charts = append(v.Charts, c)
}
