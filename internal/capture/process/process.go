package process

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"sync/atomic"
	"time"
)

// Command is a command to run.
type Command struct {
	Path string   // looked up in PATH when it has no separator
	Args []string // without the program's name
	Dir  string
	Env  []string // the whole environment; nil: our own

	// Processors are those that the command may run on, by the system's numbers;
	// none: those that we may. Only Linux can.
	Processors []int

	// Stdin is the command's standard input; nil is empty. Do not pass a terminal: a
	// background group that reads it is stopped.
	Stdin io.Reader
	// Started is called with the process id once the command runs; nil: not.
	Started func(pid int)
	// Ended, unless nil, is called when the leader has ended by itself, before the rest
	// of its group is killed. It is called only on Linux.
	Ended func(pid int)

	// Scheduling asks for Result.Scheduling.
	Scheduling bool
	// Memory asks for the leader's peak also where the system's own count begins at
	// ours, which hides that of a small program. Only Linux can.
	Memory bool

	// Stdout and Stderr receive all the command prints, from a goroutine each:
	// one writer for both must be safe for concurrent use, as Bounded is. Nil
	// drops the output. A writer that fails receives nothing more; the command
	// does not notice. A Stderr that is an [EachWriter] is handed each write by
	// itself.
	Stdout, Stderr io.Writer
	// Gate, unless nil, stops the command at writes to its standard output.
	Gate *Gate
	// MaxOutput ends the command when it has printed more, stdout and stderr
	// together. 0 is no limit.
	MaxOutput int64
	// Timeout ends the command. 0 is no limit.
	Timeout time.Duration
	// Grace is the time between SIGTERM and SIGKILL. 0 means 2 s.
	Grace time.Duration
	// Dump makes the time limit ask the leader alone with SIGQUIT instead of
	// the group with SIGTERM: a Go program then prints where its goroutines
	// are, and ends. On Windows it changes nothing.
	Dump bool
}

const (
	defaultGrace = 2 * time.Second
	// pipeDelay is how long a descendant that left the group may hold the
	// pipes once the leader has ended and the group was killed.
	pipeDelay = 3 * time.Second
)

// EachWriter is a Stderr that separates the writes of the command: on Linux it gets
// each write separately, a longer one in pieces of 4 KiB, and those that arrived
// together in one call. Elsewhere Write is called as for any other writer.
type EachWriter interface {
	io.Writer
	// WriteEach must not keep what it is handed.
	WriteEach(writes [][]byte)
}

// Ending is the cause of a command's end.
type Ending int

const (
	Exited    Ending = iota // by itself, or by a signal that was not ours
	Cancelled               // the context was done
	TimedOut                // Command.Timeout
	Flooded                 // Command.MaxOutput
)

// Result is the result of a command that was started.
type Result struct {
	Start, End time.Time
	// Exited is the time at which the leader had ended: until End its group is killed
	// and the holders of its pipes are waited for. Outside Linux the two are equal.
	Exited             time.Time
	UserCPU, SystemCPU time.Duration
	MaxRSSBytes        int64       // 0: unknown, see Memory
	OutputBytes        int64       // all it printed
	Scheduling         *Scheduling // nil: not asked for, or the system does not say
	Ending             Ending
	ExitCode           int    // -1 when a signal ended it
	Signal             string // "killed", "segmentation fault"; "" when none did
}

// OK reports whether the command ended by itself with exit status 0.
func (r *Result) OK() bool { return r.Ending == Exited && r.ExitCode == 0 && r.Signal == "" }

// Status describes the end in the words of a shell user.
func (r *Result) Status() string {
	if r.Signal != "" {
		return "signal: " + r.Signal
	}
	return fmt.Sprintf("exit status %d", r.ExitCode)
}

