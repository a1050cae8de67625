package metrics_test

import (
	"bytes"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"whet/agent"
	"whet/internal/callstack"
	"whet/internal/format/metrics"
	"whet/internal/format/profile"
	"whet/internal/recording"
)

// What a program with the agent records is what whet's own readers find in it:
// planted work, a planted lock, a planted collection, planted goroutines, each
// at its place and the last two at their time.
func TestAgentsRecording(t *testing.T) {
	if testing.Short() {
		t.Skip("works through large inputs")
	}
	path := filepath.Join(t.TempDir(), "run.whet")
	var mu sync.Mutex
	begin := time.Now()
	a := agent.Start(agent.Config{Record: path, MutexFraction: 1, BlockRate: 1})
	started := time.Since(begin)
	spend(200 * time.Millisecond)
	waitForLock(&mu)
	gcFrom := time.Since(begin)
	runtime.GC()
	gcTo := time.Since(begin)
	release := leak(50)
	spend(250 * time.Millisecond) // two rows at least
	a.Stop()
	close(release)
	for _, w := range a.Warnings() {
		if !strings.HasPrefix(w, "the program had allocated ") { // what the tests before this one did
			t.Errorf("warning %q", w)
		}
	}

	rec, err := recording.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer rec.Close()
	read := func(kind string) []byte {
		t.Helper()
		list := rec.Find(kind, "")
		if len(list) != 1 {
			t.Fatalf("%d artifacts of kind %s", len(list), kind)
		}
		data, err := rec.Read(list[0])
		if err != nil {
			t.Fatal(err)
		}
		return data
	}

	for kind, want := range map[string]struct{ function, column string }{
		recording.KindCPU:       {"metrics_test.spend", "cpu"},
		recording.KindMutex:     {"metrics_test.hold", "delay"}, // charged to the Unlock
		recording.KindBlock:     {"metrics_test.waitForLock", "delay"},
		recording.KindAllocs:    {"metrics_test.leak", "alloc_space"},
		recording.KindGoroutine: {"metrics_test.leak.func1", "goroutine"},
	} {
		p, err := profile.ReadFrames(read(kind), profile.DefaultLimits())
		if err != nil {
			t.Fatalf("%s: %v", kind, err)
		}
		if cum := cumOf(p, want.function, want.column); cum <= 0 {
			t.Errorf("%s: %s has no %s", kind, want.function, want.column)
		} else if kind == recording.KindGoroutine && cum != 50 {
			t.Errorf("%d goroutines of the leak, want 50", cum)
		} else if kind == recording.KindBlock && cum < int64(15*time.Millisecond) {
			t.Errorf("the lock was waited for 20 ms, and the profile has %v", time.Duration(cum))
		}
	}

	rows, warnings, err := metrics.Read(read(recording.KindMetrics), 1000)
	if err != nil || len(warnings) > 0 || len(rows) < 3 {
		t.Fatalf("%d rows, warnings %q, error %v", len(rows), warnings, err)
	}
	first, last := rows[0], rows[len(rows)-1]
	if d := *last.GCForced - *first.GCForced; d != 1 {
		t.Errorf("%d forced collections, want 1", d)
	}
	// Both clocks begin within Start, and a row is late where the machine is busy.
	slack := int64(started + 100*time.Millisecond)
	for i := 1; i < len(rows); i++ {
		if *rows[i].GCForced > *rows[i-1].GCForced {
			if rows[i].TimeNs < int64(gcFrom)-slack || rows[i-1].TimeNs > int64(gcTo)+slack {
				t.Errorf("the collection ran from %v to %v, and the rows have it between %v and %v",
					gcFrom, gcTo, time.Duration(rows[i-1].TimeNs), time.Duration(rows[i].TimeNs))
			}
		}
	}
	if d := *last.Goroutines - *first.Goroutines; d < 45 || d > 60 {
		t.Errorf("%d goroutines more than at the start, and 50 leak", d)
	}
	for i := range rows {
		if rows[i].AllocBytes == nil || rows[i].UserCPUNs == nil && runtime.GOOS != "js" || rows[i].PID == 0 {
			t.Errorf("row %d: %+v", i, rows[i])
		}
	}
}

func cumOf(p *callstack.Frames, suffix, column string) int64 {
	col, err := p.TypeIndex(column)
	if err != nil {
		return 0
	}
	var sum int64
	for s := p.Stacks(nil); s.Next(); {
		for _, id := range s.Stack {
			if strings.HasSuffix(p.Frame(id).Function, suffix) {
				sum += s.Value(col)
				break
			}
		}
	}
	return sum
}

//go:noinline
func spend(d time.Duration) int {
	n := 0
	for begin := time.Now(); time.Since(begin) < d; {
		for i := range 10_000 {
			n += i ^ n
		}
	}
	return n
}

// waitForLock waits at least 20 ms for a lock that hold holds: they begin when
// the runtime says that it waits, as on a busy machine it may be long until then.
//
//go:noinline
func waitForLock(mu *sync.Mutex) {
	held, done := make(chan struct{}), make(chan struct{})
	go hold(mu, held, done)
	<-held
	mu.Lock()
	defer mu.Unlock()
	<-done
}

//go:noinline
func hold(mu *sync.Mutex, held, done chan struct{}) {
	defer close(done)
	mu.Lock()
	close(held)
	dump := make([]byte, 1<<20)
	for !waits(dump[:runtime.Stack(dump, true)], "waitForLock") {
		runtime.Gosched()
	}
	spend(20 * time.Millisecond)
	mu.Unlock()
}

// waits reports whether the function is in a stack of the dump that waits for a mutex.
func waits(dump []byte, function string) bool {
	for stack := range bytes.SplitSeq(dump, []byte("\n\n")) {
		head, _, _ := bytes.Cut(stack, []byte("\n"))
		if bytes.Contains(head, []byte("[sync.Mutex.Lock")) && bytes.Contains(stack, []byte(function)) {
			return true
		}
	}
	return false
}

//go:noinline
func leak(n int) (release chan struct{}) {
	release = make(chan struct{})
	kept := make([][]byte, n)
	for i := range n {
		kept[i] = make([]byte, 64<<10)
		go func() {
			<-release
			runtime.KeepAlive(kept)
		}()
	}
	return release
}
