package benchmarks

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"whet/internal/analyze/compare"
	"whet/internal/format/benchmark"
	"whet/internal/gobench"
	"whet/internal/prove"
)

// lab is a runner whose benchmarks take known times. Its clock moves by what
// they take and by nothing else.
type lab struct {
	now      time.Time
	rng      *rand.Rand
	packages []*labPackage
	start    time.Duration    // of a process, by the clock and in CPU time
	setUp    [2]time.Duration // of CPU time, before the operations, by side
	link     time.Duration    // of one layout of a package
	links    []string         // "package seed"
	binaries [2]string        // their digests
	linkFail func(pkg int, seed uint64) error
	slow     float64 // factor on the clock
	noCPU    bool    // the system does not tell CPU time
	fail     func(r processSpec, run int) error
	ran      []string // "old BenchmarkX 100x"
	requests []processSpec
	between  func() // called before each process
}

// labPackage is a package. Maps are by side and name.
type labPackage struct {
	path   string
	names  [2][]string
	ns     [2]map[string]func(n int64) float64 // per operation
	bytes  [2]func(n int64) float64            // per operation; nil: as allocs
	rss    [2]func(n int64) int64              // nil: unknown
	aside  func(n int64) float64               // ns per operation without a processor; nil: none
	allocs [2]float64
	procs  [2]int
	extra  []benchmark.Metric
	units  [2]map[string]benchmark.Better // declared, by side
	faster float64                        // factor on new's extra metrics; 0: none
	noTime []string
}

func newLab(old, new map[string]float64) *lab {
	l := &lab{now: time.Unix(1e9, 0), rng: rand.New(rand.NewPCG(1, 2)), start: 5 * time.Millisecond, slow: 1}
	l.add("example.org/lab", old, new)
	return l
}

// add adds a package.
func (l *lab) add(path string, old, new map[string]float64) *labPackage {
	p := &labPackage{path: path, allocs: [2]float64{25, 2}, procs: [2]int{2, 2}}
	for side, times := range []map[string]float64{old, new} {
		p.ns[side] = make(map[string]func(int64) float64)
		for name, ns := range times {
			p.names[side] = append(p.names[side], name)
			p.ns[side][name] = func(int64) float64 { return ns }
		}
		slices.Sort(p.names[side])
	}
	l.packages = append(l.packages, p)
	return p
}

func (l *lab) clock() time.Time { return l.now }

func (l *lab) benchmarks(_ context.Context, pkg int, side compare.Side, _ string) ([]string, error) {
	var tops []string
	for _, name := range l.packages[pkg].names[side] {
		top, _, _ := strings.Cut(name, "/")
		if !slices.Contains(tops, top) {
			tops = append(tops, top)
		}
	}
	if len(tops) == 0 {
		return nil, &gobench.Error{Kind: gobench.KindNoBenchmarks, Text: fmt.Sprintf("%v has no benchmarks", side)}
	}
	return tops, nil
}

