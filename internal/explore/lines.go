package explore

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"whet/internal/analyze/lines"
	"whet/internal/cli"
	"whet/internal/profiles"
	"whet/internal/recording"
	"whet/internal/report/listing"
	"whet/internal/report/page"
	"whet/internal/symbolname"
)

// linesFormats are the forms of a page of lines.
var linesFormats = []string{"text", "html", "diagnostics"}

func linesCommand() *cli.Command {
	return &cli.Command{
		Name:       "lines",
		ReadsOnly:  true,
		Operands:   "RECORDING [RE]",
		Recordings: 1,
		Choices:    func() map[string][]string { return map[string][]string{"format": linesFormats} },
		Short:      "show every kind of cost on each source line, and the compiler's decisions",
		Long: `
Lines shows the costs of each source line in a recording: CPU time, allocated bytes and objects,
bytes in use, mutex and block delay, time ready for a processor and waiting in its traces, and the
compiler's decisions: escapes and inlined calls. It shows the functions whose name matches the
regular expression RE, or without one those of your own code with 2 % of a kind or more. It
charges inlined code to its own line, and lists it again under the line that called it.

Lines are those of the measured source. If the source here differs, lines finds the unchanged
lines in it and names the others. With -format diagnostics it prints each line
as "file:line:column: message", at its place in the source here, for editors. -lsp is a language
server for editors, on the standard streams; docs/editors.md explains the set-up.`,
		Examples: []string{
			"whet lines encode.whet",
			"whet lines @ 'Encode$'",
			"whet lines -json @",
			"whet lines -format html -o lines.html @",
			"whet lines -format diagnostics @ > errors.txt",
			"whet lines -lsp",
		},
		Setup: func(fs *flag.FlagSet) cli.RunFunc {
			v := &linesView{format: "text"}
			fs.BoolVar(&v.asJSON, "json", false, "print one JSON document")
			fs.StringVar(&v.format, "format", v.format, "print `text`, html (one page), or diagnostics (file:line:column: message)")
			fs.BoolVar(&v.all, "all", false, "show all functions of your own code, and all notes")
			fs.StringVar(&v.options.Benchmark, "benchmark", "", "read only the profiles of this benchmark, by `name`")
			fs.BoolVar(&v.server, "lsp", false, "run a language server on the standard streams: code lenses, hovers and diagnostics from the newest recording")
			fs.StringVar(&v.output, "o", "", "write to `file`; - is the standard output")
			return v.run
		},
	}
}

// linesView is what was asked for.
type linesView struct {
	options        profiles.Options
	format, output string
	asJSON, all    bool
	server         bool
}

func (v *linesView) run(ctx context.Context, e *cli.Env, operands []string) error {
	o := listing.Options{All: v.all}
	switch {
	case v.server && (v.asJSON || v.format != "text" || v.output != "" || len(operands) > 1):
		return cli.UsageError("lines: -lsp takes at most a recording, and no -json, -format or -o")
	case v.server && (len(operands) == 0 || recording.Is(operands[0])):
		return v.serve(ctx, e, operands)
	case len(operands) == 0:
		return cli.UsageError("lines: name a recording: whet help lines has examples")
	case len(operands) > 2:
		return cli.UsageError("lines takes a recording and an expression, not %d operands (%s)", len(operands), strings.Join(operands, " "))
	case !slices.Contains(linesFormats, v.format):
		return cli.UsageError("lines: -format %q: want %s", v.format, strings.Join(linesFormats, ", "))
	case v.asJSON && v.format != "text":
		return cli.UsageError("lines: choose -json or -format %s", v.format)
	case !recording.Is(operands[0]):
		if _, err := os.Stat(operands[0]); errors.Is(err, fs.ErrNotExist) {
			return cli.UsageError("lines: no recording %s", operands[0])
		}
		return cli.UsageError("lines: %s is not a recording: whet list shows the lines of a profile", operands[0])
	case len(operands) == 2:
		var err error
		if o.Match, err = regexp.Compile(operands[1]); err != nil {
			return cli.UsageError("lines: %v", err)
		}
	}
	p, err := v.page(ctx, operands[0], "", o)
	if err != nil {
		return err
	}
	if o.Match != nil && len(p.Functions) == 0 {
		return fmt.Errorf("lines %s of %s: no function with a sample matches", o.Match, operands[0])
	}
	out := v.output
	if v.format == "html" && out == "" {
		out = outputName(operands[0], "lines", "html")
	}
	return e.Emit(ctx, out, func(w io.Writer) error {
		switch {
		case v.asJSON:
			return p.WriteJSON(w)
		case v.format == "diagnostics":
			e.Warn(p.Warnings)
			return p.WriteDiagnostics(w, nameHere)
		case v.format == "html":
			return p.WriteHTML(w)
		}
		to := page.TextOptions{Width: e.Width, All: v.all}
		to.Color = e.Color && (out == "" || out == "-")
		return p.WriteText(w, to)
	})
}

// page reads a recording. The source as it is now is that of the module around dir.
func (v *linesView) page(ctx context.Context, path, dir string, o listing.Options) (*listing.Page, error) {
	m, set, err := v.options.OpenLines(ctx, path)
	if err != nil {
		return nil, err
	}
	defer set.Close()
	measured, here := set.Resolver("", ""), set.Here(dir)
	rec := set.Recordings[0]
	modules := make(map[string]string) // by frame's file, as the recorder knew them
	paths := make(map[string]string)
	for _, s := range rec.Sources {
		modules[s.Frame], paths[s.Frame] = s.Module, s.Path
	}
	o.Name, o.Measured, o.Now = path, measured.Text, here.Text
	o.Display = func(file string) (string, string) {
		if path, ok := paths[file]; ok {
			return path, modules[file]
		}
		return measured.Display(file)
	}
	o.Own = func(module string, f *lines.Function) bool {
		if module != "" {
			return slices.Contains(rec.Build.OwnModules, module)
		}
		pkg := strings.TrimSuffix(symbolname.Package(f.Name), "_test")
		return pkg == "main" && !strings.HasSuffix(f.File, "_testmain.go") ||
			slices.ContainsFunc(rec.Build.OwnModules, func(own string) bool { return strings.HasPrefix(pkg+"/", own+"/") })
	}
	o.Warnings = append(slices.Clone(set.Warnings), measured.Warnings()...)
	return listing.New(m, o), nil
}

// nameHere shortens the name of a file below the working directory, as compilers
// print it.
func nameHere(file string) string {
	dir, err := os.Getwd()
	if err != nil {
		return file
	}
	if rel, err := filepath.Rel(dir, file); err == nil && filepath.IsLocal(rel) {
		return rel
	}
	return file
}
