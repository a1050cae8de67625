package explore

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"whet/internal/analyze/sched"
	"whet/internal/analyze/wall"
	"whet/internal/callstack"
	"whet/internal/capture"
	"whet/internal/cli"
	"whet/internal/format/exectrace"
	"whet/internal/format/profile"
	"whet/internal/profiles"
	"whet/internal/quantity"
	"whet/internal/recording"
	"whet/internal/report/page"
	"whet/internal/report/trace"
)

// maxTraceStream bounds a trace from a pipe or a server: it is held in memory.
const maxTraceStream = 512 << 20

// traceProfiles are the profiles that can be made of a trace.
var traceProfiles = []string{sched.BlockedNetwork.String(), sched.BlockedSync.String(), sched.BlockedSyscall.String(), sched.BlockedSched.String(), "cpu", "wall"}

func traceCommand() *cli.Command {
	return &cli.Command{
		Name:       "trace",
		ReadsOnly:  true,
		Operands:   "TRACE",
		Recordings: 1,
		Choices:    func() map[string][]string { return map[string][]string{"pprof": traceProfiles} },
		Short:      "analyze an execution trace: goroutines, waits, processors",
		Long: `
Trace reads an execution trace and prints conclusions, goroutines by start function with the time
in each state, processors, the places of waits and the goroutines that end them, the time from
ready to running, the collector, tasks and regions. Times are those of go tool trace. TRACE is a
file of runtime/trace, go test -trace or a flight recorder, optionally gzipped, a URL of
net/http/pprof/trace, - for the standard input, or a recording with a trace; if it has several,
-window chooses one. Trace reads traces of Go 1.11 and newer; of a truncated trace it reads the
part before the cut. -pprof writes a profile for the other views: of waits for the network (net),
for locks and channels (sync), in system calls (syscall), for a processor (sched), of the CPU
profiler's samples (cpu) if it was on, or of all time by handler, goroutine and task (wall).`,
		Examples: []string{
			"whet trace out.trace",
			"whet trace -from 2s -to 2.5s out.trace",
			"whet trace -goroutine 18 out.trace",
			"whet trace -task 7 out.trace",
			"whet trace -base old.trace new.trace",
			"whet trace -html out.trace",
			"whet trace -window worst service.whet",
			"whet trace -pprof sync -o sync.pb.gz out.trace",
			"whet trace -pprof wall -task 7 -o task.pb.gz out.trace",
			"whet trace http://localhost:6060/debug/pprof/trace?seconds=5",
		},
		Setup: func(fs *flag.FlagSet) cli.RunFunc {
			v := &traceView{}
			v.fetch.Declare(fs)
			fs.BoolVar(&v.asJSON, "json", false, "print one JSON document")
			fs.BoolVar(&v.html, "html", false, "write a page with a timeline: processors, goroutines, the collector")
			fs.BoolVar(&v.all, "all", false, "show all rows of every table")
			fs.StringVar(&v.pprof, "pprof", "", "write this `profile` instead: "+strings.Join(traceProfiles, ", "))
			fs.StringVar(&v.base, "base", "", "compare with this earlier `trace`")
			fs.StringVar(&v.window, "window", "", "with several traces in a recording: show this `one`, a number, or worst for the worst moment")
			fs.StringVar(&v.output, "o", "", "write to `file`; - is the standard output")
			cli.Duration(fs, &v.from, "from", "start at this `time` of the trace")
			cli.Duration(fs, &v.to, "to", "end at this `time` of the trace (default: its end)")
			fs.Uint64Var(&v.options.Task, "task", 0, "show only the task of this `number`, during its time, with its critical path")
			fs.Func("goroutine", "show only the goroutine of this `number`, with its critical path; may be given several times", func(text string) error {
				var id int64
				if n, err := fmt.Sscanf(text+"\n", "%d\n", &id); n != 1 || err != nil || id < 1 {
					return fmt.Errorf("%q is not the number of a goroutine", text)
				}
				v.options.Goroutines = append(v.options.Goroutines, id)
				return nil
			})
			return v.run
		},
	}
}

// traceView is what was asked of a trace.
type traceView struct {
	fetch         profiles.FetchOptions
	options       sched.Options
	from, to      time.Duration
	asJSON, all   bool
	html          bool
	pprof, output string
	base          string
	window        string
	windows       []trace.Window // of the recording that was read
	doubts        []string       // about the traces' files
}

