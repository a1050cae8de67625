package app

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"whet/internal/gobench"
	"whet/internal/recording"
	"whet/internal/report"
	"whet/internal/tune"
)

func tuneCommand() *command {
	return &command{
		name:     "tune",
		operands: "PACKAGE",
		short:    "measure a package's benchmarks, show where they spend, name what to change",
		long: `
Tune builds the package's test binary once, runs its tests, ranks its benchmarks in a quick
pass, and records each of the costliest in processes of its own: CPU samples, every
allocation, lock and channel delays where the benchmark is parallel, and an execution
trace. It prints the report, and writes the recording (NAME.whet) and the report as one
HTML file (NAME.html) beside it.

PACKAGE is a directory (./path/to/pkg) or an import path of a Go module that you own.`,
		examples: []string{
			"whet tune ./internal/encode",
			"whet tune -bench 'Encode/large' -budget 30s ./internal/encode",
			"whet tune -tags purego -cpu 1 ./internal/encode -args -seed 7",
			"whet tune -json ./internal/encode > findings.json",
		},
		setup: func(fs *flag.FlagSet) runFunc {
			o := tune.DefaultOptions()
			fs.StringVar(&o.Bench, "bench", o.Bench, "measure the benchmarks that match `regexp`, as in go test")
			fs.StringVar(&o.BenchTime, "benchtime", "", "one run's length: a `time` like 1s or a count like 100x (default chosen)")
			fs.DurationVar(&o.Budget, "budget", o.Budget, "`time` for measuring; builds, tests and the report come on top")
			fs.DurationVar(&o.Timeout, "timeout", 0, "stop a benchmark process after this `time` (default: what the budget leaves)")
			fs.IntVar(&o.Samples, "samples", o.Samples, "CPU samples of the measured code wanted for each benchmark")
			fs.StringVar(&o.Run, "run", "", "run only the tests that match `regexp` first; '^$' runs none")
			fs.StringVar(&o.Tags, "tags", "", "build `tags`, comma-separated")
			fs.StringVar(&o.CPU, "cpu", "", "GOMAXPROCS of the benchmarks, `n`")
			fs.StringVar(&o.Out, "o", "", "write the recording to `NAME.whet` (default: named after the package)")
			fs.BoolVar(&o.NoBinary, "no-binary", false, "leave the test binary out of the recording")
			fs.Var((*stringList)(&o.Flags), "build", "pass a further `flag` to go build; may be given several times")
			asJSON := fs.Bool("json", false, "print one JSON document")
			all := fs.Bool("all", false, "print findings below the threshold too")
			verbose := fs.Bool("v", false, "pass on what the benchmarks print, to stderr")
			return func(ctx context.Context, e *env, operands []string) error {
				o.Args = e.targetArgs
				operand, err := oneOperand("tune", "package", operands)
				if err != nil {
					return err
				}
				o.Operand, o.Command, o.Version = operand, e.args, Version()
				if *verbose {
					o.Output = e.stderr
				}
				if err := o.Validate(); err != nil {
					return &exitError{exitUsage, err}
				}
				return runTune(ctx, e, o, *asJSON, *all)
			}
		},
	}
}

// runTune records, reports, and then says what went wrong, if anything did:
// whatever was measured is shown first.
func runTune(ctx context.Context, e *env, o tune.Options, asJSON, all bool) error {
	status := e.status()
	o.Progress = status.tuneProgress
	outcome, err := tune.Record(ctx, o)
	status.clear()
	if outcome.Path == "" {
		return measuringError(err, "interrupted")
	}
	html := strings.TrimSuffix(outcome.Path, ".whet") + ".html"
	// Where measuring was interrupted, its report is still wanted.
	page, reportErr := reportRecording(context.WithoutCancel(ctx), outcome.Path, html)
	if reportErr != nil {
		html = ""
	}
	had := "what was measured"
	if page != nil && len(page.Benchmarks) == 0 {
		had = "what there was before"
	}
	if page != nil && (err == nil || len(page.Benchmarks) > 0) {
		reportErr = errors.Join(reportErr, printPage(e, page, pageOutput{verb: "tune", recording: outcome.Path, html: html, json: asJSON, all: all}))
	}
	err = errors.Join(err, reportErr)
	if err != nil {
		err = measuringError(err, "interrupted")
		var ee *exitError
		if errors.As(err, &ee) {
			return &exitError{ee.code, fmt.Errorf("%w; %s is in %s", ee.err, had, outcome.Path)}
		}
		return fmt.Errorf("%w; %s is in %s", err, had, outcome.Path)
	}
	if len(outcome.Failures) > 0 {
		return fmt.Errorf("%d of the benchmarks could not be measured, the others were: %s", len(outcome.Failures), outcome.Failures[0])
	}
	return nil
}

