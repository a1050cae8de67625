package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"whet/internal/printable"
)

// StatusLine is a line on a terminal that each update overwrites; in a pipe it
// prints nothing.
type StatusLine struct {
	mu    sync.Mutex
	w     io.Writer
	on    bool
	width int
	shown bool
}

// Status returns the line on stderr.
func (e *Env) Status() *StatusLine {
	width := e.Width
	if width == 0 {
		width = 80
	}
	return &StatusLine{w: e.Stderr, on: e.StderrTerminal, width: width}
}

// Set shows text, Clear removes it.
func (s *StatusLine) Set(format string, args ...any) {
	if !s.on {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	text := []rune(printable.Message(fmt.Sprintf(format, args...)))
	if len(text) > s.width-1 {
		text = text[:s.width-1]
	}
	fmt.Fprintf(s.w, "\r\x1b[K%s", string(text))
	s.shown = true
}

// Show shows text as it is, and removes the line where that is "".
func (s *StatusLine) Show(text string) {
	if text == "" {
		s.Clear()
	} else {
		s.Set("%s", text)
	}
}

func (s *StatusLine) Clear() {
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

// Line prints a line that stays.
func (s *StatusLine) Line(format string, args ...any) {
	if !s.on {
		return
	}
	s.Clear()
	fmt.Fprintf(s.w, format+"\n", args...)
}

// Step shows the progress of a measurement: its step, and the maximum duration, 0 if
// unknown. A plan, once made, stays.
func (s *StatusLine) Step(plan string, left time.Duration, parts ...string) {
	if plan != "" {
		s.Line("plan: %s", printable.Message(plan))
		return
	}
	if left > 0 {
		parts = append(parts, fmt.Sprintf("at most %v left", left.Round(time.Second)))
	}
	s.Set("%s", strings.Join(slices.DeleteFunc(parts, func(part string) bool { return part == "" }), " · "))
}
