package load

import (
	"fmt"
	"html/template"
	"math"
	"strconv"
	"strings"
	"time"

	"whet/internal/quantity"
	"whet/internal/report/page"
)

// # Heat map
//
// Quantiles over time are lines through what may be several crowds: a cache
// that hits and misses, a collector that stops every tenth request. The heat
// map shows the crowds. A cell is a stretch of time and a twelfth of a decade
// of times; its colour is how many requests are in it, by the logarithm, so
// that one request beside a hundred thousand is seen. Where a stretch is shorter
// or longer than the others the colour is that of as many a second. The colours grow darker
// (on a dark page lighter) with each step, and so are told apart without hue.
//
// It is drawn as one path for each colour, neighbours of a row as one
// rectangle: the page needs no script for it. What a cell counts stands in the
// data beside it, which the script reads to the mouse.
const (
	heatColors = 8
	heatRows   = 18 // the least that are shown: one crowd is no wall
	// heatNarrow is how many columns a map has at most beside others.
	heatNarrow = 160
)

type heatView struct {
	Run    string
	Name   string // "response time"
	Column string // how long a column is
	Label  string // what a screen reader says
	Box    string // of the SVG
	Grid   []page.Tick
	Ticks  []page.Tick
	Paths  []page.Path
	Legend []heatLevel
	Total  string
	Data   template.JS
}

// heatLevel is a colour and the counts it stands for.
type heatLevel struct{ Class, Counts string }

// heatData is what the script knows of a map. Cells are a row for each column:
// the first row of times in it, then the counts of that and those above.
type heatData struct {
	Seconds []float64 `json:"seconds"` // where columns begin, and where the last ends
	Times   []float64 `json:"times"`   // where the shown rows begin, and where the last ends
	Cells   [][]int64 `json:"cells"`
}

func newHeatView(name string, c *Course, runs int) heatView {
	columns := c.columns
	if runs > 2 {
		for len(columns) > heatNarrow {
			columns = halve(columns)
		}
	}
	low, high, most, total := courseRows, -1, int64(0), int64(0)
	usual := columns[0].to - columns[0].from
	for i := range columns {
		for row, n := range columns[i].counts {
			if n > 0 {
				low, high, most, total = min(low, row), max(high, row), max(most, columns[i].usual(n, usual)), total+n
			}
		}
	}
	v := heatView{Run: name, Name: "service time", Total: quantity.Count(float64(total))}
	if c.open {
		v.Name = "response time"
	}
	for high-low+1 < heatRows {
		if low > 0 {
			low--
		}
		if high-low+1 < heatRows && high < courseRows-1 {
			high++
		}
	}
	x := page.Axis{From: float64(columns[0].from), To: float64(columns[len(columns)-1].to)}
	y := page.Scale{Low: rowStart(low), High: rowStart(high + 1), Log: true}
	v.Ticks, v.Grid = x.Ticks(), heatGrid(y)
	v.Box = fmt.Sprintf("0 0 %d %d", page.ChartX, high-low+1)
	v.Column = quantity.Nanoseconds(float64(usual))
	v.Label = fmt.Sprintf("%s of %s requests over %s, from %s to %s", v.Name, v.Total, page.Seconds(x.To-x.From), quantity.Nanoseconds(y.Low), quantity.Nanoseconds(y.High))
	steps := heatSteps(most)
	v.Paths = heatPaths(columns, low, high, x, usual, steps)
	for i, least := range steps {
		counts := quantity.Count(float64(least))
		switch {
		case i == len(steps)-1 && most > least:
			counts += "–" + quantity.Count(float64(most))
		case i < len(steps)-1 && steps[i+1]-1 > least:
			counts += "–" + quantity.Count(float64(steps[i+1]-1))
		}
		v.Legend = append(v.Legend, heatLevel{heatClass(i, len(steps)), counts})
	}
	v.Data = newHeatData(columns, low, high)
	return v
}

