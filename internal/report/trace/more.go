package trace

import (
	"fmt"
	"math/bits"
	"strings"

	"whet/internal/analyze/sched"
	"whet/internal/hist"
)

// longest names the goroutine of each kind that lived longest, with its longest wait.
func (t *writer) longest() {
	var kinds []*sched.Kind
	for i := range t.r.Kinds {
		if k := &t.r.Kinds[i]; k.LongestWait != nil && !ofRuntime(k) {
			kinds = append(kinds, k)
		}
	}
	if len(kinds) == 0 {
		return
	}
	most := t.most
	if most == rows {
		most = 3
	}
	shown := min(len(kinds), most)
	aside := "with its longest wait, innermost line first"
	if shown < len(kinds) {
		aside += fmt.Sprintf("; %s of %s, -all shows the rest", count(shown), count(len(kinds)))
	}
	t.Heading("The longest goroutine of each", aside)
	for _, k := range kinds[:shown] {
		w := k.LongestWait
		text := fmt.Sprintf("%s, goroutine %d, %s: %s for %s", started(k), k.LongestID, ns(k.LongestNs), w.State, ns(w.Ns))
		from := sched.Leaf(w.Stack)
		for i, f := range w.Stack[from:] {
			if i == 6 {
				text += fmt.Sprintf(" … %d more", len(w.Stack)-from-i)
				break
			}
			text += []string{" at ", ", by ", ", by ", ", by ", ", by ", ", by "}[i] + place(f)
		}
		t.Hang(2, "", 0, text)
	}
}

// mostly lists the states that make a tenth of a time and more.
func mostly(in *[sched.NumStates]int64, all int64) string {
	var out []string
	for i, v := range in {
		if all > 0 && v*10 >= all {
			out = append(out, fmt.Sprintf("%s %s", sched.State(i), share(v, all)))
		}
	}
	return strings.Join(out, ", ")
}

func sum(of *[sched.NumStates]int64) (all int64) {
	for _, v := range of {
		all += v
	}
	return all
}

// shares returns what part of each step a processor runs.
func shares(p *sched.Proc, r *sched.Result) []float64 {
	out := make([]float64, len(p.Course))
	for i, v := range p.Course {
		step := min(r.StepNs, r.SpanNs-int64(i)*r.StepNs)
		out[i] = min(float64(v)/float64(max(step, 1)), 1)
	}
	return out
}

func courseNote(r *sched.Result) string {
	if r.StepNs == 0 || len(r.Procs) == 0 {
		return ""
	}
	return fmt.Sprintf("; over time, each column %s", ns(r.StepNs))
}

// doublings returns how many times lie in [from, 2·from) and so on, up to to.
func doublings(h *hist.Histogram) (out []int64, from, to int64) {
	var by [65]int64
	low, high := 64, 0
	for b := range h.All() {
		k := bits.Len64(uint64(b.First))
		by[k] += b.Count
		low, high = min(low, k), max(high, k)
	}
	if low > high {
		return nil, 0, 0
	}
	return by[low : high+1], 1 << max(low-1, 0) >> b2i(low == 0), 1 << min(high, 62)
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}
