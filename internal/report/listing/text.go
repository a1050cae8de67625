package listing

import (
	"fmt"
	"io"
	"strings"

	"whet/internal/analyze/lines"
	"whet/internal/callstack"
	"whet/internal/printable"
	"whet/internal/quantity"
	"whet/internal/report/page"
)

// column is a column of a table: one kind's cum, or flat, or several kinds' cum.
type column struct {
	head  string
	kinds []lines.Kind
	flat  bool
}

var columns = []column{
	{"flat", []lines.Kind{lines.CPU}, true},
	{"cum", []lines.Kind{lines.CPU}, false},
	{"bytes", []lines.Kind{lines.AllocBytes}, false},
	{"objects", []lines.Kind{lines.AllocObjects}, false},
	{"in use", []lines.Kind{lines.InUseBytes}, false},
	{"mutex", []lines.Kind{lines.Mutex}, false},
	{"block", []lines.Kind{lines.Block}, false},
	{"ready", []lines.Kind{lines.Sched}, false},
	{"waiting", []lines.Kind{lines.Sync, lines.Network, lines.Syscall}, false},
}

// meaning says what a column holds.
const meaning = "flat and cum are CPU time; bytes, objects, in use, mutex and block delay, ready (for a processor) and waiting (for locks, channels, the network and system calls) are cum"

func (c *column) cell(costs *lines.Costs) string {
	sum := int64(0)
	for _, k := range c.kinds {
		sum += c.of(costs[k])
	}
	if sum == 0 {
		return "."
	}
	return value(c.kinds[0], sum)
}

func (c *column) of(cost callstack.Cost) int64 {
	if c.flat {
		return cost.Flat
	}
	return cost.Cum
}

// columnsOf returns those in which a function has anything.
func columnsOf(f *Function) (out []column) {
	for _, c := range columns {
		if c.cell(&f.Costs) != "." {
			out = append(out, c)
		}
	}
	return out
}

// unknown returns the kinds that were not recorded, by what they are for people.
func (p *Page) unknown() (out []string) {
	for k := range lines.Kind(lines.NumKinds) {
		if !p.Model.Accounts[k].Known && k != lines.AllocObjects && k != lines.InUseObjects {
			out = append(out, k.Title())
		}
	}
	return out
}

// What a line's notes show without -all.
const (
	shownNotes   = 4
	shownInlined = 2
)

// The least room for source beside figures, and for a note below it.
const (
	leastSource = 24
	leastNote   = 60
)

// WriteText writes the page for a terminal.
func (p *Page) WriteText(w io.Writer, o page.TextOptions) error {
	t := page.NewText(o)
	t.Line(t.Paint(page.Bold, printable.Line(p.Name)), "  ", t.Paint(page.Dim, quantity.Plural(len(p.Functions), "function")))
	if totals := p.totals(); len(totals) > 1 {
		t.Labelled(totals)
	}
	if names := p.unknown(); len(names) > 0 {
		t.Hang(2, "", 0, "not recorded: "+strings.Join(names, ", "))
	}
	t.Warnings(p.Warnings)
	for _, f := range p.Functions {
		p.writeFunction(&t, f, o.All)
	}
	if len(p.Functions) > 0 {
		t.Line()
		t.Wrapped(2, page.Dim, meaning)
	}
	if p.More > 0 {
		t.Wrapped(2, page.Dim, quantity.Plural(p.More, "function")+" of your own code with less than "+quantity.Percent(Hot)+" of everything: -all shows them")
	}
	return t.Flush(w, "the lines")
}

// totals returns a table of the kinds that have any: their totals, and where the flat
// values are.
func (p *Page) totals() [][]string {
	rows := [][]string{{"", "total", "flat below", "elsewhere", "at no line", ""}}
	for k := range lines.Kind(lines.NumKinds) {
		a := &p.Model.Accounts[k]
		if !a.Known || a.Total == 0 {
			continue
		}
		share := func(v int64) string { return quantity.Percent(float64(v) / float64(a.Total)) }
		rows = append(rows, []string{k.Title(), value(k, a.Total), share(p.Shown[k].Flat), share(p.Elsewhere(k)), share(a.Unplaced), ""})
	}
	return rows
}

