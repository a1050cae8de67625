package exectrace

// goroutine is what is known of one that lives.
type goroutine struct {
	id    int64
	seq   uint64
	state State
}

// proc is what is known of a processor.
type proc struct {
	id     int32
	seq    uint64
	status procStatus
}

type procStatus uint8

const (
	procUnknown procStatus = iota
	procRunning
	procIdle
	procSyscall   // its thread is in a system call and may lose it
	procAbandoned // as procSyscall, of a thread that nobody knows any more
)

// thread is what runs on an operating system's thread.
type thread struct {
	id        uint64
	goroutine int32 // its slot, -1 for none
	proc      *proc
}

// noThread is what a trace has for the thread of what no thread did.
const noThread = ^uint64(0)

// order follows the scheduler through a generation and turns what the trace
// has into events. A generation states what lives before it says more of it, so
// that no order knows of another's.
type order struct {
	live    liveTable
	procs   map[uint64]*proc
	threads map[uint64]*thread
	gcSeq   uint64
	gc      State // Unknown, Running or Idle
	events  []Event
	out     func([]Event) []Event // takes a full batch and gives an empty one
	origin  int64                 // of the events' times
	last    int64                 // time of the last event
	count   int                   // events so far
	jump    gap                   // the longest
	apart   *partState            // nil: all kinds are wanted
	// losses counts events that could not be what they say; the first was at lossNs.
	losses int
	lossNs int64
}

func newOrder() order {
	return order{live: newLiveTable(), procs: make(map[uint64]*proc), threads: make(map[uint64]*thread)}
}

func (o *order) threadOf(id uint64) *thread {
	t, ok := o.threads[id]
	if !ok {
		t = &thread{id: id, goroutine: -1}
		o.threads[id] = t
	}
	return t
}

func (o *order) lost(ns int64) {
	if o.losses++; o.losses == 1 {
		o.lossNs = ns
	}
}

func (o *order) flush() {
	o.events = o.out(o.events)
}

// gap is a period without events.
type gap struct{ ns, at int64 }

// longJumpNs is what a trace of a program that is not stopped does not reach: each
// second has a generation.
const longJumpNs = 60e9

// maxSpanNs bounds the times of events, so that sums over a thousand goroutines do not
// overflow: 104 days.
const maxSpanNs = 1 << 53

// tick returns the time of the next event: after the one before.
func (o *order) tick(ns int64) int64 {
	next := max(min(ns-o.origin, maxSpanNs), o.last+1)
	if next-o.last > o.jump.ns {
		o.jump = gap{next - o.last, o.last}
	}
	o.last = next
	if o.apart != nil && o.count < len(o.apart.firsts) {
		o.apart.firsts[o.count] = o.last
	}
	o.count++
	return o.last
}

// emit returns the next event, to be filled in.
func (o *order) emit(c *cursor, kind Kind) *Event {
	if o.apart != nil && kind != Change {
		o.tick(c.time)
		return &o.apart.unwanted
	}
	if len(o.events) == cap(o.events) {
		o.flush()
	}
	ns := o.tick(c.time)
	o.events = o.events[:len(o.events)+1]
	e := &o.events[len(o.events)-1]
	*e = Event{TimeNs: ns, Kind: kind, Goroutine: NoGoroutine, Actor: NoGoroutine, Proc: NoProc, Thread: uint32(c.thread.id)}
	if c.thread.id == noThread {
		e.Thread = NoThread
	}
	if c.thread.proc != nil {
		e.Proc = c.thread.proc.id
	}
	return e
}

// change emits what a goroutine goes over to, from what it was.
func (o *order) change(c *cursor, slot int32, to State) *Event {
	g := &o.live.slots[slot]
	e := o.emit(c, Change)
	e.Goroutine, e.From, e.To = g.id, g.state, to
	if o.apart != nil {
		e.Value = uint64(slot)
	}
	g.state = to
	return e
}

func (o *order) procChange(c *cursor, p *proc, from, to State) {
	e := o.emit(c, ProcChange)
	e.Proc, e.From, e.To = p.id, from, to
	if from != Unknown && from != to {
		e.Actor = o.actor(c.thread)
	}
}

func (o *order) actor(t *thread) int64 {
	if t.goroutine < 0 {
		return NoGoroutine
	}
	return o.live.slots[t.goroutine].id
}

// own emits an event of the goroutine that runs.
func (o *order) own(c *cursor, kind Kind, stack uint64) *Event {
	e := o.emit(c, kind)
	e.Actor = o.actor(c.thread)
	e.Stack = clip(stack)
	return e
}

