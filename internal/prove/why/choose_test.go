package why

import (
	"slices"
	"testing"

	"whet/internal/analyze/compare"
)

func TestChoose(t *testing.T) {
	row := func(name, metric string, v compare.Verdict, old, new, ratio float64) compare.Row {
		return compare.Row{Package: "p", Name: name, Metric: metric, Verdict: v, Old: old, New: new, Ratio: ratio}
	}
	rows := []compare.Row{
		row("A", compare.NsPerOp, compare.NoChange, 10, 10, 1), row("A", compare.AllocsPerOp, compare.NoChange, 1, 1, 1),
		row("B", compare.NsPerOp, compare.Faster, 30, 20, 1.5),
		row("C", compare.NsPerOp, compare.CannotTell, 9, 3, 3), row("C", compare.AllocsPerOp, compare.Slower, 1, 2, 0.5),
		row("D", compare.AllocsPerOp, compare.Faster, 4, 0, compare.MaxRatio),
	}
	names := func(list []Benchmark) (out []string) {
		for _, b := range list {
			out = append(out, b.Name)
		}
		return out
	}
	changed := Choose(rows, false)
	if got, want := names(changed), []string{"D", "C", "B"}; !slices.Equal(got, want) {
		t.Errorf("changed: %v, want %v", got, want)
	}
	if got, want := names(Choose(rows, true)), []string{"D", "C", "B", "A"}; !slices.Equal(got, want) {
		t.Errorf("all: %v, want %v", got, want)
	}
	if c := changed[1]; c.NsPerOp != 9 || c.AllocsPerOp != 2 || c.Package != "p" {
		t.Errorf("%+v: want the dearer side's figures", c)
	}
}
