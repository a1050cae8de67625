package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"whet/internal/analyze/compare"
)

// schema of the document.
const schema = "whet/table/1"

// document is all that a run has to say.
type document struct {
	Schema      string    `json:"schema"`
	Warnings    []string  `json:"warnings"`
	Date        time.Time `json:"date"`
	Machine     string    `json:"machine"`
	GoVersion   string    `json:"go_version"`
	Commit      string    `json:"commit"` // "" where git tells none
	BudgetNs    int64     `json:"budget_ns"`
	ElapsedNs   int64     `json:"elapsed_ns"`
	Interrupted bool      `json:"interrupted"`
	Cases       []row     `json:"cases"`
}

func newDocument(begun time.Time) *document {
	return &document{Schema: schema, Warnings: []string{}, Date: begun.UTC().Truncate(time.Second), Cases: []row{}}
}

// describe adds where it is measured, and what, and what of the environment
// the figures hold.
func (d *document) describe(ctx context.Context, root string) {
	d.Machine = fmt.Sprintf("%s, %d processors, %s/%s", processor(), runtime.NumCPU(), runtime.GOOS, runtime.GOARCH)
	if out, err := tool(ctx, root, nil, "go", "env", "GOVERSION", "GOFLAGS"); err == nil {
		version, flags, _ := strings.Cut(out, "\n")
		d.GoVersion = version
		d.watchEnvironment(strings.TrimSpace(flags))
	}
	if out, err := tool(ctx, root, nil, "git", "rev-parse", "--short=12", "HEAD"); err == nil {
		d.Commit = strings.TrimSpace(out)
		// The README is where the last table was written.
		if out, err := tool(ctx, root, nil, "git", "status", "--porcelain", "--", ".", ":!casebook/README.md"); err == nil && out != "" {
			d.Commit += "-dirty"
		}
	}
}

// watchEnvironment warns of variables that change what is measured, and of the
// go command's flags that do.
func (d *document) watchEnvironment(flags string) {
	for _, name := range []string{"GOGC", "GOMEMLIMIT", "GODEBUG", "GOMAXPROCS"} {
		if v := os.Getenv(name); v != "" {
			d.Warnings = append(d.Warnings, fmt.Sprintf("all stages ran with %s=%q: the figures are those under this setting", name, v))
		}
	}
	for _, flag := range []string{"-race", "-cover", "-msan", "-asan", "-gcflags"} {
		if strings.Contains(flags, flag) {
			d.Warnings = append(d.Warnings, fmt.Sprintf("all stages were built with GOFLAGS=%q: the figures are not those of an ordinary build", flags))
			break
		}
	}
}

// processor is the model's name as the system tells it.
func processor() string {
	text, err := os.ReadFile("/proc/cpuinfo")
	if err == nil {
		for line := range strings.Lines(string(text)) {
			if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == "model name" {
				return strings.Join(strings.Fields(value), " ")
			}
		}
	}
	return "an unnamed processor"
}

func (d *document) warn(name string, texts []string) {
	for _, t := range texts {
		if t = name + ": " + t; !slices.Contains(d.Warnings, t) {
			d.Warnings = append(d.Warnings, t)
		}
	}
}

// warnOpen names what is not settled.
func (d *document) warnOpen() {
	var open []string
	for i := range d.Cases {
		r := &d.Cases[i]
		n := 0
		for _, f := range append([]figure{r.figure}, r.More...) {
			// A longer budget makes no generator quicker.
			if !f.Settled && f.Missing == "" && (f.Generator == nil || f.Generator.Valid) {
				n++
			}
		}
		if n > 0 {
			open = append(open, fmt.Sprintf("%s (%d of %d rows)", r.Case, n, 1+len(r.More)))
		}
	}
	if len(open) > 0 {
		d.Warnings = append(d.Warnings, notSettled+strings.Join(open, ", ")+": a longer -budget has more rounds for them")
	}
}

func (d *document) writeJSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(d)
}

// where is the line that says where the figures are from.
func (d *document) where() string {
	at := d.when() + ", " + d.Machine
	if d.GoVersion != "" {
		at += ", " + d.GoVersion
	}
	if d.Commit != "" {
		at += ", commit " + d.Commit
	}
	return fmt.Sprintf("%s; %v of a budget of %v", at, time.Duration(d.ElapsedNs).Round(time.Second), time.Duration(d.BudgetNs))
}

func (d *document) when() string { return d.Date.Format("2006-01-02 15:04 MST") }

// titles of the columns.
var titles = []string{"case", "measure", "published", "last published, here", "asked", "best, here", "interval", "reached", "noise", "from → to", "allocated per operation", "generator busy"}

