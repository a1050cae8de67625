package wall

import (
	"slices"

	"whet/internal/format/exectrace"
)

// taskType is the number of a type of tasks of runtime/trace.
type taskType uint16

const (
	noTask     taskType = iota
	otherTasks          // of one type too many
)

const (
	// maxTaskTypes bounds the labels of a profile: a program may make up a type for each task.
	maxTaskTypes = 1000
	// maxOpenTasks bounds the tasks that are followed at a time: a program may end none.
	maxOpenTasks = 1 << 20
	// maxOwnTasks bounds those of one goroutine.
	maxOwnTasks = 1000
)

// OtherTasks is the type of tasks beyond the maximum number of types.
const OtherTasks = "(tasks of other types)"

// task is a task that has not ended yet.
//
// A goroutine works for a task from its first reference to it (it begins the task, begins
// or ends a region in it, or logs in it) until any goroutine ends the task. Of several
// tasks it works for the one that it referred to last. A trace does not tell the work
// before the first reference.
//
// A task does not list its goroutines: booking an interval of a goroutine finds out that
// its task has ended.
type task struct {
	of    taskType
	ended bool
	endNs int64
}

// tasks are the tasks of all traces.
type tasks struct {
	types   []string // by number
	numbers map[string]taskType
	open    map[uint64]*task // of the trace at hand
	missed  int              // began while too many were open
}

func newTasks() tasks {
	return tasks{types: []string{noTask: "", otherTasks: OtherTasks}, numbers: make(map[string]taskType)}
}

// number returns the number of a type.
func (t *tasks) number(name string) taskType {
	n, ok := t.numbers[name]
	switch {
	case ok:
		return n
	case len(t.numbers) == maxTaskTypes:
		return otherTasks
	}
	n = taskType(len(t.types))
	t.types = append(t.types, name)
	t.numbers[name] = n
	return n
}

// named takes in what a goroutine says of a task. One of which the trace lacks the
// beginning has no type.
func (a *analysis) named(e *exectrace.Event) {
	if e.Kind == exectrace.TaskBegin {
		if len(a.tasks.open) == maxOpenTasks {
			a.tasks.missed++
			return
		}
		a.tasks.open[e.Value] = &task{of: a.tasks.number(a.tree.names.String(e.Name))}
	}
	t := a.tasks.open[e.Value]
	if t == nil {
		return
	}
	if g := a.goroutines[e.Actor]; g != nil {
		if at := a.tree.node(e.Stack); at != nil && g.state == exectrace.Running {
			a.sighted(e.Actor, e.TimeNs, at)
		} else {
			a.settle(g, e.TimeNs, nil, nil)
		}
		if e.Kind != exectrace.TaskEnd {
			g.work(t, e.Kind != exectrace.RegionEnd)
		}
	}
	if e.Kind == exectrace.TaskEnd {
		t.ended, t.endNs = true, e.TimeNs
		delete(a.tasks.open, e.Value)
	}
}

// work notes that a goroutine works for a task, from now on or as before; next says that
// it goes on with this one.
func (g *goroutine) work(t *task, next bool) {
	i := slices.Index(g.tasks, t)
	switch {
	case i >= 0 && !next:
		return
	case i >= 0:
		g.tasks = slices.Delete(g.tasks, i, i+1)
	case len(g.tasks) == maxOwnTasks:
		g.tasks = slices.DeleteFunc(g.tasks, func(t *task) bool { return t.ended })
		if len(g.tasks) == maxOwnTasks {
			g.tasks = slices.Delete(g.tasks, 0, 1)
		}
	}
	g.tasks = append(g.tasks, t)
}

// worksFor returns the type of the task that the goroutine works for from a moment on, and
// until when, at the latest to.
func (g *goroutine) worksFor(from, to int64) (taskType, int64) {
	for n := len(g.tasks); n > 0; n = len(g.tasks) {
		t := g.tasks[n-1]
		if !t.ended {
			return t.of, to
		}
		if t.endNs > from {
			return t.of, min(t.endNs, to)
		}
		g.tasks = g.tasks[:n-1]
	}
	return noTask, to
}
