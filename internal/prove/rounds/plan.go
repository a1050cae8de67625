package rounds

import (
	"fmt"
	"math/rand/v2"
	"time"

	"whet/internal/analyze/compare"
	"whet/internal/quantity"
)

// Plan is fixed before the first round.
type Plan struct {
	Rounds int   // what the budget pays for with all subjects
	Most   int   // for subjects without a verdict by then, from the time that the others leave
	Fewest int   // without which no verdict is possible on what varies
	Looks  []int // rounds after which the figures are judged
	Round  time.Duration
}

// MakePlan plans the rounds of the subjects within the budget.
func MakePlan(subjects []Subject, o Options) Plan {
	p := Plan{Round: o.Prepare}
	hypotheses := 0
	for i := range subjects {
		p.Round += subjects[i].round()
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

// String is the plan in words.
func (p Plan) String() string {
	text := fmt.Sprintf("%s of 3 slices each (old, new, and one of them again)", quantity.Plural(p.Rounds, "round"))
	if p.Most > p.Rounds {
		text += fmt.Sprintf(", up to %d where verdicts on others leave time", p.Most)
	}
	return text
}

// turn is one subject's part of a round: the side that each of its three
// slices runs. The one that comes twice is the doubled side.
type turn struct {
	subject int
	doubled compare.Which
	slots   [3]slot
}

// slot is one of the three slices of a turn.
type slot int

const (
	slotOld slot = iota
	slotNew
	slotAgain
)

// side is the side that a slot runs.
func (t turn) side(s slot) compare.Which {
	switch s {
	case slotOld:
		return compare.Old
	case slotNew:
		return compare.New
	}
	return t.doubled
}

// lot draws all that is left to chance in a round: the seed of its layout, the
// order of the n subjects, and of each the doubled side and the order of its
// slices. It depends on the seed and the numbers of run and round alone: a
// second run with the same seed is another draw.
func lot(seed uint64, run, round, n int) (layout uint64, turns []turn) {
	rng := rand.New(rand.NewPCG(seed, uint64(run)<<32|uint64(uint32(round))))
	// The linker takes a signed number, and 0 for no layout of its own.
	layout = 1 + rng.Uint64N(1<<31)
	turns = make([]turn, n)
	for i, s := range rng.Perm(n) {
		t := turn{subject: s, doubled: compare.Which(rng.IntN(2)), slots: [3]slot{slotOld, slotNew, slotAgain}}
		rng.Shuffle(3, func(j, k int) { t.slots[j], t.slots[k] = t.slots[k], t.slots[j] })
		turns[i] = t
	}
	return layout, turns
}
