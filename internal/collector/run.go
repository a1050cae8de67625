package collector

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/term"

	analyze "whet/internal/analyze/gc"
	"whet/internal/capture/process"
	"whet/internal/cli"
	"whet/internal/format/gctrace"
	"whet/internal/printable"
	"whet/internal/quantity"
	"whet/internal/report/gc"
)

// drawEvery is how often the chart is drawn anew.
const drawEvery = 200 * time.Millisecond

// command runs a command, shows its heap meanwhile, and says at its end what was seen.
func (v *view) command(ctx context.Context, e *cli.Env, command []string) error {
	if len(command) == 0 {
		return cli.UsageError("gc: no command after --")
	}
	if v.sweeping.on {
		return v.sweep(ctx, e, command)
	}
	if v.watch != 0 || len(v.headers) > 0 || v.limit != 0 {
		return cli.UsageError("gc: -seconds and -H need a URL, -limit a log: for a command, set GOMEMLIMIT")
	}
	r := &run{reader: gctrace.NewReader(nil), trace: new(gctrace.Trace)}
	s := &screen{lines: cli.NewLiveLines(ctx, e), live: gc.Live{Command: strings.Join(command, " ")}}
	r.seen = s.cycle
	stdout := e.Stdout
	if v.asJSON && v.toTerminal() {
		stdout = e.Stderr // the standard output has one document
	}
	if e.StdoutTerminal || stdout == e.Stderr {
		stdout = s.over(stdout)
	}
	split := gctrace.NewSplitter(s.over(e.Stderr), r.line)
	c := process.Command{
		Path: command[0], Args: command[1:], Env: append(os.Environ(), gctrace.Variable(os.Getenv("GODEBUG"))),
		Stdin: commandInput(e), Stdout: stdout, Stderr: split,
	}
	stop := s.start()
	res, err := process.Run(ctx, c)
	split.Flush()
	stop()
	if err != nil {
		return cannotRun(ctx, command[0], err)
	}
	p := r.page(command, res)
	if err := v.report(ctx, e, p); err != nil {
		return err
	}
	switch {
	case res.Ending == process.Cancelled:
		return errInterrupted
	case res.Signal != "":
		return fmt.Errorf("gc: the command ended by a signal: %s", res.Signal)
	case res.ExitCode != 0:
		return &cli.ExitError{Code: res.ExitCode}
	}
	return nil
}

// errInterrupted ends what the user interrupted, after what was seen.
var errInterrupted error = &cli.ExitError{Code: cli.ExitInterrupted, Err: errors.New("interrupted: the result covers the time until then")}

// commandInput returns what a command reads; a terminal is none of ours to pass on.
func commandInput(e *cli.Env) io.Reader {
	if f, ok := e.Stdin.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		return nil
	}
	return e.Stdin
}

func cannotRun(ctx context.Context, name string, err error) error {
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case process.NotFound(err):
		return cli.UsageError("gc: run %s: no such command", name)
	}
	return fmt.Errorf("gc: run %s: %w", name, err)
}

// report writes what was seen: beside the command's own output.
func (v *view) report(ctx context.Context, e *cli.Env, p *gc.Page) error {
	out := v.outputOf(p.Name)
	if out != "" && out != "-" {
		if err := cli.WriteResult(ctx, out, func(w io.Writer) error { return v.write(w, p, 0, false) }); err != nil {
			return err
		}
		_, err := fmt.Fprintln(e.Stderr, printable.Message(out))
		return err
	}
	if v.asJSON {
		return v.write(e.Stdout, p, 0, false)
	}
	to := e.Stderr
	if out == "-" {
		to = e.Stdout
	}
	var text bytes.Buffer
	if err := v.write(&text, p, e.Width, e.Color && e.StderrTerminal); err != nil {
		return err
	}
	return cli.PrintText(to, &text)
}

// run gathers the lines of a command.
type run struct {
	mu     sync.Mutex
	reader *gctrace.Reader
	trace  *gctrace.Trace
	seen   func(p *gctrace.Process, c *gctrace.Cycle)
}

// line takes one of the runtime's.
func (r *run) line(text []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	line, ok := r.reader.Take(text)
	r.trace.Counts = r.reader.Counts
	if !ok {
		return
	}
	if p := r.trace.Add(line); p != nil && line.Cycle != nil {
		r.seen(p, line.Cycle)
	}
}

func (r *run) page(command []string, res *process.Result) *gc.Page {
	p := pageOf(command[0], r.trace, settings(os.Environ()))
	p.Command = &gc.Command{
		Line: strings.Join(command, " "), Status: res.Status(), ExitCode: res.ExitCode,
		WallNs: int64(res.Exited.Sub(res.Start)), CPUNs: int64(res.UserCPU + res.SystemCPU), Peak: res.MaxRSSBytes,
	}
	p.What = "a command's collector"
	if r.trace.Cycles() == 0 && len(r.trace.Processes) == 0 {
		p.Warnings = append(p.Warnings, fmt.Sprintf("%s printed no line of the garbage collector or of package initialization: it is not a Go program, or it sets GODEBUG itself", command[0]))
	}
	return p
}

// settings returns the settings of the collector in an environment.
func settings(env []string) analyze.Input {
	var in analyze.Input
	for _, variable := range env {
		name, value, _ := strings.Cut(variable, "=")
		switch name {
		case "GOGC":
			if n, err := strconv.Atoi(value); err == nil && n > 0 {
				in.Percent = n
			}
		case "GOMEMLIMIT":
			if n, err := quantity.ParseBytes(value); err == nil {
				in.LimitBytes = n
			}
		}
	}
	return in
}

// screen is the terminal below a command's output.
type screen struct {
	mu     sync.Mutex
	lines  *cli.LiveLines
	live   gc.Live
	middle bool // of a line that the command began
}

// cycle takes a cycle. Of several processes the chart is of the one with the most.
func (s *screen) cycle(p *gctrace.Process, c *gctrace.Cycle) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.live.Add(p.Number, p.Cycles.Len(), c)
}

// start draws from now on, until what it returns is called.
func (s *screen) start() (stop func()) {
	if !s.lines.On {
		return func() {}
	}
	ended, done := make(chan struct{}), make(chan struct{})
	began := time.Now()
	go func() {
		defer close(done)
		t := time.NewTicker(drawEvery)
		defer t.Stop()
		for {
			select {
			case <-ended:
				return
			case <-t.C:
				s.mu.Lock()
				if !s.middle {
					s.live.Elapsed = time.Since(began)
					s.lines.Draw(s.live.Lines(s.lines.Width, s.lines.Color))
				}
				s.mu.Unlock()
			}
		}
	}()
	return func() {
		close(ended)
		<-done
		s.mu.Lock()
		defer s.mu.Unlock()
		s.lines.Clear()
	}
}

// over returns a writer to the terminal above the chart.
func (s *screen) over(w io.Writer) io.Writer { return chartWriter{s, w} }

type chartWriter struct {
	s *screen
	w io.Writer
}

func (a chartWriter) Write(p []byte) (int, error) {
	a.s.mu.Lock()
	defer a.s.mu.Unlock()
	if len(p) > 0 {
		a.s.lines.Clear()
		a.s.middle = p[len(p)-1] != '\n'
	}
	return a.w.Write(p)
}
