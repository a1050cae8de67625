package diagnose

import (
	"fmt"

	"whet/internal/analyze/contention"
	"whet/internal/analyze/hot"
	"whet/internal/analyze/places"
	"whet/internal/analyze/scaling"
	"whet/internal/quantity"
)

// Processors is the speedup of a parallel benchmark with processors.
type Processors struct {
	*scaling.Processors
	Machine scaling.Machine
	// One is the CPU profile of the runs at one processor, nil where there is none.
	One           *hot.Classified
	OneColumn     int
	OneIterations int64 // that it covers; 0: unknown
}

// leastAdded is what a place must add of the CPU time that an operation takes more at
// all processors than at one, to be named for it.
const leastAdded = 0.3

// Scaling returns a clause on the speedup of a benchmark with processors, and what stops it;
// "" if it was not measured.
func (s *Subject) Scaling() string {
	p := s.Processors
	if p == nil {
		return ""
	}
	on := quantity.Plural(p.Processors.Processors, "processor")
	if m := p.Machine; m.Physical > 0 && m.Physical < p.Processors.Processors {
		on += fmt.Sprintf(", which are threads of %s,", quantity.Plural(m.Physical, "core"))
	}
	how := fmt.Sprintf("%.2f times as fast (%.2f to %.2f) on %s as on 1", p.Speedup.Center, p.Speedup.Low, p.Speedup.High, on)
	switch p.Answer(p.Machine) {
	case scaling.Scales:
		return how
	case scaling.NotBusy:
		return how + fmt.Sprintf(": it keeps one busy for %s of the time, and otherwise waits", quantity.Percent(p.OneBusy))
	case scaling.Disturbed:
		return how + fmt.Sprintf(", which says little: other processes had the processors, and it got %.1f of the %.1f that it could use", p.Busy, min(p.Wanted, float64(p.Processors.Processors)))
	case scaling.Unclear:
		return how + ", which does not say whether it scales: a longer run (-budget) would"
	}
	return how + "; " + s.stops()
}

// DoesNotScale reports whether more processors are known to be of little use to it.
func (s *Subject) DoesNotScale() bool {
	return s.Processors != nil && s.Processors.Answer(s.Processors.Machine) == scaling.Stops
}

// stops names what keeps processors from making it faster: what is waited for, or what
// takes more CPU time.
func (s *Subject) stops() string {
	p := s.Processors
	if !p.MoreWork(p.Machine) {
		text := fmt.Sprintf("%.1f of them are busy on average", p.Busy)
		if wait := s.longestWait(); wait != "" {
			return text + ", the others " + wait
		}
		return text + ", the others are idle"
	}
	text := fmt.Sprintf("an operation takes %.2f times the CPU time", p.CPURatio)
	if at, share := s.addedAt(); at != "" {
		return text + fmt.Sprintf(", and %s of the increase is %s", quantity.Percent(share), at)
	}
	return text
}

// longestWait names what goroutines that have work wait for longest.
func (s *Subject) longestWait() string {
	of, column, iterations := s.Block, s.BlockCol, s.BlockIterations
	if of == nil {
		of, column, iterations = s.Mutex, s.MutexCol, s.MutexIterations
	}
	if of == nil {
		return ""
	}
	count, err := of.TypeIndex("contentions")
	if err != nil {
		return ""
	}
	for _, p := range contention.Sites(of.Frames, column, count, of.Keep(hot.Base), s.Own) {
		if p.Idle || p.Function == "" || p.DelayNs < enoughDelay {
			continue
		}
		what := string(p.Kind)
		if p.Kind == contention.Other {
			what = "something"
		}
		at, function := s.lockAt(&p)
		text := fmt.Sprintf("wait for the %s at %s (%s)", what, brief(at), brief(function))
		if iterations > 0 {
			text += fmt.Sprintf(", %s an operation", quantity.Nanoseconds(float64(p.DelayNs)/float64(iterations)))
		}
		return text
	}
	return ""
}

// addedAt returns the line of the user's own that takes most of the CPU time which an
// operation takes more than at one processor, with what it calls, and its share of it; "" where
// no place has much of it.
func (s *Subject) addedAt() (at string, share float64) {
	p := s.Processors
	if p.One == nil || s.CPU == nil || p.OneIterations <= 0 || s.CPUIterations <= 0 {
		return "", 0
	}
	many := places.Charge(s.CPU.Frames, s.CPUColumn, s.CPU.Keep(hot.Base), s.role)
	one := places.Charge(p.One.Frames, p.OneColumn, p.One.Keep(hot.Base), s.role)
	each := func(many, one int64) float64 {
		return float64(many)/float64(s.CPUIterations) - float64(one)/float64(p.OneIterations)
	}
	all, most := each(many.Total, one.Total), each(many.Tests, one.Tests)
	at = "the benchmark's own work"
	var best *places.Line
	for line, cost := range many.Lines {
		var before int64
		if c := one.Lines[line]; c != nil {
			before = c.Value
		}
		if added := each(cost.Value, before); added > most || added == most && best != nil && compareLines(line, *best) < 0 {
			most, best = added, &line
		}
	}
	if all <= 0 || most < leastAdded*all {
		return "", 0
	}
	if best != nil {
		at = "at " + brief(s.At(Location{File: best.File, Line: best.Line})) + " (" + brief(best.Function)
		for callee, v := range many.Lines[*best].Callees {
			if callee != "" && 2*v > many.Lines[*best].Value {
				at += ", " + brief(callee)
			}
		}
		at += ")"
	}
	return at, min(most/all, 1)
}

// leastScaling says of the benchmark that gains least by processors, of those that do not
// scale, what stops it.
func leastScaling(subjects []*Subject) string {
	var least *Subject
	n := 0
	for _, s := range subjects {
		if !s.DoesNotScale() {
			continue
		}
		n++
		if least == nil || s.Processors.Speedup.Center < least.Processors.Speedup.Center {
			least = s
		}
	}
	if least == nil {
		return ""
	}
	text := "; it is only "
	if len(subjects) > 1 {
		text = "; " + brief(least.Benchmark) + " is only "
	}
	text += least.Scaling()
	switch {
	case n == 2:
		text += ", and 1 other does not scale either"
	case n > 2:
		text += fmt.Sprintf(", and %d others do not scale either", n-1)
	}
	return text
}
