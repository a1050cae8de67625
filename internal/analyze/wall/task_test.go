package wall

import (
	"bytes"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"whet/internal/callstack"
	"whet/internal/format/exectrace"
)

// say has goroutine id name a task. name is the task's type where it begins.
func (s *script) say(ns, id int64, kind exectrace.Kind, task uint64, name, stack string) {
	s.event(&exectrace.Event{TimeNs: ns, Kind: kind, Goroutine: exectrace.NoGoroutine, Actor: id, Value: task, Name: s.text(name), Stack: s.stack(stack)})
}

// byTask sums a profile's time by the label task, "" for none.
func byTask(p *callstack.Frames) map[string]int64 {
	sums := make(map[string]int64)
	for at := p.Stacks(nil, 0); at.Next(); {
		of := ""
		for _, l := range at.Labels() {
			if l.Key == "task" {
				of = l.Str
			}
		}
		if ns := at.Value(0); ns > 0 {
			sums[of] += ns
		}
	}
	return sums
}

// twoTasks plays a goroutine that begins a task of the type order, and in it one of the
// type pay, and another that works for both and sees neither end: it sleeps then.
func twoTasks(s *script) {
	s.to(0, 1, exectrace.Running, "", "")
	s.to(0, 2, exectrace.Running, "", "")
	s.say(10, 1, exectrace.TaskBegin, 7, "order", "runtime/trace.NewTask<main.buy<main.main")
	s.say(30, 1, exectrace.TaskBegin, 8, "pay", "")
	s.say(40, 2, exectrace.Log, 7, "note", "runtime/trace.Log<main.serve<main.work")
	s.say(45, 1, exectrace.RegionEnd, 7, "", "") // a region of the outer task that ends late changes nothing
	s.say(50, 2, exectrace.RegionBegin, 8, "charge", "runtime/trace.StartRegion<main.serve<main.work")
	s.to(60, 2, exectrace.Waiting, "sleep", "time.Sleep<main.serve<main.work")
	s.say(70, 1, exectrace.TaskEnd, 8, "", "")
	s.say(80, 1, exectrace.Log, 99, "", "") // began before the trace
	s.say(95, 1, exectrace.TaskEnd, 7, "", "")
	s.to(100, 2, exectrace.Runnable, "", "")
	s.to(105, 2, exectrace.Gone, "", "")
	s.say(110, 1, exectrace.TaskBegin, 9, "order", "") // never ends
}

func TestTasksWorkedExample(t *testing.T) {
	s := newScript()
	twoTasks(s)
	p := s.finish(130).Profile
	want := map[string]int64{
		// 1 before, and from the end of the order to the next; 2 before it logs, and after the order ended.
		"": 10 + (110 - 95) + 40 + (105 - 95),
		// 1 until it pays and after, and in the second order; 2 until its region, and from the end of pay on.
		"order": (30 - 10) + (95 - 70) + (130 - 110) + (50 - 40) + (95 - 70),
		"pay":   (70 - 30) + (70 - 50),
	}
	if diff := cmp.Diff(want, byTask(p)); diff != "" {
		t.Errorf("time by task (-want +got):\n%s", diff)
	}
	if got := p.Total(0); got != 130+105 {
		t.Errorf("%d ns in all, the goroutines lived %d and %d", got, 130, 105)
	}
	// The sleep lies over the end of both tasks: 10 in pay, 25 in order, 5 in neither.
	if got := p.Total(1 + int(Sleep)); got != 10+25+5 {
		t.Errorf("%d ns asleep, want 40", got)
	}
}

