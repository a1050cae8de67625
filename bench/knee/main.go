// Command knee looks for the knee of servers whose capacity is known, over the
// loopback.
//
// It answers how often the search of whet load -knee comes within 5 % of the truth:
// of a pool of workers that take a fixed time, of a lock with work beside it, and of
// a pool that gets slower past its size; each by best throughput (closed loop), and
// pool and lock also by the highest rate that keeps a bound (open loop). The servers are
// real HTTP servers in a process of their own, with one processor, as the generator
// is; how long a request takes they compute from the state of their queue, and
// answer at that moment, so that what the timers of the machine are late by does not
// add up and the capacity is that of the computation.
//
// Servers that only wait leave the processors idle, and so several searches run at
// the same time (-at-once), each with a server and a generator of its own: all five
// kinds of a round by default. The table has the CPU time that a search and its
// server took, as a share of one processor: what they all take together has to stay
// far below what the machine has, or they are noise to each other. With -at-once 1
// they run one after the other, which takes five times as long.
//
// With -both the highest rate is looked for after the best throughput, within one
// budget (-budget 40s), as whet load -knee does it, and has to come within 10 %.
//
// It misleads about servers that use their processor: these wait, and nothing but
// the search is tested. Noise is what the machine has at the time, and what the
// other searches add to it.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"math"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"

	"whet/bench/ledger"
	"whet/internal/knee"
	"whet/internal/load"
	"whet/internal/load/slo"
	"whet/internal/quantity"
	"whet/internal/schedule"
	"whet/internal/stat"
)

// Search is a search for one server's knee.
type Search struct {
	Server string `json:"server"`
	Open   bool   `json:"open"`
	// Both: the highest rate after the best throughput, within one budget, as whet
	// load -knee looks for it. What follows is then of the second search.
	Both  bool `json:"both,omitempty"`
	Round int  `json:"round"`
	// What was found: clients or requests per second, and the best throughput,
	// in an open loop that at the knee.
	At           float64  `json:"at"`
	Low          float64  `json:"low"`
	High         float64  `json:"high"`
	ThroughputPS float64  `json:"throughput_per_s"`
	NoiseRatio   float64  `json:"noise_ratio"` // of the plateau; 0 in an open loop
	Runs         int      `json:"runs"`
	SpentNs      int64    `json:"spent_ns"`
	CPUNs        int64    `json:"cpu_ns"` // of the generator and the server
	Complete     bool     `json:"complete"`
	Invalid      string   `json:"invalid"`
	Warnings     []string `json:"warnings"`
	Levels       []Level  `json:"levels"`
}

// Level is a level of a search with its throughputs.
type Level struct {
	Level      float64   `json:"level"`
	Throughput []float64 `json:"throughput_per_s"`
	Good       bool      `json:"good"`
}

// bound is the bound of the open loops: above all service times, and far below what a
// queue comes to.
const bound = "p99<200ms,errors<0.1%"

func main() { ledger.Main("knee", run) }

func run(ctx context.Context) error {
	switch {
	case len(os.Args) == 3 && os.Args[1] == "-serve":
		return serve(ctx, os.Args[2], os.Stdout)
	case len(os.Args) == 5 && os.Args[1] == "-search":
		return searchOne(ctx, os.Args[2], os.Args[3], os.Args[4])
	}
	rounds := flag.Int("rounds", 10, "searches of each kind")
	atOnce := flag.Int("at-once", len(kinds("")), "`searches` at the same time")
	budget := flag.Duration("budget", 5*time.Minute, "most `time` of one search")
	both := flag.Bool("both", false, "both searches within one budget, as whet load -knee does them")
	only := flag.String("only", "", "only servers with this `part` in their names; nothing is kept")
	out := ledger.Flags("knee")
	flag.Parse()
	of := kinds(*only)
	if *both {
		out.Name, of = "knee-budget", bothKinds(*only)
	}
	search := func() ([]Search, error) { return measure(ctx, of, *rounds, max(*atOnce, 1), *budget) }
	if *only != "" && !out.Kept {
		found, err := search()
		if err == nil {
			fmt.Println(tabled(found))
		}
		return err
	}
	return out.Tabulate(func() (err error) {
		e := ledger.Begin[[]Search]("bench/knee")
		if e.Samples, err = search(); err != nil {
			return err
		}
		return e.Save(out.Dir, out.Name)
	}, func(dir string) (string, error) { return render(dir, out.Name) })
}

