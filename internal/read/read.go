package read

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"time"

	"whet/internal/analyze/hot"
	"whet/internal/analyze/lines"
	"whet/internal/analyze/wall"
	"whet/internal/callstack"
	"whet/internal/diagnose"
	"whet/internal/diagnose/rules"
	"whet/internal/format/compiler"
	loadformat "whet/internal/format/load"
	"whet/internal/format/profile"
	"whet/internal/format/typeview"
	"whet/internal/record"
	"whet/internal/recording"
	"whet/internal/typed"
)

// ParsedParts are the parts of a recording that its recorder has already parsed. The
// zero value has none.
type ParsedParts struct {
	Profiles map[string]*callstack.Frames // by their artifact's path
	Wall     *wall.Result                 // of the traces
	// Decisions waits for the compiler's text about further packages; nil: none.
	Decisions func() []byte
}

// Reading is a recording read into models, for the rules and the page.
type Reading struct {
	rec     *recording.Recording
	known   ParsedParts
	sources sources
	// What the manifest has of the target's kind.
	benchmarks []record.Benchmark
	program    *record.Program
	service    *loadformat.Service
	loops      *hot.Loops
	view       *typeview.View   // nil: there is none
	types      *typed.Program   // nil: the recording has none
	decided    *lines.Decisions // nil: not read yet
	profiles   []classifiedProfile
	subjects   []*diagnose.Subject
	courses    []*course    // over time: of a program or service one, of benchmarks one each
	wall       *wall.Result // of a program or service with a trace
	warnings   []string
	missing    string           // why a frame has no source
	result     *diagnose.Result // nil: the rules were not asked yet
}

// Diagnose asks the rules, once.
func (a *Reading) Diagnose() (*diagnose.Result, error) {
	if a.result == nil {
		registry, err := diagnose.NewRegistry(rules.All()...)
		if err != nil {
			return nil, err
		}
		subjects := a.subjects
		if pool := a.pool(); pool != nil {
			subjects = append(subjects[:len(subjects):len(subjects)], pool)
		}
		result := diagnose.Run(registry, subjects)
		a.compiler() // for what is wrong with it
		a.addStored(&result)
		a.result = &result
	}
	return a.result, nil
}

// classifiedProfile is a classified profile of one benchmark.
type classifiedProfile struct {
	kind      string
	benchmark string
	column    int
	*hot.Classified
}

// sources are the source texts of frames.
type sources interface {
	diagnose.Sources
	own(frameFile string) bool       // of one of the user's modules
	differs(frameFile string) string // why a text may not be what was measured; "" where nothing says so
	frameFile(display string) string // the reverse of Display; "" where there is none
}

// recordedSources serves the recording's copies of source files.
type recordedSources struct {
	of    *Reading
	texts map[string][]byte
	meta  map[string]recording.Source
	roots recording.Roots // nil: not looked for
}

func (s *recordedSources) own(frameFile string) bool {
	return slices.Contains(s.of.rec.Build.OwnModules, s.meta[frameFile].Module)
}

func (s *recordedSources) differs(frameFile string) string { return s.meta[frameFile].Differs }

func (s *recordedSources) frameFile(display string) string {
	for i := range s.of.rec.Sources {
		if s.of.rec.Sources[i].Path == display {
			return s.of.rec.Sources[i].Frame
		}
	}
	return ""
}

func (s *recordedSources) Text(frameFile string) []byte {
	if text, ok := s.texts[frameFile]; ok {
		return text
	}
	text, _, err := s.of.rec.Source(frameFile)
	if err != nil {
		text = nil
	}
	s.texts[frameFile] = text
	return text
}

// Display names a file of which there is no copy, as one that only a line directive
// names, relative to the directory of a module that it lies in.
func (s *recordedSources) Display(frameFile string) string {
	if m, ok := s.meta[frameFile]; ok {
		return m.Path
	}
	if s.roots == nil {
		s.roots = recording.RootsOf(s.of.rec.Sources)
	}
	return s.roots.Display(frameFile)
}

