package main

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"time"

	"whet/internal/prove/rounds"
)

// benches measures benchmarks, each slice in a process of its own.
type benches struct {
	name     string
	programs *programs

	iterations map[string]int // by benchmark and stage
	took       map[string]time.Duration
}

const (
	// Slices are this long, as the time allows: longer ones average more of the
	// collector's cycles, shorter ones allow more rounds.
	shortestSlice = 20 * time.Millisecond
	longestSlice  = 100 * time.Millisecond
	// start is what a process takes beside its slice.
	start = 15 * time.Millisecond
	// wanted is how many rounds shall fit: two more than the widest of the cases
	// needs for its intervals.
	wanted = 12
	// processLimit bounds a slice: the longest takes some seconds.
	processLimit = time.Minute
)

func (l *benches) key(m *measure, stage string) string { return m.bench + " " + stage }

func (l *benches) shares() bool { return false }

func (l *benches) had(string) rounds.Slice { return nil }

func (l *benches) warnings() []string { return nil }

func (l *benches) takes(m *measure, stage string) time.Duration { return l.took[l.key(m, stage)] }

// ready chooses the iterations of each benchmark and stage.
func (l *benches) ready(ctx context.Context, g *group, within time.Duration) error {
	all := g.comparisons
	length := min(max(within/time.Duration(3*wanted*len(all))-start, shortestSlice), longestSlice)
	l.iterations, l.took = make(map[string]int), make(map[string]time.Duration)
	for _, c := range all {
		for _, stage := range []string{c.old, c.new} {
			m := c.measures[0]
			if _, ok := l.took[l.key(m, stage)]; ok {
				continue
			}
			begun := time.Now()
			got, n, err := l.run(ctx, m.bench, stage, shortestSlice.String())
			if err != nil {
				return err
			}
			took := time.Since(begun)
			l.iterations[l.key(m, stage)] = max(int(float64(length)/max(got[nsPerOp], 0.1)), 1)
			l.took[l.key(m, stage)] = took + max(length-time.Duration(got[nsPerOp]*float64(n)), 0)
		}
	}
	return nil
}

func (l *benches) slice(ctx context.Context, m *measure, stage string) (rounds.Slice, error) {
	n := l.iterations[l.key(m, stage)]
	got, ran, err := l.run(ctx, m.bench, stage, strconv.Itoa(n)+"x")
	if err == nil && ran != n {
		return nil, fmt.Errorf("%s ran %d iterations and not the %d it was asked for", m.bench, ran, n)
	}
	return got, err
}

// run runs one benchmark of a stage and returns what it showed of an operation,
// by unit, and its iterations.
func (l *benches) run(ctx context.Context, bench, stage, benchTime string) (rounds.Slice, int, error) {
	ctx, cancel := context.WithTimeout(ctx, processLimit)
	defer cancel()
	binary, dir := l.programs.test(l.name, stage)
	cmd := exec.CommandContext(ctx, binary, "-test.run=^$", "-test.bench="+pattern(bench), "-test.benchtime="+benchTime, "-test.benchmem")
	cmd.Dir = dir
	cmd.WaitDelay = time.Second
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return nil, 0, fmt.Errorf("run %s of %s: %w: %s", bench, stage, err, lastLines(stdout.String()+stderr.String(), 5))
	}
	s, n, err := readResult(stdout.String(), bench)
	if err != nil {
		return nil, 0, fmt.Errorf("run %s of %s: %w", bench, stage, err)
	}
	return s, n, nil
}

// pattern selects exactly the benchmark of a name.
func pattern(bench string) string {
	parts := strings.Split(bench, "/")
	for i, p := range parts {
		parts[i] = "^" + regexp.QuoteMeta(p) + "$"
	}
	return strings.Join(parts, "/")
}

// readResult reads the one line of a benchmark: its name, with the number of
// processors behind it where that is not one, its iterations, and pairs of a
// figure and its unit.
func readResult(text, bench string) (rounds.Slice, int, error) {
	var found []string
	for line := range strings.Lines(text) {
		f := strings.Fields(line)
		if len(f) < 4 || !strings.HasPrefix(f[0], "Benchmark") {
			continue
		}
		if found != nil {
			return nil, 0, fmt.Errorf("it gave two results: %s and %s", found[0], f[0])
		}
		found = f
	}
	if found == nil {
		return nil, 0, fmt.Errorf("it gave no result: %s", lastLines(text, 5))
	}
	name := found[0]
	if i := strings.LastIndexByte(name, '-'); i > 0 && name != bench {
		if _, err := strconv.Atoi(name[i+1:]); err == nil {
			name = name[:i]
		}
	}
	if name != bench {
		return nil, 0, fmt.Errorf("it gave the result of %s", found[0])
	}
	n, err := strconv.Atoi(found[1])
	if err != nil || n < 1 {
		return nil, 0, fmt.Errorf("its iterations are %q", found[1])
	}
	s := make(rounds.Slice)
	for i := 2; i+1 < len(found); i += 2 {
		v, err := strconv.ParseFloat(found[i], 64)
		if err != nil {
			return nil, 0, fmt.Errorf("its figure of %s is %q", found[i+1], found[i])
		}
		s[found[i+1]] = v
	}
	if !(s[nsPerOp] > 0) {
		return nil, 0, fmt.Errorf("it gave no time: %s", strings.Join(found, " "))
	}
	return s, n, nil
}
