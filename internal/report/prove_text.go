package report

import (
	"cmp"
	"fmt"
	"io"

	"whet/internal/analyze/compare"
	"whet/internal/printable"
	"whet/internal/quantity"
)

// WriteProveText writes the result of a proof for a terminal: what was
// compared and how, a table for each metric, why it changed, and the verdict
// last.
func WriteProveText(w io.Writer, r *compare.Result, o TextOptions) error {
	t := textWriter{width: min(max(cmp.Or(o.Width, 100), 60), 160), color: o.Color}
	old, new := proveTitle(r)
	for _, l := range wrap(old+" → "+new, t.width) {
		t.line(t.paint(bold, l))
	}
	t.line()
	for _, f := range proveFacts(r) {
		t.hang(2, f.Name, 10, f.Value)
	}
	t.warnings(r.Warnings)
	t.proveTables(r)
	t.proveAnswers(r.Answers)
	t.proveWhy(r)
	t.proveUnmatched(r)
	t.line()
	for i, l := range wrap(printable.Line(r.Verdict.Text), t.width-9) {
		t.line(t.paint(strong, pad([]string{"verdict", ""}[min(i, 1)], 9)), t.paint(bold, l))
	}
	if _, err := w.Write(t.bytes()); err != nil {
		return fmt.Errorf("write the result: %w", err)
	}
	return nil
}

func (t *textWriter) warnings(ws []string) {
	if len(ws) > 0 {
		t.line()
	}
	for _, w := range ws {
		for i, l := range wrap(printable.Line(w), min(t.width, 100)-4) {
			mark := "  ! "
			if i > 0 {
				mark = "    "
			}
			t.line(t.paint(yellow, mark), l)
		}
	}
}

// proveAnswers says whether both sides answered alike, and where not.
func (t *textWriter) proveAnswers(a *compare.Answers) {
	if a == nil {
		return
	}
	t.heading("Answers", fmt.Sprintf("%s compared, %d differ", quantity.Plural(a.Requests, "answer"), a.Differing))
	for _, d := range a.Differences {
		t.hang(2, "", 0, printable.Line(d.Request)+": "+printable.Line(d.Where))
		t.hang(4, "old", 5, printable.Line(d.Old))
		t.hang(4, "new", 5, printable.Line(d.New))
		if d.Unsteady {
			t.hang(4, "", 5, "old, asked again, differs there from itself")
		}
	}
	if more := a.Differing - len(a.Differences); more > 0 && len(a.Differences) > 0 {
		t.hang(2, "", 0, fmt.Sprintf("and %d more", more))
	}
}

func (t *textWriter) proveUnmatched(r *compare.Result) {
	if len(r.OnlyOld)+len(r.OnlyNew)+len(r.Failures) == 0 {
		return
	}
	t.heading("Not compared", "")
	for _, side := range []struct {
		name  string
		names []string
	}{{"only old", r.OnlyOld}, {"only new", r.OnlyNew}} {
		if len(side.names) > 0 {
			t.hang(2, side.name, 10, cleanList(side.names))
		}
	}
	for _, f := range r.Failures {
		t.hang(2, "failed", 10, printable.Line(f.Name)+" ("+printable.Line(f.Side)+"): "+printable.Line(f.Text))
	}
}
