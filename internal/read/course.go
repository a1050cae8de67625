package read

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"whet/internal/analyze/contention"
	"whet/internal/analyze/events"
	"whet/internal/analyze/hot"
	"whet/internal/analyze/wall"
	"whet/internal/callstack"
	"whet/internal/diagnose"
	"whet/internal/document"
	"whet/internal/format/gctrace"
	loadformat "whet/internal/format/load"
	"whet/internal/format/metrics"
	"whet/internal/recording"
	"whet/internal/report/load"
	runreport "whet/internal/report/run"
	"whet/internal/symbolname"
)

// course is what a recording holds over time: of a program, a service, or the
// run of a benchmark that was made for that.
type course struct {
	benchmark string
	rows      []metrics.Row
	gc        []gctrace.Cycle  // At is since the recording's origin
	inits     []gctrace.Init   // of the first process
	load      *loadformat.Load // of a service; nil: there is none
	run       load.Run         // it
	whole     bool             // nothing of the load was damaged
	events    []events.Event
	// start and end enclose what the figures are about: the load without its
	// warm-up, all runs of a program, or the benchmark's run.
	start, end int64
}

// readCourse reads the course of a program or a service, and where its time
// went. What is damaged or missing becomes a warning.
func (a *Reading) readCourse() {
	c := &course{start: 0, end: a.rec.EndNs}
	a.courses = append(a.courses, c)
	switch {
	case a.service != nil:
		c.start, c.end = a.service.Load.StartNs, a.service.Load.EndNs
	case a.program != nil && len(a.program.Runs) > 0:
		runs := a.program.Runs
		c.start, c.end = runs[0].StartNs, runs[len(runs)-1].EndNs
	}
	a.readRows(c)
	if len(a.rec.Find(recording.KindLoad, "")) > 0 {
		var err error
		if c.run, c.load, err = load.Read(a.rec); err != nil {
			a.warn("read the load: %v", err)
		}
		c.whole = err == nil
		if c.load != nil {
			for _, w := range c.load.Warnings {
				a.warn("%s", w)
			}
		}
	}
	if a.wall = a.known.Wall; a.wall == nil {
		a.readTraces()
	}
	if a.wall != nil {
		for _, w := range a.wall.Warnings {
			a.warn("trace: %s", w)
		}
	}
	c.findEvents(a)
}

// readTraces finds out where the time went.
func (a *Reading) readTraces() {
	var traces []wall.Trace
	for _, artifact := range slices.Concat(a.artifacts(recording.KindTrace, ""), a.artifacts(recording.KindFlight, "")) {
		traces = append(traces, wall.Trace{Name: artifact.Path, Source: bytes.NewReader(artifact.data), StartNs: artifact.StartNs})
	}
	if len(traces) == 0 {
		return
	}
	res, err := wall.Analyze(traces)
	if err != nil {
		a.warn("read the execution trace: %v", err)
		return
	}
	a.wall = res
}

// readBenchmarkCourses reads what benchmarks did over time.
func (a *Reading) readBenchmarkCourses() {
	for _, artifact := range a.rec.Find(recording.KindMetrics, "") {
		c := &course{benchmark: artifact.Benchmark, start: artifact.StartNs, end: artifact.EndNs}
		a.readRows(c)
		c.events = events.Find(c.withoutTestings())
		a.courses = append(a.courses, c)
	}
}

// withoutTestings returns what was seen of a benchmark without the collections that
// package testing forces before it calls the benchmark function: once with b.N at
// 1, and once for the run. Where counters are to speak, since the collector's own
// lines are not whole, the first two of theirs are dropped.
func (c *course) withoutTestings() events.Input {
	const calls = 2
	var rest []gctrace.Cycle
	var dropped int64
	whole := true
	for i, cycle := range c.gc {
		whole = whole && (i == 0 || cycle.N == c.gc[i-1].N+1)
		if cycle.Forced && dropped < calls {
			dropped++
			continue
		}
		cycle.N -= dropped // none is missing
		rest = append(rest, cycle)
	}
	c.gc = rest
	in := c.between(c.start, c.end)
	if !whole || len(in.Cycles) == 0 {
		in.OwnGC = slices.Repeat([]events.Span{{StartNs: c.start, EndNs: c.end}}, calls)
	}
	return in
}

