package prove

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"whet/internal/analyze/compare"
)

// Options are the options of any proof. Start from DefaultOptions.
type Options struct {
	Old, New string      // the user's operands; the runner defines their meaning
	Dir      string      // working directory of the user, in which commands run
	Env      [2][]string // variables, KEY=value, that only the old or the new side gets

	Budget time.Duration // for measuring; builds and tests are not included
	Rounds int           // given by the user; 0: as many as the budget allows
	Alpha  float64       // chance that anything of the run is called different that is not
	Margin float64       // a ratio nearer to 1 than this hardly matters
	Seed   uint64        // of the order and other random choices; 0 draws one

	Now      func() time.Time
	Progress func(Event) // nil: none
	Output   io.Writer   // receives the output of the sides; safe for concurrent use; nil discards it
}

// Event is the progress of a proof.
type Event struct {
	Stage         string        // "building old", "warming up old", "rounds"
	Benchmark     string        // "" outside a benchmark
	Round, Rounds int           // from 1; 0 before the rounds
	Left          time.Duration // at most, until the measuring ends; 0: not started
	Plan          string        // set once, when the plan is made
	Warning       string        // for the user, before the measuring starts
}

// DefaultOptions returns the default options of whet prove.
func DefaultOptions() Options {
	return Options{Budget: 5 * time.Minute, Alpha: 0.005, Margin: 0.02, Now: time.Now}
}

// maxRounds is the maximum number of rounds that a user may give.
const maxRounds = 10000

// Validate reports the first option that cannot be used.
func (o *Options) Validate() error {
	switch {
	case o.Budget < time.Second:
		return fmt.Errorf("-budget %v is too short to compare anything: give at least 1s", o.Budget)
	case o.Rounds < 0 || o.Rounds > maxRounds:
		return fmt.Errorf("-rounds %d: give 1 to %d, or 0 to let the budget decide", o.Rounds, maxRounds)
	case !(o.Alpha > 0 && o.Alpha < 0.5):
		return fmt.Errorf("-alpha %v: give a probability above 0 and below 0.5", o.Alpha)
	case !(o.Margin >= 0 && o.Margin < 1):
		return fmt.Errorf("-margin %v: give a share of at least 0 and below 1, as 2%% or 0.02", o.Margin)
	case o.Now == nil:
		return errors.New("no clock: start from DefaultOptions")
	}
	for side := range compare.Sides {
		for _, kv := range o.Env[side] {
			if name, _, ok := strings.Cut(kv, "="); !ok || name == "" || strings.ContainsRune(kv, 0) {
				return fmt.Errorf("-%v-env %s: give KEY=value", side, Show(kv))
			}
		}
	}
	return nil
}

// Tell reports the progress of a proof.
func (o *Options) Tell(e Event) {
	if o.Progress != nil {
		o.Progress(e)
	}
}

// Operand returns the user's operand of a side.
func (o *Options) Operand(side compare.Side) string { return [2]string{o.Old, o.New}[side] }
