package finding

import (
	"cmp"
	"slices"
)

// MaxCeiling bounds CeilingRatio: a share of 1 would give infinity.
const MaxCeiling = 100

// Confidence says how far the evidence carries.
type Confidence string

const (
	High   Confidence = "high"   // profile and source agree, enough samples
	Medium Confidence = "medium" // one of them is missing or the samples are few
	Low    Confidence = "low"    // a pointer, not a claim
)

// Evidence is one observation that supports a finding, in a sentence with its
// figure ("312 of 1,040 samples pass through logrus.(*Entry).Info").
type Evidence struct {
	Kind string `json:"kind"` // "cpu", "allocs", "mutex", "source", "compiler"
	Text string `json:"text"`
}

// Finding is one claim. The JSON names are a contract with scripts: keys are
// only ever added.
type Finding struct {
	Rule            string     `json:"rule"`
	Title           string     `json:"title"`
	Function        string     `json:"function"`
	File            string     `json:"file"` // relative to the module's root where it lies inside it
	Line            int        `json:"line"`
	CPURatio        float64    `json:"cpu_ratio"`         // the place's cum share of the base's CPU samples
	AllocBytesRatio float64    `json:"alloc_bytes_ratio"` // the same of allocated bytes
	DelayRatio      float64    `json:"delay_ratio"`       // mutex delay / (that delay + the base's CPU time)
	CeilingRatio    float64    `json:"ceiling_ratio"`     // 1/(1 − share of time), at most MaxCeiling
	Confidence      Confidence `json:"confidence"`
	Evidence        []Evidence `json:"evidence"`
	Why             string     `json:"why"`
	Remedy          string     `json:"remedy"`
	Fixable         bool       `json:"fixable"`
	Benchmarks      []string   `json:"benchmarks"`
}

// Weight orders findings: the largest of the three shares.
func (f *Finding) Weight() float64 {
	return max(f.CPURatio, f.AllocBytesRatio, f.DelayRatio)
}

// Ceiling returns 1/(1 − share), at most MaxCeiling: the largest possible gain
// in time if a part that takes share (in [0,1]) of it cost nothing (Amdahl
// 1967).
func Ceiling(share float64) float64 {
	switch {
	case share >= 1-1.0/MaxCeiling:
		return MaxCeiling
	case share > 0:
		return 1 / (1 - share)
	}
	return 1 // no share, or none that is known (NaN)
}

// Sort orders findings by weight, heaviest first, then by place, so that the
// order never depends on the order they were found in.
func Sort(fs []Finding) {
	slices.SortStableFunc(fs, func(a, b Finding) int {
		return cmp.Or(
			cmp.Compare(b.Weight(), a.Weight()),
			cmp.Compare(a.File, b.File),
			cmp.Compare(a.Line, b.Line),
			cmp.Compare(a.Rule, b.Rule),
		)
	})
}
