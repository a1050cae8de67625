package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"whet/internal/prove/rounds"
)

const (
	// alpha is the chance that any interval of a case misses its ratio.
	alpha = 0.05
	// margin is what hardly matters, as in whet prove.
	margin = 0.02
	// maxRounds ends a case that has its ratios: beyond this the intervals narrow
	// slowly.
	maxRounds = 40
)

// bench measures cases, one after the other.
type bench struct {
	deadline time.Time
	now      func() time.Time
	say      func(format string, args ...any) // progress
	programs *programs
}

// measure builds and measures the cases. The document is nil when nothing could
// be measured; the error then, or beside it, is of what failed.
func (b *bench) measure(ctx context.Context, chosen []study) (_ *document, err error) {
	begun := b.now()
	doc := newDocument(begun)
	b.say("building")
	if b.programs, err = build(ctx, chosen); err != nil {
		if ctx.Err() != nil {
			doc.Interrupted = true
			return doc, nil
		}
		return nil, err
	}
	defer func() { err = errors.Join(err, b.programs.close()) }()
	doc.describe(ctx, b.programs.root)

	// Cheap cases first: what they leave of their shares is for the others.
	order := slices.Clone(chosen)
	slices.SortStableFunc(order, func(x, y study) int { return cmp.Compare(x.share, y.share) })
	rows := make(map[string]*row)
	for i := range order {
		if ctx.Err() != nil {
			break
		}
		left := 0.0
		for _, s := range order[i:] {
			left += s.share
		}
		now := b.now()
		until := now.Add(time.Duration(float64(b.deadline.Sub(now)) * order[i].share / left))
		r, e := b.one(ctx, &order[i], until, doc)
		if e != nil && ctx.Err() == nil {
			err = errors.Join(err, fmt.Errorf("%s: %w", order[i].name, e))
		}
		rows[order[i].name] = r
	}
	for _, s := range chosen {
		if r := rows[s.name]; r != nil {
			doc.Cases = append(doc.Cases, *r)
		}
	}
	doc.Interrupted = ctx.Err() != nil
	doc.ElapsedNs = int64(b.now().Sub(begun))
	return doc, err
}

// lab measures stages of one case.
type lab interface {
	// ready finds out what slices take, so that some rounds fit into a time.
	ready(ctx context.Context, g *group, within time.Duration) error
	slice(ctx context.Context, m *measure, stage string) (rounds.Slice, error)
	takes(m *measure, stage string) time.Duration // a slice
	// had is a slice that getting ready took, nil where it took none.
	had(stage string) rounds.Slice
	// shares reports whether slices are so long that the first stage's are used
	// in all comparisons of a round.
	shares() bool
	// warnings are what the figures must be read with.
	warnings() []string
}

func (b *bench) lab(g *group) lab {
	switch g.kind {
	case command:
		return &commands{name: g.name, program: b.programs.casebook()}
	case service:
		return newServices(g.name, b.programs.casebook())
	case uploads:
		return &posts{name: g.name, program: b.programs.casebook()}
	}
	return &benches{name: g.name, programs: b.programs}
}

// one measures a case until a time, and at least one round.
func (b *bench) one(ctx context.Context, s *study, until time.Time, doc *document) (*row, error) {
	all := groups(s)
	var results []result
	var errs []error
	for i := range all {
		// What the first group, the headline's, leaves is for the next.
		end := b.now().Add(until.Sub(b.now()) / time.Duration(len(all)-i))
		if i == 0 && len(all) > 1 {
			end = b.now().Add(until.Sub(b.now()) * 3 / 4)
		}
		got, err := b.group(ctx, &all[i], end, doc)
		results, errs = append(results, got...), append(errs, err)
	}
	return newRow(s, results), errors.Join(errs...)
}

// group measures what is run in one way.
func (b *bench) group(ctx context.Context, g *group, until time.Time, doc *document) ([]result, error) {
	b.say("%s: getting ready", g.name)
	l := b.lab(g)
	if err := l.ready(ctx, g, until.Sub(b.now())); err != nil {
		return nil, err
	}
	defer func() { doc.warn(g.name, l.warnings()) }()
	var subjects []rounds.Subject
	var round time.Duration
	for i := range g.comparisons {
		sub := g.comparisons[i].subject(g.name, l)
		subjects = append(subjects, sub)
		old := sub.Slice[rounds.Old] * 3 / 2
		if i > 0 && l.shares() && g.comparisons[i].old == g.comparisons[i-1].old {
			old = sub.Slice[rounds.Old] / 4 // where the others wanted it once and this one twice
		}
		round += old + sub.Slice[rounds.New]*3/2
	}
	budget := max(until.Sub(b.now()), 0)
	if budget < round {
		if pair := pairOf(g, l); pair != nil {
			return pair, nil
		}
	}
	// As many rounds as fit, and no more: what is planned for rounds that are
	// not measured is taken from the intervals' confidence.
	most := int(min(max(budget/max(round, 1), 1), maxRounds))
	out, err := rounds.Measure(ctx, subjects, &turns{lab: l, comparisons: g.comparisons}, rounds.Options{
		Seed: rand.Uint64(), Alpha: alpha, Margin: margin, Budget: budget,
		Max: most, Run: 1, Now: b.now,
		Progress: func(e rounds.Event) {
			if e.Subject == -1 && e.Round > 0 {
				b.say("%s: round %d of at most %d, %v left", g.name, e.Round, e.Rounds, e.Left.Round(time.Second))
			}
		},
	})
	if err != nil {
		return nil, err
	}
	for _, f := range out.Failures {
		c := &g.comparisons[f.Subject]
		err = errors.Join(err, fmt.Errorf("%s of %s in round %d: %w", c.measures[0].text, c.stage(f.Side == rounds.New), f.Round, f.Err))
	}
	return resultsOf(g, out), err
}

