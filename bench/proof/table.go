package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"whet/bench/ledger"
	"whet/internal/analyze/compare"
	"whet/internal/quantity"
	"whet/internal/stat"
)

// render makes the text of the README from the kept samples.
func render(s Samples) string {
	if len(s.Trials) == 0 && s.Simulated == nil {
		return "Nothing is measured yet."
	}
	var parts []string
	for _, part := range []string{summary(s), identicalTable(s.Trials), fewTable(s.Trials), slowTable(s.Trials, slow3, floor3), slowTable(s.Trials, slow1, floor1),
		coverageTable(s.Simulated), blocksTable(s.Trials), wrongList(s.Trials), caption(s)} {
		if part != "" {
			parts = append(parts, strings.TrimSpace(part))
		}
	}
	return strings.Join(parts, "\n\n") + "\n"
}

func ofQuestion(q question) func(*Trial) bool {
	return func(t *Trial) bool { return t.Question == q }
}

func identical(t *Trial) bool { return t.Question.identical() }

// share is "60 of 62 (96.8 %; 88.8 % to 99.6 %)", with its Clopper–Pearson interval.
func share(k, n int) string {
	if n == 0 {
		return "none yet"
	}
	iv := stat.ClopperPearson(k, n, 0.95)
	return fmt.Sprintf("%d of %d (%s; %s to %s)", k, n, quantity.Percent(iv.Center), quantity.Percent(iv.Low), quantity.Percent(iv.High))
}

// atMost is "0 of 528 (at most 0.6 %)", with the one-sided bound.
func atMost(k, n int) string {
	if n == 0 {
		return "none yet"
	}
	return fmt.Sprintf("%d of %d (at most %s)", k, n, quantity.Percent(stat.ShareUpper(k, n, 0.95)))
}

// holds returns the word for a demand; open when there are too few samples to say.
func holds(open, ok bool) string {
	switch {
	case open:
		return "not enough trials yet"
	case ok:
		return "holds"
	}
	return "does not hold"
}

// Comparisons below which a share says nothing for or against a demand.
const fewest = 20

// summary returns the table with what was measured.
func summary(s Samples) string {
	t := ledger.Table{Head: []string{"question", "demanded", "measured", ""}}
	add := func(cells ...string) { t.Rows = append(t.Rows, cells) }

	able := filter(comparisons(s.Trials, identical), comparison.able)
	c := count(able)
	add("identical sides", "at most 5 of 500 called faster or slower", atMost(c.wrong, c.n), holds(c.n < 500 && c.wrong <= 5, c.wrong*500 <= 5*c.n))

	three := comparisons(s.Trials, ofQuestion(slow3))
	good, bad := split(three, floor3)
	g, b := count(good), count(bad)
	add("3 % slower, own floor under 1.3 %", "90 % found", share(g.slower, g.n), holds(g.n < fewest, g.slower*10 >= 9*g.n))
	add("the same: benchmark time a side", "under 20 s", longest(g.seconds), holds(g.n < fewest, len(g.seconds) > 0 && slices.Max(g.seconds) < sideSeconds))
	add("3 % slower, worse floor", "never \"no change\"", atMost(b.noChange, b.n), holds(b.n < fewest && b.noChange == 0, b.noChange == 0))

	one := comparisons(s.Trials, ofQuestion(slow1))
	good, bad = split(one, floor1)
	g, b = count(good), count(bad)
	add("1 % slower, margin 0.5 %, noise under 1 %", "80 % found", share(g.slower, g.n), holds(g.n < fewest, g.slower*5 >= 4*g.n))
	miss, n := g.noChange+g.faster+b.noChange+b.faster, g.n+b.n
	add("the same, whatever the noise", "else \"cannot tell\"", atMost(miss, n)+" called anything else", holds(n < fewest && miss == 0, miss == 0))

	c = count(comparisons(s.Trials, ofQuestion(few)))
	add("four benchmarks, identical, margin 1 %", "half reach \"no change\"", share(c.noChange, c.n), holds(c.n < fewest, c.noChange*2 >= c.n))
	c = count(comparisons(s.Trials, ofQuestion(slow2)))
	add("four benchmarks, 2 % slower", "90 % found", share(c.slower, c.n), holds(c.n < fewest, c.slower*10 >= 9*c.n))

	if sim := s.Simulated; sim != nil {
		low, wanted, ok := 2.0, 0.95, true
		text := ""
		for _, c := range sim.Cases {
			p, e := c.share(1 - c.Alpha)
			// Two errors: of so many lines one is that far off by chance now and then.
			ok = ok && p >= 1-c.Alpha-2*e
			if over := p - (1 - c.Alpha); over < low {
				low, text = over, fmt.Sprintf("%s of %s ± %s (%s)", quantity.Percent(p), quantity.Percent(1-c.Alpha), quantity.Percent(e), c.World)
			}
		}
		add("intervals, simulated", quantity.Percent(wanted)+" cover, less the Monte Carlo error", "least, beside what is wanted: "+text, holds(false, ok))
	}
	return t.Markdown()
}

