package capture

import (
	"bytes"
	"fmt"
	"math"
	"runtime"
	"runtime/pprof"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"

	"pgregory.net/rapid"
)

// inText returns a profile of this test as net/http/pprof writes it with debug=1.
func inText(t testing.TB, name string) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := pprof.Lookup(name).WriteTo(&b, 1); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// What is read of this Go's own text is what the runtime says by its functions.
func TestHeadsOfThisRuntime(t *testing.T) {
	old := runtime.SetMutexProfileFraction(17)
	defer runtime.SetMutexProfileFraction(old)
	if n, ok := mutexFraction(inText(t, "mutex")); !ok || n != 17 {
		t.Errorf("mutex fraction %d, %v, want 17", n, ok)
	}
	if n, ok := memProfileRate(inText(t, "heap")); !ok || n != int64(runtime.MemProfileRate) {
		t.Errorf("memory profile rate %d, %v, want %d", n, ok, runtime.MemProfileRate)
	}
	before := runtime.NumGoroutine()
	n, ok := goroutineCount(inText(t, "goroutine"))
	if after := runtime.NumGoroutine(); !ok || before == after && n != int64(before) {
		t.Errorf("%d goroutines, %v, want %d to %d", n, ok, before, after)
	}

	runtime.GC()
	var a, b runtime.MemStats
	runtime.ReadMemStats(&a)
	s, ok := parseMemStats(inText(t, "heap"))
	runtime.ReadMemStats(&b)
	if !ok {
		t.Fatal("no memory statistics found")
	}
	for name, bounds := range map[string][2]uint64{
		"TotalAlloc": {a.TotalAlloc, b.TotalAlloc}, "Mallocs": {a.Mallocs, b.Mallocs}, "NumGC": {uint64(a.NumGC), uint64(b.NumGC)},
		"NumForcedGC": {uint64(a.NumForcedGC), uint64(b.NumForcedGC)}, "Sys": {a.Sys, b.Sys},
	} {
		if got, ok := s.numbers[name]; !ok || uint64(got) < bounds[0] || uint64(got) > bounds[1] {
			t.Errorf("%s: %d, %v, want between %d and %d", name, got, ok, bounds[0], bounds[1])
		}
	}
	for _, name := range []string{"HeapAlloc", "HeapObjects", "NextGC", "Stack"} {
		if s.numbers[name] <= 0 {
			t.Errorf("%s: %d", name, s.numbers[name])
		}
	}
	if b.NumGC <= pauseRing {
		var p pauseSum
		if sum, ok := p.add(s.numbers["NumGC"], s.pauses); !ok || uint64(sum) < a.PauseTotalNs || uint64(sum) > b.PauseTotalNs {
			t.Errorf("pauses of %d ns, %v, want between %d and %d", sum, ok, a.PauseTotalNs, b.PauseTotalNs)
		}
	}
}

func TestHeadsNotThere(t *testing.T) {
	for _, text := range []string{"", "\n", "goroutine profile: total 12", "goroutine profile: total \n", "goroutine profile: total -1\n",
		"goroutine profile: total 12x\n", "goroutine profile: total 99999999999999999999\n", "<html>goroutine profile: total 1\n", "heap profile: 1: 2 [3: 4] @ heap\n",
		"--- mutex:\ncycles/second=1\nsampling period=5", "--- contention:\nsampling period=5\n", "--- mutex:\ncycles/second=1\n"} {
		if n, ok := goroutineCount([]byte(text)); ok {
			t.Errorf("%q: %d goroutines", text, n)
		}
		if n, ok := mutexFraction([]byte(text)); ok {
			t.Errorf("%q: mutex fraction %d", text, n)
		}
		if n, ok := memProfileRate([]byte(text)); ok {
			t.Errorf("%q: memory profile rate %d", text, n)
		}
		if s, ok := parseMemStats([]byte(text)); ok {
			t.Errorf("%q: %v", text, s)
		}
	}
	// A number that does not fit, and lines without one, are unknown alone.
	s, ok := parseMemStats([]byte("x\n# runtime.MemStats\n# NumGC = 18446744073709551615\n# Sys = 5\n# PauseNs = [1 2]\n# Odd\nodd = 3\n# Stack = 6 / 7\n# Cut = 8"))
	if !ok || fmt.Sprint(s.numbers) != "map[Stack:6 Sys:5]" || s.pauses != nil {
		t.Errorf("%v, %v", s, ok)
	}
}

