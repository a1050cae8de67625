package run

import (
	"html/template"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"whet/internal/printable"
	"whet/internal/quantity"
	"whet/internal/report/page"
	"whet/internal/symbolname"
)

// Bounds of what a page lists of a run: a recording from elsewhere may hold any
// number, and the JSON has all of them.
const (
	htmlRuns      = 100
	htmlGroups    = 10 // of Wall, in sight
	htmlMoreWalls = 90 // shown on a click
	htmlWaiting   = 50
	htmlEvents    = 100
	htmlErrors    = 20
)

// runView is what a page has of programs and services.
type runView struct {
	Program *programView
	Service *serviceView
	Wall    *wallView
	Moment  *momentView
	Waiting waitingView
	Events  eventsView
	Load    *page.Timeline // requests and service times
	Time    *page.Timeline // metrics of the program or the service
	Each    []page.Timeline
	Hidden  string // benchmarks whose charts are not shown
	Unknown []Unknown
	Aside   string // of Unknown
}

func newRunView(p *Page) runView {
	v := runView{Events: newEventsView(p.Events), Unknown: p.Unknown, Aside: unknownAside}
	if p.Program != nil && len(p.Program.Runs) > 0 {
		v.Program = newProgramView(p.Program)
	}
	if p.Service != nil {
		v.Service = newServiceView(p.Service)
	}
	if p.Wall != nil && len(p.Wall.Groups) > 0 {
		v.Wall = newWallView(p.Wall)
	}
	if p.Moment != nil {
		v.Moment = newMomentView(p.Moment)
	}
	v.Waiting = newWaitingView(p.Contention)
	v.timelines(p)
	return v
}

type programView struct {
	Command string
	Runs    []runRow
	More    string
}

type runRow struct {
	Cells  [5]string
	Ending string
	Note   string
}

func newProgramView(p *Program) *programView {
	v := &programView{Command: printable.Line(p.Command), More: page.More(len(p.Runs), htmlRuns)}
	for i := range p.Runs[:min(len(p.Runs), htmlRuns)] {
		r := &p.Runs[i]
		v.Runs = append(v.Runs, runRow{r.cells(), printable.Line(r.Ending), r.note()})
	}
	return v
}

type serviceView struct {
	Part    template.HTML // of the load's own page
	URL     string
	Loop    string
	Figures []page.Figure
	Times   []page.Fact
	Errors  []page.ErrorRow
	More    string
}

func newServiceView(s *Service) *serviceView {
	v := &serviceView{URL: printable.Line(s.URL), Loop: s.loop(), Times: s.times(), More: page.More(len(s.Errors), htmlErrors)}
	add := func(name, value, note string) {
		if value == "unknown" { // a tile is for what is known
			return
		}
		v.Figures = append(v.Figures, page.Figure{Name: name, Value: value, Note: note})
	}
	add("throughput", page.Amount(s.ThroughputPerS, "per second"), quantity.Count(float64(s.Requests))+" requests")
	failed := s.failed()
	if failed == 0 {
		add("errors", "none", "")
	} else {
		note := ""
		if s.Requests > 0 {
			note = quantity.Percent(failed/float64(s.Requests)) + " of the requests"
		}
		add("errors", quantity.Count(failed), note)
	}
	add("CPU a request", s.perRequest(), "of the server: "+s.cores())
	add("peak memory", page.BytesOf(s.PeakBytes), "of the server")
	add("generator", page.Cores(s.GeneratorCPUNs, s.DurationNs), "of CPU, beside the server's")
	for _, e := range s.Errors[:min(len(s.Errors), htmlErrors)] {
		v.Errors = append(v.Errors, page.ErrorRow{Count: quantity.Count(float64(e.Count)), Kind: printable.Line(e.Kind), Example: printable.Line(e.Example)})
	}
	return v
}

type wallView struct {
	Covered string
	Text    string
	Legend  []legendView
	Parts   []wallPart
	Folded  []groupView
	More    string
}

// wallPart is the groups of one kind.
type wallPart struct {
	Name   string
	Groups []groupView
}

type legendView struct{ Class, State string }

type groupView struct {
	Name    string
	Counted string
	Mean    string
	Label   string // the bar in words
	Bar     []barView
	Shares  []shareOfState
}

// barView is a state's stretch of a bar, X and Width in percent.
type barView struct {
	Class, X, Width string
	State, Share    string
	Inside          string // written into it where there is room
	Edge            bool   // wide enough for a line between it and the next
}

type shareOfState struct{ Class, State, Share string }

// stateClasses give states their colours: told apart with every common colour
// blindness as well as eleven can be, which is why each is named beside its
// figure too, and all bars have the same order.
var stateClasses = map[string]string{
	"running": "st-running", "runnable": "st-runnable", "lock": "st-lock", "sync": "st-sync", "channel": "st-channel", "select": "st-select",
	"network": "st-network", "syscall": "st-syscall", "sleep": "st-sleep", "gc assist": "st-assist",
}

