package app

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

	"whet/internal/analyze/selection"
	"whet/internal/callstack"
	"whet/internal/capture"
	"whet/internal/cli"
	"whet/internal/format/profile"
	"whet/internal/quantity"
	"whet/internal/recording"
	"whet/internal/symbol"
)

// sourceFlags choose what is read from the operands of a view: profiles, what
// they are compared with, and where the names of their addresses come from.
type sourceFlags struct {
	fetchFlags
	kind, benchmark string
	base, diffBase  cli.StringList
	maxSize         sizeFlag
	symbolize       string
	buildID         string
	allFrames       bool
}

func (f *sourceFlags) declare(fs *flag.FlagSet) {
	f.fetchFlags.declare(fs)
	fs.StringVar(&f.kind, "kind", "", "of a recording, read the profiles of this `kind`: cpu (the default), allocs, block, mutex; of a program or service also heap, goroutine, wall")
	fs.StringVar(&f.benchmark, "benchmark", "", "of a recording, read only the profiles of this benchmark, by `name`")
	fs.Var(&f.maxSize, "max_size", "refuse profiles of more than this `size`, packed or unpacked (default: 1GiB; from a pipe or a server 192MiB)")
	fs.StringVar(&f.symbolize, "symbolize", "", "where names of addresses come from, a `mode`: none, local (the binary), fastlocal (the same), force (the binary's instead of the profile's)")
	fs.StringVar(&f.buildID, "buildid", "", "the build `id` of the profile's program, where the profile does not say")
	fs.BoolVar(&f.allFrames, "all_frames", false, "keep the frames that the recorder asked to drop")
}

// declareBases makes the flags of what is subtracted.
func (f *sourceFlags) declareBases(fs *flag.FlagSet) {
	fs.Var(&f.base, "base", "subtract this `profile`; may be given several times")
	fs.Var(&f.diffBase, "diff_base", "subtract this `profile`, and show percentages of it; may be given several times")
}

// Bounds on a profile unless -max_size says otherwise. Of a file the size is
// known before it is read; a pipe or a server may never end.
const (
	maxProfileBytes = 1 << 30
	maxStreamBytes  = 192 << 20
)

// limits bound what is unpacked.
func (f *sourceFlags) limits() profile.Limits {
	l := profile.DefaultLimits()
	l.MaxBytes = cmp.Or(int64(f.maxSize), maxProfileBytes)
	if f.maxSize > 0 {
		l.MaxRatio = 0 // who names a size means it, however well the file is packed
	}
	if f.maxSize > maxProfileBytes {
		// Who wants more bytes wants what stands in them.
		times := min(int64(f.maxSize)/maxProfileBytes+1, 64) // numbers of records have 32 bits
		l.MaxFrames *= times
		l.MaxMemory *= times
	}
	return l
}

func (f *sourceFlags) streamLimit() int64 { return cmp.Or(int64(f.maxSize), maxStreamBytes) }

// sizeFlag is a size in bytes, as people write it.
type sizeFlag int64

func (s *sizeFlag) String() string {
	if *s == 0 {
		return ""
	}
	return quantity.Bytes(float64(*s))
}

func (s *sizeFlag) Set(text string) error {
	n, err := quantity.ParseBytes(text)
	if err == nil && n == 0 {
		err = errors.New("nothing is that small")
	}
	*s = sizeFlag(n)
	return err
}

// subject is what a view is of: all that its operands hold.
type subject struct {
	name       string // the first operand, for titles and errors
	sources    []selection.Source
	files      []string                  // those that were read
	binary     string                    // "" when none was named
	binaries   map[string]*symbol.Binary // those that are open
	recordings []*recording.Recording
	warnings   []string // besides the profiles' own
}

func (s *subject) close() {
	for _, r := range s.recordings {
		r.Close()
	}
	for _, b := range s.binaries {
		b.Close()
	}
}

