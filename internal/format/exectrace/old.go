package exectrace

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"

	"golang.org/x/exp/trace"

	"whet/internal/callstack"
)

// maxOldBytes bounds traces of Go 1.11 to 1.21, all of whose events their
// reader holds at once.
const maxOldBytes = 256 << 20

// oldReader reads a trace with golang.org/x/exp/trace, which knows every version.
// Those before Go 1.22 have a format without generations, and are read by it
// alone; of newer ones it is the second opinion that tests hold the reader
// against.
type oldReader struct {
	reader *trace.Reader
	joiner *joiner
	stacks map[trace.Stack]StackID
}

func (j *joiner) readOld(r *io.SectionReader) error {
	if r.Size() > maxOldBytes {
		return fmt.Errorf("the execution trace has the format of Go %s and %d MB; the limit for that format is %d MB: record it with Go 1.22 or newer",
			j.summary.GoVersion, r.Size()>>20, maxOldBytes>>20)
	}
	o := &oldReader{joiner: j, stacks: make(map[trace.Stack]StackID)}
	if err := o.open(r); err != nil {
		return err
	}
	batch := Batch{Events: make([]Event, 0, batchEvents), names: j.names, texts: &texts{}}
	hand := func() error {
		if len(batch.Events) == 0 {
			return nil
		}
		j.summary.Events += len(batch.Events)
		j.summary.EndNs = batch.Events[len(batch.Events)-1].TimeNs
		batch.texts.stringAt.finish()
		err := j.each(&batch)
		batch.Events = batch.Events[:0]
		batch.texts = &texts{}
		return err
	}
	for {
		var e Event
		ok, err := o.next(&e, batch.texts)
		if err == nil && ok && j.summary.Events+len(batch.Events) >= j.limits.MaxEvents {
			err = errEvents(j.limits.MaxEvents)
		}
		if err != nil {
			if failed := hand(); failed != nil {
				return failed
			}
			if errors.Is(err, io.EOF) {
				return nil
			}
			return j.partial(err)
		}
		if !ok {
			continue
		}
		if batch.Events = append(batch.Events, e); len(batch.Events) == batchEvents {
			if err := hand(); err != nil {
				return err
			}
		}
	}
}

// readOldPart hands a trace without generations to one reader.
func (j *joiner) readOldPart(r *io.SectionReader, reader PartReader) error {
	a := &partState{reader: reader, names: j.names}
	p := &Part{part: &part{apart: a}, joiner: j}
	live := newLiveTable()
	j.each = func(b *Batch) error {
		kept := b.Events[:0]
		for _, e := range b.Events {
			switch e.Kind {
			case Change:
				slot := live.find(e.Goroutine)
				if slot < 0 {
					slot = live.add(e.Goroutine)
				}
				if e.Value = uint64(slot); e.To == Gone {
					live.remove(slot)
				}
			case Sample:
			default:
				continue
			}
			kept = append(kept, e)
		}
		return reader.Take(&PartBatch{Events: kept, part: p.part})
	}
	err := j.readOld(r)
	reader.Join(p)
	return err
}

func (o *oldReader) open(r io.Reader) (err error) {
	defer recovered(&err)
	o.reader, err = trace.NewReader(r)
	if err != nil {
		return fmt.Errorf("read the execution trace: %w", shortened(err))
	}
	return nil
}

// next decodes into e and reports whether it is an event.
func (o *oldReader) next(e *Event, t *texts) (ok bool, err error) {
	defer recovered(&err)
	ev, err := o.reader.ReadEvent()
	if err != nil {
		return false, shortened(err)
	}
	j := o.joiner
	if !j.started {
		j.started, j.begin = true, int64(ev.Time())
	}
	if j.last = max(j.last, int64(ev.Time())-j.begin); ev.Kind() == trace.EventSync {
		clear(o.stacks)
		if c := ev.Sync().ClockSnapshot; c != nil && j.summary.MonoNs == 0 {
			since := int64(c.Trace) - j.begin
			j.summary.MonoNs, j.summary.WallNs = int64(c.Mono)-since, c.Wall.UnixNano()-since
		}
		return false, nil
	}
	*e = Event{TimeNs: j.last, Goroutine: NoGoroutine, Actor: int64(ev.Goroutine()), Proc: int32(ev.Proc()), Thread: uint32(ev.Thread())}
	if ev.Thread() == trace.NoThread {
		e.Thread = NoThread
	}
	if err := o.stack(&e.Stack, ev.Stack()); err != nil {
		return false, err
	}
	switch ev.Kind() {
	case trace.EventStateTransition:
		return true, o.change(e, ev)
	case trace.EventRangeBegin, trace.EventRangeActive, trace.EventRangeEnd:
		return true, o.ranged(e, ev)
	case trace.EventStackSample:
		e.Kind, e.Goroutine, e.Actor = Sample, e.Actor, NoGoroutine
	case trace.EventMetric:
		m := ev.Metric()
		e.Value = m.Value.Uint64()
		switch m.Name {
		case "/memory/classes/heap/objects:bytes":
			e.Kind = HeapLive
		case "/gc/heap/goal:bytes":
			e.Kind = HeapGoal
		case "/sched/gomaxprocs:threads":
			e.Kind = Procs
		default:
			e.Kind = Experimental
		}
	case trace.EventTaskBegin, trace.EventTaskEnd:
		task := ev.Task()
		e.Kind, e.Value = TaskEnd, uint64(task.ID)
		if ev.Kind() == trace.EventTaskBegin {
			e.Kind = TaskBegin
			if task.Parent != trace.NoTask && task.Parent != trace.BackgroundTask {
				e.Arg = uint64(task.Parent)
			}
			return true, o.name(e, task.Type)
		}
	case trace.EventRegionBegin, trace.EventRegionEnd:
		region := ev.Region()
		e.Kind, e.Value = RegionBegin, taskNumber(region.Task)
		if ev.Kind() == trace.EventRegionEnd {
			e.Kind = RegionEnd
		}
		return true, o.name(e, region.Type)
	case trace.EventLog:
		log := ev.Log()
		e.Kind, e.Value, e.Arg = Log, taskNumber(log.Task), uint64(len(t.stringAt.at)+1)
		t.stringAt.add(e.Arg, len(t.strings))
		t.strings = append(t.strings, evString)
		t.strings = binary.AppendUvarint(t.strings, e.Arg)
		t.strings = binary.AppendUvarint(t.strings, uint64(len(log.Message)))
		t.strings = append(t.strings, log.Message...)
		return true, o.name(e, log.Category)
	case trace.EventLabel:
		e.Kind = Label
		return true, o.name(e, ev.Label().Label)
	case trace.EventExperimental:
		e.Kind = Experimental
	default:
		return false, nil
	}
	return true, nil
}

