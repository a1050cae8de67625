package app

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"

	"whet/internal/cli"
	"whet/internal/dotwhet"
	"whet/internal/drive"
	"whet/internal/read"
	"whet/internal/recording"
	pagereport "whet/internal/report/page"
	proofreport "whet/internal/report/proof"
	"whet/internal/report/run"
)

func tuneCommand() *cli.Command {
	return &cli.Command{
		Name:     "tune",
		Choices:  showChoices,
		Operands: "[TARGET] [-- COMMAND or ARGS…]",
		Short:    "measure a package's benchmarks, a program or a service, show their costs, name the changes to make",
		Long: `
TARGET is one of three; the default is the package in the current directory:

A package with benchmarks, as a directory (./path/to/pkg) or an import path. Tune builds its test
binary once, runs its tests, ranks its benchmarks in a quick pass, and records each of the
costliest in processes of its own: CPU samples, every allocation, lock and channel delays if the
benchmark is parallel, and an execution trace. For a pattern (./...) it ranks the benchmarks of
all packages, and records those of the package with the costliest one.

A main package without benchmarks, or followed by -- and the program's arguments. Tune builds it
with its agent added (your source is not touched) and runs it to its end: all profiles, wall and
CPU time, peak memory. The recording keeps the program's output, and -v passes it on; if the
program fails, tune shows the last lines. With -json the output goes to stderr.

The URL of a service. Tune drives it with load and takes its profiles meanwhile: from whet's
agent or net/http/pprof in it. With -- and a command, it starts the server first and stops it
afterwards; a main package's directory is built with the agent added.

Tune prints the result: verdict, findings, hot places; with -tables the tables too, with -v
all warnings. It writes the recording (NAME.whet), and beside it the report (NAME.html), one file:
where -o says, or into .whet in the module's root, which keeps the last ten (-keep). There @ is
the newest, for every verb that reads recordings: whet top @.`,
		Examples: []string{
			"whet tune ./internal/encode",
			"whet tune -bench 'Encode/large' -budget 30s ./internal/encode",
			"whet tune -tags purego -cpu 1 ./internal/encode -args -seed 7",
			"whet tune ./cmd/convert -- -in big.json",
			"whet tune http://localhost:8080/hello -c 64 -d 20s -pprof http://localhost:6060",
			"whet tune http://localhost:8080/hello -- ./cmd/server -addr localhost:8080",
			"whet tune -json ./internal/encode > findings.json",
			"whet tune -fail-on finding:high -format github ./internal/encode",
		},
		Setup: func(fs *flag.FlagSet) cli.RunFunc {
			t := newTargetFlags(fs)
			show := newShowFlags(fs)
			return func(ctx context.Context, e *cli.Env, operands []string) error {
				show.asJSON, show.text.Verbose = t.asJSON, t.verbose
				if err := show.check("tune"); err != nil {
					return err
				}
				t.document = show.asJSON || show.format != "text"
				record, err := t.recorder(ctx, e, "tune", operands)
				if err != nil {
					return errors.Join(err, printInterrupted(ctx, e, show))
				}
				defer dotwhet.Tidy(e, t.bench.Out, t.keep)
				return runTune(ctx, e, record, *show)
			}
		},
	}
}

// runTune records, reports, and then says what went wrong, if anything did:
// whatever was measured is shown first.
func runTune(ctx context.Context, e *cli.Env, record recordFunc, show showFlags) error {
	outcome, err := record(ctx)
	if outcome.Path == "" {
		return errors.Join(cli.MeasuringError(err, "interrupted"), printInterrupted(ctx, e, &show))
	}
	html := cli.PageBeside(outcome.Path)
	page, reportErr := outcome.Page()
	if reportErr == nil {
		// Where measuring was interrupted, its report is still wanted.
		reportErr = writePage(context.WithoutCancel(ctx), html, page)
	}
	if reportErr != nil {
		html = ""
	}
	had := "what was measured"
	measured := page != nil && (len(page.Benchmarks) > 0 || page.Program != nil || page.Service != nil)
	if page != nil && !measured {
		had = "what there was before"
	}
	if page != nil && (err == nil || measured || show.asJSON) {
		reportErr = errors.Join(reportErr, printPage(e, page, run.JSONOptions{Verb: "tune", Recording: outcome.Path, Report: html}, show))
	}
	if err = errors.Join(err, reportErr); err != nil {
		return cli.KeptError(err, had, outcome.Path)
	}
	if len(outcome.Failures) > 0 {
		return fmt.Errorf("%d of the benchmarks could not be measured: %s", len(outcome.Failures), outcome.Failures[0])
	}
	if page == nil {
		return nil
	}
	return show.failed(page)
}

