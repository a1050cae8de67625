package drive

import (
	"cmp"
	"context"
	"errors"
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
)

// growthSeconds is how long a CPU profile of a level runs, unless -d says how
// long a level lasts.
const growthSeconds = 5

// growthSpare is what the snapshots around the CPU profile take.
const growthSpare = time.Second

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

// levelProfile is a profile of a level, as the recording keeps it: that of the knee
// without a part, that of the level it is compared with as the one before.
type levelProfile struct {
	artifact recording.Artifact
	data     []byte
}

// profile drives the knee and a level below it, or beyond it, once more, takes
// profiles of both, and says what grew between them for each request.
func (s *kneeSearch) profile(ctx context.Context, found []*knee.Knee) (growth []loadreport.KneeGrowth, warnings []string, err error) {
	i := slices.IndexFunc(found, func(k *knee.Knee) bool { return k.Found && k.Profile.Low > 0 && k.Profile.High > k.Profile.Low })
	if i < 0 {
		return nil, []string{"there are no profiles to compare: no level was measured below the knee or beyond it"}, nil
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
		s.view.draw([]string{s.view.fit(fmt.Sprintf("%s  profiles at %.0f", s.plan.name, level))})
		side, taken, warned, err := s.costs(ctx, target, s.options(k.Open, level, time.Duration(s.growthSeconds())*time.Second+growthSpare))
		if err != nil {
			return nil, warnings, err
		}
		if level != k.At {
			for j := range taken {
				taken[j].artifact.Path = strings.Replace(taken[j].artifact.Path, ".pb", "-before.pb", 1)
				taken[j].artifact.Part = recording.PartBefore
			}
		}
		sides[i], s.profiles = side, append(s.profiles, taken...)
		for _, w := range warned {
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
		warnings = append(warnings, "no kind of profile has samples at both levels: nothing can be said of what grew")
	}
	return growth, warnings, nil
}

// costs drives one level and takes its profiles. What cannot be had is warned
// of.
func (s *kneeSearch) costs(ctx context.Context, target *capture.Target, o load.Options) (map[string]*costs, []levelProfile, []string, error) {
	running, err := load.Start(ctx, o)
	if err != nil {
		return nil, nil, nil, err
	}
	<-running.Started()
	var warnings []string
	fetch := func(kind string, seconds int) (*callstack.Profile, *capture.Fetched) {
		if !slices.Contains(target.Offers(), kind) || ctx.Err() != nil {
			return nil, nil
		}
		f, err := target.Profile(ctx, kind, seconds)
		var p *callstack.Profile
		if err == nil {
			p, err = profile.Read(f.Data, profile.DefaultLimits())
		}
		if err != nil && ctx.Err() == nil {
			warnings = append(warnings, err.Error())
		}
		return p, f
	}
	var taken []levelProfile
	keep := func(kind string, data []byte, start, end time.Time) {
		taken = append(taken, levelProfile{recording.Artifact{Path: "profiles/" + kind + ".pb.gz", Kind: kind, StartNs: int64(start.Sub(s.began)), EndNs: int64(end.Sub(s.began))}, data})
	}
	collect := func() {
		if err := target.Collect(ctx); err != nil && ctx.Err() == nil && !errors.Is(err, capture.ErrNotOffered) {
			warnings = append(warnings, err.Error())
		}
	}
	out := make(map[string]*costs)
	before, first, last, since := make(map[string]*callstack.Profile), make(map[string]*capture.Fetched), make(map[string]*capture.Fetched), make(map[string]int64)
	collect()
	for _, g := range grown[1:] {
		before[g.kind], first[g.kind] = fetch(g.kind, 0)
		since[g.kind] = running.Completed()
	}
	done := running.Completed()
	if p, f := fetch(recording.KindCPU, s.growthSeconds()); p != nil {
		keep(recording.KindCPU, f.Data, f.Start, f.End)
		out[recording.KindCPU] = newCosts(p, nil, "cpu", running.Completed()-done)
	}
	collect()
	for _, g := range grown[1:] {
		n := running.Completed() - since[g.kind]
		if p, f := fetch(g.kind, 0); p != nil && before[g.kind] != nil {
			last[g.kind] = f
			out[g.kind] = newCosts(p, before[g.kind], g.column, n)
		}
	}
	running.Wait()
	for _, g := range grown[1:] { // once nothing is measured any more
		from, to := first[g.kind], last[g.kind]
		if to == nil || s.l.out == "" {
			continue
		}
		delta, warned, err := profile.Delta(from.Data, to.Data)
		if err != nil {
			warned = append(warned, err.Error())
		} else {
			keep(g.kind, delta, from.End, to.Start)
		}
		for _, w := range warned {
			warnings = append(warnings, fmt.Sprintf("%s profile of the load: %s", g.kind, w))
		}
	}
	return out, taken, warnings, ctx.Err()
}

// newCosts adds up a profile by function, less what was there before. What the
// profiles themselves cost is left out: they are taken for the same time at either
// level, and so of fewer requests at one.
func newCosts(p, before *callstack.Profile, column string, requests int64) *costs {
	t, err := p.TypeIndex(column)
	if err != nil {
		return nil
	}
	keep := ofService(p)
	c := &costs{unit: p.Types[t].Unit, requests: requests, total: p.Sum(t, keep), functions: make(map[string]callstack.FunctionCost)}
	for _, f := range p.Functions(t, keep) {
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
	if before == nil {
		return c
	}
	bt, err := before.TypeIndex(column)
	if err != nil {
		return nil
	}
	keep = ofService(before)
	c.total -= before.Sum(bt, keep)
	for _, f := range before.Functions(bt, keep) {
		now := c.functions[f.Function]
		now.Function, now.File = f.Function, f.File
		now.Flat -= f.Flat
		now.Cum -= f.Cum
		c.functions[f.Function] = now
	}
	return c
}

// ofService chooses the samples of the service itself: not those of its profilers.
func ofService(p *callstack.Profile) callstack.Keep {
	c := hot.ClassifyProgram(p)
	return func(i int) bool { return c.Class[i] != hot.Harness }
}

// allocPeriod is how many bytes one sample of allocations stands for, as the
// runtime has it unless it is told otherwise.
const allocPeriod = 512 << 10

// beyondChance reports whether a cost for each request differs by more than
// drawing the samples explains: a cost v of n samples has the standard deviation
// v/√n, and v = n·period. Two of those of the difference are asked for.
func beyondChance(low, high *costs, a, b int64) bool {
	variance := func(v int64, c *costs) float64 {
		return math.Abs(float64(v)) * c.period / (float64(c.requests) * float64(c.requests))
	}
	difference := float64(b)/float64(high.requests) - float64(a)/float64(low.requests)
	return math.Abs(difference) > 2*math.Sqrt(variance(a, low)+variance(b, high))
}

// compareCosts lists the functions whose cost for each request changed, those of the
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

// mostGrown is how many functions are kept of each kind.
const mostGrown = 50
