package cli

import (
	"fmt"
	"io"
	"os"

	"golang.org/x/term"

	"whet/internal/printable"
)

// Env is the world of one run.
type Env struct {
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Args           []string // whet's own, for the recording
	TargetArgs     []string // the arguments after -args
	StdoutTerminal bool
	StderrTerminal bool
	Color          bool // stdout takes colours: a terminal, and NO_COLOR is not set
	Width          int  // of the terminal, 0 when there is none
}

// NewEnv determines the kinds of the streams.
func NewEnv(args []string, stdin io.Reader, stdout, stderr io.Writer) *Env {
	e := &Env{Stdin: stdin, Stdout: stdout, Stderr: stderr, Args: args}
	if f, ok := stdout.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		e.StdoutTerminal = true
		if w, _, err := term.GetSize(int(f.Fd())); err == nil {
			e.Width = w
		}
	}
	if f, ok := stderr.(*os.File); ok {
		e.StderrTerminal = term.IsTerminal(int(f.Fd()))
	}
	e.Color = e.StdoutTerminal && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
	return e
}

// Path returns a file's name for stdout: as it is for a script, and fit for a
// terminal on one.
func (e *Env) Path(name string) string {
	if e.StdoutTerminal {
		return printable.Message(name)
	}
	return name
}

// Warn prints warnings that no document has a place for.
func (e *Env) Warn(warnings []string) {
	for _, w := range warnings {
		fmt.Fprintf(e.Stderr, "whet: warning: %s\n", printable.Message(w))
	}
}
