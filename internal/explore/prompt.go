package explore

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"sync"

	"whet/internal/cli"
	"whet/internal/printable"
	"whet/internal/profiles"

	"golang.org/x/term"
)

// PromptName is the verb that needs no name.
const PromptName = "prompt"

func promptVerb() *cli.Command {
	return &cli.Command{
		Name:       PromptName,
		ReadsOnly:  true,
		Choices:    optionChoices,
		Operands:   profileOperands,
		Recordings: 1,
		Short:      "explore a profile with commands, as in go tool pprof",
		Long: `
Prompt reads a profile once and shows views of it on command: top20 -cum, list RE, focus=RE,
sample_index=alloc_space. The commands are those of go tool pprof; help lists them, TAB completes
them. whet PROFILE, without a verb, does the same. From a pipe it takes one command per line; the
exit code is 3 if one of them failed.` + profileLong,
		Examples: []string{
			"whet cpu.pb.gz",
			"whet prompt -alloc_objects heap.pb.gz",
			"echo 'top5 -cum' | whet cpu.pb.gz",
		},
		Setup: func(fs *flag.FlagSet) cli.RunFunc {
			s, f := defaultSettings(), profiles.Options{}
			s.declare(fs, ofAll)
			f.Declare(fs)
			f.DeclareBases(fs)
			return func(ctx context.Context, e *cli.Env, operands []string) error {
				subject, err := f.Open(ctx, operands, e.Stdin, e.Status().Show)
				if err != nil {
					return err
				}
				defer subject.Close()
				return runPrompt(ctx, e, subject, s)
			}
		},
	}
}

