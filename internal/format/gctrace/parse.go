package gctrace

import (
	"bytes"
	"fmt"
	"time"
)

// maxLine bounds a line of gctrace, which takes some 150 bytes; longer ones are
// not looked at.
const maxLine = 1 << 10

// Parse returns the cycles in a program's standard error, in the order of
// their lines, and warnings about what is missing from them. All other lines
// are passed over.
func Parse(data []byte) (cycles []Cycle, warnings []string) {
	var cut, missing, back int
	var firstCut, firstBack int
	for n := 1; len(data) > 0; n++ {
		var line []byte
		line, data, _ = bytes.Cut(data, []byte("\n"))
		c, ok := parseLine(line)
		if !ok {
			if begins(line) {
				if cut++; cut == 1 {
					firstCut = n
				}
			}
			continue
		}
		if len(cycles) > 0 {
			switch last := &cycles[len(cycles)-1]; {
			case c.N <= last.N || c.At < last.At:
				if back++; back == 1 {
					firstBack = n
				}
			default:
				missing += int(min(c.N-last.N-1, 1<<30))
			}
		}
		cycles = append(cycles, c)
	}
	if cut > 0 {
		warnings = append(warnings, fmt.Sprintf("read gctrace: lines that begin like a cycle's and are none: %d, the first is line %d", cut, firstCut))
	}
	if missing > 0 {
		warnings = append(warnings, fmt.Sprintf("read gctrace: cycles that have no line of their own: %d; other output cut them up", missing))
	}
	if back > 0 {
		warnings = append(warnings, fmt.Sprintf("read gctrace: cycles that run backwards: %d, the first in line %d; the process restarted, or a child of it prints too", back, firstBack))
	}
	return cycles, warnings
}

// IsLine reports whether a line, with or without its end, is the runtime's: a
// whole cycle or a scvg line. Whoever passes on a program's standard error can
// leave those out.
func IsLine(line []byte) bool {
	line = bytes.TrimSuffix(line, []byte("\n"))
	_, ok := parseLine(line)
	return ok || isScavenger(line)
}

// Begins reports whether text can be the beginning of a cycle's line, or is one
// as a whole, its end included. The runtime writes a line in fifty pieces, and
// other writers of the same stream come between them: each write by itself is
// the runtime's if what stands there with it is still a beginning.
func Begins(text []byte) bool {
	line, whole := bytes.CutSuffix(text, []byte("\n"))
	_, s := scan(line)
	return !s.failed && len(s.rest) == 0 || !whole && s.short
}

// begins reports that a line begins as a cycle's does.
func begins(line []byte) bool {
	s := scanner{rest: line}
	s.skip("gc ")
	s.whole()
	s.skip(" @")
	return !s.failed
}

// isScavenger knows "scvg: 8 MB released" and, of older releases, "scvg12:
// inuse: 3, idle: 59, sys: 63, released: 57, consumed: 5 (MB)".
func isScavenger(line []byte) bool {
	s := scanner{rest: line}
	s.skip("scvg")
	if !s.at(":") {
		s.whole()
	}
	s.skip(": ")
	return !s.failed && (bytes.HasSuffix(line, []byte(" MB released")) || bytes.HasSuffix(line, []byte(" (MB)")))
}

// parseLine reads one line:
//
//	gc 7 @0.105s 3%: 0.012+1.1+0.004 ms clock, 0.024+0.3/0.9/0+0.009 ms cpu,
//	5->6->2 MB, 6 MB goal, 0 MB stacks, 0 MB globals, 2 P (forced)
func parseLine(line []byte) (c Cycle, ok bool) {
	c, s := scan(bytes.TrimSuffix(line, []byte("\r")))
	if s.failed || len(s.rest) > 0 || c.N == 0 {
		return Cycle{}, false
	}
	return c, true
}

// scan reads one line as far as it is one.
func scan(line []byte) (c Cycle, s scanner) {
	s.rest = line
	if len(line) > maxLine {
		s.fail(false)
	}
	s.skip("gc ")
	c.N = s.whole()
	s.skip(" @")
	c.At = s.duration(time.Second)
	s.skip("s ")
	c.CPUPercent = int(s.whole())
	s.skip("%")
	s.optional(" (checking for goroutine leaks)")
	s.skip(": ")

	for _, phase := range []struct {
		to    *time.Duration
		after string
	}{
		{&c.SweepTerm, "+"}, {&c.Mark, "+"}, {&c.MarkTerm, " ms clock, "},
		{&c.SweepTermCPU, "+"}, {&c.AssistCPU, "/"}, {&c.BackgroundCPU, "/"}, {&c.IdleCPU, "+"}, {&c.MarkTermCPU, " ms cpu, "},
	} {
		*phase.to = s.duration(time.Millisecond)
		s.skip(phase.after)
	}

	c.StartBytes = s.mebibytes()
	s.skip("->")
	c.EndBytes = s.mebibytes()
	s.skip("->")
	c.LiveBytes = s.mebibytes()
	s.skip(" MB, ")
	c.GoalBytes = s.goal()
	s.skip(" MB goal, ")
	// Three numbers from Go 1.18 on, else only the last.
	c.StackBytes, c.GlobalBytes = -1, -1
	n := s.whole()
	if s.optional(" MB stacks, ") {
		c.StackBytes = s.scale(n)
		c.GlobalBytes = s.mebibytes()
		s.skip(" MB globals, ")
		n = s.whole()
	}
	c.Procs = int(n)
	s.skip(" P")
	c.Forced = s.optional(" (forced)")
	return c, s
}
