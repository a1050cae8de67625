package load

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"whet/internal/hist"
	"whet/internal/loadresult"
	"whet/internal/printable"
	"whet/internal/quantity"
	"whet/internal/report/page"
)

// writer adds to the kit's text what only these pages have.
type writer struct{ page.Text }

// WriteText writes the summary of a load for a terminal, or of several, one
// after the other after a table that compares them.
func WriteText(w io.Writer, p *Page, o page.TextOptions) error {
	t := writer{page.NewText(o)}
	if len(p.Runs) == 1 {
		t.load(&p.Runs[0], "", p.Warnings)
	} else {
		t.compareLoads(p.Runs)
		t.Warnings(p.Warnings)
		for i := range p.Runs {
			t.Line()
			t.load(&p.Runs[i], printable.Line(p.Runs[i].Name)+"  ", nil)
		}
	}
	return t.Flush(w, "load")
}

// loadLabel is the width of the names before a summary's figures.
const loadLabel = 15

// load writes a run; about is what the page has to say of it too.
func (t *writer) load(run *Run, name string, about []string) {
	r := run.Result
	if r.Invalid != "" {
		t.Invalid(r.Invalid)
		t.Line()
	}
	t.Line(t.Paint(page.Bold, page.Shorten(name+target(&run.Plan), t.Width)))
	t.Wrapped(0, page.Dim, run.loop())
	t.Warnings(slices.Concat(withoutReason(r), about))
	t.Line()
	t.times(run)
	t.Line()
	t.figures(run)
	t.rates(run)
	t.targets(run)
	t.bounds(run.Bounds)
	if !r.Open && r.Requests > 0 {
		t.Line()
		t.Hang(2, "", 0, run.hides())
	}
}

// withoutReason returns the warnings without that which stands above them.
func withoutReason(r *loadresult.Result) []string {
	if r.Invalid != "" && len(r.Warnings) > 0 && r.Warnings[0] == r.Invalid {
		return r.Warnings[1:]
	}
	return r.Warnings
}

// target returns what was asked, in a few words.
func target(p *loadresult.Plan) string {
	what := printable.Line(strings.TrimSpace(p.Method + " " + p.URL))
	if p.Method == "GET" {
		what = printable.Line(p.URL)
	}
	if p.Targets <= 1 {
		return what
	}
	from := ""
	if p.TargetsFrom != "" {
		from = " of " + printable.Line(p.TargetsFrom)
	}
	return fmt.Sprintf("%s%s, the first %s", quantity.Plural(p.Targets, "target"), from, what)
}

// Loop says which loop it is, over which connections.
func Loop(p *loadresult.Plan) string {
	kind, connections := "closed loop", quantity.Plural(p.Connections, "connection")
	if p.Rate != "" {
		kind = "open loop at " + printable.Line(p.Rate)
		if p.Poisson {
			kind += ", Poisson arrivals"
		}
		connections = "at most " + connections
	}
	if p.Streams > 1 {
		connections += fmt.Sprintf(" of %s", quantity.Plural(p.Streams, "stream"))
	}
	if !p.KeepAlive {
		connections += ", each for one request"
	}
	if p.Think != "" {
		connections += ", think time " + printable.Line(p.Think)
	}
	return kind + ", " + connections
}

// length returns how long the run took, and what came before.
func (run *Run) length() string {
	r := run.Result
	if r.Interrupted && !r.End.After(r.Start) {
		return "interrupted before measuring began"
	}
	text := quantity.Nanoseconds(float64(r.End.Sub(r.Start)))
	if w := run.Plan.Warmup; w > 0 {
		text += ", after a warm-up of " + quantity.Nanoseconds(float64(w))
	}
	if r.Interrupted {
		text += ", interrupted"
	}
	return text
}

// speaks returns the protocol, and what drove the load.
func (run *Run) speaks() string {
	text := printable.Line(run.Plan.Protocol)
	if e := run.Result.Generator.Engine; e != "" {
		text += " · " + printable.Line(e) + " engine"
	}
	return text
}

// loop says how the run was driven, in one line.
func (run *Run) loop() string {
	return Loop(&run.Plan) + ", " + run.length() + " · " + run.speaks()
}