// IsPromptLine reports whether a command line without a verb names something
// to look at: its flags may stand before it.
func IsPromptLine(args []string) bool {
	first := args[0]
	if first == "-" || strings.HasPrefix(first, "@") || len(args) > 1 && strings.HasPrefix(first, "-") {
		return true
	}
	if _, ok := cli.AsURL(first); ok {
		return true
	}
	_, err := os.Stat(first)
	return err == nil || strings.ContainsAny(first, `./\`)
}

// prompt is a session.
type prompt struct {
	e       *cli.Env
	subject *profiles.Set
	grammar promptGrammar
	s       settings
	failed  bool
}

// lineReader reads what the user types.
type lineReader interface {
	// ReadLine returns a line without its end; io.EOF ends the session.
	ReadLine() (string, error)
	close()
}

func runPrompt(ctx context.Context, e *cli.Env, subject *profiles.Set, s settings) error {
	s.compact = true // as in pprof: who types has seen the head
	p := &prompt{e: e, subject: subject, s: s}
	for _, v := range profileVerbs() {
		for _, w := range v.words {
			p.grammar.commands = append(p.grammar.commands, promptCommand{w, v})
		}
	}
	p.grammar.sampleTypes = subject.SampleTypes()
	lines, onTerminal := p.newLines()
	defer lines.close()
	e.Warn(subject.Warnings)
	subject.Warnings = nil // said
	if onTerminal {
		p.greet()
	}
	// Lines are read beside: Ctrl-C and the terminal's end must reach a session
	// that waits for one, and leave the terminal as it was.
	for {
		line, err := p.readLine(ctx, lines)
		if errors.Is(err, io.EOF) && line == "" {
			break
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if p.do(ctx, line) || err != nil {
			break
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	if p.failed && !onTerminal {
		return &cli.ExitError{Code: cli.ExitFailed} // what failed has been said
	}
	return nil
}

func (p *prompt) readLine(ctx context.Context, lines lineReader) (string, error) {
	type read struct {
		line string
		err  error
	}
	got := make(chan read, 1)
	go func() {
		line, err := lines.ReadLine()
		got <- read{line, err}
	}()
	select {
	case r := <-got:
		return r.line, r.err
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

// do executes a line; exit is true when it ends the session.
func (p *prompt) do(ctx context.Context, line string) (exit bool) {
	a, err := p.grammar.parse(line, p.s)
	if err == nil && a.changed && a.s.sel.SampleIndex != p.s.sel.SampleIndex {
		a.s.sel.SampleIndex, err = p.subject.SampleType(a.s.sel.SampleIndex)
	}
	switch {
	case err != nil:
	case a.word == "exit":
		return true
	case a.word == "help":
		err = p.help(a.rest)
	case a.word == "options":
		p.listOptions()
	case a.changed:
		p.s = a.s
	case a.command != nil:
		err = p.view(ctx, a)
	}
	if err != nil && ctx.Err() == nil {
		p.failed = true
		fmt.Fprintf(p.e.Stderr, "whet: %s\n", printable.Message(err.Error()))
	}
	return false
}

// view makes a view. A defect in it ends the view and not the session.
func (p *prompt) view(ctx context.Context, a promptAction) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = cli.NewDefect(r)
		}
	}()
	q := &viewRequest{Set: p.subject, s: a.s}
	if a.command.verb.param != "" {
		if q.arg, err = regexp.Compile(a.arg); err != nil {
			return err
		}
	}
	made, err := a.command.verb.product(ctx, q)
	if err != nil {
		return err
	}
	p.e.Warn(made.warnings)
	out := a.s.output
	switch {
	case out == "-" || out == "" && made.suffix == "":
		return made.write(p.e.Stdout)
	case out == "":
		if out, err = freeName(made.suffix); err != nil {
			return err
		}
	}
	if err := p.subject.Spare(out); err != nil {
		return err
	}
	if err := cli.WriteFile(ctx, out, made.write); err != nil {
		return err
	}
	fmt.Fprintf(p.e.Stderr, "wrote %s\n", p.e.Path(out))
	if a.s.open && made.suffix != "" {
		p.e.Browse(out)
	}
	return nil
}

// newLines reads from a terminal where there is one to edit lines on.
func (p *prompt) newLines() (lines lineReader, onTerminal bool) {
	if f, ok := p.e.Stdin.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		if name := os.Getenv("TERM"); name != "" && name != "dumb" {
			return newTerminal(f, p), true
		}
		return &plainLines{r: bufio.NewReader(f), prompt: p.e.Stderr}, true
	}
	return &plainLines{r: bufio.NewReader(p.e.Stdin)}, false
}

const promptText = "(whet) "

// plainLines are read without editing.
type plainLines struct {
	r      *bufio.Reader
	prompt io.Writer // nil in a pipe
}

// longestCommand bounds a line that is read: no command is that long.
const longestCommand = 64 << 10

func (l *plainLines) ReadLine() (string, error) {
	if l.prompt != nil {
		fmt.Fprint(l.prompt, promptText)
	}
	var line []byte
	for {
		part, err := l.r.ReadSlice('\n')
		line = append(line, part...)
		if len(line) > longestCommand {
			return "", fmt.Errorf("read a command: the line is longer than %d bytes: is this a script of commands?", longestCommand)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return strings.TrimRight(string(line), "\r\n"), err
		}
	}
}

func (l *plainLines) close() {}

// terminal edits lines, with a history and completion. It holds the terminal
// in raw mode only while a line is typed, so that Ctrl-C stops a view.
type terminal struct {
	f  *os.File
	t  *term.Terminal
	mu sync.Mutex
	// before is the terminal's state to go back to, nil when it is in it.
	before *term.State
}

func newTerminal(f *os.File, p *prompt) *terminal {
	screen := struct {
		io.Reader
		io.Writer
	}{f, p.e.Stderr}
	l := &terminal{f: f, t: term.NewTerminal(screen, promptText)}
	c := newCompleter(p)
	l.t.AutoCompleteCallback = func(line string, pos int, key rune) (string, int, bool) {
		if key != '\t' {
			return "", 0, false
		}
		completed, choices := c.complete(line[:pos])
		if len(choices) > 1 && completed == line[:pos] {
			fmt.Fprintln(l.t, strings.Join(choices, "  "))
		}
		return completed + line[pos:], len(completed), true
	}
	return l
}

func (l *terminal) ReadLine() (string, error) {
	state, err := term.MakeRaw(int(l.f.Fd()))
	if err != nil {
		return "", fmt.Errorf("read a command: %w", err)
	}
	l.mu.Lock()
	l.before = state
	l.mu.Unlock()
	defer l.close()
	if width, height, err := term.GetSize(int(l.f.Fd())); err == nil && width > 0 {
		l.t.SetSize(width, height)
	}
	line, err := l.t.ReadLine()
	if errors.Is(err, term.ErrPasteIndicator) {
		err = nil
	}
	if errors.Is(err, io.EOF) {
		fmt.Fprint(l.t, "\n") // the shell's prompt begins a line
	}
	return line, err
}

func (l *terminal) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.before != nil {
		term.Restore(int(l.f.Fd()), l.before)
		l.before = nil
	}
}
