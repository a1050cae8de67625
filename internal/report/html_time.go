package report

import (
	"fmt"
	"html/template"
	"math"
	"slices"
	"strconv"
	"unicode/utf8"

	"whet/internal/printable"
	"whet/internal/quantity"
)

// More bounds, of charts.
const (
	htmlSeries  = 24  // of one program, service or benchmark
	htmlCourses = 40  // benchmarks with charts
	htmlSeconds = 120 // rows of the table behind the load's charts
)

// timelineView is a group of charts that share one axis of time.
type timelineView struct {
	Name    string // of a benchmark
	Ticks   []tick // of the axis
	Marks   []markView
	Labels  []markLabel
	Charts  []chartView
	Figures []figuresRow // the charts as a table
	Seconds []secondRow  // the load as a table
	More    string
	Read    bool // charts carry their values, for the script of a load's page
}

// markView is an event on a chart: a line where it begins, and a bar above the
// charts as long as it. Charts are shaded for short ones only, since a leak
// lasts from beginning to end.
type markView struct {
	X, Width   string // in percent
	Long, Band bool
	Title      string
}

// markLabel stands above the charts, over one event or several that are near.
type markLabel struct{ X, Text, Anchor string }

type chartView struct {
	Name   string
	Range  string
	Note   string
	Label  string // what a screen reader says
	Class  string // "low", "high"
	Grid   []tick
	Ticks  []tick // of time
	Marks  []markView
	Lines  []pathView
	Legend bool // the lines have names
	Data   template.JS
}

type pathView struct{ Class, Name, Path string }

type figuresRow struct {
	Name  string
	Cells [5]string
}

type secondRow struct{ Cells [6]string }

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
	x := newAxis()
	for _, s := range seconds {
		x.add(s.TimeNs)
		x.add(s.TimeNs + max(s.LengthNs, 0))
	}
	x.addSeries(byName[""])
	marks, labels := v.marks(p, "", x)
	frame := timelineView{Ticks: x.ticks(), Marks: marks, Labels: labels}
	if len(seconds) > 0 {
		load := frame
		load.addLoad(seconds, x)
		v.Load = &load
	}
	if len(byName[""]) > 0 {
		over := frame
		over.addSeries(byName[""], x)
		v.Time = &over
	}
	names = slices.DeleteFunc(names, func(n string) bool { return n == "" })
	for _, name := range names[:min(len(names), htmlCourses)] {
		x := newAxis()
		x.addSeries(byName[name])
		course := timelineView{Name: printable.Line(name), Ticks: x.ticks()}
		course.Marks, course.Labels = v.marks(p, name, x)
		course.addSeries(byName[name], x)
		v.Each = append(v.Each, course)
	}
	v.Hidden = more(len(names), htmlCourses)
}

func (s *axis) addSeries(list []*Series) {
	for _, one := range list {
		for _, t := range one.TimeNs {
			s.add(t)
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

// reach is where the label begins and ends: it stands right of its mark, and
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
func (v *runView) marks(p *Page, benchmark string, x axis) ([]markView, []markLabel) {
	if !(x.to > x.from) {
		return nil, nil
	}
	var marks []markView
	var groups []markGroup
	order := make([]int, 0, htmlEvents)
	for i := range p.Events[:min(len(p.Events), htmlEvents)] {
		if p.Events[i].Benchmark == benchmark {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch s, t := p.Events[a].StartNs, p.Events[b].StartNs; {
		case s < t:
			return -1
		case s > t:
			return 1
		}
		return 0
	})
	for _, i := range order {
		e := &p.Events[i]
		from, to := x.at(e.StartNs), x.at(max(e.EndNs, e.StartNs))
		marks = append(marks, markView{
			X: percentOf(from), Width: percentOf(to - from), Long: to-from > 0.001, Band: to-from > 0.001 && to-from < 0.25,
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
	var labels []markLabel
	for _, g := range groups {
		anchor := "start"
		if start, _ := g.reach(); start < g.at {
			anchor = "end"
		}
		labels = append(labels, markLabel{percentOf(g.at), g.text(), anchor})
	}
	return marks, labels
}

// addLoad draws requests and service times of each second.
func (v *timelineView) addLoad(seconds []Second, x axis) {
	var rate, failed, p50, p99, most []sample
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
		rate, failed = append(rate, sample{at, perS(s.Requests)}), append(failed, sample{at, perS(s.Errors)})
		time := func(ns int64) sample {
			if ns <= 0 { // no request ended
				return sample{at, math.NaN()}
			}
			return sample{at, float64(ns)}
		}
		p50, p99, most = append(p50, time(s.P50Ns)), append(p99, time(s.P99Ns)), append(most, time(s.MaxNs))
		if len(v.Seconds) < htmlSeconds {
			v.Seconds = append(v.Seconds, secondRow{[6]string{
				fmt.Sprintf("%.2f s", float64(s.TimeNs)/1e9), amount(perS(s.Requests), "count"), amount(perS(s.Errors), "count"), answered(s.P50Ns), answered(s.P99Ns), answered(s.MaxNs),
			}})
		}
	}
	v.More = more(len(seconds), htmlSeconds)
	requests := []lineOf{{"line", "ended", rate}}
	if errors {
		requests = append(requests, lineOf{"line-bad", "failed", failed})
	}
	v.draw("requests", "per second", "each second", "high", false, x, requests)
	v.draw("service time", "nanoseconds", "each second, logarithmic", "high", true, x, []lineOf{
		{"line-max", "max", most}, {"line-p99", "p99", p99}, {"line", "p50", p50},
	})
}

func answered(t int64) string {
	if t <= 0 {
		return "–"
	}
	return ns(t)
}

// addSeries draws each metric.
func (v *timelineView) addSeries(list []*Series, x axis) {
	for _, s := range list[:min(len(list), htmlSeries)] {
		v.draw(printable.Line(s.Name), s.Unit, "", "low", false, x, []lineOf{{"line", "", pairs(s.TimeNs, s.Value)}})
	}
	v.More = more(len(list), htmlSeries)
}

// lineOf is a line of a chart before it is drawn.
type lineOf struct {
	class, name string
	samples     []sample
}

// draw adds a chart of lines that share a scale, and their row of the table.
func (v *timelineView) draw(name, unit, note, class string, log bool, x axis, lines []lineOf) {
	c := chartView{Name: name, Note: note, Class: class, Ticks: v.Ticks, Marks: v.Marks, Legend: len(lines) > 1}
	least, most := math.Inf(1), math.Inf(-1)
	words := ""
	for _, l := range lines {
		sum := summarize(l.samples)
		title := name
		if c.Legend {
			title += ", " + l.name
		}
		v.Figures = append(v.Figures, figuresRow{title, sum.figures(unit)})
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
	if least > most {
		c.Range = "unknown"
		v.Charts = append(v.Charts, c)
		return
	}
	y := linear(least, most, unit)
	if log {
		y = logarithmic(least, most)
	}
	c.Grid = y.grid(unit)
	for _, l := range lines {
		c.Lines = append(c.Lines, pathView{l.class, l.name, path(l.samples, x, y)})
	}
	if v.Read {
		c.Data = newReadData(unit, x, lines)
	}
	v.Charts = append(v.Charts, c)
}