// columns names the value column that each kind of profile is read by.
var columns = map[string]string{
	recording.KindCPU:    "cpu",
	recording.KindAllocs: "alloc_space",
	recording.KindBlock:  "delay",
	recording.KindMutex:  "delay",
	recording.KindHeap:   "inuse_space",
	recording.KindWall:   "wall",
}

// kinds is the order in which a page shows profiles.
var kinds = []string{recording.KindCPU, recording.KindAllocs, recording.KindMutex, recording.KindBlock, recording.KindHeap, recording.KindWall}

// Recording reads a recording, except the parts that are known. A damaged or missing
// part becomes a warning.
func Recording(rec *recording.Recording, known ParsedParts) *Reading {
	if known.Profiles == nil {
		known.Profiles = make(map[string]*callstack.Frames)
	}
	a := &Reading{rec: rec, known: known, missing: "its source is not in the recording", loops: &hot.Loops{}}
	a.readParts()
	texts := &recordedSources{of: a, texts: make(map[string][]byte), meta: make(map[string]recording.Source)}
	a.sources = texts
	for _, s := range rec.Sources {
		texts.meta[s.Frame] = s
		if texts.own(s.Frame) {
			if text := texts.Text(s.Frame); text != nil {
				if err := a.loops.AddFile(s.Frame, text); err != nil {
					a.warn("%s does not parse: set-up in it counts as measured code", s.Path)
				}
			}
		}
	}
	a.readView()
	a.readProgram()
	a.readProfiles()
	slices.SortStableFunc(a.profiles, func(x, y classifiedProfile) int {
		return cmp.Compare(slices.Index(kinds, x.kind), slices.Index(kinds, y.kind))
	})
	if rec.Kind == recording.TargetProgram || rec.Kind == recording.TargetService {
		a.readCourse()
		a.subjects = append(a.subjects, a.runSubject())
		return a
	}
	a.readBenchmarkCourses()
	seen := make(map[string]bool) // with -count or -cpu a name comes several times, and its profiles once
	for _, b := range a.benchmarks {
		if seen[b.Name] {
			continue
		}
		seen[b.Name] = true
		if b.Profiled || b.AllocIterations > 0 {
			a.subjects = append(a.subjects, a.subject(b))
		}
	}
	a.modulesFirst()
	return a
}

// Open opens a recording with the parts needed for pages.
func Open(path string) (*recording.Recording, error) {
	return recording.Open(path, record.Benchmarks, record.Programs, loadformat.ServicePart)
}

// readParts reads these parts.
func (a *Reading) readParts() {
	m := &a.rec.Manifest
	benchmarks, err := record.Benchmarks.Of(m)
	if benchmarks != nil {
		a.benchmarks = *benchmarks
	}
	var err2, err3 error
	a.program, err2 = record.Programs.Of(m)
	a.service, err3 = loadformat.ServicePart.Of(m)
	if err = cmp.Or(err, err2, err3); err != nil {
		a.warn("%v", err) // it was not opened by Open
	}
}

// modulesFirst moves the profiles of benchmarks that measure no code of the
// module after those of the others: a page shows the first of each kind, and
// its tables and source are to be of the code that the verdict is about.
func (a *Reading) modulesFirst() {
	others := make(map[string]int)
	for _, s := range a.subjects {
		if !s.MeasuresModule() {
			others[s.Benchmark] = 1
		}
	}
	slices.SortStableFunc(a.profiles, func(x, y classifiedProfile) int {
		return cmp.Or(cmp.Compare(slices.Index(kinds, x.kind), slices.Index(kinds, y.kind)), cmp.Compare(others[x.benchmark], others[y.benchmark]))
	})
}

