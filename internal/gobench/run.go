package gobench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"whet/internal/capture/process"
	"whet/internal/format/benchmark"
)

// Run is a process of the test binary.
type Run struct {
	Bench     string   // full name "BenchmarkX/sub", without the suffix for processors
	Pattern   string   // used instead of Bench as -test.bench when not ""
	BenchTime string   // "1s", "100x"; "" is the testing package's own
	Count     int      // how often the benchmarks run; 0: once
	Steps     *Steps   // stops the process at the end of each; nil: nothing does
	CPU       string   // -test.cpu, one value; "" is GOMAXPROCS
	Args      []string // the user's, after the test binary's flags
	Env       []string // further variables, KEY=value
	// Processors are those that it may run on; none: all. See process.Command.
	Processors []int

	// Files of the instruments, "" is off.
	CPUProfile, MemProfile, BlockProfile, MutexProfile, Trace string
	// 0 is the testing package's own: 512 KiB, 1 ns, 1.
	MemProfileRate, BlockProfileRate, MutexProfileFraction int

	Scheduling bool // asks for Result.Scheduling
	SchedTrace bool // asks for Result.BusyProcessors, and disturbs the process a little

	Timeout time.Duration // 0: none
	Output  io.Writer     // receives the first MiB of the target's output; nil discards it
}

// Result is the result of a run.
type Result struct {
	Lines              []benchmark.Line
	Units              map[string]benchmark.Better // declared by lines "Unit … better="; nil: none
	Start, End         time.Time
	UserCPU, SystemCPU time.Duration
	MaxRSSBytes        int64               // 0: unknown
	Scheduling         *process.Scheduling // nil: not asked for, or unknown
	BusyProcessors     int                 // that ran goroutines at the median moment; 0: not asked for, or unknown
	OutputBytes        int64               // all it printed
	Truncated          bool                // more than was kept
	Raw                []byte
}

const maxCopied = 1 << 20

// Run runs benchmarks and returns their results. Its error is an [*Error], or wraps
// that of the context; the result, if the process was started at all, then has the
// results before it.
func (b *Binary) Run(ctx context.Context, r Run) (*Result, error) {
	args, err := r.args()
	if err != nil {
		return nil, err
	}
	what := r.Bench
	if r.Pattern != "" {
		what = "the benchmarks matching " + r.Pattern
	}
	var parser benchmark.Parser
	out, errs, kept := process.NewBounded(keptHead, keptTail), process.NewBounded(keptHead, keptTail), process.NewBounded(keptHead, keptTail)
	shared := &syncWriter{writers: []io.Writer{kept}}
	if r.Output != nil {
		shared.writers = append(shared.writers, &limitWriter{w: r.Output, left: maxCopied})
	}
	c := b.command(args, r.Timeout)
	c.Env = append(c.Env, r.Env...)
	if r.SchedTrace {
		debug := schedTrace
		for _, kv := range append(os.Environ(), c.Env...) {
			if v, ok := strings.CutPrefix(kv, "GODEBUG="); ok && v != "" {
				debug = v + "," + schedTrace // the last one counts
			}
		}
		c.Env = append(c.Env, "GODEBUG="+debug)
	}
	c.Processors, c.Scheduling = r.Processors, r.Scheduling
	if r.Steps != nil {
		c.Gate = r.Steps.Gate
	}
	c.Stdout = io.MultiWriter(&parser, out, shared)
	c.Stderr = io.MultiWriter(errs, shared)
	end, err := b.run(ctx, "run "+what, c)
	if end == nil {
		return nil, err
	}
	parser.Flush()
	res := &Result{
		Lines: own(&parser, r), Units: parser.Units(), Start: end.Start, End: end.End,
		UserCPU: end.UserCPU, SystemCPU: end.SystemCPU, MaxRSSBytes: end.MaxRSSBytes, Scheduling: end.Scheduling,
		OutputBytes: end.OutputBytes, Raw: kept.Bytes(),
	}
	if r.SchedTrace {
		res.BusyProcessors = busyProcessors(errs.Bytes())
	}
	_, _, dropped := kept.Parts()
	res.Truncated = dropped > 0
	if err != nil {
		return res, err
	}
	if end.OK() && len(res.Lines) > 0 {
		return res, nil
	}
	s := processFailure{
		target: b.Target, res: end, stdout: string(out.Bytes()), stderr: string(errs.Bytes()),
		limit: r.Timeout, what: what, bench: r.Bench, lines: len(res.Lines),
	}
	if r.Pattern != "" {
		s.bench = ""
		if open := parser.Open(); open != "" {
			s.bench, _, _ = strings.Cut(open, "-")
			s.what = s.bench
		}
	}
	if end.OK() {
		return res, b.noResult(ctx, r, s)
	}
	return res, ending(s)
}

