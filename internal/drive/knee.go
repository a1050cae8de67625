package drive

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"whet/internal/capture/host"
	"whet/internal/cli"
	"whet/internal/knee"
	"whet/internal/load"
	"whet/internal/load/engine"
	"whet/internal/load/slo"
	"whet/internal/loadresult"
	"whet/internal/quantity"
	"whet/internal/record"
	loadreport "whet/internal/report/load"
	pagereport "whet/internal/report/page"
	"whet/internal/schedule"
	"whet/internal/search"
)

// kneeWarmup precedes each level: connections are made.
const kneeWarmup = 500 * time.Millisecond

// notWithKnee are the flags that say what a search decides, or what only one
// load has.
var notWithKnee = []string{"n", "rate", "think", "stream", "hdr", "hgrm", "csv-out"}

// checkKnee refuses what makes no sense together.
func (l *loadFlags) checkKnee() error {
	if !l.knee {
		for _, name := range []string{"pprof", "budget"} {
			if cli.IsSet(l.fs, name) {
				return fmt.Errorf("-%s needs -knee", name)
			}
		}
		return nil
	}
	for _, name := range notWithKnee {
		if cli.IsSet(l.fs, name) {
			return fmt.Errorf("-%s is for a single load: leave it out with -knee", name)
		}
	}
	if l.budget <= 0 {
		return fmt.Errorf("-budget %v: give more than 0", l.budget)
	}
	if l.pprof != "" && !strings.HasPrefix(l.pprof, "unix:") {
		whole, ok := cli.AsURL(l.pprof)
		if !ok {
			return fmt.Errorf("-pprof %s: give a URL like http://localhost:6060", l.pprof)
		}
		l.pprof = whole
	}
	if l.poisson && l.slo == "" {
		return errors.New("-poisson needs a rate: with -knee give bounds too (-slo)")
	}
	return nil
}

// kneeSearch is a run of -knee.
type kneeSearch struct {
	l        *loadFlags
	plan     *loadPlan
	view     *cli.LiveLines
	warmup   time.Duration
	span     time.Duration          // of a level; 0: as the search has it
	levels   map[float64]*kneeLevel // of the search under way
	outages  outages
	runs     []loadreport.Run
	knee     *kneeLevel // whose run is the last of runs
	began    time.Time
	profiles struct{ knee, beside record.Profiles } // where -pprof says where to have them
	meter    *host.Meter
}

// search looks for the best throughput, and where there are bounds for the
// highest rate that keeps them.
func (l *loadFlags) search(ctx context.Context, e *cli.Env, plan *loadPlan) error {
	s := &kneeSearch{l: l, plan: plan, view: cli.NewLiveLines(ctx, e), warmup: kneeWarmup, began: time.Now(), meter: host.Start()}
	if cli.IsSet(l.fs, "warmup") {
		s.warmup = plan.options.Warmup
	}
	if cli.IsSet(l.fs, "d") {
		s.span = plan.options.Duration
	}
	page := &loadreport.Search{Plan: plan.told, Warnings: l.warnings}
	if len(plan.bounds) > 0 {
		page.SLO = plan.bounds.String()
	}
	found, err := s.find(ctx, page)
	page.Warnings = append(page.Warnings, s.outages.warnings()...)
	if err == nil && l.pprof != "" && ctx.Err() == nil {
		var warnings []string
		page.Growth, warnings, err = s.profile(ctx, found)
		page.Warnings = append(page.Warnings, warnings...)
	}
	s.view.Clear()
	if len(page.Found) == 0 || len(page.Found[0].Levels) == 0 && err != nil {
		return kneeError(ctx, err)
	}
	var files loadreport.Files
	var trouble error
	if l.out != "" {
		files, trouble = s.write(ctx, e, page)
	}
	if err == nil || ctx.Err() != nil {
		err = kneeOutcome(ctx, found, plan.bounds)
	}
	return printedOutcome(l.printSearch(e, page, files), trouble, err)
}

