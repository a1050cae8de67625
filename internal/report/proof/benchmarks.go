package proof

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"whet/internal/analyze/compare"
	"whet/internal/format/benchmark"
	"whet/internal/printable"
)

// WriteBenchmarks writes every slice of a proof in the Go benchmark
// format. Both sides stand in one text, told apart by the setting "side", so
// that benchstat -col side compares them. Packages are called as on the new
// side. procs is the GOMAXPROCS of the benchmarks, 0 where it does not apply.
func WriteBenchmarks(w io.Writer, r *compare.Result, series []compare.Series, procs int) error {
	bw := benchmark.NewWriter(w)
	for _, unit := range proveUnits(series) {
		if m := metricIn(series, unit); m.Kind == compare.Other {
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
	for i := range series {
		s := &series[i]
		set("pkg", printable.Line(s.Package))
		for n := range s.Rounds {
			round := &s.Rounds[n]
			for _, slice := range []struct {
				side   compare.Which
				values compare.Slice
			}{{compare.Old, round.Old}, {compare.New, round.New}, {round.AgainOf, round.Again}} {
				if line, ok := benchmarkLine(s, slice.values, procs); ok {
					bw.Set("side", slice.side.String())
					bw.Write(line)
				}
			}
		}
	}
	if err := bw.Err(); err != nil {
		return fmt.Errorf("write the benchmarks: %w", err)
	}
	return nil
}

// metricIn is the metric of a unit as the series have it.
func metricIn(series []compare.Series, unit string) compare.Metric {
	for i := range series {
		for _, m := range series[i].Metrics {
			if m.Unit == unit {
				return m
			}
		}
	}
	return compare.MetricOf(unit)
}

// proveUnits are the units that a reader finds in the text.
func proveUnits(series []compare.Series) []string {
	units := make(map[string]bool)
	for i := range series {
		for _, round := range series[i].Rounds {
			for _, slice := range []compare.Slice{round.Old, round.New, round.Again} {
				for unit := range slice {
					units[unit] = validUnit(unit)
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
func benchmarkLine(s *compare.Series, slice compare.Slice, procs int) (benchmark.Line, bool) {
	line := benchmark.Line{Name: benchmarkName(s.Name), Procs: max(procs, 1), N: max(s.Iterations, 1), NoTime: true}
	any := false
	for _, unit := range slices.Sorted(maps.Keys(slice)) {
		v := slice[unit]
		if !validUnit(unit) {
			continue
		}
		any = true
		switch unit {
		case compare.NsPerOp:
			line.NsPerOp, line.NoTime = v, false
		case compare.BytesPerOp:
			line.BytesPerOp = &v
		case compare.AllocsPerOp:
			line.AllocsPerOp = &v
		default:
			line.Metrics = append(line.Metrics, benchmark.Metric{Unit: unit, Value: v})
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
