package load

import (
	"html/template"
	"math"
	"strconv"
	"strings"

	"whet/internal/hist"
	"whet/internal/report/page"
)

// # Percentile plot
//
// The height is a time, by its logarithm, and the place from left to right is
// the share of requests that took at most so long, by nines: as far from 90 % to
// 99 % as from 99 % to 99.9 %. So the tail, which users meet who send many
// requests, has as much room as the middle. (The form is that of HdrHistogram's
// plots.) A line ends where a single request of its run is left; what stands
// there is the longest.
//
// Where is a share q: at log₁₀(1/(1−q)) decades from the left.

// quantilePoints is how many points a line has.
const quantilePoints = 480

type quantilePlot struct {
	Ticks []page.Tick
	Grid  []page.Tick
	Lines []page.Path
	Label string
	Data  template.JS
}

// quantileLine is a line before it is drawn.
type quantileLine struct {
	class, name string
	h           *hist.Histogram
}

func newQuantilePlot(runs []Run) *quantilePlot {
	var lines []quantileLine
	for i := range runs {
		r := runs[i].Result
		h, kind := times(r)
		name := kind
		if len(runs) > 1 {
			name = runs[i].name(i) + ", " + kind
		}
		lines = append(lines, quantileLine{runClass(i), name, h})
		if r.Open {
			name = "service time"
			if len(runs) > 1 {
				name = runs[i].name(i) + ", service time"
			}
			lines = append(lines, quantileLine{runClass(i) + " thin", name, &r.Service})
		}
	}
	most, low, high := int64(0), math.Inf(1), 0.0
	for _, l := range lines {
		if l.h.Count() > 0 {
			most = max(most, l.h.Count())
			low, high = min(low, float64(max(l.h.Min(), 1))), max(high, float64(l.h.Max()))
		}
	}
	if most == 0 {
		return nil
	}
	decades := max(math.Log10(float64(most)), 1)
	y := page.Logarithmic(low, max(high, low))
	v := &quantilePlot{Grid: y.Grid("nanoseconds"), Ticks: nines(decades)}
	var words []string
	var drawn []quantileLine
	for _, l := range lines {
		if l.h.Count() == 0 {
			continue
		}
		drawn = append(drawn, l)
		v.Lines = append(v.Lines, page.Path{Class: l.class, Name: l.name, Path: quantilePath(l.h, decades, y)})
		words = append(words, l.name+": p50 "+timeAt(l.h, 0.5)+", p99 "+timeAt(l.h, 0.99)+", longest "+timeAt(l.h, 1))
	}
	v.Data = newQuantileData(drawn, decades)
	v.Label = "Percentiles. " + strings.Join(words, "; ")
	return v
}

// nines returns the shares written below the plot.
func nines(decades float64) []page.Tick {
	var out []page.Tick
	add := func(label string, at float64) {
		if at/decades > 0.99 {
			return
		}
		out = append(out, page.Tick{At: page.PercentOf(at / decades), Label: label, Anchor: "middle"})
	}
	add("50 %", math.Log10(2))
	for k := 1; float64(k) <= decades; k++ {
		label := "90 %"
		if k >= 2 {
			label = "99"
			if k > 2 {
				label += "." + strings.Repeat("9", k-2)
			}
			label += " %"
		}
		add(label, float64(k))
	}
	return out
}

// quantilePath draws the times of a histogram. Its last point is the longest
// time, where one request is left.
func quantilePath(h *hist.Histogram, decades float64, y page.Scale) string {
	var b strings.Builder
	end := min(math.Log10(float64(h.Count())), decades)
	before := -1
	put := func(at float64, ns int64) {
		px, py := int(math.Round(at/decades*page.ChartX)), int(math.Round((1-y.At(float64(max(ns, 1))))*page.ChartY))
		switch {
		case before < 0:
			b.WriteString("M" + strconv.Itoa(px) + " " + strconv.Itoa(py) + "h0")
		case py == before && at < end:
			return // a stretch without change needs no points within
		default:
			// Up to here it was as high as before: times are steps.
			b.WriteString("H" + strconv.Itoa(px) + "V" + strconv.Itoa(py))
		}
		before = py
	}
	for k := range quantilePoints {
		at := end * float64(k) / quantilePoints
		put(at, h.Quantile(1-math.Pow(10, -at)))
	}
	put(end, h.Max())
	return b.String()
}
