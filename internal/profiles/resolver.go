package profiles

import (
	"go/build"
	"os"
	"path/filepath"
	"runtime/debug"
	"time"

	"whet/internal/source"
)

// Resolver finds the sources of the frames: in the recordings first, then where
// the program's build says, then on this machine. The paths are pprof's, which
// may be empty.
func (s *Set) Resolver(sourcePath, trimPath string) *source.Resolver {
	o := s.sourceOptions(sourcePath, trimPath)
	if len(s.Recordings) > 0 {
		o.Recorded, o.Sum = s.recorded, s.recordedSum
	}
	return source.New(o)
}

// Here finds the present sources on this machine, regardless of the recording: in the
// module around a directory, "" for the working directory.
func (s *Set) Here(dir string) *source.Resolver {
	o := s.sourceOptions("", "")
	if dir != "" {
		o.Dir = dir
	}
	return source.New(o)
}

func (s *Set) sourceOptions(sourcePath, trimPath string) source.Options {
	o := source.Options{
		GOROOT: build.Default.GOROOT, GOMODCACHE: moduleCache(),
		SourcePath: sourcePath, TrimPath: trimPath, Info: s.programInfo(),
	}
	if dir, err := os.Getwd(); err == nil {
		o.Dir = dir
	}
	if len(s.Sources) == 0 { // traces alone
		return o
	}
	first := s.Sources[0].Profile
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
	return o
}

// recorded returns the copy of a file in a recording.
func (s *Set) recorded(frameFile string) (text []byte, differs string, ok bool) {
	for _, r := range s.Recordings {
		if text, is, err := r.Source(frameFile); err == nil {
			return text, is.Differs, true
		}
	}
	return nil, "", false
}

// recordedSum returns a recording's checksum of a file. It tells whether the file on
// this machine is the same if the recording's copy is lost or damaged.
func (s *Set) recordedSum(frameFile string) (string, bool) {
	for _, r := range s.Recordings {
		if _, is, _ := r.Source(frameFile); is.SHA256 != "" {
			return is.SHA256, true
		}
	}
	return "", false
}

// programInfo is buildInfo, where no program was named that of the recording's
// copy or of the file that the profile is of, if it is the same build.
func (s *Set) programInfo() *debug.BuildInfo {
	if info := s.BuildInfo(); info != nil {
		return info
	}
	if len(s.Sources) == 0 {
		return nil
	}
	all := s.Sources[0].Profile.Mappings
	if len(all) == 0 || all[0].BuildID == "" && len(s.Recordings) == 0 {
		return nil
	}
	if b, err := s.BinaryOf(all[0]); err == nil && b != nil {
		return b.BuildInfo()
	}
	return nil
}

// BuildInfo returns the build information in the named program.
func (s *Set) BuildInfo() *debug.BuildInfo {
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
