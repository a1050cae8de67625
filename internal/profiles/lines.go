package profiles

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"whet/internal/analyze/lines"
	"whet/internal/analyze/sched"
	"whet/internal/analyze/selection"
	"whet/internal/callstack"
	"whet/internal/cli"
	"whet/internal/format/compiler"
	"whet/internal/format/exectrace"
	"whet/internal/recording"
	"whet/internal/symbolname"
)

// lineColumn is a column that lines have costs of, in artifacts of a kind.
type lineColumn struct {
	artifact, column string
	kind             lines.Kind
}

var lineColumns = []lineColumn{
	{recording.KindCPU, "cpu", lines.CPU},
	{recording.KindAllocs, "alloc_space", lines.AllocBytes},
	{recording.KindAllocs, "alloc_objects", lines.AllocObjects},
	{recording.KindHeap, "inuse_space", lines.InUseBytes},
	{recording.KindHeap, "inuse_objects", lines.InUseObjects},
	{recording.KindMutex, "delay", lines.Mutex},
	{recording.KindBlock, "delay", lines.Block},
}

// HasLines reports whether a recording lists what OpenLines reads.
func (f *Options) HasLines(m *recording.Manifest) bool {
	return len(f.traces(m)) > 0 || slices.ContainsFunc(lineColumns, func(c lineColumn) bool { return len(f.artifacts(m, c.artifact)) > 0 })
}

// OpenLines combines the data of a recording about source lines: its profiles, traces
// and the compiler's text. A damaged part is a warning, and then unknown. The set has
// the profiles that were read.
func (f *Options) OpenLines(ctx context.Context, path string) (*lines.Model, *Set, error) {
	s := &Set{Name: path}
	rec, err := s.openRecording(path)
	if err != nil {
		return nil, nil, err
	}
	var evidence []lines.Evidence
	read := make(map[string]*callstack.Frames)
	for _, c := range lineColumns {
		p, ok := read[c.artifact]
		if !ok {
			p = f.merged(s, rec, path, c.artifact)
			read[c.artifact] = p
		}
		if p == nil {
			continue
		}
		column, err := p.TypeIndex(c.column)
		if err != nil {
			s.warn("%s profile: %v", c.artifact, err)
			continue
		}
		evidence = append(evidence, lines.Evidence{Kind: c.kind, Profile: p.Named(symbolname.Elide), Column: column})
	}
	if ctx.Err() != nil {
		s.Close()
		return nil, nil, ctx.Err()
	}
	evidence = append(evidence, f.traced(s, rec)...)
	if len(evidence) == 0 {
		s.Close()
		if len(s.Warnings) > 0 {
			return nil, nil, fmt.Errorf("%s: no profile of it could be read: %s", path, s.Warnings[0])
		}
		return nil, nil, cli.UsageError("%s has neither a profile nor a trace%s: whet tune and whet record make them", path, ofBenchmark(f.Benchmark))
	}
	return lines.New(evidence, s.Decisions()), s, nil
}

func (s *Set) warn(format string, args ...any) {
	s.Warnings = append(s.Warnings, fmt.Sprintf(format, args...))
}

// artifacts returns the artifacts of a kind. Of the heap of benchmarks that is the state at their
// end.
func (f *Options) artifacts(m *recording.Manifest, kind string) []recording.Artifact {
	found := m.Find(kind, f.Benchmark)
	if len(found) == 0 && kind == recording.KindHeap {
		found = m.FindPart(kind, recording.PartAfter, f.Benchmark)
	}
	return found
}

// merged returns a kind's profiles as one, nil where there is none.
func (f *Options) merged(s *Set, rec *recording.Recording, path, kind string) *callstack.Frames {
	var all []*callstack.Profile
	for _, a := range f.artifacts(&rec.Manifest, kind) {
		p, err := f.loadArtifact(rec, path, a)
		if err == nil {
			s.Sources = append(s.Sources, selection.Source{Profile: p}) // naming asks which is the program
			p, err = f.name(s, p)
		}
		if err != nil {
			s.warn("%v", err)
			continue
		}
		s.Sources[len(s.Sources)-1].Profile = p
		all = append(all, p)
		for _, w := range p.Warnings {
			s.warn("%s: %s", a.Path, w)
		}
	}
	if len(all) == 0 {
		return nil
	}
	sum := all[0]
	var err error
	if len(all) > 1 {
		sum, err = callstack.Merge(nil, all...)
	}
	var frames *callstack.Frames
	if err == nil {
		frames, err = sum.Frames(f.Limits().MaxFrames)
	}
	if err != nil {
		s.warn("%s profiles of %s: %v", kind, path, err)
		return nil
	}
	return frames
}

// traceKinds are the kinds of cost that traces tell, by blocking profile.
var traceKinds = map[sched.Blocking]lines.Kind{
	sched.BlockedSched: lines.Sched, sched.BlockedSync: lines.Sync, sched.BlockedNetwork: lines.Network, sched.BlockedSyscall: lines.Syscall,
}

// traces returns the traces, or the flight recorder's where there are no others.
func (f *Options) traces(m *recording.Manifest) []recording.Artifact {
	found := m.Find(recording.KindTrace, f.Benchmark)
	if len(found) == 0 {
		found = m.Find(recording.KindFlight, f.Benchmark)
	}
	return found
}

// traced returns what the recording's traces say of waiting.
func (f *Options) traced(s *Set, rec *recording.Recording) (evidence []lines.Evidence) {
	for _, a := range f.traces(&rec.Manifest) {
		data, err := rec.Read(a)
		var profiles []*callstack.Frames
		if err == nil {
			profiles, _, err = sched.BlockedEach(bytes.NewReader(data), sched.Options{Limits: exectrace.DefaultLimits()})
		}
		if err != nil {
			s.warn("execution trace %s: %v", a.Path, err)
			continue
		}
		for b, p := range profiles {
			evidence = append(evidence, lines.Evidence{Kind: traceKinds[sched.Blocking(b)], Profile: p.Named(symbolname.Elide), Column: slices.IndexFunc(p.Types, func(t callstack.ValueType) bool { return t.Type == "delay" })})
		}
	}
	return evidence
}

// Decisions returns the compiler's, as far as the recordings have its text: nil where
// there is no recording.
func (s *Set) Decisions() *lines.Decisions {
	if len(s.Recordings) == 0 {
		return nil
	}
	all := &lines.Decisions{}
	for _, rec := range s.Recordings {
		for _, a := range rec.Find(recording.KindDiagnostics, "") {
			data, err := rec.Read(a)
			if err != nil {
				s.warn("%v", err)
				continue
			}
			all.Add(compiler.Parse(data))
		}
	}
	return all
}
