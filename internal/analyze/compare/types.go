package compare

import (
	"slices"

	"whet/internal/format/benchmark"
)

// Side is a side of the comparison: Old or New.
type Side int

// The sides.
const (
	Old Side = iota
	New
	Sides // their number: to range over it is to do something for both
)

func (w Side) String() string {
	if w == New {
		return "new"
	}
	return "old"
}

// Kind is the origin of a metric's figures.
type Kind int

// The kinds of metrics.
const (
	Time  Kind = iota // time, measured
	Count             // whole numbers, from which package testing cut off a fraction
	Other             // anything else that was measured
)

// Units with a meaning of their own.
const (
	NsPerOp     = "ns/op"
	CPUNsPerOp  = "cpu-ns/op"
	BytesPerOp  = "B/op"
	AllocsPerOp = "allocs/op"
	MBPerSecond = "MB/s"

	WallNs    = "wall-ns" // commands
	CPUNs     = "cpu-ns"
	PeakBytes = "peak-bytes"

	P50Ns                = "p50-ns" // services: quantiles of response time
	P90Ns                = "p90-ns"
	P99Ns                = "p99-ns"
	RequestsPerSecond    = "requests/s"
	CPUNsPerRequest      = "cpu-ns/request"
	AllocBytesPerRequest = "alloc-bytes/request"
)

// Metric is a quantity of slices, by unit.
type Metric struct {
	Unit string
	Kind Kind
	More bool // more is better: the ratio is new/old
	// Neutral: nobody knows whether more or less is better.
	Neutral bool
	Gates   bool // decides the exit code
}

// Better returns which values of the metric are better.
func (m Metric) Better() benchmark.Better {
	switch {
	case m.Neutral:
		return benchmark.Unknown
	case m.More:
		return benchmark.Higher
	}
	return benchmark.Lower
}

// Declared returns the metric with a declared direction. A declaration has no effect on
// metrics that whet measures itself.
func (m Metric) Declared(b benchmark.Better) Metric {
	own := slices.ContainsFunc(known[:], func(k Metric) bool { return k.Unit == m.Unit })
	if !own && b != benchmark.Unknown {
		m.More, m.Neutral = b == benchmark.Higher, false
	}
	return m
}

// known are the metrics with a meaning of their own.
var known = [...]Metric{
	{Unit: NsPerOp, Kind: Time, Gates: true},
	{Unit: CPUNsPerOp, Kind: Time},
	{Unit: BytesPerOp, Kind: Count},
	{Unit: AllocsPerOp, Kind: Count, Gates: true},
	{Unit: MBPerSecond, Kind: Other, More: true},
	{Unit: WallNs, Kind: Time, Gates: true},
	{Unit: CPUNs, Kind: Time},
	{Unit: PeakBytes, Kind: Other},
	{Unit: P50Ns, Kind: Time, Gates: true},
	{Unit: P90Ns, Kind: Time, Gates: true},
	{Unit: P99Ns, Kind: Time, Gates: true},
	{Unit: RequestsPerSecond, Kind: Other, More: true},
	{Unit: CPUNsPerRequest, Kind: Time},
	{Unit: AllocBytesPerRequest, Kind: Other},
}

// MetricOf returns the metric of a unit. An unknown unit comes from the benchmark
// itself: its name may tell whether higher or lower is better, and it does not count
// for the exit code.
func MetricOf(unit string) Metric {
	for _, m := range known {
		if m.Unit == unit {
			return m
		}
	}
	b := benchmark.BetterOf(unit)
	return Metric{Unit: unit, Kind: Other, More: b == benchmark.Higher, Neutral: b == benchmark.Unknown}
}

// Slice is the figures of one process, or one period of load, by unit. Units that
// were not reported are missing.
type Slice map[string]float64

// Turn is a slice of each side and one more of either, in random order.
type Turn struct {
	Old, New, Again Slice
	AgainOf         Side
}

// Round is the unit of the statistics: one turn or several of the same layout.
type Round struct {
	Turn
	More   []Turn `json:",omitempty"` // further turns
	Layout uint64 // seed of both sides' code layout, 0: the linker's own
}

// Turns are all of the round, in the order in which they were measured.
func (r *Round) Turns() []Turn { return append([]Turn{r.Turn}, r.More...) }

// Exchanged returns the round with its sides the other way round.
func (r *Round) Exchanged() Round {
	out := Round{Turn: r.Turn.exchanged(), Layout: r.Layout}
	for i := range r.More {
		out.More = append(out.More, r.More[i].exchanged())
	}
	return out
}

func (t *Turn) exchanged() Turn {
	return Turn{Old: t.New, New: t.Old, Again: t.Again, AgainOf: New - t.AgainOf}
}

// Series are the rounds of one benchmark, command or service.
type Series struct {
	Package    string // import path
	Name       string // "BenchmarkX/sub=1"
	Iterations int64  // of every slice, on both sides; 0: does not apply
	Procs      int    // GOMAXPROCS; 0: unknown, or does not apply
	Metrics    []Metric
	Rounds     []Round // those of earlier runs first
	Earlier    int     // how many of them are of earlier runs of the same question
	Run        int     // number of this run, from 1
	RoundNs    int64   // duration of one more round, 0: unknown
	// Ended: nothing more will be measured, for a reason that does not look at
	// the figures, as the plan's or the budget's end. A series that stopped
	// because it has its verdicts has not ended in this sense.
	Ended bool
	// Invalid is the reason that no verdict is possible whatever the figures; otherwise
	// "".
	Invalid string
}

// Options of the comparison.
type Options struct {
	Alpha  float64 // chance that anything of the run is called different that is not
	Margin float64 // a ratio nearer to 1 than this hardly matters
	// Looks are the rounds of this run after which the figures are judged,
	// increasing; the last is the plan's number of rounds.
	Looks      []int
	Hypotheses int // rows planned; 0: those there are
}
