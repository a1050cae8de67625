package app

import (
	"go/build"
	"os"
	"path/filepath"
	"runtime/debug"
	"time"

	"whet/internal/source"
)

// resolver finds the sources of the subject's frames: in its recordings first,
// then where the program's build says, then on this machine.
func (s *subject) resolver(set *settings) *source.Resolver {
	o := source.Options{
		GOROOT: build.Default.GOROOT, GOMODCACHE: moduleCache(),
		SourcePath: set.sourcePath, TrimPath: set.trimPath, Info: s.buildInfo(),
	}
	if dir, err := os.Getwd(); err == nil {
		o.Dir = dir
	}
	first := s.sources[0].Profile
	o.Functions = func(yield func(name, file string) bool) {
		for _, f := range first.Functions {
			if !yield(f.Name, f.File) {
				return
			}
		}
	}
	if first.TimeNanos != 0 {
		o.Profiled = time.Unix(0, first.TimeNanos)
	}
	if len(s.recordings) > 0 {
		o.Recorded = s.recorded
	}
	return source.New(o)
}

// recorded returns the copy of a file in a recording.
func (s *subject) recorded(frameFile string) ([]byte, bool) {
	for _, r := range s.recordings {
		if text, _, err := r.Source(frameFile); err == nil {
			return text, true
		}
	}
	return nil, false
}

// buildInfo is what the go command wrote into the program that was named.
func (s *subject) buildInfo() *debug.BuildInfo {
	if b, ok := s.binaries[s.binary]; ok {
		return b.BuildInfo()
	}
	return nil
}

func moduleCache() string {
	if cache := os.Getenv("GOMODCACHE"); cache != "" {
		return cache
	}
	return filepath.Join(build.Default.GOPATH, "pkg", "mod")
}
