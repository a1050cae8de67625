package sched

import (
	"math"
	"slices"
	"testing"
)

// TestCourses: 64 steps of 1,024 ns reach to 65,536 ns, and beyond that steps are twice as long.
func TestCourses(t *testing.T) {
	c := newCourses(100)
	c.ran(0, 100, 100+1024+24) // one step and a bit
	c.ran(0, 100+3*1024, 100+4*1024)
	c.ran(1, 100+65536-10, 100+65536+10)
	if c.stepNs != 2048 {
		t.Fatalf("steps of %d ns", c.stepNs)
	}
	if got := c.course(0, 4096); !slices.Equal(got, []int64{1024 + 24, 1024}) {
		t.Errorf("processor 0: %v", got)
	}
	if got := c.course(1, 65546); len(got) != 33 || got[31] != 10 || got[32] != 10 {
		t.Errorf("processor 1: %v", got)
	}
	if got := c.course(2, 4097); len(got) != 3 || got[0] != 0 {
		t.Errorf("one that never ran: %v", got)
	}
}

// TestCoursesEnd: times of a damaged trace go up to the last that there is, and nothing
// of them is lost.
func TestCoursesEnd(t *testing.T) {
	c := newCourses(0)
	c.ran(0, 10, 20)
	c.ran(0, math.MaxInt64-1000, math.MaxInt64)
	if got := c.course(0, math.MaxInt64-c.stepNs); got[0] != 10 || c.of[0][maxSteps-1] != 1000 {
		t.Errorf("%v", c.of[0])
	}
}

// TestSlowest: the tasks' slowest are those that a look at all of them finds.
func TestSlowest(t *testing.T) {
	var s Span
	for _, ns := range []int64{5, 9, 2, 9, 7} {
		o := Instance{Task: uint64(ns), Ns: ns}
		o.In[Sleep] = ns
		s.add(&o)
	}
	var got []int64
	for _, o := range s.Slowest {
		got = append(got, o.Ns)
	}
	if !slices.Equal(got, []int64{9, 9, 7}) || s.InNs != 32 || s.In[Sleep] != 32 || s.SlowestID != 9 {
		t.Errorf("%v, %+v", got, s.In)
	}
	r := analyzePlanted(t)
	for _, s := range append(slices.Clone(r.Tasks), r.Regions...) {
		for _, o := range s.Slowest {
			if total(&o.In) != o.Ns || s.Type != "spin" && o.In[Sleep] < 1e6 {
				t.Errorf("%s of %d ns did %v", s.Type, o.Ns, o.In)
			}
		}
	}
	i := slices.IndexFunc(r.Kinds, func(k Kind) bool { return k.Start == "main.leak" })
	if i < 0 || r.Kinds[i].LongestWait == nil || r.Kinds[i].LongestWait.State != Channel || r.Kinds[i].LongestWait.Stack[Leaf(r.Kinds[i].LongestWait.Stack)].Function != "main.leak" {
		t.Errorf("the longest wait of a leak: %+v", r.Kinds)
	}
}
