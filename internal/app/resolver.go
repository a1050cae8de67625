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
		SourcePath: set.sourcePath, TrimPath: set.trimPath, Info: s.programInfo(),
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
		o.Recorded, o.Sum = s.recorded, s.recordedSum
	}
	return source.New(o)
}

// recorded returns the copy of a file in a recording.
func (s *subject) recorded(frameFile string) (text []byte, differs string, ok bool) {
	for _, r := range s.recordings {
		if text, is, err := r.Source(frameFile); err == nil {
			return text, is.Differs, true
		}
	}
	return nil, "", false
}

// recordedSum returns the sum that a recording has of a file, which speaks for or
// against the file here where the recording's copy is lost or damaged.
func (s *subject) recordedSum(frameFile string) (string, bool) {
	for _, r := range s.recordings {
		if _, is, _ := r.Source(frameFile); is.SHA256 != "" {
			return is.SHA256, true
		}
	}
	return "", false
}

// programInfo is buildInfo, where no program was named that of the recording's
// copy or of the file that the profile is of, if it is the same build.
func (s *subject) programInfo() *debug.BuildInfo {
	if info := s.buildInfo(); info != nil {
		return info
	}
	all := s.sources[0].Profile.Mappings
	if len(all) == 0 || all[0].BuildID == "" && len(s.recordings) == 0 {
		return nil
	}
	if b, err := s.binaryOf(all[0]); err == nil && b != nil {
		return b.BuildInfo()
	}
	return nil
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
