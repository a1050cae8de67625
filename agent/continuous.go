//go:build go1.26

package agent

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"runtime/pprof"
	"runtime/trace"
	"sync/atomic"
	"time"
)

// continuous profiles the program from start to end, into files. One goroutine
// owns the CPU profiler and the traces, so that nothing here needs a lock; the
// rows of metrics have their own, because rows must not wait for files.
type continuous struct {
	agent    *Agent
	files    *files
	recorder *recorder // nil: the files are all there is
	schedule schedule
	rows     *rows

	calls chan func()
	quit  chan struct{}
	done  chan struct{}

	cpu         *segment // nil: none is taken now
	cpuCount    int
	lent        bool
	statesCount int
	hasIt       atomic.Bool // cpu != nil, for others to see

	trace      *window // nil: none is taken now
	traceCount int
	traceAt    time.Duration // when the next one starts, since the origin
}

// segment is a piece of the CPU profile that is being taken.
type segment struct {
	file  *limitedFile
	start int64
}

// window is a trace that is being taken.
type window struct {
	file  *limitedFile
	start int64
	end   time.Duration
}

const (
	maxFileBytes = 64 << 20 // of a trace on disk: it ends early there
	maxTraces    = 8        // the last begins 4.5 hours after the start
	// Goroutine profiles of more goroutines stop the program for too long, and
	// of more than tooMany take too much memory also when it has ended.
	manyGoroutines    = 100_000
	tooManyGoroutines = 1_000_000
	// firstStates is when goroutines and heap are looked at first, and then each
	// time the program has run twice as long. The last two are kept, so that one
	// of them is from between a quarter and half of the run.
	firstStates = 250 * time.Millisecond
	partBefore  = "before"
	retryCPU    = time.Second
)

// startContinuous returns nil when there is nowhere to write to.
func startContinuous(a *Agent) *continuous {
	c := &continuous{
		agent: a, schedule: *a.settings.continuous,
		calls: make(chan func()), quit: make(chan struct{}), done: make(chan struct{}),
	}
	dir := a.settings.dir
	if a.settings.record != "" {
		var err error
		if c.recorder, err = newRecorder(a.settings.record); err != nil {
			a.notes.add("nothing is recorded: %v", err)
			return nil
		}
		dir = c.recorder.dir
	}
	c.files = newFiles(dir, a)
	if c.recorder != nil {
		c.recorder.noteEarlier(a)
	}
	c.startCPU()
	if c.schedule.traceLength > 0 {
		c.startTrace()
	}
	c.rows = startRows(c)
	a.work("continuous profiling", c.run)
	return c
}

// run is the goroutine that owns the profilers.
func (c *continuous) run() {
	defer close(c.done)
	cpu := time.NewTicker(c.schedule.segment)
	defer cpu.Stop()
	cumulative := time.NewTicker(c.schedule.cumulative)
	defer cumulative.Stop()
	retry := time.NewTicker(retryCPU)
	defer retry.Stop()
	states := time.NewTimer(firstStates)
	defer states.Stop()
	for {
		var full <-chan struct{}
		if c.trace != nil {
			full = c.trace.file.full
		}
		tracing, stop := c.traceTimer()
		select {
		case <-c.quit:
			stop()
			return
		case call := <-c.calls:
			call()
		case <-cpu.C:
			c.stopCPU()
			c.startCPU()
		case <-retry.C:
			if c.cpu == nil {
				c.startCPU()
			}
		case <-cumulative.C:
			c.keepUp()
		case <-states.C:
			c.writeStates()
			states.Reset(time.Since(c.agent.origin))
		case <-tracing:
			if c.trace != nil {
				c.stopTrace()
			} else {
				c.startTrace()
			}
		case <-full:
			c.note("a trace ended early: it reached the limit of %d bytes", maxFileBytes)
			c.stopTrace()
		}
		stop()
	}
}

// do runs f on the goroutine that owns the profilers.
func (c *continuous) do(ctx context.Context, f func()) error {
	ready := make(chan struct{})
	select {
	case c.calls <- func() { defer close(ready); f() }:
	case <-ctx.Done():
		return ctx.Err()
	case <-c.done:
		return errors.New("the agent was stopped")
	}
	select {
	case <-ready:
		return nil
	case <-c.done:
		return errors.New("the agent was stopped")
	}
}

func (c *continuous) note(format string, args ...any) { c.agent.notes.add(format, args...) }