func stateClass(state string) string {
	if c, ok := stateClasses[state]; ok {
		return c
	}
	return "st-other"
}

func newWallView(w *Wall) *wallView {
	v := &wallView{Covered: w.covered(), Text: printable.Line(w.Text), More: page.More(len(w.Groups), htmlGroups+htmlMoreWalls)}
	requests, goroutines := wallPart{Name: "Requests, by their handler"}, wallPart{Name: "Goroutines, by start function"}
	seen := make(map[string]bool)
	for i := range w.Groups[:min(len(w.Groups), htmlGroups+htmlMoreWalls)] {
		g := newGroupView(w, &w.Groups[i])
		for _, b := range g.Bar {
			seen[b.State] = true
		}
		switch {
		case i >= htmlGroups:
			v.Folded = append(v.Folded, g)
		case w.Groups[i].Handler:
			requests.Groups = append(requests.Groups, g)
		default:
			goroutines.Groups = append(goroutines.Groups, g)
		}
	}
	for _, part := range []wallPart{requests, goroutines} {
		if len(part.Groups) > 0 {
			v.Parts = append(v.Parts, part)
		}
	}
	for _, state := range w.States {
		if state = printable.Line(state); seen[state] {
			v.Legend = append(v.Legend, legendView{stateClass(state), state})
			delete(seen, state)
		}
	}
	return v
}

func newGroupView(w *Wall, g *WallGroup) groupView {
	v := groupView{Name: g.name(), Counted: g.counted(), Mean: g.mean()}
	at := 0.0
	for _, p := range w.parts(g) {
		b := barView{Class: stateClass(p.State), X: exact(at), Width: exact(p.Ratio), State: p.State, Share: quantity.Percent(p.Ratio), Edge: p.Ratio > 0.006}
		// The bar is at least 500 pixels wide where text in it is shown, and a
		// character takes 7.
		if text := p.State + " " + b.Share; float64(utf8.RuneCountInString(text)*7+12) < p.Ratio*500 {
			b.Inside = text
		} else if float64(utf8.RuneCountInString(p.State)*7+12) < p.Ratio*500 {
			b.Inside = p.State
		}
		v.Bar = append(v.Bar, b)
		at += p.Ratio
	}
	var words []string
	for _, p := range w.heaviest(g) {
		v.Shares = append(v.Shares, shareOfState{stateClass(p.State), p.State, quantity.Percent(p.Ratio)})
		words = append(words, quantity.Percent(p.Ratio)+" "+p.State)
	}
	v.Label = v.Name + ": " + strings.Join(words, ", ")
	return v
}

// exact returns a share in percent, for the parts of a bar: these add up.
func exact(ratio float64) string {
	return strconv.FormatFloat(math.Round(min(max(ratio, 0), 1)*1e6)/1e4, 'f', -1, 64)
}

type waitingView struct {
	Aside string
	Rows  []waitingRow
	More  string
}

type waitingRow struct {
	Package, Rest    string
	Place            string
	Benchmark        string
	Kind             string
	Delay, PerS, Num string
	Width            string // of the delay, against the heaviest
}

func newWaitingView(list []Waiting) waitingView {
	v := waitingView{Aside: waitingAside, More: page.More(len(list), htmlWaiting)}
	most := int64(0)
	for i := range list {
		most = max(most, list[i].DelayNs)
	}
	for i := range list[:min(len(list), htmlWaiting)] {
		w := &list[i]
		name := printable.Line(w.Function)
		pkg, rest := symbolname.Split(name)
		v.Rows = append(v.Rows, waitingRow{
			Package: pkg, Rest: rest, Place: w.place(), Benchmark: printable.Line(w.Benchmark), Kind: printable.Line(w.Kind),
			Delay: page.Ns(w.DelayNs), PerS: w.delayPerS(), Num: quantity.Count(float64(w.Count)), Width: page.BarWidth(page.Share(w.DelayNs, most)),
		})
	}
	return v
}

type eventsView struct {
	Rows []eventRow
	More string
}

type eventRow struct {
	Number    int // as on the charts
	When      string
	Kind      string
	Benchmark string
	Text      string
}

func newEventsView(list []Event) eventsView {
	v := eventsView{More: page.More(len(list), htmlEvents)}
	for i := range list[:min(len(list), htmlEvents)] {
		e := &list[i]
		v.Rows = append(v.Rows, eventRow{i + 1, e.when(), strings.ReplaceAll(printable.Line(e.Kind), "-", " "), printable.Line(e.Benchmark), printable.Line(e.Text)})
	}
	return v
}
