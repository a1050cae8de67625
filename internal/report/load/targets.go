package load

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"whet/internal/loadresult"
	"whet/internal/printable"
	"whet/internal/quantity"
	"whet/internal/report/page"
)

// How many targets are shown.
const (
	textTargets = 10
	htmlTargets = 50
)

// targetName returns what a target is called, by its place in the list.
func targetName(p *loadresult.Plan, i int) string {
	if i < len(p.TargetNames) {
		return printable.Line(p.TargetNames[i])
	}
	return "target " + strconv.Itoa(i+1)
}

// meanOf returns the mean service time of a target's requests in nanoseconds; NaN
// where none has one.
func meanOf(t *loadresult.Target) float64 {
	if t.Timed <= 0 {
		return math.NaN()
	}
	return float64(t.Service) / float64(t.Timed)
}

var targetColumns = []string{"requests", "errors", "mean", "of the time"}

// targetRows returns the targets of several, those first whose requests took most
// service time in all: what would be missed most were it faster. Quantiles of
// each are not known.
func targetRows(run *Run, most int) (rows []tableRow, more int) {
	targets := run.Result.Targets
	if len(targets) < 2 {
		return nil, 0
	}
	order := make([]int, len(targets))
	var all float64
	for i := range targets {
		order[i] = i
		all += float64(targets[i].Service)
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(-cmp.Compare(targets[a].Service, targets[b].Service), -cmp.Compare(targets[a].Requests, targets[b].Requests))
	})
	for _, i := range order[:min(len(order), most)] {
		t := &targets[i]
		row := tableRow{targetName(&run.Plan, i), "", []string{quantity.Count(float64(t.Requests)), "none", "–", "–"}}
		if t.Errors > 0 {
			row.Cells[1] = quantity.Count(float64(t.Errors))
		}
		if mean := meanOf(t); !math.IsNaN(mean) {
			row.Cells[2] = quantity.Nanoseconds(mean)
		}
		if all > 0 {
			row.Cells[3] = quantity.Percent(float64(t.Service) / all)
		}
		rows = append(rows, row)
	}
	return rows, len(order) - len(rows)
}

const targetsNote = "service times; first what took most of them in all"

// targets is the table of what became of each target.
func (t *writer) targets(run *Run) {
	shown, more := targetRows(run, textTargets)
	if len(shown) == 0 {
		return
	}
	t.Heading("Targets", targetsNote)
	rows := [][]string{slices.Concat([]string{""}, targetColumns, []string{""})}
	for _, r := range shown {
		rows = append(rows, slices.Concat([]string{r.Name}, r.Cells, []string{""}))
	}
	t.Labelled(rows)
	if more > 0 {
		t.Hang(2, "", 0, fmt.Sprintf("and %s more", quantity.Count(float64(more))))
	}
}

func newTargetsView(name string, run *Run) (v tableView, ok bool) {
	v = tableView{Run: name, Columns: targetColumns, More: page.More(len(run.Result.Targets), htmlTargets)}
	v.Rows, _ = targetRows(run, htmlTargets)
	return v, len(v.Rows) > 0
}
