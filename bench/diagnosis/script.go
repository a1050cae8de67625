package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"whet/internal/callstack"
	"whet/internal/format/profile"
	"whet/internal/recording"
)

// scriptLines is the number of lines that the script names.
const scriptLines = 5

// Spot is a line and its share of a profile.
type Spot struct {
	File  string  `json:"file"`
	Line  int     `json:"line"`
	Ratio float64 `json:"ratio"`
}

// script returns what whet is held against: each sample of the CPU profiles goes to
// the innermost line of the module's own code, tests apart, and the lines with
// the most come first. Samples without such a line count for the whole alone.
// there is the share of the lines that the commit changed, which tells a judge
// how much of the fault the benchmark shows.
func script(c *Case, rec *recording.Recording) (spots []Spot, there float64, err error) {
	files := own(c.Module, rec.Sources)
	cost := make(map[Spot]int64)
	total := int64(0)
	err = cpuProfiles(rec, func(p *callstack.Frames) error {
		t, err := p.TypeIndex("cpu")
		if err != nil {
			return err
		}
		total += p.Total(t)
		for s := p.Stacks(nil, t); s.Next(); {
			for _, id := range s.Stack {
				if file, ok := files[p.Frame(id).File]; ok {
					cost[Spot{File: file, Line: p.Frame(id).Line}] += s.Value(t)
					break
				}
			}
		}
		return nil
	})
	if err != nil {
		return nil, 0, err
	}
	for s, v := range cost {
		s.Ratio = float64(v) / float64(total)
		spots = append(spots, s)
		if c.right(s.File, s.Line) {
			there += s.Ratio
		}
	}
	slices.SortFunc(spots, func(a, b Spot) int {
		return cmp.Or(cmp.Compare(b.Ratio, a.Ratio), cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line))
	})
	return spots[:min(len(spots), scriptLines)], there, nil
}

// cpuProfiles visits the CPU profiles of a recording.
func cpuProfiles(rec *recording.Recording, visit func(p *callstack.Frames) error) error {
	for _, a := range rec.Artifacts {
		if a.Kind != recording.KindCPU {
			continue
		}
		data, err := rec.Read(a)
		if err != nil {
			return err
		}
		p, err := profile.ReadFrames(data, profile.DefaultLimits())
		if err == nil {
			err = visit(p)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", a.Path, err)
		}
	}
	return nil
}

// samples returns how many samples of CPU time a recording has, those of the
// garbage collector and of the test's own code included.
func samples(rec *recording.Recording) (n int64, err error) {
	err = cpuProfiles(rec, func(p *callstack.Frames) error {
		t, err := p.TypeIndex("samples")
		if err == nil {
			n += p.Total(t)
		}
		return err
	})
	return n, err
}

// own returns the files of the module's own code, tests apart: by their name in
// frames, relative to the module's root.
func own(module string, sources []recording.Source) map[string]string {
	out := make(map[string]string)
	for _, s := range sources {
		if s.Module == module && !strings.HasSuffix(s.Path, "_test.go") {
			out[s.Frame] = s.Path
		}
	}
	return out
}