// kind is a server and what is looked for.
type kind struct {
	*server
	open, both bool
}

// bothKinds returns those of a round of both searches within one budget.
func bothKinds(only string) []kind {
	var out []kind
	for _, k := range kinds(only) {
		if !k.open {
			out = append(out, kind{k.server, true, true})
		}
	}
	return out
}

// kinds returns the searches of a round, of servers with a part in their names.
func kinds(only string) []kind {
	var out []kind
	for _, s := range servers {
		if !strings.Contains(s.name, only) {
			continue
		}
		out = append(out, kind{s, false, false})
		if s.open {
			out = append(out, kind{s, true, false})
		}
	}
	return out
}

// measure does the rounds, some searches at a time. An interrupt ends it without
// samples: the rounds are what is counted.
func measure(ctx context.Context, of []kind, rounds, atOnce int, budget time.Duration) ([]Search, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	out := make([]Search, rounds*len(of))
	next := make(chan int)
	var wg sync.WaitGroup
	var first sync.Once
	var failed error
	for range atOnce {
		wg.Go(func() {
			for i := range next {
				found, err := of[i%len(of)].process(ctx, budget)
				if err == nil {
					err = ctx.Err()
				}
				if err != nil {
					first.Do(func() { failed = fmt.Errorf("%s: %w", of[i%len(of)].name, err) })
					cancel()
					continue
				}
				found.Round = i / len(of)
				fmt.Fprintf(os.Stderr, "round %d, %s, open %v: %.4g in %v\n", found.Round+1, found.Server, found.Open, found.At, time.Duration(found.SpentNs).Round(time.Second))
				out[i] = found
			}
		})
	}
	for i := range out {
		next <- i
	}
	close(next)
	wg.Wait()
	return out, failed
}

// process searches in a process of its own.
func (k kind) process(ctx context.Context, budget time.Duration) (Search, error) {
	if ctx.Err() != nil {
		return Search{}, ctx.Err()
	}
	what := closedLoop
	switch {
	case k.both:
		what = bothLoops
	case k.open:
		what = openLoop
	}
	cmd, err := again(ctx, "-search", k.name, what, budget.String())
	if err != nil {
		return Search{}, err
	}
	var out bytes.Buffer
	cmd.Stdout = &out
	if err := cmd.Run(); err != nil {
		return Search{}, err
	}
	var found Search
	if err := json.Unmarshal(out.Bytes(), &found); err != nil {
		return Search{}, fmt.Errorf("read what a search printed: %w", err)
	}
	// It waited for its server, whose time is in its own.
	found.CPUNs = int64(cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime())
	return found, nil
}

const closedLoop, openLoop, bothLoops = "closed", "open", "both"

// again is this program with other arguments, in a process with one processor.
func again(ctx context.Context, args ...string) (*exec.Cmd, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, self, args...)
	cmd.Env = append(os.Environ(), "GOMAXPROCS=1")
	cmd.Stderr = os.Stderr
	return cmd, nil
}

// searchOne does one search and prints what it found.
func searchOne(ctx context.Context, name, what, budget string) error {
	s, err := named(name)
	if err != nil {
		return err
	}
	most, err := time.ParseDuration(budget)
	if err != nil {
		return err
	}
	found, err := s.search(ctx, what, most)
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(found)
}

// search starts the server and looks for its knee.
func (s *server) search(ctx context.Context, what string, budget time.Duration) (Search, error) {
	address, stop, err := s.start(ctx)
	if err != nil {
		return Search{}, err
	}
	defer stop()
	var k *knee.Knee
	switch what {
	case openLoop:
		o := knee.Open()
		o.From, o.Budget = math.Ceil(s.capacity/8), budget
		k, err = find(ctx, address, o)
	case bothLoops:
		if k, err = find(ctx, address, knee.Closed().Within(budget/2)); err == nil && k.Found {
			k, err = find(ctx, address, knee.Rates(k).Within(max(budget-k.Spent, 1)))
		}
	default:
		o := knee.Closed()
		o.Budget = budget
		k, err = find(ctx, address, o)
	}
	if err != nil {
		return Search{}, err
	}
	out := Search{
		Server: s.name, Open: what != closedLoop, Both: what == bothLoops, At: k.At, Low: k.Low, High: k.High, ThroughputPS: k.Throughput,
		SpentNs: int64(k.Spent), Complete: k.Complete, Invalid: k.Invalid, Warnings: k.Warnings,
	}
	if math.IsInf(out.High, 1) {
		out.High = 0
	}
	if !k.Open {
		out.ThroughputPS, out.NoiseRatio = k.Plateau.Throughput.Center, k.Plateau.NoiseRatio()
		if math.IsInf(out.NoiseRatio, 1) || math.IsNaN(out.NoiseRatio) {
			out.NoiseRatio = 0
		}
	}
	for _, l := range k.Levels {
		level := Level{Level: l.Level, Good: l.Good}
		for _, p := range l.Runs {
			level.Throughput = append(level.Throughput, p.Throughput)
		}
		out.Runs += len(l.Runs)
		out.Levels = append(out.Levels, level)
	}
	return out, nil
}

