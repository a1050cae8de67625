package callstack

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// build makes a profile of one column from stacks written "leaf<caller<root".
// A name with a "!" is inlined into its caller, "name:7" is at line 7.
func build(stacks ...any) *Frames {
	b := NewBuilder(ValueType{"cpu", "nanoseconds"})
	for i := 0; i < len(stacks); i += 2 {
		b.AddFrames(frames(stacks[i].(string)), nil, int64(stacks[i+1].(int)))
	}
	return b.Frames()
}

func frames(stack string) (leafFirst []Frame) {
	for name := range strings.SplitSeq(stack, "<") {
		var f Frame
		f.Function, f.Inlined = strings.CutSuffix(name, "!")
		if at := strings.LastIndex(f.Function, ":"); at >= 0 {
			fmt.Sscan(f.Function[at+1:], &f.Line)
			f.Function = f.Function[:at]
		}
		f.File = "x.go"
		leafFirst = append(leafFirst, f)
	}
	return leafFirst
}

func TestFunctionsWorkedExample(t *testing.T) {
	p := build(
		"c<b<a", 5, // flat c
		"b<a", 3, // flat b
		"c<c<c<a", 7, // recursion: c's cum counts 7 once
		"a", 1,
		"d<a", 0, // holds nothing: not listed
	)
	want := []FunctionCost{
		{"c", "x.go", Cost{Flat: 5 + 7, Cum: 5 + 7}},
		{"b", "x.go", Cost{Flat: 3, Cum: 5 + 3}},
		{"a", "x.go", Cost{Flat: 1, Cum: 5 + 3 + 7 + 1}},
	}
	if diff := cmp.Diff(want, p.FunctionCosts(0, nil)); diff != "" {
		t.Errorf("functions (-want +got):\n%s", diff)
	}
	if p.Total(0) != 16 || p.Sum(0, func(i int) bool { return i == 2 }) != 7 {
		t.Errorf("total %d, sum of sample 2 %d", p.Total(0), p.Sum(0, func(i int) bool { return i == 2 }))
	}
}

func TestLinesWorkedExample(t *testing.T) {
	// c calls itself from line 4 to line 9: each line's cum counts the
	// sample, the function's counts it once.
	p := build("c:9<c:4<a:1", 7, "c:9<a:2", 5)
	want := map[Line]Cost{
		{"c", "x.go", 9}: {Flat: 12, Cum: 12},
		{"c", "x.go", 4}: {Cum: 7},
		{"a", "x.go", 1}: {Cum: 7},
		{"a", "x.go", 2}: {Cum: 5},
	}
	if diff := cmp.Diff(want, p.LineCosts(0, nil)); diff != "" {
		t.Errorf("lines (-want +got):\n%s", diff)
	}
	if c := p.FunctionCosts(0, nil)[0]; c.Function != "c" || c.Cum != 12 {
		t.Errorf("c: %+v", c)
	}
}

func TestUnsymbolisedFramesCountForTheirCallers(t *testing.T) {
	b := NewBuilder(ValueType{"cpu", "nanoseconds"})
	b.AddFrames([]Frame{{Address: 0x10}, {Function: "main"}}, nil, 5)
	want := []FunctionCost{{"main", "", Cost{Flat: 0, Cum: 5}}}
	if diff := cmp.Diff(want, b.Frames().FunctionCosts(0, nil)); diff != "" {
		t.Errorf("functions (-want +got):\n%s", diff)
	}
}

func TestTypeIndex(t *testing.T) {
	p := NewBuilder(ValueType{"objects", "count"}, ValueType{"space", "bytes"}).Profile()
	p.DefaultType = 1
	for name, want := range map[string]int{"": 1, "objects": 0, "inuse_space": 1, "0": 0} {
		if i, err := p.TypeIndex(name); i != want || err != nil {
			t.Errorf("%q: %d, %v; want %d", name, i, err, want)
		}
	}
	for _, name := range []string{"cpu", "2", "-1"} {
		if _, err := p.TypeIndex(name); err == nil || !strings.Contains(err.Error(), "space") {
			t.Errorf("%q: %v, want an error that lists the types", name, err)
		}
	}
}

// drawn returns a profile of two columns over a few names, so that recursion and
// equal stacks are common.
func drawn(t *rapid.T, name string) *Frames {
	b := NewBuilder(ValueType{"samples", "count"}, ValueType{"cpu", "nanoseconds"})
	p := b.Profile()
	p.Duration = rapid.Int64Range(0, 1000).Draw(t, name+" duration")
	p.TimeNanos = rapid.Int64Range(0, 3).Draw(t, name+" time")
	for range rapid.IntRange(0, 12).Draw(t, name+" samples") {
		var stack []Frame
		for range rapid.IntRange(0, 6).Draw(t, "depth") {
			stack = append(stack, Frame{
				Function: rapid.SampledFrom([]string{"", "a", "b", "c"}).Draw(t, "function"),
				Line:     rapid.IntRange(0, 2).Draw(t, "line"),
				Inlined:  rapid.Bool().Draw(t, "inlined"),
			})
		}
		var labels []Label
		if rapid.Bool().Draw(t, "labelled") {
			labels = []Label{{Key: "k", Str: rapid.SampledFrom([]string{"v", "w"}).Draw(t, "label")}}
		}
		v := rapid.Int64Range(-3, 10)
		b.AddFrames(stack, labels, v.Draw(t, "count"), v.Draw(t, "ns"))
	}
	return b.Frames()
}

