package diagnose

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"whet/internal/finding"
	"whet/internal/quantity"
	"whet/internal/symbolname"
)

// negligible is the avoidable share below which a claim is not even listed
// among those below the threshold: its place may hold most of the time, and
// there is nothing to say against it.
const negligible = 0.005

// Result is the findings of the rules for a run's benchmarks.
type Result struct {
	Findings []finding.Finding // at or above the threshold, most worth first
	Below    []finding.Finding // the rest, in the same order
	Verdict  Verdict
	// HotPlaces are the places of cost, whether a rule found the cause or not,
	// in order of worth; Accounts account for everything else.
	HotPlaces []finding.HotPlace
	Accounts  []finding.Account
	Warnings  []string
	// NotAsked names, for each subject, the rules that lacked their input: not a
	// doubt, but their silence means nothing.
	NotAsked []string
	// Asked are the rules that had input, in the registry's order, and Looked is
	// the number of benchmarks to which they were applied.
	Asked  []string
	Looked int
}

// Run applies every rule to every subject. It changes only the subjects' caches,
// and its result does not depend on their order.
func Run(reg *Registry, subjects []*Subject) Result {
	var res Result
	merged := newMerger()
	var short []string // subjects with too few samples
	subjects, pool := withoutPool(subjects)
	for i := range reg.rules {
		if slices.ContainsFunc(subjects, func(s *Subject) bool { return s.hasEvidence(&reg.rules[i]) }) {
			res.Asked = append(res.Asked, reg.rules[i].ID)
		}
	}
	for _, s := range subjects {
		s.correctFiles()
	}
	judged, others := ofModule(subjects)
	res.Warnings = append(res.Warnings, others...)
	costs := charge(judged)
	var causes []chargedFinding
	final := last{ledger: costs, rules: reg.rules, said: make(map[*Subject][]weighedClaim), add: merged.add}
	for _, s := range subjects {
		if slices.ContainsFunc(reg.rules, func(r Rule) bool { return s.hasEvidence(&r) }) {
			res.Looked++
		}
		claims, warnings, notAsked, few := s.ask(reg.rules)
		res.NotAsked = append(res.NotAsked, notAsked...)
		res.Warnings = append(res.Warnings, warnings...)
		if few != "" {
			short = append(short, few)
		}
		final.said[s] = claims
		for _, c := range claims {
			merged.add(s, c)
			if cause, ok := costs.cause(slices.Index(judged, s), &c); ok {
				causes = append(causes, cause)
			}
		}
	}
	if pool != nil {
		pool.correctFiles()
		short = nil
		together := charge([]*Subject{pool})
		claims, _, _, _ := pool.ask(reg.rules) // what there is to warn of, each benchmark's own has said
		final.ledger, final.pooled, final.said[pool] = together, true, claims
		for _, c := range claims {
			merged.add(pool, c)
			if cause, ok := together.cause(0, &c); ok {
				causes = append(causes, cause)
			}
		}
	}
	var places []entry
	res.HotPlaces, res.Accounts, places = costs.hotPlaces(causes, final.ask)
	res.Findings, res.Below = merged.split()
	finding.Sort(res.Findings)
	finding.Sort(res.Below)
	res.Verdict = verdict(reg, judged, pool, res.Findings, func(kind VerdictKind) (Outcome, string) {
		return costs.outcome(kind, res.Findings, res.Below, res.HotPlaces, places)
	})
	res.Warnings = append(res.Warnings, final.failed...)
	res.Warnings = append(res.Warnings, costs.ownWork()...)
	// Of a single subject the verdict may have said it already.
	if len(short) > 0 && (len(subjects) > 1 || res.Verdict.Kind != TooFewSamples) {
		slices.Sort(short)
		res.Warnings = append(res.Warnings, fmt.Sprintf("too few samples to report on CPU time: %s; %s", strings.Join(short, ", "), forMore(subjects)))
	}
	for _, texts := range []*[]string{&res.Warnings, &res.NotAsked} {
		slices.Sort(*texts)
		*texts = slices.Compact(*texts)
	}
	return res
}

// withoutPool takes the sum of the subjects' profiles out of them; nil: there is
// none. Rules are asked about the sum too. Places and shares of the verdict are
// sums over all subjects anyhow.
func withoutPool(all []*Subject) (subjects []*Subject, pool *Subject) {
	for _, s := range all {
		if s.Pool != nil {
			pool = s
		} else {
			subjects = append(subjects, s)
		}
	}
	return subjects, pool
}

