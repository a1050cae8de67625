package contention

import (
	"cmp"
	"slices"
	"strings"

	"whet/internal/callstack"
	"whet/internal/symbolname"
)

// Kind is the kind of object that goroutines wait for.
type Kind string

const (
	Lock      Kind = "lock" // sync.Mutex and sync.RWMutex, reading or writing
	Channel   Kind = "channel"
	Select    Kind = "select"
	WaitGroup Kind = "wait group"
	Condition Kind = "condition"
	Other     Kind = "other" // sync.Once, the runtime's own locks, and code without symbols
)

// Site is a source line that waits or, in a mutex profile, makes others wait.
type Site struct {
	Kind     Kind
	Function string // as the linker names it; "" without symbols
	File     string // as the profile has it
	Line     int
	Count    int64 // waits
	DelayNs  int64
	Idle     bool // waits for its next job, not for another goroutine
}

// Sites sums the samples that keep selects (nil: all) by kind, place and idleness, the
// longest delay first. column contains nanoseconds, countColumn waits. own reports
// whether a frame is the user's own code; nil means every frame outside the runtime and
// package sync.
func Sites(p *callstack.Frames, column, countColumn int, keep callstack.Keep, own func(*callstack.Frame) bool) []Site {
	if own == nil {
		own = func(*callstack.Frame) bool { return true }
	}
	at := make(map[Site]int)
	var out []Site
	for s := p.Stacks(keep, column, countColumn); s.Next(); {
		w := read(p, s.Stack)
		k := Site{Kind: w.kind, Idle: w.idle(own)} // without figures
		if f := w.place(own); f != nil {
			k.Function, k.File, k.Line = f.Function, f.File, f.Line
		}
		j, ok := at[k]
		if !ok {
			j = len(out)
			at[k] = j
			out = append(out, k)
		}
		out[j].DelayNs += s.Value(column)
		out[j].Count += s.Value(countColumn)
	}
	slices.SortFunc(out, func(a, b Site) int {
		return cmp.Or(
			cmp.Compare(b.DelayNs, a.DelayNs), cmp.Compare(b.Count, a.Count),
			cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line),
			cmp.Compare(a.Function, b.Function), cmp.Compare(a.Kind, b.Kind),
			cmp.Compare(idleRank(a), idleRank(b)),
		)
	})
	return out
}

func idleRank(p Site) int {
	if p.Idle {
		return 1
	}
	return 0
}

// wait is a stack, taken apart.
type wait struct {
	kind   Kind
	sends  bool               // a channel send
	frames []*callstack.Frame // outside the runtime and package sync, leaf first
	onMain bool
}

func read(p *callstack.Frames, stack []callstack.FrameID) wait {
	w := wait{kind: Other}
	decided := false
	for i, id := range stack {
		f := p.Frame(id)
		if f.Function == "runtime.main" || f.Function == "main.main" && i == len(stack)-1 {
			w.onMain = true
		}
		if !isMachinery(f.Function) {
			decided = true
			w.frames = append(w.frames, f)
			continue
		}
		if decided {
			continue // WaitGroup.Go around the goroutine's first function
		}
		switch kind, ok := kindOf(f.Function); {
		case !ok:
		case kind == Other, w.kind == Other:
			// A lock inside Once is a wait for the Once. A mutex inside an
			// RWMutex is a lock still, and so is the one that a condition's Wait
			// takes again.
			w.kind = kind
		}
		w.sends = w.sends || strings.HasPrefix(f.Function, "runtime.chansend")
	}
	return w
}

// kindOf knows the functions of the runtime and package sync that wait, and
// those that let others go on.
func kindOf(fn string) (Kind, bool) {
	name, ok := strings.CutPrefix(fn, "runtime.")
	if ok {
		switch {
		case strings.HasPrefix(name, "chanrecv"), strings.HasPrefix(name, "chansend"):
			return Channel, true
		case name == "selectgo", name == "block":
			return Select, true
		}
		return "", false
	}
	_, name, _ = strings.Cut(fn, "sync.")
	switch receiver, _, _ := strings.Cut(name, ")."); receiver {
	case "(*Mutex", "(*RWMutex", "(*rlocker":
		return Lock, true
	case "(*WaitGroup":
		return WaitGroup, true
	case "(*Cond":
		return Condition, true
	case "(*Once":
		return Other, true
	}
	return "", false
}

// isMachinery reports whether a function belongs to the runtime or to package
// sync: what a wait goes through, not where it is.
func isMachinery(fn string) bool {
	for _, prefix := range [...]string{"runtime.", "sync.", "internal/sync.", "internal/runtime/"} {
		if strings.HasPrefix(fn, prefix) {
			return true
		}
	}
	return false
}

// place returns the innermost own frame, else the innermost of any code.
func (w *wait) place(own func(*callstack.Frame) bool) *callstack.Frame {
	if len(w.frames) == 0 {
		return nil
	}
	if i := slices.IndexFunc(w.frames, own); i >= 0 {
		return w.frames[i]
	}
	return w.frames[0]
}

// idle reports whether the goroutine waits for its next job.
func (w *wait) idle(own func(*callstack.Frame) bool) bool {
	if len(w.frames) == 0 || w.sends {
		return false
	}
	switch w.kind {
	case Channel, Select, Condition:
	case WaitGroup:
		return w.onMain
	default:
		return false
	}
	if w.onMain {
		// A library's wait there, an HTTP client's for its answer, is a real one.
		return w.kind != Condition && own(w.frames[0])
	}
	root := len(w.frames) - 1
	for root > 0 && isWrapper(w.frames[root].Function) {
		root--
	}
	switch root {
	case 0:
		return true
	case 1:
		return w.kind == Condition || takesNext(w.frames[0].Function)
	}
	return false
}

// isWrapper knows first functions of a goroutine that only call another: a
// literal, what the compiler makes of a go statement with arguments, and
// errgroup's like.
func isWrapper(fn string) bool {
	_, kind := symbolname.Cut(fn)
	return kind == symbolname.Literal || kind == symbolname.GoCall
}

// takesNext reports whether a function is named for handing out the next job.
func takesNext(fn string) bool {
	n := symbolname.Parse(fn)
	if n.Made != "" {
		return false
	}
	name := strings.ToLower(n.Name)
	for _, word := range [...]string{"next", "pop", "dequeue", "take", "recv", "receive", "accept"} {
		if strings.HasPrefix(name, word) {
			return true
		}
	}
	return false
}
