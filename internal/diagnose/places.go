package diagnose

import (
	"cmp"
	"maps"
	"slices"

	"whet/internal/analyze/hot"
	"whet/internal/analyze/places"
	"whet/internal/callstack"
	"whet/internal/finding"
	"whet/internal/symbolname"
)

// SourceLine is a line of a frame's file.
type SourceLine struct {
	File string
	Line int
}

// role says whose code a frame is. Tests and the benchmark's own body are the
// user's code, and not what is studied.
func (s *Subject) role(f *callstack.Frame) places.Role {
	switch {
	case !s.Own(f):
		return places.Foreign
	case s.OfTest(f.File, f.Line):
		return places.Test
	}
	return places.Own
}

// ledger charges what several subjects spent to places.
type ledger struct {
	subjects []*charges
	lines    map[places.Line]*entry // by declared function
	cpu      account
	alloc    account
	delay    account
	samples  int64 // of the base's CPU profiles
	worth    float64
}

// charges are one subject's.
type charges struct {
	*Subject
	cpu, alloc, delay *places.Charges
	base, gc          float64 // CPU time
}

// account adds one measure up.
type account struct {
	total, tests int64
	packages     map[string]int64
}

func (a *account) add(c *places.Charges) {
	a.total += c.Total
	a.tests += c.Tests
	if a.packages == nil {
		a.packages = make(map[string]int64)
	}
	for pkg, v := range c.Packages {
		a.packages[pkg] += v
	}
}

// entry is a line, or several of one function.
type entry struct {
	at         places.Line
	lines      []entry // sorted by worth; nil of a single line
	by         []portion
	cpu, alloc int64
	delay      int64
	callees    map[string]pair
	kinds      map[places.Kind]pair
	worth      float64
}

// portion is what one subject spends at an entry.
type portion struct {
	cpu, alloc, objects int64
	delay, waits        int64
}

type pair struct{ cpu, alloc int64 }

// charge makes the ledger of all subjects.
func charge(subjects []*Subject) *ledger {
	l := &ledger{lines: make(map[places.Line]*entry)}
	for _, s := range subjects {
		mem := s.memory()
		c := &charges{Subject: s, base: float64(mem.base), gc: float64(mem.collect)}
		l.subjects = append(l.subjects, c)
	}
	for i, c := range l.subjects {
		if c.CPU != nil {
			c.cpu = c.charge(c.CPU, c.CPUColumn)
			l.cpu.add(c.cpu)
			l.samples += c.BaseCPUSamples()
			l.take(i, c.cpu, func(e *entry, p *portion, cost *places.Cost) {
				e.cpu += cost.Value
				p.cpu += cost.Value
				for name, v := range cost.Callees {
					e.callees[name] = pair{e.callees[name].cpu + v, e.callees[name].alloc}
				}
				for kind, v := range cost.Kinds {
					e.kinds[kind] = pair{e.kinds[kind].cpu + v, e.kinds[kind].alloc}
				}
			})
		}
		if c.allocates() {
			c.alloc = c.charge(c.Allocs, c.AllocCol)
			l.alloc.add(c.alloc)
			l.take(i, c.alloc, func(e *entry, p *portion, cost *places.Cost) {
				e.alloc += cost.Value
				p.alloc += cost.Value
				for name, v := range cost.Callees {
					e.callees[name] = pair{e.callees[name].cpu, e.callees[name].alloc + v}
				}
				// A heap profile's stacks end above the allocator.
				e.kinds[places.Allocation] = pair{e.kinds[places.Allocation].cpu, e.kinds[places.Allocation].alloc + cost.Value}
			})
			l.count(i, c.Allocs, c.alloc, "alloc_objects", func(p *portion) *int64 { return &p.objects })
		}
		if of, column := c.delays(); of != nil {
			c.delay = c.charge(of, column)
			l.delay.add(c.delay)
			l.take(i, c.delay, func(e *entry, p *portion, cost *places.Cost) {
				e.delay += cost.Value
				p.delay += cost.Value
			})
			l.count(i, of, c.delay, "contentions", func(p *portion) *int64 { return &p.waits })
		}
		l.worth += c.base + c.gc
	}
	for _, e := range l.lines {
		e.worth = l.worthOf(e)
	}
	return l
}

func (c *charges) charge(of *hot.Classified, column int) *places.Charges {
	return places.Charge(of.Profile, column, of.Keep(hot.Base), c.role)
}

// delays is the profile of waiting: of who lets others wait, or of who waits
// where that is all there is.
func (c *charges) delays() (*hot.Classified, int) {
	if c.Mutex == nil && c.Lone {
		return c.Block, c.BlockCol
	}
	return c.Mutex, c.MutexCol
}

// declaredAt is the line of the declared function: a literal stands in it.
func declaredAt(at places.Line) places.Line {
	at.Function = symbolname.Parse(at.Function).Declared()
	return at
}

