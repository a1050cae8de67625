package trace

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"whet/internal/analyze/sched"
	"whet/internal/callstack"
	"whet/internal/printable"
	"whet/internal/quantity"
	"whet/internal/report/page"
	"whet/internal/symbolname"
)

// Page is a trace and how it is called.
type Page struct {
	Name    string
	Windows []Window // of the recording that it is out of; none: it is of a file
	Result  *sched.Result
}

// Window is one of the traces of a recording. Times are since that began.
type Window struct {
	Name           string // for -window
	Path           string // in the recording
	Benchmark      string
	StartNs, EndNs int64
	Shown          bool
}

// window says which of several traces is shown, and how the others are.
func (p *Page) window() string {
	if len(p.Windows) < 2 {
		return ""
	}
	shown := ""
	var others []string
	for i := range p.Windows {
		w := &p.Windows[i]
		when := fmt.Sprintf("%s to %s", ns(w.StartNs), ns(w.EndNs))
		if w.Benchmark != "" {
			when = w.Benchmark
		}
		if w.Shown {
			shown = fmt.Sprintf("window %s of the recording, %s", w.Name, when)
		} else {
			others = append(others, fmt.Sprintf("-window %s (%s)", w.Name, when))
		}
	}
	more := len(others) - mostOthers
	if more > 0 {
		others = append(others[:mostOthers], count(more)+" more")
	}
	return printable.Line(shown + "; also " + strings.Join(others, ", "))
}

// mostOthers is the number of further windows named.
const mostOthers = 8

// rows is how many rows of a table text shows unless all are asked for.
const rows = 10

type writer struct {
	page.Text
	r    *sched.Result
	most int
}

// WriteText writes what the trace says for a terminal.
func WriteText(w io.Writer, p *Page, o page.TextOptions) error {
	t := &writer{page.NewText(o), p.Result, rows}
	if o.All {
		t.most = 1000 + len(p.Result.Kinds) + len(p.Result.Waits) + len(p.Result.Edges) + len(p.Result.Tasks) + len(p.Result.Regions) + len(p.Result.Path)
	}
	r := p.Result
	t.Line(t.Paint(page.Bold, printable.Line(p.Name)), "  ", t.Paint(page.Dim, fmt.Sprintf("execution trace of Go %s, %s, %s", r.GoVersion, ns(r.SpanNs), quantity.Plural(r.Events, "event"))))
	if r.FromNs > 0 {
		t.Hang(2, "", 0, fmt.Sprintf("from %s on, of the trace's time", ns(r.FromNs)))
	}
	if w := p.window(); w != "" {
		t.Hang(2, "", 0, w)
	}
	t.Warnings(r.Warnings)
	t.Line()
	for _, c := range Conclusions(r) {
		t.Hang(2, "", 0, printable.Line(c))
	}
	t.task()
	t.path()
	t.summary()
	t.kinds()
	t.longest()
	t.waits()
	t.edges()
	t.latency()
	t.collector()
	t.spans("Tasks", r.Tasks, false)
	t.spans("Regions", r.Regions, true)
	return t.Flush(w, "conclusions from the trace")
}

func ns(v int64) string { return quantity.Nanoseconds(float64(v)) }

func count[T ~int | ~int64](n T) string { return quantity.Count(float64(n)) }

// share is v of all, in percent; "" where there is nothing to share.
func share(v, all int64) string {
	if all == 0 {
		return ""
	}
	return quantity.Percent(float64(v) / float64(all))
}

// place returns a frame as text writes it: function and line.
func place(f *callstack.Frame) string {
	if f == nil {
		return "unknown"
	}
	name := symbolname.Short(f.Function)
	if f.File != "" && f.Line > 0 {
		name += " " + f.File[strings.LastIndexByte(f.File, '/')+1:] + ":" + strconv.Itoa(f.Line)
	}
	return printable.Line(name)
}

// started returns how goroutines of a kind are called.
func started(k *sched.Kind) string { return name(k.Start) }

func name(start string) string {
	if start == "" {
		return "(unknown start)"
	}
	return printable.Line(symbolname.Short(start))
}

func (t *writer) head(title string, all int, aside string) int {
	shown := min(all, t.most)
	if shown < all {
		aside = strings.TrimPrefix(aside+fmt.Sprintf("; %s of %s, -all shows the rest", count(shown), count(all)), "; ")
	}
	t.Heading(title, aside)
	return shown
}

