package run

import (
	"slices"
	"strconv"
)

// around is how many lines of source stand on each side of a finding's.
const around = 2

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

// at is the id of a line, "" of one that is not listed.
func (x lineIndex) at(file string, line int) string {
	r, ok := x[lineKey{file, line}]
	if !ok {
		return ""
	}
	return r.lines[r.i].ID
}

// around is a line with its neighbours, as far as they are listed.
func (x lineIndex) around(file string, line int) []lineView {
	r, ok := x[lineKey{file, line}]
	if !ok {
		return nil
	}
	from, to := r.i, r.i
	for from > 0 && r.i-from < around && !r.lines[from].Gap {
		from--
	}
	for to+1 < len(r.lines) && to-r.i < around && !r.lines[to+1].Gap {
		to++
	}
	out := slices.Clone(r.lines[from : to+1])
	for i := range out {
		out[i].ID, out[i].Notes, out[i].Here = "", nil, from+i == r.i
	}
	out[0].Gap = false
	return out
}