// hides says what a closed loop does not show.
func (run *Run) hides() string {
	n := run.Plan.Connections * max(run.Plan.Streams, 1)
	return fmt.Sprintf("A closed loop waits for the service: during a stall it sends nothing, so at most %s see the stall. For the response time that users see, use an open loop (-rate).",
		quantity.Plural(n, "request"))
}

var loadQuantiles = []quantile{{"p50", 0.5}, {"p90", 0.9}, {"p99", 0.99}, {"p99.9", 0.999}, {"p99.99", 0.9999}}

type quantile struct {
	name string
	at   float64
}

// quantiles returns the quantiles that a table has room for beside so many other columns.
func (t *writer) quantiles(others int) []quantile {
	const column = 9 // of "p99.99" and "999 ms", with two spaces
	shown := slices.Clone(loadQuantiles)
	for _, spare := range []string{"p99.99", "p90", "p99.9"} {
		if (others+len(shown))*column > t.Width {
			shown = slices.DeleteFunc(shown, func(q quantile) bool { return q.name == spare })
		}
	}
	return shown
}

// times is the table of both times.
func (t *writer) times(run *Run) {
	head := []string{"", "mean"}
	quantiles := t.quantiles(4)
	for _, q := range quantiles {
		head = append(head, q.name)
	}
	rows := [][]string{append(head, "max", "")}
	add := func(h *hist.Histogram, name, note string) {
		if h.Count() > 0 {
			rows = append(rows, slices.Concat([]string{name}, someTimes(h, quantiles), []string{note}))
		}
	}
	if run.Result.Open {
		add(&run.Result.Response, "response time", "from when it was due")
	}
	add(&run.Result.Service, "service time", "from when it was sent")
	if len(rows) == 1 {
		text := "No times: no request was answered or timed out."
		if r := run.Result; r.Requests == 0 {
			text = noneEnded(r) + "."
		}
		t.Hang(2, "", 0, text)
		return
	}
	t.Labelled(rows)
}

// timeCells returns the mean, all quantiles and the largest of times.
func timeCells(h *hist.Histogram) []string { return someTimes(h, loadQuantiles) }

func someTimes(h *hist.Histogram, quantiles []quantile) []string {
	if h.Count() == 0 {
		return slices.Repeat([]string{"–"}, len(quantiles)+2)
	}
	cells := []string{quantity.Nanoseconds(h.Mean())}
	for _, q := range quantiles {
		cells = append(cells, page.Ns(h.Quantile(q.at)))
	}
	return append(cells, page.Ns(h.Max()))
}

// figures are the lines below the times.
func (t *writer) figures(run *Run) {
	r := run.Result
	rate := fmt.Sprintf("%s a second", quantity.Count(r.Throughput()))
	if r.Open && r.Rate > 0 {
		rate += fmt.Sprintf(" of %s planned", quantity.Count(r.Rate))
	}
	t.Hang(2, "throughput", loadLabel, rate+" answered, "+quantity.Bytes(eachSecond(r, r.Bytes))+" a second of bodies")
	t.Hang(2, "requests", loadLabel, fmt.Sprintf("%s, %s answered: %s", quantity.Count(float64(r.Requests)), quantity.Count(float64(r.Answered())), statuses(r)))
	t.errors(r)
	if r.InFlight > 0 {
		t.Hang(2, "cut off", loadLabel, fmt.Sprintf("%s by the end, the oldest after %s", quantity.Plural(r.InFlight, "request"), quantity.Nanoseconds(float64(r.OldestInFlight))))
	}
	// A load as long as its schedule says nothing of its drain.
	if length := r.End.Sub(r.Start); r.Open && r.Behind > 0 && r.Drain > length/20 {
		t.Hang(2, "drain", loadLabel, fmt.Sprintf("sent in %s, answered after %s", quantity.Nanoseconds(float64(length)), quantity.Nanoseconds(float64(length+r.Drain))))
	}
	if r.Connections > 0 {
		t.Hang(2, "connections", loadLabel, fmt.Sprintf("%s made, %s each, in the times of their first requests", quantity.Count(float64(r.Connections)), quantity.Nanoseconds(float64(r.Connecting)/float64(r.Connections))))
	}
	if r.Open && r.Lateness.Count() > 0 {
		t.Hang(2, "send lateness", loadLabel, fmt.Sprintf("p50 %s, p99.9 %s, max %s; %s over 1 ms",
			page.Ns(r.Lateness.Quantile(0.5)), page.Ns(r.Lateness.Quantile(0.999)), page.Ns(r.Lateness.Max()), quantity.Percent(r.LateRatio())))
	}
	t.Hang(2, "generator", loadLabel, generator(r))
}

