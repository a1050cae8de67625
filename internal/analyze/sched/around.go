package sched

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"whet/internal/callstack"
	"whet/internal/format/exectrace"
	"whet/internal/timeline"
)

// Surroundings describes the activity around one goroutine for a period, such as a
// slow request.
type Surroundings struct {
	Goroutine    int64
	Start        string
	FromNs, ToNs int64
	// Ns is what it did, by state: they sum to the while, less what of it the trace does
	// not have of the goroutine.
	Ns    [NumStates]int64
	Waits []EndedWait // the longest first
	// Of the processors' time: of the goroutine itself, of other goroutines, and of
	// none. They sum to Procs times the while.
	OwnNs, RanNs, IdleNs int64
	Procs                int
	Ran                  []RanFor // what the others are, by time falling
	// Path shows where the time went: for a wait, the work of the goroutine that ended
	// it, and for that one's waits again. It sums to the same as Ns.
	Path  []Step
	Cause *Cause // the longest step of another goroutine; nil: none is a tenth of the while
	// HeldUp are the goroutines that waited for it; nil: none.
	HeldUp   *BlockedWaiters
	Warnings []string
}

// EndedWait is a wait with the goroutine that ended it.
type EndedWait struct {
	State        State
	By           string           // as in Wait
	Place        *callstack.Frame // nil: unknown
	FromNs, ToNs int64
	Waker        int64 // the goroutine that ended it, -1: nobody in the program
	Release      *callstack.Frame
}

// RanFor is the running time of the goroutines of one start function.
type RanFor struct {
	Start string
	Count int // goroutines
	Ns    int64
}

// Cause is the final cause of a wait, through any number of holders of a lock.
type Cause struct {
	State     State
	Place     *callstack.Frame
	Goroutine int64
	Start     string
	AtNs, Ns  int64
	// Release is the place where that goroutine then ended a wait, and Waited the
	// object of the wait; nil: the trace does not show it.
	Release  *callstack.Frame
	Waited   State
	WaitedBy string // the function of package sync that waited, "" of other states
}

// BlockedWaiters are other goroutines that waited at one line until the goroutine
// released them.
type BlockedWaiters struct {
	State   State
	By      string // as in Wait
	Place   *callstack.Frame
	Count   int // goroutines that waited there for half of the while and more
	Release *callstack.Frame
}

const (
	mostAround = 1 << 20 // intervals that are held at once
	// Of the search for who let a goroutine wait.
	mostHands = 200 // from one to the next
	mostSteps = 1 << 16
)

// LookAround reads what went on while a goroutine served a request.
//
// [Options.Path] is of no use for that: it goes from the end of a wait on to all that the
// one who ended it did before, and does not come back. A request that waits for a
// microsecond in the end for a goroutine that waited for the network all along would
// have waited for the network. Here only what was done during a wait counts for it.
func LookAround(src exectrace.Source, limits exectrace.Limits, goroutine, from, to int64) (*Surroundings, error) {
	l := &looking{a: &Surroundings{Goroutine: goroutine, FromNs: from, ToNs: to}, of: make(map[int64][]timeline.Interval)}
	r, err := Analyze(src, Options{Limits: limits, FromNs: from, ToNs: to, Goroutines: []int64{goroutine}, Observe: l.see})
	if err != nil {
		return nil, err
	}
	a := l.a
	a.Procs = max(r.GOMAXPROCS, len(r.Procs))
	for i := range r.Kinds {
		a.Start, a.Ns = r.Kinds[i].Start, r.Kinds[i].Ns
	}
	l.conclude(r)
	return a, nil
}

type looking struct {
	a          *Surroundings
	of         map[int64][]timeline.Interval // of each goroutine, in order of time
	held, left int
	steps      []step
}

// step is what one goroutine did at a stretch.
type step struct {
	*timeline.Interval
	from, to int64
}