// readProfiles reads all profiles but the parts of differences. A CPU profile
// that an agent cut into segments is one again.
func (a *Reading) readProfiles() {
	type of struct{ kind, benchmark string }
	var order []of
	artifacts := make(map[of][]recording.Artifact)
	for _, artifact := range a.rec.Artifacts {
		if _, ok := columns[artifact.Kind]; !ok || artifact.Part != "" {
			continue
		}
		k := of{artifact.Kind, artifact.Benchmark}
		if len(artifacts[k]) == 0 {
			order = append(order, k)
		}
		artifacts[k] = append(artifacts[k], artifact)
	}
	for _, k := range order {
		var p *callstack.Frames
		if segments := artifacts[k]; k.kind == recording.KindCPU && len(segments) > 1 {
			p = a.readSegments(segments)
		} else {
			for _, artifact := range segments { // of states the latest
				read, err := a.readProfile(artifact)
				if err != nil {
					a.warn("%v", err)
					continue
				}
				p = read
			}
		}
		if p == nil {
			continue
		}
		if k.kind == recording.KindCPU {
			p = withoutPreemption(p)
		}
		column, err := p.TypeIndex(columns[k.kind])
		if err != nil {
			a.warn("%s profile: %v", k.kind, err)
			continue
		}
		a.profiles = append(a.profiles, classifiedProfile{k.kind, k.benchmark, column, a.classify(p)})
	}
}

// withoutPreemption gives the samples in which the scheduler stopped a goroutine
// to the code that it stopped: the runtime waited for it there.
func withoutPreemption(p *callstack.Frames) *callstack.Frames {
	return p.Without("runtime.asyncPreempt", "runtime.asyncPreempt2")
}

// readSegments reads a profile that was cut, as one; nil where that cannot be.
func (a *Reading) readSegments(segments []recording.Artifact) *callstack.Frames {
	var parts []*callstack.Profile
	var frames int64
	for _, artifact := range segments {
		data, err := a.rec.Read(artifact)
		var p *callstack.Profile
		if err == nil {
			if p, err = profile.Read(bytes.NewReader(data), int64(len(data)), profile.DefaultLimits()); err != nil {
				err = fmt.Errorf("%s: %w", artifact.Path, err)
			}
		}
		if err != nil {
			a.warn("%v", err)
			continue
		}
		for _, w := range p.Warnings {
			a.warn("%s: %s", artifact.Path, w)
		}
		parts = append(parts, p)
		frames += profile.DefaultLimits().Of(int64(len(data))).MaxFrames
	}
	if len(parts) == 0 {
		return nil
	}
	sum, err := callstack.Merge(nil, parts...)
	var p *callstack.Frames
	if err == nil {
		p, err = sum.Frames(frames)
	}
	if err != nil {
		a.warn("%s profile: %v", segments[0].Kind, err)
	}
	return p
}

// classify finds the measured code of a profile.
func (a *Reading) classify(p *callstack.Frames) *hot.Classified {
	if a.rec.Kind == recording.TargetProgram || a.rec.Kind == recording.TargetService {
		return hot.ClassifyProgram(p)
	}
	return hot.Classify(p, a.loops)
}

func (a *Reading) warn(format string, args ...any) {
	a.warnings = append(a.warnings, fmt.Sprintf(format, args...))
}

func (a *Reading) readProfile(artifact recording.Artifact) (*callstack.Frames, error) {
	p := a.known.Profiles[artifact.Path]
	if p == nil {
		data, err := a.rec.Read(artifact)
		if err != nil {
			return nil, err
		}
		if p, err = profile.ReadFrames(data, profile.DefaultLimits()); err != nil {
			return nil, fmt.Errorf("%s: %w", artifact.Path, err)
		}
		a.known.Profiles[artifact.Path] = p
	}
	// That nobody waited is an answer.
	if p.Len() > 0 || artifact.Kind != recording.KindMutex && artifact.Kind != recording.KindBlock {
		for _, w := range p.Warnings {
			a.warn("%s: %s", artifact.Path, w)
		}
	}
	return p, nil
}

// decisions returns what the compiler said of a line, in its words.
func (a *Reading) decisions(at diagnose.SourceLine) (notes []string) {
	for _, d := range a.compiler().At(at.File, at.Line) {
		if text := lines.Said(&d); len(notes) < maxNotes && !slices.Contains(notes, text) {
			notes = append(notes, text)
		}
	}
	return notes
}

