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
	"time"

	"whet/internal/gobench"
	"whet/internal/read"
	"whet/internal/report"
)

func tuneCommand() *command {
	return &command{
		name:     "tune",
		operands: "TARGET [-- COMMAND or ARGS…]",
		short:    "measure a package's benchmarks, a program or a service, show where they spend, name what to change",
		long: `
TARGET is one of three:

A package with benchmarks, as a directory (./path/to/pkg) or an import path. Tune builds its
test binary once, runs its tests, ranks its benchmarks in a quick pass, and records each of the
costliest in processes of its own: CPU samples, every allocation, lock and channel delays where
the benchmark is parallel, and an execution trace.

A main package without benchmarks, or followed by -- and the program's arguments. Tune builds
it with its agent added (your source is not touched) and runs it to its end: all profiles, wall
and CPU time, peak memory. What it prints goes where it went before; with -json to stderr.

The URL of a service. Tune drives it with load and takes its profiles meanwhile: from whet's
agent or net/http/pprof in it. With -- and a command, it starts the server first and stops it
afterwards; a main package's directory is built with the agent added.

Tune prints the report, and writes the recording (NAME.whet) and the report as one HTML file
(NAME.html) beside it.`,
		examples: []string{
			"whet tune ./internal/encode",
			"whet tune -bench 'Encode/large' -budget 30s ./internal/encode",
			"whet tune -tags purego -cpu 1 ./internal/encode -args -seed 7",
			"whet tune ./cmd/convert -- -in big.json",
			"whet tune http://localhost:8080/hello -c 64 -d 20s -pprof http://localhost:6060",
			"whet tune http://localhost:8080/hello -- ./cmd/server -addr localhost:8080",
			"whet tune -json ./internal/encode > findings.json",
		},
		setup: func(fs *flag.FlagSet) runFunc {
			t := newTargetFlags(fs)
			all := fs.Bool("all", false, "print findings below the threshold too")
			return func(ctx context.Context, e *env, operands []string) error {
				record, err := t.recorder(ctx, e, "tune", operands)
				if err != nil {
					return err
				}
				return runTune(ctx, e, record, t.asJSON, *all)
			}
		},
	}
}

// runTune records, reports, and then says what went wrong, if anything did:
// whatever was measured is shown first.
func runTune(ctx context.Context, e *env, record recordFunc, asJSON, all bool) error {
	outcome, err := record(ctx)
	if outcome.Path == "" {
		return measuringError(err, "interrupted")
	}
	html := pageBeside(outcome.Path)
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
	if page != nil && (err == nil || measured) {
		reportErr = errors.Join(reportErr, printPage(e, page, pageOutput{verb: "tune", recording: outcome.Path, html: html, json: asJSON, all: all}))
	}
	if err = errors.Join(err, reportErr); err != nil {
		return keptError(err, had, outcome.Path)
	}
	if len(outcome.Failures) > 0 {
		return fmt.Errorf("%d of the benchmarks could not be measured, the others were: %s", len(outcome.Failures), outcome.Failures[0])
	}
	return nil
}

