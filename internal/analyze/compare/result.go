package compare

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"whet/internal/document"
	"whet/internal/quantity"
	"whet/internal/recording"
)

// What was compared.
const (
	KindBenchmarks = "benchmarks"
	KindCommands   = "commands"
	KindService    = "service"
)

// Result is the result of a proof, as its JSON document. Its texts come from the
// measured programs and are untrusted; printers must escape them.
type Result struct {
	Schema   string   `json:"schema"`
	Warnings []string `json:"warnings"`
	Kind     string   `json:"kind"` // KindBenchmarks, KindCommands or KindService
	// Partial is why less was measured than planned; "" when all was.
	Partial string  `json:"partial"`
	Verdict Summary `json:"verdict"`

	Old Program `json:"old"`
	New Program `json:"new"`

	AlphaRatio float64 `json:"alpha_ratio"`
	// NoChangeAlphaRatio is the chance of any false "no change": NoChangeAlpha.
	NoChangeAlphaRatio float64 `json:"no_change_alpha_ratio"`
	// Stepped is the number of benchmarks whose processes alternate in steps, with
	// GOMAXPROCS=1.
	Stepped         int     `json:"stepped"`
	ConfidenceRatio float64 `json:"confidence_ratio"` // of the run; each row has that of its own interval
	MarginRatio     float64 `json:"margin_ratio"`
	Seed            uint64  `json:"seed"` // of the order within the rounds
	// Run is the number of this run of the same question, from 1, and Earlier
	// the rounds of those before it, which are pooled with it.
	Run            int   `json:"run"`
	Earlier        int   `json:"earlier"`
	Layouts        int   `json:"layouts"` // code layouts that the rounds of this run were spread over; 1: the linker's own
	RoundsPlanned  int   `json:"rounds_planned"`
	RoundsMeasured int   `json:"rounds_measured"` // by every benchmark that did not fail
	RoundsNeeded   int   `json:"rounds_needed"`   // for any verdict on time
	TurnsPlanned   int   `json:"turns_planned"`   // the most that a benchmark has in a round
	SliceNs        int64 `json:"slice_ns"`        // a slice of one side takes about this
	BudgetNs       int64 `json:"budget_ns"`
	CalibratedNs   int64 `json:"calibrated_ns"` // of the budget, before the rounds of commands and services: how much there is to do
	ElapsedNs      int64 `json:"elapsed_ns"`    // of the measuring

	Benchmarks []Row     `json:"benchmarks"`
	OnlyOld    []string  `json:"only_old"` // benchmarks that the other side lacks
	OnlyNew    []string  `json:"only_new"`
	Failures   []Failure `json:"failures"`
	// Disturbances are the disturbances observed during the measurement; each is a
	// warning too.
	Disturbances []Disturbance `json:"disturbances"`
	Why          []Change      `json:"why"`
	// Series is the data of the rows.
	Series []Series `json:"-"`
	// Answers is nil where they were not compared.
	Answers *OutputComparison `json:"answers,omitempty"`
	// Require is the verdict that was asked for: Faster or "".
	Require Verdict `json:"require,omitempty"`

	Host      recording.Host `json:"host"`
	Recording string         `json:"recording,omitempty"`
	// Trouble is an error outside the measurement, such as a full disk; the figures are
	// valid.
	Trouble string `json:"trouble,omitempty"`
	// Interrupted: the user ended it.
	Interrupted bool `json:"interrupted"`
}

// Header returns the head of the document that a result is.
func (r *Result) Header() document.Head { return document.Head{Schema: r.Schema, Warnings: r.Warnings} }

// Program describes the program of one side.
type Program struct {
	Operand   string `json:"operand"` // as the user gave it
	Package   string `json:"package"`
	Module    string `json:"module"`
	GoVersion string `json:"go_version"`
	Revision  string `json:"revision"` // "" when unknown
	Dirty     *bool  `json:"dirty"`    // nil: unknown
	SHA256    string `json:"sha256"`   // of the test binary
	Tests     string `json:"tests"`    // "passed", "failed: ...", "none", "not run"
	Tree      string `json:"tree"`     // where it came from: a directory as the user knows it, or "" for a revision
	// Env and Flags apply to the build and the processes of this side only.
	Env   []string `json:"env"`
	Flags []string `json:"flags"`
}

// Disturbance is one thing that was seen to disturb the measuring.
type Disturbance struct {
	Kind      string `json:"kind"`                // as "steal", "load", "throttled", "swap", "grows"
	Benchmark string `json:"benchmark,omitempty"` // "": the whole run
	Side      string `json:"side,omitempty"`      // "old" or "new", "": both
	Text      string `json:"text"`
}

