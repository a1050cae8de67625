package trace

import (
	"cmp"
	"fmt"
	"slices"

	"whet/internal/analyze/sched"
	"whet/internal/symbolname"
	"whet/internal/timeline"
)

// Moment is a part of a trace that is worth a look.
type Moment struct {
	timeline.Window
	Text      string
	Goroutine int64 // that it is about; 0: none
}

// mostOf is how many moments of one sort are named.
const mostOf = 3

// Moments returns the moments of a trace: the longest waits of places that hold goroutines
// up, for a processor and for the world to go on, the slowest tasks, and when
// the collector left the least.
func Moments(r *sched.Result) (out []Moment) {
	add := func(from, ns, id int64, text string) {
		if ns > 0 {
			out = append(out, Moment{timeline.Window{FromNs: from, ToNs: from + ns}, text, id})
		}
	}
	shown := 0
	for _, w := range r.HotPlaces() {
		// Who waits for clients, or all the time, is not held up.
		if !isLock(w) && w.State != sched.Channel && w.State != sched.Collector || w.Count == 0 || w.LongestNs > r.SpanNs/2 || shown == mostOf {
			continue
		}
		shown++
		add(w.LongestAt, w.LongestNs, w.LongestID, fmt.Sprintf("the longest wait for %s at %s, %s", waitingFor(w), place(w.Place), ns(w.LongestNs)))
	}
	for _, d := range r.Worst[:min(len(r.Worst), mostOf)] {
		add(d.FromNs, d.ToNs-d.FromNs, d.Goroutine, fmt.Sprintf("ready and not running for %s: goroutine %d, %s", ns(d.ToNs-d.FromNs), d.Goroutine, name(d.Start)))
	}
	if len(r.GC.Pauses) > 0 {
		p := slices.MaxFunc(r.GC.Pauses, func(x, y sched.Pause) int { return cmp.Compare(x.MostNs, y.MostNs) })
		add(p.MostAt, p.MostNs, 0, fmt.Sprintf("the longest stop of the world, %s for %s", ns(p.MostNs), p.Reason))
	}
	for _, u := range r.MMU {
		if u.WindowNs == 10e6 && len(u.Worst) > 0 {
			add(u.Worst[0].AtNs, u.WindowNs, 0, fmt.Sprintf("10 ms of which the collector leaves the program %s", share(int64(u.Ratio*1e6), 1e6)))
		}
	}
	for i := range r.Tasks[:min(len(r.Tasks), mostOf)] {
		s := &r.Tasks[i]
		if s.Count > 0 {
			add(s.SlowestAt, s.Times.Max(), 0, fmt.Sprintf("the slowest task %s, %s", symbolname.Short(s.Type), ns(s.Times.Max())))
		}
	}
	return out
}

// Keep returns the windows in which a timeline keeps single intervals, most in all: the
// whole, if they will be so few; else as much around each moment as there may be.
func Keep(r *sched.Result, moments []Moment, most int) []timeline.Window {
	whole := timeline.Window{FromNs: r.FromNs, ToNs: r.FromNs + r.SpanNs}
	// An event in two, or fewer, ends an interval.
	if r.Events <= 2*most || len(moments) == 0 {
		return []timeline.Window{whole}
	}
	length := int64(float64(r.SpanNs) * float64(2*most) / float64(r.Events) / float64(len(moments)))
	var all []timeline.Window
	for _, m := range moments {
		begin := m.FromNs - (length-(m.ToNs-m.FromNs))/2
		begin = max(min(begin, m.FromNs-length/10, whole.ToNs-length), whole.FromNs)
		all = append(all, timeline.Window{FromNs: begin, ToNs: min(begin+length, whole.ToNs)})
	}
	slices.SortFunc(all, func(x, y timeline.Window) int { return cmp.Compare(x.FromNs, y.FromNs) })
	out := all[:1]
	for _, w := range all[1:] {
		if last := &out[len(out)-1]; w.FromNs <= last.ToNs {
			last.ToNs = max(last.ToNs, w.ToNs)
		} else {
			out = append(out, w)
		}
	}
	return out
}

// Classes number the start functions whose goroutines run the most.
func Classes(r *sched.Result) map[string]uint8 {
	kinds := slices.Clone(r.Kinds)
	slices.SortStableFunc(kinds, func(x, y sched.Kind) int { return cmp.Compare(y.Ns[sched.Running], x.Ns[sched.Running]) })
	classes := make(map[string]uint8)
	for i := range kinds[:min(len(kinds), colours)] {
		classes[kinds[i].Start] = uint8(i + 1)
	}
	return classes
}

// colours is the number of start functions with a colour of their own.
const colours = 9
