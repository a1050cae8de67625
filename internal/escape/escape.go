package escape

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	analysis "whet/internal/analyze/escape"
	"whet/internal/cli"
	"whet/internal/gobench"
	"whet/internal/recording"
	"whet/internal/report/escape"
	"whet/internal/report/page"
)

// formats are what can be printed.
var formats = []string{"text", "diagnostics", "github"}

// Command returns the verb.
func Command() *cli.Command {
	return &cli.Command{
		Name:       "escape",
		Operands:   "[PACKAGE... | RECORDING]",
		Recordings: 1,
		// Its base is a revision.
		RecordingFlags: []string{"with"},
		Choices:        func() map[string][]string { return map[string][]string{"format": formats} },
		Short:          "show the compiler's decisions: escapes to the heap, inlining, remaining checks",
		Long: `
Escape compiles packages again, with their imports from the build cache, and shows by function
the compiler's decisions: values allocated on the heap and why, functions and calls that
were not inlined with their cost and the budget, and remaining bounds and nil checks. Without an
operand it takes the package in the current directory.

With a recording (-with) escape sorts decisions by cost: allocated bytes and objects, and CPU time
at their line. A parameter that leaks makes callers allocate: escape names it with the line that
keeps the pointer and the sum of these allocations. It builds the packages with the recording's
flags unless you give -build, -tags or -pgo.

With -base it shows only decisions that differ from that revision: new escapes, lost inlining, new
checks, wherever their lines went. A file of limits (-limits) has a line for each function, its
name and its limits: no-escapes, inlined, allocations<=N, checks<=N. Both exit with 1 when a
decision became worse or a limit does not hold.

RECORDING alone shows the compiler's decisions in it, by their cost: no checks, and
no calls that were not inlined.`,
		Examples: []string{
			"whet escape ./internal/encode",
			"whet escape -with @ ./internal/encode",
			"whet escape -base main ./...",
			"whet escape -limits escape.limits -format github ./...",
			"whet escape -checks -func 'Decoder' ./internal/encode",
			"whet escape -tags purego -pgo default.pgo ./...",
			"whet escape -format diagnostics ./internal/encode",
			"whet escape encode.whet",
		},
		Setup: func(flags *flag.FlagSet) cli.RunFunc {
			v := &verb{}
			flags.StringVar(&v.build.Tags, "tags", "", "build `tags`, comma-separated")
			flags.Var((*cli.StringList)(&v.build.Flags), "build", "pass a further `flag` to go build; may be given several times")
			flags.StringVar(&v.pgo, "pgo", "", "build with this `profile`, as go build -pgo")
			flags.BoolVar(&v.tests, "test", false, "include the packages' tests")
			flags.StringVar(&v.with, "with", "", "show the cost of the decisions in this `recording`")
			flags.StringVar(&v.base, "base", "", "show the differences from this `revision`")
			flags.StringVar(&v.limits, "limits", "", "check functions against the limits in this `file`")
			flags.BoolVar(&v.filter.Escapes, "escapes", false, "only allocated values")
			flags.BoolVar(&v.filter.Inlining, "inlining", false, "only inlining")
			flags.BoolVar(&v.filter.Checks, "checks", false, "show only bounds and nil checks")
			flags.Func("func", "show only functions whose name matches `regexp`", func(s string) (err error) {
				v.filter.Function, err = regexp.Compile(s)
				return err
			})
			flags.BoolVar(&v.all, "all", false, "also show decisions that need no change: inlined calls, constants, parameters")
			flags.StringVar(&v.format, "format", "text", "print `text`, diagnostics for editors (file:line:column: message), or github (annotations of a workflow)")
			flags.BoolVar(&v.asJSON, "json", false, "print one JSON document")
			return v.run
		},
	}
}

// verb is what was asked.
type verb struct {
	build       gobench.BuildOptions
	pgo, with   string
	base        string
	limits      string
	tests       bool
	filter      escape.Filter
	all, asJSON bool
	format      string
}

func (v *verb) run(ctx context.Context, e *cli.Env, operands []string) error {
	switch {
	case slices.Contains(operands, "--"):
		return cli.UsageError("escape: -- takes no arguments: name packages")
	case !slices.Contains(formats, v.format):
		return cli.UsageError("escape: -format %q: want %s", v.format, strings.Join(formats, ", "))
	case len(operands) > 0 && recording.Is(operands[0]) && (v.base != "" || v.limits != ""):
		return cli.UsageError("escape: -base and -limits are for packages: name them, not a recording")
	case v.base != "" && v.with != "":
		return cli.UsageError("escape: choose -base or -with")
	case v.asJSON && v.format != "text":
		return cli.UsageError("escape: choose -json or -format %s", v.format)
	}
	if len(operands) == 0 {
		operands = []string{"."}
	}
	var p *escape.Page
	var err error
	if recording.Is(operands[0]) {
		p, err = v.recorded(ctx, operands)
	} else {
		p, err = v.packages(ctx, e, operands)
	}
	if err != nil {
		return cli.MeasuringError(err, "interrupted")
	}
	v.filter.Apply(p)
	if err := v.print(e, p); err != nil {
		return err
	}
	if why := p.Failed(); why != "" {
		return &cli.ExitError{Code: cli.ExitFound, Err: errors.New(why)}
	}
	return nil
}

func (v *verb) print(e *cli.Env, p *escape.Page) error {
	switch {
	case v.asJSON:
		return escape.WriteJSON(e.Stdout, p)
	case v.format == "diagnostics":
		return escape.WriteDiagnostics(e.Stdout, p, v.all)
	case v.format == "github":
		return escape.WriteGitHub(e.Stdout, p, v.all)
	}
	return escape.WriteText(e.Stdout, p, page.TextOptions{Width: e.Width, Color: e.Color, All: v.all})
}

// readLimits reads the file of limits.
func (v *verb) readLimits() ([]analysis.Limit, error) {
	data, err := os.ReadFile(v.limits)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, cli.UsageError("escape: no file of limits %s", v.limits)
	}
	if err != nil {
		return nil, fmt.Errorf("read limits: %w", err)
	}
	limits, err := analysis.ParseLimits(data)
	if err != nil {
		return nil, cli.UsageError("escape: %s: %v", v.limits, err)
	}
	if len(limits) == 0 {
		return nil, cli.UsageError("escape: %s has no limit: write lines of a function's name and its limits, such as no-escapes", v.limits)
	}
	return limits, nil
}

// flags returns the build's, with -pgo.
func (v *verb) flags() (gobench.BuildOptions, error) {
	o := v.build
	if v.pgo == "" {
		return o, nil
	}
	name := v.pgo
	if name != "auto" && name != "off" {
		abs, err := filepath.Abs(name)
		if err != nil {
			return o, fmt.Errorf("find the profile %s: %w", name, err)
		}
		if _, err := os.Stat(abs); errors.Is(err, fs.ErrNotExist) {
			return o, cli.UsageError("escape: -pgo: no profile %s", name)
		}
		name = abs
	}
	o.Flags = append(o.Flags[:len(o.Flags):len(o.Flags)], "-pgo="+name)
	return o, nil
}
