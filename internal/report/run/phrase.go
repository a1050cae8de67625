package run

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"whet/internal/analyze/hot"
	"whet/internal/finding"
	"whet/internal/printable"
	"whet/internal/quantity"
	"whet/internal/recording"
	"whet/internal/report/page"
)

// base returns the value that a profile's shares are of.
func (p *Profile) base() int64 { return p.Values[hot.Base] }

// value prints v in the profile's unit.
func (p *Profile) value(v int64) string { return printable.Line(quantity.Value(float64(v), p.Unit)) }

// counted is what profiles of a kind count: a value, and in how many samples.
var counted = map[string]struct{ value, samples string }{
	"cpu":    {"CPU time", "CPU samples"},
	"allocs": {"allocated bytes", "allocated objects"},
	"block":  {"blocked time", "times blocked"},
	"mutex":  {"lock delay", "waits for a lock"},
	"heap":   {"live heap", "live objects"},
	"wall":   {"goroutines' time", "stretches of goroutines"},
}

// what names what a profile counts.
func (p *Profile) what() string {
	return cmp.Or(counted[p.Kind].value, printable.Line(cmp.Or(p.Column, p.Kind, "value")))
}

// samplesOf names what Samples counts.
func (p *Profile) samplesOf() string {
	return cmp.Or(counted[p.Kind].samples, p.what()+", samples")
}

// count prints the number of samples in a class. A profile with a value and
// without a sample does not say how many it holds.
func (p *Profile) count(class int) string {
	if p.Samples == [4]int64{} && p.Values != [4]int64{} {
		return "–"
	}
	return quantity.Count(float64(p.Samples[class]))
}

// asideKinds are profiles whose functions say little in a table: where
// goroutines wait is the runtime's business, and other parts of the page name
// the place and the reason; a heap is a moment.
var asideKinds = [...]string{"block", "heap", "wall"}

// shown divides the profiles into those that a reader sees first, those of
// other benchmarks, and those of asideKinds, which stand after both.
// Of each kind the first is that of all benchmarks together, or else that of
// the first benchmark with samples. Where there is only one benchmark, its own
// profile says no more than the merged one and is left out.
func (p *Page) shown() (first, others, asides []*Profile) {
	merged, singles := make(map[string]bool), make(map[string]int)
	lead := ""
	for i := range p.Profiles {
		pr := &p.Profiles[i]
		if pr.Benchmark == "" {
			merged[pr.Kind] = true
			continue
		}
		singles[pr.Kind]++
		if lead == "" && pr.base() != 0 {
			lead = pr.Benchmark
		}
	}
	pick := make(map[string]*Profile)
	for i := range p.Profiles {
		pr := &p.Profiles[i]
		if pr.Benchmark == "" || merged[pr.Kind] {
			continue
		}
		if old := pick[pr.Kind]; old == nil || old.Benchmark != lead && pr.base() != 0 && (pr.Benchmark == lead || old.base() == 0) {
			pick[pr.Kind] = pr
		}
	}
	for i := range p.Profiles {
		switch pr := &p.Profiles[i]; {
		case slices.Contains(asideKinds[:], pr.Kind):
			asides = append(asides, pr)
		case pr.Benchmark == "" || pick[pr.Kind] == pr:
			first = append(first, pr)
		case merged[pr.Kind] && singles[pr.Kind] == 1:
		default:
			others = append(others, pr)
		}
	}
	return first, others, asides
}

// classes returns the columns of the table that counts samples. A program or a
// service often has nothing that would be its set-up.
func (p *Page) classes(of []*Profile) []hot.Class {
	var out []hot.Class
	for c := range hot.Class(hot.NumClasses) {
		if c == hot.Setup && p.single() && !slices.ContainsFunc(of, func(pr *Profile) bool { return pr.Samples[c] != 0 || pr.Values[c] != 0 }) {
			continue
		}
		out = append(out, c)
	}
	return out
}

// slight is the share of the covered time below which a profile's functions are
// no more than an aside: 643 µs of lock delay in 20 s need no table.
const slight = 0.001

// withoutSlight moves the profiles of next to no time to the asides.
func (p *Page) withoutSlight(first, asides []*Profile) (kept, all []*Profile) {
	covered := p.coveredNs()
	for _, pr := range first {
		if pr.Unit == "nanoseconds" && float64(pr.base()) < slight*float64(covered) {
			asides = append(asides, pr)
		} else {
			kept = append(kept, pr)
		}
	}
	return kept, asides
}