// keptError is the error of a measurement that left something behind.
func keptError(err error, had, path string) error {
	err = measuringError(err, "interrupted")
	var ee *exitError
	if errors.As(err, &ee) {
		return &exitError{ee.code, fmt.Errorf("%w; %s is in %s", ee.err, had, path)}
	}
	return fmt.Errorf("%w; %s is in %s", err, had, path)
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

// writePage writes the HTML report, unless html is "".
func writePage(ctx context.Context, html string, page *report.Page) error {
	if html == "" {
		return nil
	}
	return writeFile(ctx, html, func(w io.Writer) error { return report.WriteHTML(w, page) })
}

// pageBeside is the page of a recording, which lies beside it.
func pageBeside(recording string) string { return strings.TrimSuffix(recording, ".whet") + ".html" }

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
	f, name, err := createBeside(name)
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	defer os.Remove(f.Name())
	// Who only reads is not waited for long: the file goes when the user says
	// stop, not when the next piece is written.
	goOn := context.AfterFunc(ctx, func() { os.Remove(f.Name()) })
	err = write(untilDone{ctx, f})
	err = errors.Join(err, f.Chmod(0o644), f.Close())
	if !goOn() {
		err = ctx.Err()
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	if err := rename(f, name); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return nil
}

// writeResult is writeFile for what was measured, which is written also where the
// user interrupted. A pipe that nobody reads is given up then.
func writeResult(ctx context.Context, name string, write func(io.Writer) error) error {
	if st, err := os.Stat(name); err != nil || st.Mode().IsRegular() {
		return writeFile(context.WithoutCancel(ctx), name, write)
	}
	ended := make(chan error, 1)
	go func() { ended <- writeFile(context.WithoutCancel(ctx), name, write) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	select {
	case err := <-ended:
		return err
	case <-time.After(stuckAfter):
		return fmt.Errorf("write %s: %w", name, errUnread)
	}
}

// errUnread is a pipe of which nothing is read.
var errUnread = errors.New("nobody reads it")

// createBeside makes a temporary file beside the one that it becomes, whose name
// is without links. Its errors, as those of rename, do not show the temporary
// name.
func createBeside(name string) (f *os.File, to string, err error) {
	if real, err := filepath.EvalSymlinks(name); err == nil {
		name = real
	}
	f, err = os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+".tmp-")
	if pe, ok := errors.AsType[*os.PathError](err); ok {
		err = pe.Err
	}
	return f, name, err
}

// rename gives a temporary file its name.
func rename(f *os.File, to string) error {
	err := os.Rename(f.Name(), to)
	if le, ok := errors.AsType[*os.LinkError](err); ok {
		return le.Err
	}
	return err
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
		operands:  "RECORDING | PROFILE...",
		short:     "the findings and the report of a recording or a profile",
		long: `
Diagnose reads a recording, runs the rules on it and prints the report, as whet tune did when
it made the recording. It needs neither the module nor the machine it was made on. Of a recording
of whet prove it prints the proof, and of one of whet load the load.

Of a profile (a file, a URL or -, of CPU time, allocations or delay; several of one kind are
merged) it names the places that carry the cost, and what rules know of the source that is
found here.`,
		examples: []string{
			"whet diagnose encode.whet",
			"whet diagnose cpu.pb.gz",
			"whet diagnose -json encode.whet",
			"whet diagnose -o report.html encode.whet",
		},
		setup: func(fs *flag.FlagSet) runFunc {
			html := fs.String("o", "", "write the report as one HTML `file` too")
			asJSON := fs.Bool("json", false, "print one JSON document")
			all := fs.Bool("all", false, "print findings below the threshold too")
			return func(ctx context.Context, e *env, operands []string) error {
				if !namesRecording(operands) {
					page, err := profilePage(ctx, e, operands, *html)
					if err != nil {
						return err
					}
					return printPage(e, page, pageOutput{verb: "diagnose", html: *html, json: *asJSON, all: *all})
				}
				path, err := oneOperand("diagnose", "recording", operands)
				if err != nil {
					return err
				}
				if isLoad(path) {
					l := loadFlags{fs: fs, out: *html, asJSON: *asJSON}
					return l.show(ctx, e, []string{path})
				}
				proof, err := recordedProof(path)
				switch {
				case err != nil:
					return err
				case proof != nil && *html != "":
					return usageError("diagnose: %s is a proof, which has no HTML report", path)
				case proof != nil && *asJSON:
					return report.WriteProveJSON(e.stdout, proof)
				case proof != nil:
					return report.WriteProveText(e.stdout, proof, report.TextOptions{Width: e.width, Color: e.color})
				}
				page, err := read.Page(path, nil)
				if err == nil {
					err = writePage(ctx, *html, page)
				}
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
