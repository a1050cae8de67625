package drive

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"whet/internal/analyze/hot"
	"whet/internal/callstack"
	"whet/internal/capture"
	"whet/internal/format/profile"
	"whet/internal/knee"
	"whet/internal/load"
	"whet/internal/recording"
	loadreport "whet/internal/report/load"
	"whet/internal/symbolname"
	"whet/internal/underload"
)

// growthSeconds is how long a CPU profile of a level runs, unless -d says how
// long a level lasts.
const growthSeconds = 5

// growthSpare is what the snapshots beside the CPU profile take at first, and
// mostSpare at most: those of a large program on a busy machine take seconds.
const (
	growthSpare = time.Second
	mostSpare   = 20 * time.Second
)

func (s *kneeSearch) growthSeconds() int {
	if s.span == 0 {
		return growthSeconds
	}
	return max(int(s.span/time.Second), 1)
}

// grown are the kinds of profiles that are compared, with the column of each.
var grown = []struct{ kind, column string }{
	{recording.KindCPU, "cpu"}, {recording.KindAllocs, "alloc_space"}, {recording.KindMutex, "delay"}, {recording.KindBlock, "delay"},
}

// costs are what functions cost at a level, with the requests that were answered
// meanwhile.
type costs struct {
	unit      string
	requests  int64
	total     int64
	period    float64 // of one sample, about, where samples are drawn; 0: all is counted
	functions map[string]callstack.FunctionCost
}

// profile drives the knee and a level below it, or beyond it, once more, takes
// profiles of both, and says what grew between them for each request.
func (s *kneeSearch) profile(ctx context.Context, found []*knee.Knee) (growth []loadreport.KneeGrowth, warnings []string, err error) {
	i := slices.IndexFunc(found, func(k *knee.Knee) bool { return k.Found && k.Profile.Low > 0 && k.Profile.High > k.Profile.Low })
	if i < 0 {
		return nil, []string{"no profiles to compare: the search found no knee with a second level below or above it"}, nil
	}
	k := found[i]
	o := s.plan.options
	to := capture.TargetOptions{Base: s.l.pprof, CAFile: o.CAFile, Insecure: o.Insecure, Now: time.Now, Patience: -1}
	if socket, ok := strings.CutPrefix(s.l.pprof, "unix:"); ok {
		to.Base, to.Socket = "", socket
	}
	target, err := capture.Find(ctx, to)
	if err != nil {
		return nil, nil, err
	}
	defer target.Close()
	var sides [2]map[string]*costs
	for i, level := range []float64{k.Profile.Low, k.Profile.High} {
		s.view.Draw([]string{s.view.Fit(fmt.Sprintf("%s  profiles at %.0f", s.plan.name, level))})
		taken, err := s.take(ctx, target, k.Open, level)
		if err != nil {
			return nil, warnings, err
		}
		side, warned := newSide(taken)
		sides[i] = side
		if level == k.At {
			s.profiles.knee = taken.Profiles
		} else {
			s.profiles.beside = taken.Profiles
		}
		for _, w := range append(taken.Warnings(), warned...) {
			if !slices.Contains(warnings, w) {
				warnings = append(warnings, w)
			}
		}
	}
	for _, g := range grown {
		low, high := sides[0][g.kind], sides[1][g.kind]
		if low == nil || high == nil || low.requests == 0 || high.requests == 0 || low.total == 0 && high.total == 0 {
			continue
		}
		growth = append(growth, compareCosts(g.kind, g.column, k, low, high))
	}
	if len(growth) == 0 && ctx.Err() == nil {
		warnings = append(warnings, "no kind of profile has samples at both levels: growth is unknown")
	}
	return growth, warnings, nil
}

// take drives one level and takes its profiles. Where the snapshots before them take so
// long that too little of the load is left, it is driven again, for longer.
func (s *kneeSearch) take(ctx context.Context, target *capture.Target, open bool, level float64) (*underload.Stretch, error) {
	profiled := time.Duration(s.growthSeconds()) * time.Second
	for spare := growthSpare; ; spare *= 3 {
		running, err := load.Start(ctx, s.options(open, level, profiled+spare))
		if err != nil {
			return nil, err
		}
		<-running.Started()
		// The load does not wait for what is taken before.
		began := time.Now()
		t := &underload.Stretch{Target: target, Load: running, Origin: s.began, Now: time.Now}
		t.Before(ctx)
		if time.Since(began) > spare && 3*spare <= mostSpare && ctx.Err() == nil {
			running.Wait()
			continue
		}
		t.TakeCPU(ctx, began.Add(profiled+spare/2))
		t.TakeStates(ctx)
		t.After(ctx, running.Wait().End)
		return t, ctx.Err()
	}
}

