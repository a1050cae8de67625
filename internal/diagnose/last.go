package diagnose

import (
	"fmt"
	"slices"
	"strings"

	"whet/internal/analyze/hot"
	"whet/internal/analyze/places"
	"whet/internal/callstack"
	"whet/internal/finding"
	"whet/internal/quantity"
	"whet/internal/symbolname"
)

// asked is how many of the first hot places rules are asked about that speak where no
// other does.
const asked = 3

// LeastAsked is the smallest share of the base's time, of a cost at a hot place, that a
// rule may claim when it is applied to the place.
const LeastAsked = 0.15

// Spot is a hot place of one subject, for rules that are applied to places.
type Spot struct {
	Function string // the declared function, as the linker names it
	File     string // as the frames have it
	Lines    []int  // the heaviest first
	Cost     Sets   // what is charged to it
	Worth    float64
}

// Judgement is a rule's judgement about a place.
type Judgement struct {
	Cause string // the cost, in a sentence; "" if the rule does not know
	Claim *Claim // nil: there is no evidence that it could be avoided
}

// Work is a sample of a place.
type Work struct {
	Of     *hot.Classified
	Index  int
	Below  []callstack.FrameID // the functions below the line, leaf first
	Line   int
	Called string // what the line calls, as the source has it; "" is the line itself
	Kind   places.Kind
	Value  int64 // nanoseconds, or bytes
}

// EachWork calls f for each sample of a place, of the CPU profile and then of the
// allocation profile.
func (s *Subject) EachWork(at *Spot, f func(Work)) {
	s.EachSample(func(c *hot.Classified, sample *callstack.Stacks, stack []callstack.FrameID) {
		if !at.Cost.Of(s, c).Has(sample.Index()) {
			return
		}
		i := slices.IndexFunc(stack, func(id callstack.FrameID) bool { return s.role(c.Frame(id)) == places.Own })
		if i < 0 {
			return
		}
		names, column := make([]string, i), s.CPUColumn
		for j, id := range stack[:i] {
			names[j] = c.Frame(id).Function
		}
		if c == s.Allocs {
			column = s.AllocCol
		}
		w := Work{Of: c, Index: sample.Index(), Below: stack[:i], Line: c.Frame(stack[i]).Line, Value: sample.Value(column)}
		w.Called, w.Kind = places.Work(names)
		f(w)
	})
}

// last asks the rules that speak where no other does.
type last struct {
	*ledger
	pooled bool // the ledger is of the sum of all subjects
	rules  []Rule
	said   map[*Subject][]weighedClaim
	add    func(*Subject, weighedClaim)
	failed []string // what is to be warned of
}

// ask says what is known of a hot place: of one without a finding its cause, and of the
// first ones a finding. Where there is a finding, only the rules that speak beside
// others are asked.
func (a *last) ask(p *finding.HotPlace, e *entry, number int) (k chargedFinding, ok bool) {
	beside := p.Finding != nil
	if beside && number > asked {
		return k, false
	}
	i := 0
	if !a.pooled {
		i = a.leading(e)
	}
	defer func() {
		if text := causeOf(p); p.Cause == nil && text != "" && !beside {
			p.Cause = &text
		}
	}()
	at := a.spot(e, i)
	if at == nil {
		return k, false
	}
	s := a.subjects[i].Subject
	var claimed bool
	for r := range a.rules {
		rule := &a.rules[r]
		if rule.At == nil || beside && rule.Beside == nil || !s.hasEvidence(rule) {
			continue
		}
		j, failure := rule.at(s, at)
		if failure != "" {
			a.failed = append(a.failed, s.Benchmark+": "+failure)
		}
		if j.Cause == "" {
			continue
		}
		if p.Cause == nil && !beside {
			p.Cause = &j.Cause
		}
		if j.Claim == nil || claimed || number > asked || a.repeats(s, rule, at, j.Claim) {
			continue
		}
		mem := s.memory()
		w := s.weigh(rule, *j.Claim, mem.matters())
		if !w.above || w.cost.few {
			continue
		}
		a.add(s, w)
		a.said[s] = append(a.said[s], w) // a place that it explains is not asked about
		claimed = true
		k, ok = chargedFinding{
			rule: rule.ID, worth: w.worth(s, w.cost), at: e.lines[0].at,
			file: w.claim.Place.File, function: declared(w.claim.Place.Function), line: w.claim.Place.Line,
		}, true
		if !beside || k.worth > e.said {
			p.Cause = &j.Cause
		}
	}
	return k, ok
}

// askAbout sorts places, asks about them in their order, and sorts them again: where one
// of several alike has a finding now, it is the first. Of two findings a place has that
// which is worth more.
func (l *ledger) askAbout(out []finding.HotPlace, all []entry, ask func(p *finding.HotPlace, e *entry, number int) (chargedFinding, bool)) {
	of := make(map[findingKey]*entry)
	key := func(p *finding.HotPlace) findingKey { return findingKey{p.Function, p.File, p.Line} }
	for i := range out {
		of[key(&out[i])] = &all[i]
	}
	finding.SortHotPlaces(out)
	if ask == nil {
		return
	}
	for i := range out {
		p := &out[i]
		e := of[key(p)]
		if k, ok := ask(p, e, i+1); ok && (p.Finding == nil || k.worth > e.said) {
			k.explain(p, e)
		}
	}
	finding.SortHotPlaces(out)
}