// Failure is a benchmark that could not be compared.
type Failure struct {
	Name string `json:"name"`
	Side string `json:"side"` // "old" or "new"
	Text string `json:"text"`
}

// Summary is the overall verdict in one line.
type Summary struct {
	Kind string `json:"kind"` // a Verdict, "mixed", AnswersDiffer, "same answers", "failed" or "interrupted"
	Text string `json:"text"`
}

// Exit codes of design: 1 and 4 look at time and allocations per operation only.
const (
	exitDone        = 0
	exitFound       = 1
	exitFailed      = 3
	exitCannotTell  = 4
	exitInterrupted = 130
)

// ExitCode returns the code that whet prove exits with.
func (r *Result) ExitCode() int {
	slower, unknown := r.count(Slower), r.count(CannotTell)
	switch {
	case r.Interrupted:
		return exitInterrupted
	case len(r.Failures) > 0 || r.Trouble != "":
		return exitFailed
	case r.Answers.differ():
		return exitFound
	case r.Answers != nil && r.Answers.Only:
		return exitDone
	case len(r.Benchmarks) == 0:
		return exitFailed
	case slower > 0:
		return exitFound
	case unknown > 0:
		return exitCannotTell
	case r.missing():
		return exitFound
	}
	return exitDone
}

// missing reports whether a required verdict is surely not there. Where a row
// cannot tell, the requirement cannot be told either: that is code 4, as
// without it.
func (r *Result) missing() bool { return r.Require == Faster && r.count(Faster) == 0 }

func (r *Result) count(v Verdict) int {
	n := 0
	for i := range r.Benchmarks {
		if r.Benchmarks[i].Gates && r.Benchmarks[i].Verdict == v {
			n++
		}
	}
	return n
}

// Summarize sets the overall verdict from the rows.
func (r *Result) Summarize() {
	var parts []string
	kinds := make(map[Verdict]bool)
	for _, metric := range r.gating() {
		said, seen := r.summarizeMetric(metric)
		if said != "" {
			parts = append(parts, said)
		}
		for _, v := range seen {
			kinds[v] = true
		}
	}
	if len(parts) > 0 {
		parts = append(parts, r.summarizeBytes()...)
	}
	r.Verdict = Summary{Kind: overall(kinds), Text: strings.Join(parts, "; ")}
	if len(r.Benchmarks) > 0 && !slices.ContainsFunc(r.Benchmarks, func(row Row) bool { return row.Measured() }) {
		same := "are the same binary"
		if slices.ContainsFunc(r.Benchmarks, func(row Row) bool { return row.Reason == SameCode }) {
			same = "run the same code"
		}
		r.Verdict.Text += "; both sides " + same + ": nothing was measured (-aa measures anyway)"
	}
	if len(parts) == 0 {
		r.Verdict = Summary{Kind: "failed", Text: "nothing was compared"}
	}
	if a := r.Answers; a != nil {
		said := a.describe()
		if len(parts) > 0 || !a.differ() && !a.Only {
			said += "; " + r.Verdict.Text
		}
		r.Verdict.Text = said
		switch {
		case a.differ():
			r.Verdict.Kind = AnswersDiffer
		case a.Only:
			r.Verdict.Kind = "same answers"
		}
	}
	if n := len(r.Failures); n > 0 {
		f := r.Failures[0]
		r.Verdict.Text += fmt.Sprintf("; %s failed: %s of %s: %s", benchmarks(n), f.Name, f.Side, f.Text)
		r.Verdict.Kind = "failed"
	}
	if r.missing() && len(r.Benchmarks) > 0 {
		r.Verdict.Text += "; no benchmark is faster, and -require faster was given"
	}
	if r.Trouble != "" {
		r.Verdict.Text += "; " + r.Trouble
	}
	if r.Interrupted {
		r.Verdict.Kind = "interrupted"
		r.Verdict.Text = cmp.Or(r.Partial, "interrupted") + ": " + r.Verdict.Text
	}
}

func overall(kinds map[Verdict]bool) string {
	switch {
	case kinds[Slower] && kinds[Faster]:
		return "mixed"
	case kinds[Slower]:
		return string(Slower)
	case kinds[CannotTell]:
		return string(CannotTell)
	case kinds[Faster]:
		return string(Faster)
	}
	return string(NoChange)
}