// readRows reads a course's metrics and collections.
func (a *Reading) readRows(c *course) {
	for _, artifact := range a.artifacts(recording.KindMetrics, c.benchmark) {
		rows, warnings, err := metrics.Read(artifact.data, metrics.MaxRows)
		a.note(artifact.Path, warnings, err)
		c.rows = append(c.rows, rows...)
	}
	for _, artifact := range a.artifacts(recording.KindGC, c.benchmark) {
		cycles, inits, warnings := gctrace.Parse(artifact.data)
		if len(c.inits) == 0 {
			c.inits = inits
		}
		a.note(artifact.Path, warnings, nil)
		for _, cycle := range cycles {
			cycle.At += time.Duration(artifact.StartNs) // its process began then
			c.gc = append(c.gc, cycle)
		}
	}
}

// readArtifact is an artifact with its bytes.
type readArtifact struct {
	recording.Artifact
	data []byte
}

// artifacts reads the artifacts of one kind.
func (a *Reading) artifacts(kind, benchmark string) []readArtifact {
	var out []readArtifact
	for _, artifact := range a.rec.Find(kind, benchmark) {
		data, err := a.rec.Read(artifact)
		if err != nil {
			a.warn("%v", err)
			continue
		}
		out = append(out, readArtifact{artifact, data})
	}
	return out
}

func (a *Reading) note(path string, warnings []string, err error) {
	if err != nil {
		a.warn("read %s: %v", path, err)
	}
	for _, w := range warnings {
		a.warn("%s: %s", path, w)
	}
}

// runSubject gathers what rules look at for a program or a service.
func (a *Reading) runSubject() *diagnose.Subject {
	s := &diagnose.Subject{
		Benchmark: a.rec.Target, Kind: a.rec.Kind, Package: a.rec.Build.Package, Module: a.rec.Build.Module, Modules: a.rec.Build.OwnModules,
		BytesPerOp: -1, AllocsPerOp: -1, Source: a.sources, Loops: a.loops, Program: a.types, Decisions: a.decisions,
		Run: a.conditions(),
	}
	s.Procs = s.Run.Cores
	a.addStates(s, "")
	switch {
	case a.service != nil:
		svc := a.service
		s.Operations, s.HeapOperations = svc.GoroutineRequests, svc.AllocRequests
		s.CPUIterations, s.MutexIterations, s.AllocIterations = svc.CPURequests, svc.MutexRequests, svc.AllocRequests
	case a.program != nil:
		for i := range a.program.Runs {
			if a.program.Runs[i].AgentMissing == "" {
				s.AllocIterations++ // its profiles are of whole runs
				if seen := a.program.Runs[i].Scheduling; seen != nil {
					s.Scheduling = s.Scheduling.Add(*seen)
				}
			}
		}
		s.CPUIterations, s.MutexIterations = s.AllocIterations, s.AllocIterations
		s.Inits = a.courses[0].inits
	}
	a.addProfiles(s, "")
	a.readWaiting(s, "", a.wall)
	return s
}

// conditions returns what the verdict rests on beside the profiles.
func (a *Reading) conditions() *diagnose.Conditions {
	course, h := a.courses[0], &a.rec.Host
	c := &diagnose.Conditions{WallNs: course.end - course.start, Wall: a.wall, Cores: h.GOMAXPROCS, Growth: course.growth()}
	limited := func(cores int) int {
		if h.CPULimitCores != nil {
			cores = min(cores, int(math.Ceil(*h.CPULimitCores)))
		}
		return cores
	}
	switch {
	case a.service != nil:
		svc := a.service
		if svc.Started {
			c.Cores = limited(c.Cores) // one control group has both
		}
		c.GeneratorCores, c.MachineCores = limited(h.Cores), h.Cores
		c.TargetCPUNs, _ = a.serviceCPU(svc)
		c.GeneratorCPUNs = svc.Load.GeneratorCPUNs
		c.MachineBusy, c.ThrottledNs = svc.MachineBusyRatio, svc.ThrottledNs
		c.Requests, c.Concurrency, c.ServiceTimeNs = svc.Load.Answered(), svc.Load.Concurrency, svc.Load.ServiceTimeNs.Mean
		c.SameRequest = true // the load has one method, URL and body
	case a.program != nil:
		c.Cores, c.MachineCores, c.MachineBusy = limited(c.Cores), h.Cores, a.program.MachineBusyRatio
		var cpu, wallNs int64
		for _, run := range a.program.Runs {
			cpu += run.UserCPUNs + run.SystemCPUNs
			wallNs += run.EndNs - run.StartNs
			if ns := metrics.Throttled(course.rows, run.StartNs, run.EndNs); ns != nil {
				if c.ThrottledNs == nil {
					c.ThrottledNs = new(int64)
				}
				*c.ThrottledNs += *ns
			}
		}
		c.TargetCPUNs, c.WallNs = &cpu, wallNs
	}
	return c
}