// sampleTypes are those that all profiles have.
func (s *subject) sampleTypes() []string {
	var out []string
	for _, t := range s.sources[0].Profile.Types {
		if !slices.ContainsFunc(s.sources, func(other selection.Source) bool {
			return !slices.ContainsFunc(other.Profile.Types, func(o callstack.ValueType) bool { return o.Type == t.Type })
		}) {
			out = append(out, t.Type)
		}
	}
	return out
}

// sampleType is the name of what -sample_index stands for: a name, a number,
// one with the "inuse_" that old heap profiles leave out, or "" for the
// profile's own choice.
func (s *subject) sampleType(name string) (string, error) {
	types := s.sampleTypes()
	if i, err := strconv.Atoi(name); err == nil && i >= 0 && i < len(types) {
		return types[i], nil
	}
	first := s.sources[0].Profile
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
		return "", fmt.Errorf("%s: the profiles have no sample type in common", s.name)
	}
	return "", cli.UsageError("there is no sample type %q: the profile has %s", name, strings.Join(types, ", "))
}

// loading is one operand on its way.
type loading struct {
	operand string
	role    selection.Role
	url     string // "" for a file
	data    []byte // what the server answered
	err     error
}

// open reads [BINARY] PROFILE…: files, URLs and recordings, and the bases.
func (f *sourceFlags) open(ctx context.Context, e *cli.Env, operands []string) (*subject, error) {
	s := &subject{}
	if len(operands) > 1 && isExecutable(operands[0]) {
		s.binary, operands = operands[0], operands[1:]
	}
	if len(operands) == 0 {
		return nil, cli.UsageError("name a profile: a file, a URL or a recording")
	}
	if len(f.base) > 0 && len(f.diffBase) > 0 {
		return nil, cli.UsageError("-base and -diff_base are two ways to compare: choose one")
	}
	if err := f.checkSymbolize(); err != nil {
		return nil, err
	}
	if f.kind != "" || f.benchmark != "" {
		for _, operand := range operands {
			if !recording.Is(operand) {
				return nil, cli.UsageError("-kind and -benchmark choose among the profiles of a recording, and %s is not one", operand)
			}
		}
	}
	s.name = shown(operands[0])
	var all []*loading
	add := func(role selection.Role, operands []string) {
		for _, operand := range operands {
			l := &loading{operand: operand, role: role}
			if url, ok := asURL(operand); ok {
				l.url = url
			}
			all = append(all, l)
		}
	}
	add(selection.Measured, operands)
	add(selection.Base, f.base)
	add(selection.DiffBase, f.diffBase)
	if err := f.fetchAll(ctx, e, s, all); err != nil {
		return nil, err
	}
	for _, l := range all {
		if l.err != nil {
			continue // warned of
		}
		profiles, err := f.load(e, s, l)
		if err != nil {
			s.close()
			return nil, err
		}
		l.data = nil
		for _, p := range profiles {
			if f.allFrames {
				p.DropFrames, p.KeepFrames = "", ""
			}
			if p, err = f.name(s, p); err != nil {
				s.close()
				return nil, err
			}
			s.sources = append(s.sources, selection.Source{Profile: p, Role: l.role})
		}
	}
	return s, nil
}

// spare refuses to write over what is being looked at: a profile is seldom
// there twice.
func (s *subject) spare(output string) error {
	st, err := os.Stat(output)
	if err != nil || output == "-" || !st.Mode().IsRegular() {
		return nil
	}
	for _, name := range append(slices.Clone(s.files), s.binary) {
		if own, err := os.Stat(name); err == nil && os.SameFile(st, own) {
			return cli.UsageError("%s is read here, and would be replaced: choose another name for the output", output)
		}
	}
	return nil
}

// shown is an operand as it may stand in a file or on a terminal: the password
// in an address is nobody's who reads them.
func shown(operand string) string {
	if strings.Contains(operand, "://") {
		return recording.Redacted(operand)
	}
	return operand
}

