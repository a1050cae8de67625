package drive

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"syscall"

	"whet/internal/cli"
	"whet/internal/format/hdrlog"
	"whet/internal/load"
	"whet/internal/load/slo"
	"whet/internal/loadresult"
	"whet/internal/quantity"
	loadreport "whet/internal/report/load"
	pagereport "whet/internal/report/page"
)

// drive does one load and says what came of it.
func (l *loadFlags) drive(ctx context.Context, e *cli.Env, plan *loadPlan) error {
	view := newLoadView(ctx, e, plan)
	var outputs *loadOutputs
	// -hdr may be a pipe that nobody reads.
	if err := cli.Abandonable(ctx, func() (err error) {
		outputs, err = l.openOutputs(ctx, e, plan)
		return err
	}); err != nil {
		return err
	}
	defer outputs.discard()
	o := plan.options
	o.Progress = view.progress
	sink := &loadSink{plan: plan, view: view, outputs: outputs, course: loadreport.NewCourse(o.Schedule.Open())}
	if l.stream {
		sink.stream = e.Stdout
		view.On = view.On && !e.StdoutTerminal // which shows the lines
	}
	o.Interval = sink.interval
	result, err := load.Run(ctx, o)
	view.Clear()
	if err != nil {
		return err
	}
	run := newLoadRun(plan.name, plan.told, result, plan.bounds)
	run.Course = sink.course
	// What was measured is shown and kept, also where it was interrupted.
	files, trouble := l.write(ctx, &run, outputs, plan)
	page := &loadreport.Page{Runs: []loadreport.Run{run}, Warnings: l.warnings}
	outcome := loadOutcome(result, plan)
	if outcome == nil || exitOf(outcome) != cli.ExitInterrupted {
		trouble = errors.Join(sink.err, trouble) // who reads the stream may have been interrupted too
	}
	return printedOutcome(l.print(e, page, files), trouble, outcome)
}

// printedOutcome returns what a verb ends with that has printed, has had trouble with
// files, and has an outcome of its own. Who closes the pipe has seen enough: that is
// none of these, and hides none.
func printedOutcome(printed, trouble, outcome error) error {
	if errors.Is(printed, syscall.EPIPE) {
		printed = nil
	}
	if trouble != nil {
		trouble = errors.New(trouble.Error()) // said, be it of a pipe too
	}
	if printed == nil && trouble == nil {
		return outcome
	}
	return errors.Join(printed, trouble, outcome)
}

// exitOf returns the exit code of an error.
func exitOf(err error) int {
	if ee, ok := errors.AsType[*cli.ExitError](err); ok {
		return ee.Code
	}
	return cli.ExitFailed
}

// newLoadRun returns a load as it is shown.
func newLoadRun(name string, told loadresult.Plan, result *loadresult.Result, bounds slo.Bounds) loadreport.Run {
	run := loadreport.Run{Name: name, Plan: told, Result: result}
	for _, v := range bounds.Judge(result) {
		run.Bounds = append(run.Bounds, loadreport.Bound{Bound: v.Bound.String(), Value: v.Measured(), Broken: v.Broken, Unknown: v.Unknown, Note: v.Note})
	}
	return run
}

// loadSink takes the seconds of a load as they are closed.
type loadSink struct {
	plan    *loadPlan
	view    *loadView
	outputs *loadOutputs
	course  *loadreport.Course
	stream  io.Writer // nil: none
	err     error     // the first; the load goes on
}

func (s *loadSink) interval(iv loadresult.Interval) {
	s.course.Add(iv)
	s.outputs.interval(iv)
	line := loadreport.LoadInterval{Interval: iv, At: iv.Start.Sub(s.outputs.start)}
	if schedule := s.plan.options.Schedule; schedule.Open() {
		planned := schedule.Rate(line.At + iv.Length/2)
		line.Planned = &planned
	}
	s.view.interval(&line)
	if s.stream != nil {
		if err := loadreport.WriteSecond(s.stream, &line); err != nil && s.err == nil {
			s.err = err
			s.stream = nil // nobody reads
		}
	}
}

// print shows the page as the flags ask.
func (l *loadFlags) print(e *cli.Env, page *loadreport.Page, files loadreport.Files) error {
	if l.open && files.Report != "" {
		defer e.Browse(files.Report)
	}
	switch {
	case l.stream:
		return loadreport.WriteLine(e.Stdout, page, files)
	case l.asJSON:
		return loadreport.WriteJSON(e.Stdout, page, files)
	}
	err := loadreport.WriteText(e.Stdout, page, pagereport.TextOptions{Width: e.Width, Color: e.Color})
	if err == nil && files.Recording != "" {
		_, err = fmt.Fprintln(e.Stdout)
	}
	return printFiles(e, files, err)
}

// printFiles says which files were written, unless what stands before them could not
// be printed.
func printFiles(e *cli.Env, files loadreport.Files, err error) error {
	if err == nil && files.Recording != "" {
		_, err = fmt.Fprintf(e.Stdout, "recording  %s\n", e.Path(files.Recording))
	}
	if err == nil && files.Report != "" {
		_, err = fmt.Fprintf(e.Stdout, "report     %s\n", cli.Link(files.Report))
	}
	return err
}