// A part and the rest make the whole, and the rest's samples are gone from a part
// that was merged.
func TestOnlyConserves(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawn(t, "p").Profile
		odd := func(i int) bool { return i%2 == 1 }
		a, b := p.Only(odd), p.Only(func(i int) bool { return !odd(i) })
		for column := range p.Types {
			if a.Total(column) != p.Sum(column, odd) || a.Total(column)+b.Total(column) != p.Total(column) {
				t.Fatalf("column %d: %d and %d of %d", column, a.Total(column), b.Total(column), p.Total(column))
			}
		}
		merged, err := Merge(nil, a)
		if err != nil || merged.Len() > p.Len()/2 || merged.Total(1) != a.Total(1) {
			t.Fatalf("%v: %d samples of %d", err, merged.Len(), p.Len())
		}
	})
}

func TestCostsConserve(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawn(t, "p")
		column := rapid.IntRange(0, 1).Draw(t, "column")
		keys := map[string]func(*Frame) string{
			"frame":    func(f *Frame) string { return fmt.Sprint(*f) },
			"function": func(f *Frame) string { return f.Function },
			"one":      func(*Frame) string { return "all" },
		}
		// What no key can hold: samples without frames.
		var rootless int64
		for s := p.Stacks(nil); s.Next(); {
			if len(s.Stack) == 0 {
				rootless += s.Value(column)
			}
		}
		for name, key := range keys {
			costs := p.Costs(column, nil, key)
			var flat int64
			for _, c := range costs {
				flat += c.Flat
			}
			if flat+rootless != p.Total(column) {
				t.Fatalf("by %s: flat adds up to %d, without frames %d, total %d", name, flat, rootless, p.Total(column))
			}
			// Cum by its definition: the samples that hold the key anywhere.
			for k, c := range costs {
				var flat, cum int64
				for s := p.Stacks(nil); s.Next(); {
					for j, f := range s.Stack {
						if j == 0 && key(p.Frame(f)) == k {
							flat += s.Value(column)
						}
					}
					if slices.ContainsFunc(s.Stack, func(f FrameID) bool { return key(p.Frame(f)) == k }) {
						cum += s.Value(column)
					}
				}
				if c != (Cost{flat, cum}) {
					t.Fatalf("by %s, %q: %+v, want flat %d, cum %d", name, k, c, flat, cum)
				}
			}
		}
	})
}

func TestKeepPartitions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawn(t, "p")
		in := rapid.SliceOfN(rapid.Bool(), p.Len(), p.Len()).Draw(t, "in")
		keep := func(i int) bool { return in[i] }
		rest := func(i int) bool { return !in[i] }
		byFunction := func(f *Frame) string { return f.Function }
		whole, a, b := p.Costs(1, nil, byFunction), p.Costs(1, keep, byFunction), p.Costs(1, rest, byFunction)
		sum := maps.Clone(a)
		for k, c := range b {
			sum[k] = Cost{sum[k].Flat + c.Flat, sum[k].Cum + c.Cum}
		}
		maps.DeleteFunc(sum, func(_ string, c Cost) bool { return c == Cost{} })
		if diff := cmp.Diff(whole, sum); diff != "" {
			t.Fatalf("the parts do not add up (-whole +parts):\n%s", diff)
		}
		if p.Sum(1, keep)+p.Sum(1, rest) != p.Total(1) {
			t.Fatal("sums of the parts do not add up")
		}
	})
}

func TestFunctionsOrder(t *testing.T) {
	p := build("b<root", 5, "a<root", 5, "c<d", 3, "e<d", 3, "f", 9)
	var names []string
	for _, f := range p.FunctionCosts(0, nil) {
		names = append(names, f.Function)
	}
	if want := []string{"f", "a", "b", "c", "e", "root", "d"}; !slices.Equal(names, want) {
		t.Errorf("order %v, want %v", names, want)
	}
}

// Two instantiations that stand on one stack are one function there, whose cum
// counts the sample once: a calls m.F[int], which calls m.F[string]. Nothing else
// changes, and the profile itself keeps its names.
func TestNamed(t *testing.T) {
	p := build("m.F[string]<m.F[int]<a", 7, "m.F[int]<a", 5, "b<m.F[string]<a", 3, "a", 1)
	name := func(s string) string {
		s, _, _ = strings.Cut(s, "[")
		return s
	}
	want := []FunctionCost{
		{"m.F", "x.go", Cost{Flat: 7 + 5, Cum: 7 + 5 + 3}},
		{"b", "x.go", Cost{Flat: 3, Cum: 3}},
		{"a", "x.go", Cost{Flat: 1, Cum: 7 + 5 + 3 + 1}},
	}
	named := p.Named(name)
	if diff := cmp.Diff(want, named.FunctionCosts(0, nil)); diff != "" {
		t.Errorf("functions (-want +got):\n%s", diff)
	}
	if got := named.LineCosts(0, nil)[Line{"m.F", "x.go", 0}]; got != (Cost{Flat: 12, Cum: 15}) {
		t.Errorf("the line: %+v", got)
	}
	if got := p.FunctionCosts(0, nil); len(got) != 4 || got[0].Function != "m.F[string]" || got[0].Cost != (Cost{Flat: 7, Cum: 10}) {
		t.Errorf("the profile itself: %+v", got)
	}
}
