package rounds

import (
	"context"
	"fmt"
	"time"

	"whet/internal/quantity"
)

// conclude judges the figures when measuring has ended, and gives the reason if that is
// less than planned.
func (m *measuring) conclude(ctx context.Context) {
	m.out.Measured = m.least()
	m.out.Interrupted = ctx.Err() != nil
	of := fmt.Sprintf("after %d of %s", m.out.Measured, quantity.Plural(m.plan.Rounds, "round"))
	switch {
	case m.out.Interrupted:
		m.out.Partial = "interrupted " + of
	case m.out.Trouble != nil:
		m.out.Partial = fmt.Sprintf("ended %s: %v", of, m.out.Trouble)
	case !m.stopped && len(m.active()) > 0 && m.out.Measured < m.plan.Rounds:
		m.out.Partial = "the budget ended " + of
	}
	// A user who stops the run may have looked at the figures: there is no last look.
	if !m.stopped && !(m.out.Interrupted && m.o.Watched) {
		for _, i := range m.active() {
			m.out.Series[i].Ended = true
		}
	}
	m.judge()
}

// least returns the number of rounds of this run that every subject without a
// verdict or a failure has; where there is none, the largest of all.
func (m *measuring) least() int {
	fewest, most := m.plan.Most, 0
	for i := range m.subjects {
		n := len(m.out.Series[i].Rounds) - m.out.Series[i].Earlier
		most = max(most, n)
		if m.state[i] == measured {
			fewest = min(fewest, n)
		}
	}
	return min(fewest, most)
}

// left returns the longest that the measuring may still take: the budget's rest, or
// less where the rounds that are left need less.
func (m *measuring) left(round int) time.Duration {
	each := m.o.Prepare
	for _, i := range m.active() {
		each += m.subjects[i].round()
	}
	need := time.Duration(m.plan.Most-round+1) * each
	return max(min(m.deadline.Sub(m.o.Now()), need), 0)
}