func (l *ledger) take(subject int, of *places.Charges, add func(*entry, *portion, *places.Cost)) {
	for at, cost := range of.Lines {
		e := l.entry(declaredAt(at))
		add(e, &e.by[subject], cost)
	}
}

func (l *ledger) entry(at places.Line) *entry {
	e := l.lines[at]
	if e == nil {
		e = &entry{at: at, by: make([]portion, len(l.subjects)), callees: make(map[string]pair), kinds: make(map[places.Kind]pair)}
		l.lines[at] = e
	}
	return e
}

// count adds another column of a profile up, by the places that its samples are
// charged to.
func (l *ledger) count(subject int, of *hot.Classified, charged *places.Charges, name string, sum func(*portion) *int64) {
	column, err := of.TypeIndex(name)
	if err != nil {
		return
	}
	for i := range of.Len() {
		if at, ok := charged.Of(i); ok && of.Class[i] == hot.Base {
			*sum(&l.entry(declaredAt(at)).by[subject]) += of.Value(column, i)
		}
	}
}

// waitIn is the share of the time that is waited for an entry in one subject; 0
// where too few waits were sampled to say.
func (l *ledger) waitIn(subject int, p portion) float64 {
	c := l.subjects[subject]
	if c.MutexFraction > 1 && p.waits < enoughWaits*c.MutexFraction {
		return 0
	}
	return c.waitShareOf(float64(p.delay))
}

// worthIn is what an entry is worth in one subject; see finding.Worth.
func (l *ledger) worthIn(subject int, p portion) float64 {
	c := l.subjects[subject]
	cpu, alloc := 0.0, 0.0
	if c.cpu != nil {
		cpu = ratio(p.cpu, c.cpu.Total)
	}
	if c.alloc != nil {
		alloc = ratio(p.alloc, c.alloc.Total)
	}
	if c.base+c.gc <= 0 {
		// Bytes or delay are all that is known.
		if c.alloc == nil && c.delay != nil {
			return ratio(p.delay, c.delay.Total)
		}
		return alloc
	}
	return finding.Worth(cpu, alloc, c.base, c.gc, l.waitIn(subject, p))
}

// worthOf is what an entry is worth in all subjects together: of their CPU
// time, each with its collector's, or of waiting where it is most.
func (l *ledger) worthOf(e *entry) float64 {
	work, wait := 0.0, 0.0
	for i, p := range e.by {
		c := l.subjects[i]
		if p == (portion{}) {
			continue
		}
		if l.worth <= 0 {
			wait = max(wait, l.worthIn(i, p))
			continue
		}
		if c.alloc != nil {
			work += ratio(p.alloc, c.alloc.Total) * c.gc
		}
		work += float64(p.cpu)
		wait = max(wait, l.waitIn(i, p))
	}
	if l.worth > 0 {
		work /= l.worth
	}
	return max(work, wait)
}

// cause is what a finding says of the place that most of its cost in one
// subject is charged to. A claim below the threshold explains nothing.
func (l *ledger) cause(subject int, w *weighed) (known, bool) {
	if subject < 0 || !w.above {
		return known{}, false
	}
	at, ok := l.heaviest(subject, w)
	if !ok {
		return known{}, false
	}
	return known{
		rule: w.rule.ID, weight: max(w.cost.cpu, w.cost.alloc, w.cost.delay), at: at,
		file: w.claim.Place.File, function: symbolname.Parse(w.claim.Place.Function).Declared(), line: w.claim.Place.Line,
	}, true
}

// heaviest is the line that most of a claim's cost in one subject is charged
// to.
func (l *ledger) heaviest(subject int, w *weighed) (places.Line, bool) {
	c := l.subjects[subject]
	at := make(map[places.Line]float64)
	sum := func(keep Keep, of *hot.Classified, column int, charged *places.Charges) {
		if keep == nil || of == nil || charged == nil || charged.Total == 0 {
			return
		}
		EachBase(of, column, func(i int, _ []callstack.FrameID) {
			if line, ok := charged.Of(i); ok && keep(i) {
				at[declaredAt(line)] += float64(of.Value(column, i)) / float64(charged.Total)
			}
		})
	}
	sum(w.claim.Cost.CPU, c.CPU, c.CPUColumn, c.cpu)
	if len(at) == 0 || w.cost.alloc > w.cost.cpu {
		sum(w.claim.Cost.Allocs, c.Allocs, c.AllocCol, c.alloc)
	}
	if len(at) == 0 || w.cost.delay > max(w.cost.cpu, w.cost.alloc) {
		of, column := c.delays()
		sum(w.claim.Cost.Mutex, of, column, c.delay)
	}
	var best places.Line
	found := false
	for line, v := range at {
		if !found || v > at[best] || v == at[best] && compareLines(line, best) < 0 {
			best, found = line, true
		}
	}
	return best, found
}

