package drive

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"whet/internal/capture/host"
	"whet/internal/cli"
	loadformat "whet/internal/format/load"
	"whet/internal/load/slo"
	"whet/internal/loadresult"
	"whet/internal/record"
	"whet/internal/recording"
	"whet/internal/report/load"
)

// loadOutputs are the files written while a load runs: interval logs, to a file of
// their own (-hdr) and into a recording (-o).
type loadOutputs struct {
	start time.Time // of the load after its warm-up; zero: not there yet

	hdr    *hdrFile           // of -hdr
	writer *record.Recorder   // of -o
	load   *loadformat.Writer // into it
}

// hdrFile is the log of -hdr.
type hdrFile struct {
	*loadformat.Log
	file *os.File // nil: closed
	to   string   // the name that it gets; "": it has it from the beginning
}

// openOutputs opens the files that the flags request.
func (l *loadFlags) openOutputs(ctx context.Context, e *cli.Env, plan *loadPlan) (*loadOutputs, error) {
	k := new(loadOutputs)
	open := plan.options.Schedule.Open()
	if l.hdr != "" {
		f, to, err := createLog(l.hdr)
		if err != nil {
			return nil, fmt.Errorf("write %s: %w", l.hdr, err)
		}
		times := []loadformat.Logged{{Response: open}}
		if open {
			// What has no tag is what most viewers show.
			times = append(times, loadformat.Logged{Tag: loadformat.ServiceTag})
		}
		var w io.Writer = f
		if to == "" { // who should read it may not
			w = cli.UnlessStuck(ctx, f)
		}
		k.hdr = &hdrFile{loadformat.NewLog(w, cli.Version(), times...), f, to}
	}
	if l.out == "" {
		return k, nil
	}
	w, err := record.Create(record.Run{Path: l.out, Kind: recording.TargetLoad, Target: plan.told.URL, Command: e.Args, Version: cli.Version(), Origin: time.Now(), Now: time.Now})
	if err != nil {
		k.discard()
		return nil, err
	}
	w.Meter, w.Manifest.Host.GOMAXPROCS = host.Start(), 0 // the target's is not known
	k.writer, k.load = w, loadformat.NewWriter(w.Writer, cli.Version(), open)
	return k, nil
}

// createLog opens the log of -hdr under a temporary name beside the one that it
// gets once it is whole. A device or a pipe stays what it is and is written to.
func createLog(name string) (f *os.File, to string, err error) {
	if st, err := os.Stat(name); err == nil && !st.Mode().IsRegular() {
		f, err = os.OpenFile(name, os.O_WRONLY, 0)
		return f, "", err
	}
	return cli.CreateBeside(name)
}

// interval adds a second to all logs. Errors are reported when they
// are closed.
func (k *loadOutputs) interval(iv loadresult.Interval) {
	if k.start.IsZero() {
		k.start = iv.Start
	}
	if k.hdr != nil {
		k.hdr.Interval(iv)
	}
	if k.load != nil {
		k.load.Interval(iv)
	}
}

// end writes what is left of the log and closes it.
func (h *hdrFile) end(start time.Time) error {
	err := h.End(start)
	if pe, ok := errors.AsType[*os.PathError](err); ok {
		err = pe.Err // without the temporary name
	}
	if errors.Is(err, context.Canceled) {
		err = cli.ErrUnread
	}
	closed := h.file.Close()
	h.file = nil
	return cmp.Or(err, closed)
}

// commit puts the log of -hdr in its place.
func (k *loadOutputs) commit(start time.Time) error {
	if k.hdr == nil {
		return nil
	}
	f, name := k.hdr.file, k.hdr.to
	if name == "" {
		if err := k.hdr.end(start); err != nil {
			return fmt.Errorf("write %s: %w", f.Name(), err)
		}
		return nil
	}
	err := errors.Join(f.Chmod(0o644), k.hdr.end(start))
	if err == nil {
		err = cli.Rename(f, name)
	}
	if err != nil {
		os.Remove(f.Name())
		return fmt.Errorf("write %s: %w", name, err)
	}
	return nil
}

// discard removes what was not committed.
func (k *loadOutputs) discard() {
	if h := k.hdr; h != nil && h.file != nil {
		h.file.Close()
		if h.to != "" {
			os.Remove(h.file.Name())
		}
	}
	if k.load != nil {
		k.load.Close()
	}
	if k.writer != nil {
		k.writer.Discard()
	}
}

// finish completes the recording.
func (k *loadOutputs) finish(run *load.Run, bounds slo.Bounds) (path string, err error) {
	w, r := k.writer, run.Result
	if err := k.load.Finish(&run.Plan, r, bounds.String()); err != nil {
		return "", fmt.Errorf("write recording: %w", err)
	}
	w.Measured()
	for _, warning := range r.Warnings {
		w.Warn("%s", warning)
	}
	var interrupted error
	if r.Interrupted {
		interrupted = context.Canceled
	}
	k.writer = nil // from here on it is the writer's to keep or remove
	ending := w.Ending(interrupted)
	path, err = w.Finish(record.Partial(ending))
	if !r.Interrupted {
		err = errors.Join(err, ending)
	}
	return path, err
}