// cells are the lines of the table: of each case its headline and the further
// measures, but for those that were not to be measured.
func (d *document) cells() [][]string {
	var lines [][]string
	for i := range d.Cases {
		r := &d.Cases[i]
		for _, f := range append([]figure{r.figure}, r.More...) {
			if f.Missing != notMeasured {
				lines = append(lines, f.cells(r.Case, &r.figure))
			}
		}
	}
	return lines
}

// namedOnce are lines of which only the first of a case names it.
func namedOnce(lines [][]string) [][]string {
	named := slices.Clone(lines)
	for i := 1; i < len(lines); i++ {
		if lines[i][0] == lines[i-1][0] {
			named[i] = append([]string{""}, lines[i][1:]...)
		}
	}
	return named
}

const none = "–"

// cells are a figure's. Stages are named where they are not those of the case's
// headline.
func (f *figure) cells(name string, head *figure) []string {
	c := []string{name, f.Measure, none, none, none, none, none, none, none, none, none, none}
	if f.PublishedRatio.known() {
		c[2] = ratio(f.PublishedRatio)
	}
	var asks []string
	if f.BarRatio.known() {
		asks = append(asks, ratio(f.BarRatio))
	}
	if f.AllocsBar.known() {
		asks = append(asks, "at most "+amount(f.AllocsBar, allocsPerOp)+" allocated")
	}
	if len(asks) > 0 {
		c[4], c[7] = strings.Join(asks, ", "), "not settled"
	}
	if f.Missing != "" {
		c[5], c[7] = "missing: "+f.Missing, none
		return c
	}
	if f.Reached != nil {
		c[7] = map[bool]string{true: "yes", false: "no"}[*f.Reached]
	}
	if f.LastPublishedStage != "" {
		c[3] = f.LastPublishedStage + " " + ratio(f.RatioLastPublished) + ", not settled"
		if bounded(f.RatioLastPublishedLow, f.RatioLastPublishedHigh) {
			c[3] = f.LastPublishedStage + " " + ratio(f.RatioLastPublished) + " (" + interval(f.RatioLastPublishedLow, f.RatioLastPublishedHigh) + ")"
		}
	}
	c[5] = ratio(f.RatioBest)
	c[6] = "not settled"
	if bounded(f.RatioBestLow, f.RatioBestHigh) {
		c[6] = interval(f.RatioBestLow, f.RatioBestHigh)
		if len(asks) == 0 && !f.Settled {
			c[6] += ", not settled"
		}
	}
	if f.NoiseRatio.known() {
		c[8] = fmt.Sprintf("±%.1f %%", 100*f.NoiseRatio)
	}
	old, best := amount(f.Old, f.Unit), amount(f.Best, f.Unit)
	if f.Against != head.Against || f.Of != head.Of {
		old, best = f.Against+": "+old, f.Of+": "+best
	}
	c[9] = old + " → " + best
	if f.AllocsOld.known() && f.AllocsBest.known() && f.BytesOld.known() && f.BytesBest.known() {
		c[10] = allocated(f.BytesOld, f.AllocsOld) + " → " + allocated(f.BytesBest, f.AllocsBest)
	}
	if f.Generator != nil {
		c[11] = f.Generator.String()
	}
	return c
}

// String says how busy it was, and whether it was the bottleneck.
func (g *generator) String() string {
	text := "unknown"
	if g.ShareOld.known() && g.ShareBest.known() {
		text = fmt.Sprintf("%.0f %% → %.0f %%", 100*g.ShareOld, 100*g.ShareBest)
	}
	if g.Bottlenecks > 0 {
		text += fmt.Sprintf(", the bottleneck in %d of %d runs", g.Bottlenecks, g.Runs)
	}
	return text
}

// allocated is so much in so many allocations.
func allocated(size, n number) string {
	if size == 0 && n == 0 {
		return "nothing"
	}
	return amount(size, bytesPerOp) + " in " + amount(n, allocsPerOp)
}

func ratio(x number) string { return compare.PrintRatio(float64(x)) }

func interval(low, high number) string { return compare.PrintInterval(float64(low), float64(high)) }

func amount(x number, unit string) string { return printFigure(float64(x), unit) }

// writeText prints the table for a terminal.
func (d *document) writeText(w io.Writer) error {
	var b bytes.Buffer
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, strings.Join(titles, "\t"))
	for _, line := range namedOnce(d.cells()) {
		fmt.Fprintln(t, strings.Join(line, "\t"))
	}
	t.Flush()
	fmt.Fprintf(&b, "\n%s\n", d.where())
	for _, w := range d.Warnings {
		fmt.Fprintln(&b, w)
	}
	if d.Interrupted {
		fmt.Fprintln(&b, "interrupted: what was not measured by then is missing")
	}
	_, err := w.Write(b.Bytes())
	return err
}

// oneLine is an error's text on one line.
func oneLine(err error) string {
	return strings.Join(strings.FieldsFunc(err.Error(), func(r rune) bool { return r == '\n' || r == '\r' }), "; ")
}
