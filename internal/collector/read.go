package collector

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"

	analyze "whet/internal/analyze/gc"
	"whet/internal/cli"
	"whet/internal/format/gctrace"
	"whet/internal/profiles"
	"whet/internal/quantity"
	"whet/internal/recording"
	"whet/internal/report/gc"
)

// pageOf returns the page of a log.
func pageOf(name string, t *gctrace.Trace, in analyze.Input, warnings ...string) *gc.Page {
	p := &gc.Page{Name: name, What: "gctrace log", Trace: t, Warnings: slices.Concat(t.Warnings(), warnings)}
	in.Process = gc.Biggest(t)
	if p.Process = in.Process; in.Process == nil {
		in.Process = &gctrace.Process{}
	}
	p.Result = analyze.Analyze(in)
	return p
}

// log reads a file or the standard input to its end, or until the context is done.
func (v *view) log(ctx context.Context, e *cli.Env, operand string) (*gc.Page, error) {
	in := e.Stdin
	if operand != "-" {
		var f *os.File
		err := cli.Abandonable(ctx, func() (err error) { // a pipe without a writer is waited for
			f, err = os.Open(operand)
			return err
		})
		if errors.Is(err, fs.ErrNotExist) {
			return nil, cli.UsageError("no log %s", operand)
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			return nil, fmt.Errorf("read gctrace: %w", err)
		}
		defer f.Close()
		if st, err := f.Stat(); err == nil && st.IsDir() {
			return nil, cli.UsageError("%s is a directory and not a recording: name a log, a URL or a NAME.whet", operand)
		}
		in = f
	}
	t, err := gctrace.Read(until(ctx, in))
	switch {
	case t.Cycles() == 0 && ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil && t.Cycles() == 0:
		return nil, err
	case t.Cycles() == 0 && len(t.Processes) == 0 && t.Counts.Ancient == 0:
		return nil, fmt.Errorf("read gctrace: %s: no GC line in %s: run the program with GODEBUG=gctrace=1 and save its standard error", profiles.Shown(operand), quantity.Plural(int(t.Counts.Lines), "line"))
	}
	var doubts []string
	if err != nil && ctx.Err() == nil {
		doubts = append(doubts, fmt.Sprintf("%v: only the part before was read", err))
	}
	return pageOf(profiles.Shown(operand), t, analyze.Input{LimitBytes: int64(v.limit)}, doubts...), nil
}

// until reads a stream until the context is done: a pipe stays open for as long as the
// program runs that writes to it.
func until(ctx context.Context, in io.Reader) io.Reader {
	r, w := io.Pipe()
	stop := context.AfterFunc(ctx, func() { w.CloseWithError(ctx.Err()) })
	go func() {
		defer stop()
		_, err := io.Copy(w, in)
		w.CloseWithError(err)
	}()
	return r
}

// recorded reads the logs of a recording, and what its heap profiles say of what grew.
func (v *view) recorded(_ context.Context, _ *cli.Env, operand string) (*gc.Page, error) {
	rec, err := recording.Open(operand)
	if err != nil {
		return nil, err
	}
	defer rec.Close()
	var all []byte
	var logs []recording.Artifact
	var from []int // the first line of each
	for _, a := range rec.Artifacts {
		if a.Kind != recording.KindGC {
			continue
		}
		data, err := rec.Read(a)
		if err != nil {
			return nil, err
		}
		logs, from = append(logs, a), append(from, bytes.Count(all, []byte("\n"))+1)
		all = append(all, data...)
		if len(data) > 0 && data[len(data)-1] != '\n' {
			all = append(all, '\n')
		}
	}
	if len(logs) == 0 {
		return nil, cli.UsageError("%s has no GC log: whet tune and whet record keep one for programs, services and benchmarks that they start", operand)
	}
	t, err := gctrace.Read(bytes.NewReader(all))
	if err != nil {
		return nil, err
	}
	p := pageOf(profiles.Shown(operand), t, analyze.Input{LimitBytes: int64(v.limit), Recorded: true})
	if p.Process == nil {
		return p, nil
	}
	log := logs[0]
	for i := range logs {
		if int64(from[i]) <= int64(p.Process.FirstLine) {
			log = logs[i]
		}
	}
	before, after, why, err := keptHeaps(rec, &log)
	switch {
	case err != nil:
		p.Warnings = append(p.Warnings, fmt.Sprintf("the growth is unknown: %v", err))
	case why != "":
		p.Warnings = append(p.Warnings, "the growth is unknown: "+why)
	default:
		p.Grown = grown(before, after)
		conclude(p)
	}
	return p, nil
}