// loadOutcome returns the error that a load ends with, and so its exit code. What was
// interrupted says nothing about bounds, and what the generator was the
// bottleneck of says nothing about the service.
func loadOutcome(r *loadresult.Result, plan *loadPlan) error {
	switch {
	case r.Interrupted:
		return &cli.ExitError{Code: cli.ExitInterrupted, Err: errors.New("interrupted: the figures cover the time until then")}
	case r.Invalid != "":
		return fmt.Errorf("the measurement is not valid: %s", r.Invalid)
	}
	var broken, unknown []string
	bounded := false // errors are
	for _, v := range plan.bounds.Judge(r) {
		bounded = bounded || v.Bound.Metric.Kind == slo.Errors
		switch {
		case v.Broken:
			broken = append(broken, v.String())
		case v.Unknown:
			unknown = append(unknown, v.String())
		}
	}
	wrong := r.Errors[loadresult.WrongAnswer]
	switch {
	case len(broken) > 0:
		return &cli.ExitError{Code: cli.ExitFound, Err: errors.New(strings.Join(broken, "; "))}
	case r.Requests == 0:
		return errors.New(nothingEnded(r, plan))
	case r.Answered() == 0:
		return fmt.Errorf("no request was answered%s", firstFailure(r))
	case r.Failed() == r.Requests && wrong == 0:
		return fmt.Errorf("every request failed%s", firstFailure(r))
	case len(unknown) > 0:
		return errors.New(strings.Join(unknown, "; "))
	case plan.expects && wrong > 0 && !bounded:
		return &cli.ExitError{Code: cli.ExitFound, Err: fmt.Errorf("%d of %d answers differ from -expect: %s", wrong, r.Answered(), r.Examples[loadresult.WrongAnswer])}
	}
	return nil
}

// nothingEnded says why a load has no figures that was not interrupted.
func nothingEnded(r *loadresult.Result, plan *loadPlan) string {
	length := quantity.Nanoseconds(float64(plan.options.Duration))
	switch {
	case r.InFlight > 0:
		return fmt.Sprintf("no request was answered: the load of %s ended before the first answer: raise -d", length)
	case r.Open:
		return fmt.Sprintf("no request was due in the load of %s: raise -d or -rate", length)
	}
	return fmt.Sprintf("no request was sent in the load of %s: use -d longer than -think", length)
}

// firstFailure returns the most frequent kind of failure with its example.
func firstFailure(r *loadresult.Result) string {
	kind := r.Commonest()
	example := r.Examples[kind]
	switch {
	case kind == "":
		return ""
	case example == "" || strings.HasSuffix(example, kind): // "connect: connection refused"
		return ": " + kind
	case strings.HasPrefix(example, kind+":"): // as package tls begins
		if strings.Contains(example, "failed to verify certificate") {
			example += " (-cacert names the file of its authority, -insecure accepts any)"
		}
		return ": " + example
	}
	return fmt.Sprintf(": %s: %s", kind, example)
}

// write writes what the flags ask for beside the summary.
func (l *loadFlags) write(ctx context.Context, run *loadreport.Run, outputs *loadOutputs, plan *loadPlan) (loadreport.Files, error) {
	var files loadreport.Files
	errs := []error{outputs.commit(run.Result.Start), l.writeTables(ctx, run, cli.WriteResult)}
	if outputs.writer != nil {
		path, err := outputs.finish(run, plan.bounds)
		files.Recording = path
		if err != nil {
			return files, errors.Join(append(errs, err)...)
		}
		html := cli.PageBeside(path)
		err = cli.WriteResult(ctx, html, func(w io.Writer) error {
			return loadreport.WriteHTML(w, &loadreport.Page{Runs: []loadreport.Run{*run}})
		})
		if errs = append(errs, err); err == nil {
			files.Report = html
		}
	}
	return files, errors.Join(errs...)
}

// writeTables writes the files that need the whole load.
func (l *loadFlags) writeTables(ctx context.Context, run *loadreport.Run, writeFile func(context.Context, string, func(io.Writer) error) error) error {
	var errs []error
	if l.hgrm != "" {
		errs = append(errs, writeFile(ctx, l.hgrm, func(w io.Writer) error { return hdrlog.WritePercentiles(w, run.Result.Times()) }))
	}
	if l.csvOut != "" {
		errs = append(errs, writeFile(ctx, l.csvOut, func(w io.Writer) error { return loadreport.WriteCSV(w, run.Result) }))
	}
	return errors.Join(errs...)
}

// loadView shows a load under way, where there is a terminal.
type loadView struct {
	*cli.LiveLines
	mu   sync.Mutex
	live loadreport.Live
}

func newLoadView(ctx context.Context, e *cli.Env, plan *loadPlan) *loadView {
	v := &loadView{LiveLines: cli.NewLiveLines(ctx, e)}
	loop := loadreport.Loop(&plan.told)
	v.live = loadreport.Live{Target: plan.name, Loop: loop, WarmingUp: plan.options.Warmup > 0, Of: plan.options.Duration, Wanted: plan.options.Requests,
		Errors: make(map[string]int64), Open: plan.options.Schedule.Open()}
	return v
}

func (v *loadView) progress(p load.Progress) {
	if !v.On {
		return
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.live.WarmingUp, v.live.Elapsed, v.live.Of, v.live.Requests, v.live.Failed = p.WarmingUp, p.Elapsed, p.Of, p.Requests, p.Errors
	v.Draw(v.live.Lines(v.Width, v.Color))
}

func (v *loadView) interval(s *loadreport.LoadInterval) {
	if !v.On {
		return
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.live.Add(s)
}