func (l *loadFlags) printSearch(e *cli.Env, page *loadreport.Search, files loadreport.Files) error {
	if l.open && files.Report != "" {
		defer e.Browse(files.Report)
	}
	if l.asJSON {
		return loadreport.WriteSearchJSON(e.Stdout, page, files)
	}
	err := loadreport.WriteSearchText(e.Stdout, page, pagereport.TextOptions{Width: e.Width, Color: e.Color})
	if err == nil && files.Report != "" {
		_, err = fmt.Fprintln(e.Stdout)
	}
	return printFiles(e, files, err)
}

// kneeError gives an error of a search its exit code.
func kneeError(ctx context.Context, err error) error {
	if err == nil || ctx.Err() != nil {
		return &cli.ExitError{Code: cli.ExitInterrupted, Err: errors.New("interrupted before any result")}
	}
	return err
}

// kneeOutcome returns the error that a search ends with. What was found has to keep the
// least throughput that the bounds ask for, by which no rate was judged.
func kneeOutcome(ctx context.Context, found []*knee.Knee, bounds slo.Bounds) error {
	if ctx.Err() != nil {
		return &cli.ExitError{Code: cli.ExitInterrupted, Err: errors.New("interrupted: the figures cover the time until then")}
	}
	for _, k := range found {
		if k.Invalid != "" {
			return fmt.Errorf("the measurement is not valid: %s", k.Invalid)
		}
	}
	for _, k := range found {
		switch {
		case len(k.Levels) == 0:
			return errors.New("the budget ran out before a rate was tried: raise -budget")
		case !k.Found && k.Open:
			return &cli.ExitError{Code: cli.ExitFound, Err: errors.New(k.String())}
		case !k.Found:
			return fmt.Errorf("look for the knee: %s", k)
		case !k.Open:
			continue
		}
		for _, b := range bounds {
			if b.Metric.Kind == slo.Throughput && !b.Holds(k.Throughput) {
				return &cli.ExitError{Code: cli.ExitFound, Err: errors.New(slo.Verdict{Bound: b, Value: k.Throughput, Broken: true}.String())}
			}
		}
	}
	return nil
}

// find runs both searches. Where there are two the first has half of the budget, and
// the second what that left.
func (s *kneeSearch) find(ctx context.Context, page *loadreport.Search) ([]*knee.Knee, error) {
	var all []*knee.Knee
	run := func(o knee.Options, budget time.Duration) (*knee.Knee, error) {
		o = o.Within(budget)
		o.Of = s.l.budget
		if s.span > 0 {
			o.Span, o.LongestSpan, o.Fine = s.span, max(s.span, o.LongestSpan), s.span
		}
		o.Progress = func(p search.Progress) { s.show(&o, p) }
		s.levels = make(map[float64]*kneeLevel)
		k, err := knee.Find(ctx, o, func(ctx context.Context, level float64, span time.Duration) (knee.Point, error) {
			return s.measure(ctx, o.Open, level, span)
		})
		if k != nil {
			all = append(all, k)
			page.Found = append(page.Found, newKneeSearch(k))
			if level := s.levels[k.At]; k.Found && level != nil {
				s.keepRun(k, level)
			}
		}
		return k, err
	}
	first := s.l.budget
	if len(s.plan.bounds) > 0 {
		first /= 2
	}
	k, err := run(knee.Closed(), first)
	if err != nil || len(s.plan.bounds) == 0 || !k.Found || k.Interrupted {
		return all, err
	}
	o := knee.Rates(k)
	o.Answers = knee.Enough(s.plan.bounds)
	s.connections(k)
	_, err = run(o, max(s.l.budget-k.Spent, 1))
	return all, err
}

// connections gives the open loop as many as the service needed for its best
// throughput four times over: a request should wait for the service and not for
// a connection.
func (s *kneeSearch) connections(k *knee.Knee) {
	if !cli.IsSet(s.l.fs, "c") {
		s.plan.options.Concurrency = max(s.plan.options.Concurrency, min(4*int(k.At), load.MaxConcurrency))
	}
}

