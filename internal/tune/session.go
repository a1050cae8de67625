package tune

import (
	"context"
	"errors"
	"os"
	"strings"
	"time"

	capture "whet/internal/capture/compiler"
	"whet/internal/capture/host"
	"whet/internal/dotwhet"
	"whet/internal/gobench"
	"whet/internal/read"
	"whet/internal/record"
	"whet/internal/recording"
	"whet/internal/report/run"
)

// session is the common part of all kinds of recordings: the recording, the build, and
// the target's output.
type session struct {
	c      Common
	target *gobench.Target
	build  gobench.BuildOptions
	bin    *gobench.Binary
	binary string // its path inside the recording
	w      *record.Recorder
	frames *record.Frames
	out    *outputKeeper

	known    read.ParsedParts
	decided  []string       // packages whose decisions by the compiler are stored
	graph    *capture.Graph // the packages that the binary is built from; nil: not known
	deadline time.Time      // end of the measuring, when it is known
	origin   time.Time
}

// Outcome is the result of recording any target.
type Outcome struct {
	Path string // of the recording; "" when there was nothing to keep
	// Failures are benchmarks that could not be measured, a line each. The
	// others were.
	Failures []string
	// Failed reports that a program ended by itself with a status other than 0: its
	// last output tells why.
	Failed bool

	reading *read.Reading // nil: measuring failed or was stopped before it was read
}

// Page lays out the report of the recording.
func (o *Outcome) Page() (*run.Page, error) {
	rec, err := read.Open(o.Path)
	if err != nil {
		return nil, err
	}
	defer rec.Close()
	return read.Page(rec, o.reading)
}

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

// create makes the recording of a kind of target, called name unless the user
// chose one, and begins to watch the machine.
func (s *session) create(kind, name string) (err error) {
	path := s.c.Out
	if path != "" {
		name = ""
	} else if path, err = dotwhet.New(s.c.Dir, name); err != nil {
		return err
	}
	s.w, err = record.Create(record.Run{Path: path, Default: name, Kind: kind, Target: s.c.Operand, Command: s.c.Command, Version: s.c.Version, Origin: s.origin, Now: s.c.Now})
	if err == nil {
		s.w.Meter = host.Start()
	}
	return err
}

// rename gives the recording another name than it was created with, unless the user
// chose that.
func (s *session) rename(name string) {
	m := &s.w.Manifest
	switch {
	case m.DefaultName == "":
	case strings.HasPrefix(m.DefaultName, costPrefix):
		m.DefaultName = costPrefix + name
	default:
		m.DefaultName = name
	}
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
	s.frames = record.NewFrames(s.target, s.bin, start)
	if s.c.NoBinary {
		return nil // it is removed at the end
	}
	return s.w.Add(recording.Artifact{Path: rel, Kind: recording.KindBinary, StartNs: s.w.Since(start), EndNs: s.w.Now()})
}

// binaryName returns where a program's binary goes: profiles name its file.
func binaryName(t *gobench.Target) string {
	return "build/" + dotwhet.Name(t.Family(), t.ImportPath)
}

// describe enters the build.
func (s *session) describe(args []string) {
	if s.target != nil {
		s.w.Manifest.Build = record.Build(s.target, s.bin, s.build, args)
	}
}

// addDiff keeps the working tree's changes against the revision.
func (s *session) addDiff(ctx context.Context) {
	if diff := s.bin.Diff(ctx); len(diff) > 0 {
		s.w.Keep(s.w.Write(recording.Artifact{Path: "build/changes.diff", Kind: recording.KindDiff, StartNs: s.w.Now(), EndNs: s.w.Now()}, diff))
	}
}

// left returns the rest of the budget.
func (s *session) left() time.Duration { return s.deadline.Sub(s.c.Now()) }

func (s *session) progress(p Progress) {
	if s.c.Progress == nil {
		return
	}
	if !s.deadline.IsZero() {
		p.Left = max(s.left(), 0)
	}
	s.c.Progress(p)
}

// measured ends a run that record ended with err: it finishes the recording if there
// are results, and after an interrupt in any case.
func (s *session) measured(ctx context.Context, err error, something bool) (Outcome, error) {
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	s.w.Measured()
	if !something && ctx.Err() == nil {
		return Outcome{}, err
	}
	return s.finish(err)
}

// addFindings diagnoses the recording and stores the findings in it.
func (s *session) addFindings() (*read.Reading, error) {
	s.progress(Progress{Stage: "diagnosing"})
	if err := s.w.Checkpoint(); err != nil {
		return nil, err
	}
	rec, err := read.Open(s.w.Dir())
	if err != nil {
		return nil, err
	}
	defer rec.Close()
	reading := read.Recording(rec, s.known)
	data, err := reading.Findings(s.c.Version)
	if err != nil {
		return nil, err
	}
	now := s.w.Now()
	return reading, s.w.Put(recording.Artifact{Path: "findings.json", Kind: recording.KindFindings, StartNs: now, EndNs: now}, data)
}

// finish names the recording. A run that failed or was stopped keeps its results.
func (s *session) finish(err error) (o Outcome, _ error) {
	if err == nil {
		var findingsErr error
		o.reading, findingsErr = s.addFindings()
		s.w.Keep(findingsErr)
	}
	if s.known.Decisions != nil {
		s.known.Decisions() // nobody asked where there is no reading
	}
	if err = s.w.Ending(err); err != nil {
		o.reading = nil // it is of more than the recording has
	}
	if s.c.NoSource { // the findings were made with it
		s.w.DropSources()
		for _, kind := range []string{recording.KindTypes, recording.KindDiagnostics, recording.KindDiff} {
			s.w.Drop(kind)
		}
	}
	if s.c.NoBinary && s.binary != "" {
		if name, nameErr := s.w.File(s.binary); nameErr == nil {
			os.Remove(name)
		}
	}
	var finishErr error
	o.Path, finishErr = s.w.Finish(record.Partial(err))
	return o, errors.Join(err, finishErr)
}