func (v *traceView) run(ctx context.Context, e *cli.Env, operands []string) error {
	operand, err := cli.OneOperand("trace", "trace", operands)
	if err != nil {
		return err
	}
	v.options.FromNs, v.options.ToNs = int64(v.from), int64(v.to)
	known := v.pprof == ""
	for _, name := range traceProfiles {
		known = known || name == v.pprof
	}
	switch o := &v.options; {
	case !known:
		return cli.UsageError("trace: -pprof %[2]q: want %[1]s", strings.Join(traceProfiles, ", "), v.pprof)
	case v.html && (v.asJSON || v.pprof != "" || v.base != ""):
		return cli.UsageError("trace: -html writes a page: leave -json, -pprof and -base out")
	case v.pprof != "" && v.asJSON:
		return cli.UsageError("trace: choose -pprof or -json")
	case v.base != "" && (v.pprof != "" || o.Task > 0 || len(o.Goroutines) > 0):
		return cli.UsageError("trace: -base compares traces or windows of them: leave -pprof, -task and -goroutine out")
	case o.Task > 0 && (o.FromNs > 0 || o.ToNs > 0 || len(o.Goroutines) > 0):
		return cli.UsageError("trace: -task sets time and goroutines: leave -from, -to and -goroutine out")
	case o.FromNs < 0 || o.ToNs < 0:
		return cli.UsageError("trace: -from and -to are times from the start of the trace: give 0 or more")
	case o.ToNs > 0 && o.ToNs <= o.FromNs:
		return cli.UsageError("trace: -to %v is not after -from %v", v.to, v.from)
	}
	v.options.Limits = exectrace.DefaultLimits()
	v.options.Path = v.pprof == "" && (v.options.Task > 0 || len(v.options.Goroutines) == 1)
	if v.pprof != "" {
		src, done, err := v.open(ctx, e, operand)
		if err != nil {
			return err
		}
		defer done()
		return v.profile(ctx, e, profiles.Shown(operand), src)
	}
	if v.html {
		return v.page(ctx, e, operand)
	}
	var old *trace.Page
	if v.base != "" {
		if old, err = v.read(ctx, e, v.base); err != nil {
			return err
		}
	}
	p, err := v.read(ctx, e, operand)
	if err != nil {
		return err
	}
	return e.Emit(ctx, v.output, func(w io.Writer) error {
		o := page.TextOptions{Width: e.Width, All: v.all}
		o.Color = e.Color && (v.output == "" || v.output == "-")
		switch {
		case old != nil && v.asJSON:
			return trace.WriteComparisonJSON(w, old, p)
		case old != nil:
			return trace.WriteComparison(w, old, p, o)
		case v.asJSON:
			return trace.WriteJSON(w, p)
		}
		return trace.WriteText(w, p, o)
	})
}

// read reads a trace to its end.
func (v *traceView) read(ctx context.Context, e *cli.Env, operand string) (*trace.Page, error) {
	v.doubts = nil
	src, done, err := v.open(ctx, e, operand)
	if err != nil {
		return nil, err
	}
	defer done()
	p := &trace.Page{Name: profiles.Shown(operand), Windows: v.windows}
	if p.Result, err = sched.Analyze(src, v.options); err != nil {
		return nil, fmt.Errorf("%s: %w", p.Name, err)
	}
	p.Result.Warnings = slices.Concat(v.doubts, p.Result.Warnings)
	return p, nil
}

// page writes the timeline: it reads the trace once more, knowing what is worth a look.
func (v *traceView) page(ctx context.Context, e *cli.Env, operand string) error {
	v.doubts = nil
	src, done, err := v.open(ctx, e, operand)
	if err != nil {
		return err
	}
	defer done()
	p := &trace.Page{Name: profiles.Shown(operand), Windows: v.windows}
	if p.Result, err = sched.Analyze(src, v.options); err != nil {
		return fmt.Errorf("%s: %w", p.Name, err)
	}
	d, err := trace.Draw(src, v.options, p, trace.Moments(p.Result), trace.MostIntervals)
	if err != nil {
		return fmt.Errorf("%s: %w", p.Name, err)
	}
	p.Result.Warnings = slices.Concat(v.doubts, p.Result.Warnings)
	out := v.output
	if out == "" {
		out = outputName(strings.TrimSuffix(p.Name, ".trace"), "timeline", "html")
	}
	return e.Emit(ctx, out, func(w io.Writer) error { return trace.WriteHTML(w, d) })
}

