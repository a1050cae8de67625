package view

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"whet/internal/document"
	"whet/internal/finding"
	"whet/internal/printable"
	"whet/internal/quantity"
	"whet/internal/report/page"
	"whet/internal/stat"
)

// FindingsDiff says which findings of one recording another has no more, which
// it has that were not there, and by how much the others changed.
//
// A finding is the same one where rule and function are: its line may move. Of
// several of one rule in one function the first is the first one's, by line.
//
// Shares of samples vary by chance. The difference of two of them is called
// noise where its 95 % interval holds zero: Newcombe's hybrid score interval
// (Statistics in Medicine 17 (1998), 873-890, method 10), which is made of the
// two Wilson intervals that reports print beside shares. Of a finding that stands
// on one side alone nothing was estimated on the other, and it is noise where its
// own Wilson interval holds the threshold, as it is where the other side has it below
// that and the two do not differ. Shares that were counted in full, as
// benchmarks' allocations, have no such error: of them less than a point is noise.
// Of delay no error is known, and its change is never called noise.
// It misleads where samples fall together: see the intervals of package run.
type FindingsDiff struct {
	Before, After string       // what the two are of, a line each; "": not said
	Service       *ServiceDiff // nil: one of them is of no service
	Threshold     float64
	Changes       []FindingChange // gone, new, changed, those that did not change, and those that were not measured
}

// ServiceDiff is a load before and after. Each side is one measurement, so that no
// difference is called one.
type ServiceDiff struct{ Before, After ServiceLoad }

// ServiceLoad is the result of a load of a service.
type ServiceLoad struct {
	ThroughputPerS  float64
	P50Ns, P99Ns    int64    // of the service time
	CPUPerRequestNs *float64 // of the server; nil: unknown
}

func (l *ServiceLoad) json() document.Object {
	return document.Object{"throughput_per_s", document.Known(&l.ThroughputPerS), "service_time_ns", document.Object{"p50", l.P50Ns, "p99", l.P99Ns}, "cpu_per_request_ns", document.Known(l.CPUPerRequestNs)}
}

// write prints the load. The profiles' totals are of all requests, and of how many
// only this tells.
func (d *ServiceDiff) write(b *bytes.Buffer) {
	row := func(name, before, after, unit string) {
		fmt.Fprintf(b, "  %-12s %s → %s%s\n", name, before, after, unit)
	}
	cpu := func(l *ServiceLoad) string {
		if l.CPUPerRequestNs == nil {
			return "unknown"
		}
		return quantity.Nanoseconds(*l.CPUPerRequestNs)
	}
	ns := func(n int64) string { return quantity.Nanoseconds(float64(n)) }
	b.WriteString("Load, before → after, one measurement of each: whet prove -url tests whether they differ\n")
	row("throughput", quantity.Count(d.Before.ThroughputPerS), quantity.Count(d.After.ThroughputPerS), " requests a second")
	row("service time", "p50 "+ns(d.Before.P50Ns), ns(d.After.P50Ns), fmt.Sprintf(", p99 %s → %s", ns(d.Before.P99Ns), ns(d.After.P99Ns)))
	row("server's CPU", cpu(&d.Before), cpu(&d.After), " a request")
}

// counted is what shares that have no sampling error may differ by: set-up and the
// number of iterations differ between runs.
const counted = 0.01

// What became of a finding.
const (
	FindingGone    = "gone"
	FindingNew     = "new"
	FindingChanged = "changed"
	FindingSame    = "same" // what differs lies within what sampling leaves open
	// FindingUnmeasured stands on one side, and the other measured none of its
	// benchmarks.
	FindingUnmeasured = "not-measured"
)

// FindingChange is a finding before and after. Nil: there is none, not even below
// the threshold.
type FindingChange struct {
	Change        string
	Before, After *finding.Finding
	Noise         bool
}

