package bench

import (
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"whet/internal/format/benchmark"
	"whet/internal/printable"
	"whet/internal/report/page"
)

// Lines writes results as they come: as go test prints them, or in the Go
// benchmark format in full. It stops at the first error, which Err returns.
type Lines struct {
	w    io.Writer
	full *benchmark.Writer // nil: as go test
	have map[string]string
	err  error
}

// NewLines writes as go test does, or in full.
func NewLines(w io.Writer, full bool) *Lines {
	b := &Lines{w: w, have: make(map[string]string)}
	if full {
		b.full = benchmark.NewWriter(w)
	}
	return b
}

// Err returns the first error of writing.
func (b *Lines) Err() error {
	if b.full != nil && b.err == nil {
		return b.full.Err()
	}
	return b.err
}

func (b *Lines) printf(format string, args ...any) {
	if b.err == nil {
		_, b.err = fmt.Fprintf(b.w, format, args...)
	}
}

// Result writes a result, after the settings that changed.
func (b *Lines) Result(settings []benchmark.Setting, l benchmark.Line) {
	if b.full != nil {
		for _, s := range settings {
			b.full.Set(s.Key, printable.Line(s.Value))
		}
		b.full.Write(l)
		return
	}
	for _, s := range settings {
		if s.Value != "" && b.have[s.Key] != s.Value {
			b.have[s.Key] = s.Value
			b.printf("%s: %s\n", printable.Line(s.Key), printable.Line(s.Value))
		}
	}
	b.printf("%s\n", goTestLine(&l))
}

// Ended writes how a package went, as go test does after its results.
func (b *Lines) Ended(pkg, failed string, took time.Duration) {
	switch {
	case b.full != nil:
	case failed == "":
		b.printf("PASS\nok  \t%s\t%.3fs\n", printable.Line(pkg), took.Seconds())
	case strings.HasPrefix(failed, "["):
		b.printf("FAIL\t%s %s\n", printable.Line(pkg), failed)
	default:
		b.printf("FAIL\nFAIL\t%s\t%.3fs\n", printable.Line(pkg), took.Seconds())
	}
	// go test says for each package what holds for it.
	clear(b.have)
}

// nameColumn is the room for a name: what go test gives the longest of a
// package is not known before all have run.
const nameColumn = 32

// goTestLine prints a result in the columns of package testing.
func goTestLine(l *benchmark.Line) string {
	name := l.Name
	if l.Procs > 1 {
		name = fmt.Sprintf("%s-%d", l.Name, l.Procs)
	}
	var s strings.Builder
	s.WriteString(page.Pad(printable.Line(name), nameColumn))
	fmt.Fprintf(&s, "\t%8d", l.N)
	value := func(v float64, unit string) {
		s.WriteByte('\t')
		s.WriteString(testingFloat(v))
		s.WriteByte(' ')
		s.WriteString(printable.Line(unit))
	}
	if !l.NoTime {
		value(l.NsPerOp, "ns/op")
	}
	for _, m := range l.Metrics {
		value(m.Value, m.Unit)
	}
	for _, count := range []struct {
		v    *float64
		unit string
	}{{l.BytesPerOp, "B/op"}, {l.AllocsPerOp, "allocs/op"}} {
		if count.v != nil {
			fmt.Fprintf(&s, "\t%8.0f %s", *count.v, count.unit)
		}
	}
	return s.String()
}

// testingFloat prints with the digits and the column that package testing gives
// a value of this size: four significant ones, and the point of all under one
// another.
func testingFloat(v float64) string {
	a := math.Abs(v)
	if a == 0 || a >= 999.95 {
		return fmt.Sprintf("%10.0f", v)
	}
	// The bound between two formats is where rounding would add a digit.
	digits := 1
	for _, bound := range []float64{99.995, 9.9995, 0.99995, 0.099995, 0.0099995, 0.00099995} {
		if a < bound {
			digits++
		}
	}
	return fmt.Sprintf("%*.*f", 11+digits, digits, v)
}
