package profiles

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"

	"whet/internal/analyze/hot"
	"whet/internal/analyze/selection"
	"whet/internal/callstack"
	"whet/internal/capture"
	"whet/internal/cli"
	"whet/internal/format/profile"
	"whet/internal/quantity"
	"whet/internal/recording"
	"whet/internal/symbol"
)

// Options select the input: the profiles, their bases, and the source of names for
// their addresses. The zero value reads a file unchanged, and the CPU time of a
// recording.
type Options struct {
	FetchOptions
	Kind, Benchmark string
	Base, DiffBase  cli.StringList
	MaxSize         Size
	Symbolize       string
	BuildID         string
	AllFrames       bool
	// Want is the part to read of a single profile, and of several files that are added up;
	// recordings are read in full.
	Want profile.Want
	Sum  bool // the profiles are wanted as one, with the bases subtracted
}

// Declare makes flags of the options, with pprof's names.
func (f *Options) Declare(fs *flag.FlagSet) {
	f.FetchOptions.Declare(fs)
	fs.StringVar(&f.Kind, "kind", "", "with a recording: read the profiles of this `kind`: cpu (the default), allocs, block, mutex; of a program or service also heap, goroutine, wall")
	fs.StringVar(&f.Benchmark, "benchmark", "", "with a recording: read only the profiles of this benchmark, by `name`")
	fs.Var(&f.MaxSize, "max_size", "refuse profiles of more than this `size`, packed or unpacked (default: 1GiB; from a pipe or a server 192MiB)")
	fs.StringVar(&f.Symbolize, "symbolize", "", "how to name addresses, a `mode`: none, local (from the binary), fastlocal (the same), force (from the binary, replacing the profile's names)")
	fs.StringVar(&f.BuildID, "buildid", "", "build `id` of the profile's program, if the profile has none")
	fs.BoolVar(&f.AllFrames, "all_frames", false, "keep the frames that the profile says to drop")
}

// DeclareBases declares the flags for profiles to subtract.
func (f *Options) DeclareBases(fs *flag.FlagSet) {
	fs.Var(&f.Base, "base", "subtract this `profile`; may be given several times")
	fs.Var(&f.DiffBase, "diff_base", "subtract this `profile`, and show percentages of it; may be given several times")
}

// Bounds on a profile unless -max_size says otherwise. Of a file the size is
// known before it is read; a pipe or a server may never end.
const (
	maxProfileBytes = 1 << 30
	maxStreamBytes  = 192 << 20
)

// Limits are the bounds on uncompressed input.
func (f *Options) Limits() profile.Limits {
	l := profile.DefaultLimits()
	l.MaxBytes = cmp.Or(int64(f.MaxSize), maxProfileBytes)
	if f.MaxSize > 0 {
		l.MaxRatio = 0 // who names a size means it, however well the file is packed
	}
	if f.MaxSize > maxProfileBytes {
		// Who wants more bytes wants what stands in them.
		times := min(int64(f.MaxSize)/maxProfileBytes+1, 64) // numbers of records have 32 bits
		l.MaxFrames *= times
		l.MaxMemory *= times
	}
	return l
}

func (f *Options) streamLimit() int64 { return cmp.Or(int64(f.MaxSize), maxStreamBytes) }

// Size is a size in bytes, as people write it.
type Size int64

func (s *Size) String() string {
	if *s == 0 {
		return ""
	}
	return quantity.Bytes(float64(*s))
}

func (s *Size) Set(text string) error {
	n, err := quantity.ParseBytes(text)
	if err == nil && n == 0 {
		err = errors.New("too small for any profile")
	}
	*s = Size(n)
	return err
}

// Set is all that operands hold.
type Set struct {
	Name       string // the first operand, for titles and errors
	Sources    []selection.Source
	files      []string                  // those that were read
	binary     string                    // "" when none was named
	binaries   map[string]*symbol.Binary // those that are open
	Recordings []*recording.Recording
	Warnings   []string // besides the profiles' own
}

// Close closes the recordings and programs.
func (s *Set) Close() {
	for _, r := range s.Recordings {
		r.Close()
	}
	for _, b := range s.binaries {
		b.Close()
	}
}

