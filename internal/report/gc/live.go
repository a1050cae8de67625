package gc

import (
	"fmt"
	"strings"
	"time"

	"whet/internal/format/gctrace"
	"whet/internal/printable"
	"whet/internal/quantity"
	"whet/internal/report/page"
)

// liveCycles is the number of cycles that the chart on a terminal holds.
const liveCycles = 160

// Live is the heap of a command that runs.
type Live struct {
	Command string
	Elapsed time.Duration

	process int // that is shown: the one with the most cycles
	most    int
	cycles  []gctrace.Cycle // the last ones of it
	peak    int64
}

// Add takes a cycle of a process that has so many.
func (l *Live) Add(process, of int, c *gctrace.Cycle) {
	if process != l.process {
		if of <= l.most {
			return
		}
		l.process, l.cycles = process, nil
	}
	l.most = of
	if len(l.cycles) == liveCycles {
		copy(l.cycles, l.cycles[1:])
		l.cycles = l.cycles[:liveCycles-1]
	}
	l.cycles = append(l.cycles, *c)
	l.peak = max(l.peak, c.EndBytes)
}

// Lines returns the view on a terminal of so many columns: always as many lines, none of
// them as wide as the terminal.
func (l *Live) Lines(width int, color bool) []string {
	t := page.Text{Width: max(width-1, 20), Color: color}
	put := func(s page.Style, text string) {
		text = page.Cut(text, t.Width)
		if s != "" {
			text = t.Paint(s, text)
		}
		t.Line(text)
	}
	put(page.Bold, fmt.Sprintf("%s  %v", printable.Line(l.Command), l.Elapsed.Round(100*time.Millisecond)))
	n := len(l.cycles)
	if n == 0 {
		put("", "no cycle so far")
		put("", "")
		put("", "")
		return strings.Split(strings.TrimSuffix(t.Buffer.String(), "\n"), "\n")
	}
	const name = 7
	shown := l.cycles[max(n-(t.Width-name), 0):]
	top := int64(1)
	for i := range shown {
		top = max(top, shown[i].EndBytes)
	}
	var before, alive []float64
	for i := range shown {
		before, alive = append(before, float64(shown[i].EndBytes)/float64(top)), append(alive, float64(shown[i].LiveBytes)/float64(top))
	}
	put(page.Dim, "heap   "+page.Spark(before))
	put(page.Cyan, "alive  "+page.Spark(alive))
	last, first := &l.cycles[n-1], &l.cycles[0]
	text := fmt.Sprintf("cycle %d: %s, of it %s alive", last.N, size(last.EndBytes), size(last.LiveBytes))
	if last.GoalBytes != gctrace.NoGoal {
		text += ", goal " + size(last.GoalBytes)
	}
	if d := last.At + last.Wall() - first.At; n > 1 && d > 0 && last.Procs > 0 {
		var taken time.Duration
		for i := range l.cycles {
			taken += l.cycles[i].CPU()
		}
		text += fmt.Sprintf("; %s cycles/s, collector %s of the processors' time", quantity.Count(float64(n-1)/(last.At-first.At+1).Seconds()), quantity.Percent(float64(taken)/float64(d)/float64(last.Procs)))
	}
	put("", text)
	return strings.Split(strings.TrimSuffix(t.Buffer.String(), "\n"), "\n")
}
