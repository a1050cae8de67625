package tune

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"strings"
	"sync"
	"time"

	"whet/internal/callstack"
	"whet/internal/capture/compiler"
	"whet/internal/recording"
	"whet/internal/source"
)

// addSources stores the sources named by all profiles, and keeps the profiles for
// reading the recording. Unless the run was stopped, it meanwhile runs the compiler on
// the module's packages among them, and the go command for the types that they need.
func (s *session) addSources(ctx context.Context, stopped bool) {
	collectLater()
	s.progress(Progress{Stage: "copying sources"})
	var profiles []string
	for _, a := range s.w.Manifest.Artifacts {
		if strings.HasSuffix(a.Path, ".pb.gz") {
			profiles = append(profiles, a.Path)
		}
	}
	s.known.Profiles = make(map[string]*callstack.Frames)
	files := s.w.ReadProfiles(profiles, func(path string, p *callstack.Frames) { s.known.Profiles[path] = p })
	var packages []string
	if !stopped {
		packages = s.packagesOf(files)
	}
	if len(packages) > 0 {
		s.askCompiler(ctx, packages)
	}
	s.w.AddSources(s.frames, files, "its lines may differ from the measured ones; run whet tune again")
	if stopped {
		return
	}
	s.progress(Progress{Stage: "asking the compiler"})
	limited, stop := context.WithTimeout(ctx, s.compilerLimit())
	defer stop()
	s.addView(limited)
}

// askCompiler starts the compiler on packages; the first reader of the result waits for
// it, and stores it.
func (s *session) askCompiler(ctx context.Context, packages []string) {
	ctx, stop := context.WithTimeout(ctx, s.compilerLimit())
	var asking sync.WaitGroup
	var text []byte
	var err error
	start, end := s.w.Now(), int64(0)
	asking.Go(func() {
		text, err = compiler.Diagnostics(ctx, s.target, s.build, packages)
		end = s.w.Now()
	})
	s.known.Decisions = sync.OnceValue(func() []byte {
		asking.Wait()
		stop()
		if err != nil {
			s.w.Warn("the compiler's decisions on %s are missing: %v", some(packages), err)
			return nil
		}
		rel := "build/compiler.txt"
		if s.decided != nil {
			rel = "build/compiler-imports.txt"
		}
		return s.storeDecisions(rel, text, start, end)
	})
}

// packagesOf returns the module's packages that files belong to, by the names that frames
// have for these, and the target's own: those that the compiler was not asked about
// already. There is none where no file is the module's.
func (s *session) packagesOf(files []string) []string {
	packages := []string{s.target.ImportPath} // "": only a module is known
	own := false
	for _, file := range files {
		name, module := s.frames.InModule(file)
		if _, ok := s.frames.Find(file); !ok || !s.frames.Owns(module) {
			continue
		}
		own = true
		pkg := path.Join(module, path.Dir(name))
		if module == source.StandardLibrary {
			pkg = path.Dir(name)
		}
		if !slices.Contains(packages, pkg) {
			packages = append(packages, pkg)
		}
	}
	if !own {
		return nil
	}
	return slices.DeleteFunc(packages, func(p string) bool { return p == "" || slices.Contains(s.decided, p) })
}

// askedEarly is the number of packages that the compiler may be asked about before anybody knows
// which of them are hot.
const askedEarly = 16

// addDecisions runs the compiler and the go command on the package itself, with its
// tests or without, and on the module's packages that it imports, if these are few: as
// part of the build, when their imports are in the cache, so that a limit does not cut
// a long compilation, and nothing waits for it after measuring. A failure is retried,
// with the reason, once all packages are known.
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
	packages := compiler.Imports(s.target, tests)
	if len(packages) > askedEarly {
		packages = nil
	}
	packages = append(packages, s.target.ImportPath)
	if text, err := compiler.Diagnostics(ctx, s.target, s.build, packages); err == nil {
		s.storeDecisions("build/compiler.txt", text, start, s.w.Now())
		s.decided = packages
	}
}

// storeDecisions stores the compiler's text about packages, and returns it.
func (s *session) storeDecisions(rel string, text []byte, start, end int64) []byte {
	text = s.frames.Rename(text)
	s.w.Keep(s.w.Put(recording.Artifact{Path: rel, Kind: recording.KindDiagnostics, StartNs: start, EndNs: end}, text))
	return text
}

// addView keeps the typed view of the packages of the module that hold the sources,
// and their other files.
func (s *session) addView(ctx context.Context) {
	start := s.w.Now()
	m := &s.w.Manifest
	files := make(map[string]string) // absolute → as in frames
	for _, src := range m.Sources {
		if file, ok := s.frames.Find(src.Frame); ok && s.frames.Owns(src.Module) {
			files[file] = src.Frame
		}
	}
	if len(files) == 0 {
		return
	}
	goarch := m.Host.Arch
	for _, setting := range m.Build.Settings {
		if value, ok := strings.CutPrefix(setting, "GOARCH="); ok {
			goarch = value
		}
	}
	view, sources, err := compiler.View(ctx, s.target, s.build, s.graph, m.Build.GoVersion, goarch, files)
	if err != nil {
		s.w.Warn("findings that need type information may be missing: %v", err)
	}
	if view != nil {
		s.w.AddSources(s.frames, slices.Sorted(maps.Values(sources)), "its types may differ from the measured ones")
		s.w.Keep(s.w.Put(recording.Artifact{Path: "build/types.bin", Kind: recording.KindTypes, StartNs: start, EndNs: s.w.Now()}, view))
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

// compilerLimit keeps a report that is ready from waiting long for notes on its
// lines. 15 s after the budget the compiler is not waited for any more: 20 s after
// it the report is due.
func (s *session) compilerLimit() time.Duration {
	const late = 15 * time.Second
	if s.deadline.IsZero() {
		return late
	}
	return min(late, max(s.left()+late, 0))
}

// collectLater lets a small heap grow to 32 MiB before its next collection, and then
// restores the setting: the remaining work ends before that, and collections from 4 MiB
// on would take a sixth of its CPU time. A given GOGC is respected, and a large heap is
// not affected.
func collectLater() {
	const later = 800
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	if metrics.Read(live); os.Getenv("GOGC") != "" || live[0].Value.Kind() != metrics.KindUint64 || live[0].Value.Uint64() > 4<<20 {
		return
	}
	if normal := debug.SetGCPercent(later); normal != later {
		runtime.AddCleanup(new([16]byte), func(percent int) { debug.SetGCPercent(percent) }, normal)
	}
}