// args builds the command line. Files are made absolute: the binary runs in
// the package's directory.
func (r Run) args() ([]string, error) {
	pattern := r.Pattern
	if pattern == "" {
		if r.Bench == "" {
			return nil, errors.New("run benchmarks: neither a name nor a pattern is given")
		}
		pattern = Exact(r.Bench)
	}
	args := []string{
		"-test.run=^$", "-test.bench=" + pattern, "-test.benchmem", "-test.count=" + strconv.Itoa(max(r.Count, 1)),
		// As go test does: os.Exit(0) must not look like success.
		"-test.paniconexit0=true",
	}
	if r.BenchTime != "" {
		args = append(args, "-test.benchtime="+r.BenchTime)
	}
	if r.CPU != "" {
		args = append(args, "-test.cpu="+r.CPU)
	}
	if r.Timeout > 0 {
		args = append(args, "-test.timeout="+backstop(r.Timeout).String())
	}
	for _, f := range []struct {
		flag, file, rate string
		value            int
	}{
		{"-test.cpuprofile", r.CPUProfile, "", 0},
		{"-test.memprofile", r.MemProfile, "-test.memprofilerate", r.MemProfileRate},
		{"-test.blockprofile", r.BlockProfile, "-test.blockprofilerate", r.BlockProfileRate},
		{"-test.mutexprofile", r.MutexProfile, "-test.mutexprofilefraction", r.MutexProfileFraction},
		{"-test.trace", r.Trace, "", 0},
	} {
		if f.file == "" {
			continue
		}
		abs, err := filepath.Abs(f.file)
		if err != nil {
			return nil, fmt.Errorf("run %s: %w", r.Bench, err)
		}
		args = append(args, f.flag+"="+abs)
		if f.rate != "" && f.value > 0 {
			args = append(args, f.rate+"="+strconv.Itoa(f.value))
		}
	}
	return append(args, r.Args...), nil
}

// backstop returns the binary's own time limit. It never fires while whet is there
// to enforce the real one: it ends the process when whet was killed.
func backstop(limit time.Duration) time.Duration { return limit + 30*time.Second }

// own returns the results of the benchmarks that were asked for, with the
// suffix for processors taken off.
func own(p *benchmark.Parser, r Run) []benchmark.Line {
	procs := processors(p.Full(), r)
	lines := p.Lines(procs)
	if r.Pattern != "" {
		return lines
	}
	return slices.DeleteFunc(lines, func(l benchmark.Line) bool {
		return l.Name != r.Bench && !strings.HasPrefix(l.Name, r.Bench+"/")
	})
}

// processors infers the GOMAXPROCS of a run from the names as printed: they
// end in -n unless it was 1. A run has one value, so where the names differ in
// their endings, none of these is a suffix.
func processors(full []string, r Run) int {
	if n, err := strconv.Atoi(r.CPU); err == nil && n > 0 {
		return n
	}
	if len(full) == 0 {
		return 0
	}
	if r.Pattern == "" && slices.Contains(full, r.Bench) {
		return 1
	}
	procs := 0
	for _, name := range full {
		i := strings.LastIndexByte(name, '-')
		n, err := strconv.Atoi(name[i+1:])
		if i < 0 || err != nil || n < 2 || procs != 0 && n != procs {
			return 1
		}
		procs = n
	}
	return procs
}

// syncWriter serializes the writes of stdout and stderr, which two goroutines copy.
type syncWriter struct {
	mu      sync.Mutex
	writers []io.Writer
}

func (l *syncWriter) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, w := range l.writers {
		_, _ = w.Write(p) // a writer's trouble is not the target's
	}
	return len(p), nil
}

// limitWriter passes on the first bytes of its input, until its writer fails.
type limitWriter struct {
	w    io.Writer
	left int
}

func (l *limitWriter) Write(p []byte) (int, error) {
	n := min(len(p), l.left)
	if n == 0 {
		return 0, nil
	}
	l.left -= n
	if _, err := l.w.Write(p[:n]); err != nil {
		l.left = 0
	}
	return n, nil
}