// group is what is run in one way and measured in the same rounds.
type group struct {
	name        string // of the case
	kind        kind
	comparisons []comparison
}

// comparison is two stages by what the same slices show of them.
type comparison struct {
	measures []*measure // of one benchmark, or one command or service
	old, new string
}

func (c *comparison) stage(new bool) string {
	if new {
		return c.new
	}
	return c.old
}

// name tells a comparison from the others of its case.
func (c *comparison) name() string { return c.measures[0].bench + " " + c.old + " " + c.new }

// groups are those of a case: of best by every measure, the headline's first,
// and in that the last published stage by the headline too.
func groups(s *study) []group {
	head := &s.measures[0]
	all := []group{{name: s.name, kind: head.kind, comparisons: []comparison{
		{old: s.stages[first], new: s.stages[lastPublished], measures: []*measure{head}},
	}}}
	for i := range s.measures {
		m := &s.measures[i]
		at := slices.IndexFunc(all, func(g group) bool { return g.kind == m.kind })
		if at < 0 {
			at = len(all)
			all = append(all, group{name: s.name, kind: m.kind})
		}
		g := &all[at]
		old, new := cmp.Or(m.against, s.stages[first]), cmp.Or(m.of, s.stages[best])
		same := slices.IndexFunc(g.comparisons, func(c comparison) bool {
			return c.old == old && c.new == new && c.measures[0].bench == m.bench
		})
		if same < 0 {
			g.comparisons = append(g.comparisons, comparison{old: old, new: new, measures: []*measure{m}})
			continue
		}
		g.comparisons[same].measures = append(g.comparisons[same].measures, m)
	}
	return all
}

func (c *comparison) subject(name string, l lab) rounds.Subject {
	sub := rounds.Subject{Package: name, Name: c.name()}
	for _, m := range c.measures {
		sub.Metrics = append(sub.Metrics, metric(m.unit))
	}
	sub.Slice[rounds.Old], sub.Slice[rounds.New] = l.takes(c.measures[0], c.old), l.takes(c.measures[0], c.new)
	return sub
}

// metric is how a unit is judged. None decides when the measuring ends: a
// ratio is wanted, and not only that there is one.
func metric(unit string) rounds.Metric {
	m := rounds.Metric{Unit: unit, Kind: rounds.Time, More: more(unit)}
	switch unit {
	case bytesPerOp, allocsPerOp:
		m.Kind = rounds.Count
	case peakBytes, perSecond:
		m.Kind = rounds.Other
	}
	return m
}

// turns are the comparisons as the rounds run them.
type turns struct {
	lab         lab
	comparisons []comparison

	round int
	olds  map[string][]rounds.Slice // of this round, where they are shared
	used  map[int]int               // how many of them a comparison has had
}

// Prepare begins a round.
func (t *turns) Prepare(_ context.Context, round int, _ uint64, _ []int) error {
	t.round, t.olds, t.used = round, make(map[string][]rounds.Slice), make(map[int]int)
	return nil
}

// Slice runs one stage. Where slices are shared, the first stage's of a round
// serve every comparison, each once: which comparison runs first is drawn by
// lot, so that neither has the earlier ones.
func (t *turns) Slice(ctx context.Context, q rounds.Request) (rounds.Slice, error) {
	c := &t.comparisons[q.Subject]
	stage := c.stage(q.Side == rounds.New)
	if q.Side == rounds.New || !t.lab.shares() {
		return t.lab.slice(ctx, c.measures[0], stage)
	}
	n := t.used[q.Subject]
	t.used[q.Subject]++
	if have := t.olds[stage]; n < len(have) {
		return have[n], nil
	}
	s, err := t.lab.slice(ctx, c.measures[0], stage)
	if err == nil {
		t.olds[stage] = append(t.olds[stage], s)
	}
	return s, err
}