// split parts the comparisons by their own noise.
func split(cs []comparison, bound float64) (good, bad []comparison) {
	return filter(cs, func(c comparison) bool { return c.quiet(bound) }), filter(cs, func(c comparison) bool { return !c.quiet(bound) })
}

func longest(seconds []float64) string {
	if len(seconds) == 0 {
		return "none yet"
	}
	return fmt.Sprintf("median %.3g s, longest %.3g s", stat.Median(seconds), slices.Max(seconds))
}

func noise(values []float64) string {
	if len(values) == 0 {
		return "unknown"
	}
	return "±" + quantity.Percent(stat.Median(values))
}

var titles = map[question]string{
	same: "the same binary", tree: "the same source in two trees", added: "with an unrelated function",
	slow3: "3 % slower", slow2: "2 % slower", slow1: "1 % slower", few: "with an unrelated function, four benchmarks",
}

func besides(loaded bool) string {
	if loaded {
		return "one core busy"
	}
	return "alone"
}

func identicalTable(trials []Trial) string {
	t := ledger.Table{Head: []string{"identical sides", "other load", "proofs", "binaries equal", "comparisons", "called different", "at most (95 %)", "p ≤ 0.005 before Holm", "no change", "cannot tell", "too few rounds", "median noise", "largest difference"}}
	for _, q := range []question{same, tree, added} {
		for _, loaded := range []bool{false, true} {
			proofs, equal := 0, 0
			all := comparisons(trials, func(t *Trial) bool {
				wanted := t.Question == q && t.Loaded == loaded
				if wanted {
					proofs++
					if t.SameBytes {
						equal++
					}
				}
				return wanted
			})
			c := count(filter(all, comparison.able))
			if len(all) == 0 {
				continue
			}
			bound := "unknown"
			if c.n > 0 {
				bound = quantity.Percent(stat.ShareUpper(c.wrong, c.n, 0.95))
			}
			t.Rows = append(t.Rows, []string{titles[q], besides(loaded), fmt.Sprint(proofs), fmt.Sprint(equal), fmt.Sprint(c.n), fmt.Sprint(c.wrong), bound,
				fmt.Sprint(c.small), fmt.Sprint(c.noChange), fmt.Sprint(c.cannotTell), fmt.Sprint(len(all) - c.n), noise(c.noise), quantity.Percent(c.largest)})
		}
	}
	if len(t.Rows) == 0 {
		return ""
	}
	return t.Markdown()
}