// profile writes one.
func (v *traceView) profile(ctx context.Context, e *cli.Env, name string, src exectrace.Source) error {
	var p *callstack.Frames
	var warnings []string
	if v.pprof == "wall" {
		var err error
		if p, warnings, err = v.wall(name, src); err != nil {
			return err
		}
	} else {
		var err error
		if v.pprof == "cpu" {
			p, warnings, err = sched.Samples(src, v.options)
		}
		for b := range sched.Blocking(len(traceProfiles) - 2) {
			if b.String() == v.pprof {
				p, warnings, err = sched.Blocked(src, v.options, b)
			}
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	warnings = slices.Concat(v.doubts, warnings)
	if p.Len() == 0 {
		why := ""
		if v.pprof == "cpu" {
			why = ": the CPU profiler was not on during the trace"
		}
		if len(warnings) > 0 {
			why += "; " + warnings[0]
		}
		return fmt.Errorf("%s: the profile %s is empty%s", name, v.pprof, why)
	}
	e.Warn(warnings)
	out := v.output
	if out == "" {
		out = outputName(strings.TrimSuffix(name, ".trace"), v.pprof, "pb.gz")
	}
	return e.Emit(ctx, out, func(w io.Writer) error { return profile.Write(w, p.Profile) })
}

// wall returns the profile of all time by handler, goroutine and task, or of a part of it.
func (v *traceView) wall(name string, src exectrace.Source) (*callstack.Frames, []string, error) {
	t, o := wall.Trace{Name: name, Source: src}, &v.options
	w := wall.Window{FromNs: o.FromNs, ToNs: o.ToNs, Goroutines: o.Goroutines}
	if o.Task > 0 {
		task, err := sched.FindTask(src, *o)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", name, err)
		}
		w = wall.Window{FromNs: task.BeginNs, ToNs: task.EndNs, Goroutines: task.Goroutines}
	}
	if w.FromNs > 0 || w.ToNs > 0 || len(w.Goroutines) > 0 {
		return wall.Profile(t, w)
	}
	r, err := wall.Analyze([]wall.Trace{t})
	if err != nil {
		return nil, nil, err
	}
	return r.Profile, r.Warnings, nil
}

// open finds the trace that an operand names.
func (v *traceView) open(ctx context.Context, e *cli.Env, operand string) (exectrace.Source, func(), error) {
	nothing := func() {}
	v.windows = nil
	if address, ok := cli.AsURL(operand); ok && v.window == "" {
		e.Status().Show("waiting for a trace")
		data, err := v.fetch.FetchPart(ctx, traceURL(address), maxTraceStream)
		e.Status().Show("")
		if err != nil && len(data) > 0 && ctx.Err() == nil {
			v.doubts = append(v.doubts, err.Error())
			err = nil
		}
		if err != nil {
			return nil, nil, err
		}
		src, err := v.unpacked(profiles.Shown(operand), bytes.NewReader(data))
		return src, nothing, err
	}
	if recording.Is(operand) {
		src, err := v.recorded(operand)
		return src, nothing, err
	}
	if v.window != "" {
		return nil, nil, cli.UsageError("trace: -window needs a recording, which %s is not", operand)
	}
	if operand == "-" {
		src, err := piped("the standard input", e.Stdin)
		if err != nil {
			return nil, nil, err
		}
		unzipped, err := v.unpacked("the standard input", src)
		return unzipped, nothing, err
	}
	f, err := os.Open(operand)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, cli.UsageError("no trace %s", operand)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("read trace: %w", err)
	}
	st, err := f.Stat()
	switch {
	case err != nil:
	case st.IsDir():
		err = cli.UsageError("%s is a directory and not a recording: name a trace, a URL or a NAME.whet", operand)
	case !st.Mode().IsRegular():
		defer f.Close()
		src, err := piped(operand, f)
		return src, nothing, err
	default:
		var src exectrace.Source
		if src, err = v.unpacked(operand, io.NewSectionReader(f, 0, st.Size())); err == nil {
			return src, func() { f.Close() }, nil
		}
	}
	f.Close()
	return nil, nil, err
}

// traceURL completes an address as people type it.
func traceURL(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return address // fetching says what is wrong with it
	}
	switch strings.TrimRight(u.Path, "/") {
	case "", "/debug/pprof":
		u.Path = "/debug/pprof/trace"
	}
	return u.String()
}

// unpacked returns a trace that may be packed with gzip, and then lies in memory. Of a pack
// that is cut off, what stands before the cut is left.
func (v *traceView) unpacked(name string, src exectrace.Source) (exectrace.Source, error) {
	var head [2]byte
	if n, _ := src.ReadAt(head[:], 0); n < 2 || head != [2]byte{0x1f, 0x8b} {
		return src, nil
	}
	z, err := gzip.NewReader(io.NewSectionReader(src, 0, src.Size()))
	if err != nil {
		return nil, fmt.Errorf("%s: begins like gzip but is not: %w", name, err)
	}
	data, whole, err := capture.ReadAtMost(z, maxTraceStream)
	switch {
	case !whole:
		return nil, fmt.Errorf("%s: unpacked larger than %s: unpack it to a file first", name, quantity.Bytes(maxTraceStream))
	case err != nil && len(data) == 0:
		return nil, fmt.Errorf("%s: unpack it: %w", name, err)
	case err != nil:
		v.doubts = append(v.doubts, fmt.Sprintf("%s cannot be unpacked to its end (%v): only the part before was read", name, err))
	}
	return bytes.NewReader(data), nil
}

// piped returns a trace that can be read only once.
func piped(name string, r io.Reader) (exectrace.Source, error) {
	data, whole, err := capture.ReadAtMost(r, maxTraceStream)
	if err != nil {
		return nil, fmt.Errorf("read trace from %s: %w", name, err)
	}
	if !whole {
		return nil, fmt.Errorf("read trace from %s: larger than %s: write it to a file first", name, quantity.Bytes(maxTraceStream))
	}
	return bytes.NewReader(data), nil
}
