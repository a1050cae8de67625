package read

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"whet/internal/callstack"
	"whet/internal/diagnose"
	"whet/internal/finding"
	"whet/internal/report/run"
)

// rows returns the head of a top table: by flat, or by cum.
func (a *Reading) rows(c classifiedProfile, base callstack.Keep, cum bool) []run.Row {
	fs := c.FunctionCosts(c.column, base)
	if cum {
		slices.SortStableFunc(fs, func(x, y callstack.FunctionCost) int { return cmp.Compare(y.Cum, x.Cum) })
	}
	var rows []run.Row
	for _, f := range fs {
		if len(rows) == topRows || !cum && f.Flat == 0 { // the rest holds no flat either
			break
		}
		if strings.HasPrefix(f.Function, "testing.") {
			continue // what runs the benchmark holds all of the base and says nothing
		}
		rows = append(rows, run.Row{Function: f.Function, File: a.sources.Display(f.File), Flat: f.Flat, Cum: f.Cum})
	}
	return rows
}

// listings shows the source of the hottest functions: those of the user's own
// modules that hold most of the base, benchmarks themselves apart.
func (a *Reading) listings(c classifiedProfile, base callstack.Keep) []run.Listing {
	total := c.Sum(c.column, base)
	lines := make(map[string]map[diagnose.SourceLine]callstack.Cost) // by function
	for l, cost := range c.LineCosts(c.column, base) {
		if lines[l.Function] == nil {
			lines[l.Function] = make(map[diagnose.SourceLine]callstack.Cost)
		}
		lines[l.Function][diagnose.SourceLine{File: l.File, Line: l.Line}] = cost
	}
	var out []run.Listing
	fs := c.FunctionCosts(c.column, base)
	slices.SortStableFunc(fs, func(x, y callstack.FunctionCost) int { return cmp.Compare(y.Cum, x.Cum) })
	for _, f := range fs {
		if len(out) == listings || f.Cum*50 < total { // under 2 % nothing is hot
			break
		}
		if !a.sources.own(f.File) || a.loops.InBenchmark(f.File, firstLine(lines[f.Function], f.File)) {
			continue
		}
		out = append(out, a.listing(f, lines[f.Function]))
	}
	return out
}

func firstLine(costs map[diagnose.SourceLine]callstack.Cost, file string) int {
	first := 0
	for p := range costs {
		if p.File == file && (first == 0 || p.Line < first) {
			first = p.Line
		}
	}
	return first
}

// listing shows the lines around those that cost; the hottest ones if the
// function is long.
func (a *Reading) listing(f callstack.FunctionCost, costs map[diagnose.SourceLine]callstack.Cost) run.Listing {
	l := run.Listing{Function: f.Function, File: a.sources.Display(f.File), Flat: f.Flat, Cum: f.Cum, Differs: a.sources.differs(f.File)}
	text := a.sources.Text(f.File)
	if text == nil {
		l.Missing = a.missing
		return l
	}
	source := bytes.Split(text, []byte("\n"))
	type hotLine struct {
		line int
		callstack.Cost
	}
	var hot []hotLine
	for p, cost := range costs {
		switch {
		case p.File != f.File || p.Line < 1:
		case p.Line > len(source):
			l.Differs = fmt.Sprintf("the profile names line %d, the file has %d", p.Line, len(source))
		default:
			hot = append(hot, hotLine{p.Line, cost})
		}
	}
	slices.SortFunc(hot, func(x, y hotLine) int {
		return cmp.Or(cmp.Compare(y.Cum, x.Cum), cmp.Compare(x.line, y.line))
	})
	show := make(map[int]bool)
	for _, h := range hot {
		if len(show) >= listingLines {
			break
		}
		for n := max(h.line-2, 1); n <= min(h.line+2, len(source)); n++ {
			show[n] = true
		}
	}
	for n := 1; n <= len(source); n++ {
		if show[n] {
			cost := costs[diagnose.SourceLine{File: f.File, Line: n}]
			l.Lines = append(l.Lines, run.SourceLine{Number: n, Text: string(bytes.TrimRight(source[n-1], "\r")), Flat: cost.Flat, Cum: cost.Cum, Notes: a.decisions(diagnose.SourceLine{File: f.File, Line: n})})
		}
	}
	return l
}

// around is how many lines an excerpt has on each side of its own.
const around = 2

// excerpts returns the lines around findings and hot places, of the sources that are
// there.
func (a *Reading) excerpts(page *run.Page) map[run.Spot][]run.SourceLine {
	out := make(map[run.Spot][]run.SourceLine)
	texts := make(map[string][][]byte) // by the file that people are shown
	add := func(file string, line int) {
		at := run.Spot{File: file, Line: line}
		if out[at] != nil || file == "" {
			return
		}
		source, seen := texts[file]
		if !seen {
			if frame := a.sources.frameFile(file); frame != "" {
				if text := a.sources.Text(frame); text != nil {
					source = bytes.Split(text, []byte("\n"))
				}
			}
			texts[file] = source
		}
		if line < 1 || line > len(source) {
			return
		}
		for n := max(line-around, 1); n <= min(line+around, len(source)); n++ {
			out[at] = append(out[at], run.SourceLine{Number: n, Text: string(bytes.TrimRight(source[n-1], "\r"))})
		}
	}
	for _, findings := range [][]finding.Finding{page.Findings, page.Below} {
		for i := range findings {
			add(findings[i].File, findings[i].Line)
		}
	}
	for i := range page.HotPlaces {
		add(page.HotPlaces[i].File, page.HotPlaces[i].Line)
	}
	return out
}