func (t *writer) summary() {
	g := &t.r.Goroutines
	t.Heading("Goroutines", fmt.Sprintf("%s from before, %s created, %s ended, at most %s at a time", count(g.Before), count(g.Created), count(g.Ended), count(g.Most)))
	var all int64
	for s, v := range g.Ns {
		if sched.State(s) != sched.System {
			all += v
		}
	}
	table := [][]string{{"state", "time", "share", ""}}
	for s, v := range g.Ns {
		if v > 0 && sched.State(s) != sched.System {
			table = append(table, []string{sched.State(s).String(), ns(v), share(v, all), page.Bar(float64(v)/float64(max(all, 1)), 20)})
		}
	}
	t.Labelled(table)
	t.Heading("Processors", fmt.Sprintf("%s, of GOMAXPROCS %d", quantity.Plural(len(t.r.Procs), "processor"), t.r.GOMAXPROCS)+courseNote(t.r))
	table = [][]string{{"", "running", "share", ""}}
	for i, p := range t.r.Procs {
		if i == 64 {
			break
		}
		table = append(table, []string{fmt.Sprintf("P%d", p.Number), ns(p.RunningNs), share(p.RunningNs, t.r.SpanNs), page.Spark(shares(&p, t.r))})
	}
	t.Labelled(table)
	var at []string
	for k, v := range t.r.BusyNs {
		if v > 0 {
			at = append(at, fmt.Sprintf("%d at once %s", k, share(v, t.r.SpanNs)))
		}
	}
	t.Hang(2, "", 0, strings.Join(at, ", "))
}

func (t *writer) task() {
	k := t.r.Task
	if k == nil {
		return
	}
	aside := fmt.Sprintf("%s, %s at %s", quantity.Plural(len(k.Goroutines), "goroutine"), ns(k.EndNs-k.BeginNs), ns(k.BeginNs))
	if k.Tasks > 0 {
		aside += ", " + quantity.Plural(k.Tasks, "task") + " below it"
	}
	if !k.Ended {
		aside += ", it does not end in the trace"
	}
	t.Heading(fmt.Sprintf("Task %d %s", k.ID, printable.Line(k.Type)), aside)
	n := min(len(k.Logs), t.most)
	for _, l := range k.Logs[:n] {
		t.Hang(2, "", 0, fmt.Sprintf("%s goroutine %d: %s", ns(l.AtNs), l.Goroutine, printable.Line(strings.TrimPrefix(l.Category+": "+l.Text, ": "))))
	}
	if left := len(k.Logs) + k.LogsLeftOut - n; left > 0 {
		t.Hang(2, "", 0, fmt.Sprintf("and %s of its log", quantity.Plural(left, "more line")))
	}
}

func (t *writer) path() {
	if len(t.r.Path) == 0 {
		return
	}
	var all int64
	for _, s := range t.r.Path {
		all += s.Ns
	}
	n := t.head("Critical path", len(t.r.Path), fmt.Sprintf("from the end back through the goroutines that ended each wait, %s", ns(all)))
	table := [][]string{{"started by", "state", "times", "time", "share", "longest", ""}}
	for _, s := range t.r.Path[:n] {
		table = append(table, []string{name(s.Start), s.State.String(), strconv.Itoa(s.Count), ns(s.Ns), share(s.Ns, all), ns(s.LongestNs), strings.TrimPrefix(strings.TrimPrefix(upTo(&s), ", "), " ")})
	}
	t.Labelled(table)
}

func (t *writer) kinds() {
	kinds := slices.DeleteFunc(slices.Clone(t.r.Kinds), func(k sched.Kind) bool { return k.TotalNs() == k.Ns[sched.System] })
	n := t.head("Goroutines by start function", len(kinds), "")
	table := [][]string{{"started by", "count", "running", "ready", "blocked", "syscall", "assist", ""}}
	for _, k := range kinds[:n] {
		var blocked int64
		var mostly sched.State
		for s := sched.Network; s < sched.NumStates; s++ {
			if s == sched.System {
				continue
			}
			blocked += k.Ns[s]
			if mostly == 0 || k.Ns[s] > k.Ns[mostly] {
				mostly = s
			}
		}
		note := ""
		if blocked > 0 {
			note = mostly.String() + " " + share(k.Ns[mostly], blocked)
		}
		table = append(table, []string{started(&k), strconv.Itoa(k.Count), blank(k.Ns[sched.Running]), blank(k.Ns[sched.Runnable]), blank(blocked), blank(k.Ns[sched.Syscall]), blank(k.AssistRan), note})
	}
	t.Labelled(table)
}

// blank returns a time, nothing where it is none.
func blank(v int64) string {
	if v == 0 {
		return "-"
	}
	return ns(v)
}

func (t *writer) waits() {
	if len(t.r.Waits) == 0 {
		return
	}
	n := t.head("Where goroutines wait", len(t.r.Waits), "idle: the part in which no processor ran")
	table := [][]string{{"place", "for", "ended", "time", "longest", "idle", ""}}
	for _, w := range t.r.Waits[:n] {
		note := ""
		if w.Waiting > 0 {
			note = count(w.Waiting) + " wait when the trace ends"
		}
		table = append(table, []string{place(w.Place), reason(&w), strconv.FormatInt(w.Count, 10), ns(w.Ns), ns(w.LongestNs), share(w.IdleNs, w.Ns), note})
	}
	t.Labelled(table)
}

// reason returns a wait's state, and of sync which of it.
func reason(w *sched.Wait) string {
	if w.By == "" {
		return w.State.String()
	}
	return printable.Line(strings.NewReplacer("(*", "", ")", "").Replace(w.By))
}

