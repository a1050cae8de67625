package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"whet/internal/analyze/compare"
	"whet/internal/prove/rounds"
)

const (
	// alpha is the chance that anything of a group of comparisons is called
	// different that is not, and what any one of their intervals may miss with.
	alpha = 0.05
	// margin is what hardly matters, as in whet prove.
	margin = 0.02
	// maxRounds ends a group that has its ratios: beyond this the intervals narrow
	// slowly.
	maxRounds = 40
)

// bench measures cases, one after the other.
type bench struct {
	deadline time.Time
	now      func() time.Time
	say      func(format string, args ...any) // progress
	lab      func(*group) lab
}

// run builds the cases and measures them. The document is nil when nothing could
// be measured; the error then, or beside it, is of what failed.
func (b *bench) run(ctx context.Context, chosen []study) (_ *document, err error) {
	begun, disturbances := b.now(), watchMachine()
	p, err := newPrograms(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, p.close()) }()
	doc := newDocument(begun)
	doc.describe(ctx, p.root)
	b.say("building")
	if err := p.build(ctx, chosen); err != nil && ctx.Err() == nil {
		return nil, err
	}
	b.lab = p.lab
	err = b.measure(ctx, chosen, doc)
	elapsed := b.now().Sub(begun)
	doc.Warnings = append(doc.Warnings, disturbances(elapsed)...)
	doc.ElapsedNs = int64(elapsed)
	if over := b.now().Sub(b.deadline); over > 0 && !doc.Interrupted {
		doc.Warnings = append(doc.Warnings, fmt.Sprintf("the budget was exceeded by %v: the builds are within it, and each case has at least one pair", over.Round(100*time.Millisecond)))
	}
	return doc, err
}

// measure measures the cases into the document. The error is of those that
// failed, whose rows say so too.
func (b *bench) measure(ctx context.Context, chosen []study, doc *document) (err error) {
	var all []group
	for i := range chosen {
		all = append(all, groups(&chosen[i])...)
	}
	// Coarse ones first: what they take beyond their parts, or cannot use of
	// them, the fine ones after make up for in rounds of half a second.
	slices.SortStableFunc(all, func(x, y group) int { return cmp.Compare(y.needs, x.needs) })
	results := make(map[string][]result)
	failures := make(map[string]map[kind]string)
	for i := range all {
		g := &all[i]
		if ctx.Err() != nil {
			break
		}
		got, e := b.group(ctx, g, b.allot(all[i:]), doc)
		results[g.name] = append(results[g.name], got...)
		if e == nil || ctx.Err() != nil {
			continue
		}
		e = fmt.Errorf("%s: %w", g.name, e)
		err = errors.Join(err, e)
		doc.Warnings = append(doc.Warnings, oneLine(e))
		if failures[g.name] == nil {
			failures[g.name] = make(map[kind]string)
		}
		failures[g.name][g.kind] = oneLine(e)
	}
	for i := range chosen {
		if r := newRow(&chosen[i], results[chosen[i].name], failures[chosen[i].name]); r != nil {
			doc.Cases = append(doc.Cases, *r)
		}
	}
	doc.Interrupted = ctx.Err() != nil
	doc.warnOpen()
	return err
}

// part is a group's of the budget.
type part struct {
	until time.Time // when it shall end
	// latest is when it may end where its rounds need more than was thought: the
	// groups after it then still have what they need.
	latest time.Time
}

// allot gives the first of the groups that are left its part. Each gets what it
// needs and the same of what is left beyond that; where it does not suffice for
// all, the ones after, which need less, come before it.
func (b *bench) allot(left []group) part {
	p := part{latest: b.deadline}
	for _, g := range left[1:] {
		p.latest = p.latest.Add(-g.needs)
	}
	p.until = p.latest
	if surplus := p.latest.Sub(b.now()) - left[0].needs; surplus > 0 {
		p.until = p.latest.Add(-surplus + surplus/time.Duration(len(left)))
	}
	return p
}

// lab measures stages of one case.
type lab interface {
	// ready finds out what slices take, so that some rounds fit into a time. A
	// lab whose slices are long returns those that it took for that, one of each
	// run, in an order drawn by lot.
	ready(ctx context.Context, g *group, within time.Duration) (map[target]compare.Slice, error)
	slice(ctx context.Context, r target) (compare.Slice, error)
	takes(r target) time.Duration // a slice
	// warnings are what the figures must be read with.
	warnings() []string
}