// coveredNs returns the time that profiles of a program or a service are of; 0 of
// benchmarks.
func (p *Page) coveredNs() int64 {
	if p.Service != nil {
		return p.Service.DurationNs
	}
	var ns int64
	if p.Program != nil {
		for i := range p.Program.Runs {
			if r := &p.Program.Runs[i]; r.Missing == "" {
				ns += r.WallNs
			}
		}
	}
	return ns
}

// ceiling says what would be gained without what the remedy removes and without
// the collector's work for its bytes. It is no bound: shares are estimates, taken
// while whet measured, and where goroutines wait in a queue, ending one wait ends
// others.
func ceiling(f *finding.Finding) string {
	most := max(f.CeilingWithGCRatio, f.CeilingRatio)
	without := " if it cost nothing"
	if partly(f.CPURatio, f.AvoidableCPURatio) || f.CPURatio <= 0 && partly(f.AllocBytesRatio, f.AvoidableAllocBytesRatio) {
		without = " without the avoidable part"
	}
	text := "about " + quantity.Ratio(most) + " faster" + without
	switch {
	case f.Leak != nil:
		return "it grows during the whole run: no bound was seen"
	case f.Unknown.CPU:
		return "the possible gain is unknown: no CPU samples"
	case f.CPURatio <= 0 && f.DelayRatio > 0 && most <= 1: // of a program, or of a service whose requests were not counted
		return "the possible gain is unknown: goroutines wait in parallel"
	case f.AvoidableCPURatio <= 0 && f.DelayRatio <= 0 && quantity.Ratio(most) == quantity.Ratio(1):
		if f.CPURatio > 0 {
			return "the gain is in memory only: the change does not affect CPU time"
		}
		return "the gain is in memory: no CPU samples here"
	case f.FewSamples() && f.CPURatio > 0:
		return fmt.Sprintf("the possible gain is unknown: %s, %d needed", quantity.Plural(int(f.CPUSamples), "CPU sample"), f.CPUSamplesNeeded)
	case max(f.DelayRatio, f.WaitRatio) > 0 && f.CeilingRatio > 1.001*finding.Ceiling(f.AvoidableCPURatio) && most < finding.MaxCeiling: // the share is the wait's
		text = "about " + quantity.Ratio(most) + " faster without the waits here, more if they make others wait"
	case most >= finding.MaxCeiling:
		text = "100x faster or more" + without
	}
	if own := quantity.Ratio(f.CeilingRatio); own != quantity.Ratio(most) {
		text += " (" + own + " not counting the collector)"
	}
	return text
}

// partly reports whether a reader sees that a part of a share is avoidable.
func partly(ratio, avoidable float64) bool {
	return avoidable < ratio && quantity.Percent(avoidable) != quantity.Percent(ratio)
}

// measure is a share of a finding.
type measure struct {
	Name    string
	Short   string // "CPU", for a line of several
	Percent string
	Error   string  // "± 2.9": of its sampling, in percentage points; "" where it has none
	Ratio   float64 // for a bar; 0 when unknown
	Notes   []string
}

// measures lists the shares a finding has, largest first: that is what made it
// a finding. CPU and allocated bytes are always there, since that there is none,
// or none known, is also said.
func measures(f *finding.Finding) []measure {
	if f.Leak != nil {
		return []measure{leaked(f.Leak)}
	}
	cpu := newMeasure("CPU", "of CPU time", f.CPURatio, f.AvoidableCPURatio, f.Unknown.CPU)
	if f.FewSamples() {
		cpu.Notes = append(cpu.Notes, "of only "+quantity.Plural(int(f.CPUSamples), "sample"))
	}
	if iv, ok := samplingError(f.CPURatio, f.CPUSamples); ok && !f.Unknown.CPU {
		cpu.Error = "± " + points(iv)
	}
	bytes := newMeasure("bytes", "of allocated bytes", f.AllocBytesRatio, f.AvoidableAllocBytesRatio, f.Unknown.AllocBytes)
	if f.FewAllocs() {
		bytes.Notes = append(bytes.Notes, "of only "+quantity.Plural(int(f.AllocSamples), "sample"))
	}
	if iv, ok := samplingError(f.AllocBytesRatio, f.AllocSamples); ok && !f.Unknown.AllocBytes {
		bytes.Error = "± " + points(iv)
	}
	m := []measure{cpu, bytes}
	if f.DelayRatio > 0 && !f.Unknown.Delay {
		m = append(m, newMeasure("delay", "of lock delay", f.DelayRatio, f.DelayRatio, false))
	}
	if f.WaitRatio > 0 {
		m = append(m, newMeasure("waiting", "of time lost to waiting", f.WaitRatio, f.WaitRatio, false))
	}
	slices.SortStableFunc(m, func(a, b measure) int { return cmp.Compare(b.Ratio, a.Ratio) })
	return m
}