// clip keeps a number of the trace's; those above 32 bits name nothing.
func clip(id uint64) StackID {
	if id > 1<<32-1 {
		return 0
	}
	return StackID(id)
}

// sample emits a CPU sample.
func (o *order) sample(s *sample) {
	if len(o.events) == cap(o.events) {
		o.flush()
	}
	o.events = append(o.events, Event{
		TimeNs: o.tick(s.time), Kind: Sample, Goroutine: s.goroutine, Actor: NoGoroutine, Proc: s.proc, Thread: s.thread, Stack: clip(s.stack),
	})
}

// step takes in the event that c stands at and reports whether it can be yet.
// With force it can.
func (o *order) step(c *cursor, force bool) bool {
	t := c.thread
	switch c.typ {
	case evGoStart, evGoUnblock, evGoSwitch, evGoSwitchDestroy, evGoCreate, evGoCreateBlocked, evGoCreateSyscall, evGoStatus, evGoStatusStack:
		if int64(c.args[0]) <= 0 {
			o.lost(c.time) // no goroutine has such a number
			return true
		}
		switch c.typ {
		case evGoStatus, evGoStatusStack:
			o.goStatus(c)
		case evGoCreate, evGoCreateBlocked, evGoCreateSyscall:
			o.create(c)
		default:
			return o.sequenced(c, force)
		}
	case evProcStart, evProcSteal:
		return o.procSequenced(c, force)
	case evGoStop:
		o.leave(c, Runnable, c.args[0], c.args[1])
	case evGoBlock:
		o.leave(c, Waiting, c.args[0], c.args[1])
	case evGoDestroy:
		o.leave(c, Gone, 0, 0)
	case evGoDestroySyscall:
		if p := t.proc; p != nil {
			o.procChange(c, p, Running, Idle)
			p.status = procAbandoned
		}
		o.leave(c, Gone, 0, 0)
		t.proc = nil
	case evGoSyscallBegin:
		if t.goroutine < 0 {
			o.lost(c.time)
			return true
		}
		o.change(c, t.goroutine, Syscall).Stack = clip(c.args[1])
		if t.proc != nil {
			t.proc.status, t.proc.seq = procSyscall, c.args[0]
		} else {
			o.lost(c.time)
		}
	case evGoSyscallEnd:
		if t.goroutine < 0 {
			o.lost(c.time)
			return true
		}
		o.change(c, t.goroutine, Running)
		if t.proc != nil {
			t.proc.status = procRunning
		} else {
			o.lost(c.time)
		}
	case evGoSyscallEndBlocked:
		// While the processor may still be taken away, it was not yet.
		if t.proc != nil && t.proc.status == procSyscall && !force {
			return false
		}
		o.leave(c, Runnable, 0, 0)
	case evProcStatus:
		o.procStatus(c)
	case evProcStop:
		if p := t.proc; p != nil {
			o.procChange(c, p, Running, Idle)
			t.proc, p.status = nil, procIdle
		} else {
			o.lost(c.time)
		}
	case evGCActive, evGCBegin, evGCEnd:
		return o.collector(c, force)
	default:
		o.annotation(c)
	}
	return true
}

// leave ends the goroutine's time on its thread.
func (o *order) leave(c *cursor, to State, reason, stack uint64) {
	slot := c.thread.goroutine
	if slot < 0 {
		o.lost(c.time)
		return
	}
	e := o.change(c, slot, to)
	e.Name, e.Stack = StringID(clip(reason)), clip(stack)
	c.thread.goroutine = -1
	if to == Gone {
		o.live.remove(slot)
	}
}

// run puts a goroutine on a thread. Who was there before, if something is missing, is
// nowhere known.
func (o *order) run(c *cursor, slot int32) {
	if was := c.thread.goroutine; was >= 0 && was != slot {
		o.lost(c.time)
		o.change(c, was, Unknown)
	}
	o.change(c, slot, Running)
	c.thread.goroutine = slot
}

// sequenced takes in what concerns a goroutine of any thread: it can be if the
// goroutine is in the state before and no event of it is left out.
func (o *order) sequenced(c *cursor, force bool) bool {
	id, seq := int64(c.args[0]), c.args[1]
	before := Waiting
	if c.typ == evGoStart {
		before = Runnable
	}
	slot := o.live.find(id)
	if !force && (slot < 0 || o.live.slots[slot].state != before || o.live.slots[slot].seq+1 != seq) {
		return false
	}
	if slot < 0 {
		slot = o.add(id, Unknown)
	}
	o.live.slots[slot].seq = seq
	switch {
	case slot == c.thread.goroutine:
		return true // it runs: only where events are lost
	case c.typ == evGoStart:
		o.run(c, slot)
	case c.typ == evGoUnblock:
		e := o.change(c, slot, Runnable)
		e.Actor, e.ActorStack = o.actor(c.thread), clip(c.args[2])
	default:
		o.change(c, slot, Runnable).Actor = o.actor(c.thread)
		to := Waiting
		if c.typ == evGoSwitchDestroy {
			to = Gone
		}
		o.leave(c, to, 0, 0)
		o.run(c, slot)
	}
	return true
}

