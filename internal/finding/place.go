package finding

import (
	"cmp"
	"math"
	"slices"
)

// HotPlace is a costly line of the code under study, or several lines of one function
// that matter together. Every sample is charged to at
// most one place, so that the shares of all places may be added up. Nil is
// unknown.
type HotPlace struct {
	Function        string     `json:"function"`
	File            string     `json:"file"` // relative to the root of the module or its workspace, where it lies inside it
	Line            int        `json:"line"` // the heaviest, or that of its finding
	Lines           []int      `json:"lines"`
	CPURatio        *float64   `json:"cpu_ratio"`         // of the base's CPU time
	AllocBytesRatio *float64   `json:"alloc_bytes_ratio"` // of the base's allocated bytes
	DelayRatio      *float64   `json:"delay_ratio"`       // mutex delay / (that delay + the base's CPU time); without CPU time, of the delay
	WorthRatio      float64    `json:"worth_ratio"`       // largest part of the time that could be saved: see Worth
	CPUSamples      int64      `json:"cpu_samples"`       // CPURatio is a share of so many
	BytesPerOp      *float64   `json:"bytes_per_op"`
	ObjectsPerOp    *float64   `json:"objects_per_op"`
	LoopLine        *int       `json:"loop_line"` // of the innermost loop around Line in its function; 0: none
	Callees         []Part     `json:"callees"`   // sum to the place, heaviest first
	Kinds           []Part     `json:"kinds"`     // the same
	Decisions       []Decision `json:"decisions"`
	Finding         *string    `json:"finding"` // the rule that knows its cause; nil: none does
	Cause           *string    `json:"cause"`   // the kind of cost, without a finding; nil: unknown
	Benchmarks      []string   `json:"benchmarks"`
}

// Part is a part of a place. Its ratios are of the same whole as the place's.
type Part struct {
	Name            string   `json:"name"` // of a callee, "" is the line itself
	CPURatio        *float64 `json:"cpu_ratio"`
	AllocBytesRatio *float64 `json:"alloc_bytes_ratio"`
}

// Decision is a decision of the compiler on a line.
type Decision struct {
	Line int    `json:"line"`
	Text string `json:"text"` // "x escapes to heap", "inlines (*T).get"
}

// Account is the distribution of all of one measure: its parts sum to 1.
type Account struct {
	Kind             string         `json:"kind"`               // "cpu", "alloc_bytes" or "delay"
	HotPlacesRatio   float64        `json:"hot_places_ratio"`   // of the hot places
	OtherPlacesRatio float64        `json:"other_places_ratio"` // of places below the threshold
	TestsRatio       float64        `json:"tests_ratio"`        // tests' code and the benchmark's own body
	Packages         []PackageShare `json:"packages"`           // cost that no line of the code under study caused
}

// PackageShare is the share of a package's work that no line of the code under study
// called.
type PackageShare struct {
	Package string  `json:"package"` // "" for the small ones together
	Ratio   float64 `json:"ratio"`
}

// Worth returns the share of the time that would be gained at most if a place cost
// nothing: of CPU time with the part of the collector's own work that is for
// its bytes, (cpu·base + alloc·gc) / (base + gc), or, where that is more, the
// share of the time that is waited for it. base is the base's CPU time and gc
// the collector's in the background, in the same unit.
func Worth(cpu, alloc, base, gc, wait float64) float64 {
	work := 0.0
	if base+gc > 0 {
		work = (cpu*base + alloc*gc) / (base + gc)
	}
	return max(work, wait)
}

// SortHotPlaces orders places by worth. Those worth about the same as the first are in
// an order that the next recording of the same program has, too: with a finding first,
// then by file and line.
func SortHotPlaces(ps []HotPlace) {
	lasting := func(a, b HotPlace) int {
		return cmp.Or(cmp.Compare(found(&b), found(&a)), cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Function, b.Function))
	}
	slices.SortStableFunc(ps, func(a, b HotPlace) int {
		return cmp.Or(cmp.Compare(b.WorthRatio, a.WorthRatio), lasting(a, b))
	})
	for first := 0; first < len(ps); {
		end := first + 1
		for end < len(ps) && alike(&ps[first], &ps[end]) {
			end++
		}
		slices.SortStableFunc(ps[first:end], lasting)
		first = end
	}
}

func found(p *HotPlace) int {
	if p.Finding != nil {
		return 1
	}
	return 0
}

// nearly is the part of a place's worth from which another's is about the same.
const nearly = 0.75

// alike reports whether samples do not tell which of two places is worth more.
// Of n samples p·n and q·n fall on them; the difference of the two shares has
// the standard error √((p + q − (p − q)²)/n), and they are alike where they differ
// by at most two of it, and not by more than a quarter: of few samples even
// very different shares do not differ surely, and the larger is then the better
// guess.
func alike(a, b *HotPlace) bool {
	p, q := a.WorthRatio, b.WorthRatio
	if a.CPUSamples <= 0 || a.CPURatio == nil || b.CPURatio == nil || *a.CPURatio < nearly*p || *b.CPURatio < nearly*q {
		return false // bytes are counted or sampled otherwise, and so are waits
	}
	return q >= nearly*p && p-q <= 2*math.Sqrt((p+q-(p-q)*(p-q))/float64(a.CPUSamples))
}