func compareLines(a, b places.Line) int {
	return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Function, b.Function))
}

// quarter is the part of a function's heaviest line from which another line of
// it is as much of the same place.
const quarter = 0.25

// clusters joins lines of one function. A line that matters by itself and is
// much lighter than the heaviest is a place of its own: it has another cause.
// All lines that do not matter by themselves go to the heaviest.
func (l *ledger) clusters() []entry {
	type function struct{ name, file string }
	byFunction := make(map[function][]entry)
	for _, e := range l.lines {
		f := function{e.at.Function, e.at.File}
		byFunction[f] = append(byFunction[f], *e)
	}
	var out []entry
	for _, lines := range byFunction {
		slices.SortFunc(lines, func(a, b entry) int {
			return cmp.Or(cmp.Compare(b.worth, a.worth), compareLines(a.at, b.at))
		})
		var joined, rest []entry
		for _, e := range lines {
			if e.worth < Threshold || e.worth >= quarter*lines[0].worth {
				joined = append(joined, e)
			} else {
				rest = append(rest, e)
			}
		}
		out = append(out, l.join(joined))
		for _, e := range rest {
			out = append(out, l.join([]entry{e}))
		}
	}
	return out
}

// join adds lines up, the heaviest first.
func (l *ledger) join(lines []entry) entry {
	sum := entry{at: lines[0].at, lines: lines, by: make([]portion, len(l.subjects)), callees: make(map[string]pair), kinds: make(map[places.Kind]pair)}
	for _, e := range lines {
		for i, p := range e.by {
			q := &sum.by[i]
			q.cpu, q.alloc, q.objects, q.delay, q.waits = q.cpu+p.cpu, q.alloc+p.alloc, q.objects+p.objects, q.delay+p.delay, q.waits+p.waits
		}
		sum.cpu, sum.alloc, sum.delay = sum.cpu+e.cpu, sum.alloc+e.alloc, sum.delay+e.delay
		for name, v := range e.callees {
			sum.callees[name] = pair{sum.callees[name].cpu + v.cpu, sum.callees[name].alloc + v.alloc}
		}
		for kind, v := range e.kinds {
			sum.kinds[kind] = pair{sum.kinds[kind].cpu + v.cpu, sum.kinds[kind].alloc + v.alloc}
		}
	}
	sum.worth = l.worthOf(&sum)
	return sum
}

// known is a finding with the line that most of its cost is charged to.
type known struct {
	rule     string
	weight   float64
	file     string // of the frames
	function string
	line     int
	at       places.Line
}

// hotPlaces returns the places that matter, and what became of everything
// else.
func (l *ledger) hotPlaces(findings []known) (out []finding.HotPlace, accounts []finding.Account, all []entry) {
	slices.SortStableFunc(findings, func(a, b known) int {
		return cmp.Or(cmp.Compare(b.weight, a.weight), cmp.Compare(a.file, b.file), cmp.Compare(a.line, b.line), cmp.Compare(a.rule, b.rule))
	})
	var listed portion
	for _, e := range l.clusters() {
		cause := slices.IndexFunc(findings, func(k known) bool {
			return slices.ContainsFunc(e.lines, func(line entry) bool { return line.at == k.at })
		})
		matters := e.worth >= Threshold || cause >= 0
		var benchmarks []string
		for i, p := range e.by {
			if l.worthIn(i, p) >= Threshold {
				matters = true
				benchmarks = append(benchmarks, l.subjects[i].Benchmark)
			}
		}
		if !matters {
			continue
		}
		slices.Sort(benchmarks)
		p := l.place(&e)
		p.Benchmarks = append(p.Benchmarks, slices.Compact(benchmarks)...)
		if cause >= 0 {
			k := &findings[cause]
			p.Finding = &k.rule
			if k.file == e.at.File && k.function == e.at.Function {
				p.Line = k.line
				if !slices.Contains(p.Lines, k.line) {
					p.Lines = append(p.Lines, k.line)
					slices.Sort(p.Lines)
				}
			}
		}
		out = append(out, p)
		all = append(all, e)
		listed.cpu, listed.alloc, listed.delay = listed.cpu+e.cpu, listed.alloc+e.alloc, listed.delay+e.delay
	}
	finding.SortHotPlaces(out)
	for _, a := range []struct {
		kind   string
		of     *account
		listed int64
	}{{"cpu", &l.cpu, listed.cpu}, {"alloc_bytes", &l.alloc, listed.alloc}, {"delay", &l.delay, listed.delay}} {
		if a.of.total > 0 {
			accounts = append(accounts, a.of.split(a.kind, a.listed))
		}
	}
	return out, accounts, all
}

