package trace

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"whet/internal/analyze/sched"
	"whet/internal/callstack"
	"whet/internal/report/page"
)

// second returns a trace of 1 s on two processors, in which nothing stands out.
func second() *sched.Result {
	r := &sched.Result{SpanNs: 1e9, GOMAXPROCS: 2, BusyNs: []int64{1e8, 2e8, 7e8}}
	r.GoVersion = "1.26"
	r.Goroutines.Ns[sched.Running] = 16e8
	return r
}

func frame(function string, line int) *callstack.Frame {
	return &callstack.Frame{Function: function, File: "/src/cache.go", Line: line}
}

func TestConclusions(t *testing.T) {
	lock := sched.Wait{State: sched.Sync, By: "sync.(*Mutex).Lock", Place: frame("m.get", 88), Count: 900, Ns: 24e9, LongestNs: 3e7, IdleNs: 61e8 * 4}
	for _, test := range []struct {
		name   string
		change func(r *sched.Result)
		want   []string // one of the conclusions has all of these
	}{
		{"nothing", func(*sched.Result) {}, []string{"No conclusion"}},
		{"idle, and a lock", func(r *sched.Result) {
			r.BusyNs = []int64{61e7, 39e7}
			lock := lock
			lock.IdleNs = 61e7 * 40
			r.Waits = []sched.Wait{{State: sched.Network, Place: frame("m.read", 5), Ns: 99e9, IdleNs: 61e7 * 50}, lock}
			r.Edges = []sched.Edge{{Waker: frame("m.put", 95), Waiter: frame("m.get", 88), Count: 900, DelayNs: 24e9}}
		}, []string{"61.0 %", "40 goroutines wait at m.get cache.go:88", "m.put cache.go:95 ends"}},
		// Sleeps at two lines end half of it and two fifths; of the rest nothing is known.
		{"idle, for sleeps", func(r *sched.Result) {
			r.BusyNs = []int64{5e8, 5e8}
			r.Waits = []sched.Wait{{State: sched.Sleep, Place: frame("m.poll", 7), Count: 50, Ns: 3e8, EndsIdleNs: 25e7}, {State: sched.Sleep, Place: frame("m.tick", 8), Count: 40, Ns: 2e8, EndsIdleNs: 2e8}}
		}, []string{"50.0 % of the span", "after a sleep (90.0 % of the idle time, the most at m.poll cache.go:7)"}},
		{"workers wait for work", func(r *sched.Result) {
			r.Waits = []sched.Wait{{State: sched.Sync, By: "sync.(*Cond).Wait", Place: frame("m.work", 7), Count: 900, Ns: 24e9}, {State: sched.Sync, By: "sync.(*WaitGroup).Wait", Place: frame("m.join", 8), Count: 9, Ns: 24e9}}
		}, []string{"No conclusion"}},
		{"one part is not parallel", func(r *sched.Result) { r.Kinds = []sched.Kind{{Start: "main.main", Count: 1, AloneNs: 3e8}} }, []string{"30.0 % of the span", "started by main.main runs, on one of 2"}},
		{"one processor is alone for the collector", func(r *sched.Result) {
			r.Kinds = []sched.Kind{{Start: "runtime.gcBgMarkWorker", Count: 2, AloneNs: 3e8}}
		}, []string{"No conclusion"}},
		{"one request at a time is all there is", func(r *sched.Result) {
			r.BusyNs = []int64{18e7, 82e7}
			r.Kinds = []sched.Kind{{Start: "net/http.(*conn).serve", Count: 200, AloneNs: 3e8}}
		}, []string{"No conclusion"}},
		{"the collector is waited for", func(r *sched.Result) { r.Goroutines.Ns[sched.Collector] = 2e8 }, []string{"200 ms for the garbage collector"}},
		{"idle for nothing", func(r *sched.Result) { r.BusyNs = []int64{5e8, 5e8} }, []string{"there is no work"}},
		{"one goroutine of an idle program", func(r *sched.Result) { r.BusyNs, r.Chosen = []int64{1e9}, []int64{7} }, []string{"No conclusion"}},
		// 24 s is more than 5 % of two processors' second.
		{"a lock", func(r *sched.Result) { r.Waits = []sched.Wait{lock} }, []string{"900 times", "m.get cache.go:88", "24.0 s", "30.0 ms"}},
		{"a leak", func(r *sched.Result) {
			r.Waits = []sched.Wait{{State: sched.Channel, Place: frame("m.leak", 7), Waiting: 12, Forever: 12, Ns: 1e9}}
		}, []string{"12 goroutines", "m.leak cache.go:7", "leaked"}},
		{"a full house", func(r *sched.Result) {
			r.Goroutines.Ns[sched.Runnable] = 8e8
			for range 100 {
				r.Latency.Record(8e6)
			}
		}, []string{"waited 800 ms for a processor", "1.60 s running", "waited 8.00 ms or longer."}},
		{"a machine with other work", func(r *sched.Result) {
			r.Goroutines.Ns[sched.Runnable], r.ReadyIdleNs = 8e8, 6e8
			r.Latency.Record(8e6)
		}, []string{"for 75.0 % of it a processor was idle"}},
		{"the collector", func(r *sched.Result) { r.GC.Cycles, r.GC.MarkNs, r.GC.AssistRan = 30, 4e8, 2e8 }, []string{"40.0 %", "30 cycles", "200 ms"}},
		{"the world", func(r *sched.Result) { r.GC.Pauses = []sched.Pause{{Reason: "x", Count: 2, Ns: 3e7, MostNs: 2e7}} }, []string{"3.0 %", "20.0 ms"}},
		{"assists", func(r *sched.Result) {
			r.MMU = []sched.Utilization{{WindowNs: 1e6}, {WindowNs: 1e7, Ratio: 0.15, Worst: []sched.Moment{{AtNs: 3e8, Ratio: 0.15}}}, {WindowNs: 1e8, Ratio: 0.5}}
		}, []string{"10 ms from 300 ms", "15.0 %"}},
		// 30 ms of 40 are the first step's.
		{"a path", func(r *sched.Result) {
			r.Task = &sched.Task{ID: 7}
			r.Path = []sched.Step{{Start: "m.hold", State: sched.Sleep, Place: frame("m.hold", 9), Ns: 3e7}, {Start: "m.get", State: sched.Running, Ns: 1e7}}
		}, []string{"75.0 %", "task 7", "40.0 ms", "sleep at m.hold cache.go:9", "started by m.hold"}},
		{"a spinner", func(r *sched.Result) {
			k := sched.Kind{Start: "m.spin", Count: 1}
			k.Ns[sched.Running] = 98e7
			r.Kinds = []sched.Kind{k}
		}, []string{"m.spin", "98.0 %"}},
	} {
		r := second()
		test.change(r)
		found := false
		for _, c := range Conclusions(r) {
			all := true
			for _, part := range test.want {
				all = all && strings.Contains(strings.ReplaceAll(c, "\u00a0", " "), part)
			}
			found = found || all
		}
		if !found {
			t.Errorf("%s: %q, want %q", test.name, Conclusions(r), test.want)
		}
	}
}

