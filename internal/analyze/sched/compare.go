package sched

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

// Comparison sets two traces side by side. Their spans differ: times are divided by
// them, so that a time of goroutines is how many there were of them on average.
type Comparison struct {
	Figures []Figure
	Kinds   []Pair // by start function: running, on how many processors on average
	Waits   []Pair // by state and function: how many goroutines waited on average
	Tasks   []SpanPair
	Regions []SpanPair
}

// Figure is a number of two traces, NaN where a trace has none.
type Figure struct {
	Name     string
	Unit     string // "ns", "ratio" (a share of 1), "mean" (a number on average), "per_second" or "count"
	Old, New float64
}

// Pair is a row of two traces. A place is a function: lines move between builds.
type Pair struct {
	Name                       string // of the function, "" where unknown
	State                      State
	Old, New                   float64
	OldPerSecond, NewPerSecond float64 // how often
}

// SpanPair is the tasks or regions of one type, nil where a trace has none.
type SpanPair struct {
	Type     string
	Old, New *Span
}

// Compare compares a trace with an earlier one.
func Compare(old, new *Result) *Comparison {
	c := &Comparison{}
	add := func(name, unit string, of func(r *Result) float64) {
		c.Figures = append(c.Figures, Figure{name, unit, of(old), of(new)})
	}
	perSpan := func(ns int64, r *Result) float64 { return float64(ns) / float64(max(r.SpanNs, 1)) }
	perSecond := func(n int, r *Result) float64 { return perSpan(int64(n), r) * 1e9 }
	add("span", "ns", func(r *Result) float64 { return float64(r.SpanNs) })
	add("gomaxprocs", "count", func(r *Result) float64 { return float64(r.GOMAXPROCS) })
	add("processors running", "mean", func(r *Result) float64 {
		var sum int64
		for _, p := range r.Procs {
			sum += p.RunningNs
		}
		return perSpan(sum, r)
	})
	add("no processor runs", "ratio", func(r *Result) float64 {
		if len(r.BusyNs) == 0 {
			return math.NaN()
		}
		return perSpan(r.BusyNs[0], r)
	})
	add("goroutines created", "per_second", func(r *Result) float64 { return perSecond(r.Goroutines.Created, r) })
	for s := range State(NumStates) {
		if s != System {
			add("goroutines "+s.String(), "mean", func(r *Result) float64 { return perSpan(r.Goroutines.Ns[s], r) })
		}
	}
	for _, q := range []struct {
		name string
		at   float64
	}{{"p50", 0.5}, {"p99", 0.99}, {"p999", 0.999}} {
		add("scheduling latency "+q.name, "ns", func(r *Result) float64 {
			if r.Latency.Count() == 0 {
				return math.NaN()
			}
			return float64(r.Latency.Quantile(q.at))
		})
	}
	add("collections", "per_second", func(r *Result) float64 { return perSecond(r.GC.Cycles, r) })
	add("collector marks", "ratio", func(r *Result) float64 { return perSpan(r.GC.MarkNs, r) })
	add("goroutines assist", "mean", func(r *Result) float64 { return perSpan(r.GC.AssistNs, r) })
	add("world stopped", "ratio", func(r *Result) float64 {
		var sum int64
		for _, p := range r.GC.Pauses {
			sum += p.Ns
		}
		return perSpan(sum, r)
	})
	add("longest pause", "ns", func(r *Result) float64 {
		longest := int64(0)
		for _, p := range r.GC.Pauses {
			longest = max(longest, p.MostNs)
		}
		return float64(longest)
	})
	for i, name := range []string{"1ms", "10ms", "100ms"} {
		add("mutator utilization in "+name, "ratio", func(r *Result) float64 {
			for _, u := range r.MMU {
				if u.WindowNs == windows[i+2] {
					return u.Ratio
				}
			}
			return math.NaN()
		})
	}
	c.Kinds, c.Waits = pairs(old, new, (*Result).kindsOf), pairs(old, new, (*Result).waitsOf)
	c.Tasks, c.Regions = spanPairs(old.Tasks, new.Tasks), spanPairs(old.Regions, new.Regions)
	return c
}

type pairKey struct {
	name  string
	state State
}

// kindsOf calls add with each start function, how often there is one and for how
// long they run.
func (r *Result) kindsOf(add func(k pairKey, n int64, ns int64)) {
	for _, k := range r.Kinds {
		add(pairKey{k.Start, Running}, int64(k.Count), k.Ns[Running])
	}
}

func (r *Result) waitsOf(add func(k pairKey, n int64, ns int64)) {
	for _, w := range r.Waits {
		name := ""
		if w.Place != nil {
			name = w.Place.Function
		}
		add(pairKey{name, w.State}, w.Count, w.Ns)
	}
}

// pairs joins two lists, the largest change first.
func pairs(old, new *Result, each func(r *Result, add func(pairKey, int64, int64))) (out []Pair) {
	at := make(map[pairKey]int)
	for i, r := range []*Result{old, new} {
		span := float64(max(r.SpanNs, 1))
		each(r, func(k pairKey, n, ns int64) {
			j, ok := at[k]
			if !ok {
				j = len(out)
				at[k] = j
				out = append(out, Pair{Name: k.name, State: k.state})
			}
			p := &out[j]
			if mean, often := float64(ns)/span, float64(n)/span*1e9; i == 0 {
				p.Old, p.OldPerSecond = p.Old+mean, p.OldPerSecond+often
			} else {
				p.New, p.NewPerSecond = p.New+mean, p.NewPerSecond+often
			}
		})
	}
	slices.SortFunc(out, func(x, y Pair) int {
		return cmp.Or(cmp.Compare(math.Abs(y.New-y.Old), math.Abs(x.New-x.Old)), strings.Compare(x.Name, y.Name), cmp.Compare(x.State, y.State))
	})
	return out
}

func spanPairs(old, new []Span) (out []SpanPair) {
	at := make(map[string]int)
	for i := range old {
		at[old[i].Type] = i
		out = append(out, SpanPair{Type: old[i].Type, Old: &old[i]})
	}
	for i := range new {
		if j, ok := at[new[i].Type]; ok {
			out[j].New = &new[i]
			continue
		}
		out = append(out, SpanPair{Type: new[i].Type, New: &new[i]})
	}
	slices.SortFunc(out, func(x, y SpanPair) int { return strings.Compare(x.Type, y.Type) })
	return out
}
