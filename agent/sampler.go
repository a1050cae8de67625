//go:build go1.26

package agent

import (
	"math"
	"os"
	"runtime"
	"runtime/metrics"
	"strconv"
)

// The keys of a row. Readers of rows define their meaning; a key without a value is
// null.
const (
	goroutines = iota
	runnable
	threads
	heapLive
	heapGoal
	heapObjects
	stacks
	runtimeBytes
	rss
	peakRSS
	allocBytes
	allocObjects
	gcCycles
	gcForced
	gcPause
	gcCPU
	gcAssist
	gcIdle
	mutexWait
	schedWait
	userCPU
	systemCPU
	throttled
	diskRead
	diskWrite
	numKeys
)

var keyNames = [numKeys]string{
	"goroutines", "goroutines_runnable", "threads",
	"heap_live_bytes", "heap_goal_bytes", "heap_objects", "stack_bytes", "runtime_bytes", "rss_bytes", "peak_rss_bytes",
	"alloc_bytes", "alloc_objects", "gc_cycles", "gc_forced", "gc_pause_ns", "gc_cpu_ns", "gc_assist_ns", "gc_idle_ns",
	"mutex_wait_ns", "sched_wait_ns", "user_cpu_ns", "system_cpu_ns", "throttled_ns",
	"disk_read_bytes", "disk_write_bytes",
}

// runtimeSources are the runtime's names. Values of one key add up, and the key
// is unknown if one of them is. Times in seconds become nanoseconds, and so
// does the sum of a histogram of times.
var runtimeSources = [...]struct {
	key  int
	name string
}{
	{runnable, "/sched/goroutines/runnable:goroutines"},
	{threads, "/sched/threads/total:threads"},
	{heapLive, "/memory/classes/heap/objects:bytes"},
	{heapGoal, "/gc/heap/goal:bytes"},
	{heapObjects, "/gc/heap/objects:objects"},
	{stacks, "/memory/classes/heap/stacks:bytes"},
	{runtimeBytes, "/memory/classes/total:bytes"},
	{allocBytes, "/gc/heap/allocs:bytes"},
	// The first leaves out tiny objects that share a block; benchmarks count them.
	{allocObjects, "/gc/heap/allocs:objects"},
	{allocObjects, "/gc/heap/tiny/allocs:objects"},
	{gcCycles, "/gc/cycles/total:gc-cycles"},
	{gcForced, "/gc/cycles/forced:gc-cycles"},
	{gcPause, "/sched/pauses/total/gc:seconds"},
	{gcCPU, "/cpu/classes/gc/total:cpu-seconds"},
	{gcAssist, "/cpu/classes/gc/mark/assist:cpu-seconds"},
	{gcIdle, "/cpu/classes/gc/mark/idle:cpu-seconds"},
	{mutexWait, "/sync/mutex/wait/total:seconds"},
	{schedWait, "/sched/latencies:seconds"},
}

// row is a row: value and whether it is known.
type row struct {
	value [numKeys]int64
	known [numKeys]bool
}

func (r *row) set(key int, v int64) { r.value[key], r.known[key] = v, true }

// sampler reads rows. It keeps its buffers and the files it reads open, so that
// a row allocates next to nothing. It is not safe for concurrent use.
type sampler struct {
	samples []metrics.Sample
	row     row
	line    []byte
	pid     int64
	process process
}

func newSampler() *sampler {
	s := &sampler{samples: make([]metrics.Sample, len(runtimeSources)), pid: int64(os.Getpid())}
	for i, src := range runtimeSources {
		s.samples[i].Name = src.name
	}
	s.process.open()
	return s
}

func (s *sampler) close() { s.process.close() }

// next returns a row as a line of JSON, valid until the next call.
func (s *sampler) next(now int64) []byte {
	s.read()
	b := append(s.line[:0], `{"t_ns":`...)
	b = strconv.AppendInt(b, now, 10)
	b = append(b, `,"pid":`...)
	b = strconv.AppendInt(b, s.pid, 10)
	for i, name := range keyNames {
		b = append(b, `,"`...)
		b = append(b, name...)
		b = append(b, `":`...)
		if s.row.known[i] {
			b = strconv.AppendInt(b, s.row.value[i], 10)
		} else {
			b = append(b, "null"...)
		}
	}
	s.line = append(b, "}\n"...)
	return s.line
}

func (s *sampler) read() {
	s.row = row{}
	metrics.Read(s.samples)
	var missing [numKeys]bool
	for i := range runtimeSources {
		key := runtimeSources[i].key
		if v, ok := number(s.samples[i].Value); ok {
			s.row.set(key, s.row.value[key]+v)
		} else {
			missing[key] = true
		}
	}
	for key, gone := range missing {
		if gone {
			s.row.value[key], s.row.known[key] = 0, false
		}
	}
	// The runtime's metric of the same name counts its own goroutines too.
	s.row.set(goroutines, int64(runtime.NumGoroutine()))
	if user, system, ok := cpuTimes(); ok {
		s.row.set(userCPU, user)
		s.row.set(systemCPU, system)
	}
	s.process.read(&s.row)
}

// number returns a metric as a count, bytes or nanoseconds; a metric that this
// runtime does not have is not ok.
func number(v metrics.Value) (int64, bool) {
	switch v.Kind() {
	case metrics.KindUint64:
		return int64(min(v.Uint64(), math.MaxInt64)), true
	case metrics.KindFloat64:
		return nanoseconds(v.Float64()), true
	case metrics.KindFloat64Histogram:
		return nanoseconds(sumOf(v.Float64Histogram())), true
	}
	return 0, false
}

func nanoseconds(seconds float64) int64 {
	ns := seconds * 1e9
	if !(ns > 0) {
		return 0
	}
	return int64(min(ns, 1<<62))
}

// sumOf estimates the sum of what a histogram counted: each value is taken for
// the middle of its bucket, or for the finite side of one without an end. The
// runtime's buckets of times are 128 ns wide up to 512 ns, and then at most a
// quarter of their lower side, so each value is off by 64 ns or an eighth.
func sumOf(h *metrics.Float64Histogram) float64 {
	sum := 0.0
	for i, n := range h.Counts {
		if n == 0 {
			continue
		}
		low, high := h.Buckets[i], h.Buckets[i+1]
		switch {
		case math.IsInf(low, -1):
			low = high
		case math.IsInf(high, 1):
			high = low
		}
		sum += float64(n) * (low + high) / 2
	}
	return sum
}
