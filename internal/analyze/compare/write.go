package compare

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"whet/internal/format/benchmark"
	"whet/internal/printable"
)

// WriteBenchmarks writes the slices of series in the Go benchmark format, after the
// head of a proof. If part is "", it writes every slice, with the configuration key
// "side", so that benchstat -col side compares them; otherwise the slices of the "old"
// or the "new" side without the repeated ones, or with "again" the repeated ones alone,
// in the order of measurement. Packages have their names on the new side.
func WriteBenchmarks(w io.Writer, r *Result, series []Series, part string) error {
	bw := benchmark.NewWriter(w)
	for _, unit := range proveUnits(series) {
		if m := metricIn(series, unit); m.Kind == Other {
			bw.Unit(unit, m.Better())
		}
	}
	set := func(key, value string) {
		if value != "" {
			bw.Set(key, value)
		}
	}
	set("goos", printable.Line(r.Host.OS))
	set("goarch", printable.Line(r.Host.Arch))
	set("cpu", printable.Line(r.Host.CPU))
	write := func(s *Series, round *Round) {
		set("pkg", printable.Line(s.Package))
		for _, turn := range round.Turns() {
			for _, slice := range []struct {
				part   string
				side   Side
				values Slice
			}{{"old", Old, turn.Old}, {"new", New, turn.New}, {"again", turn.AgainOf, turn.Again}} {
				line, ok := benchmarkLine(s, slice.values, cmp.Or(s.Procs, r.Host.GOMAXPROCS))
				if !ok || part != "" && part != slice.part {
					continue
				}
				if part == "" || part == "again" {
					bw.Set("side", slice.side.String())
				}
				bw.Write(line)
			}
		}
	}
	if part == "" {
		for i := range series {
			for n := range series[i].Rounds {
				write(&series[i], &series[i].Rounds[n])
			}
		}
	} else {
		for n, more := 0, true; more; n++ {
			more = false
			for i := range series {
				if n < len(series[i].Rounds) {
					more = true
					write(&series[i], &series[i].Rounds[n])
				}
			}
		}
	}
	if err := bw.Err(); err != nil {
		return fmt.Errorf("write the benchmarks: %w", err)
	}
	return nil
}

// metricIn returns the metric of a unit as the series have it.
func metricIn(series []Series, unit string) Metric {
	for i := range series {
		for _, m := range series[i].Metrics {
			if m.Unit == unit {
				return m
			}
		}
	}
	return MetricOf(unit)
}

// proveUnits returns the units that a reader finds in the text.
func proveUnits(series []Series) []string {
	units := make(map[string]bool)
	for i := range series {
		for n := range series[i].Rounds {
			for _, turn := range series[i].Rounds[n].Turns() {
				for _, slice := range []Slice{turn.Old, turn.New, turn.Again} {
					for unit := range slice {
						units[unit] = validUnit(unit)
					}
				}
			}
		}
	}
	maps.DeleteFunc(units, func(_ string, valid bool) bool { return !valid })
	return slices.Sorted(maps.Keys(units))
}

// validUnit: the format ends a unit at a space.
func validUnit(unit string) bool {
	return unit != "" && utf8.ValidString(unit) && !strings.ContainsFunc(unit, func(r rune) bool { return unicode.IsSpace(r) || printable.Hidden(r) })
}

// benchmarkLine is one slice as a benchmark's result; ok is false where
// it has no value.
func benchmarkLine(s *Series, slice Slice, procs int) (benchmark.Line, bool) {
	line := benchmark.Line{Name: benchmarkName(s.Name), Procs: max(procs, 1), N: max(s.Iterations, 1), NoTime: true}
	any := false
	for _, unit := range slices.Sorted(maps.Keys(slice)) {
		if validUnit(unit) {
			line.Set(unit, slice[unit])
			any = true
		}
	}
	return line, any
}

// benchmarkName makes a name that the format takes: one word that begins with
// "Benchmark" and goes on with anything but a small letter.
func benchmarkName(name string) string {
	name = strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || r == utf8.RuneError || printable.Hidden(r) {
			return '_'
		}
		return r
	}, name)
	rest, ok := strings.CutPrefix(name, "Benchmark")
	first, _ := utf8.DecodeRuneInString(rest)
	switch {
	case ok && (rest == "" || !unicode.IsLower(first)):
		return name
	case name == "" || !unicode.IsLower(first) && !ok:
		return "Benchmark" + name
	}
	return "Benchmark/" + name
}
