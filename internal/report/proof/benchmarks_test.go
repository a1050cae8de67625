package proof

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"golang.org/x/perf/benchfmt"
	"golang.org/x/perf/benchmath"
	"golang.org/x/perf/benchproc"

	"whet/internal/analyze/compare"
	"whet/internal/stat"
)

// proveSeries are two benchmarks of two packages, and a custom rate.
func proveSeries() []compare.Series {
	var rounds []compare.Round
	for i := range 6 {
		old := compare.Slice{compare.NsPerOp: 1000 + float64(i), compare.AllocsPerOp: 2, compare.BytesPerOp: 64, "items/s": 5}
		new := compare.Slice{compare.NsPerOp: 500 + float64(i), compare.AllocsPerOp: 1, compare.BytesPerOp: 32, "items/s": 10}
		r := compare.Round{Turn: compare.Turn{Old: old, New: new}, Layout: uint64(i)}
		if r.AgainOf = compare.Side(i % 2); r.AgainOf == compare.Old {
			r.Again = old
		} else {
			r.Again = new
		}
		rounds = append(rounds, r)
	}
	return []compare.Series{
		{Package: "example.org/m/a", Name: "BenchmarkA/size=1-k", Iterations: 1000, Procs: 2, Rounds: rounds},
		{Package: "example.org/m/b", Name: "BenchmarkB", Iterations: 10, Procs: 2, Rounds: rounds[:3]},
	}
}

// What benchstat -col side makes of the text, by its own packages: one table a
// package and unit, with all slices of either side in their columns.
func TestBenchmarksReadByBenchstat(t *testing.T) {
	var buf bytes.Buffer
	if err := compare.WriteBenchmarks(&buf, result(), proveSeries(), ""); err != nil {
		t.Fatal(err)
	}
	var parser benchproc.ProjectionParser
	filter, err := benchproc.NewFilter("*")
	if err != nil {
		t.Fatal(err)
	}
	parse := func(s string) *benchproc.Projection {
		p, err := parser.Parse(s, filter)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	col, row := parse("side"), parse(".fullname")
	table, unit, err := parser.ParseWithUnit(".config", filter)
	if err != nil {
		t.Fatal(err)
	}
	values := make(map[string][]float64)
	reader := benchfmt.NewReader(bytes.NewReader(buf.Bytes()), "proof")
	for reader.Scan() {
		switch rec := reader.Result().(type) {
		case *benchfmt.Result:
			for i, key := range table.ProjectValues(rec) {
				k := fmt.Sprintf("%s %s %s %s", key.Get(unit), rec.GetConfig("pkg"), row.Project(rec), col.Project(rec))
				values[k] = append(values[k], rec.Values[i].Value)
			}
			if _, ok := rec.Value("sec/op"); !ok {
				t.Errorf("%s has no time", rec.Name)
			}
		case *benchfmt.UnitMetadata:
			if rec.Unit != "items/s" || rec.Key != "better" || rec.Value != "higher" {
				t.Errorf("about units: %+v", rec)
			}
		case *benchfmt.SyntaxError:
			t.Error(rec)
		}
	}
	if err := reader.Err(); err != nil {
		t.Fatal(err)
	}
	// 6 rounds, 3 of them with old twice: 9 of old and 9 of new.
	for k, want := range map[string]struct {
		n      int
		median float64
	}{
		"sec/op example.org/m/a .fullname:A/size=1-k-2 side:old":  {9, 1002e-9},
		"sec/op example.org/m/a .fullname:A/size=1-k-2 side:new":  {9, 503e-9},
		"allocs/op example.org/m/b .fullname:B-2 side:old":        {5, 2},
		"B/op example.org/m/b .fullname:B-2 side:new":             {4, 32},
		"items/s example.org/m/a .fullname:A/size=1-k-2 side:new": {9, 10},
	} {
		got := values[k]
		if len(got) != want.n || len(got) > 0 && stat.Median(got)/want.median-1 > 1e-9 {
			t.Errorf("%s: %v, want %d with median %v", k, got, want.n, want.median)
		}
	}
	if t.Failed() {
		t.Logf("%v\n%s", slices.Sorted(mapKeys(values)), buf.String())
	}
	cmp := benchmath.AssumeNothing.Compare(
		benchmath.NewSample(values["sec/op example.org/m/a .fullname:A/size=1-k-2 side:old"], &benchmath.DefaultThresholds),
		benchmath.NewSample(values["sec/op example.org/m/a .fullname:A/size=1-k-2 side:new"], &benchmath.DefaultThresholds))
	if cmp.P > cmp.Alpha {
		t.Errorf("benchstat sees no difference between 1000 and 500 ns: p = %v", cmp.P)
	}
}

func mapKeys(m map[string][]float64) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// Units that the format cannot hold are left out.
func TestBenchmarksOddUnits(t *testing.T) {
	series := []compare.Series{{Name: "command", Rounds: []compare.Round{{Turn: compare.Turn{
		Old: compare.Slice{compare.WallNs: 2e9, "bad unit": 1}, New: compare.Slice{compare.WallNs: 1e9, "x\x1b": 1},
	}}}}}
	var buf bytes.Buffer
	if err := compare.WriteBenchmarks(&buf, &compare.Result{}, series, ""); err != nil {
		t.Fatal(err)
	}
	want := "side: old\nBenchmark/command\t1\t2000000000 wall-ns\nside: new\nBenchmark/command\t1\t1000000000 wall-ns\n"
	if buf.String() != want {
		t.Errorf("%q, want %q", buf.String(), want)
	}
	if strings.Contains(buf.String(), "bad") {
		t.Error("a unit of two words was written")
	}
}
