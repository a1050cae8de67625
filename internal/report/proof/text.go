package proof

import (
	"fmt"
	"io"

	"whet/internal/analyze/compare"
	"whet/internal/printable"
	"whet/internal/quantity"
	"whet/internal/report/page"
)

// writer adds to the kit's text what only these pages have.
type writer struct{ page.Text }

// WriteText writes the result of a proof for a terminal: what was
// compared and how, a table for each metric, why it changed, and the verdict
// last. What the verdicts rest on is in it where it is to be verbose.
func WriteText(w io.Writer, r *compare.Result, o page.TextOptions) error {
	t := writer{page.NewText(o)}
	old, new := title(r)
	if o.Verbose {
		t.Wrapped(0, page.Bold, old+" → "+new)
		t.Line()
		for _, f := range proveFacts(r) {
			t.Hang(2, f.Name, 10, f.Value)
		}
	} else {
		t.Wrapped(0, page.Bold, old+told(r, &r.Old)+" → "+new+told(r, &r.New))
		for _, s := range briefFacts(r) {
			t.Hang(2, "", 0, s)
		}
	}
	t.Warnings(r.Warnings)
	t.proveTables(r, o.Verbose)
	t.answers(r.Answers)
	t.why(r)
	t.unmatched(r)
	t.Line()
	for i, l := range page.Wrap(printable.Line(r.Verdict.Text), t.Width-9) {
		t.Line(t.Paint(page.Strong, page.Pad([]string{"verdict", ""}[min(i, 1)], 9)), t.Paint(page.Bold, l))
	}
	return t.Flush(w, "the result")
}

// answers says whether both sides answered alike, and where not.
func (t *writer) answers(a *compare.OutputComparison) {
	if a == nil {
		return
	}
	t.Heading("Answers", fmt.Sprintf("%s compared, %s differ", quantity.Plural(a.Requests, "answer"), quantity.Count(float64(a.Differing))))
	for _, d := range a.Differences {
		t.Hang(2, "", 0, printable.Line(d.Request)+": "+printable.Line(d.Where))
		t.Hang(4, "old", 5, printable.Line(d.Old))
		t.Hang(4, "new", 5, printable.Line(d.New))
		if d.Unsteady {
			t.Hang(4, "", 5, "old differs from itself there")
		}
	}
	if more := a.Differing - len(a.Differences); more > 0 && len(a.Differences) > 0 {
		t.Hang(2, "", 0, "and "+quantity.Count(float64(more))+" more")
	}
}

func (t *writer) unmatched(r *compare.Result) {
	if len(r.OnlyOld)+len(r.OnlyNew)+len(r.Failures) == 0 {
		return
	}
	t.Heading("Not compared", "")
	for _, side := range []struct {
		name  string
		names []string
	}{{"only old", r.OnlyOld}, {"only new", r.OnlyNew}} {
		if len(side.names) > 0 {
			t.Hang(2, side.name, 10, page.CleanList(side.names))
		}
	}
	for _, f := range r.Failures {
		t.Hang(2, "failed", 10, printable.Line(f.Name)+" ("+printable.Line(f.Side)+"): "+printable.Line(f.Text))
	}
}
