package drive

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"whet/internal/cli"
	loadformat "whet/internal/format/load"
	"whet/internal/load/slo"
	"whet/internal/read"
	"whet/internal/recording"
	"whet/internal/report/load"
)

// Show lays out the recording of a load: on a page, html, unless that is "", and as
// JSON or text. Open shows the page in the browser.
func Show(ctx context.Context, e *cli.Env, rec *recording.Recording, html string, json, open bool) error {
	l := loadFlags{out: html, asJSON: json, open: open}
	return l.show(ctx, e, []string{rec.Dir}, func(string) (*read.Load, error) { return read.NewLoad(rec) })
}

// show lays out recordings of loads, several beside each other.
func (l *loadFlags) show(ctx context.Context, e *cli.Env, names []string, open func(name string) (*read.Load, error)) error {
	var bounds slo.Bounds
	if l.slo != "" {
		var err error
		if bounds, err = slo.Parse(l.slo); err != nil {
			return cli.UsageError("load: -slo: %w", err)
		}
	}
	page, runs := new(load.Page), runNames(names)
	for i, name := range names {
		kept, err := open(name)
		if err != nil {
			return err
		}
		b := bounds
		if len(b) == 0 && kept.SLO != "" {
			if b, err = slo.Parse(kept.SLO); err != nil {
				return fmt.Errorf("open recording %s: %s: %w", name, loadformat.RunPath, err)
			}
		}
		run := newLoadRun(runs[i], kept.Plan, kept.Result, b)
		run.Course = kept.Run.Course
		own := ""
		if len(names) > 1 {
			own = runs[i]
		}
		searched(page, own, kept.Search)
		page.Runs = append(page.Runs, run)
		if kept.Partial != "" {
			page.Warnings = append(page.Warnings, fmt.Sprintf("%s is incomplete: %s", name, kept.Partial))
		}
		page.Warnings = append(page.Warnings, warningsOf(own, kept.Warnings)...)
	}
	if (l.hgrm != "" || l.csvOut != "") && len(page.Runs) > 1 {
		return cli.UsageError("load: -hgrm and -csv-out take one recording: merge several with whet load merge")
	}
	var recordings []namedFile
	for _, name := range names {
		recordings = append(recordings, namedFile{"the recording", name})
	}
	if err := checkOutputs(recordings, []namedFile{{"-o", l.out}, {"-hgrm", l.hgrm}, {"-csv-out", l.csvOut}}, ""); err != nil {
		return cli.UsageError("load: %w", err)
	}
	if err := l.writeTables(ctx, &page.Runs[0], cli.WriteFile); err != nil {
		return err
	}
	var files load.Files
	if l.out != "" {
		if err := cli.WriteFile(ctx, l.out, func(w io.Writer) error { return load.WriteHTML(w, page) }); err != nil {
			return err
		}
		files.Report = l.out
	}
	if err := l.print(e, page, files); err != nil {
		return err
	}
	if len(bounds) == 0 {
		return nil
	}
	return shownOutcome(page.Runs, bounds)
}

// shownOutcome returns the error that recordings end with that are judged by bounds: as
// when the load was driven.
func shownOutcome(runs []load.Run, bounds slo.Bounds) error {
	var invalid, broken, unknown []string
	for i := range runs {
		name, r := runs[i].Name, runs[i].Result
		if r.Invalid != "" {
			invalid = append(invalid, fmt.Sprintf("%s: the measurement is not valid: %s", name, r.Invalid))
		}
		for _, v := range bounds.Judge(r) {
			switch {
			case v.Broken:
				broken = append(broken, name+": "+v.String())
			case v.Unknown:
				unknown = append(unknown, name+": "+v.String())
			}
		}
	}
	switch {
	case len(invalid) > 0:
		return errors.New(strings.Join(invalid, "; "))
	case len(broken) > 0:
		return &cli.ExitError{Code: cli.ExitFound, Err: errors.New(strings.Join(broken, "; "))}
	case len(unknown) > 0:
		return errors.New(strings.Join(unknown, "; "))
	}
	return nil
}

// runNames returns the names of recordings as they are shown: without their
// directories, unless these are what tells them apart.
func runNames(paths []string) []string {
	var whole, short []string
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Clean(path), ".whet")
		whole, short = append(whole, name), append(short, filepath.Base(name))
	}
	for i, name := range short {
		if slices.Contains(short[:i], name) {
			return whole
		}
	}
	return short
}

// warningsOf are warnings with the name of the one of several recordings that they
// are about.
func warningsOf(name string, warnings []string) []string {
	if name == "" {
		return warnings
	}
	var out []string
	for _, w := range warnings {
		out = append(out, name+": "+w)
	}
	return out
}
