package read

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"whet/agent"
	"whet/internal/analyze/flamegraph"
	"whet/internal/analyze/hot"
	"whet/internal/analyze/machine"
	"whet/internal/analyze/scaling"
	"whet/internal/diagnose"
	"whet/internal/document"
	"whet/internal/finding"
	"whet/internal/quantity"
	"whet/internal/record"
	"whet/internal/recording"
	pagereport "whet/internal/report/page"
	"whet/internal/report/run"
	"whet/internal/symbolname"
)

// How much of each profile a report shows.
const (
	topRows      = 15
	listings     = 4
	listingLines = 40
	maxWarnings  = 100 // nobody reads as many, and a recording from elsewhere may hold any number
	maxNotes     = 20  // of the compiler, on one line
)

// Page makes the report of a recording. reading is what was read before the recording
// had its name; nil: nothing.
func Page(rec *recording.Recording, reading *Reading) (*run.Page, error) {
	if reading == nil {
		reading = Recording(rec, ParsedParts{})
	}
	reading.rec = rec
	page, err := reading.Page()
	if err != nil {
		return nil, fmt.Errorf("report on %s: %w", rec.Dir, err)
	}
	return page, nil
}

// Page lays out the report.
func (a *Reading) Page() (*run.Page, error) {
	page, err := a.diagnosed()
	if err != nil {
		return nil, err
	}
	rec := a.rec
	page.Target, page.Package, page.Module, page.Tool = rec.Target, rec.Build.Package, rec.Build.Module, rec.Tool
	if version, err := strconv.Atoi(strings.TrimPrefix(rec.Tool, "whet/agent ")); err == nil && version > agent.Version {
		a.warn("an agent of version %d recorded this, newer than those that this whet knows, of version %d: update whet", version, agent.Version)
	}
	page.Created, page.Partial, page.Facts = rec.Origin.UTC().Format(time.RFC3339), rec.Partial, facts(&rec.Manifest)
	for _, b := range a.benchmarks {
		row := run.Benchmark{
			Name: b.Name, Procs: b.Procs, Iterations: b.Iterations, NsPerOp: b.NsPerOp, BytesPerOp: b.BytesPerOp, AllocsPerOp: b.AllocsPerOp,
			Parallel: b.Parallel, Profiled: b.Profiled, Failure: b.Failure,
		}
		for _, m := range b.Metrics {
			row.Metrics = append(row.Metrics, run.Metric{Unit: m.Unit, Value: document.Number(m.Value)})
		}
		page.Benchmarks = append(page.Benchmarks, row)
	}
	if plan := &rec.Plan; rec.Kind == recording.TargetBenchmark && len(plan.Selected) > 0 {
		page.Selection = &run.Selection{Measured: plan.Selected, LeftOut: plan.LeftOut, Reason: plan.Reason}
	}
	page.Growth = scaling.Families(sizes(a.benchmarks))
	for _, s := range a.subjects {
		if p := s.Processors; p != nil {
			page.Processors = append(page.Processors, run.Processors{Benchmark: s.Benchmark, Processors: p.Processors, Answer: p.Answer(p.Machine), Text: s.Scaling()})
		}
	}
	a.addRun(page)
	if slices.ContainsFunc(rec.Warnings, func(text string) bool { return strings.HasPrefix(text, run.TestsFail) }) {
		page.Verdict.Text += "; the package's own tests fail: see the warning"
	}
	warnings := slices.Concat(trust(&rec.Manifest), rec.Warnings, a.warnings, a.result.Warnings)
	for _, s := range a.subjects {
		if text, found := diagnose.GrowingBuffer(s); found {
			warnings = append(warnings, text)
		}
		if s.CPU != nil && !s.CPU.LoopsKnown {
			warnings = append(warnings, fmt.Sprintf("%s: the measured loop was not found in the source, so set-up counts as measured code", s.Benchmark))
		}
		if s.CPU != nil && s.CPU.RootsLost {
			warnings = append(warnings, fmt.Sprintf("%s: stacks are deeper than the profiler records: functions near their root have too little cum, and set-up as deep counts as measured code", s.Benchmark))
		}
	}
	page.Warnings = distinct(warnings, maxWarnings)
	return page, nil
}

