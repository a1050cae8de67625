package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"whet/internal/printable"

	"golang.org/x/term"
)

// LiveLines are lines at the end of a terminal that are drawn over; in a pipe,
// or on a terminal that knows no cursor, there are none.
type LiveLines struct {
	On    bool // there is such a terminal
	Color bool
	Width int

	w     io.Writer
	shown int // lines on the terminal
}

// NewLiveLines determines the kind of the standard error.
func NewLiveLines(ctx context.Context, e *Env) *LiveLines {
	l := &LiveLines{w: UnlessStuck(ctx, e.Stderr), On: e.StderrTerminal && os.Getenv("TERM") != "dumb", Width: 80}
	l.Color = l.On && os.Getenv("NO_COLOR") == ""
	if f, ok := e.Stderr.(*os.File); ok && l.On {
		if w, _, err := term.GetSize(int(f.Fd())); err == nil && w > 0 {
			l.Width = w
		}
	}
	return l
}

// Draw replaces the lines drawn before. The cursor stays at the beginning of the line
// below them, so that other output is readable.
func (l *LiveLines) Draw(lines []string) {
	if !l.On {
		return
	}
	var b strings.Builder
	if l.shown > 0 {
		fmt.Fprintf(&b, "\x1b[%dA", l.shown)
	}
	for _, line := range lines {
		b.WriteString("\x1b[2K" + line + "\r\n")
	}
	b.WriteString("\x1b[J")
	io.WriteString(l.w, b.String())
	l.shown = len(lines)
}

// Clear takes them away.
func (l *LiveLines) Clear() {
	if l.On && l.shown > 0 {
		fmt.Fprintf(l.w, "\x1b[%dA\x1b[J", l.shown)
		l.shown = 0
	}
}

// Fit cuts a line to the terminal's width.
func (l *LiveLines) Fit(text string) string {
	runes := []rune(printable.Message(text))
	return string(runes[:min(len(runes), l.Width-1)])
}