// fetchAll asks all servers at once: what they record is of the same time. As
// in pprof, one of several that does not answer is left out, with a warning.
func (f *sourceFlags) fetchAll(ctx context.Context, e *cli.Env, s *subject, all []*loading) error {
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
	status := e.Status()
	f.announce(status, urls)
	defer status.Clear()
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
			l.data, l.err = f.fetch(ctx, l.url, f.streamLimit())
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
		s.warnings = append(s.warnings, fmt.Sprintf("left out: %v", l.err))
	}
	return nil
}

// load reads one operand.
func (f *sourceFlags) load(e *cli.Env, s *subject, l *loading) ([]*callstack.Packed, error) {
	if l.url != "" {
		p, err := readProfile(content{bytes.NewReader(l.data), int64(len(l.data))}, f.limits())
		if err != nil {
			return nil, fmt.Errorf("read profile %s: %w", recording.Redacted(l.url), err)
		}
		return []*callstack.Packed{p}, nil
	}
	if recording.Is(l.operand) {
		return f.loadRecording(s, l.operand)
	}
	s.files = append(s.files, l.operand)
	p, err := f.loadFile(e, l.operand)
	if err != nil {
		return nil, err
	}
	return []*callstack.Packed{p}, nil
}

func (f *sourceFlags) loadFile(e *cli.Env, operand string) (*callstack.Packed, error) {
	if operand == "-" {
		return f.loadStream(operand, e.Stdin)
	}
	file, err := os.Open(operand)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, cli.UsageError("there is no profile %s", operand)
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
	limits := f.limits()
	if st.Size() > limits.MaxBytes {
		return nil, fmt.Errorf("read profile %s: it is larger than %s: record a shorter one, or raise the bound with -max_size", operand, quantity.Bytes(float64(limits.MaxBytes)))
	}
	p, err := readProfile(content{file, st.Size()}, limits)
	if errors.As(err, new(*fs.PathError)) {
		return nil, fmt.Errorf("read profile: %w", err) // it names the file
	}
	if err != nil {
		return nil, fmt.Errorf("read profile %s: %w", operand, err)
	}
	return p, nil
}

// loadStream reads what can be read only once.
func (f *sourceFlags) loadStream(name string, r io.Reader) (*callstack.Packed, error) {
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
		return nil, fmt.Errorf("read profile %s: it is larger than %s: record a shorter one, write it to a file, or raise the bound with -max_size", name, quantity.Bytes(float64(limit)))
	}
	p, err := readProfile(content{bytes.NewReader(data), int64(len(data))}, f.limits())
	if err != nil {
		return nil, fmt.Errorf("read profile %s: %w", name, err)
	}
	return p, nil
}

// loadRecording reads a recording's profiles of the kind asked for. The
// recording stays open: its copies of the sources are read when a view wants
// them.
func (f *sourceFlags) loadRecording(s *subject, path string) ([]*callstack.Packed, error) {
	rec, err := recording.Open(path)
	if err != nil {
		return nil, err
	}
	s.recordings = append(s.recordings, rec)
	if rec.Partial != "" {
		s.warnings = append(s.warnings, fmt.Sprintf("%s is partial: %s", path, rec.Partial))
	}
	kind := cmp.Or(f.kind, recording.KindCPU)
	artifacts := rec.Find(kind, f.benchmark)
	if len(artifacts) == 0 {
		return nil, cli.UsageError("%s holds no %s profile%s: it has %s", path, kind, ofBenchmark(f.benchmark), strings.Join(profilesIn(rec), ", "))
	}
	var out []*callstack.Packed
	for _, a := range artifacts {
		data, err := rec.Read(a)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		p, err := profile.ReadPacked(bytes.NewReader(data), int64(len(data)), f.limits())
		if err != nil {
			return nil, fmt.Errorf("read %s of %s: %w", a.Path, path, err)
		}
		out = append(out, p)
	}
	return out, nil
}