// summarizeMetric is "faster in 2 of 3 benchmarks (1.20x to 9.21x), no change in 1".
func (r *Result) summarizeMetric(metric string) (text string, seen []Verdict) {
	by := make(map[Verdict][]float64)
	total := 0
	for i := range r.Benchmarks {
		if row := &r.Benchmarks[i]; row.Metric == metric && row.Gates {
			by[row.Verdict] = append(by[row.Verdict], row.Ratio)
			total++
		}
	}
	words := map[Verdict]string{Faster: "faster", Slower: "slower", NoChange: "no change", CannotTell: "cannot tell"}
	if metric == AllocsPerOp {
		words[Faster], words[Slower] = "fewer", "more"
	}
	var parts []string
	for _, v := range []Verdict{Slower, CannotTell, Faster, NoChange} {
		ratios := by[v]
		if len(ratios) == 0 {
			continue
		}
		seen = append(seen, v)
		s := words[v]
		if len(ratios) < total || total > 1 {
			s += fmt.Sprintf(" in %d of %d", len(ratios), total)
		}
		if v == Faster || v == Slower {
			s += " (" + ratioRange(ratios) + ")"
		}
		parts = append(parts, s)
	}
	return metricName(metric) + ": " + strings.Join(parts, ", "), seen
}

// summarizeBytes is "bytes: fewer in 1 of 3 (2.10x)" where bytes per operation
// differ: they decide no exit code, but fewer allocations can be more bytes.
func (r *Result) summarizeBytes() (said []string) {
	by, total := make(map[Verdict][]float64), 0
	for i := range r.Benchmarks {
		if row := &r.Benchmarks[i]; row.Metric == BytesPerOp {
			by[row.Verdict] = append(by[row.Verdict], row.Ratio)
			total++
		}
	}
	for _, v := range []Verdict{Slower, Faster} {
		if n := len(by[v]); n > 0 {
			word := map[Verdict]string{Faster: "fewer", Slower: "more"}[v]
			if total > 1 {
				word += fmt.Sprintf(" in %d of %d", n, total)
			}
			said = append(said, word+" ("+ratioRange(by[v])+")")
		}
	}
	if said == nil {
		return nil
	}
	return []string{"bytes: " + strings.Join(said, ", ")}
}

// Ended returns the reason that measuring ended well before the budget did; "" if it
// did not, or if [Result.Partial] has the reason.
func (r *Result) Ended() string {
	left := r.BudgetNs - r.CalibratedNs - r.ElapsedNs
	if r.BudgetNs <= 0 || r.RoundsPlanned == 0 || r.Partial != "" || r.Trouble != "" || left*10 < r.BudgetNs {
		return ""
	}
	for i := range r.Benchmarks {
		if row := &r.Benchmarks[i]; row.Measured() && row.Verdict == CannotTell {
			if r.RoundsMeasured < r.RoundsPlanned {
				return ""
			}
			if each := r.ElapsedNs / int64(max(r.RoundsMeasured, 1)); each > left {
				return "another round takes " + quantity.Nanoseconds(float64(each))
			}
			return "no rounds were left to measure"
		}
	}
	return "every verdict was certain"
}

// gating returns the metrics that decide the exit code, in the order of the rows.
func (r *Result) gating() []string {
	var out []string
	for i := range r.Benchmarks {
		if row := &r.Benchmarks[i]; row.Gates && !slices.Contains(out, row.Metric) {
			out = append(out, row.Metric)
		}
	}
	return out
}

// metricName returns a gating metric's in the verdict.
func metricName(unit string) string {
	switch unit {
	case NsPerOp:
		return "time"
	case AllocsPerOp:
		return "allocations"
	case WallNs:
		return "wall time"
	case P50Ns, P90Ns, P99Ns:
		return "response time " + strings.TrimSuffix(unit, "-ns")
	}
	return unit
}

func ratioRange(ratios []float64) string {
	low, high := slices.MinFunc(ratios, cmp.Compare[float64]), slices.MaxFunc(ratios, cmp.Compare[float64])
	if a, b := PrintRatio(low), PrintRatio(high); a != b {
		return a + " to " + b
	} else {
		return a
	}
}

// PrintRatio prints a ratio: to three digits after the point near 1, where the
// difference from 1 matters, and the two bounds of Ratio as such.
func PrintRatio(x float64) string {
	switch {
	case x >= MaxRatio:
		return "to none"
	case x <= 1/MaxRatio:
		return "from none"
	case x > 0.9 && x < 1.1:
		return fmt.Sprintf("%.3fx", x)
	}
	return quantity.Ratio(x)
}

// PrintInterval prints the bounds of a ratio.
func PrintInterval(low, high float64) string {
	switch {
	case low <= 1/MaxRatio && high >= MaxRatio:
		return "any"
	case low <= 1/MaxRatio && high > low:
		return PrintRatio(high) + " or less"
	case high >= MaxRatio && high > low:
		return PrintRatio(low) + " or more"
	case low == high:
		return PrintRatio(low)
	}
	return PrintRatio(low) + " to " + PrintRatio(high)
}

func benchmarks(n int) string {
	if n == 1 {
		return "1 benchmark"
	}
	return fmt.Sprintf("%d benchmarks", n)
}