// The sum of pauses is exact or unknown, whenever it is asked for.
func TestPauses(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ring := make([]int64, pauseRing)
		var p pauseSum
		var cycles, total int64
		lost := false
		for range rapid.IntRange(1, 6).Draw(t, "questions") {
			fresh := rapid.OneOf(rapid.Int64Range(0, 20), rapid.Int64Range(250, 260)).Draw(t, "collections")
			for range fresh {
				pause := rapid.Int64Range(0, 1000).Draw(t, "pause")
				ring[cycles%pauseRing] = pause
				total += pause
				cycles++
			}
			lost = lost || fresh > 256
			if sum, ok := p.add(cycles, ring); ok == lost || ok && sum != total {
				t.Fatalf("after %d collections %d, %v, want %d, %v", cycles, sum, ok, total, !lost)
			}
		}
		// A new process starts afresh.
		if cycles > 1 {
			if sum, ok := p.add(1, append([]int64{5}, make([]int64, 255)...)); !ok || sum != 5 {
				t.Fatalf("of the new process %d, %v, want 5", sum, ok)
			}
		}
	})
	var p pauseSum
	if _, ok := p.add(2, append([]int64{math.MaxInt64, 1}, make([]int64, 254)...)); ok {
		t.Error("a sum beyond 63 bits is known")
	}
}

func TestTail(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		data := rapid.SliceOfN(rapid.Byte(), 0, 100).Draw(t, "data")
		n := rapid.IntRange(1, 30).Draw(t, "n")
		got, err := tail(iotest.OneByteReader(bytes.NewReader(data)), n)
		if want := data[max(0, len(data)-n):]; err != nil || !bytes.Equal(got, want) {
			t.Fatalf("%v, %v, want %v", got, err, want)
		}
		if got, err := tail(iotest.DataErrReader(bytes.NewReader(data)), n); err != nil || !bytes.Equal(got, data[max(0, len(data)-n):]) {
			t.Fatalf("%v, %v", got, err)
		}
	})
}

// FuzzHeads: what is read of a text is a number that stands in it on the line
// it belongs to, and nothing negative.
func FuzzHeads(f *testing.F) {
	for _, name := range []string{"goroutine", "mutex", "block", "threadcreate"} {
		f.Add(inText(f, name))
	}
	heap := inText(f, "heap")
	f.Add(heap[max(0, len(heap)-memStatsTail):])
	f.Add([]byte("heap profile: 1: 2 [3: 4] @ heap/1048576\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		stands := func(prefix string, n int64) {
			if n < 0 || !slices.ContainsFunc(strings.Split(string(text), "\n"), func(line string) bool {
				rest, found := strings.CutPrefix(line, prefix)
				rest, _, _ = strings.Cut(rest, " / ")
				got, err := strconv.ParseInt(rest, 10, 64)
				return found && err == nil && got == n
			}) {
				t.Errorf("no line is %s%d in %.300q", prefix, n, text)
			}
		}
		if n, ok := goroutineCount(text); ok {
			stands("goroutine profile: total ", n)
		}
		if n, ok := mutexFraction(text); ok {
			stands("sampling period=", n)
		}
		if n, ok := memProfileRate(text); ok {
			if !bytes.Contains(text, fmt.Appendf(nil, " @ heap/%d\n", 2*n)) && !bytes.Contains(text, fmt.Appendf(nil, " @ heap/%d\n", 2*n+1)) && !bytes.Contains(text, []byte(" @ heap/0")) {
				t.Errorf("rate %d of %.300q", n, text)
			}
		}
		s, ok := parseMemStats(text)
		if ok != (len(s.numbers) > 0) {
			t.Errorf("%v with %v", ok, s)
		}
		for name, n := range s.numbers {
			stands("# "+name+" = ", n)
		}
		if s.pauses != nil && len(s.pauses) != pauseRing {
			t.Errorf("%d pauses", len(s.pauses))
		}
		for _, p := range s.pauses {
			if p < 0 {
				t.Errorf("pause of %d", p)
			}
		}
	})
}
