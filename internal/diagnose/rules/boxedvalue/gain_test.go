package boxedvalue_test

import (
	"container/heap"
	"sync"
	"testing"
)

// What the remedies gain: go test -bench . ./internal/diagnose/rules/boxedvalue.

type job struct{ at, id int }

type jobs []job

func (j jobs) Len() int           { return len(j) }
func (j jobs) Less(a, b int) bool { return j[a].at < j[b].at }
func (j jobs) Swap(a, b int)      { j[a], j[b] = j[b], j[a] }
func (j *jobs) Push(x any)        { *j = append(*j, x.(job)) }
func (j *jobs) Pop() any {
	last := (*j)[len(*j)-1]
	*j = (*j)[:len(*j)-1]
	return last
}

// push and pop are those of container/heap on the type itself.
func (j *jobs) push(x job) {
	h := append(*j, x)
	*j = h
	for i := len(h) - 1; i > 0; {
		up := (i - 1) / 2
		if h[up].at <= h[i].at {
			return
		}
		h[up], h[i] = h[i], h[up]
		i = up
	}
}

func (j *jobs) pop() job {
	h := *j
	first, n := h[0], len(h)-1
	h[0], h = h[n], h[:n]
	*j = h
	for i := 0; 2*i+1 < n; {
		down := 2*i + 1
		if down+1 < n && h[down+1].at < h[down].at {
			down++
		}
		if h[i].at <= h[down].at {
			break
		}
		h[i], h[down] = h[down], h[i]
		i = down
	}
	return first
}

// Both heaps give the same order, and the one of its type allocates nothing.
func TestHeaps(t *testing.T) {
	boxed, typed := make(jobs, 0, 128), make(jobs, 0, 128)
	fill := func(j *jobs, push func(*jobs, job)) {
		for i := range 100 {
			push(j, job{at: i * 7919 % 101, id: i})
		}
	}
	fill(&boxed, func(j *jobs, x job) { heap.Push(j, x) })
	fill(&typed, (*jobs).push)
	for range 100 {
		if a, b := heap.Pop(&boxed).(job), typed.pop(); a != b {
			t.Fatalf("%v, %v", a, b)
		}
	}
	if n := testing.AllocsPerRun(100, func() { typed.push(job{1, 2}); typed.pop() }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkHeap(b *testing.B) {
	j, i := make(jobs, 0, 128), 0
	for b.Loop() {
		i++
		heap.Push(&j, job{i * 7919 % 101, i})
		if len(j) > 100 {
			heap.Pop(&j)
		}
	}
}

func BenchmarkHeapOfType(b *testing.B) {
	j, i := make(jobs, 0, 128), 0
	for b.Loop() {
		i++
		j.push(job{i * 7919 % 101, i})
		if len(j) > 100 {
			j.pop()
		}
	}
}

func BenchmarkPool(b *testing.B) {
	pool := sync.Pool{New: func() any { return make([]byte, 64) }}
	for b.Loop() {
		buf := pool.Get().([]byte)
		buf[0]++
		//lint:ignore SA6002 the block is what is measured
		pool.Put(buf)
	}
}

func BenchmarkPoolOfPointers(b *testing.B) {
	pool := sync.Pool{New: func() any { buf := make([]byte, 64); return &buf }}
	for b.Loop() {
		buf := pool.Get().(*[]byte)
		(*buf)[0]++
		pool.Put(buf)
	}
}