// check notes an error of writing.
func (c *continuous) check(err error) {
	if err != nil {
		c.note("%v", err)
	}
}

// hasCPU reports whether a segment of the CPU profile is being taken.
func (c *continuous) hasCPU() bool { return c != nil && c.hasIt.Load() }

// lendCPU ends the current segment and takes no further one until the returned
// function is called.
func (c *continuous) lendCPU(ctx context.Context) (giveBack func(), err error) {
	if c == nil {
		return func() {}, nil
	}
	if err := c.do(ctx, func() { c.lent = true; c.stopCPU() }); err != nil {
		return nil, err
	}
	return func() {
		_ = c.do(context.Background(), func() { c.lent = false; c.startCPU() })
	}, nil
}

func (c *continuous) startCPU() {
	if !c.schedule.cpu || c.lent {
		return
	}
	f, err := c.files.create(fmt.Sprintf("cpu-%03d.pb.gz", c.cpuCount))
	if err != nil {
		c.check(err)
		return
	}
	s := &segment{file: watch(f, maxFileBytes), start: c.agent.since()}
	if err := pprof.StartCPUProfile(s.file); err != nil {
		c.files.discard(f)
		c.note("the program takes its own CPU profile (%v): the agent's profile lacks that time", err)
		return
	}
	c.cpu = s
	c.hasIt.Store(true)
}

func (c *continuous) stopCPU() {
	s := c.cpu
	if s == nil {
		return
	}
	c.cpu = nil
	c.hasIt.Store(false)
	if s.file.written() > 0 {
		// The runtime writes the profile when it ends, and it was not ended here.
		c.note("the program stopped the agent's CPU profile: up to %v are missing", c.schedule.segment)
	}
	end := c.agent.since()
	pprof.StopCPUProfile()
	if s.file.lost() {
		c.files.discard(s.file.File)
		c.note("a CPU profile was dropped: it exceeded %d bytes", 2*maxFileBytes)
		return
	}
	c.check(c.files.keep(s.file.File, file{
		Name: fmt.Sprintf("cpu-%03d.pb.gz", c.cpuCount), Kind: "cpu", StartNs: s.start, EndNs: end,
	}))
	c.cpuCount++
}

// traceTimer fires when a trace has to start or to end.
func (c *continuous) traceTimer() (<-chan time.Time, func()) {
	at := c.traceAt
	switch {
	case c.trace != nil:
		at = c.trace.end
	case c.schedule.traceLength == 0 || c.traceCount >= maxTraces:
		return nil, func() {}
	}
	t := time.NewTimer(at - time.Since(c.agent.origin))
	return t.C, func() { t.Stop() }
}

// nextTrace sets when the next trace starts: at 0, and then at powers of four
// of the first distance, so that a short program has one and a long one few.
func (c *continuous) nextTrace() {
	if c.traceAt == 0 {
		c.traceAt = c.schedule.traceFirst
	} else {
		c.traceAt *= 4
	}
	c.traceCount++
}

func (c *continuous) startTrace() {
	name := fmt.Sprintf("trace-%03d.trace", c.traceCount)
	c.nextTrace()
	select {
	case c.agent.tracing <- struct{}{}:
	default:
		return // someone asked for a trace just now: this one is left out
	}
	f, err := c.files.create(name)
	if err != nil {
		<-c.agent.tracing
		c.check(err)
		return
	}
	w := &window{file: watch(f, maxFileBytes), start: c.agent.since()}
	w.end = time.Duration(w.start) + c.schedule.traceLength
	if err := trace.Start(w.file); err != nil {
		<-c.agent.tracing
		c.files.discard(f)
		c.note("the program takes its own execution trace (%v): the agent's trace is missing", err)
		return
	}
	c.trace = w
}

func (c *continuous) stopTrace() {
	w := c.trace
	if w == nil {
		return
	}
	c.trace = nil
	if !trace.IsEnabled() {
		c.note("the program stopped the agent's trace: it ends before its recorded end time")
	}
	end := c.agent.since()
	trace.Stop()
	<-c.agent.tracing
	if w.file.lost() {
		c.files.discard(w.file.File)
		c.note("a trace was dropped: it exceeded %d bytes", 2*maxFileBytes)
		return
	}
	name := filepath.Base(w.file.Name())
	c.check(c.files.keep(w.file.File, file{Name: name[:len(name)-len(".new")], Kind: "trace", StartNs: w.start, EndNs: end}))
}