// Run runs the command to its end. The error is not nil only when the command
// could not be started; every other ending is in the result. When the context
// is done before the start, its error is returned.
func Run(ctx context.Context, c Command) (*Result, error) {
	if c.Gate != nil {
		defer c.Gate.open()
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	cmd := exec.Command(c.Path, c.Args...)
	cmd.Dir, cmd.Env, cmd.Stdin = c.Dir, c.Env, c.Stdin
	cmd.WaitDelay = pipeDelay
	flood := make(chan struct{})
	out := &meter{limit: c.MaxOutput, flood: flood}
	stdout := &stream{meter: out, to: c.Stdout}
	cmd.Stdout = stdout
	errs := &stream{meter: out, to: c.Stderr}
	cmd.Stderr = errs
	g, err := newGroup(cmd)
	if err != nil {
		return nil, err
	}
	defer g.close()
	var byWrite *packets
	if each, ok := c.Stderr.(EachWriter); ok {
		errs.each = each
		if byWrite, err = newPackets(); err != nil {
			return nil, err
		}
	}
	if byWrite != nil {
		cmd.Stderr = byWrite.w
	}
	var gated *gatePipe
	if c.Gate != nil {
		if gated, err = newGatePipe(c.Gate); err != nil {
			if byWrite != nil {
				byWrite.drop()
			}
			return nil, err
		}
		cmd.Stdout = gated.w
	}

	// On Linux the command lives no longer than the thread that starts it.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	unpin, err := pinThread(c.Processors)
	res := &Result{Start: time.Now()}
	if err == nil {
		err = cmd.Start()
		unpin()
	}
	if err != nil {
		if byWrite != nil {
			byWrite.drop()
		}
		if gated != nil {
			gated.drop()
		}
		return nil, err
	}
	if byWrite != nil {
		byWrite.started(errs)
	}
	if gated != nil {
		gated.started(stdout)
	}
	g.started(cmd.Process)
	if c.Started != nil {
		c.Started(cmd.Process.Pid)
	}
	ownPeak := ownPeakRSS()
	var w *watch
	if c.Scheduling {
		w = startWatch(cmd.Process.Pid, res.Start, look)
	}

	var memory *peakWatch
	if c.Memory {
		memory = watchPeak(cmd.Process.Pid)
	}

	// The leader's end is seen first without reaping it, where the system can.
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		g.await(cmd.Process.Pid)
	}()
	// Without that, Wait itself must run while the limits are watched.
	waited := make(chan error, 1)
	wait := func() { waited <- cmd.Wait() }
	if !g.awaits() {
		inner := make(chan struct{})
		ended = inner
		go func() {
			defer close(inner)
			wait()
		}()
	}

	var limit <-chan time.Time
	if c.Timeout > 0 {
		t := time.NewTimer(c.Timeout)
		defer t.Stop()
		limit = t.C
	}
	select {
	case <-ended:
	case <-ctx.Done():
		res.Ending = Cancelled
	case <-limit:
		res.Ending = TimedOut
	case <-flood:
		res.Ending = Flooded
	}
	if res.Ending != Exited {
		if c.Dump && res.Ending == TimedOut {
			g.quit()
		} else {
			g.terminate()
		}
		grace := c.Grace
		if grace <= 0 {
			grace = defaultGrace
		}
		t := time.NewTimer(grace)
		select {
		case <-ended:
		case <-t.C:
		}
		t.Stop()
		g.kill()
		<-ended
	}
	if c.Gate != nil {
		c.Gate.open()
	}
	res.Exited = time.Now()
	if w != nil { // before the number can be another's
		res.Scheduling = w.end()
	}
	seen := memory.end()
	if res.Ending == Exited && c.Ended != nil && g.awaits() {
		c.Ended(cmd.Process.Pid)
	}
	g.kill() // processes that the leader left running
	if g.awaits() {
		wait()
	}
	err = <-waited
	if byWrite != nil {
		byWrite.ended()
	}
	if gated != nil {
		gated.ended()
	}
	res.End = time.Now()
	if !g.awaits() {
		res.Exited = res.End
	}
	res.OutputBytes = out.total.Load()
	if st := cmd.ProcessState; st != nil {
		res.UserCPU, res.SystemCPU = st.UserTime(), st.SystemTime()
		res.ExitCode, res.Signal = st.ExitCode(), exitSignal(st)
		if peak := peakRSS(st); peak > ownPeak+peakError() {
			res.MaxRSSBytes = peak
		}
		res.MaxRSSBytes = max(res.MaxRSSBytes, seen)
		return res, nil
	}
	if err == nil || errors.Is(err, exec.ErrWaitDelay) {
		err = os.ErrProcessDone
	}
	return nil, fmt.Errorf("wait for %s: %w", c.Path, err)
}

// NotFound reports whether an error of Run means that there is no such program.
func NotFound(err error) bool {
	return errors.Is(err, exec.ErrNotFound) || errors.Is(err, os.ErrNotExist)
}

// meter counts the output of both streams and raises the alarm once.
type meter struct {
	limit int64
	total atomic.Int64
	flood chan struct{}
	rung  atomic.Bool
}

func (m *meter) add(n int) {
	if total := m.total.Add(int64(n)); m.limit > 0 && total > m.limit && m.rung.CompareAndSwap(false, true) {
		close(m.flood)
	}
}

// stream drains one of the command's pipes. It never reports an error: a
// reader that stops would block the command or kill it with SIGPIPE.
type stream struct {
	meter *meter
	to    io.Writer
	each  EachWriter // the same, where it is one
	dead  bool
}

func (s *stream) writeEach(writes [][]byte) {
	for _, w := range writes {
		s.meter.add(len(w))
	}
	if len(writes) > 0 {
		s.each.WriteEach(writes)
	}
}

func (s *stream) Write(p []byte) (int, error) {
	s.meter.add(len(p))
	if s.to != nil && !s.dead {
		if _, err := s.to.Write(p); err != nil {
			s.dead = true
		}
	}
	return len(p), nil
}
