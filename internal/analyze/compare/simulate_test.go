package compare

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"whet/internal/stat"
)

// The runs of every simulation are a sample that takes seconds; -simulate 50
// gives figures of three digits.
var simulate = flag.Int("simulate", 1, "multiply the runs of simulations by `n`")

func ones(n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = 1
	}
	return out
}

// atMost fails where k of n is more than a share allows, in one of a thousand
// simulations that are right.
func atMost(t *testing.T, what string, k, n int, share float64) {
	t.Helper()
	t.Logf("%s: %d of %d", what, k, n)
	if low := stat.ClopperPearson(k, n, 0.998).Low; low > share {
		t.Errorf("%s: %d of %d, more than %v", what, k, n, share)
	}
}

func atLeast(t *testing.T, what string, k, n int, share float64) {
	t.Helper()
	t.Logf("%s: %d of %d", what, k, n)
	if high := stat.ClopperPearson(k, n, 0.998).High; high < share {
		t.Errorf("%s: %d of %d, less than %v", what, k, n, share)
	}
}

// severalTurns returns a machine whose rounds have several turns and whose layouts
// weigh more than its slices: were turns taken for rounds, equal sides would be
// called different all the time.
func severalTurns(seed uint64) *machine {
	m := newMachine(seed + 1)
	m.turns, m.layout = 4, 0.02
	return m
}

// machines take turns in a simulation, so that the error rates are held for
// noise of every kind.
func machines(seed uint64) []*machine {
	return []*machine{
		{rng: rand.New(rand.NewPCG(seed, 1)), noise: normal(0.01)},
		{rng: rand.New(rand.NewPCG(seed, 2)), noise: lognormal(0.03)},
		newMachine(seed),
		severalTurns(seed),
	}
}

// The whole design under the null, at an alpha ten times the default so that
// there is something to see: how often anything at all is called different in a
// run, and in the run or a second one of the same question, which is pooled.
func TestFalseVerdicts(t *testing.T) {
	if testing.Short() {
		t.Skip("simulates many comparisons")
	}
	const alpha = 0.05
	for _, c := range []struct{ hypotheses, runs int }{{1, 600}, {6, 120}} {
		first, both := 0, 0
		for i := range c.runs * *simulate {
			m := machines(uint64(i))[i%4]
			q := question{o: Options{Alpha: alpha, Margin: 0.001}, planned: 24, ratios: ones(c.hypotheses)}
			rows, rounds := m.ask(q)
			wrong := anyDifferent(rows)
			if wrong {
				first++
			}
			q.earlier, q.run = rounds, 2
			if rows, _ = m.ask(q); wrong || anyDifferent(rows) {
				both++
			}
		}
		atMost(t, fmt.Sprintf("%d hypotheses, first run", c.hypotheses), first, c.runs**simulate, alpha*0.8)
		atMost(t, fmt.Sprintf("%d hypotheses, either run", c.hypotheses), both, c.runs**simulate, alpha*0.96)
		if first == 0 {
			t.Errorf("%d hypotheses: never wrong: the simulation does not test it", c.hypotheses)
		}
	}
}

func anyDifferent(rows []Row) bool {
	for _, r := range rows {
		if r.Verdict == Faster || r.Verdict == Slower {
			return true
		}
	}
	return false
}

// What differs by the margin is called unchanged as rarely as NoChangeAlpha says, at a smaller
// alpha too.
func TestFalseNoChange(t *testing.T) {
	if testing.Short() {
		t.Skip("simulates many comparisons")
	}
	runs := 300 * *simulate
	for _, counts := range []bool{false, true} {
		wrong := 0
		for i := range runs {
			ratio := []float64{1.02, 1 / 1.02}[i%2]
			q := question{o: Options{Alpha: []float64{0.005, 0.05}[i/4%2], Margin: 0.02}, planned: 40, ratios: []float64{ratio, ratio}, counts: counts}
			times := slices.DeleteFunc(first(machines(uint64(i))[i%4].ask(q)), func(r Row) bool { return r.Metric != NsPerOp })
			if times[0].Verdict == NoChange || times[1].Verdict == NoChange {
				wrong++
			}
		}
		atMost(t, fmt.Sprintf("called unchanged, beside equal counts %v", counts), wrong, runs, NoChangeAlpha(0.005)*0.8)
	}
}

func first(rows []Row, _ [][]Round) []Row { return rows }