// DiffFindings matches findings. below are those under the threshold: what has
// fallen under it is gone.
func DiffFindings(threshold float64, before, beforeBelow, after, afterBelow []finding.Finding) *FindingsDiff {
	type key struct{ rule, function string }
	type side struct {
		f      *finding.Finding
		stands bool
	}
	sort := func(above, below []finding.Finding) (order []key, by map[key][]side) {
		by = make(map[key][]side)
		for i, fs := range [][]finding.Finding{above, below} {
			for j := range fs {
				k := key{fs[j].Rule, fs[j].Function}
				if by[k] == nil {
					order = append(order, k)
				}
				by[k] = append(by[k], side{&fs[j], i == 0})
			}
		}
		for _, sides := range by {
			slices.SortStableFunc(sides, func(a, b side) int {
				if a.stands != b.stands { // those that stand are compared with each other first
					if a.stands {
						return -1
					}
					return 1
				}
				return a.f.Line - b.f.Line
			})
		}
		return order, by
	}
	order, old := sort(before, beforeBelow)
	more, now := sort(after, afterBelow)
	d := &FindingsDiff{Threshold: threshold, Changes: []FindingChange{}}
	for _, k := range append(order, slices.DeleteFunc(more, func(k key) bool { return old[k] != nil })...) {
		for i := range max(len(old[k]), len(now[k])) {
			var b, a side
			if i < len(old[k]) {
				b = old[k][i]
			}
			if i < len(now[k]) {
				a = now[k][i]
			}
			c := FindingChange{Before: b.f, After: a.f}
			switch {
			case b.stands && a.stands:
				c.Change = FindingChanged
				c.Noise = c.varies()
				if c.Noise || c.equal() {
					c.Change, c.Noise = FindingSame, true
				}
			case b.stands:
				c.Change = FindingGone
				c.Noise = c.near(threshold) || a.f != nil && c.varies()
			case a.stands:
				c.Change = FindingNew
				c.Noise = c.near(threshold) || b.f != nil && c.varies()
			default:
				continue
			}
			d.Changes = append(d.Changes, c)
		}
	}
	d.sort()
	return d
}

func (d *FindingsDiff) sort() {
	rank := map[string]int{FindingGone: 0, FindingNew: 1, FindingChanged: 2, FindingSame: 3, FindingUnmeasured: 4}
	slices.SortStableFunc(d.Changes, func(a, b FindingChange) int { return rank[a.Change] - rank[b.Change] })
}

// Unmeasured tells findings that are gone or new from those of benchmarks that the
// other side did not measure. The maps hold the names of those that it did; nil:
// the recording is of no benchmarks.
func (d *FindingsDiff) Unmeasured(before, after map[string]bool) {
	for i := range d.Changes {
		c := &d.Changes[i]
		other := after
		switch c.Change {
		case FindingNew:
			other = before
		case FindingGone:
		default:
			continue
		}
		names := c.standing().Benchmarks
		if other != nil && len(names) > 0 && !slices.ContainsFunc(names, func(name string) bool { return other[name] }) {
			c.Change, c.Noise = FindingUnmeasured, false
		}
	}
	d.sort()
}

// measure is a share of a finding: of how many samples (0: all was counted), or
// with an error that nobody knows.
type measure struct {
	name           string
	share          float64
	unknown, loose bool
	samples        int64
}

func measures(f *finding.Finding) [3]measure {
	return [3]measure{
		{"CPU", f.CPURatio, f.Unknown.CPU, false, f.CPUSamples},
		{"bytes", f.AllocBytesRatio, f.Unknown.AllocBytes, false, f.AllocSamples},
		{"delay", f.DelayRatio, f.Unknown.Delay, true, 0},
	}
}

func (m *measure) interval() stat.Interval {
	n := int(min(m.samples, math.MaxInt32))
	if n < 1 || !(m.share >= 0 && m.share <= 1) {
		return stat.Interval{Center: m.share, Low: m.share, High: m.share}
	}
	return stat.Wilson(int(math.Round(m.share*float64(n))), n, 0.95)
}

// equal reports whether the two sides print alike.
func (c *FindingChange) equal() bool {
	b, a := measures(c.Before), measures(c.After)
	for i := range b {
		if b[i].unknown != a[i].unknown || quantity.Percent(b[i].share) != quantity.Percent(a[i].share) {
			return false
		}
	}
	return left(c.Before) == left(c.After)
}

func left(f *finding.Finding) int64 {
	if f.Leak == nil {
		return 0
	}
	return f.Leak.Count
}