// measure drives a level.
func (s *kneeSearch) measure(ctx context.Context, open bool, level float64, span time.Duration) (knee.Point, error) {
	o := s.options(open, level, span)
	kept := newKneeLevel(open)
	if s.l.out != "" {
		o.Interval = kept.interval
	}
	r, err := s.outages.level(func() (*loadresult.Result, error) { return load.Run(ctx, o) }, func() error { return load.Ready(ctx, o, engine.Outage, nil) })
	if err != nil {
		return knee.Point{}, err
	}
	// A service that cools down is sent a rate for a shorter time.
	kept.result = r
	if before := s.levels[level]; before == nil || r.End.Sub(r.Start) >= before.result.End.Sub(before.result.Start) {
		s.levels[level] = kept
	}
	bounds := s.plan.bounds
	if !open {
		bounds = nil
	}
	return knee.PointOf(r, level, bounds), nil
}

func (s *kneeSearch) options(open bool, level float64, span time.Duration) load.Options {
	o := s.plan.options
	o.Warmup, o.Duration = s.warmup, span
	if !open {
		o.Concurrency = int(level)
		return o
	}
	o.Schedule = schedule.Constant(level)
	if s.l.poisson {
		o.Schedule = o.Schedule.Poisson(o.Seed)
	}
	return o
}

// keepRun puts the last run of the knee onto the page.
func (s *kneeSearch) keepRun(k *knee.Knee, level *kneeLevel) {
	told := s.plan.told
	told.Warmup, told.Duration, told.Connections = s.warmup, level.result.End.Sub(level.result.Start), s.plan.options.Concurrency
	name, bounds := "best throughput", slo.Bounds(nil)
	if k.Open {
		told.Rate, told.Poisson = schedule.Constant(k.At).String(), s.l.poisson
		name, bounds = "highest rate", s.plan.bounds
	} else {
		told.Connections = int(k.At)
	}
	run := newLoadRun(name, told, level.result, bounds)
	run.Course = level.course
	s.runs, s.knee = append(s.runs, run), level
}

// show says where the search is.
func (s *kneeSearch) show(o *knee.Options, p search.Progress) {
	what, unit := "best throughput", "connections"
	best := ""
	if o.Open {
		what, unit = "highest rate within "+s.plan.bounds.String(), "a second"
		if p.Best > 0 {
			best = fmt.Sprintf(", held up to %s/s so far", quantity.Count(p.Best))
		}
	} else if p.Best > 0 {
		best = fmt.Sprintf(", best so far %s/s", quantity.Count(p.Best))
	}
	s.view.Draw([]string{
		s.view.Fit(fmt.Sprintf("%s  looking for the %s", s.plan.name, what)),
		s.view.Fit(fmt.Sprintf("%s: %s %s, %s after that%s", p.Stage, quantity.Count(p.Level), unit, quantity.Plural(p.Runs, "measurement"), best)),
		s.view.Fit(fmt.Sprintf("%v so far, about %v left", p.Spent.Round(time.Second), p.Left.Round(time.Second))),
	})
}

// newKneeSearch returns a search as it is shown.
func newKneeSearch(k *knee.Knee) loadreport.KneeSearch {
	out := loadreport.KneeSearch{Open: k.Open, Headline: k.String(), Procedure: k.Procedure, Found: k.Found, At: k.At, Low: k.Low, High: k.High,
		Throughput: k.Throughput, Law: k.Law, Complete: k.Complete, Spent: k.Spent, Invalid: k.Invalid, Warnings: k.Warnings}
	if !k.Open && k.Found {
		out.Plateau = &k.Plateau
	}
	if u := k.Unstable; u != nil {
		out.Unstable = &[2]float64{u.Low, u.High}
	}
	for _, l := range k.Levels {
		level := loadreport.KneeLevel{Level: l.Level, Throughput: l.Figure, Good: l.Good}
		for _, p := range l.Runs {
			level.Runs = append(level.Runs, loadreport.KneeRun{Throughput: p.Throughput, Concurrency: p.Concurrency, Errors: p.Errors, Answers: p.Answers, P50: p.P50, P99: p.P99, Span: p.Span, Broken: p.Broken})
		}
		out.Levels = append(out.Levels, level)
	}
	return out
}
