package tune

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"whet/internal/callstack"
	"whet/internal/capture/compiler"
	diagnostics "whet/internal/format/compiler"
	"whet/internal/format/profile"
	"whet/internal/gobench"
	"whet/internal/recording"
	"whet/internal/source"
)

// frameNames finds the files that profiles of one binary name.
type frameNames struct {
	finder  *source.Finder
	owned   map[string]bool // own module paths
	built   time.Time       // when the build began
	trimmed bool            // built with -trimpath
}

func newFrameNames(t *gobench.Target, b *gobench.Binary, built time.Time) *frameNames {
	f := &frameNames{finder: &source.Finder{GOROOT: t.GOROOT, GOMODCACHE: t.GOMODCACHE}, owned: make(map[string]bool), built: built}
	for _, m := range t.Own {
		f.finder.Modules = append(f.finder.Modules, source.Module{Path: m.Path, Dir: m.Dir, Main: true})
		f.owned[m.Path] = true
	}
	f.trimmed = slices.Contains(b.Settings, "-trimpath=true")
	return f
}

// own reports whether a file belongs to a module the user can change.
func (f *frameNames) own(frameFile string) bool {
	_, module := f.finder.Display(frameFile)
	return f.owned[module]
}

// name turns a file on disk into the name that frames have for it.
func (f *frameNames) name(path string) string {
	if !f.trimmed {
		return path
	}
	for _, m := range f.finder.Modules {
		if rel, err := filepath.Rel(m.Dir, path); err == nil && filepath.IsLocal(rel) {
			return m.Path + "/" + filepath.ToSlash(rel)
		}
	}
	return path
}

// addSources copies every file that a profile's frames name into the
// recording.
func (r *session) addSources() {
	r.progress(Progress{Stage: "copying sources"})
	files := make(map[string]bool)
	r.known.Profiles = make(map[string]*callstack.Profile)
	for _, a := range r.w.Manifest.Artifacts {
		if !strings.HasSuffix(a.Path, ".pb.gz") {
			continue
		}
		data, err := os.ReadFile(filepath.Join(r.w.Dir(), filepath.FromSlash(a.Path)))
		if err != nil {
			r.keep(err)
			continue
		}
		p, err := profile.Read(data, profile.DefaultLimits())
		if err != nil {
			r.keep(fmt.Errorf("%s: %w", a.Path, err))
			continue
		}
		r.known.Profiles[a.Path] = p
		for i := range p.NumFrames() {
			files[p.Frame(callstack.FrameID(i)).File] = true
		}
	}
	for _, file := range slices.Sorted(maps.Keys(files)) {
		if _, ok := r.frames.finder.Find(file); !ok {
			continue // generated, as _testmain.go, or of another machine
		}
		data, err := r.frames.finder.Read(file)
		if err != nil {
			r.w.Warn("%v: it was not kept", err)
			continue
		}
		display, module := r.frames.finder.Display(file)
		s := recording.Source{Frame: file, Path: display, Module: module}
		if modified, ok := r.frames.finder.Modified(file); ok && modified.After(r.frames.built) {
			s.Differs = "it was changed after the build began"
			r.w.Warn("%s was changed after the build began: its lines may not be those that were measured; run whet tune again", display)
		}
		r.keep(r.w.AddSource(s, data))
	}
}

// addDecisions asks the compiler about the package itself, as part of the build:
// what the build made of its imports is at hand, so that this package and its
// tests are all there is to compile, and what takes as long as that takes is not
// lost to a limit. What fails is asked for again, with the reason told, once all
// packages are known.
func (s *session) addDecisions(ctx context.Context) {
	if s.target.ImportPath == "" || !s.frames.owned[s.target.Module] {
		return
	}
	s.progress(Progress{Stage: "asking the compiler"})
	if err := s.storeDecisions(ctx, "build/compiler.txt", []string{s.target.ImportPath}); err == nil {
		s.decided = true
	}
}

// storeDecisions keeps what the compiler says about packages.
func (s *session) storeDecisions(ctx context.Context, rel string, packages []string) error {
	start := s.now()
	text, err := compiler.Diagnostics(ctx, s.target, s.build, packages)
	if err != nil {
		return err
	}
	s.keep(s.w.Write(recording.Artifact{Path: rel, Kind: recording.KindDiagnostics, StartNs: start, EndNs: s.now()}, s.frames.rename(text)))
	return nil
}

// addCompiler asks the type checker about the module's files that were seen in
// profiles, and the compiler about their packages. Each has its own limit: what
// the one takes longer is not the other's loss.
func (s *session) addCompiler(ctx context.Context) {
	s.progress(Progress{Stage: "asking the compiler"})
	files := make(map[string]string) // absolute → as in frames
	var packages []string
	if s.target.ImportPath != "" { // else only a module is known
		packages = append(packages, s.target.ImportPath)
	}
	for _, src := range s.w.Manifest.Sources {
		file, ok := s.frames.finder.Find(src.Frame)
		if !ok || !s.frames.owned[src.Module] {
			continue
		}
		files[file] = src.Frame
		pkg := path.Join(src.Module, path.Dir(src.Path))
		if src.Module == "std" {
			pkg = path.Dir(src.Path)
		}
		if !slices.Contains(packages, pkg) {
			packages = append(packages, pkg)
		}
	}
	if len(files) == 0 {
		return
	}
	start := s.now()
	calling, stop := context.WithTimeout(ctx, compilerLimit)
	calls, err := compiler.Calls(calling, s.target, s.build, files)
	stop()
	if err != nil {
		s.w.Warn("what the code calls could not be looked up everywhere, findings that need it may be missing: %v", err)
	}
	if data, err := json.Marshal(calls); err != nil {
		s.keep(err)
	} else {
		s.keep(s.w.Write(recording.Artifact{Path: "build/calls.json", Kind: recording.KindCalls, StartNs: start, EndNs: s.now()}, data))
	}
	rel := "build/compiler.txt"
	if s.decided {
		rel, packages = "build/compiler-imports.txt", packages[1:]
	}
	if len(packages) == 0 {
		return
	}
	asking, stop := context.WithTimeout(ctx, compilerLimit)
	defer stop()
	if err := s.storeDecisions(asking, rel, packages); err != nil {
		s.w.Warn("the compiler's decisions on %s are missing: %v", some(packages), err)
	}
}

// some names the first few of a list.
func some(names []string) string {
	const shown = 3
	if len(names) > shown {
		return fmt.Sprintf("%s and %d more packages", strings.Join(names[:shown], ", "), len(names)-shown)
	}
	return strings.Join(names, ", ")
}

// rename gives the files in the compiler's text the names that frames have.
func (f *frameNames) rename(text []byte) []byte {
	if !f.trimmed {
		return text
	}
	var out []byte
	for line := range strings.Lines(string(text)) {
		if file, _, _, _, ok := diagnostics.SplitPosition(line); ok {
			line = f.name(file) + strings.TrimPrefix(line, file)
		}
		out = append(out, line...)
	}
	return out
}

// compilerLimit keeps a report that is ready from waiting long for notes on
// its lines.
const compilerLimit = 15 * time.Second