// growth returns what rose all along, each kind once and without its interval, which
// stands with the event.
func (c *course) growth() []string {
	var out []string
	for _, kind := range []string{events.Goroutines, events.Heap} {
		if i := slices.IndexFunc(c.events, func(e events.Event) bool { return e.Kind == kind }); i >= 0 {
			text, _, _ := strings.Cut(c.events[i].Text, " (")
			out = append(out, text)
		}
	}
	return out
}

// addRun lays out what a page has beside profiles, findings and benchmarks.
func (a *Reading) addRun(page *runreport.Page) {
	m := &a.rec.Manifest
	if a.program != nil {
		page.Program = &runreport.Program{Command: commandLine(m.Subject(), a.program.Args)}
		for _, r := range a.program.Runs {
			page.Program.Runs = append(page.Program.Runs, runreport.Run{
				WallNs: r.EndNs - r.StartNs, CPUNs: r.UserCPUNs + r.SystemCPUNs, UserCPUNs: r.UserCPUNs, SystemCPUNs: r.SystemCPUNs,
				PeakBytes: r.MaxRSSBytes, Ending: r.Ending, Missing: r.AgentMissing,
			})
		}
	}
	if a.service != nil {
		page.Service = a.serviceFigures(a.service)
		if text := page.Service.MostlyFails(); text != "" {
			page.Verdict.Text += "; " + text
		}
	}
	page.Unknown = m.Unknown
	// The verdict stays short: what to do about a gap is a warning.
	if a.service != nil && a.service.Instruments == "none" && len(m.Unknown) > 0 {
		a.warn("%s is unknown: %s", m.Unknown[0].What, m.Unknown[0].How) // the profiles are what a newcomer asked for
	}
	if page.Verdict.Kind == string(diagnose.LockBound) && slices.ContainsFunc(page.NotAsked, func(why string) bool { return strings.Contains(why, "lock-held") }) {
		a.warn("no mutex profile for the rules of locks: let whet build and start the server (-- PACKAGE), or call runtime.SetMutexProfileFraction(10) in it")
	}
	page.Wall = wallOf(a.wall, a.service != nil)
	page.Moment = a.moment()
	for _, c := range a.courses {
		page.Series = append(page.Series, c.series()...)
		for _, e := range c.events {
			page.Events = append(page.Events, runreport.Event{Kind: e.Kind, Benchmark: c.benchmark, StartNs: e.StartNs, EndNs: e.EndNs, Text: e.Text})
		}
	}
	page.Contention = a.contention()
}

// serviceCPU returns what the target used under load: by its own account, or, of one
// that has none to give, by its CPU profile, which covers the most of the load.
func (a *Reading) serviceCPU(svc *loadformat.Service) (ns *int64, sampled bool) {
	if svc.TargetCPUNs != nil {
		return svc.TargetCPUNs, false
	}
	for _, p := range a.profiles {
		if p.kind != recording.KindCPU || p.benchmark != "" || p.Duration <= 0 {
			continue
		}
		var used int64
		for _, v := range p.Sums(p.column) {
			used += v
		}
		all := int64(float64(used) / float64(p.Duration) * float64(svc.Load.EndNs-svc.Load.StartNs))
		return &all, true
	}
	return nil, false
}

// Service returns the results of a service's load; nil if the recording has none. Call
// it after Diagnose.
func (a *Reading) Service() *runreport.Service {
	if a.service == nil || len(a.courses) == 0 {
		return nil
	}
	return a.serviceFigures(a.service)
}

func (a *Reading) serviceFigures(svc *loadformat.Service) *runreport.Service {
	l := &svc.Load
	t := l.ServiceTimeNs
	out := &runreport.Service{
		URL: svc.URL, Instruments: svc.Instruments, Concurrency: l.Concurrency, DurationNs: l.EndNs - l.StartNs,
		Requests: l.Requests, ThroughputPerS: l.ThroughputPerS,
		MeanNs: t.Mean, MinNs: t.Min, P50Ns: t.P50, P90Ns: t.P90, P99Ns: t.P99, P999Ns: t.P999, MaxNs: t.Max,
		PeakBytes: svc.TargetPeakBytes, GeneratorCPUNs: l.GeneratorCPUNs,
	}
	out.CPUNs, out.CPUSampled = a.serviceCPU(svc)
	if n := l.Answered(); out.CPUNs != nil && n > 0 {
		per := float64(*out.CPUNs) / float64(n)
		out.CPUPerRequestNs = &per
	}
	for _, kind := range slices.Sorted(maps.Keys(l.Errors)) {
		out.Errors = append(out.Errors, runreport.ErrorKind{Kind: kind, Count: l.Errors[kind], Example: l.Examples[kind]})
	}
	slices.SortStableFunc(out.Errors, func(x, y runreport.ErrorKind) int { return cmp.Compare(y.Count, x.Count) })
	if c := a.courses[0]; c.load != nil {
		for _, s := range c.run.Result.Seconds {
			out.Seconds = append(out.Seconds, runreport.Second{TimeNs: c.load.TimeNs(&s), LengthNs: int64(s.Length), Requests: s.Requests, Errors: s.Errors,
				P50Ns: int64(s.P50), P99Ns: int64(s.P99), MaxNs: int64(s.Max)})
		}
		if c.whole && !c.load.Summed {
			out.Load = &c.run
		}
	}
	return out
}

