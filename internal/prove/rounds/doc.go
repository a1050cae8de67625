// Package rounds measures two sides in turns until there is a verdict.
//
// It answers which slice runs next and when to stop, for any kind of subject:
// benchmarks, commands, services. Its input are subjects that both sides have,
// a Runner that can measure one slice of one side, and a budget. What the
// slices showed is judged by package compare.
//
// # A round
//
// In a round every subject that is still measured has one turn or several, which
// alternate with those of the other subjects. In a turn it runs three slices:
// old, new, and one more of either side, old and new by turns from one drawn by
// lot. The order of the subjects, the order of the three slices and the side that
// runs twice first depend on the seed, the number of the run and the number of
// the round alone. Swapping the names of the two sides turns each drawn order
// into another one that was as likely, so that a round's log ratio is symmetric
// about zero when the sides are equal, whatever the machine does: drift, a
// neighbour, a slow first slice fall on both alike. That holds for every figure
// of a round that changes its sign where the sides are exchanged.
//
// Each round may also have a layout of the code of its own, the same seed on
// both sides. Where the two programs differ, a layout favours one of them, and
// all turns of its round have that in common: so the turns of a round are no
// observations of their own, and rounds are independent.
//
// # No peeking
//
// The largest number of rounds and the looks are fixed before the first one.
// Between looks nothing reads the figures: the engine hands slices to the
// series and counts them. At a look all series are judged together; those that
// have their verdict are measured no more, and their time goes to the rest: for
// that the plan allows up to twice as many rounds as the budget pays for with
// all subjects. What ends a series otherwise (the budget, an interrupt, a
// runner that cannot go on) does not look at its figures; an interrupt of a run
// whose figures were shown meanwhile may, and gives no last look. That the time left
// depends on the figures of other series does no harm: given those, the lot of
// this one is as fair as before.
//
// # When it misleads
//
// A subject is dropped when one of its slices fails, and its series is then
// invalid: a side that fails one time in a hundred is reported as failing, not
// as fast. The plan trusts the durations that it was given; where the machine
// becomes slower the budget ends the run with fewer rounds, which the outcome
// says.
package rounds
