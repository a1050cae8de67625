package drive

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"whet/internal/cli"
	"whet/internal/printable"
)

// patience is what a test waits for what comes at once on a machine with nothing to do.
const patience = 2 * time.Minute

// Run is whet as package app runs it, with this verb alone.
func Run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) (code int) {
	e := cli.NewEnv(args, stdin, stdout, stderr)
	c := Command()
	fs, run := c.Flags()
	var operands []string
	for args = args[1:]; len(args) > 0; {
		if args[0] == "--" {
			operands = append(operands, args...)
			break
		}
		if !strings.HasPrefix(args[0], "-") {
			operands, args = append(operands, args[0]), args[1:]
			continue
		}
		if err := fs.Parse(args); err != nil {
			fmt.Fprintln(stderr, err)
			return cli.ExitUsage
		}
		args = fs.Args()
	}
	err := run(ctx, e, operands)
	switch {
	case err == nil:
		return cli.ExitDone
	case errors.Is(err, context.Canceled):
		code, err = cli.ExitInterrupted, errors.New("interrupted")
	default:
		code = exitOf(err)
	}
	fmt.Fprintf(stderr, "whet: %s\n", printable.Message(err.Error()))
	return code
}