func (l *looking) see(i *timeline.Interval) {
	if i.Kind != timeline.Goroutine || i.ToNs <= l.a.FromNs || i.FromNs >= l.a.ToNs {
		return
	}
	if l.held == mostAround {
		l.left++
		return
	}
	l.held++
	l.of[i.Goroutine] = append(l.of[i.Goroutine], *i)
}

// blocked reports whether somebody let a goroutine wait.
func blocked(i *timeline.Interval) bool {
	s := State(i.State)
	return s > Syscall && s != Sleep && s != Network && i.Waker >= 0 && i.Waker != i.Goroutine
}

// walk lays out what a goroutine did from one moment to another.
func (l *looking) walk(id, from, to int64, hands int) {
	all := l.of[id]
	first, _ := slices.BinarySearchFunc(all, from, func(i timeline.Interval, ns int64) int {
		if i.ToNs <= ns {
			return -1
		}
		return 1
	})
	at := from
	for k := first; k < len(all) && all[k].FromNs < to && len(l.steps) < mostSteps; k++ {
		i := &all[k]
		begin, end := max(i.FromNs, at), min(i.ToNs, to)
		if end <= begin {
			continue
		}
		if begin > at {
			l.steps = append(l.steps, step{&timeline.Interval{Goroutine: id, Start: i.Start, State: uint8(Other), Waker: -1}, at, begin}) // not in the trace, or not yet born
		}
		if blocked(i) && i.ToNs <= to && hands < mostHands && len(l.of[i.Waker]) > 0 {
			l.walk(i.Waker, begin, end, hands+1)
		} else {
			l.steps = append(l.steps, step{i, begin, end})
		}
		at = end
	}
	if at < to && hands > 0 {
		l.steps = append(l.steps, step{&timeline.Interval{Goroutine: id, State: uint8(Other), Waker: -1}, at, to})
	}
}

func (l *looking) conclude(r *Result) {
	a := l.a
	if l.left > 0 {
		a.Warnings = append(a.Warnings, fmt.Sprintf("%d of %d changes in that time were not examined", l.left, l.left+l.held))
	}
	l.processors()
	own := l.of[a.Goroutine]
	for k := range own {
		if i := &own[k]; State(i.State) > Syscall {
			a.Waits = append(a.Waits, EndedWait{State: State(i.State), By: r.waitsBy(i), Place: r.PlaceOf(i.Stack), FromNs: i.FromNs, ToNs: i.ToNs, Waker: i.Waker, Release: r.PlaceOf(i.WakerStack)})
		}
	}
	slices.SortFunc(a.Waits, func(x, y EndedWait) int {
		return cmp.Or(cmp.Compare(y.ToNs-y.FromNs, x.ToNs-x.FromNs), cmp.Compare(x.FromNs, y.FromNs))
	})
	l.walk(a.Goroutine, a.FromNs, a.ToNs, 0)
	l.path(r)
	l.cause(r)
	l.heldUp(r)
}

// processors sums up what they ran.
func (l *looking) processors() {
	a := l.a
	type kind struct {
		ns    int64
		count int
	}
	kinds := make(map[string]*kind)
	for id, all := range l.of {
		var ns int64
		start := ""
		for k := range all {
			if i := &all[k]; State(i.State) == Running && i.Proc >= 0 {
				ns, start = ns+min(i.ToNs, a.ToNs)-max(i.FromNs, a.FromNs), cmp.Or(i.Start, start)
			}
		}
		switch {
		case ns == 0:
		case id == a.Goroutine:
			a.OwnNs = ns
		default:
			if kinds[start] == nil {
				kinds[start] = &kind{}
			}
			kinds[start].ns += ns
			kinds[start].count++
			a.RanNs += ns
		}
	}
	a.IdleNs = max(int64(a.Procs)*(a.ToNs-a.FromNs)-a.OwnNs-a.RanNs, 0)
	for start, of := range kinds {
		a.Ran = append(a.Ran, RanFor{start, of.count, of.ns})
	}
	slices.SortFunc(a.Ran, func(x, y RanFor) int { return cmp.Or(cmp.Compare(y.Ns, x.Ns), strings.Compare(x.Start, y.Start)) })
}

