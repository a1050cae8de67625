package view

import (
	"bytes"
	"strings"
	"testing"

	"whet/internal/analyze/callgraph"
	"whet/internal/analyze/selection"
)

// TestDiffIsTwoTops: the change of every function is what pprof's -diff_base
// has (which TestTextsAreThoseOfPprof holds NewTop to), and either side what
// its profile has alone.
func TestDiffIsTwoTops(t *testing.T) {
	for _, name := range fixtures(t) {
		s := readFixture(t, name)
		for _, o := range []selection.Options{{}, {Granularity: "lines"}, {SampleIndex: "0", Hide: "^runtime"}, {DropNegative: true}} {
			sources := []selection.Source{{Profile: s.ours}, {Profile: s.ourBase, Role: selection.DiffBase}}
			tops := make([]map[string]Costs, 3)
			for i, of := range [][]selection.Source{{{Profile: s.ourBase}}, {{Profile: s.ours}}, sources} {
				sel, err := selection.New(of, o)
				if err != nil {
					t.Fatal(err)
				}
				tops[i] = make(map[string]Costs)
				for _, n := range NewTop(sel, callgraph.Options{}, Options{}).Graph.Nodes {
					c := tops[i][n.Name] // pprof tells some nodes apart that it prints alike
					tops[i][n.Name] = Costs{c.Flat + n.Flat, c.Cum + n.Cum}
				}
			}
			sel, err := selection.New(sources, o)
			if err != nil {
				t.Fatal(err)
			}
			d := NewDiff(sel, 1, callgraph.Options{}, Options{})
			rows := make([]map[string]Costs, 3)
			for i := range rows {
				rows[i] = make(map[string]Costs)
			}
			for _, r := range d.Rows {
				for i, c := range []Costs{r.Before, r.After, {r.Flat(), r.Cum()}} {
					have := rows[i][r.Name]
					rows[i][r.Name] = Costs{have.Flat + c.Flat, have.Cum + c.Cum}
				}
			}
			for fn, want := range tops[2] {
				if want != (Costs{}) && rows[2][fn] != want {
					t.Errorf("%s %+v: %s changed by %+v, want %+v", name, o, fn, rows[2][fn], want)
				}
			}
			for fn, change := range rows[2] {
				if tops[2][fn] != change || tops[0][fn] != rows[0][fn] || tops[1][fn] != rows[1][fn] {
					t.Errorf("%s %+v: %s: before %+v, want %+v; after %+v, want %+v", name, o, fn, rows[0][fn], tops[0][fn], rows[1][fn], tops[1][fn])
				}
			}
			if len(d.Rows) == 0 || d.After-d.Before == 0 {
				t.Errorf("%s: nothing changed", name)
			}
		}
	}
}

// TestDiffOfItself: nothing changed.
func TestDiffOfItself(t *testing.T) {
	for _, name := range fixtures(t) {
		s := readFixture(t, name)
		sel, err := selection.New([]selection.Source{{Profile: s.ours}, {Profile: s.ours, Role: selection.DiffBase}}, selection.Options{})
		if err != nil {
			t.Fatal(err)
		}
		d := NewDiff(sel, 1, callgraph.Options{}, Options{})
		var b bytes.Buffer
		if err := d.Write(&b); err != nil {
			t.Fatal(err)
		}
		if len(d.Rows) != 0 || d.Dropped != 0 || d.Before != d.After || !strings.HasSuffix(b.String(), "Nothing changed.\n") {
			t.Errorf("%s: %d rows, %d dropped, %d before and %d after:\n%s", name, len(d.Rows), d.Dropped, d.Before, d.After, b.String())
		}
	}
}

// TestDiffOfRounding: what scaling leaves of equal totals is no change.
func TestDiffOfRounding(t *testing.T) {
	s := readFixture(t, "httpsrv_labels.cpu.pb.gz")
	sel, err := selection.New([]selection.Source{{Profile: s.ours}, {Profile: s.ours, Role: selection.DiffBase}}, selection.Options{})
	if err != nil {
		t.Fatal(err)
	}
	d := NewDiff(sel, 1, callgraph.Options{}, Options{Unit: "ms"})
	d.After++ // a nanosecond
	var b bytes.Buffer
	if err := d.Write(&b); err != nil || !strings.Contains(b.String(), "change: 0 (0% of before)\n") {
		t.Errorf("%v:\n%s", err, b.String())
	}
}