// writeStates writes what there is now, from which the end's profiles tell
// what was added. It forces no collection: the heap is as of the last one.
func (c *continuous) writeStates() {
	for _, name := range [...]string{"goroutine", "heap"} {
		if name == "goroutine" && runtime.NumGoroutine() > manyGoroutines {
			continue
		}
		c.check(c.files.writePart(fmt.Sprintf("%s-before-%d.pb.gz", name, c.statesCount%2), name, partBefore, c.agent.since(),
			func(w io.Writer) error { return pprof.Lookup(name).WriteTo(w, 0) }))
	}
	c.statesCount++
}

// writeCumulative writes the profiles that count since the process began, and
// the states of now.
func (c *continuous) writeCumulative(most int) {
	for _, name := range [...]string{"goroutine", "block", "mutex", "threadcreate", "heap", "allocs"} {
		if name == "goroutine" && runtime.NumGoroutine() > most {
			c.note("no goroutine profile: more than %d goroutines would stop the program for too long", most)
			continue
		}
		start := int64(0)
		if name == "goroutine" || name == "heap" {
			start = c.agent.since() // these are of one moment
		}
		c.check(c.files.write(name+".pb.gz", name, start, func(w io.Writer) error { return pprof.Lookup(name).WriteTo(w, 0) }))
	}
}

// writeLeaked writes the goroutines of which the runtime proves that nothing can
// wake them, where the program was built with GOEXPERIMENT=goroutineleakprofile.
// That takes a collection, and so it is asked for at the end alone.
func (c *continuous) writeLeaked() {
	p := pprof.Lookup("goroutineleak")
	if p == nil || runtime.NumGoroutine() > tooManyGoroutines {
		return
	}
	c.check(c.files.write("goroutineleak.pb.gz", "goroutineleak", c.agent.since(), func(w io.Writer) error { return p.WriteTo(w, 0) }))
}

// keepUp keeps the files up to date, in case the program is killed.
func (c *continuous) keepUp() {
	c.writeCumulative(manyGoroutines)
	c.publish("the program was still running when this was written")
}

// flush writes everything there is now.
func (c *continuous) flush() {
	c.stopCPU()
	c.startCPU()
	c.writeCumulative(manyGoroutines)
}

// publish writes the recording as it is now.
func (c *continuous) publish(partial string) {
	if c.recorder != nil {
		c.check(c.recorder.publish(c.files.report(), partial))
	}
}

// gcLimit bounds what the end of the program waits for the last collection.
const gcLimit = 500 * time.Millisecond

// finish ends everything and writes what is left.
func (c *continuous) finish(how string) {
	if c == nil {
		return
	}
	end := c.agent.since()
	c.rows.stop()
	close(c.quit)
	<-c.done
	c.stopTrace()
	c.stopCPU()
	// Heap profiles are as of the last collection that has ended. The rows have
	// stopped: this one is not counted as the program's.
	collected := make(chan struct{})
	go func() {
		defer close(collected)
		runtime.GC()
	}()
	wait := time.NewTimer(gcLimit)
	defer wait.Stop()
	select {
	case <-collected:
	case <-wait.C:
		c.note("the last garbage collection took more than %v: the heap and allocs profiles are as of the one before", gcLimit)
	}
	c.writeCumulative(tooManyGoroutines)
	c.writeLeaked()
	c.check(c.files.end(how, end))
	if c.recorder != nil {
		if err := c.recorder.publish(c.files.report(), ""); err != nil {
			c.note("%v (the part written is in %s)", err, c.recorder.dir)
			return
		}
		c.recorder.clean()
	}
}

// limitedFile is a file with a size limit. It sends once on full when it exceeds
// the limit, and drops writes past twice the limit.
type limitedFile struct {
	*os.File
	limit int64
	full  chan struct{}
	count atomic.Int64
	over  atomic.Bool
}

func watch(f *os.File, limit int64) *limitedFile {
	return &limitedFile{File: f, limit: limit, full: make(chan struct{}, 1)}
}

func (w *limitedFile) Write(p []byte) (int, error) {
	n := w.count.Add(int64(len(p)))
	if n > 2*w.limit {
		w.over.Store(true)
		return 0, errTooLarge
	}
	if n > w.limit {
		select {
		case w.full <- struct{}{}:
		default:
		}
	}
	written, err := w.File.Write(p)
	if err != nil {
		w.over.Store(true)
	}
	return written, err
}

func (w *limitedFile) written() int64 { return w.count.Load() }
func (w *limitedFile) lost() bool     { return w.over.Load() }
