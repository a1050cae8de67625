package app

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"go/build"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"whet/internal/callstack"
	"whet/internal/capture"
	"whet/internal/format/profile"
	"whet/internal/recording"
	"whet/internal/source"
)

// profileFlags choose what is read from the operands of a view.
type profileFlags struct {
	sampleIndex string
	kind        string
	benchmark   string
	seconds     int
}

// sampleIndexes are pprof's shorthands for -sample_index.
var sampleIndexes = []string{"alloc_space", "alloc_objects", "inuse_space", "inuse_objects"}

func (p *profileFlags) declare(fs *flag.FlagSet) {
	fs.StringVar(&p.sampleIndex, "sample_index", "", "show the sample `type`: cpu, alloc_space, delay, ... (default: the profile's own)")
	for _, name := range sampleIndexes {
		fs.BoolFunc(name, "same as -sample_index="+name, func(string) error {
			p.sampleIndex = name
			return nil
		})
	}
	fs.StringVar(&p.kind, "kind", "", "of a recording, read the profiles of this `kind`: cpu (the default), allocs, block, mutex; of a program or service also heap, goroutine, wall")
	fs.StringVar(&p.benchmark, "benchmark", "", "of a recording, read only the profiles of this benchmark, by `name`")
	fs.IntVar(&p.seconds, "seconds", 0, "of a URL, profile for `n` seconds")
}

// opened is what a view's operands hold together.
type opened struct {
	profile *callstack.Profile
	name    string // of the first operand, for titles
	source  func(frameFile string) ([]byte, error)
	// modified returns when a source file was changed last; false when that
	// says nothing (a recording's copy).
	modified func(frameFile string) (time.Time, bool)
	binary   string
	warnings []string // besides the profile's own
}

// open reads [BINARY] PROFILE…: files, URLs and recordings, merged.
func (p *profileFlags) open(ctx context.Context, operands []string) (*opened, error) {
	o := &opened{}
	if len(operands) > 1 && isExecutable(operands[0]) {
		o.binary, operands = operands[0], operands[1:]
	}
	if len(operands) == 0 {
		return nil, usageError("name a profile: a file, a URL or a recording")
	}
	o.name = operands[0]
	local := localFinder()
	o.source, o.modified = local.Read, local.Modified
	var profiles []*callstack.Profile
	for _, operand := range operands {
		if recording.Is(operand) {
			ps, err := p.openRecording(operand, o)
			if err != nil {
				return nil, err
			}
			profiles = append(profiles, ps...)
			continue
		}
		if p.kind != "" || p.benchmark != "" {
			return nil, usageError("-kind and -benchmark choose among the profiles of a recording, and %s is not one", operand)
		}
		data, err := p.load(ctx, operand)
		if err != nil {
			return nil, err
		}
		prof, err := profile.Read(data, profile.DefaultLimits())
		if err != nil {
			return nil, fmt.Errorf("read profile %s: %w", operand, err)
		}
		profiles = append(profiles, prof)
	}
	var err error
	if len(profiles) == 1 {
		o.profile = profiles[0]
	} else if o.profile, err = callstack.Merge(profiles...); err != nil {
		return nil, fmt.Errorf("merge %s: %w", strings.Join(operands, " "), err)
	}
	if !o.profile.HasSymbols() && o.binary != "" {
		o.warnings = append(o.warnings, fmt.Sprintf("the profile has no function names, and those of %s are not read yet: its addresses stand for them", o.binary))
	}
	return o, nil
}

// column resolves -sample_index.
func (p *profileFlags) column(o *opened) (int, error) {
	t, err := o.profile.TypeIndex(p.sampleIndex)
	if err != nil {
		return 0, usageError("-sample_index: %v", err)
	}
	return t, nil
}

