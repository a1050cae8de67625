package app

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"whet/internal/quantity"
	"whet/internal/tune"
)

// statusLine is one line on a terminal that is written over; in a pipe it is
// silent.
type statusLine struct {
	mu    sync.Mutex
	w     io.Writer
	on    bool
	width int
	shown bool
}

func (e *env) status() *statusLine {
	width := e.width
	if width == 0 {
		width = 80
	}
	return &statusLine{w: e.stderr, on: e.stderrTerminal, width: width}
}

// set shows text; clear removes it.
func (s *statusLine) set(format string, args ...any) {
	if !s.on {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	text := []rune(oneLine(fmt.Sprintf(format, args...)))
	if len(text) > s.width-1 {
		text = text[:s.width-1]
	}
	fmt.Fprintf(s.w, "\r\x1b[K%s", string(text))
	s.shown = true
}

func (s *statusLine) clear() {
	if !s.on {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.shown {
		fmt.Fprint(s.w, "\r\x1b[K")
		s.shown = false
	}
}

// line prints a line that stays.
func (s *statusLine) line(format string, args ...any) {
	if !s.on {
		return
	}
	s.clear()
	fmt.Fprintf(s.w, format+"\n", args...)
}

// tuneProgress shows where a recording stands.
func (s *statusLine) tuneProgress(p tune.Progress) {
	if p.Plan != "" {
		s.line("plan: %s", oneLine(p.Plan))
		return
	}
	parts := []string{p.Stage}
	if p.Benchmark != "" {
		parts = append(parts, strings.TrimPrefix(p.Benchmark, "Benchmark"))
	}
	if p.Wanted > 0 {
		parts = append(parts, fmt.Sprintf("%s of %s samples", quantity.Count(float64(p.Samples)), quantity.Count(float64(p.Wanted))))
	}
	if p.Requests > 0 {
		parts = append(parts, quantity.Plural(int(p.Requests), "request"))
	}
	if p.Errors > 0 {
		parts = append(parts, fmt.Sprintf("%s failed", quantity.Count(float64(p.Errors))))
	}
	if p.Left > 0 {
		parts = append(parts, fmt.Sprintf("at most %v left", p.Left.Round(time.Second)))
	}
	s.set("%s", strings.Join(parts, " · "))
}