// fewTable shows what becomes of four benchmarks in prove's own budget.
func fewTable(trials []Trial) string {
	t := ledger.Table{Head: []string{"four benchmarks", "other load", "comparisons", "slower", "no change", "cannot tell", "faster", "median noise", "median width of the interval", "steal"}}
	for _, q := range []question{few, slow2} {
		for _, loaded := range []bool{false, true} {
			var steals []float64
			cs := comparisons(trials, func(t *Trial) bool {
				wanted := t.Question == q && t.Loaded == loaded
				if wanted && t.At.Steal != nil {
					steals = append(steals, *t.At.Steal)
				}
				return wanted
			})
			if len(cs) == 0 {
				continue
			}
			c, steal := count(cs), "unknown"
			if len(steals) > 0 {
				steal = "up to " + quantity.Percent(slices.Max(steals))
			}
			t.Rows = append(t.Rows, []string{titles[q], besides(loaded), fmt.Sprint(c.n), fmt.Sprint(c.slower), fmt.Sprint(c.noChange), fmt.Sprint(c.cannotTell), fmt.Sprint(c.faster),
				noise(c.noise), noise(c.halves), steal})
		}
	}
	if len(t.Rows) == 0 {
		return ""
	}
	return t.Markdown()
}

// slowTable shows the mix of one planted slowdown.
func slowTable(trials []Trial, q question, bound float64) string {
	floor := quantity.Percent(bound)
	t := ledger.Table{Head: []string{titles[q], "other load", "comparisons", "floor under " + floor, "found", "worse floor", "found", "no change", "faster", "found by CPU time", "median ratio", "median floor", "benchmark time a side, median"}}
	all := comparisons(trials, ofQuestion(q))
	for _, name := range append(names(all), "all") {
		for _, loaded := range []bool{false, true} {
			cs := filter(all, func(c comparison) bool {
				return (name == "all" || c.time.Name == name) && c.trial.Loaded == loaded
			})
			if len(cs) == 0 {
				continue
			}
			good, bad := split(cs, bound)
			c, g, b := count(cs), count(good), count(bad)
			t.Rows = append(t.Rows, []string{name, besides(loaded), fmt.Sprint(c.n), fmt.Sprint(g.n), fmt.Sprint(g.slower), fmt.Sprint(b.n), fmt.Sprint(b.slower),
				fmt.Sprint(c.noChange), fmt.Sprint(c.faster), fmt.Sprint(c.byCPU), compare.PrintRatio(stat.Median(c.ratios)), noise(c.noise), fmt.Sprintf("%.3g s", stat.Median(c.seconds))})
		}
	}
	if len(t.Rows) == 0 {
		return ""
	}
	return t.Markdown()
}

func coverageTable(s *Simulated) string {
	if s == nil {
		return ""
	}
	t := ledger.Table{Head: []string{"simulated times", "runs of", "runs", "wanted", "intervals that cover", "± (Monte Carlo)", "median width", "median rounds", "runs with a wrong verdict", "slower: found", "slower: no change or faster"}}
	for _, c := range s.Cases {
		p, e := c.share(1 - c.Alpha)
		found := "–"
		if c.Slower > 0 {
			found = quantity.Percent(float64(c.Found) / float64(c.Slower))
		}
		t.Rows = append(t.Rows, []string{c.World, c.Setting, quantity.Count(float64(c.Runs)), quantity.Percent(1 - c.Alpha), quantity.Percent(p), quantity.Percent(e),
			quantity.Percent(c.Width), fmt.Sprintf("%.3g", c.Rounds), quantity.Percent(float64(c.WrongRuns) / float64(c.Runs)), found, fmt.Sprint(c.Overseen)})
	}
	return t.Markdown()
}

