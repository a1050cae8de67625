package load

import (
	"math"
	"slices"
	"time"

	"whet/internal/hist"
	"whet/internal/loadresult"
)

// A heat map has at most courseColumns columns of time; where there come to be
// more, each two on end become one, so that the course of a day takes no more
// room than that of minutes. A row is a twelfth of a decade: from 10 ns to
// 1000 s there are 132, and a decade is high enough to be seen.
const (
	courseColumns = 480
	courseRows    = 132
	rowsPerDecade = 12
	courseLeast   = 10 // ns, where the rows begin
)

// Course keeps which times were how frequent when, for a page's heat map:
// response times of an open loop, service times of a closed one. It takes about
// half a megabyte however long the load is.
type Course struct {
	open    bool
	begin   time.Time     // of the first interval
	span    time.Duration // that a column may be long before the next begins
	columns []courseColumn
}

// courseColumn is a stretch of time.
type courseColumn struct {
	from, to time.Duration // since the load's Start
	counts   [courseRows]int64
}

// NewCourse returns one without times.
func NewCourse(open bool) *Course { return &Course{open: open} }

// Add adds a closed interval of the recorder. Intervals come in order, the
// first with the load's Start.
func (c *Course) Add(iv loadresult.Interval) {
	if c.begin.IsZero() {
		c.begin = iv.Start
	}
	from := iv.Start.Sub(c.begin)
	times := iv.Service
	if c.open {
		times = iv.Response
	}
	c.add(from, from+iv.Length, times)
}

func (c *Course) add(from, to time.Duration, times *hist.Histogram) {
	n := len(c.columns)
	if n == 0 || c.columns[n-1].to-c.columns[n-1].from+(to-from) > c.span {
		c.columns = append(c.columns, courseColumn{from: from, to: to})
		n++
	}
	last := &c.columns[n-1]
	last.to = max(last.to, to)
	for b := range times.All() {
		last.counts[courseRow(b.Last)] += b.Count
	}
	if n > courseColumns {
		c.coarsen()
	}
}

// counts reports whether any request is in it.
func (c *Course) counts() bool {
	return slices.ContainsFunc(c.columns, func(col courseColumn) bool { return slices.Max(col.counts[:]) > 0 })
}

// coarsen makes each two columns on end one.
func (c *Course) coarsen() {
	c.columns = halve(c.columns)
	for i := range c.columns {
		c.span = max(c.span, c.columns[i].to-c.columns[i].from)
	}
}

// halve returns columns of which each holds two; the last may be of one.
func halve(columns []courseColumn) []courseColumn {
	out := make([]courseColumn, 0, courseColumns+1)
	for i := range columns {
		if i%2 == 0 {
			out = append(out, columns[i])
			continue
		}
		last := &out[len(out)-1]
		last.to = columns[i].to
		for row, n := range columns[i].counts {
			last.counts[row] += n
		}
	}
	return out
}

// courseRow returns the row of a time; the first and the last hold what lies beyond
// them too.
//
//	row = ⌊12·log₁₀(ns/10)⌋
//
// Example: 1 ms is 10⁶ ns, 12·log₁₀(10⁵) = 60.
func courseRow(ns int64) int {
	if ns <= courseLeast {
		return 0
	}
	return min(int(rowsPerDecade*math.Log10(float64(ns)/courseLeast)+1e-9), courseRows-1)
}

// rowStart returns the time in nanoseconds where a row begins.
func rowStart(row int) float64 {
	return courseLeast * math.Pow(10, float64(row)/rowsPerDecade)
}