// ask runs the rules over one subject and weighs what they claim; notAsked names
// those without anything to look at, and few says how many samples it lacks.
func (s *Subject) ask(rules []Rule) (out []weighedClaim, warnings, notAsked []string, few string) {
	mem := s.memory()
	matters := mem.matters()
	if text := s.starvedByOthers(&mem); text != "" {
		warnings = append(warnings, s.Benchmark+text)
	}
	samples := s.BaseCPUSamples()
	var needed int // the most samples that a rule short of them needs; 0: none is
	var unasked []string
	lacking := make(map[string][]string) // rules by what they lack
	for r := range rules {
		rule := &rules[r]
		if rule.Find == nil {
			continue // it is asked about hot places: see askLast
		}
		if !s.hasEvidence(rule) {
			if s.Lone {
				continue
			}
			if lacks := s.lacks(rule); len(lacks) > 0 {
				what := strings.Join(lacks, " and no ") + " profile"
				if lacks[len(lacks)-1] == string(EvidenceTrace) {
					what = strings.TrimSuffix(what, " profile")
				}
				lacking[what] = append(lacking[what], rule.ID)
			} else {
				unasked = append(unasked, rule.ID)
			}
			continue
		}
		if s.CPU != nil && slices.Contains(rule.Evidence, EvidenceCPU) && samples < int64(rule.MinSamples) {
			needed = max(needed, rule.MinSamples)
		}
		claims, failure := rule.find(s)
		if failure != "" {
			warnings = append(warnings, s.Benchmark+": "+failure)
		}
		slices.SortStableFunc(claims, func(a, b Claim) int {
			return cmp.Or(cmp.Compare(a.Place.File, b.Place.File), cmp.Compare(a.Place.Line, b.Place.Line))
		})
		for _, c := range claims {
			if c.Leak != nil {
				out = append(out, weighedClaim{rule: rule, claim: c, above: true})
				continue
			}
			w := s.weigh(rule, c, matters)
			if !w.above && max(w.avoidable.max(), c.Wait) < negligible {
				continue
			}
			out = append(out, w)
		}
	}
	for _, what := range slices.Sorted(maps.Keys(lacking)) {
		ids, were := lacking[what], "was"
		if len(ids) > 1 {
			were = "were"
		}
		notAsked = append(notAsked, fmt.Sprintf("%s: %s %s not applied: no %s was recorded%s", s.Benchmark, strings.Join(ids, " and "), were, what, s.locksUnseen(what)))
	}
	if len(unasked) > 0 {
		notAsked = append(notAsked, fmt.Sprintf("%s: rules without input, because their profiles were not recorded: %s", s.Benchmark, strings.Join(unasked, ", ")))
	}
	if needed > 0 {
		few = fmt.Sprintf("%s has %d of the base and needs %d", s.Benchmark, samples, needed)
	}
	out, ofTests := s.withoutTests(out)
	if text := s.testLocks(); text != "" && len(ofTests) == 0 {
		ofTests = append(ofTests, text)
	}
	warnings = append(warnings, ofTests...)
	out = s.withoutCovered(out)
	s.takeOver(out)
	return out, warnings, notAsked, few
}

// find asks the rule. One that fails on a program, whose sources nobody has seen
// before, takes nothing from what the others say.
func (r *Rule) find(s *Subject) (claims []Claim, failure string) {
	defer func() {
		if err := recover(); err != nil {
			claims, failure = nil, r.failure(err)
		}
	}()
	return r.Find(s), ""
}

func (r *Rule) failure(err any) string {
	return fmt.Sprintf("the rule %s failed and reports nothing (%v): please report it, with the recording if you can", r.ID, err)
}

func (s *Subject) hasEvidence(r *Rule) bool {
	return slices.ContainsFunc(r.Evidence, s.recorded) && len(s.lacks(r)) == 0
}

// recorded reports whether a profile was.
func (s *Subject) recorded(k EvidenceKind) bool {
	return k == EvidenceCPU && s.CPU != nil || k == EvidenceAllocs && s.Allocs != nil ||
		k == EvidenceMutex && s.Mutex != nil || k == EvidenceBlock && s.Block != nil ||
		k == EvidenceGoroutines && (len(s.Goroutines) > 0 || s.Proven != nil) || k == EvidenceHeap && len(s.Heap) > 0 ||
		k == EvidenceTrace && s.Trace != nil
}

// lacks names the profiles of a rule that has to have them and has not.
func (s *Subject) lacks(r *Rule) []string {
	var out []string
	for _, k := range r.Essential {
		if !s.recorded(k) {
			out = append(out, string(k))
		}
	}
	return out
}

