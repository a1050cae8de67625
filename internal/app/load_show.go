package app

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"whet/internal/cli"
	"whet/internal/format/hdrlog"
	"whet/internal/hist"
	"whet/internal/load/slo"
	"whet/internal/loadresult"
	"whet/internal/recording"
	"whet/internal/report/load"
)

// show lays out recordings of loads, several beside each other.
func (l *loadFlags) show(ctx context.Context, e *cli.Env, names []string) error {
	var bounds slo.Bounds
	if l.slo != "" {
		var err error
		if bounds, err = slo.Parse(l.slo); err != nil {
			return cli.UsageError("load: -slo: %w", err)
		}
	}
	page, runs := new(load.Page), runNames(names)
	for i, name := range names {
		kept, err := openLoad(name)
		if err != nil {
			return err
		}
		b := kept.bounds
		if len(bounds) > 0 {
			b = bounds
		}
		run := newLoadRun(runs[i], kept.plan, kept.result, b)
		run.Course = kept.course
		own := ""
		if len(names) > 1 {
			own = runs[i]
		}
		searched(page, own, kept.search)
		page.Runs = append(page.Runs, run)
		if kept.partial != "" {
			page.Warnings = append(page.Warnings, fmt.Sprintf("%s is not whole: %s", name, kept.partial))
		}
		page.Warnings = append(page.Warnings, warningsOf(own, kept.warnings)...)
	}
	if (l.hgrm != "" || l.csvOut != "") && len(page.Runs) > 1 {
		return cli.UsageError("load: -hgrm and -csv-out are of one recording: merge several with whet load merge")
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

// shownOutcome is the error that recordings end with that are judged by bounds: as
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

// isLoad reports whether a recording is one of whet load.
func isLoad(path string) bool {
	rec, err := recording.Open(path)
	if err != nil {
		return false
	}
	defer rec.Close()
	return rec.Kind == recording.TargetLoad
}

// runNames are the names of recordings as they are shown: without their
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

// keptLoad is a load as its recording has it.
type keptLoad struct {
	plan     loadresult.Plan
	result   *loadresult.Result
	course   *load.Course
	bounds   slo.Bounds
	search   *load.Search // that found it; nil: it was not looked for
	partial  string
	warnings []string
}

// openLoad reads a recording of whet load.
func openLoad(path string) (*keptLoad, error) {
	rec, err := recording.Open(path)
	if err != nil {
		return nil, err
	}
	defer rec.Close()
	k, err := readLoad(rec)
	if err != nil {
		return nil, fmt.Errorf("open recording %s: %w", path, err)
	}
	return k, nil
}

func readLoad(rec *recording.Recording) (*keptLoad, error) {
	if rec.Kind != recording.TargetLoad {
		return nil, fmt.Errorf("it holds a %s and no load of its own: whet diagnose shows it", rec.Kind)
	}
	var f loadRunFile
	if err := readJSON(rec, loadRunPath, &f); err != nil {
		return nil, err
	}
	if f.Schema != loadRunSchema {
		return nil, fmt.Errorf("%s: its schema %.40q is not %s", loadRunPath, f.Schema, loadRunSchema)
	}
	var s loadSecondsFile
	if err := readJSON(rec, loadSecondsPath, &s); err != nil {
		return nil, err
	}
	if !f.Open && f.Plan.Rate != "" || f.End.Before(f.Start) || f.Drain < 0 {
		return nil, fmt.Errorf("%s contradicts itself", loadRunPath)
	}
	if !f.counts() || !s.counts() {
		return nil, errors.New("its counts are none of a load")
	}
	k := &keptLoad{plan: f.Plan, partial: rec.Partial, course: load.NewCourse(f.Open)}
	if f.SLO != "" {
		var err error
		if k.bounds, err = slo.Parse(f.SLO); err != nil {
			return nil, fmt.Errorf("%s: %w", loadRunPath, err)
		}
	}
	r := &loadresult.Result{
		Began: f.Began, Start: f.Start, End: f.End, Interrupted: f.Interrupted, Requests: f.Requests, Errors: f.Errors, Examples: f.Examples,
		Status: make(map[int]int64), Bytes: f.Bytes, InFlight: f.InFlight, OldestInFlight: f.OldestNs, Connections: f.Connections, Connecting: f.Connecting,
		Open: f.Open, Rate: f.PlannedPerS, LateSends: f.LateSends, Drain: f.Drain, Behind: f.Behind, Leftover: f.Leftover, Answers: s.Answers, Targets: f.Targets, Generator: f.Generator,
		Invalid: f.Invalid, Warnings: f.Warnings,
	}
	for code, n := range f.Status {
		c, err := strconv.Atoi(code)
		if err != nil {
			return nil, fmt.Errorf("%s: status %.20q is no number", loadRunPath, code)
		}
		r.Status[c] = n
	}
	for _, x := range s.Seconds {
		r.Seconds = append(r.Seconds, loadresult.Second{
			Start: f.Start.Add(time.Duration(x.TimeNs - f.StartNs)), Length: time.Duration(x.LengthNs), Requests: x.Requests, Answered: x.Answered, Behind: x.Behind, Leftover: x.Leftover, Errors: x.Errors,
			Bytes: x.Bytes, Kinds: x.Kinds, Due: x.Due, InTime: x.InTime, P50: time.Duration(x.P50Ns), P99: time.Duration(x.P99Ns), Max: time.Duration(x.MaxNs),
			Response: loadresult.Quantiles{P50: time.Duration(x.ResponseP50Ns), P99: time.Duration(x.ResponseP99Ns), Max: time.Duration(x.ResponseMaxNs)},
		})
	}
	k.result = r
	if err := k.times(rec); err != nil {
		return nil, err
	}
	var err error
	if k.search, err = readKnee(rec); err != nil {
		return nil, err
	}
	return k, nil
}

// Bounds of what a load counts: sums of several stay exact.
const (
	mostCounted = 1 << 53
	mostKinds   = 1000 // of errors and of statuses
)

// longestKept bounds the length of a load in a recording.
const longestKept = 10 * 365 * 24 * time.Hour

func counted(n int64) bool { return n >= 0 && n <= mostCounted }

// counts reports whether all that was counted can be.
func (f *loadRunFile) counts() bool {
	for _, kinds := range []map[string]int64{f.Errors, f.Status} {
		if len(kinds) > mostKinds {
			return false
		}
		for _, n := range kinds {
			if !counted(n) {
				return false
			}
		}
	}
	for _, t := range f.Targets {
		if !counted(t.Requests) || !counted(t.Errors) || !counted(t.Timed) || t.Service < 0 {
			return false
		}
	}
	return counted(f.Requests) && counted(f.Bytes) && counted(f.Connections) && counted(f.LateSends) && counted(f.Behind) && counted(f.Leftover) && counted(int64(f.InFlight)) && f.Connecting >= 0
}

// counts is likewise for the seconds.
func (s *loadSecondsFile) counts() bool {
	for i := range s.Seconds {
		x := &s.Seconds[i]
		for _, n := range []int64{x.LengthNs, x.Requests, x.Answered, x.Behind, x.Leftover, x.Errors, x.Bytes, x.Due, x.InTime,
			x.P50Ns, x.P99Ns, x.MaxNs, x.ResponseP50Ns, x.ResponseP99Ns, x.ResponseMaxNs} {
			if !counted(n) {
				return false
			}
		}
		for _, n := range x.Kinds {
			if !counted(n) {
				return false
			}
		}
	}
	return !slices.ContainsFunc(s.Answers, func(n int32) bool { return n < 0 })
}

// times reads the interval logs.
func (k *keptLoad) times(rec *recording.Recording) error {
	for _, log := range []struct {
		path    string
		into    *hist.Histogram
		courses bool
	}{
		{loadServicePath, &k.result.Service, !k.result.Open},
		{loadResponsePath, &k.result.Response, k.result.Open},
		{loadLatenessPath, &k.result.Lateness, false},
	} {
		if log.path != loadServicePath && !k.result.Open {
			continue
		}
		data, err := readPath(rec, log.path)
		if err != nil {
			return err
		}
		var first, before time.Time
		head, err := hdrlog.Read(bytes.NewReader(data), func(i *hdrlog.Interval) error {
			if first.IsZero() {
				first = i.Start
			}
			if i.Start.Before(before) || i.Start.Sub(first) > longestKept {
				return fmt.Errorf("an interval begins %v, behind one that begins %v", i.Start, before)
			}
			before = i.Start
			if i.Histogram.Count() > math.MaxInt64-log.into.Count() {
				return errors.New("there are more times than an int64 counts")
			}
			log.into.Merge(i.Histogram)
			if log.courses {
				k.course.Add(loadresult.Interval{Second: loadresult.Second{Start: i.Start, Length: i.Length}, Service: i.Histogram, Response: i.Histogram})
			}
			return nil
		})
		if err != nil {
			return fmt.Errorf("%s: %w", log.path, err)
		}
		for _, w := range head.Warnings {
			k.warnings = append(k.warnings, log.path+": "+w)
		}
	}
	return nil
}

func readJSON(rec *recording.Recording, path string, to any) error {
	data, err := readPath(rec, path)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, to); err != nil {
		return fmt.Errorf("%s is damaged: %w", path, err)
	}
	return nil
}

// readPath reads the artifact of a path, which the manifest has to name.
func readPath(rec *recording.Recording, path string) ([]byte, error) {
	for _, a := range rec.Artifacts {
		if a.Path == path {
			return rec.Read(a)
		}
	}
	return nil, fmt.Errorf("it has no %s", path)
}
