package diagnose

import (
	"fmt"
	"strings"
	"testing"

	"whet/internal/typed/typedtest"
)

// Benchmarks that differ in where their time goes are not mixed: each function is
// named with the benchmark that it holds.
func TestVerdictOfBenchmarksThatDiffer(t *testing.T) {
	of := func(name string, fns ...string) *Subject {
		var samples []sample
		for i, fn := range fns {
			samples = append(samples, sample{stack: []string{"m/x.run", fn}, n: int64(300 - 100*i)})
		}
		return subject(name, cpuProfile(samples...), nil, nil)
	}
	few := subject("BenchmarkFew", cpuProfile(sample{stack: []string{"m/x.rare"}, n: 50}), nil, nil)
	for _, test := range []struct {
		subjects []*Subject
		want     string
	}{
		{[]*Subject{of("BenchmarkA", "m/x.parse", "m/x.rest")}, "CPU-bound in m/x.parse (60.0 % of CPU);"},                                // 300 of 500
		{[]*Subject{of("BenchmarkA", "m/x.parse", "m/x.rest"), of("BenchmarkB", "m/x.parse")}, "CPU-bound in m/x.parse (75.0 % of CPU);"}, // 600 of 800
		{[]*Subject{of("BenchmarkA", "m/x.parse", "m/x.rest"), of("BenchmarkB", "m/x.render")}, "CPU-bound in m/x.parse (60.0 % of BenchmarkA), m/x.render (100.0 % of BenchmarkB);"},
		{[]*Subject{of("BenchmarkC", "m/x.parse"), of("BenchmarkB", "m/x.render"), of("BenchmarkA", "m/x.parse")}, "CPU-bound in m/x.parse (100.0 % of BenchmarkA and 1 more), m/x.render (100.0 % of BenchmarkB);"},
		{[]*Subject{of("BenchmarkA", "m/x.parse", "m/x.rest"), few}, "CPU-bound in m/x.parse (54.5 % of CPU);"}, // too few to be asked: 300 of 550
		{[]*Subject{of("B1", "m/x.a"), of("B2", "m/x.b"), of("B3", "m/x.c"), of("B4", "m/x.d")}, "CPU-bound in m/x.a (100.0 % of B1), m/x.b (100.0 % of B2), m/x.c (100.0 % of B3), in others in 1 benchmark;"},
		{[]*Subject{of("BenchmarkA", "m/tree.(*Tree[go.shape.int]).walk")}, "CPU-bound in m/tree.(*Tree[...]).walk (100.0 % of CPU);"},
	} {
		if got := verdictOf(t, test.subjects...).Text; !strings.HasPrefix(got, test.want) {
			t.Errorf("%q, want %q", got, test.want)
		}
	}
	// One of them is spread: its entry passes on to three, and none has half.
	spread := subject("BenchmarkS", cpuProfile(sample{stack: []string{"m/x.a"}, n: 100}, sample{stack: []string{"m/x.b"}, n: 100}, sample{stack: []string{"m/x.c"}, n: 100}), nil, nil)
	if got := verdictOf(t, of("BenchmarkA", "m/x.parse", "m/x.rest"), spread).Text; !strings.HasPrefix(got, "CPU-bound in m/x.parse (60.0 % of BenchmarkA), spread over many functions in BenchmarkS;") {
		t.Error(got)
	}
}

const adapters = `package x

type handler interface{ serve() }
type handlerFunc func()

func (f handlerFunc) serve() { f() }

func logged(next handler) handlerFunc {
	return func() {
		next.serve()
	}
}

func each(list []int, f func(int)) {
	for _, x := range list {
		f(x)
	}
}

func direct(list []int) {
	for _, x := range list {
		one(x)
	}
}

func one(int) {}
`

// What only calls what it was handed is no bottleneck: that is what it calls, or
// nothing by itself.
func TestAdaptersAreNoBottleneck(t *testing.T) {
	program := typedtest.Program(t, typedtest.File{Package: "m/x", Frame: "/m/x.go", Text: adapters})
	lines := strings.Split(adapters, "\n")
	line := func(with string) int {
		for i, l := range lines {
			if strings.TrimSpace(l) == with || strings.Contains(l, "{ "+with) {
				return i + 1
			}
		}
		t.Fatalf("%q is not in the source", with)
		return 0
	}
	for _, test := range []struct {
		name, fn string
		line     int
		own      int64 // samples in the function itself, beside 300 in those that it calls
		want     string
	}{
		{"callback", "m/x.each", line("f(x)"), 0, "CPU-bound, spread over many functions;"},
		{"method of an interface", "m/x.logged.func1", line("next.serve()"), 0, "CPU-bound, spread over many functions;"},
		{"function type", "m/x.handlerFunc.serve", line("f()"), 0, "CPU-bound, spread over many functions;"},
		{"declared function", "m/x.direct", line("one(x)"), 0, "CPU-bound in m/x.direct (100.0 % of CPU);"},
		{"work of its own", "m/x.each", line("f(x)"), 60, "CPU-bound in m/x.each (100.0 % of CPU);"}, // 300 of 360 are less than nine tenths
	} {
		t.Run(test.name, func(t *testing.T) {
			samples, at := []sample{}, fmt.Sprintf("/m/x.go:%d %s", test.line, test.fn)
			for _, callee := range []string{"m/y.a", "m/y.b", "m/y.c"} {
				samples = append(samples, sample{stack: []string{at, callee}, n: 100})
			}
			if test.own > 0 {
				samples = append(samples, sample{stack: []string{at}, n: test.own})
			}
			s := subject("BenchmarkA", cpuProfile(samples...), nil, nil)
			s.Program = program
			if got := verdictOf(t, s).Text; !strings.HasPrefix(got, test.want) {
				t.Errorf("%q, want %q", got, test.want)
			}
		})
	}
}
