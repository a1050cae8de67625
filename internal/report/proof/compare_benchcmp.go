package proof

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"text/tabwriter"

	"whet/internal/analyze/tables"
	"whet/internal/printable"
	"whet/internal/report/page"
)

// WriteBenchcmp writes pairs of runs in benchcmp's layout, which scripts still
// read.
func WriteBenchcmp(w io.Writer, r *tables.Benchcmp) error {
	var b bytes.Buffer
	t := tabwriter.NewWriter(&b, 0, 0, 5, ' ', 0)
	for _, block := range r.Blocks {
		head, print, change := "", whole, percentChange
		switch block.Unit {
		case "ns/op":
			head, print = "benchmark\told ns/op\tnew ns/op\tdelta", benchcmpNanoseconds
		case "MB/s":
			head, print, change = "\nbenchmark\told MB/s\tnew MB/s\tspeedup", twoDecimals, multiple
		case "allocs/op":
			head = "\nbenchmark\told allocs\tnew allocs\tdelta"
		case "B/op":
			head = "\nbenchmark\told bytes\tnew bytes\tdelta"
		}
		fmt.Fprintln(t, head)
		for _, p := range block.Pairs {
			fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", printable.Line(p.Name), print(p.Old), print(p.New), change(p))
		}
	}
	t.Flush() // into memory
	return page.Print(w, "the comparison", b.Bytes())
}

// benchcmpNanoseconds has the digits that package testing gave small times
// when benchcmp was written.
func benchcmpNanoseconds(ns float64) string {
	digits := 0
	switch {
	case ns < 10:
		digits = 2
	case ns < 100:
		digits = 1
	}
	return strconv.FormatFloat(ns, 'f', digits, 64)
}

func whole(v float64) string { return strconv.FormatFloat(v, 'f', 0, 64) }

func twoDecimals(v float64) string { return strconv.FormatFloat(v, 'f', 2, 64) }

func percentChange(p tables.Pair) string { return fmt.Sprintf("%+.2f%%", 100*p.Quotient()-100) }

func multiple(p tables.Pair) string { return fmt.Sprintf("%.2fx", p.Quotient()) }
