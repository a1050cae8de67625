package app

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"unicode"
	"unicode/utf8"

	"golang.org/x/term"
)

// Exit codes, as every verb uses them.
const (
	exitDone        = 0
	exitFound       = 1 // found what it was asked to look for
	exitUsage       = 2
	exitFailed      = 3 // failed, or the measurement is not valid
	exitCannotTell  = 4 // prove only
	exitInterrupted = 130
)

// command is one verb.
type command struct {
	name     string
	operands string // "PACKAGE", shown after the flags
	short    string // one line for the list of verbs
	long     string // what it does, for help
	examples []string
	// setup declares the flags and returns what runs after they are parsed.
	setup func(fs *flag.FlagSet) runFunc
	// glued are flags of one letter whose number may follow without a space.
	glued string
	// words are flags of other tools, and what stands for them here.
	words map[string]string
	// readsOnly: it starts nothing and changes nothing but a file it writes
	// under a temporary name, so that Ctrl-C need not wait for it.
	readsOnly bool
}

// runFunc runs a verb with its operands.
type runFunc func(ctx context.Context, e *env, operands []string) error

// env is the world of one run.
type env struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	args           []string // whet's own, for the recording
	targetArgs     []string // what stood behind -args
	stdoutTerminal bool
	stderrTerminal bool
	color          bool // stdout takes colours: a terminal, and NO_COLOR is not set
	width          int  // of the terminal, 0 when there is none
}

// exitError carries an exit code other than exitFailed. A nil err prints
// nothing: the verb has said what there is to say.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit code %d", e.code)
	}
	return e.err.Error()
}

func (e *exitError) Unwrap() error { return e.err }

func usageError(format string, args ...any) error {
	return &exitError{exitUsage, fmt.Errorf(format, args...)}
}

// Run executes one command line and returns the exit code.
func Run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) (code int) {
	e := newEnv(args, stdin, stdout, stderr)
	e.stdout = &unlessStuck{ctx: ctx, w: stdout}
	stderr = &unlessStuck{ctx: ctx, w: stderr}
	// A defect must not greet the user with a stack trace; what it was goes
	// where whoever mends it asks for it.
	report := func(d *defect) {
		fmt.Fprintf(stderr, "whet: %s\n", oneLine(d.Error()))
		if os.Getenv("WHET_DEBUG") != "" {
			stderr.Write(d.stack)
		}
		code = exitFailed
	}
	defer func() {
		if r := recover(); r != nil {
			report(&defect{r, debug.Stack()})
		}
	}()
	err := dispatch(ctx, e, args)
	if err == nil {
		return exitDone
	}
	code = exitFailed
	var ee *exitError
	if errors.As(err, &ee) {
		code = ee.code
		if ee.err == nil {
			return code
		}
	} else if errors.Is(err, context.Canceled) {
		code, err = exitInterrupted, errors.New("interrupted")
	}
	if errors.Is(err, syscall.EPIPE) {
		return code // whoever read has seen enough
	}
	if d := new(defect); errors.As(err, &d) {
		report(d)
		return code
	}
	fmt.Fprintf(stderr, "whet: %s\n", oneLine(err.Error()))
	return code
}

func newEnv(args []string, stdin io.Reader, stdout, stderr io.Writer) *env {
	e := &env{stdin: stdin, stdout: stdout, stderr: stderr, args: args}
	if f, ok := stdout.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		e.stdoutTerminal = true
		if w, _, err := term.GetSize(int(f.Fd())); err == nil {
			e.width = w
		}
	}
	if f, ok := stderr.(*os.File); ok {
		e.stderrTerminal = term.IsTerminal(int(f.Fd()))
	}
	e.color = e.stdoutTerminal && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
	return e
}