// SampleTypes returns the sample types that all profiles have.
func (s *Set) SampleTypes() []string {
	var out []string
	for _, t := range s.Sources[0].Profile.Types {
		if !slices.ContainsFunc(s.Sources, func(other selection.Source) bool {
			return !slices.ContainsFunc(other.Profile.Types, func(o callstack.ValueType) bool { return o.Type == t.Type })
		}) {
			out = append(out, t.Type)
		}
	}
	return out
}

// SampleType returns the name of the sample type selected by -sample_index: a name, a
// number, a name with the "inuse_" that old heap profiles lack, or "" for the profile's
// default.
func (s *Set) SampleType(name string) (string, error) {
	types := s.SampleTypes()
	if i, err := strconv.Atoi(name); err == nil && i >= 0 && i < len(types) {
		return types[i], nil
	}
	first := s.Sources[0].Profile
	switch {
	case name == "" && len(first.Types) > 0 && slices.Contains(types, first.Types[first.DefaultType].Type):
		return first.Types[first.DefaultType].Type, nil
	case name == "" && len(types) > 0:
		return types[len(types)-1], nil
	}
	for _, t := range types {
		if t == name || t == strings.TrimPrefix(name, "inuse_") {
			return t, nil
		}
	}
	if len(types) == 0 {
		return "", fmt.Errorf("%s: the profiles have no sample type in common", s.Name)
	}
	return "", cli.UsageError("unknown sample type %q: the profile has %s", name, strings.Join(types, ", "))
}

// pendingLoad is an operand that is being loaded.
type pendingLoad struct {
	operand string
	role    selection.Role
	url     string // "" for a file
	data    []byte // what the server answered
	err     error
}

// Open reads [BINARY] PROFILE…: files, - for in, URLs and recordings, and the bases.
// progress is called with a description of each wait, and with "" at the end; it may be
// nil.
func (f *Options) Open(ctx context.Context, operands []string, in io.Reader, progress func(string)) (*Set, error) {
	s, given := &Set{}, operands
	if len(operands) > 1 && IsExecutable(operands[0]) {
		s.binary, operands = operands[0], operands[1:]
	}
	if len(operands) == 0 {
		return nil, cli.UsageError("name a profile: a file, a URL or a recording")
	}
	if len(f.Base) > 0 && len(f.DiffBase) > 0 {
		return nil, cli.UsageError("choose -base or -diff_base")
	}
	if err := f.checkSymbolize(); err != nil {
		return nil, err
	}
	if f.Kind != "" || f.Benchmark != "" {
		for _, operand := range operands {
			if !recording.Is(operand) {
				return nil, cli.UsageError("-kind and -benchmark need a recording, which %s is not", operand)
			}
		}
	}
	s.Name = Shown(operands[0])
	var all []*pendingLoad
	add := func(role selection.Role, operands []string) {
		for _, operand := range operands {
			l := &pendingLoad{operand: operand, role: role}
			if url, ok := cli.AsURL(operand); ok {
				l.url = url
			}
			all = append(all, l)
		}
	}
	add(selection.Measured, operands)
	add(selection.Base, f.Base)
	add(selection.DiffBase, f.DiffBase)
	if len(all) > 1 {
		f.Want = together(f.Want, all)
	}
	if f.Sum && len(all) > 1 && f.sum(s, all) {
		return s, nil
	}
	if err := f.fetchAll(ctx, s, all, progress); err != nil {
		return nil, err
	}
	for _, l := range all {
		if l.err != nil {
			continue // warned of
		}
		read, err := f.load(s, l, in)
		if err != nil {
			s.Close()
			return nil, err
		}
		l.data = nil
		for _, p := range read {
			if f.AllFrames {
				p.DropFrames, p.KeepFrames = "", ""
			}
			if p, err = f.name(s, p); err != nil {
				s.Close()
				return nil, err
			}
			s.Sources = append(s.Sources, selection.Source{Profile: p, Role: l.role})
		}
	}
	if len(all) > 1 && f.Want.Only != profile.Everything && !selection.ShareColumn(s.Sources, f.Want.Column) {
		s.Close()
		f.Want = profile.Want{}
		return f.Open(ctx, given, in, progress)
	}
	return s, nil
}

