package selection

import (
	"slices"

	"whet/internal/callstack"
)

// Walk goes through the samples that are left, in the profile's order. Samples
// whose Value and Divisor are zero are left out, as pprof leaves them out.
//
// How it keeps Shared. A stack as the walk sees it is the frames of tagroot,
// the locations of the sample and the frames of tagleaf. For each of them but
// the last, levels has what the options make of the stack up to there: how
// many steps it gave, what it matched, whether it is cut off. The next sample
// begins at the level up to which its stack is the same, however many samples
// between them were left out; so an option costs only where stacks change.
// Options that cut a stack at its far end (prune_from, tagleaf) act on the
// view of the buffer that Path is, not on levels.
type Walk struct {
	// Path is the sample's stack, root first. Next changes only the steps after the
	// first Shared ones, which are those of the sample before.
	Path           []Step
	Shared         int
	Value, Divisor int64 // the Divisor is 0 without Options.Mean

	s      *Selection
	c      *callstack.Cursor
	bare   bool                   // of stacks: its rows alone are read
	zeros  *callstack.Rows        // the values of WalkAll
	roots  []callstack.LocationID // that levels begins with
	levels []level                // levels[i] is before the i-th location
	counts []int32                // the steps of levels, all that there is of them where no place decides anything
	buffer []Step
	valid  int // steps at the root end of buffer that are as in Path
	end    int // of buffer that was Path

	labels   []callstack.Label
	labelsOf callstack.LabelSet // that labels is of, if labeled
	labeled  bool
}

// level is what a stack is up to some location.
type level struct {
	steps int32 // in buffer
	close int32 // steps up to the last location that matches prune_from; -1 is none
	state flags // of the locations on it, together
}

// Walk returns a walk over all samples. Walks are independent of each other.
func (s *Selection) Walk() *Walk { return s.walk(s.columns...) }

// Part returns the i-th of n walks that together cover the samples of Walk, and can be
// read concurrently, each by the goroutine that calls Part: otherwise their data may
// share a cache line. The first stack of a part shares nothing.
func (s *Selection) Part(i, n int) *Walk {
	w, samples := s.Walk(), s.profile.Len()
	w.c.Part(i*samples/n, (i+1)*samples/n)
	return w
}

// walk is over the samples that are not zero in the columns.
func (s *Selection) walk(columns ...int) *Walk {
	return &Walk{s: s, c: s.profile.Cursor(columns...), levels: []level{{close: -1}}, counts: make([]int32, 1)}
}

// WalkAll is Walk, but the samples whose value is zero are among those it goes
// through, for views that list samples and labels.
func (s *Selection) WalkAll() *Walk {
	w := s.walk()
	w.zeros = s.profile.Rows(s.columns...)
	return w
}

// WalkLabels is WalkAll for callers that do not use Path: it reads stacks only if the
// options need them.
func (s *Selection) WalkLabels() *Walk {
	w := s.WalkAll()
	w.bare = s.plain
	return w
}

// Next goes to the next sample and reports whether there is one.
func (w *Walk) Next() bool {
	for w.bare && w.c.Rows.Next() || !w.bare && w.c.Next() {
		if w.zeros != nil {
			w.zeros.Next()
		}
		if !w.bare {
			w.move()
		}
		if w.s.tagged {
			if set := w.labelSet(); set.ignored || !set.focused {
				continue
			}
		}
		if !w.bare && !w.takes() {
			continue
		}
		w.Value = w.value(0)
		if len(w.s.columns) > 1 {
			w.Divisor = w.value(1)
		}
		return true
	}
	return false
}

func (w *Walk) value(column int) int64 {
	if w.zeros != nil {
		return w.zeros.Value(column)
	}
	return w.c.Value(column)
}

// move forgets the levels that the sample at hand does not share.
func (w *Walk) move() {
	if w.s.plain {
		w.counts = w.counts[:min(w.c.Shared+1, len(w.counts))]
	} else {
		w.levels = w.levels[:min(len(w.roots)+w.c.Shared+1, len(w.levels))]
	}
}

// takes makes the stack of the sample at hand, and reports whether it is left.
func (w *Walk) takes() bool {
	if w.s.plain {
		w.follow()
		return true
	}
	var leaves []callstack.LocationID
	if len(w.s.tagRoot)+len(w.s.tagLeaf) > 0 {
		set := w.labelSet()
		w.reroot(set.roots)
		leaves = set.leaves
	}
	at := len(w.levels) - 1
	l := w.levels[at]
	w.valid = min(w.valid, int(l.steps))
	w.buffer = w.buffer[:l.steps]
	if l.state&ignored != 0 {
		return false // levels may end among the roots
	}
	if l = w.push(l, w.c.Path[at-len(w.roots):], true); l.state&ignored != 0 {
		return false
	}
	if len(leaves) > 0 {
		l.state &^= cutOff
		if l = w.push(l, leaves, false); l.state&ignored != 0 {
			return false
		}
	}
	if l.state&w.s.needs != w.s.needs {
		return false
	}
	end := int(l.steps)
	if l.close >= 0 {
		end = int(l.close)
	}
	w.show(end)
	return true
}

