package tune

import (
	"context"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"
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
	s.known.Profiles = make(map[string]*callstack.Profile)
	s.w.AddSources(s.frames, "tune", profiles, func(path string, p *callstack.Profile) { s.known.Profiles[path] = p })
}

// addDecisions asks the compiler about the package itself, as part of the build:
// what the build made of its imports is at hand, so that this package and its
// tests are all there is to compile, and what takes as long as that takes is not
// lost to a limit. What fails is asked for again, with the reason told, once all
// packages are known.
func (s *session) addDecisions(ctx context.Context) {
	if s.target.ImportPath == "" || !s.frames.Owns(s.target.Module) {
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
	s.keep(s.w.Write(recording.Artifact{Path: rel, Kind: recording.KindDiagnostics, StartNs: start, EndNs: s.now()}, s.frames.Rename(text)))
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

// compilerLimit keeps a report that is ready from waiting long for notes on
// its lines.
const compilerLimit = 15 * time.Second