// together returns what is wanted of several profiles for one of which want is: their
// samples that are equal are found by their labels, too. What cannot be read twice is
// read whole, for it may turn out that the others do not fit it.
func together(want profile.Want, all []*pendingLoad) profile.Want {
	if want.Only != profile.Stacks || want.Above > 0 || slices.ContainsFunc(all, func(l *pendingLoad) bool { return !IsFile(l.operand) }) {
		return profile.Want{}
	}
	want.Only = profile.Samples
	return want
}

// IsFile reports whether an operand is a file, which can be read again.
func IsFile(operand string) bool { return operand != "-" && isRegular(operand) }

// Spare refuses to overwrite an input: a profile seldom has a copy.
func (s *Set) Spare(output string) error {
	st, err := os.Stat(output)
	if err != nil || output == "-" || !st.Mode().IsRegular() {
		return nil
	}
	for _, name := range append(slices.Clone(s.files), s.binary) {
		if own, err := os.Stat(name); err == nil && os.SameFile(st, own) {
			return cli.UsageError("%s is an input and would be overwritten: choose another name for the output", output)
		}
	}
	return nil
}

// Shown returns an operand for output to a file or a terminal, without the password of
// an address.
func Shown(operand string) string {
	if strings.Contains(operand, "://") {
		return recording.Redacted(operand)
	}
	return operand
}

// fetchAll asks all servers at once: what they record is of the same time. As
// in pprof, one of several that does not answer is left out, with a warning.
func (f *Options) fetchAll(ctx context.Context, s *Set, all []*pendingLoad, progress func(string)) error {
	var urls []string
	for _, l := range all {
		if l.url == "" {
			continue
		}
		if err := f.validate(l.url); err != nil {
			return err
		}
		urls = append(urls, l.url)
	}
	if len(urls) == 0 {
		return nil
	}
	if what := f.announce(urls); what != "" && progress != nil {
		progress(what)
		defer progress("")
	}
	// A bound, as on everything that comes in numbers.
	const together = 64
	slots := make(chan struct{}, together)
	var wg sync.WaitGroup
	for _, l := range all {
		if l.url == "" {
			continue
		}
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			l.data, l.err = f.Fetch(ctx, l.url, f.streamLimit())
		})
	}
	wg.Wait()
	answered := make(map[bool]int) // by: whether it is a base
	for _, l := range all {
		if l.err == nil {
			answered[l.role != selection.Measured]++
		}
	}
	for _, l := range all {
		if l.err == nil {
			continue
		}
		if ctx.Err() != nil || answered[l.role != selection.Measured] == 0 {
			return l.err
		}
		s.Warnings = append(s.Warnings, fmt.Sprintf("left out: %v", l.err))
	}
	return nil
}

// load reads one operand.
func (f *Options) load(s *Set, l *pendingLoad, in io.Reader) ([]*callstack.Profile, error) {
	if l.url != "" {
		p, err := Read(bytes.NewReader(l.data), int64(len(l.data)), f.Limits(), f.Want)
		if err != nil {
			return nil, fmt.Errorf("read profile %s: %w", recording.Redacted(l.url), err)
		}
		return []*callstack.Profile{p}, nil
	}
	if recording.Is(l.operand) {
		return f.loadRecording(s, l.operand)
	}
	s.files = append(s.files, l.operand)
	p, err := f.loadFile(l.operand, in)
	if err != nil {
		return nil, err
	}
	return []*callstack.Profile{p}, nil
}