func dispatch(ctx context.Context, e *env, args []string) error {
	if len(args) == 0 {
		printOverview(e.stderr) // where that fails, nobody is left to tell
		return &exitError{code: exitUsage}
	}
	name, rest := args[0], args[1:]
	switch name {
	case "-h", "-help", "--help", "help":
		return help(e, rest)
	case "-version", "--version", "version":
		return printText(e.stdout, bytes.NewBufferString("whet "+Version()+"\n"))
	}
	c := lookup(name)
	if c == nil && isPromptLine(args) {
		c, rest = promptVerb(), args
	}
	if c == nil {
		return usageError("there is no verb %q%s: whet help lists them", name, similar(name))
	}
	fs, run := c.flags()
	rest, targetArgs := cutArgs(rest)
	operands, err := parseFlags(fs, unglue(c.glued, rest))
	if errors.Is(err, flag.ErrHelp) {
		return printHelp(e.stdout, c)
	}
	if known := pprofWord(name); err != nil && known != "" && c.name == promptName {
		return usageError("%s is no flag: here it is %s", name, known)
	}
	if err != nil {
		if known := foreignFlag(c.words, err); known != "" {
			return usageError("%s: %s", c.name, known)
		}
		return usageError("%s: %s: whet help %s shows its flags", c.name, parseError(fs, err), c.name)
	}
	e.targetArgs = targetArgs
	if c.readsOnly {
		return abandonable(ctx, func() error { return run(ctx, e, operands) })
	}
	return run(ctx, e, operands)
}

// cutArgs splits off what follows -args: it is the target's, as in go test.
func cutArgs(args []string) (own, target []string) {
	for i, a := range args {
		if a == "--" {
			break
		}
		if a == "-args" || a == "--args" {
			return args[:i], args[i+1:]
		}
	}
	return args, nil
}

func (c *command) flags() (*flag.FlagSet, runFunc) {
	fs := flag.NewFlagSet(c.name, flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	fs.Usage = func() {}
	return fs, c.setup(fs)
}

// parseFlags parses flags wherever they stand among the operands. "--" ends
// them; it is kept, with what follows, as operands from then on.
func parseFlags(fs *flag.FlagSet, args []string) ([]string, error) {
	var operands []string
	for len(args) > 0 {
		if args[0] == "--" {
			return append(operands, args...), nil
		}
		if !strings.HasPrefix(args[0], "-") || args[0] == "-" {
			operands = append(operands, args[0])
			args = args[1:]
			continue
		}
		if err := fs.Parse(args); err != nil {
			return nil, err
		}
		// Parse stops behind the flags, or behind "--", which it eats.
		eaten := len(args) - fs.NArg()
		if args[eaten-1] == "--" {
			return append(operands, args[eaten-1:]...), nil
		}
		args = fs.Args()
	}
	return operands, nil
}

func lookup(name string) *command {
	for _, c := range commands() {
		if c.name == name {
			return c
		}
	}
	return nil
}

// similar suggests a verb: pprof's by its name there, else one that starts alike.
func similar(name string) string {
	if known := pprofWord(name); known != "" {
		return fmt.Sprintf(" (here it is %s)", known)
	}
	for _, c := range commands() {
		if len(name) >= 2 && (strings.HasPrefix(c.name, name[:2]) || strings.HasPrefix(name, c.name)) {
			return fmt.Sprintf(" (did you mean %s?)", c.name)
		}
	}
	return ""
}

// longestLine bounds a message: a name in it may be of any length.
const longestLine = 560

// oneLine joins the lines of a message: every error is one line. What would
// move the cursor, reorder the text or hide in it becomes a question mark.
func oneLine(s string) string {
	lines := strings.FieldsFunc(s, func(r rune) bool { return r == '\n' || r == '\r' })
	lines = slices.DeleteFunc(lines, func(l string) bool { return strings.TrimSpace(l) == "" })
	s = strings.Map(func(r rune) rune {
		if r != '\t' && unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) || r == utf8.RuneError {
			return '?'
		}
		return r
	}, strings.Join(lines, "; "))
	if len(s) <= longestLine {
		return s
	}
	// What is wrong stands at the beginning, what to do at the end.
	head, tail := longestLine/2, len(s)-longestLine/2
	for !utf8.RuneStart(s[head]) {
		head--
	}
	for !utf8.RuneStart(s[tail]) {
		tail++
	}
	return s[:head] + "…" + s[tail:]
}