// varies reports whether all that changed lies within what sampling leaves open.
func (c *FindingChange) varies() bool {
	b, a := measures(c.Before), measures(c.After)
	for i := range b {
		switch {
		case b[i].unknown && a[i].unknown:
		case b[i].unknown != a[i].unknown:
			return false
		case b[i].loose || b[i].samples < 1 || a[i].samples < 1:
			if quantity.Percent(b[i].share) != quantity.Percent(a[i].share) && (b[i].loose || math.Abs(b[i].share-a[i].share) >= counted) {
				return false
			}
		default:
			low, high := newcombe(b[i].interval(), a[i].interval())
			if low > 0 || high < 0 {
				return false
			}
		}
	}
	return left(c.Before) == left(c.After)
}

// newcombe returns the interval of after − before, of two shares with their score
// intervals: d − √((a−lₐ)² + (u_b−b)²) to d + √((uₐ−a)² + (b−l_b)²).
func newcombe(before, after stat.Interval) (low, high float64) {
	d := after.Center - before.Center
	return d - math.Hypot(after.Center-after.Low, before.High-before.Center), d + math.Hypot(after.High-after.Center, before.Center-before.Low)
}

// near reports whether a finding of one side is as likely as not to be found
// again: none of its shares is above the threshold for sure.
func (c *FindingChange) near(threshold float64) bool {
	f := c.standing()
	if f.Leak != nil {
		return false
	}
	for _, m := range measures(f) {
		if !m.unknown && m.interval().Low >= threshold {
			return false
		}
	}
	return true
}

// standing returns the side that a gone or a new finding stands on.
func (c *FindingChange) standing() *finding.Finding {
	if c.Change == FindingGone {
		return c.Before
	}
	return c.After
}

// Write prints the findings, gone and new ones first.
func (d *FindingsDiff) Write(w io.Writer) error {
	var b bytes.Buffer
	d.write(&b, len(d.Changes))
	return page.Print(w, "diff", b.Bytes())
}

// write prints the findings, of which so many in full at most, and then says of how
// many it does not.
func (d *FindingsDiff) write(b *bytes.Buffer, most int) (more int) {
	counts := make(map[string]int)
	for i := range d.Changes {
		counts[d.Changes[i].Change]++
	}
	if d.Before != "" {
		fmt.Fprintf(b, "before  %s\nafter   %s\n", printable.Line(d.Before), printable.Line(d.After))
	}
	if d.Service != nil {
		d.Service.write(b)
	}
	fmt.Fprintf(b, "Findings: %d gone, %d new, %d changed, %d unchanged", counts[FindingGone], counts[FindingNew], counts[FindingChanged], counts[FindingSame])
	if n := counts[FindingUnmeasured]; n > 0 {
		fmt.Fprintf(b, ", %d of benchmarks not measured on the other side", n)
	}
	b.WriteByte('\n')
	for i := range d.Changes[:most] {
		c := &d.Changes[i]
		last := c.After
		if last == nil || c.Change == FindingGone || c.Change == FindingUnmeasured && c.Before != nil {
			last = c.Before
		}
		at := place(last)
		if c.Change != FindingGone && c.Before != nil && place(c.Before) != at {
			at = place(c.Before) + " → " + at
		}
		fmt.Fprintf(b, "%-8s %s in %s (%s)\n", strings.ReplaceAll(c.Change, "-", " "), printable.Line(last.Rule), printable.Line(last.Function), at)
		fmt.Fprintf(b, "%8s %s", "", strings.Join(c.shares(), ", "))
		if c.Noise && c.Change != FindingSame {
			b.WriteString("; noise: within the sampling error")
		}
		b.WriteByte('\n')
	}
	return len(d.Changes) - most
}

// brief returns the number of findings that stand in the brief text: those that changed, as far as
// they fit a screen with all else.
func (d *FindingsDiff) brief() int {
	const most = 6
	n := 0
	for n < min(len(d.Changes), most) && d.Changes[n].Change != FindingSame && d.Changes[n].Change != FindingUnmeasured {
		n++
	}
	return n
}

