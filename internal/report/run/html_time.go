package run

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"unicode/utf8"

	"whet/internal/printable"
	"whet/internal/report/page"
)

// More bounds, of charts.
const (
	htmlSeries  = 24  // of one program, service or benchmark
	htmlCourses = 40  // benchmarks with charts
	htmlSeconds = 120 // rows of the table below the load's charts
	htmlValues  = 120 // of a line, for the mouse
)

// timelines lays out the charts: of the load and the target on one axis, of
// each benchmark on its own.
func (v *runView) timelines(p *Page) {
	var seconds []Second
	if p.Service != nil {
		seconds = p.Service.Seconds
	}
	byName := make(map[string][]*Series)
	var names []string
	for i := range p.Series {
		s := &p.Series[i]
		if len(byName[s.Benchmark]) == 0 {
			names = append(names, s.Benchmark)
		}
		byName[s.Benchmark] = append(byName[s.Benchmark], s)
	}
	x := page.NewAxis()
	for _, s := range seconds {
		x.Add(s.TimeNs)
		x.Add(s.TimeNs + max(s.LengthNs, 0))
	}
	addToAxis(&x, byName[""])
	marks, labels := v.marks(p, "", x)
	frame := page.Timeline{Ticks: x.Ticks(), Marks: marks, Labels: labels, Read: htmlValues}
	if len(seconds) > 0 {
		load := frame
		drawLoad(&load, seconds, x)
		v.Load = &load
	}
	if len(byName[""]) > 0 {
		over := frame
		drawSeries(&over, byName[""], x)
		v.Time = &over
	}
	names = slices.DeleteFunc(names, func(n string) bool { return n == "" })
	for _, name := range names[:min(len(names), htmlCourses)] {
		x := page.NewAxis()
		addToAxis(&x, byName[name])
		course := page.Timeline{Name: printable.Line(name), Ticks: x.Ticks(), Read: htmlValues}
		course.Marks, course.Labels = v.marks(p, name, x)
		drawSeries(&course, byName[name], x)
		v.Each = append(v.Each, course)
	}
	v.Hidden = page.More(len(names), htmlCourses)
}

func addToAxis(s *page.Axis, list []*Series) {
	for _, one := range list {
		for _, t := range one.TimeNs {
			s.Add(t)
		}
	}
}

// markChar is the width of a label's character as a share of the chart's: 7
// pixels of a phone's 280.
const markChar = 0.025

// markGroup is events that share a label. They are numbered as in the list.
type markGroup struct {
	at                 float64 // of its first mark, in [0,1]
	least, most, count int
}

func (g markGroup) text() string {
	switch g.count {
	case 1:
		return strconv.Itoa(g.least)
	case 2:
		return strconv.Itoa(g.least) + "," + strconv.Itoa(g.most)
	}
	return strconv.Itoa(g.least) + "–" + strconv.Itoa(g.most)
}

// reach returns where the label begins and ends: it stands right of its mark, and
// left of it near the chart's end.
func (g markGroup) reach() (from, to float64) {
	width := markChar * float64(utf8.RuneCountInString(g.text())+1)
	if g.at+width > 1 {
		return g.at - width, g.at
	}
	return g.at, g.at + width
}

