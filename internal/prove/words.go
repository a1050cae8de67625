package prove

import (
	"fmt"
	"io"
	"os"

	"whet/internal/analyze/compare"
	"whet/internal/capture/process"
)

// Command returns the command that starts a side by its split command line, and the
// capture of its output.
func (o *Options) Command(side compare.Side, argv []string) (process.Command, *CapturedOutput) {
	printed := Keep(o.Output)
	return process.Command{
		Path: argv[0], Args: argv[1:], Dir: o.Dir, Env: append(os.Environ(), o.Env[side]...),
		Stdout: printed.Stdout(), Stderr: printed.Stderr(),
	}, printed
}

// NotStarted returns the reason that a program did not start.
func NotStarted(program string, err error) error {
	if process.NotFound(err) {
		return fmt.Errorf("start %s: no such program", Show(program))
	}
	return fmt.Errorf("start %s: %w", Show(program), err)
}

// CapturedOutput keeps the parts of a program's output that a message needs: the
// beginning of stdout and stderr, where a Go program reports a panic, and the end.
type CapturedOutput struct {
	stdout, stderr *process.Bounded
	to             io.Writer
}

const (
	keepHead = 8 << 10
	keepTail = 1 << 10
)

// Keep passes all that is printed on to a writer, if there is one. It must be
// safe for concurrent use.
func Keep(to io.Writer) *CapturedOutput {
	return &CapturedOutput{process.NewBounded(keepHead, keepTail), process.NewBounded(keepHead, keepTail), to}
}

// Stdout and Stderr receive the output.
func (p *CapturedOutput) Stdout() io.Writer { return p.and(p.stdout) }
func (p *CapturedOutput) Stderr() io.Writer { return p.and(p.stderr) }

func (p *CapturedOutput) and(kept *process.Bounded) io.Writer {
	if p.to == nil {
		return kept
	}
	return io.MultiWriter(kept, p.to)
}

// LastWords returns the last words on stderr, or else on stdout, formatted to follow a
// message.
func (p *CapturedOutput) LastWords() string {
	if said := lastWords(p.stderr.Bytes()); said != "" {
		return said
	}
	return lastWords(p.stdout.Bytes())
}

func lastWords(output []byte) string {
	if last := process.LastWords(output); last != "" {
		return "; it said " + Show(last)
	}
	return ""
}