// measuringError gives an error of tune or prove its exit code; interrupted is
// what there is to say after Ctrl-C.
func measuringError(err error, interrupted string) error {
	var ge *gobench.Error
	switch {
	case err == nil:
		return nil
	case errors.Is(err, context.Canceled):
		return &exitError{exitInterrupted, errors.New(interrupted)}
	case errors.As(err, &ge):
		switch ge.Kind {
		case gobench.KindUsage, gobench.KindNoModule, gobench.KindNoPackage, gobench.KindNoBenchmarks:
			return &exitError{exitUsage, err}
		}
	}
	return err
}

// reportRecording lays out a recording and writes its HTML report.
func reportRecording(ctx context.Context, path, html string) (*report.Page, error) {
	rec, err := recording.Open(path)
	if err != nil {
		return nil, err
	}
	defer rec.Close()
	page, err := tune.Page(rec)
	if err != nil {
		return nil, fmt.Errorf("report on %s: %w", path, err)
	}
	if html == "" {
		return page, nil
	}
	return page, writeFile(ctx, html, func(w io.Writer) error { return report.WriteHTML(w, page) })
}

// writeFile writes a file under a temporary name and renames it when whole. A
// device or a pipe is written to as it stands: renamed over, /dev/null would be
// a file. A link is followed, so that it stays one.
func writeFile(ctx context.Context, name string, write func(io.Writer) error) error {
	st, err := os.Stat(name)
	if err == nil && st.IsDir() {
		return fmt.Errorf("write %s: it is a directory: choose another name with -o", name)
	}
	if err == nil && !st.Mode().IsRegular() {
		f, err := os.OpenFile(name, os.O_WRONLY, 0)
		if err != nil {
			return fmt.Errorf("write report: %w", err)
		}
		if err := errors.Join(write(untilDone{ctx, f}), f.Close()); err != nil {
			return fmt.Errorf("write %s: %w", name, err)
		}
		return nil
	}
	if real, err := filepath.EvalSymlinks(name); err == nil {
		name = real
	}
	f, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+".tmp-")
	if err != nil {
		var pe *os.PathError
		if errors.As(err, &pe) {
			err = pe.Err // without the temporary name
		}
		return fmt.Errorf("write %s: %w", name, err)
	}
	defer os.Remove(f.Name())
	err = write(untilDone{ctx, f})
	err = errors.Join(err, f.Chmod(0o644), f.Close())
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	if err := os.Rename(f.Name(), name); err != nil {
		var le *os.LinkError
		if errors.As(err, &le) {
			err = le.Err // without the temporary name
		}
		return fmt.Errorf("write %s: %w", name, err)
	}
	return nil
}

// path is a file's name for stdout: as it is for a script, and fit for a
// terminal on one.
func (e *env) path(name string) string {
	if e.stdoutTerminal {
		return oneLine(name)
	}
	return name
}

// pageOutput says how a page is printed and where its files lie.
type pageOutput struct {
	verb            string
	recording, html string
	json, all       bool
}

func printPage(e *env, page *report.Page, o pageOutput) error {
	if o.json {
		return report.WriteJSON(e.stdout, page, report.JSONOptions{Verb: o.verb, Recording: o.recording, Report: o.html, All: o.all})
	}
	err := report.WriteText(e.stdout, page, report.TextOptions{Width: e.width, Color: e.color, All: o.all})
	if err == nil && o.recording != "" {
		_, err = fmt.Fprintf(e.stdout, "\nrecording  %s\n", e.path(o.recording))
	}
	if err == nil && o.html != "" {
		_, err = fmt.Fprintf(e.stdout, "report     %s\n", e.path(o.html))
	}
	return err
}

func diagnoseCommand() *command {
	return &command{
		name:      "diagnose",
		readsOnly: true,
		operands:  "RECORDING",
		short:     "the findings and the report of a recording",
		long: `
Diagnose reads a recording, runs the rules on it and prints the report, as whet tune did when
it made the recording. It needs neither the module nor the machine it was made on.`,
		examples: []string{
			"whet diagnose encode.whet",
			"whet diagnose -json encode.whet",
			"whet diagnose -o report.html encode.whet",
		},
		setup: func(fs *flag.FlagSet) runFunc {
			html := fs.String("o", "", "write the report as one HTML `file` too")
			asJSON := fs.Bool("json", false, "print one JSON document")
			all := fs.Bool("all", false, "print findings below the threshold too")
			return func(ctx context.Context, e *env, operands []string) error {
				path, err := oneOperand("diagnose", "recording", operands)
				if err != nil {
					return err
				}
				page, err := reportRecording(ctx, path, *html)
				if err != nil {
					return err
				}
				return printPage(e, page, pageOutput{verb: "diagnose", html: *html, json: *asJSON, all: *all})
			}
		},
	}
}

func oneOperand(verb, what string, operands []string) (string, error) {
	switch {
	case slices.Contains(operands, "--"):
		return "", usageError("%s: arguments behind -- are for programs and services, not for a %s", verb, what)
	case len(operands) == 0:
		return "", usageError("%s: name a %s: whet help %s has examples", verb, what, verb)
	case len(operands) > 1:
		return "", usageError("%s takes one %s, not %d (%s)", verb, what, len(operands), strings.Join(operands, " "))
	}
	return operands[0], nil
}