// TestWindowWorkedExample counts from 55 to 98, of goroutine 2 alone and of both.
func TestWindowWorkedExample(t *testing.T) {
	for _, c := range []struct {
		only map[int64]bool
		want map[string]int64
	}{
		{map[int64]bool{2: true}, map[string]int64{"pay": 70 - 55, "order": 95 - 70, "": 98 - 95}},
		{nil, map[string]int64{"pay": 2 * (70 - 55), "order": 2 * (95 - 70), "": 2 * (98 - 95)}},
	} {
		s := newScript()
		s.window, s.only = &Window{FromNs: 55, ToNs: 98}, c.only
		twoTasks(s)
		p := s.finish(130).Profile
		if diff := cmp.Diff(c.want, byTask(p)); diff != "" {
			t.Errorf("only %v (-want +got):\n%s", c.only, diff)
		}
		if got, want := p.Total(1+int(Sleep)), int64(98-60); got != want {
			t.Errorf("only %v: %d ns asleep, want %d", c.only, got, want)
		}
	}
}

// TestTaskTypesAreBounded: a program that makes up a type for each task.
func TestTaskTypesAreBounded(t *testing.T) {
	s := newScript()
	s.to(0, 1, exectrace.Running, "", "")
	const more = 5
	for i := range int64(maxTaskTypes + more) {
		s.say(10*i, 1, exectrace.TaskBegin, uint64(i+1), fmt.Sprintf("type %d", i), "")
		s.say(10*i+3, 1, exectrace.TaskEnd, uint64(i+1), "", "")
	}
	got := byTask(s.finish(10 * (maxTaskTypes + more)).Profile)
	// Types, what is beyond them, and no task.
	if len(got) != maxTaskTypes+2 || got["type 999"] != 3 || got[OtherTasks] != 3*more || got[""] != 7*(maxTaskTypes+more) {
		t.Errorf("%d types; %d ns of others, %d of none", len(got), got[OtherTasks], got[""])
	}
}

// TestOwnTasksAreBounded: a goroutine begins more than it can keep, and the last one counts.
func TestOwnTasksAreBounded(t *testing.T) {
	s := newScript()
	s.to(0, 1, exectrace.Running, "", "")
	const all = 2*maxOwnTasks + 1
	for i := range int64(all) {
		s.say(i, 1, exectrace.TaskBegin, uint64(i+1), "many", "")
	}
	if n := len(s.goroutines[1].tasks); n != maxOwnTasks {
		t.Errorf("%d tasks of one goroutine", n)
	}
	s.say(all, 1, exectrace.TaskEnd, all, "", "")
	if got := byTask(s.finish(all + 10).Profile); got["many"] != all+10 {
		t.Errorf("%v", got)
	}
}

// keyed sums a profile's columns by stack and labels.
func keyed(into map[string]int64, p *callstack.Frames) {
	for at := p.Stacks(nil); at.Next(); {
		var key strings.Builder
		for _, id := range at.Stack {
			key.WriteString(p.Frame(id).Function + " ")
		}
		fmt.Fprint(&key, at.Labels())
		for i := range p.Types {
			if ns := at.Value(i); ns != 0 {
				into[fmt.Sprintf("%s %d", key.String(), i)] += ns
			}
		}
	}
}

