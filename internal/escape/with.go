package escape

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	analysis "whet/internal/analyze/escape"
	"whet/internal/analyze/lines"
	"whet/internal/callstack"
	"whet/internal/format/compiler"
	"whet/internal/format/profile"
	"whet/internal/profiles"
	"whet/internal/quantity"
	"whet/internal/read"
	"whet/internal/recording"
)

// evidence is a recording that decisions are charged from.
type evidence struct {
	rec      *recording.Recording
	shown    map[string]string // names of its files, by those of frames
	warnings []string
}

func openEvidence(path string) (*evidence, error) {
	rec, err := read.Open(path)
	if err != nil {
		return nil, err
	}
	ev := &evidence{rec: rec, shown: make(map[string]string)}
	for _, s := range rec.Sources {
		ev.shown[s.Frame] = s.Path
	}
	return ev, nil
}

// profile reads the profiles of a kind; nil: there is none.
func (ev *evidence) profile(ctx context.Context, path, kind string, columns ...string) (*analysis.Profile, error) {
	if len(ev.rec.Find(kind, "")) == 0 && !slices.ContainsFunc(ev.rec.Artifacts, func(a recording.Artifact) bool { return a.Kind == kind }) {
		return nil, nil
	}
	o := profiles.Options{Kind: kind}
	set, err := o.Open(ctx, []string{path}, bytes.NewReader(nil), nil)
	if err != nil {
		return nil, err
	}
	defer set.Close()
	var parts []*callstack.Profile
	for _, s := range set.Sources {
		parts = append(parts, s.Profile)
	}
	sum, err := callstack.Merge(nil, parts...)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	frames, err := sum.Frames(profile.DefaultLimits().MaxFrames)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	p := &analysis.Profile{Frames: frames, File: func(file string, line int) (string, int) { return file, line }}
	for _, c := range columns {
		i, err := frames.TypeIndex(c)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		p.Columns = append(p.Columns, i)
	}
	return p, nil
}

// profiles adds the recording's profiles to what decisions are made with. Their lines
// are those that the recording's own decisions are about.
func (ev *evidence) profiles(ctx context.Context, path string, o *analysis.Options) (err error) {
	if o.Allocs, err = ev.profile(ctx, path, recording.KindAllocs, "alloc_space", "alloc_objects"); err != nil {
		return err
	}
	o.CPU, err = ev.profile(ctx, path, recording.KindCPU, "cpu")
	return err
}

// charge adds the recording's profiles to what decisions about packages are made with.
func (v *verb) charge(ctx context.Context, ev *evidence, a *compilerOutput, o *analysis.Options) error {
	if err := ev.profiles(ctx, v.with, o); err != nil {
		return err
	}
	if o.Allocs == nil && o.CPU == nil {
		return fmt.Errorf("%s has no profile of CPU time or allocations: whet tune makes a recording with both", v.with)
	}
	here := make(map[string]string) // files that decisions are about, by how they are shown
	a.report.MapFiles(func(file string) string {
		name, _ := a.finder.Display(file)
		here[name] = file
		return file
	})
	type text struct {
		file  string
		moved *lines.Mapping // nil: it is as it was
	}
	files := make(map[string]text)
	kept := make(map[string]map[int]bool) // of files that changed, the lines that were there
	changed := 0
	file := func(frame string) text {
		t, ok := files[frame]
		if ok {
			return t
		}
		name, ok := ev.shown[frame]
		if !ok {
			name, _ = a.finder.Display(frame)
		}
		if t.file = here[name]; t.file != "" {
			then, _, err := ev.rec.Source(frame)
			now := a.source(t.file)
			if err == nil && !bytes.Equal(then, now) {
				changed++
				from := strings.Split(string(then), "\n")
				m := lines.Map(from, strings.Split(string(now), "\n"))
				t.moved, kept[t.file] = &m, make(map[int]bool)
				for n := range from {
					if to, ok := m.To(n + 1); ok {
						kept[t.file][to] = true
					}
				}
			}
		}
		files[frame] = t
		return t
	}
	at := func(frame string, line int) (string, int) {
		t := file(frame)
		if t.file == "" {
			return "", 0
		}
		if t.moved != nil {
			var ok bool
			if line, ok = t.moved.To(line); !ok {
				return "", 0
			}
		}
		return t.file, line
	}
	for _, p := range []*analysis.Profile{o.Allocs, o.CPU} {
		if p == nil {
			continue
		}
		p.File, p.New = at, func(at compiler.Position) bool {
			there, ok := kept[at.File]
			return ok && !there[at.Line]
		}
		for i := range p.NumFrames() {
			file(p.Frame(callstack.FrameID(i)).File)
		}
	}
	if changed > 0 {
		ev.warnings = append(ev.warnings, fmt.Sprintf("%s changed since %s was made: the cost of its changed lines is unknown", quantity.Plural(changed, "file"), v.with))
	}
	if have, built := a.target.GOVERSION, ev.rec.Build.GoVersion; have != built && built != "" {
		ev.warnings = append(ev.warnings, fmt.Sprintf("%s was built with %s, but this compiler is %s: its decisions may differ", v.with, built, have))
	}
	return nil
}
