package sched

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"whet/internal/callstack"
	"whet/internal/format/exectrace"
)

// Step is a part of a critical path: that goroutines of one start function were in
// one state at one place.
type Step struct {
	Start string // their start function; "" when unknown
	State State
	// Place is where they waited, or where they were at the end of running; nil when
	// the trace does not say.
	Place     *callstack.Frame
	Count     int
	Ns        int64
	LongestNs int64
	LongestAt int64 // when that began
	LongestID int64 // the goroutine of that
}

// maxMoves bounds the memory of the search, of 56 bytes each.
const maxMoves = 2 << 20

// move is a change of a goroutine.
type move struct {
	ns, goroutine, actor int64
	stack, actorStack    exectrace.StackID
	previous             int32 // of the same goroutine, less 1; 0: none
	from                 exectrace.State
	to                   State
	gone                 bool // it ended
}

// pathfinder holds all moves of a window, to walk back through.
type pathfinder struct {
	moves  []move
	last   map[int64]int32 // the last of each goroutine, plus 1
	starts map[int64]string
	full   bool
}

func newPathfinder() *pathfinder {
	return &pathfinder{last: make(map[int64]int32), starts: make(map[int64]string)}
}

func (p *pathfinder) restart() { *p = *newPathfinder() }

func (p *pathfinder) add(e *exectrace.Event, to State) {
	if e.From == e.To || p.full {
		return
	}
	if len(p.moves) == maxMoves {
		*p = pathfinder{full: true, last: make(map[int64]int32), starts: make(map[int64]string)}
		return
	}
	p.moves = append(p.moves, move{e.TimeNs, e.Goroutine, e.Actor, e.Stack, e.ActorStack, p.last[e.Goroutine], e.From, to, e.To == exectrace.Gone})
	p.last[e.Goroutine] = int32(len(p.moves))
}

// findPath walks back from the end of what was asked for to its beginning.
func (a *analysis) findPath(end int64) {
	p := a.path
	if p == nil {
		return
	}
	r := a.result
	if p.full {
		r.Warnings = append(r.Warnings, fmt.Sprintf("the window has more than %d goroutine transitions: for a critical path select a shorter one with -from and -to", maxMoves))
		return
	}
	goroutine, begin := int64(0), r.FromNs
	if a.task != nil {
		goroutine = a.task.last
	} else if len(r.Chosen) > 0 {
		goroutine = r.Chosen[0]
		// A life may begin and end within the window.
		for at := p.last[goroutine]; at > 0; at = p.moves[at-1].previous {
			m := &p.moves[at-1]
			if at == p.last[goroutine] && m.gone {
				end = m.ns
			}
			if m.from == exectrace.Gone {
				begin = max(begin, m.ns)
			}
		}
	}
	w := walk{a: a, at: make(map[int64]int32), sums: make(map[stepKey]*Step)}
	w.back(goroutine, begin, end)
	for _, s := range w.sums {
		r.Path = append(r.Path, *s)
	}
	slices.SortFunc(r.Path, func(x, y Step) int {
		return cmp.Or(cmp.Compare(y.Ns, x.Ns), strings.Compare(x.Start, y.Start), cmp.Compare(x.State, y.State), compareFrames(x.Place, y.Place))
	})
}

type stepKey struct {
	start string
	state State
	place callstack.Frame
}

// walk is the search for one path.
type walk struct {
	a    *analysis
	at   map[int64]int32 // how far back each goroutine has been followed; times only fall
	sums map[stepKey]*Step
	left []pathJump
}

// pathJump is a step of the path from a waiting goroutine to the one that ended its
// wait.
type pathJump struct {
	goroutine, waitNs int64
}