// marks places the events of one course on its axis, with the numbers that they
// have in the list of events. Labels that would lie on each other become one.
func (v *runView) marks(p *Page, benchmark string, x page.Axis) ([]page.Mark, []page.MarkLabel) {
	if !(x.To > x.From) {
		return nil, nil
	}
	var marks []page.Mark
	var groups []markGroup
	order := make([]int, 0, htmlEvents)
	for i := range p.Events[:min(len(p.Events), htmlEvents)] {
		if p.Events[i].Benchmark == benchmark {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(p.Events[a].StartNs, p.Events[b].StartNs) })
	for _, i := range order {
		e := &p.Events[i]
		from, to := x.At(e.StartNs), x.At(max(e.EndNs, e.StartNs))
		marks = append(marks, page.Mark{
			X: page.PercentOf(from), Width: page.PercentOf(to - from), Long: to-from > 0.001, Band: to-from > 0.001 && to-from < 0.25,
			Title: fmt.Sprintf("%d · %s · %s", i+1, e.when(), e.sentence()),
		})
		g := markGroup{from, i + 1, i + 1, 1}
		for n := len(groups); n > 0; n = len(groups) {
			before := groups[n-1]
			start, _ := g.reach()
			if _, end := before.reach(); end <= start {
				break
			}
			g = markGroup{before.at, min(before.least, g.least), max(before.most, g.most), before.count + g.count}
			groups = groups[:n-1]
		}
		groups = append(groups, g)
	}
	var labels []page.MarkLabel
	for _, g := range groups {
		anchor := "start"
		if start, _ := g.reach(); start < g.at {
			anchor = "end"
		}
		labels = append(labels, page.MarkLabel{X: page.PercentOf(g.at), Text: g.text(), Anchor: anchor})
	}
	return marks, labels
}

// drawLoad draws requests and service times of each second.
func drawLoad(v *page.Timeline, seconds []Second, x page.Axis) {
	var rate, failed, p50, p99, most []page.Sample
	errors := false
	for _, s := range seconds {
		at := s.TimeNs + s.LengthNs/2
		perS := func(n int64) float64 {
			if s.LengthNs <= 0 {
				return math.NaN()
			}
			return float64(n) / float64(s.LengthNs) * 1e9
		}
		errors = errors || s.Errors > 0
		rate, failed = append(rate, page.Sample{T: at, V: perS(s.Requests)}), append(failed, page.Sample{T: at, V: perS(s.Errors)})
		time := func(ns int64) page.Sample {
			if ns <= 0 { // no request ended
				return page.Sample{T: at, V: math.NaN()}
			}
			return page.Sample{T: at, V: float64(ns)}
		}
		p50, p99, most = append(p50, time(s.P50Ns)), append(p99, time(s.P99Ns)), append(most, time(s.MaxNs))
		if len(v.Seconds) < htmlSeconds {
			v.Seconds = append(v.Seconds, page.SecondRow{Cells: [6]string{
				fmt.Sprintf("%.2f s", float64(s.TimeNs)/1e9), page.Amount(perS(s.Requests), "count"), page.Amount(perS(s.Errors), "count"), page.Answered(s.P50Ns), page.Answered(s.P99Ns), page.Answered(s.MaxNs),
			}})
		}
	}
	v.More = page.More(len(seconds), htmlSeconds)
	requests := []page.Line{{Class: "line", Name: "ended", Samples: rate}}
	if errors {
		requests = append(requests, page.Line{Class: "line-bad", Name: "failed", Samples: failed})
	}
	v.Draw("requests", "per second", "each second", "high", false, x, requests)
	v.Draw("service time", "nanoseconds", "each second, logarithmic", "high", true, x, []page.Line{
		{Class: "line-max", Name: "max", Samples: most}, {Class: "line-p99", Name: "p99", Samples: p99}, {Class: "line", Name: "p50", Samples: p50},
	})
}

// lineClasses are those of the lines of one chart, in their order.
var lineClasses = []string{"line", "line-max", "line-p99", "line-bad"}

// drawSeries draws each metric; those of one chart together.
func drawSeries(v *page.Timeline, list []*Series, x page.Axis) {
	shown := list[:min(len(list), htmlSeries)]
	for i := 0; i < len(shown); {
		first := shown[i]
		var lines []page.Line
		for ; i < len(shown) && len(lines) < len(lineClasses) && (len(lines) == 0 || first.Chart != "" && shown[i].Chart == first.Chart); i++ {
			s := shown[i]
			lines = append(lines, page.Line{Class: lineClasses[len(lines)], Name: printable.Line(s.Line), Samples: page.Pairs(s.TimeNs, s.Value), Whole: s.Apart})
		}
		name := first.Chart
		if name == "" {
			name = first.Name
		}
		v.Draw(printable.Line(name), first.Unit, "", "low", false, x, lines)
	}
	v.More = page.More(len(list), htmlSeries)
}
