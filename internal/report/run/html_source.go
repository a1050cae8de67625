package run

import (
	"strconv"

	"whet/internal/printable"
)

type lineKey struct {
	file string // for people
	line int
}

// lineRef is a line of a listing.
type lineRef struct {
	lines []lineView
	i     int
}

// lineIndex finds the lines that a page lists. A line that several profiles list
// is found where it stands first.
type lineIndex map[lineKey]lineRef

// add gives the lines of a listing the ids that links lead to.
func (x lineIndex) add(l *Listing, lines []lineView) {
	for i := range lines {
		key := lineKey{l.File, l.Lines[i].Number}
		if _, ok := x[key]; ok || l.File == "" {
			continue
		}
		lines[i].ID = "line-" + strconv.Itoa(len(x)+1)
		x[key] = lineRef{lines, i}
	}
}

// at returns the id of a line, "" of one that is not listed.
func (x lineIndex) at(file string, line int) string {
	r, ok := x[lineKey{file, line}]
	if !ok {
		return ""
	}
	return r.lines[r.i].ID
}

// cite returns a line with its neighbours on each side, with their cost as far as they are
// listed; what no listing has is blank, since its cost is not known here.
func (x lineIndex) cite(p *Page, file string, line int) []lineView {
	var out []lineView
	for _, l := range p.Excerpts[Spot{file, line}] {
		v := lineView{Number: strconv.Itoa(l.Number), Text: printable.Source(l.Text)}
		if r, ok := x[lineKey{file, l.Number}]; ok {
			v = r.lines[r.i]
			v.ID, v.Notes, v.Gap = "", nil, false
		}
		v.Here = l.Number == line
		out = append(out, v)
	}
	return out
}
