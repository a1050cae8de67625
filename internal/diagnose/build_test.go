package diagnose

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"whet/internal/analyze/hot"
	"whet/internal/callstack"
)

// In these tests one CPU sample is 10 ms, and a stack is written root first.
const period = 10_000_000

type sample struct {
	stack []string // function names; "file.go:12 pkg.F" puts one on a line
	n     int64    // samples, bytes or nanoseconds of delay
	class hot.Class
	size  int64 // block size of an allocation
}

func cpuProfile(samples ...sample) *hot.Classified {
	b := callstack.NewBuilder(callstack.ValueType{Type: "samples", Unit: "count"}, callstack.ValueType{Type: "cpu", Unit: "nanoseconds"})
	b.Profile().Period = period
	c := &hot.Classified{LoopsKnown: true}
	for _, s := range samples {
		b.AddFrames(stackOf(s.stack), nil, s.n, s.n*period)
		c.Class = append(c.Class, s.class)
	}
	c.Frames = b.Frames()
	return c
}

// allocProfile has n objects of size bytes for each sample.
func allocProfile(samples ...sample) *hot.Classified {
	b := callstack.NewBuilder(callstack.ValueType{Type: "alloc_objects", Unit: "count"}, callstack.ValueType{Type: "alloc_space", Unit: "bytes"})
	c := &hot.Classified{LoopsKnown: true}
	for _, s := range samples {
		size := max(s.size, 1)
		b.AddFrames(stackOf(s.stack), []callstack.Label{{Key: "bytes", Num: size, Unit: "bytes"}}, s.n, s.n*size)
		c.Class = append(c.Class, s.class)
	}
	c.Frames = b.Frames()
	return c
}

// mutexProfile has the delays n, each of as many waits as size says, of 100
// where it says nothing.
func mutexProfile(samples ...sample) *hot.Classified {
	b := callstack.NewBuilder(callstack.ValueType{Type: "contentions", Unit: "count"}, callstack.ValueType{Type: "delay", Unit: "nanoseconds"})
	c := &hot.Classified{LoopsKnown: true}
	for _, s := range samples {
		b.AddFrames(stackOf(s.stack), nil, cmp.Or(s.size, 100), s.n)
		c.Class = append(c.Class, s.class)
	}
	c.Frames = b.Frames()
	return c
}

func stackOf(names []string) (leafFirst []callstack.Frame) {
	for i := len(names) - 1; i >= 0; i-- {
		f := callstack.Frame{Function: names[i], File: "/m/x.go", Line: 1}
		if at, fn, ok := strings.Cut(names[i], " "); ok {
			file, line, _ := strings.Cut(at, ":")
			f.Function, f.File = fn, file
			f.Line, _ = strconv.Atoi(line)
		}
		leafFirst = append(leafFirst, f)
	}
	return leafFirst
}

// through selects the samples that pass a function.
func through(c *hot.Classified, fn string) Keep {
	if c == nil {
		return nil
	}
	var set Set
	for s := c.Stacks(nil); s.Next(); {
		if slices.ContainsFunc(s.Stack, func(id callstack.FrameID) bool { return c.Frame(id).Function == fn }) {
			set.Add(s.Index())
		}
	}
	return set.Has
}

var doc = Doc{What: "a", Why: "b", Silent: "c", Fix: "d", Before: "e", After: "f"}

// ruleFor claims one function at one place.
func ruleFor(id, fn string, minimum int) Rule {
	return Rule{
		ID: id, Title: id, Doc: doc, MinSamples: minimum,
		Evidence: []EvidenceKind{EvidenceCPU, EvidenceAllocs, EvidenceMutex},
		Find: func(s *Subject) []Claim {
			return []Claim{{
				Place: Location{Function: fn, File: "/m/x.go", Line: 7, EndLine: 7},
				Cost:  Samples{CPU: through(s.CPU, fn), Allocs: through(s.Allocs, fn), Mutex: through(s.Mutex, fn)},
			}}
		},
	}
}

func registryOf(t *testing.T, rules ...Rule) *Registry {
	t.Helper()
	reg, err := NewRegistry(rules...)
	if err != nil {
		t.Fatal(err)
	}
	return reg
}

// subject fills the columns in.
func subject(name string, cpu, allocs, mutex *hot.Classified) *Subject {
	return &Subject{
		Benchmark: name, Package: "m/x", Module: "m", Modules: []string{"m"},
		CPU: cpu, CPUColumn: 1, Allocs: allocs, AllocCol: 1, Mutex: mutex, MutexCol: 1,
		BytesPerOp: -1, AllocsPerOp: -1,
	}
}