// compiler returns what the compiler decided, which is read when somebody first asks.
func (a *Reading) compiler() *lines.Decisions {
	if a.decided != nil || a.rec == nil {
		return a.decided
	}
	a.decided = &lines.Decisions{}
	add := func(said []byte) {
		a.decided.Add(compiler.Parse(said, compiler.Escapes, compiler.MovedToHeap, compiler.Inlines, compiler.CannotInline))
	}
	for _, artifact := range a.rec.Find(recording.KindDiagnostics, "") {
		data, err := a.rec.Read(artifact)
		if err != nil {
			a.warn("%v", err)
			continue
		}
		add(data)
	}
	if a.known.Decisions != nil {
		add(a.known.Decisions())
	}
	return a.decided
}

// View returns the typed view of the program that was measured; nil: there is none, in
// recordings made without sources, or before there were views, or where it is damaged,
// with a warning.
func (a *Reading) View() *typeview.View { return a.view }

// readView reads the typed view.
func (a *Reading) readView() {
	for _, artifact := range a.rec.Find(recording.KindTypes, "") {
		data, err := a.rec.Read(artifact)
		if err == nil {
			a.view, err = typeview.Read(data, typeview.DefaultLimits())
		}
		if err != nil {
			a.warn("%s: %v: findings that need types are missing", artifact.Path, err)
		}
	}
}

// subject gathers what rules look at for one benchmark.
func (a *Reading) subject(b record.Benchmark) *diagnose.Subject {
	s := &diagnose.Subject{
		Benchmark: b.Name, Kind: recording.TargetBenchmark, Package: a.rec.Build.Package, Module: a.rec.Build.Module, Modules: a.rec.Build.OwnModules,
		CPUIterations: b.CPUIterations, MutexIterations: b.MutexIterations, BlockIterations: b.BlockIterations, MutexFraction: b.MutexFraction, AllocIterations: b.AllocIterations, NsPerOp: b.NsPerOp, BytesPerOp: -1, AllocsPerOp: -1,
		Scheduling: b.Scheduling,
		Source:     a.sources, Loops: a.loops, Program: a.types, Decisions: a.decisions,
	}
	s.Procs = b.Procs
	s.Operations, s.HeapOperations = b.CourseIterations, b.CourseIterations
	a.addStates(s, b.Name)
	if b.BytesPerOp != nil {
		s.BytesPerOp = *b.BytesPerOp
	}
	if b.AllocsPerOp != nil {
		s.AllocsPerOp = *b.AllocsPerOp
	}
	a.addProfiles(s, b.Name)
	a.readWaiting(s, b.Name, nil)
	s.Processors = a.processors(&b)
	return s
}

// addProfiles gives a subject the profiles of one benchmark, or "" of a run.
func (a *Reading) addProfiles(s *diagnose.Subject, benchmark string) {
	for _, p := range a.profiles {
		if p.benchmark != benchmark {
			continue
		}
		switch p.kind {
		case recording.KindCPU:
			s.CPU, s.CPUColumn, s.CPUPeriod = p.Classified, p.column, time.Duration(p.Period)
		case recording.KindAllocs:
			s.Allocs, s.AllocCol = p.Classified, p.column
		case recording.KindMutex:
			if a.unseenWaits(&p) {
				continue
			}
			s.Mutex, s.MutexCol = p.Classified, p.column
		case recording.KindBlock:
			s.Block, s.BlockCol = p.Classified, p.column
		}
	}
}

// unseenWaits reports whether a mutex profile says nothing: the service recorded
// no waits (its fraction was 0), or the profile is empty and nobody knows
// whether it did. That nobody waited is an answer only where waits are recorded.
func (a *Reading) unseenWaits(p *classifiedProfile) bool {
	svc := a.service
	if svc == nil {
		return false
	}
	if svc.MutexFraction != nil {
		return *svc.MutexFraction == 0
	}
	return p.Len() == 0
}
