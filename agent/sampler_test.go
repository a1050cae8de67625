//go:build go1.26

package agent

import (
	"encoding/json"
	"math"
	"os"
	"runtime"
	"runtime/metrics"
	"testing"
)

// The cost of a row.
func BenchmarkRow(b *testing.B) {
	s := newSampler()
	defer s.close()
	b.ReportAllocs()
	for b.Loop() {
		s.next(1)
	}
}

// A row allocates nothing: ten a second must not be seen in the profile of the
// program's allocations.
func TestRowAllocatesNothing(t *testing.T) {
	s := newSampler()
	defer s.close()
	s.next(0)
	if n := testing.AllocsPerRun(100, func() { s.next(1) }); n > 0 {
		t.Errorf("a row allocates %v times", n)
	}
}

func decode(t *testing.T, line []byte) map[string]*int64 {
	t.Helper()
	row := make(map[string]*int64)
	if err := json.Unmarshal(line, &row); err != nil {
		t.Fatalf("%v: %s", err, line)
	}
	return row
}

// What a row says lies between what runtime.MemStats and the system say before
// and after it.
func TestRowAgreesWithOtherSources(t *testing.T) {
	s := newSampler()
	defer s.close()
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	userBefore, systemBefore, known := cpuTimes()
	row := decode(t, s.next(42))
	userAfter, systemAfter, _ := cpuTimes()
	runtime.ReadMemStats(&after)
	between := func(key string, low, high int64) {
		t.Helper()
		if v := row[key]; v == nil || *v < low || *v > high {
			t.Errorf("%s: %v, and the other source says %d to %d", key, show(v), low, high)
		}
	}
	between("t_ns", 42, 42)
	between("pid", int64(os.Getpid()), int64(os.Getpid()))
	between("goroutines", int64(runtime.NumGoroutine()), int64(runtime.NumGoroutine()))
	between("alloc_bytes", int64(before.TotalAlloc), int64(after.TotalAlloc))
	between("alloc_objects", int64(before.Mallocs), int64(after.Mallocs))
	between("gc_cycles", int64(before.NumGC), int64(after.NumGC))
	between("gc_forced", int64(before.NumForcedGC), int64(after.NumForcedGC))
	between("runtime_bytes", int64(before.Sys), int64(after.Sys))
	between("heap_goal_bytes", int64(before.NextGC), int64(after.NextGC))
	// MemStats counts a span that lies in a cache as full; the row may be less.
	between("heap_live_bytes", 1, int64(after.HeapAlloc))
	between("heap_objects", 1, int64(after.Mallocs-after.Frees))
	between("threads", 1, 10_000)
	if known {
		between("user_cpu_ns", userBefore, userAfter)
		between("system_cpu_ns", systemBefore, systemAfter)
	}
	// The histogram's sum is estimated within an eighth; MemStats is exact, and
	// counts the same pauses.
	if pause := row["gc_pause_ns"]; pause == nil || *pause <= 0 {
		t.Errorf("gc_pause_ns: %v after a collection", show(pause))
	}
}

func show(v *int64) any {
	if v == nil {
		return "unknown"
	}
	return *v
}

// A forced collection, a contended lock and allocations are seen in the
// counters they belong to.
func TestRowSeesWhatHappens(t *testing.T) {
	s := newSampler()
	defer s.close()
	before := decode(t, s.next(0))
	runtime.GC()
	sink = make([]byte, 1<<20)
	after := decode(t, s.next(1))
	if d := *after["gc_forced"] - *before["gc_forced"]; d != 1 {
		t.Errorf("%d forced collections, want 1", d)
	}
	if d := *after["alloc_bytes"] - *before["alloc_bytes"]; d < 1<<20 {
		t.Errorf("%d bytes allocated, want 1 MiB at least", d)
	}
	cpu := *after["gc_cpu_ns"] - *before["gc_cpu_ns"]
	if cpu <= 0 {
		t.Errorf("the collection took %d ns of CPU", cpu)
	}
	if parts := *after["gc_assist_ns"] - *before["gc_assist_ns"] + *after["gc_idle_ns"] - *before["gc_idle_ns"]; parts < 0 || parts > cpu {
		t.Errorf("assists and idle processors took %d ns of %d", parts, cpu)
	}
}

var sink []byte

// A metric this runtime does not have is unknown, also when another one of the
// same key is there.
func TestMissingMetricIsUnknown(t *testing.T) {
	s := newSampler()
	defer s.close()
	for i, src := range runtimeSources {
		if src.name == "/gc/heap/tiny/allocs:objects" || src.key == runnable {
			s.samples[i].Name = "/no/such:thing"
		}
	}
	row := decode(t, s.next(0))
	for _, key := range []string{"alloc_objects", "goroutines_runnable"} {
		if v, there := row[key]; !there || v != nil {
			t.Errorf("%s: %v, want null", key, show(v))
		}
	}
	if row["goroutines"] == nil {
		t.Error("goroutines went with them")
	}
}

// Every name in the table is one that this toolchain has.
func TestNamesAreTheRuntimes(t *testing.T) {
	names := make(map[string]bool)
	for _, d := range metrics.All() {
		names[d.Name] = true
	}
	for _, src := range runtimeSources {
		if !names[src.name] {
			t.Errorf("the runtime has no %s", src.name)
		}
	}
}

func TestSumOf(t *testing.T) {
	inf := math.Inf(1)
	h := &metrics.Float64Histogram{Buckets: []float64{-inf, 0, 1, 3, inf}, Counts: []uint64{2, 4, 3, 5}}
	// 2 of at most 0, 4 around 0.5, 3 around 2, 5 of at least 3.
	if got, want := sumOf(h), 0*2+4*0.5+3*2+5*3.0; got != want {
		t.Errorf("%v, want %v", got, want)
	}
}

// The bound that sumOf's comment states holds for the runtime's own buckets.
func TestSumOfIsWithinItsBound(t *testing.T) {
	samples := []metrics.Sample{{Name: "/sched/latencies:seconds"}}
	metrics.Read(samples)
	b := samples[0].Value.Float64Histogram().Buckets
	for i := 1; i+1 < len(b); i++ {
		low, high := b[i], b[i+1]
		if low < 0 || math.IsInf(high, 1) {
			continue
		}
		if off := (high - low) / 2; off > low/8*1.0001 && off > 64.01e-9 {
			t.Errorf("bucket %g to %g: the middle is off by up to %g", low, high, off)
		}
	}
}

func TestNanoseconds(t *testing.T) {
	for in, want := range map[float64]int64{0: 0, 1.5: 1_500_000_000, -1: 0, math.Inf(1): 1 << 62} {
		if got := nanoseconds(in); got != want {
			t.Errorf("%v s: %d ns, want %d", in, got, want)
		}
	}
	if got := nanoseconds(math.NaN()); got != 0 {
		t.Errorf("NaN: %d", got)
	}
}
