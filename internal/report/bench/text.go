package bench

import (
	"fmt"
	"io"
	"strings"

	"whet/internal/printable"
	"whet/internal/quantity"
	"whet/internal/report/page"
)

// writer adds to the kit's text what only these pages have.
type writer struct{ page.Text }

// WriteText writes what follows the results' lines on a terminal: where
// time and memory go, and what went wrong.
func WriteText(w io.Writer, r *Page, o page.TextOptions) error {
	t := writer{page.NewText(o)}
	profiled := false
	for i := range r.Packages {
		p := &r.Packages[i]
		for j := range p.Benchmarks {
			if b := &p.Benchmarks[j]; len(b.Profiles) > 0 {
				if !profiled {
					t.Heading("Where it goes", "flat shares of the measured code, from separate profiling runs")
				}
				profiled = true
				t.shares(r, p, b)
			}
		}
	}
	t.Warnings(r.Warnings)
	if len(r.Failures) > 0 {
		t.Heading("Not measured", "")
		for _, f := range r.Failures {
			t.Hang(2, "", 0, printable.Line(f.Text))
		}
	}
	t.Line()
	for _, l := range page.Wrap(benchSummary(r), t.Width) {
		t.Line(l)
	}
	return t.Flush(w, "the result")
}

// fewestSamples is the number of CPU samples of a function that its share takes to be
// printed: as many as whet tune's threshold of 5 % is of the 200 samples that its
// rules ask for. By chance alone 10 are 10 ± 3.
const fewestSamples = 10

// shares writes a benchmark's profiles in short.
func (t *writer) shares(r *Page, p *Package, b *Row) {
	name := printable.Line(b.Name)
	if len(r.Packages) > 1 {
		name = printable.Line(p.ImportPath) + "." + name
	}
	t.Line("  ", page.Shorten(name, t.Width-2))
	for _, profile := range b.Profiles {
		var parts []string
		for _, f := range profile.Top {
			if profile.Kind == "cpu" && f.FlatRatio*float64(profile.Samples) < fewestSamples {
				continue
			}
			parts = append(parts, strings.ReplaceAll(quantity.Percent(f.FlatRatio), " ", "\u00a0")+"\u00a0"+printable.Line(f.Function))
		}
		text := strings.Join(parts, ", ")
		switch {
		case len(parts) == 0 && profile.Samples == 0:
			text = "nothing was sampled"
		case len(parts) == 0 && len(profile.Top) > 0:
			text = fmt.Sprintf("no function has %d samples (of %d in all): raise -benchtime", fewestSamples, profile.Samples)
		case len(parts) == 0:
			text = "no function stands out"
		case profile.Kind == "cpu":
			text += fmt.Sprintf("  (%s)", quantity.Plural(int(profile.Samples), "sample"))
		}
		t.Hang(4, profile.Kind, 8, text)
	}
}

// benchSummary returns the last line of the text.
func benchSummary(r *Page) string {
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
		s += fmt.Sprintf("; %s without the requested units", quantity.Plural(r.Without, "package"))
	}
	if n := len(r.Failures); n > 0 {
		s += fmt.Sprintf("; %s", quantity.Plural(n, "failure"))
	}
	return s
}