// blocksTable sets what go test and benchstat said beside what prove said of
// the same sides in the same trials.
func blocksTable(trials []Trial) string {
	t := ledger.Table{Head: []string{"sides", "other load", "asked", "comparisons", "faster", "slower", "largest difference", "time for a benchmark"}}
	for _, kind := range []struct {
		title string
		ok    func(*Trial) bool
	}{{"identical", identical}, {titles[slow3], ofQuestion(slow3)}} {
		for _, loaded := range []bool{false, true} {
			var took [2]time.Duration
			cs := comparisons(trials, func(t *Trial) bool {
				wanted := kind.ok(t) && t.Loaded == loaded && t.Blocks != nil
				if wanted {
					took[0] += time.Duration(t.MeasureNs)
					took[1] += time.Duration(t.Blocks.ElapsedNs)
				}
				return wanted
			})
			cs = filter(cs, func(c comparison) bool { return c.block != nil })
			if len(cs) == 0 {
				continue
			}
			c := count(cs)
			faster, slower, largest := 0, 0, 1.0
			for _, one := range cs {
				b := one.block
				switch {
				case b.slower():
					slower++
				case b.different():
					faster++
				}
				r := center(b.Old) / center(b.New)
				largest = max(largest, r, 1/r)
			}
			each := func(d time.Duration) string {
				return quantity.Nanoseconds(float64(d) / float64(len(cs)))
			}
			t.Rows = append(t.Rows,
				[]string{kind.title, besides(loaded), "whet prove", fmt.Sprint(c.n), fmt.Sprint(c.faster), fmt.Sprint(c.slower), quantity.Percent(c.largest), each(took[0])},
				[]string{kind.title, besides(loaded), "go test -count=10, benchstat", fmt.Sprint(c.n), fmt.Sprint(faster), fmt.Sprint(slower), quantity.Percent(largest - 1), each(took[1])})
		}
	}
	if len(t.Rows) == 0 {
		return ""
	}
	return t.Markdown()
}

// wrongList names every verdict that is known to be wrong.
func wrongList(trials []Trial) string {
	var out []string
	for _, c := range comparisons(trials, func(*Trial) bool { return true }) {
		r := c.wrong
		switch {
		case !c.trial.Question.planted() && r != nil:
		case c.trial.Question.planted() && (c.time.Verdict == compare.Faster || c.time.Verdict == compare.NoChange):
			r = &c.time
		default:
			continue
		}
		out = append(out, fmt.Sprintf("%s, %s of %s (%s, seed %d): %s, %s", titles[c.trial.Question], r.Metric, r.Name, besides(c.trial.Loaded), c.trial.Seed, r.Verdict, compare.PrintInterval(r.Low, r.High)))
	}
	if len(out) == 0 {
		return ""
	}
	return "Wrong verdicts:\n\n- " + strings.Join(out, "\n- ")
}

// caption says where the figures are from; every revision that measured is
// named.
func caption(s Samples) string {
	var origins []Origin
	for _, t := range s.Trials {
		origins = append(origins, t.At)
	}
	if s.Simulated != nil {
		origins = append(origins, s.Simulated.At)
	}
	var days, machines, commits []string
	var loads, steals []float64
	add := func(to *[]string, s string) {
		if !slices.Contains(*to, s) {
			*to = append(*to, s)
		}
	}
	for _, o := range origins {
		add(&days, o.Date.Format(time.DateOnly))
		add(&machines, fmt.Sprintf("%s, %d cores, %s, %s", o.CPU, o.Cores, o.System, o.Go))
		commit := o.Commit
		if o.Dirty {
			commit += " with changes"
		}
		add(&commits, commit)
		if o.Load != nil {
			loads = append(loads, *o.Load)
		}
		if o.Steal != nil {
			steals = append(steals, *o.Steal)
		}
	}
	slices.Sort(days)
	text := strings.Join(days, ", ") + "; " + strings.Join(machines, "; ") + "; commit " + strings.Join(commits, ", ")
	if len(loads) > 0 {
		text += fmt.Sprintf("; load before a proof %.1f to %.1f", slices.Min(loads), slices.Max(loads))
	}
	if len(steals) > 0 {
		text += "; steal up to " + quantity.Percent(slices.Max(steals))
	}
	return text + "."
}
