package prove

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"

	"whet/internal/analyze/compare"
	"whet/internal/capture/host"
	"whet/internal/document"
	"whet/internal/gobench"
	"whet/internal/prove/sides"
	"whet/internal/quantity"
)

// Result is what a proof has to say; see package compare.
type Result = compare.Result

// Run compares the two sides. The error is not nil when there is nothing to
// report: a side that does not build, a new side whose tests fail, no
// benchmark in common. An interrupted run is no error: the result holds what
// was measured until then, and says so.
func Run(ctx context.Context, o Options) (*Result, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	if o.Progress == nil {
		o.Progress = func(Event) {}
	}
	res := newResult(&o)
	origin := o.Now()
	before := host.Start() // builds load the machine too: its load is read before them
	rec, err := newRecorder(&o, origin)
	if err != nil {
		return nil, err
	}
	defer rec.discard()
	pair, err := sides.Open(ctx, sides.Options{
		Dir: o.Dir, Old: o.Old, New: o.New, Packages: o.Packages, Tags: o.Tags, Flags: o.Flags,
		Race: o.Race, Layouts: o.Layouts, Progress: func(stage string) { o.Progress(Event{Stage: stage}) },
	})
	if ctx.Err() != nil {
		if err == nil {
			pair.Close()
		}
		return interrupted(res), nil
	}
	if err != nil {
		return nil, err
	}
	defer pair.Close()
	enterSides(pair, res)
	data := dataOf(pair) // before the tests, which may write there
	same := sameOf(&o, pair, data, res)
	if err := testBoth(ctx, &o, pair, same, res); err != nil {
		if ctx.Err() == nil {
			return nil, err
		}
		return interrupted(res), nil
	}
	s := newSession(&o, newBinaries(&o, pair), pair, data, res)
	s.same = same
	err = s.watched(ctx, before)
	if ctx.Err() != nil {
		err = nil
		interrupted(res)
	}
	if err != nil && len(res.Failures) == 0 {
		return nil, err
	}
	s.pool.settle(s)
	s.addUnmeasured()
	s.conclude()
	if err := s.pool.save(s); err != nil {
		warn(res, "%v", err)
	}
	if o.Explain != nil && s.outcome != nil && len(res.Benchmarks) > 0 && !res.Interrupted {
		if err := o.Explain(ctx, pair, res); err != nil && ctx.Err() == nil {
			warn(res, "why it changed is not known: %v", err)
		}
	}
	if len(res.Benchmarks) > 0 {
		if err := rec.finish(s, pair, o.Now()); err != nil {
			res.Trouble = "no recording: " + err.Error()
		}
	}
	res.Summarize()
	return res, nil
}

func newResult(o *Options) *Result {
	seed := o.Seed
	for seed == 0 {
		seed = uint64(rand.Uint32()) // short enough to be typed again, and exact in every JSON reader
	}
	return &Result{
		Schema: document.Prove, Kind: compare.KindBenchmarks, Warnings: []string{},
		AlphaRatio: o.Alpha, ConfidenceRatio: 1 - o.Alpha, MarginRatio: o.Margin, Seed: seed, BudgetNs: int64(o.Budget),
		Run: 1, Layouts: 1,
		Benchmarks: []compare.Row{}, OnlyOld: []string{}, OnlyNew: []string{}, Failures: []compare.Failure{},
		Disturbances: []compare.Disturbance{}, Why: []compare.Change{},
		Host: host.Facts(nil),
	}
}

// enterSides enters what is known of the two sides before anything runs.
func enterSides(pair *sides.Pair, res *Result) {
	res.Old, res.New = pair.Side(compare.Old), pair.Side(compare.New)
	res.OnlyOld, res.OnlyNew = append(res.OnlyOld, pair.OnlyOld()...), append(res.OnlyNew, pair.OnlyNew()...)
	for _, w := range pair.Warnings() {
		warn(res, "%s", w)
	}
	for i := range pair.Packages() {
		old, new := pair.Binary(compare.Old, i), pair.Binary(compare.New, i)
		if old.GoVersion != new.GoVersion {
			warn(res, "old is built with %s and new with %s: the ratio holds the toolchain's share too", old.GoVersion, new.GoVersion)
		}
		for _, c := range []struct {
			what     string
			old, new bool
		}{{"-race", old.Race, new.Race}, {"-cover", old.Cover, new.Cover}, {"-N or -l", old.Unoptimized, new.Unoptimized}} {
			switch {
			case c.old && c.new:
				warn(res, "both sides are built with %s: the ratio is not that of an ordinary build", c.what)
			case c.old || c.new:
				warn(res, "only one side is built with %s: the two cannot be compared", c.what)
			}
		}
	}
}

// newSession prepares the measuring of a pair, whose packages have this test
// data.
func newSession(o *Options, r runner, pair *sides.Pair, data [][2]data, res *Result) *session {
	s := &session{o: o, runner: r, res: res, progress: o.Progress, layouts: o.Layouts && pair.Layouts(), deadline: o.Now().Add(o.Budget)}
	for _, side := range both {
		s.extra[side] = pair.Env(side)
	}
	for i, p := range pair.Packages() {
		s.packages = append(s.packages, p.ImportPath)
		s.tests = append(s.tests, [2][]string{testFiles(pair.Binary(compare.Old, i)), testFiles(pair.Binary(compare.New, i))})
		k := s.key(p)
		k.Data = [2]string{data[i][compare.Old].digest(), data[i][compare.New].digest()}
		s.keys = append(s.keys, k)
	}
	s.pool = openPool(o.Cache, o.Now(), s.keys, res)
	return s
}

// testFiles are the sources of a test binary, none where it was handed in.
func testFiles(b *gobench.Binary) []string {
	if b.Target == nil {
		return nil
	}
	return b.Target.TestFiles
}

// watched measures, and sees what disturbs it.
func (s *session) watched(ctx context.Context, before *host.Meter) error {
	res, start, meter := s.res, s.o.Now(), host.Start()
	root := os.DirFS("/")
	first := readMachine(root, host.UsedCPU())
	err := s.measure(ctx)
	res.ElapsedNs = int64(s.o.Now().Sub(start))
	before.Stop(&res.Host)
	load := res.Host.LoadStart
	meter.Stop(&res.Host)
	res.Host.LoadStart = load
	if len(s.subjects) == 0 {
		return err // nothing was measured that could be disturbed
	}
	s.watchMachine(first, readMachine(root, host.UsedCPU()), governors(root))
	return err
}

func interrupted(res *Result) *Result {
	res.Interrupted = true
	if res.Partial == "" {
		res.Partial = "interrupted"
		if res.RoundsPlanned > 0 {
			res.Partial += fmt.Sprintf(" after %d of %s", res.RoundsMeasured, quantity.Plural(res.RoundsPlanned, "round"))
		}
	}
	res.Summarize()
	return res
}

// conclude says what the benchmarks themselves spoil.
func (s *session) conclude() {
	if len(s.subjects) > 0 {
		s.watchSuspicions()
		s.watchShort()
		s.watchTimers()
		s.watchEnvironment()
	}
	s.res.Summarize()
}

// env is the environment of a side's processes.
func (s *session) env(side compare.Which) []string {
	return slices.Concat(os.Environ(), s.extra[side])
}
