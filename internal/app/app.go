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
	"strings"
	"syscall"

	"whet/agent"
	"whet/internal/cli"
	"whet/internal/dotwhet"
	"whet/internal/explore"
	"whet/internal/printable"
)

// Run executes one command line and returns the exit code.
func Run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) (code int) {
	e := cli.NewEnv(args, stdin, stdout, stderr)
	e.Stdout = cli.UnlessStuck(ctx, stdout)
	stderr = cli.UnlessStuck(ctx, stderr)
	// The user of a program with a defect gets no stack trace; it goes to a file
	// for the bug report.
	report := func(d *cli.Defect) {
		fmt.Fprintf(stderr, "whet: %s\n", printable.Message(d.Error()))
		if os.Getenv("WHET_DEBUG") != "" {
			stderr.Write(d.Stack)
		}
		code = cli.ExitFailed
	}
	defer func() {
		if r := recover(); r != nil {
			report(cli.NewDefect(r))
		}
	}()
	err := dispatch(ctx, e, args)
	if err == nil {
		return cli.ExitDone
	}
	code = cli.ExitFailed
	var ee *cli.ExitError
	if errors.As(err, &ee) {
		code = ee.Code
		if ee.Err == nil {
			return code
		}
	} else if errors.Is(err, context.Canceled) {
		code, err = cli.ExitInterrupted, errors.New("interrupted")
	}
	if errors.Is(err, syscall.EPIPE) {
		return code // the reader has closed the pipe
	}
	if d := new(cli.Defect); errors.As(err, &d) {
		report(d)
		return code
	}
	fmt.Fprintf(stderr, "whet: %s\n", printable.Message(err.Error()))
	return code
}

func dispatch(ctx context.Context, e *cli.Env, args []string) error {
	if len(args) == 0 {
		printOverview(e.Stderr) // where that fails, nobody is left to tell
		return &cli.ExitError{Code: cli.ExitUsage}
	}
	name, rest := args[0], args[1:]
	switch name {
	case "-h", "-help", "--help", "help":
		return help(e, rest)
	case "-version", "--version", "version":
		if len(rest) > 0 {
			return cli.UsageError("version takes neither flags nor operands: %q", rest[0])
		}
		info, ok := debug.ReadBuildInfo()
		if !ok {
			info = new(debug.BuildInfo)
		}
		return cli.PrintText(e.Stdout, bytes.NewBufferString(cli.Built(cli.Version(), info)+fmt.Sprintf("agent version %d\n", agent.Version)))
	}
	c := lookup(name)
	if c == nil && explore.IsPromptLine(args) {
		c, rest = lookup(explore.PromptName), args
	}
	if c == nil {
		return cli.UsageError("unknown verb %q%s: whet help lists the verbs", name, similar(name))
	}
	fs, run := c.Flags()
	rest, targetArgs := cutArgs(rest)
	operands, err := parseFlags(fs, unglue(c.Glued, rest))
	if errors.Is(err, flag.ErrHelp) {
		return printHelp(e.Stdout, c)
	}
	if err != nil {
		if known := pprofWord(name); known != "" && c.Name == explore.PromptName {
			return cli.UsageError("unknown flag %s: here it is %s", name, known)
		}
		if known := foreignFlag(c.Words, err); known != "" {
			return cli.UsageError("%s: %s", c.Name, known)
		}
		return cli.UsageError("%s: %s: whet help %s shows its flags", c.Name, parseError(fs, err), c.Name)
	}
	e.TargetArgs = targetArgs
	if err := resolveRecordings(c, fs, operands); err != nil {
		return err
	}
	if c.ReadsOnly {
		return cli.Abandonable(ctx, func() error { return run(ctx, e, operands) })
	}
	return run(ctx, e, operands)
}

// resolveRecordings puts paths in the place of @ and the like: of the operands
// before "--", and of the profiles that flags name.
func resolveRecordings(c *cli.Command, fs *flag.FlagSet, operands []string) error {
	if c.Recordings == 0 {
		return nil
	}
	var err error
	resolve := func(name *string) {
		if err != nil || !strings.HasPrefix(*name, "@") {
			return
		}
		var place dotwhet.Dir
		if place, err = dotwhet.Of("."); err == nil {
			*name, err = place.Resolve(*name)
		}
	}
	for i, operand := range operands {
		if operand == "--" {
			break
		}
		if i >= c.Recordings-1 {
			resolve(&operands[i])
		}
	}
	flags := c.RecordingFlags
	if flags == nil {
		flags = []string{"base", "diff_base"}
	}
	for _, name := range flags {
		f := fs.Lookup(name)
		if f == nil {
			continue
		}
		switch v := f.Value.(type) {
		case *cli.StringList:
			for i := range *v {
				resolve(&(*v)[i])
			}
		default:
			text := v.String()
			resolve(&text)
			v.Set(text)
		}
	}
	return err
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
		// Parse stops after the flags, or after "--", which it eats.
		eaten := len(args) - fs.NArg()
		if args[eaten-1] == "--" {
			return append(operands, args[eaten-1:]...), nil
		}
		args = fs.Args()
	}
	return operands, nil
}

func lookup(name string) *cli.Command {
	for _, c := range commands() {
		if c.Name == name {
			return c
		}
	}
	return nil
}

// similar suggests a verb: pprof's by its name there, else one that starts alike
// or is nearly written so.
func similar(name string) string {
	if known := pprofWord(name); known != "" {
		return fmt.Sprintf(" (here it is %s)", known)
	}
	var names []string
	for _, c := range commands() {
		if len(name) >= 2 && (strings.HasPrefix(c.Name, name[:2]) || strings.HasPrefix(name, c.Name)) {
			return fmt.Sprintf(" (did you mean %s?)", c.Name)
		}
		names = append(names, c.Name)
	}
	if near := nearest(name, names); near != "" {
		return fmt.Sprintf(" (did you mean %s?)", near)
	}
	return ""
}
