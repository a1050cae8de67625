package main

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"whet/internal/analyze/compare"
	"whet/internal/capture/process"
)

// commands measures a case whose stages are commands that end.
type commands struct {
	name    string
	program string

	output  string // of every run: all stages find the same
	unknown bool   // a run's peak of memory was
	took    map[target]time.Duration
}

// commandLimit bounds a run.
const commandLimit = 5 * time.Minute

func (l *commands) warnings() []string {
	if l.unknown {
		return []string{"peak memory is left out where the system does not tell it, as where it is not above this program's own"}
	}
	return nil
}

func (l *commands) takes(r target) time.Duration { return l.took[r] }

// ready runs each stage once: that shows what a slice takes, and where no round
// fits any more it is the one pair that there is.
func (l *commands) ready(ctx context.Context, g *group, _ time.Duration) (map[target]compare.Slice, error) {
	l.took = make(map[target]time.Duration)
	had := make(map[target]compare.Slice)
	runs := g.targets()
	for _, i := range rand.Perm(len(runs)) {
		s, err := l.slice(ctx, runs[i])
		if err != nil {
			return nil, err
		}
		had[runs[i]], l.took[runs[i]] = s, time.Duration(s[wallNs])
	}
	return had, nil
}

// slice runs a stage to its end. It fails where the stage prints another result
// than the one that was run first.
func (l *commands) slice(ctx context.Context, r target) (compare.Slice, error) {
	var stdout, stderr bytes.Buffer
	res, err := process.Run(ctx, process.Command{
		Path: l.program, Args: []string{"-case", l.name, "-stage", r.stage},
		Stdout: &stdout, Stderr: &stderr, MaxOutput: maxOutput, Timeout: commandLimit,
	})
	if err != nil {
		return nil, fmt.Errorf("run stage %s: %w", r.stage, err)
	}
	if !res.OK() {
		return nil, fmt.Errorf("run stage %s: %s: %s", r.stage, ending(res), lastLines(stdout.String()+stderr.String(), 5))
	}
	if l.output == "" {
		l.output = stdout.String()
	}
	if got := stdout.String(); got != l.output {
		return nil, fmt.Errorf("run stage %s: it printed %.200q, and the first that was run %.200q", r.stage, got, l.output)
	}
	s := compare.Slice{wallNs: float64(res.Exited.Sub(res.Start)), cpuNs: float64(res.UserCPU + res.SystemCPU)}
	if res.MaxRSSBytes > 0 {
		s[peakBytes] = float64(res.MaxRSSBytes)
	} else {
		l.unknown = true
	}
	return s, nil
}
