package tune

import (
	"context"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"whet/internal/callstack"
	"whet/internal/capture/compiler"
	"whet/internal/recording"
)

// addSources keeps the sources of what all profiles name, and the profiles for
// the reading of the recording.
func (s *session) addSources() {
	s.progress(Progress{Stage: "copying sources"})
	var profiles []string
	for _, a := range s.w.Manifest.Artifacts {
		if strings.HasSuffix(a.Path, ".pb.gz") {
			profiles = append(profiles, a.Path)
		}
	}
	s.known.Profiles = make(map[string]*callstack.Frames)
	s.w.AddSources(s.frames, "tune", profiles, func(path string, p *callstack.Frames) { s.known.Profiles[path] = p })
}

// addDecisions asks the compiler and the go command about the package itself,
// with its tests or without, as part of the build: what the build made of its imports
// is at hand, so that this package and its tests are all there is to compile, and what
// takes as long as that takes is not lost to a limit, nor waited for when measuring is
// over. What fails is asked for again, with the reason told, once all packages are
// known.
func (s *session) addDecisions(ctx context.Context, tests bool) {
	if s.target.ImportPath == "" || !s.frames.Owns(s.target.Module) {
		return
	}
	s.progress(Progress{Stage: "asking the compiler"})
	start := s.w.Now()
	var asking sync.WaitGroup
	defer asking.Wait()
	asking.Go(func() {
		if graph, err := compiler.LoadGraph(ctx, s.target, s.build, tests); err == nil {
			s.graph = graph
		}
	})
	if text, err := compiler.Diagnostics(ctx, s.target, s.build, []string{s.target.ImportPath}); err == nil {
		s.storeDecisions("build/compiler.txt", text, start, s.w.Now())
		s.decided = true
	}
}

// storeDecisions keeps what the compiler said about packages.
func (s *session) storeDecisions(rel string, text []byte, start, end int64) {
	s.w.Keep(s.w.Write(recording.Artifact{Path: rel, Kind: recording.KindDiagnostics, StartNs: start, EndNs: end}, s.frames.Rename(text)))
}

// addCompiler asks the go command for the types that the module's files that were
// seen in profiles need, and the compiler about their packages, both at once.
func (s *session) addCompiler(ctx context.Context) {
	s.progress(Progress{Stage: "asking the compiler"})
	files := make(map[string]string) // absolute → as in frames
	var packages []string
	if s.target.ImportPath != "" { // else only a module is known
		packages = append(packages, s.target.ImportPath)
	}
	for _, src := range s.w.Manifest.Sources {
		file, ok := s.frames.Find(src.Frame)
		if !ok || !s.frames.Owns(src.Module) {
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
	rel := "build/compiler.txt"
	if s.decided {
		rel, packages = "build/compiler-imports.txt", packages[1:]
	}
	start := s.w.Now()
	limited, stop := context.WithTimeout(ctx, compilerLimit)
	defer stop()
	var asking sync.WaitGroup
	var decisions []byte
	var decisionsErr error
	var decided int64
	if len(packages) > 0 {
		asking.Go(func() {
			decisions, decisionsErr = compiler.Diagnostics(limited, s.target, s.build, packages)
			decided = s.w.Now()
		})
	}
	s.addView(limited, files)
	asking.Wait()
	switch {
	case decisionsErr != nil:
		s.w.Warn("the compiler's decisions on %s are missing: %v", some(packages), decisionsErr)
	case len(packages) > 0:
		s.storeDecisions(rel, decisions, start, decided)
	}
}

// addView keeps the typed view of the packages of the module that hold these files,
// and their other files.
func (s *session) addView(ctx context.Context, files map[string]string) {
	start := s.w.Now()
	m := &s.w.Manifest
	goarch := m.Host.Arch
	for _, setting := range m.Build.Settings {
		if value, ok := strings.CutPrefix(setting, "GOARCH="); ok {
			goarch = value
		}
	}
	view, sources, err := compiler.View(ctx, s.target, s.build, s.graph, m.Build.GoVersion, goarch, files)
	if err != nil {
		s.w.Warn("findings that need types may be missing: %v", err)
	}
	if view != nil {
		s.w.AddFiles(s.frames, slices.Sorted(maps.Values(sources)))
		s.w.Keep(s.w.Write(recording.Artifact{Path: "build/types.bin", Kind: recording.KindTypes, StartNs: start, EndNs: s.w.Now()}, view))
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

// compilerLimit keeps a report that is ready from waiting long for notes on
// its lines.
const compilerLimit = 15 * time.Second