// group measures what is run in one way, and at least one pair of everything.
func (b *bench) group(ctx context.Context, g *group, p part, doc *document) ([]result, error) {
	b.say("%s: getting ready", g.name)
	l := b.lab(g)
	had, err := l.ready(ctx, g, p.until.Sub(b.now()))
	if err != nil {
		return nil, err
	}
	defer func() { doc.warn(g.title(), l.warnings()) }()
	t := newTurns(l, g, had, rand.New(rand.NewPCG(rand.Uint64(), rand.Uint64())))
	var benchmarks []rounds.Benchmark
	hypotheses := 0
	for i := range g.comparisons {
		benchmarks = append(benchmarks, g.comparisons[i].benchmark(g.name))
		hypotheses += len(benchmarks[i].Metrics)
	}
	o := rounds.Options{
		Seed: rand.Uint64(), Alpha: alpha, Margin: margin, Budget: p.until.Sub(b.now()), Prepare: t.takes(),
		Max: maxRounds, OneLook: true, Run: 1, Now: b.now,
		Progress: func(e rounds.Event) {
			if e.Benchmark == -1 && e.Round > 0 {
				b.say("%s: round %d of at most %d, %v left", g.name, e.Round, e.Rounds, e.Left.Round(time.Second))
			}
		},
	}
	// One more than intervals need: no round takes exactly what was expected.
	if want := o.Prepare * time.Duration(compare.FewestRounds(hypotheses, alpha)+1); o.Budget < want {
		o.Budget = min(want, max(p.latest.Sub(b.now()), o.Budget))
	}
	if o.Budget < t.first() {
		// No round fits: there is one pair, and no slice of a side beside itself.
		t.blocks, o.Fixed = 1, 1
	}
	out, err := rounds.Measure(ctx, benchmarks, t, o)
	if err != nil {
		return nil, err
	}
	return resultsOf(g, out), out.Trouble
}

// group is what is run in one way and measured in the same rounds.
type group struct {
	name        string // of the case
	kind        kind
	needs       time.Duration
	comparisons []comparison
}

// title is what stands before the warnings of a group.
func (g *group) title() string {
	if g.kind == service || g.kind == uploads {
		return g.name + asService
	}
	return g.name
}

// asService tells the warnings of a case's service from others of it.
const asService = ", as a service"

// comparison is two stages by what the same slices show of them.
type comparison struct {
	measures []*measure // of one benchmark, or one command or service
	old, new string
}

// target is what a slice is taken of.
type target struct{ bench, stage string }

func (c *comparison) target(new bool) target {
	if new {
		return target{c.measures[0].bench, c.new}
	}
	return target{c.measures[0].bench, c.old}
}

// name tells a comparison from the others of its case.
func (c *comparison) name() string { return c.measures[0].bench + " " + c.old + " " + c.new }

// groups are those of a case: of best by every measure, the headline's first,
// and of the last published stage by the headline and by what else the same
// runs show that was published.
func groups(s *study) []group {
	var all []group
	add := func(m *measure, old, new string) {
		if !s.measured(m.kind) {
			return
		}
		at := slices.IndexFunc(all, func(g group) bool { return g.kind == m.kind })
		if at < 0 {
			at = len(all)
			all = append(all, group{name: s.name, kind: m.kind, needs: s.needs[m.kind]})
		}
		g := &all[at]
		same := slices.IndexFunc(g.comparisons, func(c comparison) bool {
			return c.old == old && c.new == new && c.measures[0].bench == m.bench
		})
		if same < 0 {
			g.comparisons = append(g.comparisons, comparison{old: old, new: new, measures: []*measure{m}})
			return
		}
		g.comparisons[same].measures = append(g.comparisons[same].measures, m)
	}
	head := &s.measures[0]
	for i := range s.measures {
		m := &s.measures[i]
		if i == 0 || m.published != 0 && m.kind == head.kind && m.bench == head.bench {
			add(m, s.stages[first], s.stages[lastPublished])
		}
	}
	for i := range s.measures {
		m := &s.measures[i]
		add(m, cmp.Or(m.against, s.stages[first]), cmp.Or(m.of, s.stages[best]))
	}
	return all
}

func (c *comparison) benchmark(name string) rounds.Benchmark {
	sub := rounds.Benchmark{Package: name, Name: c.name()}
	for _, m := range c.measures {
		sub.Metrics = append(sub.Metrics, metricWanted(m.unit))
	}
	return sub
}