// printInterrupted prints a document of nothing where one was asked for and the run
// was interrupted before there was a recording.
func printInterrupted(ctx context.Context, e *cli.Env, show *showFlags) error {
	if ctx.Err() == nil || !show.asJSON {
		return nil
	}
	return run.WriteJSON(e.Stdout, &run.Page{Partial: "interrupted", Tool: cli.Version(), Verdict: run.Verdict{
		Kind: "too-few-samples", Outcome: "invalid", Text: "Interrupted before anything was measured",
	}}, run.JSONOptions{Verb: "tune"})
}

// writePage writes the HTML report, unless html is "".
func writePage(ctx context.Context, html string, page *run.Page) error {
	if html == "" {
		return nil
	}
	return cli.WriteFile(ctx, html, func(w io.Writer) error { return run.WriteHTML(w, page) })
}

func diagnoseCommand() *cli.Command {
	return &cli.Command{
		Name:       "diagnose",
		Choices:    showChoices,
		ReadsOnly:  true,
		Operands:   "RECORDING | PROFILE...",
		Recordings: 1,
		Short:      "print the findings of a recording or a profile, and write its report",
		Long: `
Diagnose reads a recording, runs the rules on it and prints the result, as whet tune did when it
made the recording; with -tables the tables too. It needs neither the module nor the machine of
the recording. For a recording of whet prove it prints the proof, for one of whet load the load.

For a profile (a file, a URL or -, of CPU time, allocations or delay; it merges several of one
kind) it names the costly places, and the findings of rules in the source that it
finds here.`,
		Examples: []string{
			"whet diagnose encode.whet",
			"whet diagnose @",
			"whet diagnose cpu.pb.gz",
			"whet diagnose -json encode.whet",
			"whet diagnose -format sarif encode.whet > findings.sarif",
			"whet diagnose -o report.html encode.whet",
		},
		Setup: func(fs *flag.FlagSet) cli.RunFunc {
			html := fs.String("o", "", "also write the report as one HTML `file`")
			show := newShowFlags(fs)
			fs.BoolVar(&show.asJSON, "json", false, "print one JSON document")
			fs.BoolVar(&show.text.Verbose, "v", false, "print all warnings in full; for a proof, the figures for the verdicts")
			return func(ctx context.Context, e *cli.Env, operands []string) error {
				if err := show.check("diagnose"); err != nil {
					return err
				}
				if !namesRecording(operands) {
					if show.open && *html == "" {
						return cli.UsageError("diagnose: -open needs an HTML report: name it with -o")
					}
					page, err := profilePage(ctx, e, operands, *html)
					if err != nil {
						return err
					}
					return cmp.Or(printPage(e, page, run.JSONOptions{Verb: "diagnose", Report: *html}, *show), show.failed(page))
				}
				path, err := cli.OneOperand("diagnose", "recording", operands)
				if err != nil {
					return err
				}
				rec, err := read.Open(path)
				if err != nil {
					return err
				}
				defer rec.Close()
				proof, err := read.Proof(rec)
				if err != nil {
					return err
				}
				if show.ofFindings() && (rec.Kind == recording.TargetLoad || proof != nil) {
					return cli.UsageError("diagnose: -format and -fail-on need findings, which %s does not have", path)
				}
				if show.open && proof == nil {
					*html = cmp.Or(*html, cli.PageBeside(rec.Dir))
				}
				if rec.Kind == recording.TargetLoad {
					return drive.Show(ctx, e, rec, *html, show.asJSON, show.open)
				}
				switch {
				case proof != nil && show.open:
					return cli.UsageError("diagnose: %s is a proof: it has no HTML report", path)
				case proof != nil && *html != "":
					return cli.UsageError("diagnose: %s is a proof: it has no HTML report", path)
				case proof != nil && show.asJSON:
					return proofreport.WriteJSON(e.Stdout, proof)
				case proof != nil:
					return proofreport.WriteText(e.Stdout, proof, pagereport.TextOptions{Width: e.Width, Color: e.Color, Verbose: show.text.Verbose})
				}
				page, err := read.Page(rec, nil)
				if err == nil {
					err = writePage(ctx, *html, page)
				}
				if err != nil {
					return err
				}
				return cmp.Or(printPage(e, page, run.JSONOptions{Verb: "diagnose", Report: *html}, *show), show.failed(page))
			}
		},
	}
}
