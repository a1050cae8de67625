package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// page is the table as it stands in a README: lines of measures, each with the
// run that it is of, and the runs.
type page struct {
	lines [][]string
	runs  []runText
}

// runText is when and where a run was, and what its lines must be read with.
type runText struct {
	where    string
	warnings []string
}

// columns are those of a terminal's table, and which run a line is of.
func columns() []string { return append(slices.Clone(titles), "measured") }

const (
	measuredOn = "Measured "
	notSettled = "not settled: "
)

func (d *document) page() *page {
	p := &page{runs: []runText{{d.where(), d.Warnings}}}
	for _, cells := range d.cells() {
		p.lines = append(p.lines, append(cells, d.stamp()))
	}
	return p
}

// stamp names the run in its lines; where begins with the same time.
func (d *document) stamp() string {
	if d.Commit == "" {
		return d.when()
	}
	return d.when() + ", " + d.Commit
}

// of reports whether a line is one of the run's.
func (r *runText) of(line []string) bool {
	when, _, _ := strings.Cut(line[len(line)-1], ", ")
	return strings.HasPrefix(r.where, when+", ")
}

// readPage reads what String wrote.
func readPage(text string) (*page, error) {
	p := new(page)
	header := false
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		switch {
		case line == "", strings.HasPrefix(line, "|---"):
		case strings.HasPrefix(line, "|"):
			cells := strings.Split(strings.TrimSuffix(strings.TrimPrefix(line, "| "), " |"), " | ")
			for i, c := range cells {
				cells[i] = strings.ReplaceAll(strings.TrimSpace(c), `\|`, "|")
			}
			switch {
			case !header && slices.Equal(cells, columns()):
				header = true
			case !header || len(cells) != len(columns()):
				return nil, fmt.Errorf("its table has other columns, as in %.100q: write it whole, without -only", line)
			default:
				if n := len(p.lines); n > 0 && cells[0] == "" {
					cells[0] = p.lines[n-1][0]
				}
				p.lines = append(p.lines, cells)
			}
		case strings.HasPrefix(line, measuredOn):
			p.runs = append(p.runs, runText{where: strings.TrimSuffix(strings.TrimPrefix(line, measuredOn), ".")})
		case len(p.runs) == 0:
			return nil, fmt.Errorf("%.100q stands under its table and is of no run: write it whole, without -only", line)
		default:
			r := &p.runs[len(p.runs)-1]
			r.warnings = append(r.warnings, strings.TrimSuffix(line, "."))
		}
	}
	if len(p.lines) == 0 {
		return nil, errors.New("it has no table yet that lines could stand in: write it whole, without -only")
	}
	return p, nil
}

// with is the page with the lines of a later run of the services in place of its
// own. Runs that no line is of any more are left out, and so is what was said of
// what is measured anew; what is not settled the lines say themselves.
func (p *page) with(later *page) (*page, error) {
	merged := &page{lines: slices.Clone(p.lines)}
	for _, line := range later.lines {
		at := slices.IndexFunc(p.lines, func(old []string) bool { return old[0] == line[0] && old[1] == line[1] })
		if at < 0 {
			return nil, fmt.Errorf("its table has no line of %s, %s: write it whole, without -only", line[0], line[1])
		}
		merged.lines[at] = line
	}
	for _, r := range p.runs {
		if !slices.ContainsFunc(merged.lines, r.of) {
			continue
		}
		kept := runText{where: r.where}
		for _, w := range r.warnings {
			anew := slices.ContainsFunc(later.lines, func(line []string) bool { return strings.HasPrefix(w, line[0]+asService+": ") })
			if !anew && !strings.HasPrefix(w, notSettled) {
				kept.warnings = append(kept.warnings, w)
			}
		}
		merged.runs = append(merged.runs, kept)
	}
	merged.runs = append(merged.runs, later.runs...)
	return merged, nil
}

// String is the page in Markdown.
func (p *page) String() string {
	var b strings.Builder
	line := func(cells []string) {
		for _, c := range cells {
			b.WriteString("| " + strings.ReplaceAll(c, "|", `\|`) + " ")
		}
		b.WriteString("|\n")
	}
	b.WriteString("\n")
	line(columns())
	b.WriteString(strings.Repeat("|---", len(columns())) + "|\n")
	for _, cells := range namedOnce(p.lines) {
		line(cells)
	}
	for _, r := range p.runs {
		b.WriteString("\n" + measuredOn + r.where + ".\n")
		for _, w := range r.warnings {
			b.WriteString("\n" + w + ".\n")
		}
	}
	b.WriteString("\n")
	return b.String()
}
