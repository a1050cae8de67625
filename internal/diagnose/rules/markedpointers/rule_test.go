package markedpointers_test

import (
	"math"
	"strings"
	"testing"

	"whet/internal/analyze/hot"
	"whet/internal/callstack"
	"whet/internal/diagnose"
	"whet/internal/diagnose/rules/markedpointers"
	"whet/internal/typed"
	"whet/internal/typed/typedtest"
)

const source = `package x

type node struct {
	name string
	next *node
}

type pair struct{ a, b int }

func (s *store) add(name string, id int) {
	s.nodes[id] = &node{name: name}
	s.pairs[id] = &pair{id, id}
	s.list = append(s.list, make([]int, 4)...)
	s.both(&node{}, new(node))
}

type store struct {
	nodes map[int]*node
	pairs map[int]*pair
	list  []int
}

func (s *store) both(a, b *node) {}
`

type display struct{}

func (display) Text(string) []byte         { return []byte(source) }
func (display) Display(file string) string { return file }

// alive is objects of one size allocated on a line of x.go.
type alive struct {
	line    int
	objects int64
	size    int64
}

// subject returns a program whose collector takes collects of 100 CPU samples.
func subject(t *testing.T, collects int64, list ...alive) *diagnose.Subject {
	t.Helper()
	b := callstack.NewBuilder(callstack.ValueType{Type: "inuse_objects", Unit: "count"}, callstack.ValueType{Type: "inuse_space", Unit: "bytes"})
	heap := &hot.Classified{}
	for _, a := range list {
		b.AddFrames([]callstack.Frame{{Function: "m/x.(*store).add", File: "x.go", Line: a.line}}, nil, a.objects, a.objects*a.size)
		heap.Class = append(heap.Class, hot.Base)
	}
	heap.Frames = b.Frames()
	c := callstack.NewBuilder(callstack.ValueType{Type: "samples", Unit: "count"}, callstack.ValueType{Type: "cpu", Unit: "nanoseconds"})
	c.AddFrames([]callstack.Frame{{Function: "m/x.(*store).add", File: "x.go", Line: 10}}, nil, 100-collects, (100-collects)*1e7)
	c.AddFrames([]callstack.Frame{{Function: "runtime.scanobject"}, {Function: "runtime.gcBgMarkWorker"}}, nil, collects, collects*1e7)
	return &diagnose.Subject{
		Benchmark: "BenchmarkX", Package: "m/x", Module: "m", BytesPerOp: -1, AllocsPerOp: -1, Source: display{},
		CPU:       &hot.Classified{Frames: c.Frames(), Class: []hot.Class{hot.Base, hot.Background}, LoopsKnown: true},
		CPUColumn: 1, Heap: []diagnose.Snapshot{{Classified: heap, Column: 1}},
		Program: program(t),
	}
}

func program(t *testing.T) *typed.Program {
	t.Helper()
	return typedtest.Program(t, typedtest.File{Package: "m/x", Frame: "x.go", Text: source})
}

func TestMarkedPointers(t *testing.T) {
	for _, test := range []struct {
		name     string
		collects int64
		list     []alive
		wait     float64 // 0: silent
	}{
		// 30 of 100 samples, and 400,000 of 500,000 objects: 0.3·0.8.
		{"nodes", 30, []alive{{11, 400_000, 64}, {13, 100_000, 32}}, 0.24},
		{"the collector takes little", 14, []alive{{11, 400_000, 64}}, 0},
		{"few", 30, []alive{{11, 99_999, 64}}, 0},
		{"few of all", 30, []alive{{11, 200_000, 64}, {12, 700_000, 16}}, 0},
		{"large", 30, []alive{{11, 400_000, 513}}, 0},
		{"without pointers", 30, []alive{{12, 400_000, 16}}, 0},
		{"a slice", 30, []alive{{13, 400_000, 32}}, 0},
		{"two of them", 30, []alive{{14, 400_000, 32}}, 0},
	} {
		claims := markedpointers.Rule().Find(subject(t, test.collects, test.list...))
		if test.wait == 0 {
			if len(claims) > 0 {
				t.Errorf("%s: %+v", test.name, claims)
			}
			continue
		}
		if len(claims) != 1 || math.Abs(claims[0].Wait-test.wait) > 1e-12 || claims[0].Place.Line != 11 {
			t.Fatalf("%s: %+v", test.name, claims)
		}
		if why := claims[0].Why; !strings.Contains(why, "takes 30.0 % of the CPU time, and 80.0 % of the objects it marks come from this statement: node, which holds pointers") {
			t.Errorf("%s: %s", test.name, why)
		}
	}
}
