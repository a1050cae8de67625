// Package rounds measures two sides alternately until there is a verdict.
//
// It answers which slice runs next and when to stop, for any kind of subject:
// benchmarks, commands, services. Its input are subjects that both sides have, a
// Runner that can measure one slice of one side, and a budget. Package compare
// judges the figures.
//
// # A round
//
// In a round every subject without a verdict has one turn or several, which
// alternate with those of the other subjects. In a turn it runs three slices:
// old, new, and one more of either side, alternately old and new from a random
// beginning; a runner may measure the three together (Turner). The order of the
// subjects, the order of the three slices and the side that is first repeated depend
// only on the seed, the number of the run and the number of the round. Swapping the
// names of the two sides turns each order into another one of the same probability, so that a round's log ratio is
// symmetric about zero if the sides are equal, whatever the machine does: drift,
// a neighbor or a slow first slice are equally likely to affect either. That
// holds for every figure of a round that changes its sign when the sides are
// exchanged.
//
// Each round may also have a layout of the code of its own, from the same seed on
// both sides. If the two programs differ, a layout favors one of them, and all
// turns of its round have that in common: turns of a round are therefore not
// independent observations, but rounds are.
//
// # No peeking
//
// The maximum number of rounds and the looks are fixed before the first one.
// Between looks nothing reads the figures: the engine passes slices to the series
// and counts them. At a look all series are judged together; series with a
// verdict are not measured further, and the others get their time: the plan
// therefore allows up to twice as many rounds as the budget covers with all
// subjects. Other reasons to end a series (the budget, an interrupt, a runner
// that cannot continue) do not depend on its figures; an interrupt of a run that
// showed its figures may, and has no last look. The remaining time depends on the
// figures of other series, which does no harm: given those, the order of this one
// is as random as before.
//
// # When it misleads
//
// A subject is dropped when one of its slices fails, and its series is then
// invalid: a side that fails one time in a hundred is reported as failing, not as
// fast. The plan trusts the given durations; if the machine slows down, the
// budget ends the run with fewer rounds, and the outcome says so.
package rounds
