package gctrace

import (
	"bytes"
	"time"
)

// maxLine bounds a line of the runtime's, which takes some 150 bytes; longer ones are
// not looked at.
const maxLine = 1 << 10

// IsLine reports whether a line, with or without its end, is the runtime's: a
// whole cycle, an initialization or a scvg line. A caller that passes on a
// program's standard error can leave those lines out.
func IsLine(line []byte) bool {
	line = bytes.TrimSuffix(line, []byte("\n"))
	if _, ok := parseCycle(line); ok {
		return true
	}
	_, ok := parseInit(line)
	return ok || isScavenger(line)
}

// Begins reports whether text can be the beginning of a cycle's or an
// initialization's line, or is one as a whole, its end included. The runtime writes a
// line in fifty pieces, and other writers of the same stream come between them: each
// write by itself is the runtime's if what stands there with it is still a beginning.
func Begins(text []byte) bool {
	line, whole := bytes.CutSuffix(text, []byte("\n"))
	if bytes.HasPrefix(line, []byte("init ")) {
		_, s := scanInit(line)
		return s.begins(whole)
	}
	_, s := scanCycle(line)
	return s.begins(whole)
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

// isAncient knows the cycles of Go 1.4 and older, "gc1(1): 0+0+12+0 us, …": they say
// neither when they were nor what was alive after them.
func isAncient(line []byte) bool {
	s := scanner{rest: line}
	s.skip("gc")
	s.whole()
	s.skip("(")
	s.whole()
	s.skip("): ")
	s.whole()
	s.skip("+")
	return !s.failed
}

// parseCycle reads one line:
//
//	gc 7 @0.105s 3%: 0.012+1.1+0.004 ms clock, 0.024+0.3/0.9/0+0.009 ms cpu,
//	5->6->2 MB, 6 MB goal, 0 MB stacks, 0 MB globals, 2 P (forced)
func parseCycle(line []byte) (c Cycle, ok bool) {
	c, s := scanCycle(bytes.TrimSuffix(line, []byte("\r")))
	if !s.done() || c.N == 0 {
		return Cycle{}, false
	}
	return c, true
}

// scanCycle reads one line as far as it is one.
func scanCycle(line []byte) (c Cycle, s scanner) {
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

	ms := func() time.Duration { return s.duration(time.Millisecond) }
	then := func(text string) time.Duration { // a time after some text
		s.skip(text)
		return ms()
	}
	// Three phases, or five of Go 1.5.
	c.SweepTerm, c.Mark, c.MarkTerm = ms(), then("+"), then("+")
	five := s.optional("+")
	if five {
		sync, mark := c.MarkTerm, ms()
		c.Mark, c.MarkTerm = c.Mark+sync+mark, then("+")
	}
	s.skip(" ms clock, ")
	c.SweepTermCPU, c.AssistCPU = ms(), then("+")
	if five {
		c.BackgroundCPU = c.AssistCPU + then("+")
		c.AssistCPU = then("+")
	}
	c.BackgroundCPU += then("/")
	c.IdleCPU, c.MarkTermCPU = then("/"), then("+")
	s.skip(" ms cpu, ")

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

// parseInit reads one line:
//
//	init net/http @1.5 ms, 0.059 ms clock, 4800 bytes, 33 allocs
func parseInit(line []byte) (i Init, ok bool) {
	i, s := scanInit(bytes.TrimSuffix(line, []byte("\r")))
	return i, s.done()
}

// scanInit reads one line as far as it is one.
func scanInit(line []byte) (i Init, s scanner) {
	s.rest = line
	if len(line) > maxLine {
		s.fail(false)
	}
	s.skip("init ")
	i.Package = s.word()
	s.skip(" @")
	i.At = s.duration(time.Millisecond)
	s.skip(" ms, ")
	i.Wall = s.duration(time.Millisecond)
	s.skip(" ms clock, ")
	i.Bytes = s.whole()
	s.skip(" bytes, ")
	i.Allocs = s.whole()
	s.skip(" allocs")
	return i, s
}
