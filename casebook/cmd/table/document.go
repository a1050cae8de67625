package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
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

// describe adds where it was measured, and what.
func (d *document) describe(ctx context.Context, root string) {
	d.Machine = fmt.Sprintf("%s, %d processors, %s/%s", processor(), runtime.NumCPU(), runtime.GOOS, runtime.GOARCH)
	if out, err := goTool(ctx, root, "env", "GOVERSION"); err == nil {
		d.GoVersion = strings.TrimSpace(out)
	}
	cmd := exec.CommandContext(ctx, "git", "describe", "--always", "--abbrev=12", "--dirty", "--exclude=*")
	cmd.Dir = root
	if out, err := cmd.Output(); err == nil {
		d.Commit = strings.TrimSpace(string(out))
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

func (d *document) writeJSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(d)
}

// where is the line that says where the figures are from.
func (d *document) where() string {
	at := d.Date.Format("2006-01-02 15:04 MST") + ", " + d.Machine
	if d.GoVersion != "" {
		at += ", " + d.GoVersion
	}
	if d.Commit != "" {
		at += ", commit " + d.Commit
	}
	return fmt.Sprintf("%s; %v of a budget of %v", at, time.Duration(d.ElapsedNs).Round(time.Second), time.Duration(d.BudgetNs))
}

// titles of the columns.
var titles = []string{"case", "measure", "published", "last published, here", "bar", "best, here", "interval", "noise", "first → best", "allocated per operation"}

// cells are the lines of the table: of each case its headline and the further
// measures, whose first cell is empty.
func (d *document) cells() [][]string {
	var lines [][]string
	for i := range d.Cases {
		r := &d.Cases[i]
		head := r.figure.cells(r.Case)
		head[3] = ratio(r.RatioLastPublished)
		if bounded(r.RatioLastPublishedLow, r.RatioLastPublishedHigh) {
			head[3] += " (" + interval(r.RatioLastPublishedLow, r.RatioLastPublishedHigh) + ")"
		}
		lines = append(lines, head)
		for k := range r.More {
			lines = append(lines, r.More[k].cells(""))
		}
	}
	return lines
}

const none = "–"

func (f *figure) cells(name string) []string {
	c := []string{name, f.Measure, none, none, none, ratio(f.RatioBest), "not settled", none, quantity(f.Old, f.Unit) + " → " + quantity(f.Best, f.Unit), none}
	if f.PublishedRatio != nil {
		c[2] = ratio(*f.PublishedRatio)
	}
	if f.BarRatio != nil {
		c[4] = ratio(*f.BarRatio)
	}
	if bounded(f.RatioBestLow, f.RatioBestHigh) {
		c[6] = interval(f.RatioBestLow, f.RatioBestHigh)
		if !f.Settled {
			c[6] += ", not settled"
		}
	}
	if f.NoiseRatio != nil {
		c[7] = fmt.Sprintf("±%.1f %%", 100**f.NoiseRatio)
	}
	if f.AllocsOld != nil && f.AllocsBest != nil && f.BytesOld != nil && f.BytesBest != nil {
		c[9] = fmt.Sprintf("%s in %s → %s in %s", quantity(*f.BytesOld, bytesPerOp), count(*f.AllocsOld), quantity(*f.BytesBest, bytesPerOp), count(*f.AllocsBest))
	}
	return c
}

// writeText prints the table for a terminal.
func (d *document) writeText(w io.Writer) error {
	var b bytes.Buffer
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, strings.Join(titles, "\t"))
	for _, line := range d.cells() {
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

// ratio prints a ratio with three digits.
func ratio(x float64) string { return digits(x) + "x" }

func interval(low, high float64) string { return ratio(low) + " to " + ratio(high) }

// digits prints three of a number.
func digits(x float64) string {
	switch {
	case x >= 99.95:
		return fmt.Sprintf("%.0f", x)
	case x >= 9.995:
		return fmt.Sprintf("%.1f", x)
	}
	return fmt.Sprintf("%.2f", x)
}

// count prints a whole number.
func count(x float64) string { return fmt.Sprintf("%.0f", x) }

// quantity prints a figure in its unit.
func quantity(x float64, unit string) string {
	steps := []struct {
		from float64
		name string
	}{{1e9, "s"}, {1e6, "ms"}, {1e3, "µs"}, {1, "ns"}}
	switch unit {
	case bytesPerOp, peakBytes:
		steps = steps[:0]
		for _, s := range []string{"GiB", "MiB", "KiB", "B"} {
			steps = append(steps, struct {
				from float64
				name string
			}{float64(int64(1) << (10 * (3 - len(steps)))), s})
		}
	case perSecond:
		return count(x) + "/s"
	case allocsPerOp:
		return count(x)
	}
	if x == 0 {
		return "0 " + steps[len(steps)-1].name
	}
	for _, s := range steps {
		if x >= s.from {
			return digits(x/s.from) + " " + s.name
		}
	}
	return digits(x) + " " + steps[len(steps)-1].name
}