// wallOf lays out where time went. Its line is about requests where there are
// any.
func wallOf(res *wall.Result, service bool) *runreport.Wall {
	if res == nil || len(res.Groups) == 0 {
		return nil
	}
	out := &runreport.Wall{CoveredNs: res.CoveredNs}
	for s := range wall.State(wall.NumStates) {
		out.States = append(out.States, s.String())
	}
	for i := range res.Groups {
		g := &res.Groups[i]
		if g.Handler {
			out.Requests += g.Count
		}
		out.Groups = append(out.Groups, runreport.WallGroup{Name: g.Name, Handler: g.Handler, Count: g.Count, Ns: g.Ns[:], TotalNs: g.Total()})
	}
	if g := speaker(res.Groups, service); g != nil {
		out.Text = wallLine(g)
	}
	return out
}

// speaker returns the group whose time the page's line is about: of a service, the
// handler with the most; of a program, the goroutines that worked most, since
// most of what waits in one waits for work.
func speaker(groups []wall.Group, service bool) *wall.Group {
	var best *wall.Group
	for i := range groups {
		g := &groups[i]
		if g.Handler != service || g.Total() == 0 {
			continue
		}
		if best == nil || !service && g.Ns[wall.Running] > best.Ns[wall.Running] {
			best = g
		}
	}
	return best
}

// contention lists where goroutines waited for each other; a program's own
// choice to wait for its next job is none.
func (a *Reading) contention() []runreport.Waiting {
	var out []runreport.Waiting
	for _, p := range a.profiles {
		if p.kind != recording.KindBlock {
			continue
		}
		count := countColumn(p)
		for _, place := range contention.Sites(p.Frames, p.column, count, p.Keep(hot.Base), func(f *callstack.Frame) bool { return a.sources.own(f.File) }) {
			if place.Idle || len(out) == maxWaiting {
				continue
			}
			w := runreport.Waiting{Benchmark: p.benchmark, Kind: string(place.Kind), Function: symbolname.Elide(place.Function), File: a.sources.Display(place.File), Line: place.Line, Count: place.Count, DelayNs: place.DelayNs}
			if d := a.covered(recording.KindBlock, p.benchmark); d > 0 {
				w.PerS = document.Number(float64(place.DelayNs) / float64(d))
			}
			out = append(out, w)
		}
	}
	return out
}

// maxWaiting bounds the list of places that wait.
const maxWaiting = 15

// covered returns the time that the profiles of a kind cover. Between the runs of a
// program there is none.
func (a *Reading) covered(kind, benchmark string) int64 {
	var ns int64
	if a.program != nil {
		for _, run := range a.program.Runs {
			if run.AgentMissing == "" {
				ns += run.EndNs - run.StartNs
			}
		}
		return ns
	}
	for _, artifact := range a.rec.Find(kind, benchmark) {
		ns += artifact.EndNs - artifact.StartNs
	}
	return ns
}

func wallLine(g *wall.Group) string {
	type part struct {
		state wall.State
		ns    int64
	}
	var parts []part
	for s, ns := range g.Ns {
		parts = append(parts, part{wall.State(s), ns})
	}
	slices.SortStableFunc(parts, func(x, y part) int { return cmp.Compare(y.ns, x.ns) })
	total := g.Total()
	what := fmt.Sprintf("goroutines of %s", g.Name)
	if g.Handler {
		what = "a request in " + g.Name
		if g.Name == wall.WithoutHandler {
			what = g.Name
		}
	}
	text := ""
	for i, p := range parts {
		if i == 4 || p.ns*50 < total {
			break
		}
		if text != "" {
			text += ", "
		}
		text += fmt.Sprintf("%s %s", percent(p.ns, total), p.state)
		if where := g.Where[p.state]; where != "" && p.state != wall.Running && p.state != wall.Runnable {
			text += " in " + where
		}
	}
	return fmt.Sprintf("%s: %s", what, text)
}

// commandLine returns a program with its arguments, for people.
func commandLine(name string, args []string) string {
	line := filepath.ToSlash(name)
	for _, a := range args {
		line += " " + a
	}
	return line
}