// show makes Path of so many steps of the buffer.
func (w *Walk) show(end int) {
	w.Shared = min(w.valid, w.end, end)
	w.Path, w.valid, w.end = w.buffer[:end:end], len(w.buffer), end
}

// few is the number of frames that follow copies of a place, whatever it has: more are
// rare, and not to ask is cheaper than a processor's wrong guess at the number.
const few = 2

// follow is takes without options that decide about places: most of what is
// read goes through it.
func (w *Walk) follow() {
	places, steps, counts := w.s.expansions, w.s.steps, w.counts
	at := len(counts) - 1
	n := int(counts[at])
	w.valid = min(w.valid, n)
	buffer := w.buffer[:cap(w.buffer)]
	for _, id := range w.c.Path[at:] {
		pl := &places[id]
		k := int(pl.end - pl.first)
		if n+k+few > len(buffer) {
			buffer = slices.Grow(buffer[:n], k+few)
			buffer = buffer[:cap(buffer)]
		}
		to, from := (*[few]Step)(buffer[n:]), (*[few]Step)(steps[pl.first:])
		to[0], to[1] = from[0], from[1] // as arrays they would be copied by a call
		if k > few {
			copy(buffer[n:], steps[pl.first:pl.end])
		}
		n += k
		counts = append(counts, int32(n))
	}
	w.buffer, w.counts = buffer[:n], counts
	w.show(n)
}

// push puts locations onto a stack, up to where they are cut off, or ignored;
// keep says that levels is to have them.
func (w *Walk) push(l level, path []callstack.LocationID, keep bool) level {
	places, steps, buffer, levels := w.s.expansions, w.s.steps, w.buffer, w.levels
	opens := w.s.needs & opening
	for _, id := range path {
		if l.state&(ignored|cutOff) != 0 {
			break
		}
		pl := &places[id]
		f := pl.flags
		if f&(dropped|droppedBelow) != 0 && l.state&spared != 0 {
			if f&dropped != 0 {
				break
			}
			f |= cutOff
		}
		l.state |= f
		if f&hidden == 0 && l.state&opens == opens {
			buffer = append(buffer, steps[pl.first:pl.end]...)
			l.steps = int32(len(buffer))
			if f&closing != 0 {
				l.close = l.steps
			}
		}
		if keep {
			levels = append(levels, l)
		}
	}
	w.buffer, w.levels = buffer, levels
	return l
}

// reroot puts the frames of tagroot below the stack at hand.
func (w *Walk) reroot(roots []callstack.LocationID) {
	same := 0
	for same < len(w.roots) && w.roots[same] == roots[same] {
		same++
	}
	if same == len(roots) {
		return
	}
	w.roots = roots
	w.levels = w.levels[:min(same+1, len(w.levels))]
	l := w.levels[len(w.levels)-1]
	w.valid = min(w.valid, int(l.steps))
	w.buffer = w.buffer[:l.steps]
	w.push(l, roots[len(w.levels)-1:], true)
}

func (w *Walk) labelSet() *labelSet { return w.s.sets[w.c.LabelSet()] }

// LabelSet identifies a sample's set of labels: Labels returns the same for samples
// with equal sets. There are Profile().LabelSets of them.
func (w *Walk) LabelSet() callstack.LabelSet { return w.c.LabelSet() }

// Labels returns the sample's shown labels, until Next. They include the label
// pprof::base=true, which marks the samples of a DiffBase.
func (w *Walk) Labels() []callstack.Label {
	set := w.c.LabelSet()
	if w.labeled && w.labelsOf == set {
		return w.labels
	}
	w.labeled, w.labelsOf = true, set
	w.labels = w.s.AppendLabels(w.labels[:0], set)
	return w.labels
}

// AppendLabels appends the shown labels of a set, as Walk.Labels.
func (s *Selection) AppendLabels(labels []callstack.Label, set callstack.LabelSet) []callstack.Label {
	n := len(labels)
	labels = s.profile.AppendLabels(labels, set)
	kept := labels[:n]
	for _, l := range labels[n:] {
		if !noLabel(l) && s.ShowsKey(l.Key) {
			kept = append(kept, l)
		}
	}
	return kept
}

// ShowsKey reports whether labels of a key that samples have are shown.
func (s *Selection) ShowsKey(key string) bool { return s.shownKeys == nil || s.shownKeys[key] }

// Source returns the index of the sample's source: of several with one role, the first.
// A Base is subtracted from the others' samples and has none of its own.
func (w *Walk) Source() int {
	base := w.s.baseSource >= 0
	if base && w.s.baseFrom >= 0 {
		base = w.c.Index() >= w.s.baseFrom
	} else if base {
		base = w.labelSet().base
	}
	if base {
		return w.s.baseSource
	}
	return w.s.measuredSource
}

// Sample returns the sample's number in Selection.Profile.
func (w *Walk) Sample() int { return w.c.Index() }
