package pair

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"whet/internal/analyze/compare"
	"whet/internal/capture/host"
	"whet/internal/document"
	"whet/internal/prove/rounds"
	"whet/internal/quantity"
	"whet/internal/recording"
)

// Settings are those of any proof. Start from DefaultSettings.
type Settings struct {
	Budget time.Duration // for measuring
	Rounds int           // the user asked for; 0: what the budget allows
	Alpha  float64       // chance that anything of the run is called different that is not
	Margin float64       // a ratio nearer to 1 than this hardly matters
	Seed   uint64        // of the order; 0 draws one

	Now      func() time.Time
	Progress func(Event) // nil: none
}

// Event is where a proof stands.
type Event struct {
	Stage         string        // "warming up old", "rounds"
	Round, Rounds int           // from 1; 0 before the rounds
	Left          time.Duration // at most, until the measuring ends; 0: not started
	Plan          string        // set once, when the plan is made
}

// DefaultSettings returns what whet prove uses unless told otherwise.
func DefaultSettings() Settings {
	return Settings{Budget: 5 * time.Minute, Alpha: 0.005, Margin: 0.02, Now: time.Now}
}

// Validate reports the first setting that cannot be used.
func (s *Settings) Validate() error {
	switch {
	case s.Budget < time.Second:
		return fmt.Errorf("-budget %v is too short to compare anything: give at least 1s", s.Budget)
	case s.Rounds < 0 || s.Rounds > 10000:
		return fmt.Errorf("-rounds %d: give 1 to 10000, or 0 to let the budget decide", s.Rounds)
	case !(s.Alpha > 0 && s.Alpha < 0.5):
		return fmt.Errorf("-alpha %v: give a probability above 0 and below 0.5", s.Alpha)
	case !(s.Margin >= 0 && s.Margin < 1):
		return fmt.Errorf("-margin %v: give a share of at least 0 and below 1, as 2%% or 0.02", s.Margin)
	case s.Now == nil:
		return errors.New("the clock is missing: start from DefaultOptions")
	}
	return nil
}

// Tell reports a stage.
func (s *Settings) Tell(format string, args ...any) {
	if s.Progress != nil {
		s.Progress(Event{Stage: fmt.Sprintf(format, args...)})
	}
}

// Proof is one under way.
type Proof struct {
	Result *compare.Result
	// Watched: what the sides print is shown while they are measured.
	Watched bool

	s      *Settings
	before *host.Meter // since the proof began
	start  time.Time
}

// Begin makes the result that the proof fills in.
func Begin(s *Settings, kind, old, new string, env [2][]string) *Proof {
	seed := s.Seed
	for seed == 0 {
		seed = uint64(rand.Uint32()) // short enough to be typed again, and exact in every JSON reader
	}
	return &Proof{s: s, before: host.Start(), start: s.Now(), Result: &compare.Result{
		Schema: document.Prove, Warnings: []string{}, Kind: kind,
		Old: sideOf(old, env[compare.Old]), New: sideOf(new, env[compare.New]),
		AlphaRatio: s.Alpha, ConfidenceRatio: 1 - s.Alpha, MarginRatio: s.Margin, Seed: seed, BudgetNs: int64(s.Budget), Run: 1, Layouts: 1,
		Benchmarks: []compare.Row{}, OnlyOld: []string{}, OnlyNew: []string{}, Failures: []compare.Failure{},
		Disturbances: []compare.Disturbance{}, Why: []compare.Change{},
		Host: host.Facts(nil),
	}}
}

func sideOf(operand string, env []string) compare.Side {
	return compare.Side{Operand: operand, Tests: "not run", Env: append([]string{}, recording.Variables(env)...), Flags: []string{}}
}

// Warn adds a warning that is not there yet.
func (p *Proof) Warn(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	for _, w := range p.Result.Warnings {
		if w == text {
			return
		}
	}
	p.Result.Warnings = append(p.Result.Warnings, text)
}

// Fail notes a side that cannot be measured.
func (p *Proof) Fail(name string, side compare.Which, err error) {
	p.Result.Failures = append(p.Result.Failures, compare.Failure{Name: name, Side: side.String(), Text: err.Error()})
}

// Measure measures one subject in rounds and enters what they gave.
func (p *Proof) Measure(ctx context.Context, subject rounds.Subject, runner rounds.Runner) error {
	s, res := p.s, p.Result
	fewest := compare.FewestRounds(len(subject.Metrics), s.Alpha)
	meter := host.Start()
	start := s.Now()
	out, err := rounds.Measure(ctx, []rounds.Subject{subject}, runner, rounds.Options{
		Seed: res.Seed, Alpha: s.Alpha, Margin: s.Margin, Budget: s.Budget - s.Now().Sub(p.start), Fixed: s.Rounds, Run: 1,
		Watched: p.Watched, Now: s.Now, Progress: p.progress,
	})
	meter.Stop(&res.Host)
	if err != nil {
		return err
	}
	res.ElapsedNs = int64(s.Now().Sub(start))
	res.RoundsPlanned, res.RoundsMeasured, res.RoundsNeeded = out.Planned, out.Measured, fewest
	res.SliceNs = int64(max(subject.Slice[0], subject.Slice[1]))
	res.Partial, res.Interrupted, res.Series = out.Partial, out.Interrupted, out.Series
	if out.Interrupted && p.Watched {
		p.Warn("it was interrupted while what the sides print was shown (-v): as that may have been for what it showed, the figures are not looked at once more")
	}
	if out.Rows != nil {
		res.Benchmarks = out.Rows
	}
	for _, f := range out.Failures {
		p.Fail(subject.Name, f.Side, fmt.Errorf("in round %d: %w", f.Round, f.Err))
	}
	if out.Planned < fewest {
		why, remedy := fmt.Sprintf("the budget of %v allows", s.Budget), "raise -budget"
		if len(out.Series) > 0 {
			remedy = fmt.Sprintf("-budget %v would do", enough(start.Sub(p.start)+time.Duration(fewest)*time.Duration(out.Series[0].RoundNs)))
		}
		if s.Rounds > 0 {
			why, remedy = "-rounds asks for", "give more"
		}
		p.Warn("%s %s, and a verdict on what varies needs %d: %s", why, quantity.Plural(out.Planned, "round"), fewest, remedy)
	}
	return nil
}

// enough is a budget for what takes so long, with a tenth to spare, in steps that
// somebody would type.
func enough(needed time.Duration) time.Duration {
	const step = 5 * time.Second
	return (needed*11/10 + step - 1) / step * step
}

func (p *Proof) progress(e rounds.Event) {
	if p.s.Progress != nil {
		p.s.Progress(Event{Stage: "rounds", Round: e.Round, Rounds: e.Rounds, Left: e.Left, Plan: e.Plan})
	}
}

// Interrupted notes that the user ended the proof, and returns its result.
func (p *Proof) Interrupted() *compare.Result {
	if !p.Result.Interrupted {
		p.Result.Interrupted, p.Result.Partial = true, "interrupted before the first round"
	}
	return p.End()
}

// End completes the result.
func (p *Proof) End() *compare.Result {
	res := p.Result
	// How busy the machine was is read before anything of ours ran.
	measured := res.Host
	p.before.Stop(&res.Host)
	if res.RoundsMeasured > 0 {
		measured.LoadStart = res.Host.LoadStart
		res.Host = measured
		res.Disturbances = disturbances(&res.Host, res.ElapsedNs)
		for _, d := range res.Disturbances {
			p.Warn("%s", d.Text)
		}
	}
	res.Summarize()
	return res
}