// sizes returns what the benchmarks that ran cost an operation.
func sizes(benchmarks []record.Benchmark) (all []scaling.Measured) {
	known := func(v *float64) float64 {
		if v == nil {
			return math.NaN()
		}
		return *v
	}
	for _, b := range benchmarks {
		if b.Failure == "" {
			all = append(all, scaling.Measured{Name: b.Name, Ns: b.NsPerOp, Bytes: known(b.BytesPerOp), Allocs: known(b.AllocsPerOp)})
		}
	}
	return all
}

// diagnosed lays out what a page has of any reading: what the rules said, and
// the profiles.
func (a *Reading) diagnosed() (*run.Page, error) {
	result, err := a.Diagnose()
	if err != nil {
		return nil, err
	}
	page := &run.Page{
		Verdict:   verdictOf(result),
		HotPlaces: result.HotPlaces, Accounts: result.Accounts,
		ThresholdRatio: diagnose.Threshold,
		Findings:       result.Findings, Below: result.Below,
		Rules: result.Asked, Looked: result.Looked, NotAsked: result.NotAsked,
	}
	page.Excerpts = a.excerpts(page)
	for _, p := range a.profiles {
		page.Profiles = append(page.Profiles, a.profile(p))
	}
	return page, nil
}

// distinct returns each text once, in their order, and at most limit of them,
// the last then saying how many more there are.
func distinct(texts []string, limit int) []string {
	seen := make(map[string]bool)
	var out []string
	for _, text := range texts {
		if seen[text] {
			continue
		}
		seen[text] = true
		if len(out) < limit {
			out = append(out, text)
		}
	}
	if more := len(seen) - limit; more > 0 {
		out[limit-1] = fmt.Sprintf("%d more warnings are not shown", more+1)
	}
	return out
}

// verdictOf returns the verdict as pages and documents have it.
func verdictOf(r *diagnose.Result) run.Verdict {
	return run.Verdict{Kind: string(r.Verdict.Kind), Text: r.Verdict.Text, Outcome: string(r.Verdict.Outcome)}
}

// findingsFile is findings.json: what this version's rules said.
type findingsFile struct {
	Schema    string             `json:"schema"`
	Tool      string             `json:"tool"`
	Verdict   run.Verdict        `json:"verdict"`
	HotPlaces []finding.HotPlace `json:"hot_places"`
	Findings  []finding.Finding  `json:"findings"`
	Below     []finding.Finding  `json:"below_threshold"`
}

// Findings returns the file of the recording with the findings of this version of whet.
func (a *Reading) Findings(version string) ([]byte, error) {
	result, err := a.Diagnose()
	if err != nil {
		return nil, err
	}
	file := findingsFile{Schema: document.Findings, Tool: version, HotPlaces: result.HotPlaces, Findings: result.Findings, Below: result.Below,
		Verdict: verdictOf(result)}
	return document.Format(file)
}

// trust says why the figures of a recording may mislead.
func trust(m *recording.Manifest) []string {
	var out []string
	add := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	if m.Build.Race {
		add("built with the race detector (-race): times are several times longer and distributed differently; tune without it")
	}
	if m.Build.Cover {
		add("built with coverage counters (-cover): they take time in every block; tune without it")
	}
	if m.Build.Unoptimized {
		add("built without optimization or inlining (-N or -l): the costs of a normal build differ")
	}
	doubts := machine.Observation{Host: &m.Host, Elapsed: time.Duration(m.EndNs)}.Doubts(machine.Figures())
	return append(out, machine.Texts(doubts)...)
}

