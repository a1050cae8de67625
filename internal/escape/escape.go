package escape

import (
	"context"
	"flag"
	"fmt"
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
var formats = []string{"text", "diagnostics"}

// Command is the verb.
func Command() *cli.Command {
	return &cli.Command{
		Name:       "escape",
		Operands:   "[PACKAGE... | RECORDING]",
		Recordings: 1,
		Choices:    map[string][]string{"format": formats},
		Short:      "what the compiler decided: escapes to the heap, inlining, checks that remain",
		Long: `
Escape compiles packages anew, with what they import from the build cache, and shows by function
what the compiler decided: values that are allocated on the heap and why, functions and calls that
were not inlined with their cost and the budget, and bounds and nil checks that remain. Without an
operand it is the package of the current directory.

RECORDING alone shows what the compiler said when it was made: no checks, and no calls that were
not inlined.`,
		Examples: []string{
			"whet escape ./internal/encode",
			"whet escape -checks -func 'Decoder' ./internal/encode",
			"whet escape -tags purego -pgo default.pgo ./...",
			"whet escape -format diagnostics ./internal/encode",
			"whet escape encode.whet",
		},
		Setup: func(fs *flag.FlagSet) cli.RunFunc {
			v := &verb{}
			fs.StringVar(&v.build.Tags, "tags", "", "build `tags`, comma-separated")
			fs.Var((*cli.StringList)(&v.build.Flags), "build", "pass a further `flag` to go build; may be given several times")
			fs.StringVar(&v.pgo, "pgo", "", "build with this `profile`, as go build -pgo")
			fs.BoolVar(&v.tests, "test", false, "the packages' tests too")
			fs.BoolVar(&v.filter.Escapes, "escapes", false, "only values that are allocated")
			fs.BoolVar(&v.filter.Inlining, "inlining", false, "only inlining")
			fs.BoolVar(&v.filter.Checks, "checks", false, "only bounds and nil checks")
			fs.Func("func", "only functions whose name matches `regexp`", func(s string) (err error) {
				v.filter.Function, err = regexp.Compile(s)
				return err
			})
			fs.BoolVar(&v.all, "all", false, "also what needs no change: inlined calls, constants, parameters")
			fs.StringVar(&v.format, "format", "text", "print `text`, or diagnostics for editors: file:line:column: message")
			fs.BoolVar(&v.asJSON, "json", false, "print one JSON document")
			return v.run
		},
	}
}

// verb is what was asked.
type verb struct {
	build       gobench.BuildOptions
	pgo         string
	tests       bool
	filter      escape.Filter
	all, asJSON bool
	format      string
}

func (v *verb) run(ctx context.Context, e *cli.Env, operands []string) error {
	switch {
	case slices.Contains(operands, "--"):
		return cli.UsageError("escape: nothing stands behind --: whet escape names packages")
	case !slices.Contains(formats, v.format):
		return cli.UsageError("escape: -format %q: there are %s", v.format, strings.Join(formats, ", "))
	case v.asJSON && v.format != "text":
		return cli.UsageError("escape: choose -json or -format %s", v.format)
	}
	if len(operands) == 0 {
		operands = []string{"."}
	}
	var p *escape.Page
	var err error
	if recording.Is(operands[0]) {
		p, err = v.recorded(operands)
	} else {
		p, err = v.packages(ctx, e, operands)
	}
	if err != nil {
		return cli.MeasuringError(err, "interrupted")
	}
	v.filter.Apply(p)
	if v.asJSON {
		return escape.WriteJSON(e.Stdout, p)
	}
	if v.format == "diagnostics" {
		return escape.WriteDiagnostics(e.Stdout, p, v.all)
	}
	return escape.WriteText(e.Stdout, p, page.TextOptions{Width: e.Width, Color: e.Color, All: v.all})
}

// flags are the build's, with -pgo.
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
		name = abs
	}
	o.Flags = append(o.Flags[:len(o.Flags):len(o.Flags)], "-pgo="+name)
	return o, nil
}

// resultOf is analysis.Analyze, with a page around it.
func pageOf(r *analysis.Result, packages []string, name func(string) string) *escape.Page {
	return &escape.Page{Result: r, Packages: packages, Name: name}
}
