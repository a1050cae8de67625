package sched

import (
	"fmt"
	"slices"

	"whet/internal/format/exectrace"
)

// maxLogs and maxLogText bound what is kept of a task's messages.
const (
	maxLogs    = 1000
	maxLogText = 1000
)

// Task is a task that was asked for.
type Task struct {
	ID             uint64
	Type           string
	BeginNs, EndNs int64
	Ended          bool    // in the trace; else EndNs is the trace's end
	Goroutines     []int64 // that begin or end it, its regions or tasks below it, or log in it; rising
	Tasks          int     // below it
	Logs           []Log   // in it and the tasks below it, the first 1000
	LogsLeftOut    int

	last int64 // the goroutine that ends it
}

// Log is a message.
type Log struct {
	AtNs      int64
	Goroutine int64
	Category  string
	Text      string
}

// FindTask finds the selected task, with the tasks below it.
func FindTask(src exectrace.Source, o Options) (*Task, error) {
	t := &Task{ID: o.Task}
	family, actors := map[uint64]bool{o.Task: true}, make(map[int64]bool)
	found := false
	summary, err := exectrace.Read(src, o.Limits, func(b *exectrace.Batch) error {
		for i := range b.Events {
			e := &b.Events[i]
			switch e.Kind {
			case exectrace.TaskBegin:
				if e.Value == o.Task {
					found, t.Type, t.BeginNs, t.last = true, b.String(e.Name), e.TimeNs, e.Actor
				} else if family[e.Arg] && e.Arg != 0 {
					family[e.Value] = true
					t.Tasks++
				}
			case exectrace.TaskEnd:
				if e.Value == o.Task {
					found, t.Ended, t.EndNs, t.last = true, true, e.TimeNs, e.Actor
				}
			case exectrace.RegionBegin, exectrace.RegionEnd, exectrace.Log:
			default:
				continue
			}
			if !family[e.Value] || t.Ended && e.TimeNs > t.EndNs {
				continue
			}
			if e.Actor >= 0 {
				actors[e.Actor] = true
			}
			if e.Kind != exectrace.Log {
				continue
			}
			if len(t.Logs) == maxLogs {
				t.LogsLeftOut++
				continue
			}
			text := b.Text(e)
			t.Logs = append(t.Logs, Log{e.TimeNs, e.Actor, b.String(e.Name), text[:min(len(text), maxLogText)]})
		}
		return nil
	})
	switch {
	case err != nil:
		return nil, err
	case !found:
		return nil, fmt.Errorf("no task %d begins or ends in the trace", o.Task)
	}
	if !t.Ended {
		t.EndNs = summary.EndNs
	}
	for id := range actors {
		t.Goroutines = append(t.Goroutines, id)
	}
	if len(actors) == 0 {
		return nil, fmt.Errorf("the trace does not record the goroutines of task %d", o.Task)
	}
	slices.Sort(t.Goroutines)
	return t, nil
}
