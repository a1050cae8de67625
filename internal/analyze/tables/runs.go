package tables

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"golang.org/x/perf/benchfmt"
)

// Benchcmp is the comparison of two files as benchcmp, the predecessor of benchstat,
// makes it: runs in pairs, no statistics.
type Benchcmp struct {
	Files    []File
	Blocks   []Block
	Warnings []string
}

// Block is the part of one unit.
type Block struct {
	Unit  string // "ns/op", "MB/s", "allocs/op", "B/op"
	Pairs []Pair
}

// Pair is a run of a benchmark in each file.
type Pair struct {
	Name     string
	Old, New float64
}

// BenchcmpOptions are benchcmp's flags.
type BenchcmpOptions struct {
	Best      bool // of several runs of a benchmark, the fastest of each file
	Changed   bool // only differences
	Magnitude bool // the largest change first
}

// run is a result line.
type run struct {
	name   string
	order  int
	values map[string]float64 // by unit as written
}

// maxRuns bounds the result lines of a file.
const maxRuns = 1_000_000

// Runs are the result lines of one file for CompareRuns.
type Runs struct {
	file     File
	warnings []string
	names    []string // in order of appearance
	runs     map[string][]run
}

// benchcmpUnits returns those that benchcmp knows, in the order of its blocks, and
// those of them that it reads as whole numbers only.
func benchcmpUnits() (units []string, whole map[string]bool) {
	return []string{"ns/op", "MB/s", "allocs/op", "B/op"}, map[string]bool{"allocs/op": true, "B/op": true}
}

// ReadRuns reads one file, as strictly as a Collector does.
func ReadRuns(o Operand, r io.Reader) (*Runs, error) {
	units, whole := benchcmpUnits()
	out := &Runs{runs: make(map[string][]run)}
	n := 0
	var reader benchfmt.Reader
	var err error
	out.file, out.warnings, err = scan(&reader, o, r, make(map[string]bool), func(res *benchfmt.Result) (bool, error) {
		if n++; n > maxRuns {
			return false, fmt.Errorf("more than %d results: omit some", maxRuns)
		}
		one := run{name: "Benchmark" + string(res.Name), order: n, values: make(map[string]float64)}
		for _, v := range res.Values {
			value, unit := v.Value, v.Unit
			if v.OrigUnit != "" {
				value, unit = v.OrigValue, v.OrigUnit
			}
			if slices.Contains(units, unit) && !(whole[unit] && value != math.Trunc(value)) {
				one.values[unit] = value
			}
		}
		if out.runs[one.name] == nil {
			out.names = append(out.names, one.name)
		}
		out.runs[one.name] = append(out.runs[one.name], one)
		return true, nil
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// best keeps the fastest run of each benchmark.
func (r *Runs) best() {
	for name, runs := range r.runs {
		fastest := runs[0]
		for _, one := range runs {
			if one.values["ns/op"] < fastest.values["ns/op"] {
				fastest = one
			}
		}
		fastest.order = runs[0].order
		r.runs[name] = []run{fastest}
	}
}

// CompareRuns pairs the runs of two files: the first of a benchmark with the
// first, and so on. Without the same number on both sides there are no pairs.
func CompareRuns(old, new *Runs, o BenchcmpOptions) (*Benchcmp, error) {
	out := &Benchcmp{Files: []File{old.file, new.file}, Warnings: slices.Concat(old.warnings, new.warnings)}
	if o.Best {
		old.best()
		new.best()
	}
	type pair struct{ old, new run }
	var pairs []pair
	for _, name := range old.names {
		olds, news := old.runs[name], new.runs[name]
		if len(olds) != len(news) {
			out.Warnings = append(out.Warnings, fmt.Sprintf("ignoring %s: before has %d instances, after has %d", name, len(olds), len(news)))
			continue
		}
		for i := range olds {
			pairs = append(pairs, pair{olds[i], news[i]})
		}
	}
	if len(pairs) == 0 {
		return nil, errors.New("no benchmark has the same number of runs in both files: nothing to compare")
	}
	slices.SortFunc(pairs, func(a, b pair) int { return cmp.Compare(a.old.order, b.old.order) })
	units, _ := benchcmpUnits()
	for _, unit := range units {
		b := Block{Unit: unit}
		for _, p := range pairs {
			before, ok1 := p.old.values[unit]
			after, ok2 := p.new.values[unit]
			if ok1 && ok2 && !(o.Changed && before == after) {
				b.Pairs = append(b.Pairs, Pair{p.old.name, before, after})
			}
		}
		if o.Magnitude {
			slices.SortStableFunc(b.Pairs, func(a, c Pair) int {
				return cmp.Or(cmp.Compare(a.magnitude(), c.magnitude()), strings.Compare(a.Name, c.Name))
			})
		}
		if len(b.Pairs) > 0 {
			out.Blocks = append(out.Blocks, b)
		}
	}
	return out, nil
}

// Quotient is new/old: 1 of two zeros, +Inf where only the first is 0.
func (p Pair) Quotient() float64 {
	switch {
	case p.Old != 0:
		return p.New / p.Old
	case p.New == 0:
		return 1
	}
	return math.Inf(1)
}

// magnitude orders by the size of a change whatever its direction: the smaller
// value as a share of the larger. What came from or went to 0 is last, as in
// benchcmp.
func (p Pair) magnitude() float64 {
	switch {
	case p.Old == 0 && p.New == 0:
		return 1
	case p.Old == 0 || p.New == 0:
		return math.Inf(1)
	}
	return min(p.Old, p.New) / max(p.Old, p.New)
}