// newSide reads what functions cost at a level, by the kind of profile.
func newSide(t *underload.Stretch) (side map[string]*costs, warnings []string) {
	side = make(map[string]*costs)
	for _, g := range grown {
		of := t.Profiles[g.kind]
		if of == nil {
			continue
		}
		data, err := of.Data()
		var p *callstack.Frames
		if err == nil {
			p, err = profile.ReadFrames(data, profile.DefaultLimits())
		}
		if err != nil {
			warnings = append(warnings, fmt.Sprintf("%s profile: %v", g.kind, err))
			continue
		}
		side[g.kind] = newCosts(p, g.column, t.Requests[g.kind])
	}
	return side, warnings
}

// newCosts adds up a profile by function. What the profiles themselves cost is left
// out: they are taken for the same time at either level, and so of fewer requests at
// one.
func newCosts(p *callstack.Frames, column string, requests int64) *costs {
	t, err := p.TypeIndex(column)
	if err != nil {
		return nil
	}
	keep := ofService(p)
	c := &costs{unit: p.Types[t].Unit, requests: requests, total: p.Sum(t, keep), functions: make(map[string]callstack.FunctionCost)}
	for _, f := range p.Named(symbolname.Elide).FunctionCosts(t, keep) {
		c.functions[f.Function] = f
	}
	switch column {
	case "cpu":
		if n, err := p.TypeIndex("samples"); err == nil && p.Total(n) > 0 {
			c.period = float64(p.Total(t)) / float64(p.Total(n))
		}
	case "alloc_space":
		c.period = allocPeriod
	}
	return c
}

// ofService chooses the samples of the service itself: not those of its profilers.
func ofService(p *callstack.Frames) callstack.Keep {
	c := hot.ClassifyProgram(p)
	return func(i int) bool { return c.Class[i] != hot.Harness }
}

// allocPeriod is the number of bytes that one sample of allocations stands for, as the
// runtime has it unless it is told otherwise.
const allocPeriod = 512 << 10

// beyondChance reports whether a cost for each request grew by more than
// drawing the samples explains: a cost v of n samples has the standard deviation
// v/√n, and v = n·period. Two of those of the difference are asked for.
func beyondChance(low, high *costs, a, b int64) bool {
	variance := func(v int64, c *costs) float64 {
		return math.Abs(float64(v)) * c.period / (float64(c.requests) * float64(c.requests))
	}
	difference := float64(b)/float64(high.requests) - float64(a)/float64(low.requests)
	return difference > 2*math.Sqrt(variance(a, low)+variance(b, high))
}

// compareCosts lists the functions whose cost for each request grew, those of the
// service's own code first, by their cum: what they call is theirs to choose. The
// others follow by flat; delays all lie in a few functions of the runtime, and so go
// by cum too. What chance explains is left out.
func compareCosts(kind, column string, k *knee.Knee, low, high *costs) loadreport.KneeGrowth {
	each := func(v, n int64) float64 { return float64(v) / float64(n) }
	g := loadreport.KneeGrowth{Kind: kind, Column: column, Unit: high.unit, LowLevel: k.Profile.Low, HighLevel: k.Profile.High, Open: k.Open,
		LowRequests: low.requests, HighRequests: high.requests, LowTotal: each(low.total, low.requests), HighTotal: each(high.total, high.requests)}
	names := maps.Clone(low.functions)
	maps.Copy(names, high.functions)
	for name, f := range names {
		a, b := low.functions[name], high.functions[name]
		if !beyondChance(low, high, a.Flat, b.Flat) && !beyondChance(low, high, a.Cum, b.Cum) {
			continue
		}
		g.Rows = append(g.Rows, loadreport.GrowthRow{Function: name, File: f.File,
			LowFlat: each(a.Flat, low.requests), LowCum: each(a.Cum, low.requests), HighFlat: each(b.Flat, high.requests), HighCum: each(b.Cum, high.requests)})
	}
	weight := func(r loadreport.GrowthRow) float64 {
		if column == "delay" || !ofLibrary(r.Function) {
			return r.HighCum - r.LowCum
		}
		return r.HighFlat - r.LowFlat
	}
	behind := func(r loadreport.GrowthRow) int {
		if ofLibrary(r.Function) {
			return 1
		}
		return 0
	}
	slices.SortFunc(g.Rows, func(a, b loadreport.GrowthRow) int {
		return cmp.Or(behind(a)-behind(b), -cmp.Compare(math.Abs(weight(a)), math.Abs(weight(b))), cmp.Compare(a.Function, b.Function), cmp.Compare(a.File, b.File))
	})
	g.Rows = g.Rows[:min(len(g.Rows), mostGrown)]
	return g
}

// ofLibrary reports whether a function is of the standard library, or the
// compiler's.
func ofLibrary(function string) bool {
	pkg := symbolname.Package(function)
	return pkg == "" || symbolname.Standard(pkg)
}

// mostGrown is the number of functions that are kept of each kind.
const mostGrown = 50
