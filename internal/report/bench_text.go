package report

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"whet/internal/printable"
	"whet/internal/quantity"
)

// WriteBenchText writes what follows the results' lines on a terminal: where
// time and memory go, and what went wrong.
func WriteBenchText(w io.Writer, r *Bench, o TextOptions) error {
	t := textWriter{width: min(max(cmp.Or(o.Width, 100), 60), 160), color: o.Color}
	profiled := false
	for i := range r.Packages {
		p := &r.Packages[i]
		for j := range p.Benchmarks {
			if b := &p.Benchmarks[j]; len(b.Profiles) > 0 {
				if !profiled {
					t.heading("Where it goes", "flat shares of the measured code, of profiles taken in runs of their own")
				}
				profiled = true
				t.benchShares(r, p, b)
			}
		}
	}
	t.warnings(r.Warnings)
	if len(r.Failures) > 0 {
		t.heading("Not measured", "")
		for _, f := range r.Failures {
			t.hang(2, "", 0, printable.Line(f.Text))
		}
	}
	t.line()
	for _, l := range wrap(benchSummary(r), t.width) {
		t.line(l)
	}
	if _, err := w.Write(t.bytes()); err != nil {
		return fmt.Errorf("write the result: %w", err)
	}
	return nil
}

// benchShares writes a benchmark's profiles in short.
func (t *textWriter) benchShares(r *Bench, p *BenchPackage, b *BenchRow) {
	name := printable.Line(b.Name)
	if len(r.Packages) > 1 {
		name = printable.Line(p.ImportPath) + "." + name
	}
	t.line("  ", shorten(name, t.width-2))
	for _, profile := range b.Profiles {
		var parts []string
		for _, f := range profile.Top {
			parts = append(parts, strings.ReplaceAll(quantity.Percent(f.FlatRatio), " ", "\u00a0")+"\u00a0"+printable.Line(f.Function))
		}
		text := strings.Join(parts, ", ")
		switch {
		case len(parts) == 0 && profile.Samples == 0:
			text = "nothing was sampled"
		case len(parts) == 0:
			text = "no function stands out"
		case profile.Kind == "cpu":
			text += fmt.Sprintf("  (%s)", quantity.Plural(int(profile.Samples), "sample"))
		}
		t.hang(4, profile.Kind, 8, text)
	}
}

// benchSummary is the last line of the text.
func benchSummary(r *Bench) string {
	n := 0
	for i := range r.Packages {
		n += len(r.Packages[i].Benchmarks)
	}
	s := fmt.Sprintf("%s in %s, %s", quantity.Plural(n, "benchmark"), quantity.Plural(len(r.Packages), "package"), quantity.Plural(r.Rounds, "round"))
	if r.Rounds < r.Planned {
		s += fmt.Sprintf(" of %d", r.Planned)
	}
	s += ", " + quantity.Nanoseconds(float64(r.ElapsedNs))
	if r.Without > 0 {
		s += fmt.Sprintf("; %s without any that was asked for", quantity.Plural(r.Without, "package"))
	}
	if n := len(r.Failures); n > 0 {
		s += fmt.Sprintf("; %s", quantity.Plural(n, "failure"))
	}
	return s
}