// withoutCovered drops the claims that another rule's claim holds already: by
// place, or because what lies outside the other's avoidable samples no longer
// reaches the threshold (a formatting call inside the program's own logger is
// the logging statement's cost). And it drops what a finding at the same place
// outranks.
func (s *Subject) withoutCovered(ws []weighedClaim) []weighedClaim {
	return slices.DeleteFunc(slices.Clone(ws), func(w weighedClaim) bool {
		var inside []Samples
		for i := range ws {
			by := &ws[i]
			p, q := by.claim.Place, w.claim.Place
			samePlace := p.File == q.File && p.Line <= q.Line && q.Line <= max(p.EndLine, p.Line)
			if samePlace && by.above && slices.Contains(by.rule.Outranks, w.rule.ID) {
				return true
			}
			if !slices.Contains(by.rule.Covers, w.rule.ID) {
				continue
			}
			if samePlace {
				return true
			}
			if by.above {
				inside = append(inside, by.claim.avoidable())
			}
		}
		if len(inside) == 0 || !w.above {
			return false
		}
		part := w.claim.avoidable()
		rest := s.shares(Samples{
			CPU:    minus(part.CPU, inside, func(s Samples) Keep { return s.CPU }),
			Allocs: minus(part.Allocs, inside, func(s Samples) Keep { return s.Allocs }),
			Mutex:  minus(part.Mutex, inside, func(s Samples) Keep { return s.Mutex }),
		}, w.rule.MinSamples).part(w.claim.Removed)
		return rest.max() < Threshold
	})
}

func minus(keep Keep, sets []Samples, of func(Samples) Keep) Keep {
	if keep == nil {
		return nil
	}
	return func(i int) bool {
		return keep(i) && !slices.ContainsFunc(sets, func(s Samples) bool {
			k := of(s)
			return k != nil && k(i)
		})
	}
}

// merger makes one finding of one rule's claims at one place in several
// benchmarks.
type merger struct {
	at  map[findingKey]int
	all []mergedFinding
}

type findingKey struct {
	rule, file string
	line       int
}

type mergedFinding struct {
	finding.Finding
	above  bool
	wait   float64 // what the delay that the remedy removes is of the time: see lockWait
	weight float64 // of the benchmark whose words the finding has
	bench  string
}

func newMerger() *merger { return &merger{at: make(map[findingKey]int)} }

func (m *merger) add(s *Subject, w weighedClaim) {
	c := &w.claim
	file := s.display(c.Place.File)
	f := mergedFinding{
		above: w.above,
		bench: s.Benchmark,
		wait:  max(w.avoidable.wait, c.Wait),
		Finding: finding.Finding{
			Rule: w.rule.ID, Row: c.Row, Title: w.rule.Title,
			Function: symbolname.Elide(c.Place.Function), File: file, Line: c.Place.Line,
			CPURatio: w.cost.cpu, AllocBytesRatio: w.cost.alloc, DelayRatio: w.cost.delay, WaitRatio: c.Wait,
			AvoidableCPURatio: w.avoidable.cpu, AvoidableAllocBytesRatio: w.avoidable.alloc,
			CPUSamples: s.BaseCPUSamples(), CPUSamplesNeeded: int64(w.rule.MinSamples), AllocSamples: s.AllocSamples(),
			Unknown:    s.unknown(c.aboutWaits()),
			Confidence: s.confidence(&w),
			Evidence:   c.Evidence, Why: c.Why, Fixable: c.Fixable,
			Benchmarks: s.names(),
		},
	}
	var shown []finding.Evidence
	f.Remedy, shown = s.home(c.Remedy, c.Place)
	f.Evidence = slices.Concat(f.Evidence, shown)
	if w.underLock != nil {
		f.UnderLock = s.At(*w.underLock)
		f.Unknown.Delay = false
		f.Evidence = append(slices.Clone(f.Evidence), finding.Evidence{Kind: "mutex", Text: fmt.Sprintf(
			"the lock at %s is held while this runs, and other goroutines wait for it: its delay (%s of that delay and the base's CPU time) is counted here too", f.UnderLock, quantity.Percent(f.DelayRatio))})
	}
	if c.aboutWaits() {
		f.Processors = s.Procs
	}
	if f.Leak = c.Leak; f.Leak != nil {
		f.Unknown = finding.Unknown{CPU: true, AllocBytes: true, Delay: true}
	}
	if text := s.waitText(&w); text != "" {
		f.Evidence = append(slices.Clone(f.Evidence), finding.Evidence{Kind: "mutex", Text: text})
	}
	f.Evidence = slices.Concat(f.Evidence, s.ceilingEvidence(&w))
	if text := s.settles(&w); text != "" {
		f.Evidence = append(slices.Clone(f.Evidence), finding.Evidence{Kind: "open", Text: text})
	}
	mem := s.memory()
	f.CeilingRatio = finding.Ceiling(max(f.AvoidableCPURatio, f.wait))
	f.CeilingWithGCRatio = max(f.CeilingRatio, finding.CeilingWithGC(f.AvoidableCPURatio, f.AvoidableAllocBytesRatio, float64(mem.base), float64(mem.collect)))
	f.weight, f.WorthRatio = f.Weight(), w.worth(s, w.avoidable)
	if f.Leak != nil {
		f.weight, f.WorthRatio = float64(f.Leak.Count), 0
	}
	key := findingKey{w.rule.ID, file, c.Place.Line}
	i, ok := m.at[key]
	if !ok {
		m.at[key] = len(m.all)
		m.all = append(m.all, f)
		return
	}
	m.all[i].merge(f)
}