func (o *order) procSequenced(c *cursor, force bool) bool {
	p, known := o.procs[c.args[0]]
	if !force {
		if !known || p.seq+1 != c.args[1] {
			return false
		}
		if c.typ == evProcStart && (p.status != procIdle || c.thread.proc != nil) || c.typ == evProcSteal && p.status != procSyscall && p.status != procAbandoned {
			return false
		}
	}
	if !known {
		p = o.addProc(c.args[0])
	}
	p.seq = c.args[1]
	if c.typ == evProcStart {
		if was := c.thread.proc; was != nil {
			was.status = procIdle
			o.procChange(c, was, Running, Idle)
			c.thread.proc = nil
		}
		o.procChange(c, p, Idle, Running)
		p.status, c.thread.proc = procRunning, p
		return true
	}
	if p.status == procAbandoned {
		o.procChange(c, p, Idle, Idle)
	} else {
		o.procChange(c, p, Running, Idle)
		if from := o.threads[c.args[2]]; from != nil && from.proc == p {
			from.proc = nil
		} else {
			o.lost(c.time)
		}
	}
	p.status = procIdle
	return true
}

func (o *order) addProc(id uint64) *proc {
	p := &proc{id: int32(min(id, 1<<31-1))}
	o.procs[id] = p
	return p
}

func (o *order) add(id int64, state State) int32 {
	slot := o.live.add(id)
	g := &o.live.slots[slot]
	g.state, g.seq = state, 0
	return slot
}

func (o *order) create(c *cursor) {
	id := int64(c.args[0])
	if slot := o.live.find(id); slot >= 0 {
		o.lost(c.time)
		o.change(c, slot, Gone)
		o.live.remove(slot)
	}
	slot := o.add(id, Gone)
	if c.typ == evGoCreateSyscall {
		o.change(c, slot, Syscall)
		c.thread.goroutine = slot
		return
	}
	to := Runnable
	if c.typ == evGoCreateBlocked {
		to = Waiting
	}
	e := o.change(c, slot, to)
	e.Stack, e.Actor, e.ActorStack = clip(c.args[1]), o.actor(c.thread), clip(c.args[2])
}

// goStatus takes in what a goroutine does when the generation begins.
func (o *order) goStatus(c *cursor) {
	id, on := int64(c.args[0]), c.args[1]
	to := [...]State{Unknown, Runnable, Running, Syscall, Waiting}[min(c.args[2], 4)]
	if c.args[2] == 0 || c.args[2] > 4 {
		o.lost(c.time)
		return
	}
	slot := o.live.find(id)
	if slot < 0 {
		slot = o.add(id, Unknown)
	}
	o.live.slots[slot].seq = 0
	e := o.change(c, slot, to)
	if to != Running {
		e.Proc = NoProc // that of who says it
	}
	if c.typ == evGoStatusStack {
		e.Stack = clip(c.args[3])
	}
	switch {
	case to == Running, to == Syscall && on == c.thread.id:
		c.thread.goroutine = slot
	case to == Syscall && on != noThread:
		// It is in the call for the whole generation, on a thread that says nothing.
		o.threadOf(on).goroutine = slot
		e.Thread = uint32(on)
	}
}

// procStatus takes in what a processor does when the generation begins.
func (o *order) procStatus(c *cursor) {
	status := procStatus(min(c.args[1], 5))
	if status == procUnknown || status > procAbandoned {
		o.lost(c.time)
		return
	}
	p, known := o.procs[c.args[0]]
	if !known {
		p = o.addProc(c.args[0])
	}
	from, to := Unknown, Running
	if status == procIdle || status == procAbandoned {
		to = Idle
	}
	switch {
	case !known:
	case status == procAbandoned && p.status == procSyscall:
		// Its thread is still known, and about to lose it.
		from, to, status = Running, Running, procSyscall
	case p.status == procRunning || p.status == procSyscall:
		from = Running
	default:
		from = Idle
	}
	p.status, p.seq = status, 0
	o.procChange(c, p, from, to)
	if to == Running && p != c.thread.proc && c.args[1] != uint64(procAbandoned) {
		c.thread.proc = p
	}
}