// path adds the steps up.
func (l *looking) path(r *Result) {
	sums := make(map[stepKey]*Step)
	for _, s := range l.steps {
		place := r.PlaceOf(s.Stack)
		key := stepKey{start: s.Start, state: State(s.State)}
		if place != nil {
			key.place = *place
		}
		sum := sums[key]
		if sum == nil {
			sum = &Step{Start: s.Start, State: State(s.State), Place: place}
			sums[key] = sum
		}
		sum.Count++
		sum.Ns += s.to - s.from
		if s.to-s.from > sum.LongestNs {
			sum.LongestNs, sum.LongestAt, sum.LongestID = s.to-s.from, s.from, s.Goroutine
		}
	}
	for _, s := range sums {
		l.a.Path = append(l.a.Path, *s)
	}
	slices.SortFunc(l.a.Path, func(x, y Step) int {
		return cmp.Or(cmp.Compare(y.Ns, x.Ns), strings.Compare(x.Start, y.Start), cmp.Compare(x.State, y.State), compareFrames(x.Place, y.Place))
	})
}

// cause finds the longest step of another goroutine, and where that let go.
func (l *looking) cause(r *Result) {
	a := l.a
	var longest *step
	for k := range l.steps {
		if s := &l.steps[k]; s.Goroutine != a.Goroutine && (longest == nil || s.to-s.from > longest.to-longest.from) {
			longest = s
		}
	}
	if longest == nil || longest.to-longest.from < (a.ToNs-a.FromNs)/10 {
		return
	}
	a.Cause = &Cause{State: State(longest.State), Place: r.PlaceOf(longest.Stack), Goroutine: longest.Goroutine, Start: longest.Start, AtNs: longest.from, Ns: longest.to - longest.from}
	if i := l.firstEnded(longest.Goroutine, longest.to, 0); i != nil {
		a.Cause.Release, a.Cause.Waited, a.Cause.WaitedBy = r.PlaceOf(i.WakerStack), State(i.State), r.waitsBy(i)
	}
}

// heldUp finds who waited for the goroutine: for a lock or a channel, from before half
// of the while on.
func (l *looking) heldUp(r *Result) {
	a := l.a
	i := l.firstEnded(a.Goroutine, a.FromNs, (a.ToNs-a.FromNs)/2)
	if i == nil {
		return
	}
	h := &BlockedWaiters{State: State(i.State), By: r.waitsBy(i), Place: r.PlaceOf(i.Stack), Release: r.PlaceOf(i.WakerStack)}
	for id, all := range l.of {
		if id != a.Goroutine && slices.ContainsFunc(all, func(o timeline.Interval) bool {
			return o.State == i.State && min(o.ToNs, a.ToNs)-max(o.FromNs, a.FromNs) >= (a.ToNs-a.FromNs)/2 && compareFrames(r.PlaceOf(o.Stack), h.Place) == 0
		}) {
			h.Count++
		}
	}
	a.HeldUp = h
}

// firstEnded returns the first wait for a lock or a channel, of so long at least, that a
// goroutine ended from a moment on.
func (l *looking) firstEnded(waker, from, atLeast int64) (first *timeline.Interval) {
	for _, all := range l.of {
		for k := range all {
			i := &all[k]
			if i.Waker == waker && (State(i.State) == Sync || State(i.State) == Channel) && i.ToNs >= from && i.ToNs-max(i.FromNs, l.a.FromNs) >= atLeast &&
				(first == nil || i.ToNs < first.ToNs || i.ToNs == first.ToNs && i.Goroutine < first.Goroutine) {
				first = i
			}
		}
	}
	return first
}

// waitsBy returns the function of package sync that a goroutine waits in, "" in other states.
func (r *Result) waitsBy(i *timeline.Interval) string {
	if State(i.State) != Sync || int(i.Stack) >= len(r.names) {
		return ""
	}
	return waitsBy(r.names[i.Stack])
}