func taskNumber(id trace.TaskID) uint64 {
	if id == trace.NoTask {
		return 0
	}
	return uint64(id)
}

func (o *oldReader) name(e *Event, text string) (err error) {
	e.Name, err = o.joiner.names.text([]byte(text))
	return err
}

func (o *oldReader) change(e *Event, ev trace.Event) error {
	t := ev.StateTransition()
	if t.Resource.Kind == trace.ResourceProc {
		e.Kind, e.Proc = ProcChange, int32(t.Resource.Proc())
		from, to := t.Proc()
		e.From, e.To = procState(from), procState(to)
		if e.From == Unknown || e.From == e.To || e.From == Gone {
			e.Actor = NoGoroutine
		}
		return nil
	}
	e.Kind, e.Goroutine = Change, int64(t.Resource.Goroutine())
	from, to := t.Goroutine()
	e.From, e.To = goState(from), goState(to)
	e.Stack = 0
	if err := o.stack(&e.Stack, t.Stack); err != nil {
		return err
	}
	if (e.From == Unknown || e.From == e.To) && e.To != Running {
		e.Proc = NoProc
	}
	if e.Actor == e.Goroutine || e.From == Unknown || e.From == e.To {
		e.Actor = NoGoroutine
	} else if err := o.stack(&e.ActorStack, ev.Stack()); err != nil {
		return err
	}
	return o.name(e, t.Reason)
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

func procState(s trace.ProcState) State {
	switch s {
	case trace.ProcNotExist:
		return Gone
	case trace.ProcRunning:
		return Running
	case trace.ProcIdle:
		return Idle
	}
	return Unknown
}

func (o *oldReader) ranged(e *Event, ev trace.Event) error {
	switch ev.Kind() {
	case trace.EventRangeBegin:
		e.Kind = RangeBegin
	case trace.EventRangeActive:
		e.Kind = RangeActive
	default:
		e.Kind = RangeEnd
		for _, a := range ev.RangeAttributes() {
			switch a.Name {
			case "bytes swept":
				e.Value = a.Value.Uint64()
			case "bytes reclaimed":
				e.Arg = a.Value.Uint64()
			}
		}
	}
	r := ev.Range()
	switch r.Scope.Kind {
	case trace.ResourceGoroutine:
		e.Goroutine = int64(r.Scope.Goroutine())
	case trace.ResourceProc:
		e.Proc = int32(r.Scope.Proc())
	}
	name, reason, _ := strings.Cut(r.Name, " (")
	switch name {
	case "GC mark assist":
		e.Range = MarkAssist
	case "GC concurrent mark phase":
		e.Range = GC
	case "GC incremental sweep":
		e.Range = Sweep
	case "stop-the-world":
		e.Range = StopWorld
		if e.Kind == RangeBegin {
			return o.name(e, strings.TrimSuffix(reason, ")"))
		}
	}
	return nil
}

func (o *oldReader) stack(to *StackID, handle trace.Stack) error {
	if handle == trace.NoStack {
		return nil
	}
	id, ok := o.stacks[handle]
	if !ok {
		n := o.joiner.names
		n.key, n.scratch = n.key[:0], n.scratch[:0]
		for f := range handle.Frames() {
			fr := n.frame(callstack.Frame{Function: f.Func, File: f.File, Line: int(f.Line)})
			n.key = binary.LittleEndian.AppendUint32(n.key, fr.id)
			n.scratch = append(n.scratch, &fr.Frame)
		}
		var err error
		if id, err = n.stack(); err != nil {
			return err
		}
		o.stacks[handle] = id
	}
	*to = id
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
