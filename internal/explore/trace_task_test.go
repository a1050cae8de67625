package explore

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime/trace"
	"strings"
	"sync"
	"testing"

	"whet/internal/analyze/sched"
	"whet/internal/callstack"
	"whet/internal/format/exectrace"
	"whet/internal/format/profile"
)

// taskTrace is of tasks: five of the type alone, each of one goroutine that waits for
// another; one of the type shared that a second goroutine works for too, and with a task
// below it; and one that does not end.
var taskTrace = sync.OnceValues(func() ([]byte, error) {
	var b bytes.Buffer
	if err := trace.Start(&b); err != nil {
		return nil, err
	}
	defer trace.Stop()
	answer := func(asked, answered chan int) {
		for n := range asked {
			answered <- n
		}
		close(answered)
	}
	var all sync.WaitGroup
	for range 5 {
		all.Go(func() {
			asked, answered := make(chan int), make(chan int)
			go answer(asked, answered)
			_, task := trace.NewTask(context.Background(), "alone")
			for i := range 100 {
				asked <- i
				<-answered
			}
			task.End()
			close(asked)
			<-answered
		})
	}
	all.Wait()
	ctx, task := trace.NewTask(context.Background(), "shared")
	begun, done := make(chan int), make(chan int)
	go func() {
		begun <- 1
		trace.Log(ctx, "second", "works for it")
		<-begun
		close(done)
	}()
	<-begun
	_, below := trace.NewTask(ctx, "below")
	begun <- 1
	<-done
	below.End()
	task.End()
	all.Go(func() { trace.NewTask(context.Background(), "unfinished") })
	all.Wait()
	trace.Stop()
	return b.Bytes(), nil
})

// wallOf returns what -pprof wall writes of a trace, read anew.
func wallOf(t *testing.T, data []byte, args ...string) *callstack.Frames {
	t.Helper()
	name := filepath.Join(t.TempDir(), "wall.pb.gz")
	if _, err := runTrace(t, data, append(args, "-pprof", "wall", "-o", name, "-")...); err != nil {
		t.Fatalf("%v: %v", args, err)
	}
	written, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	p, err := profile.ReadFrames(written, profile.DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// wallByTask sums a profile's time by the label task, "" for none.
func wallByTask(p *callstack.Frames) map[string]int64 {
	sums := make(map[string]int64)
	for at := p.Stacks(nil, 0); at.Next(); {
		of := ""
		for _, l := range at.Labels() {
			if l.Key == "task" {
				of = l.Str
			}
		}
		sums[of] += at.Value(0)
	}
	return sums
}

// TestTraceWallOfTasks holds the wall-clock time of each task against what the other analysis
// says its goroutines did in its time, and the labels of the whole profile against both.
func TestTraceWallOfTasks(t *testing.T) {
	data, err := taskTrace()
	if err != nil {
		t.Skipf("another trace is on: %v", err)
	}
	whole := wallOf(t, data)
	labelled := wallByTask(whole)
	numbers, count := make(map[uint64]string), make(map[string]int)
	_, err = exectrace.Read(bytes.NewReader(data), exectrace.DefaultLimits(), func(b *exectrace.Batch) error {
		for i := range b.Events {
			if e := &b.Events[i]; e.Kind == exectrace.TaskBegin {
				numbers[e.Value] = b.String(e.Name)
				count[numbers[e.Value]]++
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if count["alone"] != 5 || count["shared"] != 1 || count["below"] != 1 || count["unfinished"] != 1 || len(count) != 4 {
		t.Fatalf("tasks: %v", count)
	}
	of, goroutines := make(map[string]int64), make(map[string]int)
	for id, name := range numbers {
		r, err := sched.Analyze(bytes.NewReader(data), sched.Options{Limits: exectrace.DefaultLimits(), Task: id})
		if err != nil {
			t.Fatal(err)
		}
		var want int64
		for _, ns := range r.Goroutines.Ns {
			want += ns
		}
		p := wallOf(t, data, "-task", fmt.Sprint(id))
		if got := p.Total(0); got != want || got == 0 {
			t.Errorf("task %d, %s: %d ns, its goroutines' states sum to %d", id, name, got, want)
		}
		if p.Duration != r.SpanNs {
			t.Errorf("task %d, %s: of %d ns, it takes %d", id, name, p.Duration, r.SpanNs)
		}
		of[name] += want
		goroutines[name] += len(r.Task.Goroutines)
	}
	if goroutines["alone"] != 5 || goroutines["shared"] != 2 {
		t.Errorf("goroutines: %v", goroutines)
	}
	// One that begins its only task has the task's time. One that works for a task later has
	// no label before, and one that works for the task below is not in the one above.
	for _, name := range []string{"alone", "below", "unfinished"} {
		if labelled[name] != of[name] {
			t.Errorf("%s: %d ns labelled, %d of its tasks", name, labelled[name], of[name])
		}
	}
	if got := labelled["shared"]; got <= 0 || got >= of["shared"] {
		t.Errorf("shared: %d ns labelled of %d", got, of["shared"])
	}
	// Windows that follow one another sum to the whole, label by label.
	half := whole.Duration / 2
	edge := fmt.Sprintf("%dns", half)
	first, second := wallByTask(wallOf(t, data, "-to", edge)), wallByTask(wallOf(t, data, "-from", edge))
	var all int64
	for name, ns := range labelled {
		if all += ns; first[name]+second[name] != ns {
			t.Errorf("%q: %d ns, and %d and %d of the halves", name, ns, first[name], second[name])
		}
	}
	if all != whole.Total(0) {
		t.Errorf("%d ns by task of %d", all, whole.Total(0))
	}
}

// TestTraceWallAsked: parts of which there is nothing are reported.
func TestTraceWallAsked(t *testing.T) {
	data, err := taskTrace()
	if err != nil {
		t.Skipf("another trace is on: %v", err)
	}
	for want, args := range map[string][]string{
		"no task 99999999":           {"-task", "99999999"},
		"before the window begins":   {"-from", "100h"},
		"no goroutine 1125899906842": {"-goroutine", "1125899906842"},
	} {
		_, err := runTrace(t, data, append(args, "-pprof", "wall", "-o", "-", "-")...)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%v: %v, want %q", args, err, want)
		}
	}
}