func (t *writer) edges() {
	if len(t.r.Edges) == 0 {
		return
	}
	n := t.head("Goroutines that end waits of others", len(t.r.Edges), "")
	table := [][]string{{"wait at", "count", "delay", ""}}
	for _, e := range t.r.Edges[:n] {
		waker := "by the runtime"
		if e.Waker != nil {
			waker = "by " + place(e.Waker)
		}
		table = append(table, []string{place(e.Waiter), strconv.FormatInt(e.Count, 10), ns(e.DelayNs), waker})
	}
	t.Labelled(table)
}

func (t *writer) latency() {
	h := &t.r.Latency
	if h.Count() == 0 {
		return
	}
	t.Heading("Scheduling latency", fmt.Sprintf("from ready to running, %s", quantity.Plural(int(h.Count()), "wait")))
	t.Hang(2, "", 0, fmt.Sprintf("mean %s, p50 %s, p90 %s, p99 %s, p99.9 %s, longest %s", quantity.Nanoseconds(h.Mean()), ns(h.Quantile(0.5)), ns(h.Quantile(0.9)), ns(h.Quantile(0.99)), ns(h.Quantile(0.999)), ns(h.Max())))
	if bars, from, to := doublings(h); len(bars) > 1 {
		most := 0.0
		for _, b := range bars {
			most = max(most, float64(b))
		}
		ratios := make([]float64, len(bars))
		for i, b := range bars {
			ratios[i] = float64(b) / most
		}
		t.Hang(2, "", 0, fmt.Sprintf("%s %s %s, each column to twice the time of the one before, the highest %s", ns(from), page.Spark(ratios), ns(to), quantity.Plural(int(most), "wait")))
	}
	for _, d := range t.r.Worst[:min(3, len(t.r.Worst))] {
		line := fmt.Sprintf("%s at %s: goroutine %d, %s", ns(d.ToNs-d.FromNs), ns(d.FromNs), d.Goroutine, name(d.Start))
		for i, r := range d.Ran {
			line += fmt.Sprintf("%s%s %s", []string{"; meanwhile ran ", ", ", ", "}[i], name(r.Start), ns(r.Ns))
		}
		t.Hang(2, "", 0, line)
	}
}

func (t *writer) collector() {
	gc := &t.r.GC
	if gc.Cycles == 0 && len(gc.Pauses) == 0 && gc.MarkNs == 0 {
		return
	}
	t.Heading("Collector", quantity.Plural(gc.Cycles, "cycle"))
	t.Hang(2, "", 0, fmt.Sprintf("marking %s (%s of the span), assists %s, sweeping %s", ns(gc.MarkNs), share(gc.MarkNs, t.r.SpanNs), ns(gc.AssistRan), ns(gc.SweepNs)))
	if len(t.r.MMU) > 0 && gc.MarkNs > 0 {
		var least []string
		for _, u := range t.r.MMU {
			text := fmt.Sprintf("%s in %s", quantity.Percent(u.Ratio), ns(u.WindowNs))
			if len(u.Worst) > 0 {
				text += " (at " + ns(u.Worst[0].AtNs) + ")"
			}
			least = append(least, text)
		}
		t.Hang(2, "", 0, "minimum mutator utilization: "+strings.Join(least, ", "))
	}
	if len(gc.Pauses) == 0 {
		return
	}
	table := [][]string{{"the world stops for", "count", "time", "longest", ""}}
	for _, p := range gc.Pauses {
		table = append(table, []string{printable.Line(p.Reason), strconv.Itoa(p.Count), ns(p.Ns), ns(p.MostNs), ""})
	}
	t.Labelled(table)
}

func (t *writer) spans(title string, of []sched.Span, inside bool) {
	if len(of) == 0 {
		return
	}
	n := t.head(title, len(of), "")
	table := [][]string{{"type", "count", "mean", "p50", "p99", "longest", ""}}
	for _, s := range of[:n] {
		var note []string
		if s.Unfinished > 0 {
			note = append(note, count(s.Unfinished)+" do not end in the trace")
		}
		if s.InNs > 0 {
			note = append(note, mostly(&s.In, s.InNs))
		}
		for _, one := range s.Slowest[:min(len(s.Slowest), 1)] {
			if !inside {
				note = append(note, fmt.Sprintf("longest: task %d, at %s", one.Task, ns(one.AtNs)))
			} else if s.Count > 1 {
				note = append(note, fmt.Sprintf("longest: goroutine %d, at %s", one.Goroutine, ns(one.AtNs)))
			}
			if in := mostly(&one.In, sum(&one.In)); in != "" && s.Count > 1 {
				note = append(note, in)
			}
		}
		table = append(table, []string{printable.Line(s.Type), strconv.Itoa(s.Count), quantity.Nanoseconds(s.Times.Mean()), ns(s.Times.Quantile(0.5)), ns(s.Times.Quantile(0.99)), ns(s.Times.Max()), strings.Join(note, ", ")})
	}
	t.Labelled(table)
}