// WriteDiffBrief prints the answer in a screen: the findings that are gone, new or
// changed, and of each kind of profile the totals and what changed most. findings is
// nil where none were compared.
func WriteDiffBrief(w io.Writer, findings *FindingsDiff, diffs []KindDiff, warnings ...string) error {
	var b bytes.Buffer
	var more []string
	if findings != nil {
		if n := findings.write(&b, findings.brief()); n > 0 {
			more = append(more, quantity.Plural(n, "more finding"))
		}
		b.WriteByte('\n')
	}
	width := 0
	for _, d := range diffs {
		width = max(width, len(d.Kind))
	}
	b.WriteString("Profiles, before → after, and the function that changed most\n")
	for i := range diffs {
		fmt.Fprintf(&b, "%-*s  %s\n", width, printable.Line(diffs[i].Kind), diffs[i].brief())
	}
	b.WriteByte('\n')
	for _, d := range diffs {
		for _, text := range d.Head.Warnings {
			if !slices.Contains(warnings, text) {
				warnings = append(warnings, text)
			}
		}
	}
	for _, text := range warnings {
		fmt.Fprintf(&b, "Warning: %s\n", printable.Line(text))
	}
	fmt.Fprintf(&b, "more: -tables (%s)\n", strings.Join(append(more, "every kind's functions"), ", "))
	return page.Print(w, "diff", b.Bytes())
}

// brief is one kind of profile in a line.
func (d *Diff) brief() string {
	change := d.After - d.Before
	if d.value(change) == d.value(0) {
		change = 0
	}
	s := printable.Line(d.SampleType) + " " + d.value(d.Before) + " → " + d.value(d.After)
	switch {
	case change == 0 && len(d.Rows) == 0 && d.Dropped == 0:
		return s + ": nothing changed"
	case d.Before != 0:
		sign := "+"
		if change < 0 {
			sign = "-"
		}
		s += fmt.Sprintf(" (%s%s)", sign, strings.TrimSpace(quantity.PprofPercent(magnitude(change), magnitude(d.Before))))
	}
	if len(d.Rows) > 0 {
		r := &d.Rows[0]
		s += fmt.Sprintf("; %s%s flat, %s%s cum in %s", plus(r.Flat()), d.value(r.Flat()), plus(r.Cum()), d.value(r.Cum()), printable.Line(r.Name))
	}
	return s
}

func place(f *finding.Finding) string { return fmt.Sprintf("%s:%d", printable.Line(f.File), f.Line) }

// shares returns what is known of both sides, and their ceilings.
func (c *FindingChange) shares() (out []string) {
	row := func(name string, of func(*finding.Finding) string) {
		values := [2]string{"none", "none"}
		for i, f := range []*finding.Finding{c.Before, c.After} {
			if f != nil {
				values[i] = of(f)
			}
		}
		known := func(v string) bool { return v != "" && v != "none" }
		switch {
		case !known(values[0]) && !known(values[1]):
		case values[0] == values[1]:
			out = append(out, name+" "+values[0])
		default:
			for i, v := range values {
				if v == "" {
					values[i] = "unknown"
				}
			}
			out = append(out, fmt.Sprintf("%s %s → %s", name, values[0], values[1]))
		}
	}
	for i, name := range []string{"CPU", "bytes", "delay"} {
		row(name, func(f *finding.Finding) string {
			m := measures(f)[i]
			if m.unknown || c.zero(i) {
				return ""
			}
			return quantity.Percent(m.share)
		})
	}
	if left(orNone(c.Before)) > 0 || left(orNone(c.After)) > 0 {
		row("leaked", func(f *finding.Finding) string { return quantity.Count(float64(left(f))) })
		return out
	}
	row("ceiling", func(f *finding.Finding) string {
		if f.Unknown.CPU {
			return ""
		}
		return quantity.Ratio(max(f.CeilingRatio, f.CeilingWithGCRatio))
	})
	return out
}

func orNone(f *finding.Finding) *finding.Finding {
	if f == nil {
		return &finding.Finding{}
	}
	return f
}

// zero reports whether no side has any of a measure: it says nothing.
func (c *FindingChange) zero(measure int) bool {
	return measures(orNone(c.Before))[measure].share == 0 && measures(orNone(c.After))[measure].share == 0
}

// json is the list of the document.
// service is the load for a program, nil without one.
func (d *FindingsDiff) service() any {
	if d == nil || d.Service == nil {
		return nil
	}
	return document.Object{"before", d.Service.Before.json(), "after", d.Service.After.json()}
}

func (d *FindingsDiff) json() any {
	if d == nil {
		return nil
	}
	return document.Each(d.Changes, func(c *FindingChange) document.Object {
		last := c.After
		if last == nil {
			last = c.Before
		}
		return document.Object{"change", c.Change, "rule", last.Rule, "function", last.Function, "within_noise", c.Noise, "before", c.Before, "after", c.After}
	})
}
