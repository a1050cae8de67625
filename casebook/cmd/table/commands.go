package main

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"time"

	"whet/internal/prove/rounds"
)

// commands measures a case whose stages are commands that end.
type commands struct {
	name    string
	program string

	output  string // of every run: all stages find the same
	unknown bool   // a run's peak of memory was
	first   map[string]rounds.Slice
}

// commandLimit bounds a run.
const commandLimit = 5 * time.Minute

func (l *commands) shares() bool { return true }

func (l *commands) warnings() []string {
	if l.unknown {
		return []string{"peak memory is left out where the system does not tell it"}
	}
	return nil
}

func (l *commands) takes(_ *measure, stage string) time.Duration {
	return time.Duration(l.first[stage][wallNs])
}

// ready runs each stage once: that shows what a slice takes, and where no round
// fits any more it is the one pair that there is.
func (l *commands) ready(ctx context.Context, g *group, _ time.Duration) error {
	l.first = make(map[string]rounds.Slice)
	for _, c := range g.comparisons {
		for _, stage := range []string{c.new, c.old} {
			if l.first[stage] != nil {
				continue
			}
			s, err := l.slice(ctx, c.measures[0], stage)
			if err != nil {
				return err
			}
			l.first[stage] = s
		}
	}
	return nil
}

func (l *commands) had(stage string) rounds.Slice { return l.first[stage] }

// slice runs a stage to its end. It fails where the stage prints another result
// than the one that was run first.
func (l *commands) slice(ctx context.Context, _ *measure, stage string) (rounds.Slice, error) {
	ctx, cancel := context.WithTimeout(ctx, commandLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, l.program, "-case", l.name, "-stage", stage)
	cmd.WaitDelay = time.Second
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	begun := time.Now()
	err := cmd.Run()
	took := time.Since(begun)
	if err != nil {
		return nil, fmt.Errorf("run stage %s: %w: %s", stage, err, lastLines(stdout.String()+stderr.String(), 5))
	}
	if l.output == "" {
		l.output = stdout.String()
	}
	if got := stdout.String(); got != l.output {
		return nil, fmt.Errorf("run stage %s: it printed %.200q, and the first that was run %.200q", stage, got, l.output)
	}
	s := rounds.Slice{
		wallNs: float64(took),
		cpuNs:  float64(cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()),
	}
	if peak := peakOfEnded(cmd); peak > 0 {
		s[peakBytes] = float64(peak)
	} else {
		l.unknown = true
	}
	return s, nil
}
