package view

import (
	"fmt"
	"io"
	"math"
	"strings"

	"whet/internal/analyze/lines"
	"whet/internal/document"
	"whet/internal/printable"
	"whet/internal/quantity"
	"whet/internal/report/page"
)

type webPage struct {
	page.Shell
	Total    string
	Legend   []string
	Warnings []string
	Rows     []webRoutine
}

type webRoutine struct {
	ID                 string
	Name, File         string
	Flat, Cum, Percent string
	Missing            string
	Lines              []webRow
}

type webRow struct {
	Flat, Cum    string
	Number       string
	Text         string
	Gap          bool
	Heat         string // classes of the line: hot, and h2 or h3 by its part of the function
	Notes        []string
	Instructions []webAsm
}

type webAsm struct {
	Flat, Cum, Address, Text, Place string
	Apart                           bool
	Calls                           []string
}

// WriteHTML prints the listing as one HTML file that loads nothing: a line
// that has instructions opens to show them.
func (v *Weblist) WriteHTML(w io.Writer, title string) error {
	p := webPage{Shell: page.NewShell(title, page.Asset(assets, "weblist.css"), ""), Total: v.value(v.Total), Legend: v.profileLines(), Warnings: v.Warnings}
	for i, f := range v.Functions {
		r := webRoutine{
			ID: fmt.Sprintf("f%d", i), Name: printable.Line(f.Function), File: printable.Line(f.File), Missing: printable.Line(f.Missing),
			Flat: v.value(f.Flat), Cum: v.value(f.Cum), Percent: strings.TrimSpace(quantity.PprofPercent(f.Cum, v.Total)),
		}
		for _, l := range f.Lines {
			r.Lines = append(r.Lines, v.webRow(&l, f.Cum))
		}
		p.Rows = append(p.Rows, r)
	}
	return page.Write(w, assets, "weblist.html", &p)
}

// heat says how much of a function's cum a line has: from a third, from a
// tenth, or any.
func heat(line, function int64) string {
	part := math.Abs(float64(line)) / max(math.Abs(float64(function)), 1)
	switch {
	case part >= 1.0/3:
		return "hot h3"
	case part >= 0.1:
		return "hot h2"
	}
	return "hot"
}

func (v *Weblist) webRow(l *WebLine, function int64) webRow {
	row := webRow{Flat: v.orDot(l.Flat), Cum: v.orDot(l.Cum), Number: fmt.Sprint(l.Number), Text: printable.Source(l.Text), Gap: l.Gap}
	if l.Flat != 0 || l.Cum != 0 {
		row.Heat = heat(l.Cum, function)
	}
	for i := range l.Decisions {
		row.Notes = append(row.Notes, printable.Line(lines.Said(&l.Decisions[i])))
	}
	switch {
	case l.Number == 0:
		row.Number, row.Text = "?", "(instructions of no known line)"
	case l.Beyond:
		row.Text = "(the file has no such line)"
	}
	var before []WebCall
	for _, in := range l.Instructions {
		a := webAsm{Flat: v.orDot(in.Flat), Cum: v.orDot(in.Cum), Text: printable.Line(in.Text), Apart: in.Apart}
		if in.Address != 0 {
			a.Address = fmt.Sprintf("%x", in.Address)
		}
		if in.File != "" {
			a.Place = fmt.Sprintf("%s:%d", printable.Line(base(in.File)), in.Line)
		}
		for i, c := range in.Calls {
			if i < len(before) && before[i] == c {
				continue // as of the instruction before
			}
			before = nil
			a.Calls = append(a.Calls, fmt.Sprintf("%s%s  %s:%d  %s", strings.Repeat("    ", i), printable.Line(c.Function), printable.Line(base(c.File)), c.Line, printable.Line(c.Text)))
		}
		before = in.Calls
		a.Text = strings.Repeat("    ", len(in.Calls)) + a.Text
		row.Instructions = append(row.Instructions, a)
	}
	return row
}

// WriteJSON prints the listing as the document whet/weblist/1.
func (v *Weblist) WriteJSON(w io.Writer) error {
	return document.Write(w, document.Object{v.document("weblist"), "functions", document.Each(v.Functions, func(f *WebFunction) document.Object {
		return document.Object{"function", f.Function, "file", f.File, v.costs(f.Flat, f.Cum), "missing", f.Missing, "lines", document.Each(f.Lines, v.jsonLine)}
	})})
}

func (v *Weblist) jsonLine(l *WebLine) document.Object {
	return document.Object{"line", l.Number, "text", l.Text, "beyond_end", document.IfSet(l.Beyond), v.sums(l.Flat, l.Cum), decisionsOf(l.Decisions),
		"instructions", document.Each(l.Instructions, func(in *WebInstruction) document.Object {
			return document.Object{instruction(in.Address, in.Text, in.File, in.Line), v.sums(in.Flat, in.Cum), "inlined_calls", document.Each(in.Calls, func(c *WebCall) document.Object {
				return document.Object{"function", c.Function, "file", c.File, "line", c.Line, "text", c.Text}
			})}
		})}
}
