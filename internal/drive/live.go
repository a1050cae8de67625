package drive

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"whet/internal/cli"
	"whet/internal/printable"

	"golang.org/x/term"
)

// liveLines are lines at the end of a terminal that are drawn over; in a pipe,
// or on a terminal that knows no cursor, there are none.
type liveLines struct {
	w     io.Writer
	on    bool
	color bool
	width int
	shown int // lines on the terminal
}

func newLiveLines(ctx context.Context, e *cli.Env) *liveLines {
	l := &liveLines{w: cli.UnlessStuck(ctx, e.Stderr), on: e.StderrTerminal && os.Getenv("TERM") != "dumb", width: 80}
	l.color = l.on && os.Getenv("NO_COLOR") == ""
	if f, ok := e.Stderr.(*os.File); ok && l.on {
		if w, _, err := term.GetSize(int(f.Fd())); err == nil && w > 0 {
			l.width = w
		}
	}
	return l
}

// draw puts lines in the place of those before. The cursor rests at the
// beginning of the line below them, so that what else is printed is readable.
func (l *liveLines) draw(lines []string) {
	if !l.on {
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

// clear takes them away.
func (l *liveLines) clear() {
	if l.on && l.shown > 0 {
		fmt.Fprintf(l.w, "\x1b[%dA\x1b[J", l.shown)
		l.shown = 0
	}
}

// fit cuts a line to the terminal's width.
func (l *liveLines) fit(text string) string {
	runes := []rune(printable.Message(text))
	return string(runes[:min(len(runes), l.width-1)])
}