// openRecording reads a recording's profiles of the kind asked for.
func (p *profileFlags) openRecording(path string, o *opened) ([]*callstack.Profile, error) {
	rec, err := recording.Open(path)
	if err != nil {
		return nil, err
	}
	defer rec.Close()
	if rec.Partial != "" {
		o.warnings = append(o.warnings, fmt.Sprintf("%s is partial: %s", path, rec.Partial))
	}
	kind := cmp.Or(p.kind, recording.KindCPU)
	artifacts := rec.Find(kind, p.benchmark)
	if len(artifacts) == 0 {
		return nil, usageError("%s holds no %s profile%s: it has %s", path, kind, ofBenchmark(p.benchmark), strings.Join(profilesIn(rec), ", "))
	}
	var out []*callstack.Profile
	for _, a := range artifacts {
		data, err := rec.Read(a)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		prof, err := profile.Read(data, profile.DefaultLimits())
		if err != nil {
			return nil, fmt.Errorf("read %s of %s: %w", a.Path, path, err)
		}
		out = append(out, prof)
	}
	// Sources come from the recording only: the files of this machine may
	// have moved on.
	copies := make(map[string][]byte)
	for _, s := range rec.Sources {
		if text, _, err := rec.Source(s.Frame); err == nil {
			copies[s.Frame] = text
		}
	}
	before := o.source
	o.source = func(frameFile string) ([]byte, error) {
		if text, ok := copies[frameFile]; ok {
			return text, nil
		}
		return before(frameFile)
	}
	o.modified = func(string) (time.Time, bool) { return time.Time{}, false }
	return out, nil
}

func ofBenchmark(name string) string {
	if name == "" {
		return ""
	}
	return " of " + name
}

func profilesIn(rec *recording.Recording) []string {
	var out []string
	for _, a := range rec.Artifacts {
		if strings.HasSuffix(a.Path, ".pb.gz") {
			if name := a.Kind + ofBenchmark(a.Benchmark); !slices.Contains(out, name) {
				out = append(out, name)
			}
		}
	}
	if len(out) == 0 {
		return []string{"none"}
	}
	return out
}

// load reads a file or a URL.
func (p *profileFlags) load(ctx context.Context, operand string) ([]byte, error) {
	if strings.Contains(operand, "://") {
		return capture.FetchProfile(ctx, operand, capture.FetchOptions{Seconds: p.seconds, Header: http.Header{}, MaxBytes: maxStreamBytes})
	}
	f, err := os.Open(operand)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, usageError("there is no profile %s", operand)
	}
	if err != nil {
		return nil, fmt.Errorf("read profile: %w", err)
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("read profile: %w", err)
	}
	if st.IsDir() {
		return nil, usageError("%s is a directory and not a recording: name a profile file, a URL or a NAME.whet", operand)
	}
	limit := int64(maxStreamBytes)
	var b bytes.Buffer
	if st.Mode().IsRegular() {
		limit = maxProfileBytes
		b.Grow(int(min(st.Size(), limit)) + bytes.MinRead)
	}
	n := int64(0)
	if st.Size() <= limit {
		n, err = b.ReadFrom(io.LimitReader(f, limit+1))
	}
	switch {
	case errors.As(err, new(*fs.PathError)):
		return nil, fmt.Errorf("read profile: %w", err) // it names the file
	case err != nil:
		return nil, fmt.Errorf("read profile %s: %w", operand, err)
	case max(n, st.Size()) > limit:
		return nil, fmt.Errorf("read profile %s: it is larger than %d MiB: record a shorter one", operand, limit>>20)
	}
	return b.Bytes(), nil
}

// isExecutable recognises a binary by its first bytes.
func isExecutable(path string) bool {
	// Four bytes read from a pipe are lost to whoever reads it next.
	if st, err := os.Stat(path); err != nil || !st.Mode().IsRegular() {
		return false
	}
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	head := make([]byte, 4)
	if _, err := io.ReadFull(f, head); err != nil {
		return false
	}
	return slices.ContainsFunc([]string{"\x7fELF", "MZ", "\xcf\xfa\xed\xfe", "\xfe\xed\xfa\xcf", "\xca\xfe\xba\xbe"}, func(magic string) bool {
		return bytes.HasPrefix(head, []byte(magic))
	})
}

// localFinder finds sources of profiles that are not in a recording, on this
// machine: by absolute name, in this Go's own tree and in the module cache.
func localFinder() *source.Finder {
	cache := os.Getenv("GOMODCACHE")
	if cache == "" {
		cache = filepath.Join(build.Default.GOPATH, "pkg", "mod")
	}
	return &source.Finder{GOROOT: build.Default.GOROOT, GOMODCACHE: cache}
}