// at asks the rule about a place. One that fails says nothing.
func (r *Rule) at(s *Subject, at *Spot) (j Judgement, failure string) {
	defer func() {
		if err := recover(); err != nil {
			j, failure = Judgement{}, r.failure(err)
		}
	}()
	return r.At(s, at), ""
}

// spot returns an entry in one subject; nil where that has no sample of it.
func (l *ledger) spot(e *entry, subject int) *Spot {
	c := l.subjects[subject]
	at := &Spot{Function: e.lines[0].at.Function, File: e.lines[0].at.File, Worth: e.worth}
	for _, line := range e.lines {
		at.Lines = append(at.Lines, line.at.Line)
	}
	for _, m := range []int{cpuTime, allocBytes} {
		of, column := c.profile(m)
		charged := c.of[m]
		if of == nil || charged == nil {
			continue
		}
		for i, r := 0, of.Rows(column); r.Next(); i++ {
			line, ok := charged.Of(i)
			if ok && slices.ContainsFunc(e.lines, func(of entry) bool { return of.at == declaredAt(line) }) {
				at.Cost.Of(c.Subject, of).Add(i)
			}
		}
	}
	if at.Cost.Len() == 0 {
		return nil
	}
	return at
}

// repeats reports whether findings say what a claim about a place says. Those of a rule
// that speaks beside others are repeated by one that says the same in other words, wherever
// it is, and by one in the same function; others by any.
func (a *last) repeats(s *Subject, rule *Rule, at *Spot, c *Claim) bool {
	if rule.Beside == nil {
		return max(a.explained(s, at.Cost.Samples(), func(*weighedClaim) bool { return true })) >= half
	}
	time, bytes := a.explained(s, c.avoidable(), func(w *weighedClaim) bool {
		by := &w.claim.Place
		return w.rule.ID == rule.ID || slices.Contains(rule.Beside, w.rule.ID) || by.File == c.Place.File && declared(by.Function) == declared(c.Place.Function)
	})
	if s.CPUShare(c.avoidable().CPU) >= Threshold { // it is claimed for its time
		return time >= half
	}
	return bytes >= half
}

// explained is the part of samples, of their time and of their bytes, that some findings
// would take away.
func (a *last) explained(s *Subject, all Samples, by func(*weighedClaim) bool) (time, bytes float64) {
	part := func(of *hot.Classified, column int, part func(Samples) Keep) float64 {
		whole := part(all)
		if whole == nil {
			return 0
		}
		return ratio(baseSum(of, column, func(i int) bool {
			return whole(i) && slices.ContainsFunc(a.said[s], func(w weighedClaim) bool {
				keep := part(w.claim.avoidable())
				return w.above && keep != nil && keep(i) && by(&w)
			})
		}), baseSum(of, column, whole))
	}
	return part(s.CPU, s.CPUColumn, func(of Samples) Keep { return of.CPU }), part(s.Allocs, s.AllocCol, func(of Samples) Keep { return of.Allocs })
}

// causeOf says of which kind the cost of a place is, where no rule says more. It is
// what most of it is made of; "" where that is nothing by name: its own instructions
// and the work of what it calls are in the place's parts already.
func causeOf(p *finding.HotPlace) string {
	share := func(part *finding.Part) float64 {
		switch {
		case p.CPURatio != nil && *p.CPURatio > 0 && part.CPURatio != nil:
			return *part.CPURatio / *p.CPURatio
		case p.AllocBytesRatio != nil && *p.AllocBytesRatio > 0 && part.AllocBytesRatio != nil:
			return *part.AllocBytesRatio / *p.AllocBytesRatio
		}
		return 0
	}
	if len(p.Kinds) == 0 {
		return ""
	}
	most := &p.Kinds[0]
	if share(most) < half {
		return ""
	}
	called := ""
	for i := range p.Callees {
		if p.Callees[i].Name != "" {
			called = p.Callees[i].Name
			break
		}
	}
	text := causeWords(places.Kind(most.Name), called)
	if text == "" {
		return ""
	}
	return fmt.Sprintf("%s of it is %s.", quantity.Percent(share(most)), text)
}

// half is the part of a place from which one kind of work is its cost.
const half = 0.5

// causeWords returns what a kind of work is, for a sentence; "" where it says nothing.
func causeWords(kind places.Kind, called string) string {
	switch kind {
	case places.Instructions, places.Other:
		return ""
	case places.Allocation, places.Assist:
		return "taking memory"
	case places.Cleared:
		return "clearing newly allocated memory: its length is the cost"
	case places.Moved:
		return "copying: the cost is the length of each copy times their number"
	case places.Compared:
		return "comparing and searching bytes: their number is the cost"
	case places.Map:
		return "map operations: each lookup hashes the key and compares it with keys of the map"
	case places.Hashing:
		return "hashing: the cost is the length of each input times their number"
	case places.Clock:
		return "reading the clock"
	case places.Random:
		return "generating random numbers"
	case places.Lock:
		return "acquiring and releasing a lock"
	case places.Channel:
		return "channel operations"
	case places.Start:
		return "starting goroutines"
	}
	if called != "" && !strings.HasPrefix(string(kind), "system call") {
		return fmt.Sprintf("%s, by %s", kind, symbolname.Short(called))
	}
	return string(kind) + "s"
}
