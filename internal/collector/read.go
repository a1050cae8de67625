package collector

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	analyze "whet/internal/analyze/gc"
	"whet/internal/cli"
	"whet/internal/format/gctrace"
	"whet/internal/profiles"
	"whet/internal/recording"
	"whet/internal/report/gc"
)

// pageOf is the page of a log.
func pageOf(name string, t *gctrace.Trace, in analyze.Input, warnings ...string) *gc.Page {
	p := &gc.Page{Name: name, What: "gctrace log", Trace: t, Warnings: slices.Concat(t.Warnings(), warnings)}
	in.Process = gc.Biggest(t)
	if p.Process = in.Process; in.Process == nil {
		in.Process = &gctrace.Process{}
	}
	p.Result = analyze.Analyze(in)
	return p
}

// log reads a file or the standard input to its end.
func (v *view) log(_ context.Context, e *cli.Env, operand string) (*gc.Page, error) {
	in := e.Stdin
	if operand != "-" {
		f, err := os.Open(operand)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, cli.UsageError("there is no log %s", operand)
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
	t, err := gctrace.Read(in)
	switch {
	case err != nil && t.Cycles() == 0:
		return nil, err
	case t.Cycles() == 0 && len(t.Processes) == 0 && t.Counts.Ancient == 0:
		return nil, fmt.Errorf("read gctrace: %s: none of %d lines is the collector's: run the program with GODEBUG=gctrace=1 and keep its standard error", profiles.Shown(operand), t.Counts.Lines)
	}
	var doubts []string
	if err != nil {
		doubts = append(doubts, fmt.Sprintf("%v: what stands before is read", err))
	}
	return pageOf(profiles.Shown(operand), t, analyze.Input{LimitBytes: int64(v.limit)}, doubts...), nil
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
		return nil, cli.UsageError("%s holds no log of the collector: whet tune and whet record keep one of programs, services and benchmarks that they start", operand)
	}
	t, err := gctrace.Read(bytes.NewReader(all))
	if err != nil {
		return nil, err
	}
	p := pageOf(profiles.Shown(operand), t, analyze.Input{LimitBytes: int64(v.limit)})
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
		p.Warnings = append(p.Warnings, fmt.Sprintf("what grows is unknown: %v", err))
	case why != "":
		p.Warnings = append(p.Warnings, "what grows is unknown: "+why)
	default:
		p.Grown = grown(before, after)
		conclude(p)
	}
	return p, nil
}