func (l *lab) run(ctx context.Context, r processSpec) (processResult, error) {
	if l.between != nil {
		l.between()
	}
	if err := ctx.Err(); err != nil {
		return processResult{}, err
	}
	l.ran = append(l.ran, fmt.Sprintf("%v %s %s", r.side, r.bench, r.benchTime()))
	l.requests = append(l.requests, r)
	if l.fail != nil {
		if err := l.fail(r, len(l.ran)); err != nil {
			return processResult{}, err
		}
	}
	p := l.packages[r.pkg]
	m := processResult{took: l.start + l.setUp[r.side], cpu: l.start + l.setUp[r.side]}
	for _, name := range p.names[r.side] {
		if name != r.bench && (r.pattern == "" || !strings.HasPrefix(name, r.bench+"/")) {
			continue
		}
		n := r.n
		if n == 0 {
			n = max(1, int64(float64(r.d)/p.ns[r.side][name](1000)))
		}
		ns := p.ns[r.side][name](n) * math.Exp(0.01*math.Abs(l.rng.NormFloat64()))
		// Two processors work on it.
		m.cpu += time.Duration(2 * ns * float64(n))
		if p.aside != nil {
			// Or one, with others that want it too.
			m.cpu -= time.Duration(ns * float64(n))
			ns += p.aside(n)
		}
		m.took += time.Duration(ns * float64(n))
		allocs := p.allocs[r.side]
		bytes := allocs
		if f := p.bytes[r.side]; f != nil {
			bytes = f(n)
		}
		if f := p.rss[r.side]; f != nil {
			m.rss = f(n)
		}
		extra := slices.Clone(p.extra)
		for i := range extra {
			if p.faster > 0 && r.side == compare.New {
				extra[i].Value *= p.faster
			}
		}
		m.units = p.units[r.side]
		m.lines = append(m.lines, benchmark.Line{
			Name: name, Procs: p.procs[r.side], N: n, NsPerOp: ns, AllocsPerOp: &allocs, BytesPerOp: &bytes,
			Metrics: extra, NoTime: slices.Contains(p.noTime, name),
		})
	}
	if l.noCPU {
		m.cpu = 0
	}
	l.now = l.now.Add(time.Duration(float64(m.took) * l.slow))
	if len(m.lines) == 0 {
		return m, &gobench.Error{Kind: gobench.KindNoResult, Text: "gave no result"}
	}
	return m, nil
}

// labRunner is the lab as the session sees it.
type labRunner struct{ *lab }

func (l labRunner) link(_ context.Context, pkg int, seed uint64) error {
	l.now = l.now.Add(time.Duration(float64(l.lab.link) * l.slow))
	l.links = append(l.links, fmt.Sprintf("%d %d", pkg, seed))
	if l.linkFail != nil {
		return l.linkFail(pkg, seed)
	}
	return nil
}

// session makes one in the lab, as Run does with binaries.
func (l *lab) session(change func(*Options)) *session {
	o := DefaultOptions()
	o.Old, o.New, o.Seed, o.Now, o.Layouts = "./old", "./new", 9, l.clock, l.link > 0
	if change != nil {
		change(&o)
	}
	s := &session{Proof: prove.Begin(&o.Options, compare.KindBenchmarks), o: &o, runner: labRunner{l}, layouts: o.Layouts}
	for _, p := range l.packages {
		s.packages = append(s.packages, p.path)
		s.keys = append(s.keys, poolKey{Packages: [2]string{p.path, p.path}, Binaries: l.binaries, Layouts: s.layouts})
	}
	s.pool = openPool(o.Cache, o.Now(), s.keys, s.Proof)
	return s
}

// prove measures and concludes.
func (l *lab) prove(ctx context.Context, change func(*Options)) (*session, error) {
	s := l.session(change)
	err := s.measure(ctx)
	if s.End(ctx).Interrupted {
		err = nil
	}
	s.pool.settle(s)
	s.conclude()
	return s, errors.Join(err, s.pool.save(s))
}

func (l *lab) mustProve(t *testing.T, change func(*Options)) *compare.Result {
	t.Helper()
	s, err := l.prove(context.Background(), change)
	if err != nil {
		t.Fatal(err)
	}
	return s.Result
}

func row(t *testing.T, res *compare.Result, name, metric string) compare.Row {
	t.Helper()
	for _, r := range res.Benchmarks {
		if r.Name == name && r.Metric == metric {
			return r
		}
	}
	var have []string
	for _, r := range res.Benchmarks {
		have = append(have, r.Name+" "+r.Metric)
	}
	t.Fatalf("there is no row %s %s in %q", name, metric, have)
	return compare.Row{}
}

func warned(res *compare.Result, part string) bool {
	return slices.ContainsFunc(res.Warnings, func(w string) bool { return strings.Contains(w, part) })
}

// disturbed reports whether a disturbance of the kind is reported for the
// benchmark, and in the warnings too.
func disturbed(res *compare.Result, kind, benchmark string) bool {
	return slices.ContainsFunc(res.Disturbances, func(d compare.Disturbance) bool {
		return d.Kind == kind && d.Benchmark == benchmark && slices.Contains(res.Warnings, d.Text)
	})
}
