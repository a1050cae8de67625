package main

import (
	"fmt"

	"whet/bench/ledger"
	"whet/internal/quantity"
	"whet/internal/stat"
)

// render makes the text of the README from the kept samples.
func render(dir string) (string, error) {
	e, err := ledger.Load[[]Change](dir, "samecode")
	if err != nil {
		return "", err
	}
	t := ledger.Table{Head: []string{"module", "change", "benchmarks", "the same code", "the same binary", "measured", "deciding takes", "CPU", "measured all the same", "of these called different"}}
	var all Change
	rows, wrong, spent := 0, 0, int64(0)
	for _, c := range e.Samples {
		if c.Failure != "" {
			t.Rows = append(t.Rows, []string{c.Module, c.Old + " to " + c.New, "–", "–", "–", "–", "–", "–", "–", "–"})
			continue
		}
		n, w := different(c.Rows)
		all.Benchmarks, all.SameCode, all.SameBinary = all.Benchmarks+c.Benchmarks, all.SameCode+c.SameCode, all.SameBinary+c.SameBinary
		rows, wrong = rows+n, wrong+w
		for _, ns := range c.MeasureNs {
			spent += ns
		}
		t.Rows = append(t.Rows, []string{
			c.Module, c.Old + " to " + c.New, count(c.Benchmarks), count(c.SameCode), count(c.SameBinary), count(c.Benchmarks - c.SameCode - c.SameBinary),
			quantity.Nanoseconds(float64(c.DecideNs)), quantity.Nanoseconds(float64(c.DecideCPUNs)), count(n), count(w),
		})
	}
	t.Rows = append(t.Rows, []string{"all", "", count(all.Benchmarks), count(all.SameCode), count(all.SameBinary), count(all.Benchmarks - all.SameCode - all.SameBinary), "", "", count(rows), count(wrong)})
	text := t.Markdown() + "\n"
	if rows > 0 {
		text += fmt.Sprintf("Called different: %d of %d, at most %s (95 %%). ", wrong, rows, quantity.Percent(stat.ShareUpper(wrong, rows, 0.95)))
		text += fmt.Sprintf("Each of them took %s to measure, with builds, and all that are decided would take %s. ", quantity.Nanoseconds(float64(spent)/float64(rows)), quantity.Nanoseconds(float64(spent)/float64(rows)*float64(all.SameCode)))
	}
	return text + e.Caption() + ".\n", nil
}

func count(n int) string { return quantity.Count(float64(n)) }