// leaked returns the measure of a leak, which has no share.
func leaked(l *finding.Leak) measure {
	m := measure{Name: "leaked", Short: "leaked", Percent: quantity.Count(float64(l.Count)) + " goroutines"}
	each := func(per float64) string { return quantity.Count(per) }
	if l.Kind == finding.LeakBytes {
		m.Name, m.Short, m.Percent = "retained", "retained", quantity.Bytes(float64(l.Count))
		each = func(per float64) string { return quantity.Bytes(per) }
	}
	if l.PerOperation != nil {
		m.Notes = append(m.Notes, each(*l.PerOperation)+" for each operation")
	}
	return m
}

func newMeasure(short, name string, ratio, avoidable float64, unknown bool) measure {
	m := measure{Name: name, Short: short, Percent: "unknown"}
	if unknown {
		return m
	}
	m.Percent, m.Ratio = quantity.Percent(ratio), ratio
	switch part := quantity.Percent(avoidable); {
	case !partly(ratio, avoidable):
	case part == quantity.Percent(0):
		m.Notes = append(m.Notes, "which the change leaves")
	default:
		m.Notes = append(m.Notes, part+" avoidable")
	}
	return m
}

// inBenchmarks names the benchmarks of a finding, and which of their shares it
// has.
func inBenchmarks(f *finding.Finding) string {
	if len(f.Benchmarks) > 1 {
		return page.CleanList(f.Benchmarks) + " " + largest
	}
	return page.CleanList(f.Benchmarks)
}

const largest = "(the largest of their shares)"

// unexplained returns what stands in place of findings: which rules looked, at how
// much, and what they found below the threshold. That they know no cause is no
// word on whether there is one.
func unexplained(p *Page) string {
	at := p.subject()
	if !p.single() {
		at = fmt.Sprintf("%s of %s", quantity.Count(float64(p.Looked)), quantity.Plural(max(len(p.Benchmarks), p.Looked), "benchmark"))
	}
	if len(p.Rules) == 0 || p.Looked == 0 {
		if !p.single() {
			at = "any benchmark"
		}
		return "none: no rule examined " + at
	}
	looked := fmt.Sprintf("none: %s examined %s", quantity.Plural(len(p.Rules), "rule"), at)
	if n := len(p.Below); n > 0 {
		return looked + "; " + quantity.Plural(n, "finding") + " below " + quantity.Percent(p.ThresholdRatio)
	}
	return looked + " and no rule found a cause"
}

// place is file:line as compilers print it.
func place(f *finding.Finding) string { return page.FileLine(f.File, f.Line) }

// threshold says which findings are listed.
func threshold(p *Page) string {
	return "at least " + quantity.Percent(p.ThresholdRatio) + " of CPU time, allocated bytes or lock delay"
}

// recorded returns the line under the title.
func recorded(p *Page) string {
	parts := make([]string, 0, 3)
	if p.Target != "" && p.Package != "" && p.Target != p.Package && !recording.IsVague(p.Target) {
		parts = append(parts, printable.Line(p.Target))
	}
	if p.Program != nil && len(p.Program.Runs) > 1 {
		parts = append(parts, "ran "+quantity.Plural(len(p.Program.Runs), "time"))
	}
	if t, err := time.Parse(time.RFC3339, p.Created); err == nil {
		parts = append(parts, "recorded "+t.UTC().Format("2006-01-02 15:04 UTC"))
	} else if p.Created != "" {
		parts = append(parts, "recorded "+printable.Line(p.Created))
	}
	if p.Tool != "" {
		parts = append(parts, printable.Line(p.Tool))
	}
	return strings.Join(parts, " · ")
}

// title returns the page's heading.
func title(p *Page) string { return printable.Line(cmp.Or(p.Package, p.Target, "recording")) }

// warnings of the page, the one about its being partial first.
func warnings(p *Page) []string {
	var out []string
	if p.Partial != "" {
		out = append(out, "partial recording: "+p.Partial)
	}
	return append(out, p.Warnings...)
}
