package tune

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"whet/internal/capture/host"
	"whet/internal/gobench"
	"whet/internal/read"
	"whet/internal/recording"
	"whet/internal/report"
)

// session is what every way of recording has: the recording that is written,
// its clock, the build, and what the target prints.
type session struct {
	c      Common
	origin time.Time
	target *gobench.Target
	build  gobench.BuildOptions
	bin    *gobench.Binary
	binary string // its path inside the recording
	w      *recording.Writer
	frames *frameNames
	out    *outputKeeper

	known    read.Known
	decided  bool      // the compiler's decisions on the package itself are stored
	full     error     // the first thing that a full disk kept from being stored
	deadline time.Time // end of the measuring, when it is known
}

// Outcome is what a recording of any target leaves behind.
type Outcome struct {
	Path string // of the recording; "" when there was nothing to keep
	// Failures are benchmarks that could not be measured, a line each. The
	// others were.
	Failures []string

	reading *read.Reading // nil: measuring failed or was stopped before it was read
}

// Page lays out the report of the recording.
func (o *Outcome) Page() (*report.Page, error) { return read.Page(o.Path, o.reading) }

func newSession(c Common) session {
	return session{c: c, origin: c.Now(), out: newOutputKeeper(c.Output), build: gobench.BuildOptions{Tags: c.Tags, Flags: c.Flags}}
}

// resolve finds the package that the operand names.
func (s *session) resolve(ctx context.Context, operand string) error {
	s.progress(Progress{Stage: "looking at the package"})
	t, err := gobench.Resolve(ctx, s.c.Dir, operand, s.build)
	s.target = t
	return err
}

// create makes the recording, called name unless the user chose one.
func (s *session) create(name string) error {
	if s.c.Out == "" {
		s.c.Out = filepath.Join(s.c.Dir, name)
	}
	w, err := recording.Create(s.c.Out, s.origin)
	s.w = w
	return err
}

// addBinary has the binary built inside the recording.
func (s *session) addBinary(rel string, build func(name string) (*gobench.Binary, error)) error {
	name, err := s.w.File(rel)
	if err != nil {
		return err
	}
	start := s.c.Now()
	s.bin, err = build(name)
	if err != nil {
		return err
	}
	s.binary = rel
	s.frames = newFrameNames(s.target, s.bin, start)
	if s.c.NoBinary {
		return nil // it is removed at the end
	}
	return s.w.Add(recording.Artifact{Path: rel, Kind: recording.KindBinary, StartNs: s.since(start), EndNs: s.now()})
}

// binaryName is where a program's binary goes: profiles name its file.
func binaryName(t *gobench.Target) string {
	return "build/" + strings.TrimSuffix(defaultName(t.ImportPath), ".whet")
}

// describe fills the manifest with the machine and the build.
func (s *session) describe(kind string, args []string) {
	m := &s.w.Manifest
	m.Tool, m.Kind, m.Target, m.Command = s.c.Version, kind, recording.Redacted(s.c.Operand), recording.CommandLine(s.c.Command)
	m.Host = host.Facts(nil)
	if s.target == nil {
		return
	}
	m.Build = recording.Build{Package: s.target.ImportPath, Module: s.target.Module, ModuleVersion: s.target.ModuleVersion}
	for _, own := range s.target.Own {
		m.Build.OwnModules = append(m.Build.OwnModules, own.Path)
	}
	b := s.bin
	if b == nil {
		return
	}
	if s.c.Tags != "" {
		m.Build.Flags = append(m.Build.Flags, "-tags="+s.c.Tags)
	}
	m.Build.Flags = append(m.Build.Flags, s.c.Flags...)
	m.Build.Args = append(m.Build.Args, args...)
	m.Build.GoVersion, m.Build.BuildID, m.Build.Settings = b.GoVersion, b.BuildID, b.Settings
	m.Build.VCS, m.Build.Revision, m.Build.Dirty = b.VCS, b.Revision, b.Dirty
	m.Build.Race, m.Build.Cover, m.Build.Unoptimized = b.Race, b.Cover, b.Unoptimized
}

// addDiff keeps the working tree's changes against the revision.
func (s *session) addDiff(ctx context.Context) {
	if diff := s.bin.Diff(ctx); len(diff) > 0 {
		s.keep(s.w.Write(recording.Artifact{Path: "build/changes.diff", Kind: recording.KindDiff, StartNs: s.now(), EndNs: s.now()}, diff))
	}
}

func (s *session) since(t time.Time) int64 { return int64(t.Sub(s.origin)) }

func (s *session) now() int64 { return s.since(s.c.Now()) }

func (s *session) progress(p Progress) {
	if s.c.Progress == nil {
		return
	}
	if !s.deadline.IsZero() {
		p.Left = max(s.deadline.Sub(s.c.Now()), 0)
	}
	s.c.Progress(p)
}

// addOutput keeps what the target printed.
func (s *session) addOutput() {
	if data := s.out.Bytes(); len(data) > 0 {
		s.keep(s.w.Write(recording.Artifact{Path: "target/output.txt", Kind: recording.KindOutput, EndNs: s.now()}, data))
	}
}

// keep turns a failure to store something extra into a warning. A full disk is
// more than that, and said once: nothing that follows will be stored either.
func (s *session) keep(err error) {
	switch {
	case err == nil:
	case !errors.Is(err, syscall.ENOSPC) && !errors.Is(err, syscall.EDQUOT):
		s.w.Warn("%v", err)
	case s.full == nil:
		s.full = err
	}
}

// addFindings diagnoses what was recorded and keeps the answer beside it.
func (s *session) addFindings() (*read.Reading, error) {
	s.progress(Progress{Stage: "diagnosing"})
	if err := s.w.Checkpoint(); err != nil {
		return nil, err
	}
	rec, err := recording.Open(s.w.Dir())
	if err != nil {
		return nil, err
	}
	defer rec.Close()
	reading := read.Recording(rec, s.known)
	data, err := reading.Findings(s.c.Version)
	if err != nil {
		return nil, err
	}
	now := s.now()
	return reading, s.w.Write(recording.Artifact{Path: "findings.json", Kind: recording.KindFindings, StartNs: now, EndNs: now}, data)
}

// finish names the recording. A run that failed or was stopped keeps what it
// measured.
func (s *session) finish(err error) (o Outcome, _ error) {
	if err == nil {
		o.reading, err = s.addFindings()
		s.keep(err)
		err = nil
	}
	if s.full != nil {
		o.reading = nil // it is of more than the recording has
	}
	if err == nil && s.full != nil {
		err = fmt.Errorf("%w: parts of the recording are missing; make room where it goes (-o)", s.full)
	}
	partial := ""
	switch {
	case errors.Is(err, context.Canceled):
		partial = "interrupted"
	case err != nil:
		partial = err.Error()
	}
	if s.c.NoBinary && s.binary != "" {
		if name, nameErr := s.w.File(s.binary); nameErr == nil {
			os.Remove(name)
		}
	}
	var finishErr error
	o.Path, finishErr = s.w.Finish(time.Duration(s.now()), partial)
	return o, errors.Join(err, finishErr)
}