func (f *Options) loadFile(operand string, in io.Reader) (*callstack.Profile, error) {
	if operand == "-" {
		return f.loadStream(operand, in)
	}
	file, err := os.Open(operand)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, cli.UsageError("no profile %s", operand)
	}
	if err != nil {
		return nil, fmt.Errorf("read profile: %w", err)
	}
	defer file.Close()
	st, err := file.Stat()
	if err != nil {
		return nil, fmt.Errorf("read profile: %w", err)
	}
	if st.IsDir() {
		return nil, cli.UsageError("%s is a directory and not a recording: name a profile file, a URL or a NAME.whet", operand)
	}
	if !st.Mode().IsRegular() {
		return f.loadStream(operand, file)
	}
	limits := f.Limits()
	if st.Size() > limits.MaxBytes {
		return nil, fmt.Errorf("read profile %s: larger than %s: record a shorter one, or raise the limit with -max_size", operand, quantity.Bytes(float64(limits.MaxBytes)))
	}
	p, err := Read(file, st.Size(), limits, f.Want)
	if errors.As(err, new(*fs.PathError)) {
		return nil, fmt.Errorf("read profile: %w", err) // it names the file
	}
	if err != nil {
		return nil, fmt.Errorf("read profile %s: %w", operand, err)
	}
	return p, nil
}

// loadStream reads what can be read only once.
func (f *Options) loadStream(name string, r io.Reader) (*callstack.Profile, error) {
	if name == "-" {
		name = "from the standard input"
	}
	limit := f.streamLimit()
	data, whole, err := capture.ReadAtMost(r, limit)
	switch {
	case errors.As(err, new(*fs.PathError)):
		return nil, fmt.Errorf("read profile: %w", err) // it names the file
	case err != nil:
		return nil, fmt.Errorf("read profile %s: %w", name, err)
	case !whole:
		return nil, fmt.Errorf("read profile %s: larger than %s: record a shorter one, write it to a file, or raise the limit with -max_size", name, quantity.Bytes(float64(limit)))
	}
	p, err := Read(bytes.NewReader(data), int64(len(data)), f.Limits(), f.Want)
	if err != nil {
		return nil, fmt.Errorf("read profile %s: %w", name, err)
	}
	return p, nil
}

// loadRecording reads a recording's profiles of the kind asked for. The
// recording stays open: its copies of the sources are read when a view wants
// them.
func (f *Options) loadRecording(s *Set, path string) ([]*callstack.Profile, error) {
	rec, err := s.openRecording(path)
	if err != nil {
		return nil, err
	}
	kind := cmp.Or(f.Kind, recording.KindCPU)
	artifacts := rec.Find(kind, f.Benchmark)
	if len(artifacts) == 0 {
		return nil, cli.UsageError("%s has no %s profile%s: it has %s", path, kind, ofBenchmark(f.Benchmark), strings.Join(profilesIn(rec), ", "))
	}
	var out []*callstack.Profile
	for _, a := range artifacts {
		p, err := f.loadArtifact(rec, path, a)
		if err != nil {
			return nil, err
		}
		out = append(out, p)
	}
	return out, nil
}

// openRecording opens one, which stays open as long as the set.
func (s *Set) openRecording(path string) (*recording.Recording, error) {
	rec, err := recording.Open(path)
	if err != nil {
		return nil, err
	}
	s.Recordings = append(s.Recordings, rec)
	if rec.Partial != "" {
		s.Warnings = append(s.Warnings, fmt.Sprintf("%s is partial: %s", path, rec.Partial))
	}
	return rec, nil
}

// loadArtifact reads a profile of a recording.
func (f *Options) loadArtifact(rec *recording.Recording, path string, a recording.Artifact) (*callstack.Profile, error) {
	data, err := rec.Read(a)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	p, err := profile.Read(bytes.NewReader(data), int64(len(data)), f.Limits())
	if err == nil {
		p, err = withoutAgent(a.Kind, p, f.Limits().Of(int64(len(data))).MaxFrames)
	}
	if err != nil {
		return nil, fmt.Errorf("read %s of %s: %w", a.Path, path, err)
	}
	return p, nil
}

// withoutAgent leaves the agent's own goroutines, waits and memory out of what whet
// recorded: they are not the program's. The CPU time that measuring takes stays, and
// so does all of a profile with more than so many frames.
func withoutAgent(kind string, p *callstack.Profile, most int64) (*callstack.Profile, error) {
	if kind == recording.KindCPU || kind == recording.KindWall {
		return p, nil
	}
	frames, err := p.Frames(most)
	if err != nil {
		return p, nil
	}
	agent := hot.OfAgent(frames)
	if !slices.Contains(agent, true) {
		return p, nil
	}
	return callstack.Merge(nil, p.Only(func(i int) bool { return !agent[i] }))
}
