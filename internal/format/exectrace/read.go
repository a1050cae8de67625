package exectrace

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"golang.org/x/exp/trace"
)

// Limits bound what Read takes on. Reading stops at the first that is reached,
// with what there is and a warning.
type Limits struct {
	MaxBytes      int64 // of the trace
	MaxEvents     int   // handed out
	MaxGoroutines int   // that live at once
	MaxFrames     int   // of all distinct stacks together
}

// DefaultLimits are far above any trace seen: a busy service writes some
// 20 MB, with 4 million events, in a second.
func DefaultLimits() Limits {
	return Limits{MaxBytes: 512 << 20, MaxEvents: 100e6, MaxGoroutines: 2e6, MaxFrames: 1 << 24}
}

// headerSize is the length of "go 1.26 trace\0\0\0".
const headerSize = 16

// Read hands every event of a trace to each, and ends early with each's error.
// Other errors say in one line why there is nothing to read; where something
// was, what is missing is in the summary's warnings.
func Read(r io.Reader, limits Limits, each func(*Event) error) (Summary, error) {
	limited := &limitedReader{r: r, left: limits.MaxBytes}
	in := bufio.NewReaderSize(limited, 64<<10)
	version, err := checkHeader(in)
	if err != nil {
		return Summary{}, err
	}
	d := decoder{table: newTable(limits.MaxFrames), states: make(map[int64]State), limits: limits}
	d.summary.GoVersion = version
	if err := d.open(in); err != nil {
		return Summary{}, err
	}
	for {
		ok, err := d.next()
		if err != nil {
			if limited.err != nil {
				err = limited.err
			}
			if errors.Is(err, io.EOF) {
				break
			}
			if d.summary.Events == 0 {
				return Summary{}, fmt.Errorf("read the execution trace: %w", err)
			}
			d.summary.Warnings = append(d.summary.Warnings, fmt.Sprintf("the trace is read up to %.3f s only: %v", float64(d.event.TimeNs)/1e9, err))
			break
		}
		if !ok {
			continue
		}
		d.summary.Events++
		d.summary.EndNs = d.event.TimeNs
		if err := each(&d.event); err != nil {
			return d.summary, err
		}
	}
	if d.summary.Events == 0 {
		return Summary{}, errors.New("the execution trace holds no events: it was cut off before its first second was whole, or nothing ran")
	}
	return d.summary, nil
}

// checkHeader says what other files are before the decoder, which knows only
// that they are none of its own.
func checkHeader(in *bufio.Reader) (version string, err error) {
	head, err := in.Peek(headerSize)
	if len(head) == 0 {
		if err != nil && !errors.Is(err, io.EOF) {
			return "", fmt.Errorf("read the execution trace: %w", err)
		}
		return "", errors.New("the execution trace is empty: the process may have ended while it was taken")
	}
	var minor int
	version, _, isTrace := strings.Cut(string(head), " trace\x00")
	if n, err := fmt.Sscanf(version, "go 1.%d", &minor); !isTrace || n != 1 || err != nil {
		if bytes.HasPrefix(head, []byte{0x1f, 0x8b}) {
			return "", errors.New("the file is packed with gzip, which execution traces are not: unpack it, or pass it as the profile that it may be")
		}
		return "", errors.New("the file is not a Go execution trace: it does not begin with \"go 1.NN trace\"")
	}
	version = strings.TrimPrefix(version, "go ")
	if minor < 22 {
		return "", fmt.Errorf("the execution trace has the format of Go %s: record it with Go 1.22 or newer", version)
	}
	return version, nil
}

// limitedReader ends the trace at a bound, and keeps the error of the reader
// beneath, which the decoder would report as its own.
type limitedReader struct {
	r    io.Reader
	left int64
	err  error
}

func (l *limitedReader) Read(p []byte) (int, error) {
	if l.left <= 0 {
		// Whether anything is left cannot be known without asking.
		var one [1]byte
		if n, err := io.ReadFull(l.r, one[:]); n == 0 {
			return 0, err
		}
		l.err = errors.New("it is larger than the limit")
		return 0, l.err
	}
	n, err := l.r.Read(p[:min(int64(len(p)), l.left)])
	l.left -= int64(n)
	if err != nil && !errors.Is(err, io.EOF) {
		l.err = err
	}
	return n, err
}

// decoder turns the events of x/exp/trace into ours.
type decoder struct {
	reader  *trace.Reader
	table   *table
	limits  Limits
	states  map[int64]State // of the goroutines that live
	started bool
	begin   trace.Time
	event   Event
	summary Summary
}

func (d *decoder) open(r io.Reader) (err error) {
	defer recovered(&err)
	d.reader, err = trace.NewReader(r)
	if err != nil {
		return fmt.Errorf("read the execution trace: %w", shortened(err))
	}
	return nil
}

