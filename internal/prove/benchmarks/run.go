package benchmarks

import (
	"context"
	"os"
	"slices"

	"whet/internal/analyze/compare"
	"whet/internal/capture/process"
	"whet/internal/gobench"
	"whet/internal/prove"
	"whet/internal/prove/sides"
	"whet/internal/record"
)

// Run compares the two sides. The error is not nil if there is nothing to report: a
// side that does not build, a new side whose tests fail, no common benchmark. An
// interrupted run is not an error: the result has the measurements until then, and says
// so.
func Run(ctx context.Context, o Options) (*compare.Result, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	p := prove.Begin(&o.Options, compare.KindBenchmarks)
	var rec *record.Recorder
	if o.Out != "" {
		var err error
		rec, err = record.Create(record.Run{Path: o.Out, Kind: "prove", Target: o.Old + " " + o.New, Command: o.Command, Version: o.Version, Origin: o.Now(), Now: o.Now})
		if err != nil {
			return nil, err
		}
		defer rec.Discard()
	}
	pair, err := sides.Open(ctx, sides.Options{
		Dir: o.Dir, Old: o.side(compare.Old), New: o.side(compare.New), Packages: o.Packages, Tags: o.Tags, Flags: o.Flags,
		Race: o.Race, Layouts: o.Layouts, Progress: func(stage string) { o.Tell(prove.Event{Stage: stage}) },
	})
	if ctx.Err() != nil {
		if err == nil {
			pair.Close()
		}
		return p.End(ctx), nil
	}
	if err != nil {
		return nil, err
	}
	defer pair.Close()
	enterSides(&o, pair, p)
	data := dataOf(pair) // before the tests, which may write there
	same := sameOf(&o, pair, data, p)
	code := sameCode(ctx, &o, pair, data, same)
	if err := testBoth(ctx, &o, pair, same, p); err != nil {
		if ctx.Err() == nil {
			return nil, err
		}
		return p.End(ctx), nil
	}
	p.Restart()
	s := newSession(&o, newBinaries(&o, pair), pair, data, p)
	if process.Gates {
		s.stepsFrom = leastSpread
	}
	s.same, s.code = same, code
	err = s.watched(ctx)
	res := p.End(ctx)
	if err != nil && !res.Interrupted && len(res.Failures) == 0 {
		return nil, err
	}
	s.pool.settle(s)
	s.sayWhyMeasured()
	s.addUnmeasured()
	s.conclude()
	if err := s.pool.save(s); err != nil {
		p.Warn("%v", err)
	}
	if o.Explain != nil && s.outcome != nil && len(res.Benchmarks) > 0 && !res.Interrupted {
		if err := o.Explain(ctx, pair, res); err != nil && ctx.Err() == nil {
			p.Warn("the cause of the change is unknown: %v", err)
		}
	}
	if rec != nil && len(res.Benchmarks) > 0 {
		if err := s.record(rec, pair); err != nil {
			res.Trouble = "no recording: " + err.Error()
		}
	}
	res.Summarize()
	return res, nil
}

// enterSides enters the facts about the two sides that are known before anything runs.
func enterSides(o *Options, pair *sides.Pair, p *prove.Proof) {
	res := p.Result
	res.Old, res.New = pair.Side(compare.Old), pair.Side(compare.New)
	res.OnlyOld, res.OnlyNew = append(res.OnlyOld, pair.OnlyOld()...), append(res.OnlyNew, pair.OnlyNew()...)
	for _, w := range pair.Warnings() {
		p.Warn("%s", w)
	}
	for i := range pair.Packages() {
		old, new := pair.Binary(compare.Old, i), pair.Binary(compare.New, i)
		if old.GoVersion != new.GoVersion {
			p.Warn("old is built with %s and new with %s: the ratio includes the effect of the toolchain", old.GoVersion, new.GoVersion)
		}
		if why := differingBuilds(old.Settings, new.Settings); why != "" && differingSettings(o) == "" {
			p.Warn("%s: the ratio includes their effect, and benchmarks of the same code are measured", why)
		}
		for _, c := range []struct {
			what     string
			old, new bool
		}{{"-race", old.Race, new.Race}, {"-cover", old.Cover, new.Cover}, {"-N or -l", old.Unoptimized, new.Unoptimized}} {
			switch {
			case c.old && c.new:
				p.Warn("both sides are built with %s: the ratio of ordinary builds may differ", c.what)
			case c.old || c.new:
				p.Warn("only one side is built with %s: the two cannot be compared", c.what)
			}
		}
	}
}

// newSession prepares the measuring of a pair, whose packages have this test
// data.
func newSession(o *Options, r runner, pair *sides.Pair, data [][2]data, p *prove.Proof) *session {
	s := &session{Proof: p, o: o, runner: r, layouts: o.Layouts && pair.Layouts()}
	for side := range compare.Sides {
		s.extra[side] = pair.Env(side)
	}
	for i, pkg := range pair.Packages() {
		s.packages = append(s.packages, pkg.ImportPath)
		s.tests = append(s.tests, [2][]string{testFiles(pair.Binary(compare.Old, i)), testFiles(pair.Binary(compare.New, i))})
		k := s.key(pkg)
		k.Data = [2]string{data[i][compare.Old].digest(), data[i][compare.New].digest()}
		s.keys = append(s.keys, k)
	}
	s.pool = openPool(o.Cache, o.Now(), s.keys, p)
	return s
}

// testFiles returns the sources of a test binary, none where it was handed in.
func testFiles(b *gobench.Binary) []string {
	if b.Target == nil {
		return nil
	}
	return b.Target.TestFiles
}

// watched measures, and observes disturbances.
func (s *session) watched(ctx context.Context) error {
	err := s.Watch(func() error { return s.measure(ctx) })
	if len(s.subjects) > 0 { // else nothing was measured that could be disturbed
		s.watchMachine()
	}
	return err
}

// conclude reports flaws of the benchmarks themselves.
func (s *session) conclude() {
	if len(s.subjects) > 0 {
		s.watchSuspicions()
		s.watchShort()
		s.watchTimers()
		s.watchEnvironment()
	}
	s.Result.Summarize()
}

// env returns the environment of a side's processes.
func (s *session) env(side compare.Side) []string {
	return slices.Concat(os.Environ(), s.extra[side])
}
