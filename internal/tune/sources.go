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

// addCompiler asks the compiler and the type checker about the module's files
// that were seen in profiles.
func (r *session) addCompiler(ctx context.Context) {
	r.progress(Progress{Stage: "asking the compiler"})
	ctx, cancel := context.WithTimeout(ctx, compilerLimit)
	defer cancel()
	files := make(map[string]string) // absolute → as in frames
	var packages []string
	if r.target.ImportPath != "" { // else only a module is known
		packages = append(packages, r.target.ImportPath)
	}
	for _, s := range r.w.Manifest.Sources {
		file, ok := r.frames.finder.Find(s.Frame)
		if !ok || !r.frames.owned[s.Module] {
			continue
		}
		files[file] = s.Frame
		pkg := path.Join(s.Module, path.Dir(s.Path))
		if s.Module == "std" {
			pkg = path.Dir(s.Path)
		}
		if !slices.Contains(packages, pkg) {
			packages = append(packages, pkg)
		}
	}
	if len(files) == 0 {
		return
	}
	start := r.now()
	calls, err := compiler.Calls(ctx, r.target, r.build, files)
	if err != nil {
		r.w.Warn("what the code calls could not be looked up everywhere, findings that need it may be missing: %v", err)
	}
	if data, err := json.Marshal(calls); err != nil {
		r.keep(err)
	} else {
		r.keep(r.w.Write(recording.Artifact{Path: "build/calls.json", Kind: recording.KindCalls, StartNs: start, EndNs: r.now()}, data))
	}
	start = r.now()
	text, err := compiler.Diagnostics(ctx, r.target, r.build, packages)
	if err != nil {
		r.w.Warn("the compiler's decisions are missing: %v", err)
		return
	}
	r.keep(r.w.Write(recording.Artifact{Path: "build/compiler.txt", Kind: recording.KindDiagnostics, StartNs: start, EndNs: r.now()}, r.frames.rename(text)))
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