// facts returns the head of the report.
func facts(m *recording.Manifest) []pagereport.Fact {
	var out []pagereport.Fact
	add := func(name, format string, args ...any) {
		if v := strings.TrimSpace(fmt.Sprintf(format, args...)); v != "" {
			out = append(out, pagereport.Fact{Name: name, Value: v})
		}
	}
	b, h := &m.Build, &m.Host
	add("package", "%s", b.Package)
	if b.Module != "" {
		add("module", "%s", strings.TrimSpace(b.Module+" "+b.ModuleVersion))
	}
	if b.Revision != "" {
		state := ""
		if b.Dirty == nil {
			state = ", state unknown"
		} else if *b.Dirty {
			state = ", with changes"
		}
		add("revision", "%.12s%s", b.Revision, state)
	}
	add("build", "%s %s/%s %s", b.GoVersion, h.OS, h.Arch, strings.Join(b.Flags, " "))
	machine := fmt.Sprintf("%s, %d cores", orUnknown(h.CPU), h.Cores)
	if h.GOMAXPROCS > 0 {
		machine += fmt.Sprintf(", GOMAXPROCS %d", h.GOMAXPROCS)
	}
	add("machine", "%s", machine)
	add("limits", "%s", limits(h))
	add("kernel", "%s", h.Kernel)
	var load []string
	if h.StealRatio != nil {
		load = append(load, "steal "+quantity.Percent(*h.StealRatio))
	}
	if h.LoadStart != nil && h.LoadEnd != nil {
		load = append(load, fmt.Sprintf("load %.2f to %.2f", *h.LoadStart, *h.LoadEnd))
	}
	add("load", "%s", strings.Join(load, ", "))
	add("measured", "%s for %s", m.Origin.UTC().Format("2006-01-02 15:04:05 UTC"), quantity.Nanoseconds(float64(m.EndNs)))
	return out
}

func orUnknown(s string) string {
	if s == "" {
		return "unknown processor"
	}
	return s
}

func limits(h *recording.Host) string {
	var parts []string
	if h.CPULimitCores != nil {
		parts = append(parts, fmt.Sprintf("%.2g cores", *h.CPULimitCores))
	}
	if h.MemoryLimitBytes != nil {
		parts = append(parts, quantity.Bytes(float64(*h.MemoryLimitBytes)))
	}
	switch {
	case len(parts) > 0:
		return fmt.Sprintf("cgroup %s: %s", h.Cgroup, strings.Join(parts, ", "))
	case h.Cgroup == "v1" || h.Cgroup == "v2":
		return fmt.Sprintf("cgroup %s without limits", h.Cgroup)
	}
	return ""
}

// profile lays out one profile.
func (a *Reading) profile(c classifiedProfile) run.Profile {
	base := c.Keep(hot.Base)
	p := run.Profile{Kind: c.kind, Benchmark: c.benchmark, Column: c.Types[c.column].Type, Unit: c.Types[c.column].Unit}
	p.Values = c.Sums(c.column)
	if count := countColumn(c); count >= 0 {
		p.Samples = c.Sums(count)
	}
	for _, s := range a.subjects {
		if s.Allocs == c.Classified {
			p.AllocSamples = s.AllocSamples()
		}
	}
	if p.Values[hot.Base] != 0 {
		o := flamegraph.DefaultOptions()
		o.File = a.sources.Display
		var err error
		if p.Flame, err = flamegraph.FromProfile(c.Frames, c.column, base, o); err != nil {
			a.warnings = append(a.warnings, err.Error())
		}
	}
	byName := *c.Classified // all instantiations of a generic function are one row
	byName.Frames = c.Named(symbolname.Elide)
	c.Classified = &byName
	p.Top = a.rows(c, base, false)
	p.TopCum = a.rows(c, base, true)
	p.Listing = a.listings(c, base)
	return p
}

// countColumn returns the column that counts samples, objects or events.
func countColumn(c classifiedProfile) int {
	for _, name := range []string{"samples", "alloc_objects", "contentions"} {
		if i, err := c.TypeIndex(name); err == nil {
			return i
		}
	}
	return -1
}
