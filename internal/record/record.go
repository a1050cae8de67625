package record

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"syscall"
	"time"

	"whet/internal/capture/host"
	"whet/internal/recording"
)

// Run describes the subject of a recording.
type Run struct {
	Path    string   // of the recording, NAME.whet
	Default string   // the name without ".whet" where whet chose it; a number is added to one that is taken
	Kind    string   // of the target: recording.TargetBenchmark, ...
	Target  string   // as the user gave it
	Command []string // whet's own command line
	Version string   // of whet
	Origin  time.Time
	Now     func() time.Time
}

// Recorder is a recording that is being made.
type Recorder struct {
	*recording.Writer
	// Meter watches the machine; nil: nobody does.
	Meter *host.Meter

	now     func() time.Time
	full    error           // the first thing that a full disk kept from being stored
	sources map[string]bool // that are stored, by the frame's file
}

// Create begins a recording with the facts known before the measurement.
func Create(run Run) (*Recorder, error) {
	w, err := recording.Create(run.Path, run.Origin)
	if err != nil {
		return nil, err
	}
	m := &w.Manifest
	m.DefaultName = run.Default
	m.Tool, m.Kind, m.Target, m.Command = run.Version, run.Kind, recording.Redacted(run.Target), recording.CommandLine(run.Command)
	m.Host = host.Facts(nil)
	if err := w.Checkpoint(); err != nil { // one that is killed says what it was of
		w.Discard()
		return nil, fmt.Errorf("create recording %s: %w", run.Path, err)
	}
	return &Recorder{Writer: w, now: run.Now, sources: make(map[string]bool)}, nil
}

// Since returns a moment on the recording's clock.
func (r *Recorder) Since(t time.Time) int64 { return int64(t.Sub(r.Manifest.Origin)) }

// Now is this moment.
func (r *Recorder) Now() int64 { return r.Since(r.now()) }

// Measured ends the watch on the machine.
func (r *Recorder) Measured() { r.Meter.Stop(&r.Manifest.Host) }

// Keep turns a failure to store optional data into a warning. A full disk is more than
// that, and reported once: nothing after it will be stored either.
func (r *Recorder) Keep(err error) {
	switch {
	case err == nil:
	case !IsFull(err):
		r.Warn("%v", err)
	case r.full == nil:
		r.full = err
	}
}

// IsFull reports whether an error is of a full disk.
func IsFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}

// Ending returns the error that the run ends with: its own, or that of a full disk.
func (r *Recorder) Ending(err error) error {
	if err == nil && r.full != nil {
		return fmt.Errorf("%w: parts of the recording are missing; free space there, or write elsewhere with -o", r.full)
	}
	return err
}

// AddOutput stores the target's output.
func (r *Recorder) AddOutput(data []byte) {
	if len(data) > 0 {
		r.Keep(r.Write(recording.Artifact{Path: "target/output.txt", Kind: recording.KindOutput, EndNs: r.Now()}, data))
	}
}

// Finish names the recording and returns its path. partial is the reason that it is
// incomplete; "" if complete.
func (r *Recorder) Finish(partial string) (string, error) {
	return r.Writer.Finish(time.Duration(r.Now()), partial)
}

// Partial returns why a recording is not whole that a run left which ended with err.
func Partial(err error) string {
	switch {
	case err == nil:
		return ""
	case errors.Is(err, context.Canceled):
		return "interrupted"
	}
	return err.Error()
}

// Slug makes a file name of any name; the number keeps it apart from others.
func Slug(i int, name string) string {
	name = strings.Map(func(c rune) rune {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '-', c == '_':
			return c
		}
		return '-'
	}, name)
	return fmt.Sprintf("%02d-%.60s", i+1, name)
}
