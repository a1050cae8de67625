package explain

import (
	"cmp"
	"slices"

	"whet/internal/diagnose"
	"whet/internal/diagnose/purity"
)

// least is what a principle asks for of the base's time: less than a kind of cost, as it
// names what goes.
const least = 0.08

// reading is what a principle says of an operation.
type reading struct {
	why, remedy string
	of          *diagnose.Sets // what the operation costs
	goes        *diagnose.Sets // what of it the remedy takes away; nil: all
	at          *operation     // where to change something; nil: the operation itself
	least       float64        // of the base's time that it takes; 0: least
}

// principle asks whether an operation is waste of one sort; the zero value: it is not, or
// that does not show.
type principle func(v *account, o *operation) reading

// answer asks principles in their order about a place's operations, the nearest first.
func answer(s *diagnose.Subject, at *diagnose.Spot, principles ...principle) (j diagnose.Judgement) {
	v := look(s, at)
	if v.pkg == nil || v.decl == nil {
		return j
	}
	for _, ask := range principles {
		for _, o := range v.operations() {
			r := ask(v, o)
			if r.why == "" {
				continue
			}
			if r.goes == nil {
				r.goes = r.of
			}
			if max(v.share(r.goes), v.AllocShare(r.goes.Allocs.Keep())/2) < cmp.Or(r.least, least) {
				continue
			}
			if r.at == nil {
				r.at = o
			}
			j = diagnose.Judgement{Cause: r.why, Claim: v.claimOf(r.at, r.of, r.why, r.remedy)}
			if j.Claim != nil {
				j.Claim.Avoidable = r.goes.Samples()
			}
			return j
		}
	}
	return j
}

func (v *account) judge() *purity.Judge {
	type key struct{}
	return diagnose.Once(v.Subject, key{}, purity.New)
}

func (v *account) pure(function string, copies bool) bool {
	return v.judge().Pure(function, copies)
}

func computedAgain(s *diagnose.Subject, at *diagnose.Spot) diagnose.Judgement {
	if j := answer(s, at, inComparison, ofType, ofCounters, takenApart, ofSettings, sortedAgain, belowAgain, fromStart, replacedSingly); j.Cause != "" {
		return j
	}
	if j := look(s, at).steadyWork(); j.Cause != "" {
		return j
	}
	return eachAnswer(s, at)
}

func usedInPart(s *diagnose.Subject, at *diagnose.Spot) diagnose.Judgement {
	if j := answer(s, at, firstAlone, unread, beforeCheck, dropped, errorTested); j.Cause != "" {
		return j
	}
	if j := madeBeforeCheck(s, at); j.Cause != "" {
		return j
	}
	return tracked(s, at)
}

func builtToRead(s *diagnose.Subject, at *diagnose.Spot) diagnose.Judgement {
	return answer(s, at, onlyRead, copiedUp, copiedToRange)
}

// among returns the samples of an operation's line below functions by how their names begin.
func (v *account) among(o *operation, begins ...string) *diagnose.Sets {
	sum := new(diagnose.Sets)
	for name, sets := range v.Costs()[o.frame.File][o.frame.Line] {
		if slices.ContainsFunc(begins, beginning(name)) {
			sum.Join(sets)
		}
	}
	return sum
}