// usual returns a count of a column as it would be in one of the usual length: the
// last may be shorter, and seconds that were handed over together longer.
func (c *courseColumn) usual(n int64, length time.Duration) int64 {
	if own := c.to - c.from; n > 0 && own > 0 && own != length {
		return max(int64(math.Round(float64(n)*float64(length)/float64(own))), 1)
	}
	return n
}

// heatSteps returns the least counts of the colours that are needed for counts up
// to most, the first 1. Step k of n begins at (most+1)^(k/n), rounded up.
//
// Example: for 255 and 8 colours they are 1, 2, 4, 8, 16, 32, 64, 128.
func heatSteps(most int64) []int64 {
	if most <= 0 {
		return nil
	}
	n := min(int64(heatColors), most)
	out := make([]int64, n)
	for k := range out {
		least := int64(math.Ceil(math.Pow(float64(most)+1, float64(k)/float64(n)) - 1e-9))
		if k > 0 {
			least = max(least, out[k-1]+1)
		}
		out[k] = least
	}
	return out
}

// heatClass returns the colour of step i of n: with fewer steps they lie further
// apart.
func heatClass(i, n int) string {
	if n <= 1 {
		return "hot" + strconv.Itoa(heatColors)
	}
	return "hot" + strconv.Itoa(1+i*(heatColors-1)/(n-1))
}

// heatPaths draws the cells, a path for each colour.
func heatPaths(columns []courseColumn, low, high int, x page.Axis, usual time.Duration, steps []int64) []page.Path {
	texts := make([]strings.Builder, len(steps))
	at := func(t time.Duration) int { return int(math.Round(x.At(int64(t)) * page.ChartX)) }
	step := func(c *courseColumn, row int) int {
		s, n := -1, c.usual(c.counts[row], usual)
		for s+1 < len(steps) && n >= steps[s+1] {
			s++
		}
		return s
	}
	for row := low; row <= high; row++ {
		for i := 0; i < len(columns); {
			s := step(&columns[i], row)
			j := i + 1
			for j < len(columns) && step(&columns[j], row) == s && columns[j].from == columns[j-1].to {
				j++
			}
			if s >= 0 {
				from := at(columns[i].from)
				wide := max(at(columns[j-1].to)-from, 1)
				fmt.Fprintf(&texts[s], "M%d %dh%dv1h-%dz", from, high-row, wide, wide)
			}
			i = j
		}
	}
	var out []page.Path
	for s := range texts {
		if texts[s].Len() > 0 {
			out = append(out, page.Path{Class: heatClass(s, len(steps)), Path: texts[s].String()})
		}
	}
	return out
}

// heatGrid are round times within a scale: powers of ten, and 2 and 5 times
// them where there is room.
func heatGrid(y page.Scale) []page.Tick {
	factors := []float64{1}
	if y.High/y.Low < 150 {
		factors = []float64{1, 2, 5}
	}
	var out []page.Tick
	for power := math.Pow(10, math.Floor(math.Log10(y.Low))); power <= y.High; power *= 10 {
		for _, f := range factors {
			if v := f * power; v >= y.Low*(1-1e-9) && v <= y.High*(1+1e-9) {
				out = append(out, page.Tick{At: page.PercentOf(1 - y.At(v)), Label: page.Round(v, "nanoseconds")})
			}
		}
	}
	return out
}

func newHeatData(columns []courseColumn, low, high int) template.JS {
	d := heatData{Cells: make([][]int64, len(columns))}
	for i := range columns {
		c := &columns[i]
		d.Seconds = append(d.Seconds, c.from.Seconds())
		first, last := -1, -1
		for row := low; row <= high; row++ {
			if c.counts[row] > 0 {
				if first < 0 {
					first = row
				}
				last = row
			}
		}
		d.Cells[i] = []int64{}
		if first >= 0 {
			d.Cells[i] = append([]int64{int64(first - low)}, c.counts[first:last+1]...)
		}
	}
	d.Seconds = append(d.Seconds, columns[len(columns)-1].to.Seconds())
	for row := low; row <= high+1; row++ {
		d.Times = append(d.Times, math.Round(rowStart(row)))
	}
	return page.Script(d)
}
