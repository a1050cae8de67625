package rounds

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"whet/internal/analyze/compare"
	"whet/internal/quantity"
)

// Plan is fixed before the first round.
type Plan struct {
	Rounds int   // that the budget covers with all subjects
	Most   int   // for subjects without a verdict by then, from the time that the others leave
	Fewest int   // for a verdict on a figure that varies
	Looks  []int // rounds after which the figures are judged
	Round  time.Duration
	Turns  int // the most that a subject has in a round
}

// MakePlan plans the rounds of the subjects within the budget.
func MakePlan(subjects []Benchmark, o Options) Plan {
	p := Plan{Round: o.Prepare}
	hypotheses := 0
	for i := range subjects {
		p.Round += subjects[i].round()
		p.Turns = max(p.Turns, subjects[i].turns())
		hypotheses += len(subjects[i].Metrics)
	}
	most := o.Max
	if most <= 0 {
		most = MaxRounds
	}
	p.Fewest = compare.FewestRounds(hypotheses, o.Alpha)
	switch {
	case o.Fixed > 0:
		p.Rounds, p.Most = o.Fixed, o.Fixed
	default:
		p.Rounds = int(min(o.Budget/max(p.Round, time.Microsecond), time.Duration(max(most, p.Fewest))))
		p.Rounds = max(p.Rounds, 1)
		p.Most = p.Rounds
		if len(subjects) > 1 {
			p.Most = max(p.Rounds, min(2*p.Rounds, most))
		}
	}
	p.Looks = compare.Looks(p.Most, hypotheses, o.Alpha)
	if o.OneLook {
		p.Looks = []int{p.Most}
	}
	return p
}

// String returns the plan in words.
func (p Plan) String() string {
	text := quantity.Plural(p.Rounds, "round") + " of 3 slices each (old, new, and one of them again)"
	if p.Turns > 1 {
		text = fmt.Sprintf("%s of up to %d turns each, of 3 slices (old, new, and one of them again)", quantity.Plural(p.Rounds, "round"), p.Turns)
	}
	if p.Most > p.Rounds {
		text += fmt.Sprintf(", up to %d where verdicts on others leave time", p.Most)
	}
	return text
}

// turn is a turn of one subject: the side that each of its three slices runs.
// The one that comes twice is the doubled side.
type turn struct {
	subject int
	number  int // of the subject's in the round, from 1
	doubled compare.Side
	slots   [3]slot
}

// slot is one of the three slices of a turn.
type slot int

const (
	slotOld slot = iota
	slotNew
	slotAgain
)

// side returns the side that a slot runs.
func (t turn) side(s slot) compare.Side {
	switch s {
	case slotOld:
		return compare.Old
	case slotNew:
		return compare.New
	}
	return t.doubled
}

// lot draws the random choices of a round: the seed of its layout, the order of the
// subjects, which have the given numbers of turns, the side of each that is repeated in
// its first turn (the sides then alternate), and the order of the slices of every turn.
// The subjects' turns alternate, so that a disturbance of a second hits a few turns of
// all and not all of a few. The choices depend only on the seed and the numbers of run
// and round: a second run with the same seed draws others.
func lot(seed uint64, run, round int, counts []int) (layout uint64, turns []turn) {
	rng := rand.New(rand.NewPCG(seed, uint64(run)<<32|uint64(uint32(round))))
	// The linker takes a signed number, and 0 for no layout of its own.
	layout = 1 + rng.Uint64N(1<<31)
	doubled := make([]compare.Side, len(counts))
	for i := range doubled {
		doubled[i] = compare.Side(rng.IntN(2))
	}
	for k := range slices.Max(counts) {
		for _, s := range rng.Perm(len(counts)) {
			if k >= counts[s] {
				continue
			}
			t := turn{subject: s, number: k + 1, doubled: (doubled[s] + compare.Side(k)) % compare.Sides, slots: [3]slot{slotOld, slotNew, slotAgain}}
			rng.Shuffle(3, func(j, k int) { t.slots[j], t.slots[k] = t.slots[k], t.slots[j] })
			turns = append(turns, t)
		}
	}
	return layout, turns
}
