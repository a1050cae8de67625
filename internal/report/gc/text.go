package gc

import (
	"fmt"
	"io"
	"slices"
	"strconv"

	"whet/internal/analyze/gc"
	"whet/internal/format/gctrace"
	"whet/internal/printable"
	"whet/internal/quantity"
	"whet/internal/report/page"
	"whet/internal/symbolname"
)

// rows is how many rows of a table text shows unless all are asked for; mostRows is how
// many it shows then.
const (
	rows     = 10
	mostRows = 100_000
)

// labels is the room of the names of figures.
const labels = 11

// WriteText writes what the collector did for a terminal.
func WriteText(w io.Writer, p *Page, o page.TextOptions) error {
	t := page.NewText(o)
	t.Line(t.Paint(page.Bold, printable.Line(p.Name)), "  ", t.Paint(page.Dim, p.about()))
	t.Warnings(p.Warnings)
	t.Line()
	for _, c := range p.conclusions() {
		t.Hang(2, "", 0, printable.Line(c.Text))
		for _, e := range c.Evidence {
			t.Hang(4, "- ", 2, printable.Line(e))
		}
		if c.Remedy != "" {
			t.Hang(4, "> ", 2, printable.Line(c.Remedy))
		}
	}
	figures := p.figures()
	if len(figures) > 0 {
		t.Line()
	}
	for _, f := range figures {
		t.Hang(2, f.name, labels, f.text)
	}
	most := rows
	if o.All {
		most = mostRows
	}
	grown(&t, p.Grown, most)
	startUp(&t, p.Result.Inits, most)
	if p.Process != nil {
		cycles(&t, p.Process, o.All)
	}
	return t.Flush(w, "the garbage collector's work")
}

func grown(t *page.Text, g *Grown, most int) {
	if g == nil || len(g.Places) == 0 {
		return
	}
	t.Heading("What grows", fmt.Sprintf("heap in use: %s at %s, %s at %s", size(g.BeforeBytes), span(g.FromNs), size(g.AfterBytes), span(g.ToNs)))
	table := [][]string{{"allocated by", "before", "after", "more", ""}}
	for _, l := range g.Places[:min(len(g.Places), most)] {
		table = append(table, []string{printable.Line(symbolname.Short(l.Function)) + " " + page.FileLine(l.File, l.Line), size(l.BeforeBytes), size(l.AfterBytes), size(l.More()), through(l.Callers)})
	}
	t.Labelled(table)
}

// through names the callers of a place, the next one first.
func through(callers []string) string {
	text := ""
	for _, c := range callers[:min(len(callers), 3)] {
		text += " < " + printable.Line(symbolname.Short(c))
	}
	return text
}

func startUp(t *page.Text, inits []gctrace.Init, most int) {
	if len(inits) == 0 {
		return
	}
	costly := gc.Costly(inits)
	aside := ""
	if len(costly) == 0 {
		if most == rows {
			return
		}
	}
	list := costly
	if most > rows {
		list = slices.Clone(inits)
		slices.SortStableFunc(list, gc.ByCost)
	}
	if len(list) > most {
		aside = fmt.Sprintf("%d of %d, -all shows the rest", most, len(list))
		list = list[:most]
	}
	t.Heading("Start-up by package", aside)
	table := [][]string{{"package", "at", "takes", "allocates", "objects", ""}}
	for _, i := range list {
		table = append(table, []string{printable.Line(i.Package), span(int64(i.At)), span(int64(i.Wall)), size(i.Bytes), quantity.Count(float64(i.Allocs)), ""})
	}
	t.Labelled(table)
}

// cycles lists the last ones, or all.
func cycles(t *page.Text, p *gctrace.Process, all bool) {
	n := p.Cycles.Len()
	if n == 0 {
		return
	}
	from, aside := max(n-rows, 0), ""
	if all {
		from = max(n-mostRows, 0)
	}
	if from > 0 {
		aside = fmt.Sprintf("the last %d of %s", n-from, quantity.Count(float64(n)))
		if !all {
			aside += ", -all shows the rest"
		}
	}
	t.Heading("Cycles", aside)
	table := [][]string{{"", "at", "before", "after", "alive", "goal", "marks", "stops", "workers", "assists", "idle", ""}}
	for i, c := range p.Cycles.All() {
		if i < from {
			continue
		}
		note := ""
		if c.Forced {
			note = "forced"
		}
		goal := "none"
		if c.GoalBytes != gctrace.NoGoal {
			goal = size(c.GoalBytes)
		}
		table = append(table, []string{
			strconv.FormatInt(c.N, 10), span(int64(c.At)), size(c.StartBytes), size(c.EndBytes), size(c.LiveBytes), goal,
			span(int64(c.Mark)), span(int64(c.Pause())), span(int64(c.BackgroundCPU)), span(int64(c.AssistCPU)), span(int64(c.IdleCPU)), note,
		})
	}
	t.Labelled(table)
}