func (p *Page) writeFunction(t *page.Text, f *Function, all bool) {
	t.Line()
	t.Line(t.Paint(page.Bold, page.Shorten(printable.Line(f.Name), t.Width)))
	t.Line(t.Paint(page.Dim, page.FileLine(f.Path, f.Start)))
	t.Hang(0, "", 0, strings.Join(Phrases(p.Model, &f.Costs), " · "))
	for _, note := range f.notes() {
		t.Hang(0, "", 0, note)
	}
	shown := columnsOf(f)
	widths := make([]int, len(shown))
	for i, c := range shown {
		widths[i] = page.Cells(c.head)
		for j := range f.Rows {
			widths[i] = max(widths[i], page.Cells(c.cell(&f.Rows[j].Costs)))
		}
	}
	figures := func(cell func(c *column) string) string {
		var b strings.Builder
		for i := range shown {
			text := cell(&shown[i])
			b.WriteString(strings.Repeat(" ", widths[i]-page.Cells(text)+2))
			b.WriteString(text)
		}
		return b.String()
	}
	head := figures(func(c *column) string { return c.head })
	t.Line(t.Paint(page.Dim, head+"    line"))
	indent := page.Cells(head) + 10
	apart := indent+leastSource > t.Width // source has a line of its own
	if apart {
		indent = 10
	}
	for i := range f.Rows {
		r := &f.Rows[i]
		number := fmt.Sprintf("%8d", r.Number)
		source := page.Cut(r.text(), max(t.Width-indent, leastSource))
		if apart {
			t.Line(figures(func(c *column) string { return c.cell(&r.Costs) }))
			t.Line(number, "  ", source)
		} else {
			t.Line(figures(func(c *column) string { return c.cell(&r.Costs) }), number, "  ", source)
		}
		under := indent
		if t.Width-under < leastNote {
			under = 10
		}
		for _, note := range p.notes(r, all) {
			for j, l := range page.Wrap(note, t.Width-under-2) {
				mark := "↳ "
				if j > 0 {
					mark = "  "
				}
				t.Line(strings.Repeat(" ", under), t.Paint(page.Dim, mark+l))
			}
		}
	}
}

// text returns a line's text, or what is to say of it.
func (r *Row) text() string {
	switch {
	case r.Beyond:
		return "(the file has no such line)"
	case r.Gone:
		return "(changed since) " + strings.TrimSpace(page.Tabs(printable.Source(r.Text)))
	}
	return page.Tabs(printable.Source(r.Text))
}

// notes say what is particular to a function.
func (f *Function) notes() (out []string) {
	if f.Missing != "" {
		out = append(out, "no source: "+printable.Line(f.Missing))
	}
	if f.Generated {
		out = append(out, "this is generated code: look at its input")
	}
	if f.Undecided {
		out = append(out, "the recording has no compiler output for this file: its decisions are unknown")
	}
	return out
}

// notes returns what the compiler said of a line, and what was inlined there.
func (p *Page) notes(r *Row, all bool) (out []string) {
	add := func(texts []string, most int) {
		for i, text := range texts {
			if i == most && !all {
				out = append(out, "… "+quantity.Plural(len(texts)-most, "more")+" with -all")
				break
			}
			out = append(out, printable.Line(text))
		}
	}
	add(Decisions(&r.Line), shownNotes)
	var inlined []string
	for i := range r.Inlined {
		in := &r.Inlined[i]
		inlined = append(inlined, fmt.Sprintf("inlined %s:%d: ", in.Function, in.Line)+strings.Join(Phrases(p.Model, &in.Costs), ", "))
	}
	add(inlined, shownInlined)
	return out
}
