package app

import (
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"

	"whet/internal/cli"
	"whet/internal/quantity"
	pagereport "whet/internal/report/page"
	"whet/internal/report/review"
	"whet/internal/report/run"
)

// showFlags say how a page is printed, and what in it fails a check.
type showFlags struct {
	asJSON bool
	format string
	bar    review.Bar
	text   pagereport.TextOptions
	open   bool
}

func newShowFlags(fs *flag.FlagSet) *showFlags {
	f := &showFlags{format: "text"}
	fs.BoolVar(&f.text.All, "all", false, "also print findings below the threshold, and all places and rows")
	fs.BoolVar(&f.text.Tables, "tables", false, "also print the tables: machine, events, benchmarks, samples, functions, source")
	fs.StringVar(&f.format, "format", f.format, "print `text`, github (annotations of a workflow, and its step summary), sarif, or markdown for a pull request")
	fs.BoolVar(&f.open, "open", false, "open the HTML report in the browser (diagnose: the one beside the recording, or that of -o)")
	fs.Func("fail-on", "exit 1 on a `finding`, or one of at least this confidence: finding:medium, finding:high", func(s string) (err error) {
		f.bar, err = review.ParseBar(s)
		return err
	})
	return f
}

// showChoices returns the values of flags that are a fixed list.
func showChoices() map[string][]string {
	return map[string][]string{
		"format":  append([]string{"text"}, review.Formats()...),
		"fail-on": {"finding", "finding:medium", "finding:high"},
	}
}

// check refuses formats that there are not, or two at once.
func (f *showFlags) check(verb string) error {
	switch {
	case !slices.Contains(showChoices()["format"], f.format):
		return cli.UsageError("%s: -format %q: want %s", verb, f.format, strings.Join(showChoices()["format"], ", "))
	case f.asJSON && f.format != "text":
		return cli.UsageError("%s: choose -json or -format %s", verb, f.format)
	}
	return nil
}

func printPage(e *cli.Env, page *run.Page, o run.JSONOptions, show showFlags) error {
	if show.open && o.Report != "" {
		defer e.Browse(o.Report)
	}
	if o.All = show.text.All; show.asJSON {
		return run.WriteJSON(e.Stdout, page, o)
	}
	if show.format != "text" {
		ro := review.Options{Bar: show.bar, Prefix: cli.ModuleInRepository(page.Module, page.Target, ".")}
		err := review.Write(e.Stdout, show.format, page, ro)
		if err == nil && show.format == "github" {
			err = cli.StepSummary(func(w io.Writer) error { return review.WriteMarkdown(w, page, ro) })
		}
		return err
	}
	show.text.Width, show.text.Color = e.Width, e.Color
	if e.Color {
		show.text.Link = cli.SourceLinks(page.Module, ".")
	}
	err := run.WriteText(e.Stdout, page, show.text)
	if err == nil && o.Recording != "" {
		_, err = fmt.Fprintf(e.Stdout, "\nrecording  %s\n", e.Path(o.Recording))
	}
	if err == nil && o.Report != "" {
		_, err = fmt.Fprintf(e.Stdout, "report     %s\n", cli.Link(o.Report))
	}
	return err
}

// ofFindings reports whether what was asked for takes findings.
func (f *showFlags) ofFindings() bool { return f.format != "text" || f.bar != review.Bar{} }

// failed returns the error of a page whose findings fail the check.
func (f *showFlags) failed(page *run.Page) error {
	if n := f.bar.Fails(page); n > 0 {
		return &cli.ExitError{Code: cli.ExitFound, Err: fmt.Errorf("-fail-on: %s", quantity.Plural(n, "finding"))}
	}
	return nil
}