// statuses lists the answers by status, the most frequent first.
func statuses(r *loadresult.Result) string {
	codes := slices.SortedFunc(maps.Keys(r.Status), func(a, b int) int {
		return cmp.Or(cmp.Compare(r.Status[b], r.Status[a]), cmp.Compare(a, b))
	})
	if len(codes) == 0 {
		return "none"
	}
	const most = 6
	var parts []string
	for i, code := range codes {
		if i == most {
			parts = append(parts, "…")
			break
		}
		parts = append(parts, fmt.Sprintf("%s\u00a0with\u00a0%d", quantity.Count(float64(r.Status[code])), code))
	}
	return strings.Join(parts, ", ")
}

// errors lists the kinds of failures, the most frequent first, each with its
// first example. It reports that there are none only if requests ended.
func (t *writer) errors(r *loadresult.Result) {
	if len(r.Errors) == 0 {
		text := "none"
		if r.Requests == 0 {
			text = "–"
		}
		t.Hang(2, "errors", loadLabel, text)
		return
	}
	t.Hang(2, "errors", loadLabel, fmt.Sprintf("%s, %s of the requests", quantity.Count(float64(r.Failed())), failedShare(r)))
	for _, kind := range kinds(r.Errors) {
		text := fmt.Sprintf("%s %s", quantity.Count(float64(r.Errors[kind])), printable.Line(kind))
		if e := r.Examples[kind]; e != "" && e != kind {
			text += ", first: " + printable.Line(e)
		}
		t.Hang(2, "", loadLabel, text)
	}
}

// kinds returns the kinds of errors, the most frequent first.
func kinds(errors map[string]int64) []string {
	return slices.SortedFunc(maps.Keys(errors), func(a, b string) int {
		return cmp.Or(cmp.Compare(errors[b], errors[a]), cmp.Compare(a, b))
	})
}

// generator says what driving the load took.
func generator(r *loadresult.Result) string {
	g := &r.Generator
	length := int64(r.End.Sub(r.Start) + r.Drain)
	if g.CPU < 0 || length <= 0 {
		return "CPU time unknown"
	}
	cpu := int64(g.CPU)
	text := page.Cores(&cpu, length)
	if g.Processors > 0 {
		text += fmt.Sprintf(" of %d", g.Processors)
	}
	// What was never sent cost nothing: it has a response time and no service time.
	if sent := r.Requests - max(r.Response.Count()-r.Service.Count(), 0); sent > 0 {
		text += fmt.Sprintf(", %s of CPU a request", quantity.Nanoseconds(float64(cpu)/float64(sent)))
	}
	if g.Pauses > 0 {
		text += fmt.Sprintf(", %s of its collector, the longest %s", quantity.Plural(int(g.Pauses), "pause"), quantity.Nanoseconds(float64(g.LongestPause)))
	}
	return text
}

func (t *writer) bounds(bounds []Bound) {
	if len(bounds) == 0 {
		return
	}
	t.Heading("SLO", "")
	for _, b := range bounds {
		s := page.Cyan
		if b.Unknown || b.Broken {
			s = page.Yellow
		}
		text := printable.Line(b.Bound)
		if b.Value != "" {
			text += ": " + printable.Line(b.Value)
		}
		if b.Note != "" {
			text += " (" + printable.Line(b.Note) + ")"
		}
		t.Line("  ", t.Paint(s, page.Pad(b.Verdict(), loadLabel-2)), "  ", text)
	}
}