// merge takes another benchmark's finding in. A benchmark in which the place
// stays below the threshold adds nothing to one in which it does not.
func (m *mergedFinding) merge(f mergedFinding) {
	if m.above != f.above {
		if f.above {
			*m = f
		}
		return
	}
	words, other := m, &f
	// The heaviest benchmark has the word; on a tie the first by name, so that
	// the order of the subjects does not matter.
	if f.weight > m.weight || f.weight == m.weight && f.bench < m.bench {
		words, other = &f, m
	}
	out := *words
	// Shares of few samples give way to those of enough, and none to any.
	switch cmp.Compare(words.trust(), other.trust()) {
	case -1:
		out.takeTime(other)
	case 0:
		if c := cmp.Compare(other.CPURatio, words.CPURatio); c > 0 || c == 0 && other.CPUSamples > words.CPUSamples {
			out.CPURatio, out.CPUSamples = other.CPURatio, other.CPUSamples
		}
		if other.DelayRatio > words.DelayRatio {
			out.DelayRatio, out.UnderLock, out.wait = other.DelayRatio, other.UnderLock, other.wait
		}
		out.WorthRatio = max(words.WorthRatio, other.WorthRatio)
		out.AvoidableCPURatio = max(words.AvoidableCPURatio, other.AvoidableCPURatio)
		out.CeilingWithGCRatio = max(words.CeilingWithGCRatio, other.CeilingWithGCRatio)
		out.Unknown.Delay = words.Unknown.Delay && other.Unknown.Delay
	}
	out.AllocBytesRatio = max(words.AllocBytesRatio, other.AllocBytesRatio)
	out.AvoidableAllocBytesRatio = max(words.AvoidableAllocBytesRatio, other.AvoidableAllocBytesRatio)
	out.WaitRatio = max(words.WaitRatio, other.WaitRatio)
	out.Unknown.AllocBytes = words.Unknown.AllocBytes && other.Unknown.AllocBytes
	out.CeilingRatio = finding.Ceiling(max(out.AvoidableCPURatio, out.wait))
	out.CeilingWithGCRatio = max(out.CeilingWithGCRatio, out.CeilingRatio)
	out.Benchmarks = append(slices.Clone(words.Benchmarks), other.Benchmarks...)
	slices.Sort(out.Benchmarks)
	out.Benchmarks = slices.Compact(out.Benchmarks)
	*m = out
}

// trust ranks the shares of time: unknown, of few samples, of enough.
func (m *mergedFinding) trust() int {
	switch {
	case m.Unknown.CPU:
		return 0
	case m.FewSamples():
		return 1
	}
	return 2
}

func (m *mergedFinding) takeTime(of *mergedFinding) {
	m.CPURatio, m.DelayRatio, m.AvoidableCPURatio, m.UnderLock = of.CPURatio, of.DelayRatio, of.AvoidableCPURatio, of.UnderLock
	m.WorthRatio, m.CeilingWithGCRatio, m.CPUSamples, m.wait = of.WorthRatio, of.CeilingWithGCRatio, of.CPUSamples, of.wait
	m.Unknown.CPU, m.Unknown.Delay = of.Unknown.CPU, of.Unknown.Delay
}

func (m *merger) split() (above, below []finding.Finding) {
	for _, f := range m.all {
		if f.above {
			above = append(above, f.Finding)
		} else {
			below = append(below, f.Finding)
		}
	}
	return above, below
}
