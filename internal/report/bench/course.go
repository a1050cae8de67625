package bench

import (
	"fmt"
	"math"
	"strings"
	"time"

	"whet/internal/format/benchmark"
	"whet/internal/printable"
	"whet/internal/quantity"
	"whet/internal/report/page"
	"whet/internal/stat"
)

// History is a history of results to print.
type History struct {
	Warnings   []string
	AlphaRatio float64 // for any change in all courses without one
	Fewest     int     // points that a change can be found in
	Courses    []Course
}

// Course is a benchmark under one unit on one host, over revisions.
type Course struct {
	Host, Package string
	Name          string // with the suffix for processors
	Unit          string
	Better        benchmark.Better
	Points        []Point // in the order of commits
	Changes       []Change
}

// Point is the results of one revision, or of one run of a tree with changes.
type Point struct {
	Revision  string // "": unknown
	Dirty     bool
	When      time.Time // the commit's, or the run's where that is unknown
	Runs      int
	Values    []float64
	GoVersion string
}

// Change is a change of level.
type Change struct {
	At int // index of the first point of the new level
	// Old and New are the medians of the points up to the neighbouring changes.
	Old, New float64
	// Ratio is old/new, of rates new/old: above 1 is better. NaN where a level
	// is zero.
	Ratio  float64
	PValue float64
	// Facts of the machine and the build that changed between the last point
	// before and the first after.
	Also []string
}

// full returns the benchmark's name with its package.
func (c *Course) full() string {
	if c.Package == "" {
		return printable.Line(c.Name)
	}
	return printable.Line(c.Package) + "." + printable.Line(c.Name)
}

// amount prints a value of the course.
func (c *Course) amount(v float64) string {
	switch c.Unit {
	case "ns/op":
		return quantity.Nanoseconds(v)
	case "B/op":
		return quantity.Bytes(v)
	}
	return quantity.Count(v)
}

// unit returns what stands after an amount: of times and bytes the amount has it.
func (c *Course) unit() string {
	switch c.Unit {
	case "ns/op":
		return "time/op"
	case "B/op":
		return "bytes/op"
	}
	return printable.Line(c.Unit)
}

// short returns a point's revision as people write it.
func (p *Point) short() string {
	s := "unversioned"
	if p.Revision != "" {
		s = printable.Line(p.Revision)
		if len(s) > 9 {
			s = s[:9]
		}
		s = strings.ToValidUTF8(s, "")
		if p.Dirty {
			s += "+changes"
		}
	}
	return s
}

func (p *Point) date() string {
	if p.When.IsZero() {
		return "unknown date"
	}
	return p.When.UTC().Format("2006-01-02")
}

// spread returns the least, the median and the greatest of a point's values.
func (p *Point) spread() (least, median, most float64) {
	least, most = math.Inf(1), math.Inf(-1)
	for _, v := range p.Values {
		least, most = min(least, v), max(most, v)
	}
	return least, stat.Median(p.Values), most
}

// direction says which way a change goes.
func (c *Course) direction(ch *Change) string {
	rate := c.Better == benchmark.Higher && strings.Contains(c.Unit, "/")
	switch {
	case (c.Unit == "ns/op" || rate) && (ch.New > ch.Old) == rate:
		return "faster"
	case c.Unit == "ns/op" || rate:
		return "slower"
	case ch.New < ch.Old:
		return "less"
	}
	return "more" // which of most units is neither better nor worse
}

// phrase says a change in one line.
func (c *Course) phrase(ch *Change) string {
	p := &c.Points[ch.At]
	s := fmt.Sprintf("%s  %s  %s → %s", p.short(), p.date(), c.amount(ch.Old), c.amount(ch.New))
	if !math.IsNaN(ch.Ratio) {
		s += ", ratio " + quantity.Ratio(ch.Ratio)
	}
	s += fmt.Sprintf(", %s, confidence %s", c.direction(ch), quantity.Percent(1-ch.PValue))
	for _, also := range ch.Also {
		s += "; " + printable.Line(also)
	}
	return s
}

// about says what a course is of.
func (h *History) about(c *Course) string {
	runs := 0
	for i := range c.Points {
		runs += c.Points[i].Runs
	}
	s := fmt.Sprintf("%s, %s", quantity.Plural(len(c.Points), "point"), quantity.Plural(runs, "run"))
	if len(c.Points) < h.Fewest {
		s += fmt.Sprintf("; too few to tell a change from chance: %d are needed", h.Fewest)
	}
	return s
}

// bounds returns the least and greatest value of a course; ok is false where there
// is none.
func (c *Course) bounds() (least, most float64, ok bool) {
	least, most = math.Inf(1), math.Inf(-1)
	for i := range c.Points {
		l, _, m := c.Points[i].spread()
		if page.Known(l) && page.Known(m) {
			least, most = min(least, l), max(most, m)
		}
	}
	return least, most, least <= most
}

// window returns what the plot of a course shows: not from zero, since what matters
// are differences, with a twentieth of room around; never narrower than 2 % of
// the values, so that noise does not fill it.
func (c *Course) window() page.Scale {
	least, most, ok := c.bounds()
	if !ok {
		return page.Scale{Low: 0, High: 1}
	}
	middle := least/2 + most/2
	half := max((most/2-least/2)*1.1, math.Abs(middle)*0.01)
	if half == 0 || !page.Known(half) || !page.Known(middle) {
		half = 1
	}
	s := page.Scale{Low: middle - half, High: middle + half}
	if least >= 0 {
		s.Low = max(s.Low, 0)
	}
	return s
}