// TestTasksPlainly holds the time by task of made-up programs against a count of each
// nanosecond, and three windows together against the whole.
func TestTasksPlainly(t *testing.T) {
	type said struct {
		ns, id int64
		kind   exectrace.Kind // Change: state
		state  exectrace.State
		task   uint64
		stack  string
	}
	stacks := []string{"", "main.f<main.main", "main.g<main.main", "runtime/trace.Log<main.f<main.main"}
	kinds := []exectrace.Kind{exectrace.TaskBegin, exectrace.TaskEnd, exectrace.RegionBegin, exectrace.RegionEnd, exectrace.Log}
	states := []exectrace.State{exectrace.Running, exectrace.Waiting, exectrace.Runnable, exectrace.Syscall, exectrace.Gone}
	rapid.Check(t, func(t *rapid.T) {
		var events []said
		now, last := int64(0), map[int64]exectrace.State{1: exectrace.Running, 2: exectrace.Running, 3: exectrace.Running}
		lives := func(id int64) bool { return last[id] != exectrace.Gone }
		for range rapid.IntRange(0, 60).Draw(t, "events") {
			now += rapid.Int64Range(1, 9).Draw(t, "passed")
			e := said{ns: now, id: rapid.Int64Range(1, 3).Draw(t, "goroutine"), stack: rapid.SampledFrom(stacks).Draw(t, "stack")}
			if !lives(e.id) {
				continue
			}
			if rapid.Bool().Draw(t, "changes") {
				e.state = rapid.SampledFrom(states).Draw(t, "state")
				last[e.id] = e.state
			} else {
				e.kind, e.task = rapid.SampledFrom(kinds).Draw(t, "kind"), uint64(rapid.IntRange(1, 4).Draw(t, "task"))
			}
			events = append(events, e)
		}
		end := now + 5
		profile := func(from, to int64) *callstack.Frames {
			s := newScript()
			if to > 0 {
				s.window = &Window{FromNs: from, ToNs: to}
			}
			for id := range int64(3) {
				s.to(0, id+1, exectrace.Running, "", "main.main")
			}
			for _, e := range events {
				if e.kind == exectrace.Change {
					s.to(e.ns, e.id, e.state, "", e.stack)
				} else {
					s.say(e.ns, e.id, e.kind, e.task, fmt.Sprintf("type %d", e.task%3), e.stack)
				}
			}
			return s.finish(end).Profile
		}
		// Plainly: after each nanosecond's events, each goroutine's last task that goes on. A
		// task's number may be used again, which makes it another task.
		want, open, next := make(map[string]int64), make(map[uint64]int), 0
		kindOf, own, gone := make(map[int]string), make(map[int64][]int), make(map[int64]bool)
		for ns, i := int64(0), 0; ns < end; ns++ {
			for ; i < len(events) && events[i].ns == ns; i++ {
				e := events[i]
				if e.kind == exectrace.Change {
					gone[e.id] = e.state == exectrace.Gone
					continue
				}
				if e.kind == exectrace.TaskBegin {
					next++
					open[e.task] = next
					kindOf[next] = fmt.Sprintf("type %d", e.task%3)
				}
				n, ok := open[e.task]
				switch {
				case !ok:
				case e.kind == exectrace.TaskEnd:
					delete(open, e.task)
					for id := range own {
						own[id] = slices.DeleteFunc(own[id], func(have int) bool { return have == n })
					}
				case e.kind != exectrace.RegionEnd || !slices.Contains(own[e.id], n):
					own[e.id] = append(slices.DeleteFunc(own[e.id], func(have int) bool { return have == n }), n)
				}
			}
			for id := range int64(3) {
				if tasks := own[id+1]; gone[id+1] {
				} else if len(tasks) > 0 {
					want[kindOf[tasks[len(tasks)-1]]]++
				} else {
					want[""]++
				}
			}
		}
		whole := profile(0, 0)
		if got := byTask(whole); !maps.Equal(got, want) {
			t.Fatalf("%v, counted plainly %v", got, want)
		}
		a := rapid.Int64Range(1, end).Draw(t, "a")
		b := rapid.Int64Range(a, end).Draw(t, "b")
		all, parts := make(map[string]int64), make(map[string]int64)
		keyed(all, whole)
		for _, p := range []*callstack.Frames{profile(0, a), profile(a, b), profile(b, math.MaxInt64)} {
			keyed(parts, p)
		}
		if diff := cmp.Diff(all, parts); diff != "" {
			t.Fatalf("three windows differ from the whole (-whole +windows):\n%s", diff)
		}
	})
}

// TestProfileRefuses: an empty kind gives one line.
func TestProfileRefuses(t *testing.T) {
	run := planted()
	if run.err != nil {
		t.Fatal(run.err)
	}
	for want, c := range map[string]struct {
		data []byte
		w    Window
	}{
		"before the window begins":             {run.trace, Window{FromNs: 1e15}},
		"the file is not a Go execution trace": {[]byte("<html>"), Window{}},
	} {
		if _, _, err := Profile(Trace{Name: "planted", Source: bytes.NewReader(c.data)}, c.w); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