// next decodes into d.event and reports whether it is one of ours.
func (d *decoder) next() (ok bool, err error) {
	defer recovered(&err)
	ev, err := d.reader.ReadEvent()
	if err != nil {
		return false, shortened(err)
	}
	if !d.started {
		d.started, d.begin = true, ev.Time()
	}
	if ev.Kind() == trace.EventSync {
		d.sync(ev.Sync())
		return false, nil
	}
	at := int64(ev.Time() - d.begin)
	if at < d.event.TimeNs {
		return false, fmt.Errorf("its clock runs backwards by %d ns", d.event.TimeNs-at)
	}
	if d.summary.Events >= d.limits.MaxEvents {
		return false, fmt.Errorf("it holds more than the limit of %d events", d.limits.MaxEvents)
	}
	d.event = Event{TimeNs: at, Goroutine: NoGoroutine, Actor: NoGoroutine}
	switch ev.Kind() {
	case trace.EventStateTransition:
		ok, err = d.change(ev)
	case trace.EventRangeBegin, trace.EventRangeActive, trace.EventRangeEnd:
		ok, err = true, d.ranged(ev)
	case trace.EventStackSample:
		d.event.Kind = Sample
		d.event.Goroutine = int64(ev.Goroutine())
		d.event.Stack, err = d.table.stack(ev.Stack())
		ok = true
	}
	return ok, err
}

func (d *decoder) sync(s trace.Sync) {
	d.table.nextGeneration()
	if c := s.ClockSnapshot; c != nil && d.summary.MonoNs == 0 {
		sinceBegin := int64(c.Trace - d.begin)
		d.summary.MonoNs = int64(c.Mono) - sinceBegin
		d.summary.WallNs = c.Wall.UnixNano() - sinceBegin
	}
}

func (d *decoder) change(ev trace.Event) (bool, error) {
	t := ev.StateTransition()
	if t.Resource.Kind != trace.ResourceGoroutine {
		return false, nil
	}
	e := &d.event
	id := t.Resource.Goroutine()
	from, to := t.Goroutine()
	e.Kind, e.Goroutine, e.Reason = Change, int64(id), t.Reason
	e.From, e.To = goState(from), goState(to)
	known, lives := d.states[e.Goroutine]
	switch {
	case lives && known != e.From:
		return false, fmt.Errorf("goroutine %d is %s, and goes from %s to %s", id, known, e.From, e.To)
	case !lives && e.From != Gone && e.From != Unknown:
		return false, fmt.Errorf("goroutine %d goes from %s to %s before it is there", id, e.From, e.To)
	}
	if e.To == Gone || e.To == Unknown {
		delete(d.states, e.Goroutine)
	} else {
		d.states[e.Goroutine] = e.To
	}
	if len(d.states) > d.limits.MaxGoroutines {
		return false, fmt.Errorf("more than the limit of %d goroutines live at once", d.limits.MaxGoroutines)
	}
	var err error
	if e.Stack, err = d.table.stack(t.Stack); err != nil {
		return false, err
	}
	if actor := ev.Goroutine(); actor != id {
		e.Actor = int64(actor)
		// A goroutine's status at a generation's beginning comes with its own
		// stack in both places, whoever wrote it.
		if ev.Stack() != t.Stack {
			e.ActorStack, err = d.table.stack(ev.Stack())
		}
	}
	return true, err
}

func goState(s trace.GoState) State {
	switch s {
	case trace.GoNotExist:
		return Gone
	case trace.GoRunnable:
		return Runnable
	case trace.GoRunning:
		return Running
	case trace.GoWaiting:
		return Waiting
	case trace.GoSyscall:
		return Syscall
	}
	return Unknown
}

func (d *decoder) ranged(ev trace.Event) error {
	e := &d.event
	switch ev.Kind() {
	case trace.EventRangeBegin:
		e.Kind = RangeBegin
	case trace.EventRangeActive:
		e.Kind = RangeActive
	default:
		e.Kind = RangeEnd
	}
	r := ev.Range()
	if r.Scope.Kind == trace.ResourceGoroutine {
		e.Goroutine = int64(r.Scope.Goroutine())
	}
	switch name, reason, _ := strings.Cut(r.Name, " ("); name {
	case "GC mark assist":
		e.Range = MarkAssist
	case "GC concurrent mark phase":
		e.Range = GC
	case "GC incremental sweep":
		e.Range = Sweep
	case "stop-the-world":
		e.Range, e.Reason = StopWorld, strings.TrimSuffix(reason, ")")
	}
	if e.Goroutine != NoGoroutine && e.Goroutine == int64(ev.Goroutine()) {
		var err error
		e.Stack, err = d.table.stack(ev.Stack())
		return err
	}
	return nil
}

// shortened cuts the decoder's errors, which go on with its inner state.
func shortened(err error) error {
	const most = 200
	if errors.Is(err, io.EOF) {
		return err
	}
	line, _, _ := strings.Cut(err.Error(), "\n")
	line = strings.TrimSuffix(strings.TrimSpace(line), ":")
	if len(line) > most {
		line = line[:most] + "…"
	}
	return errors.New(line)
}

// recovered turns the decoder's panics on damaged traces into errors: it
// checks most references, not all.
func recovered(err *error) {
	if p := recover(); p != nil {
		*err = shortened(fmt.Errorf("it is damaged: %v", p))
	}
}