// TestHostile: what stands in a trace is not obeyed by a terminal.
func TestHostile(t *testing.T) {
	r := second()
	evil := "m.\x1b[31mevil\n"
	r.Waits = []sched.Wait{{State: sched.Sync, By: evil, Place: frame(evil, 1), Count: 3, Ns: 9e9, LongestNs: 4e9}}
	r.Edges = []sched.Edge{{Waker: frame(evil, 2), Waiter: frame(evil, 1), Count: 3, DelayNs: 9e9}}
	r.Kinds = []sched.Kind{{Start: evil, Count: 1}}
	r.Kinds[0].Ns[sched.Running] = 99e7
	r.Tasks = []sched.Span{{Type: evil, Count: 0, Unfinished: 1}}
	r.GC.Pauses = []sched.Pause{{Reason: evil, Count: 1, Ns: 1, MostNs: 1}}
	r.Worst = []sched.Delay{{Goroutine: 1, Start: evil, ToNs: 5}}
	r.Worst[0].Ran = []sched.RunTime{{Start: evil, Ns: 1}}
	r.Task = &sched.Task{ID: 1, Type: evil, Logs: []sched.Log{{Category: evil, Text: evil}}}
	r.Path = []sched.Step{{Start: evil, State: sched.Running, Place: frame(evil, 3), Ns: 1}}
	r.Latency.Record(5)
	p := &Page{Name: evil, Result: r}
	var text, doc bytes.Buffer
	if err := WriteText(&text, p, page.TextOptions{}); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(text.String(), "\x1b") || strings.Contains(text.String(), "evil\n\n") {
		t.Errorf("escapes reach the terminal: %q", text.String())
	}
	if err := WriteJSON(&doc, p); err != nil || !json.Valid(doc.Bytes()) || strings.Contains(doc.String(), "\x1b") {
		t.Errorf("%v: %s", err, doc.String())
	}
}

// TestConclusionsEscape: what a trace calls its locks and its pauses is text of anybody's.
func TestConclusionsEscape(t *testing.T) {
	r := second()
	r.GC.Pauses = []sched.Pause{{Reason: "x\x1b[31m", Count: 2, Ns: 3e7, MostNs: 2e7}}
	r.Waits = []sched.Wait{{State: sched.Sync, By: "sync.(*Map).\x1b[31m", Place: frame("m.get", 88), Count: 900, Ns: 24e9, LongestNs: 3e7}}
	all := strings.Join(Conclusions(r), "\n")
	if !strings.Contains(all, "sync.(*Map).") || !strings.Contains(all, "for x") || strings.Contains(all, "\x1b") {
		t.Errorf("%q", all)
	}
}