// smallPackage is the share below which packages are added up.
const smallPackage = 0.005

func (a *account) split(kind string, listed int64) finding.Account {
	out := finding.Account{Kind: kind, HotPlacesRatio: ratio(listed, a.total), TestsRatio: ratio(a.tests, a.total), Packages: []finding.PackageShare{}}
	rest := a.total - listed - a.tests
	small := int64(0)
	for _, pkg := range slices.Sorted(maps.Keys(a.packages)) {
		v := a.packages[pkg]
		rest -= v
		if ratio(v, a.total) < smallPackage {
			small += v
			continue
		}
		out.Packages = append(out.Packages, finding.PackageShare{Package: pkg, Ratio: ratio(v, a.total)})
	}
	slices.SortStableFunc(out.Packages, func(x, y finding.PackageShare) int { return cmp.Compare(y.Ratio, x.Ratio) })
	if small > 0 {
		out.Packages = append(out.Packages, finding.PackageShare{Ratio: ratio(small, a.total)})
	}
	out.OtherPlacesRatio = ratio(rest, a.total)
	return out
}

// worthALine is the share of a place from which a line of it is listed.
const worthALine = 0.05

// place lays an entry out.
func (l *ledger) place(e *entry) finding.HotPlace {
	first := e.lines[0].at
	s := l.lead(e)
	p := finding.HotPlace{
		Function: first.Function, File: first.File, Line: first.Line,
		WorthRatio: e.worth, CPUSamples: l.samples,
		CPURatio: share(e.cpu, l.cpu.total), AllocBytesRatio: share(e.alloc, l.alloc.total),
		Decisions: []finding.Decision{}, Benchmarks: []string{},
	}
	if s.Source != nil {
		p.File = s.Source.Display(first.File)
	}
	switch {
	case l.delay.packages == nil:
	case l.cpu.total > 0:
		d := l.delayShare(e)
		p.DelayRatio = &d
	default:
		p.DelayRatio = share(e.delay, l.delay.total)
	}
	for _, line := range e.lines {
		if len(p.Lines) == 0 || line.worth >= worthALine*e.worth {
			p.Lines = append(p.Lines, line.at.Line)
		}
	}
	slices.Sort(p.Lines)
	for _, n := range p.Lines {
		for _, text := range s.Decisions[SourceLine{first.File, n}] {
			p.Decisions = append(p.Decisions, finding.Decision{Line: n, Text: text})
		}
	}
	p.Callees = l.parts(e.callees)
	kinds := make(map[string]pair, len(e.kinds))
	for k, v := range e.kinds {
		kinds[string(k)] = v
	}
	p.Kinds = l.parts(kinds)
	for i, q := range e.by {
		c := l.subjects[i]
		if c.alloc == nil || c.AllocIterations <= 0 {
			continue
		}
		bytes, objects := float64(q.alloc)/float64(c.AllocIterations), float64(q.objects)/float64(c.AllocIterations)
		if p.BytesPerOp == nil || bytes > *p.BytesPerOp {
			p.BytesPerOp, p.ObjectsPerOp = &bytes, &objects
		}
	}
	if st := s.Statement(first.File, first.Line); st.Known {
		line := 0
		if st.Loop != nil {
			line = s.LineOf(first.File, st.Loop)
		}
		p.LoopLine = &line
	}
	return p
}

// lead is the subject that spends most at an entry.
func (l *ledger) lead(e *entry) *Subject {
	best, most := 0, -1.0
	for i, p := range e.by {
		if w := l.worthIn(i, p); p != (portion{}) && w > most {
			best, most = i, w
		}
	}
	return l.subjects[best].Subject
}

// delayShare is the largest of the subjects': delays of several runs have no
// scale in common.
func (l *ledger) delayShare(e *entry) float64 {
	most := 0.0
	for i, p := range e.by {
		if p.delay > 0 {
			most = max(most, l.subjects[i].delayShareOf(float64(p.delay)))
		}
	}
	return most
}

func share(part, whole int64) *float64 {
	if whole <= 0 {
		return nil
	}
	r := ratio(part, whole)
	return &r
}

func (l *ledger) parts(of map[string]pair) []finding.Part {
	out := []finding.Part{}
	for _, name := range slices.Sorted(maps.Keys(of)) {
		out = append(out, finding.Part{Name: name, CPURatio: share(of[name].cpu, l.cpu.total), AllocBytesRatio: share(of[name].alloc, l.alloc.total)})
	}
	value := func(r *float64) float64 {
		if r == nil {
			return 0
		}
		return *r
	}
	slices.SortStableFunc(out, func(a, b finding.Part) int {
		return cmp.Or(cmp.Compare(value(b.CPURatio), value(a.CPURatio)), cmp.Compare(value(b.AllocBytesRatio), value(a.AllocBytesRatio)))
	})
	return out
}