// Among effects of all sizes, each row's interval holds the truth at least as
// often as one minus alpha, though its level depends on what else was found and
// its look on when. The other rows are plainly different, so that the last step
// of Holm's procedure is reached. A wrong direction is as rare.
func TestIntervalsCover(t *testing.T) {
	if testing.Short() {
		t.Skip("simulates many comparisons")
	}
	const alpha = 0.05
	runs := 120 * *simulate
	missed, all := 0, 0
	for k, ratio := range []float64{0.9, 0.99, 1, 1.005, 1.03, 9} {
		held, wrong := 0, 0
		for i := range runs {
			m := machines(uint64(1000000*k + i))[i%4]
			rows, _ := m.ask(question{o: Options{Alpha: alpha, Margin: 0.02}, planned: 24, ratios: []float64{ratio, 3, 0.3}})
			r := rows[0]
			if r.RatioLow <= ratio && ratio <= r.RatioHigh {
				held++
			}
			if ratio > 1 && r.Verdict == Slower || ratio < 1 && r.Verdict == Faster {
				wrong++
			}
		}
		atLeast(t, fmt.Sprintf("ratio %v held", ratio), held, runs, 1-alpha)
		atMost(t, fmt.Sprintf("ratio %v turned round", ratio), wrong, runs, alpha/2)
		missed, all = missed+runs-held, all+runs
	}
	atLeast(t, "all held", all-missed, all, 1-alpha)
	if missed == 0 {
		t.Error("no interval ever missed: the simulation does not test it")
	}
}

// Three percent is found at the default alpha, among six rows, with a noise that
// machines have: a long tail of 1.5 %, layouts of 0.4 %, one slice in twenty hit.
func TestPower(t *testing.T) {
	runs := 100 * *simulate
	m := newMachine(4)
	for ratio, want := range map[float64]Verdict{1.03: Faster, 1 / 1.03: Slower} {
		found, early := 0, 0
		for range runs {
			q := question{o: Options{Alpha: 0.005, Margin: 0.02, Hypotheses: 6}, planned: 60, ratios: []float64{ratio}}
			rows, _ := m.ask(q)
			if rows[0].Verdict == want {
				found++
			}
			if rows[0].Rounds < 60 {
				early++
			}
		}
		atLeast(t, fmt.Sprintf("ratio %.3f found", ratio), found, runs, 0.95)
		if early == 0 {
			t.Errorf("ratio %.3f: never at an early look", ratio)
		}
	}
	// Equal sides get "no change" where the noise is below the margin.
	same := 0
	quiet := &machine{rng: rand.New(rand.NewPCG(4, 4)), noise: normal(0.01)}
	for range runs {
		rows, _ := quiet.ask(question{o: Options{Alpha: 0.005, Margin: 0.02, Hypotheses: 6}, planned: 60, ratios: []float64{1}})
		if rows[0].Verdict == NoChange {
			same++
		}
	}
	atLeast(t, "no change", same, runs, 0.95)
}

// The promise of what a verdict would take is kept about as often as it says,
// where the rounds are few and the truth is what was estimated on average.
func TestNeededIsEnough(t *testing.T) {
	if testing.Short() {
		t.Skip("simulates many comparisons")
	}
	m := &machine{rng: rand.New(rand.NewPCG(5, 5)), noise: normal(0.02)}
	o := Options{Alpha: 0.005, Margin: 0.02, Hypotheses: 4}
	promised, kept := 0, 0
	for range 150 {
		q := question{o: o, planned: 24, ratios: []float64{1}}
		rows, rounds := m.ask(q)
		n := rows[0].Needed
		if n == nil {
			continue
		}
		promised++
		q.earlier, q.run, q.planned = rounds, 2, n.Rounds-len(rounds[0])
		if rows, _ = m.ask(q); rows[0].Verdict != CannotTell {
			kept++
		}
	}
	t.Logf("kept %d of %d", kept, promised)
	if share := float64(kept) / float64(promised); promised < 30 || math.Abs(share-chance) > 0.2 {
		t.Errorf("of %d promises %d were kept", promised, kept)
	}
}

// The slices of a round's turns share its layout, and count as one observation:
// with turns for rounds, sides that differ in nothing but their layouts would be
// called different, and many turns tell no more than their round's layout lets
// them.
func TestTurnsAreNoRounds(t *testing.T) {
	if testing.Short() {
		t.Skip("simulates many comparisons")
	}
	const alpha = 0.05
	runs := 200 * *simulate
	wrong, split := 0, 0
	for i := range runs {
		m := severalTurns(uint64(i))
		s := Series{Name: "A", Metrics: []Metric{MetricOf(NsPerOp)}, Run: 1, Ended: true, Rounds: m.rounds(20, 1)}
		o := Options{Alpha: alpha, Margin: 0.001}
		if anyDifferent(Judge([]Series{s}, o)) {
			wrong++
		}
		var turns []Round
		for k := range s.Rounds {
			for _, turn := range s.Rounds[k].Turns() {
				turns = append(turns, Round{Turn: turn})
			}
		}
		s.Rounds = turns
		if anyDifferent(Judge([]Series{s}, o)) {
			split++
		}
	}
	atMost(t, "called different", wrong, runs, alpha*0.8)
	atLeast(t, "called different by turns", split, runs, 3*alpha)
}