// back goes from the end to the beginning: through what a goroutine did, and from
// a wait's end over to the goroutine that ended it, from a creation to the creator.
// What nobody in the program ends, a sleep or a wait for the network, is a step of its
// own. Who waited for work, and the trace does not say who gave it, has it from the
// one that he ends the wait of: there the path goes on. The steps lie one beside the other, and sum to the time from begin to end.
func (w *walk) back(id, begin, end int64) {
	p := w.a.path
	stack := exectrace.StackID(0) // where the goroutine is at the end of its step
	for end > begin {
		at, ok := w.at[id]
		if !ok {
			at = p.last[id]
		}
		next := int32(0) // the move that ends the step
		for at > 0 && p.moves[at-1].ns >= end {
			next, at = at, p.moves[at-1].previous
		}
		w.at[id] = at
		if at == 0 {
			state := Running // it acted, so that it ran
			if next > 0 {
				state = beforeTrace(p.moves[next-1].from)
			}
			if l, ok := w.giver(state, begin, end); ok {
				w.step(id, state, stack, l.waitNs, end)
				id, end, stack = l.goroutine, l.waitNs, 0
				continue
			}
			w.step(id, state, stack, begin, end)
			return
		}
		m := &p.moves[at-1]
		state := m.to
		place := stack
		if state >= Syscall || place == 0 {
			place = m.stack
		}
		if l, ok := w.giver(state, max(begin, m.ns), end); ok {
			w.step(id, state, place, l.waitNs, end)
			id, end, stack = l.goroutine, l.waitNs, 0
			continue
		}
		if m.from == exectrace.Unknown {
			w.step(id, state, place, begin, end) // it was so when the trace began
			return
		}
		w.step(id, state, place, max(begin, m.ns), end)
		if end = m.ns; end <= begin {
			return
		}
		stack = m.stack
		switch waited := w.waitBefore(m); {
		case m.from == exectrace.Gone:
			if m.actor < 0 {
				w.step(id, Other, 0, begin, end)
				return
			}
			id, stack = m.actor, m.actorStack
		case m.from == exectrace.Waiting && m.actor >= 0 && m.actor != id && waited != Sleep && waited != Network:
			if m.previous > 0 {
				w.left = append(w.left, pathJump{id, p.moves[m.previous-1].ns})
			}
			id, stack = m.actor, m.actorStack
		}
	}
}

// giver is who began to wait, before a step's end and after its beginning, for one that
// waits for work from nobody.
func (w *walk) giver(state State, begin, end int64) (pathJump, bool) {
	for len(w.left) > 0 && w.left[len(w.left)-1].waitNs >= end {
		w.left = w.left[:len(w.left)-1]
	}
	if state <= Syscall || state == Sleep || state == Network || len(w.left) == 0 {
		return pathJump{}, false
	}
	l := w.left[len(w.left)-1]
	return l, l.waitNs > begin
}

// waitBefore returns what a goroutine waited for until m.
func (w *walk) waitBefore(m *move) State {
	if m.previous == 0 {
		return Other
	}
	return w.a.path.moves[m.previous-1].to
}

// beforeTrace returns the state of which only the kind is known.
func beforeTrace(s exectrace.State) State {
	switch s {
	case exectrace.Running:
		return Running
	case exectrace.Runnable:
		return Runnable
	case exectrace.Syscall:
		return Syscall
	}
	return Other
}

func (w *walk) step(id int64, state State, stack exectrace.StackID, from, to int64) {
	start, known := w.a.path.starts[id]
	if g := w.a.live[id]; !known && g != nil {
		start = g.start
	}
	var place *callstack.Frame
	if stack != 0 {
		place = placeOf(w.a.batch.Stack(stack))
	}
	key := stepKey{start: start, state: state}
	if place != nil {
		key.place = *place
	}
	s := w.sums[key]
	if s == nil {
		s = &Step{Start: start, State: state, Place: place}
		w.sums[key] = s
	}
	s.Count++
	s.Ns += to - from
	if to-from > s.LongestNs {
		s.LongestNs, s.LongestAt, s.LongestID = to-from, from, id
	}
}
