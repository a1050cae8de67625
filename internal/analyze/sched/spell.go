package sched

import (
	"cmp"
	"slices"
	"strings"

	"whet/internal/format/exectrace"
)

// spell is that a goroutine ran without a break.
type spell struct {
	start    string
	from, to int64
}

// ring holds the last spells of all processors, by their end.
type ring struct {
	of   []spell
	next int
}

// spellsKept bounds the ring: a hundred milliseconds of a busy program.
const spellsKept = 1 << 13

func (r *ring) add(s spell) {
	if len(r.of) < spellsKept {
		r.of = append(r.of, s)
		return
	}
	r.of[r.next] = s
	r.next = (r.next + 1) % spellsKept
}

// onProc follows what runs on which processor. It is called while g has the state
// from before e.
func (a *analysis) onProc(g *goroutine, e *exectrace.Event) {
	if e.To == exectrace.Running {
		if p := int(e.Proc); p >= 0 && p < 1<<16 {
			if p >= len(a.on) {
				a.on = append(a.on, make([]*goroutine, p+1-len(a.on))...)
			}
			a.on[p] = g
		}
		g.on, g.ranFrom, g.aloneAt = e.Proc, e.TimeNs, a.lone(e.TimeNs)
		if e.From == exectrace.Unknown {
			g.ranFrom, g.aloneAt = a.result.FromNs, 0
		}
		return
	}
	if g.state != Running || e.From != exectrace.Running {
		return
	}
	if p := int(g.on); p >= 0 && p < len(a.on) && a.on[p] == g {
		a.on[p] = nil
	}
	g.alone += min(a.lone(e.TimeNs)-g.aloneAt, e.TimeNs-g.ranFrom)
	a.spells.add(spell{g.start, g.ranFrom, e.TimeNs})
}

// meanwhile says what ran between two moments, the later of which is now.
func (a *analysis) meanwhile(from, to int64) (most []RunTime, all int64) {
	by := make(map[string]int64)
	for i := range a.spells.of {
		s := a.spells.of[(a.spells.next+len(a.spells.of)-1-i)%len(a.spells.of)]
		if s.to <= from {
			break
		}
		by[s.start] += s.to - max(s.from, from)
	}
	for _, g := range a.on {
		if g != nil && g.ranFrom < to {
			by[g.start] += to - max(g.ranFrom, from)
		}
	}
	for start, ns := range by {
		all += ns
		most = append(most, RunTime{start, ns})
	}
	slices.SortFunc(most, func(x, y RunTime) int { return cmp.Or(cmp.Compare(y.Ns, x.Ns), strings.Compare(x.Start, y.Start)) })
	return most[:min(len(most), 3)], all
}