// find does one search of the server at an address.
func find(ctx context.Context, address string, o knee.Options) (*knee.Knee, error) {
	var bounds slo.Bounds
	if o.Open {
		var err error
		if bounds, err = slo.Parse(bound); err != nil {
			return nil, err
		}
	}
	return knee.Find(ctx, o, func(ctx context.Context, level float64, span time.Duration) (knee.Point, error) {
		l := load.DefaultOptions()
		l.URL, l.Warmup, l.Duration, l.Timeout = "http://"+address+"/", 500*time.Millisecond, span, 5*time.Second
		l.Concurrency = int(level)
		if o.Open {
			l.Concurrency, l.Schedule = 512, schedule.Constant(level)
		}
		r, err := load.Run(ctx, l)
		if err != nil {
			return knee.Point{}, err
		}
		return knee.PointOf(r, level, bounds), nil
	})
}

// render makes the text of the README from the kept samples; there may be none
// yet.
func render(dir, name string) (string, error) {
	e, err := ledger.Load[[]Search](dir, name)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	return tabled(e.Samples) + "\n" + e.Caption() + ".\n", nil
}

// near is how close a search has to come, and about how close both searches within one
// budget.
const near, about = 0.05, 0.1

func tabled(samples []Search) string {
	of, far := kinds(""), near
	if len(samples) > 0 && samples[0].Both {
		of, far = bothKinds(""), about
	}
	within := fmt.Sprintf("within %.0f %% (95 %% interval)", 100*far)
	t := ledger.Table{Head: []string{"server", "looked for", "true", "found: median", "lowest and highest", within, "throughput, true", "found: median", within, "runs", "time, median", "CPU"}}
	for _, k := range of {
		of := slices.DeleteFunc(slices.Clone(samples), func(r Search) bool { return r.Server != k.name || r.Open != k.open })
		if len(of) == 0 {
			continue
		}
		what, truth := "best throughput, clients", k.at
		if k.open {
			what, truth = "highest rate with "+bound, k.capacity
		}
		all := func(f func(Search) float64) []float64 {
			out := make([]float64, len(of))
			for i := range of {
				out[i] = f(of[i])
			}
			return out
		}
		at, throughput := all(func(r Search) float64 { return r.At }), all(func(r Search) float64 { return r.ThroughputPS })
		t.Rows = append(t.Rows, []string{
			k.name, what, quantity.Count(truth), quantity.Count(stat.Median(at)), quantity.Count(slices.Min(at)) + " and " + quantity.Count(slices.Max(at)), hits(of, at, truth),
			quantity.Count(k.capacity) + "/s", quantity.Count(stat.Median(throughput)) + "/s", hits(of, throughput, k.capacity),
			quantity.Count(stat.Median(all(func(r Search) float64 { return float64(r.Runs) }))), quantity.Nanoseconds(stat.Median(all(func(r Search) float64 { return float64(r.SpentNs) }))),
			quantity.Percent(stat.Median(all(func(r Search) float64 { return float64(r.CPUNs) / float64(max(r.SpentNs, 1)) }))),
		})
	}
	return t.Markdown()
}

// hits counts the searches that came to an end and to the truth, with the interval
// of their share. Both searches within one budget are judged by what they have as it
// ends.
func hits(of []Search, values []float64, truth float64) string {
	n := 0
	for i, v := range values {
		far := near
		if of[i].Both {
			far = about
		}
		if (of[i].Complete || of[i].Both) && of[i].Invalid == "" && math.Abs(v/truth-1) <= far {
			n++
		}
	}
	share := stat.ClopperPearson(n, len(of), 0.95)
	return fmt.Sprintf("%d of %d (%s to %s)", n, len(of), quantity.Percent(share.Low), quantity.Percent(share.High))
}
