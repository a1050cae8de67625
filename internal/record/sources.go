package record

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"whet/internal/analyze/hot"
	"whet/internal/callstack"
	"whet/internal/format/compiler"
	"whet/internal/format/profile"
	"whet/internal/gobench"
	"whet/internal/recording"
	"whet/internal/source"
)

// Frames finds the files that profiles of one binary name.
type Frames struct {
	*source.Finder
	owned   map[string]bool // own module paths
	built   time.Time       // when the build began
	trimmed bool            // built with -trimpath
}

// NewFrames returns the frames for a binary of a package whose build began at built.
func NewFrames(t *gobench.Target, b *gobench.Binary, built time.Time) *Frames {
	f := &Frames{Finder: &source.Finder{GOROOT: t.GOROOT, GOMODCACHE: t.GOMODCACHE, Workspace: t.Workspace}, owned: make(map[string]bool), built: built}
	for _, m := range t.Own {
		f.Modules = append(f.Modules, source.Module{Path: m.Path, Dir: m.Dir, Main: true})
		f.owned[m.Path] = true
	}
	f.trimmed = slices.Contains(b.Settings, "-trimpath=true")
	return f
}

// Own reports whether a file belongs to a module the user can change.
func (f *Frames) Own(frameFile string) bool {
	_, module := f.Display(frameFile)
	return f.owned[module]
}

// Owns reports whether a module is one the user can change.
func (f *Frames) Owns(module string) bool { return f.owned[module] }

// name turns a file on disk into the name that frames have for it.
func (f *Frames) name(path string) string {
	for _, m := range f.Modules {
		if rel, err := filepath.Rel(m.Dir, path); err == nil && filepath.IsLocal(rel) {
			return m.Path + "/" + filepath.ToSlash(rel)
		}
	}
	return path
}

// Rename gives the files in the compiler's text the names that frames have.
func (f *Frames) Rename(text []byte) []byte {
	if !f.trimmed {
		return text
	}
	var out []byte
	for line := range strings.Lines(string(text)) {
		out = append(out, compiler.RenameFiles(line, f.name)...)
	}
	return out
}

// AddLoops gives the classifier the source files named by a profile that may have
// benchmark functions: the module's own. keep gets the error of one that does not
// parse, whose set-up counts as measured code.
func (f *Frames) AddLoops(loops *hot.Loops, p *callstack.Frames, keep func(error)) {
	for i := range p.NumFrames() {
		file := p.Frame(callstack.FrameID(i)).File
		if loops.Has(file) || !f.Own(file) {
			continue
		}
		if src, err := f.Read(file); err == nil {
			keep(loops.AddFile(file, src))
		}
	}
}

// ReadProfile reads a profile that a run has just written, called rel in the
// recording.
func ReadProfile(name, rel string) ([]byte, *callstack.Frames, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, nil, fmt.Errorf("read %s: %w", rel, err)
	}
	p, err := profile.ReadFrames(data, profile.DefaultLimits())
	if err != nil {
		return nil, nil, fmt.Errorf("read %s: %w", rel, err)
	}
	return data, p, nil
}

// AddWritten adds a file that a process has just written into the recording, and reads
// it; p is nil for a file that is not a profile.
func (r *Recorder) AddWritten(a recording.Artifact) (p *callstack.Frames, err error) {
	if a.Kind != recording.KindTrace {
		if _, p, err = ReadProfile(filepath.Join(r.Dir(), filepath.FromSlash(a.Path)), a.Path); err != nil {
			return nil, err
		}
	}
	a.EndNs = r.Now()
	return p, r.Add(a)
}

// ReadProfiles reads profiles of the recording, hands each to seen, and returns the
// files that their frames name, sorted.
func (r *Recorder) ReadProfiles(paths []string, seen func(path string, p *callstack.Frames)) []string {
	files := make(map[string]bool)
	for _, rel := range paths {
		_, p, err := ReadProfile(filepath.Join(r.Dir(), filepath.FromSlash(rel)), rel)
		if err != nil {
			r.Keep(err)
			continue
		}
		seen(rel, p)
		for i := range p.NumFrames() {
			files[p.Frame(callstack.FrameID(i)).File] = true
		}
	}
	return slices.Sorted(maps.Keys(files))
}

// AddSources copies files into the recording, by their names in frames. For one that
// was changed after the build began, a warning includes wrong.
func (r *Recorder) AddSources(f *Frames, files []string, wrong string) {
	for _, file := range files {
		if s, ok := r.addSource(f, file); ok && s.Differs != "" {
			r.Warn("%s changed after the build began: %s", s.Path, wrong)
		}
	}
}

// addSource copies a file into the recording, unless it is there, or was
// generated, as _testmain.go, or is of another machine. ok is false for these.
func (r *Recorder) addSource(f *Frames, file string) (s recording.Source, ok bool) {
	if _, ok := f.Find(file); !ok || r.sources[file] {
		return s, false
	}
	data, changed, err := f.ReadChanged(file)
	if err != nil {
		r.Warn("%v: not recorded", err)
		return s, false
	}
	r.sources[file] = true
	display, module := f.Display(file)
	s = recording.Source{Frame: file, Path: display, Module: module}
	if inModule, _ := f.InModule(file); inModule != display {
		s.ModuleDir = strings.TrimSuffix(display, "/"+inModule)
	}
	if changed.After(f.built) {
		s.Differs = "it changed after the build began"
	}
	r.Keep(r.AddSource(s, data))
	return s, true
}
