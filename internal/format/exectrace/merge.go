package exectrace

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"io"
	"slices"
)

// argCount is the number of numbers that follow an event's type, its time among them; 0 for
// types that do not stand among events.
var argCount = [256]uint8{
	evProcsChange: 3, evProcStart: 3, evProcStop: 1, evProcSteal: 4, evProcStatus: 3,
	evGoCreate: 4, evGoCreateSyscall: 2, evGoStart: 3, evGoDestroy: 1, evGoDestroySyscall: 1,
	evGoStop: 3, evGoBlock: 3, evGoUnblock: 4, evGoSyscallBegin: 3, evGoSyscallEnd: 1,
	evGoSyscallEndBlocked: 1, evGoStatus: 4, evSTWBegin: 3, evSTWEnd: 1,
	evGCActive: 2, evGCBegin: 3, evGCEnd: 2, evGCSweepActive: 2, evGCSweepBegin: 2, evGCSweepEnd: 3,
	evGCMarkAssistActive: 2, evGCMarkAssistBegin: 2, evGCMarkAssistEnd: 1, evHeapAlloc: 2, evHeapGoal: 2,
	evGoLabel: 2, evUserTaskBegin: 5, evUserTaskEnd: 3, evUserRegionBegin: 4, evUserRegionEnd: 4, evUserLog: 5,
	evGoSwitch: 3, evGoSwitchDestroy: 3, evGoCreateBlocked: 4, evGoStatusStack: 5,
	// The experiment with allocations.
	evSpan: 4, evSpan + 1: 4, evSpan + 2: 2, evSpan + 3: 3, evSpan + 4: 3, evSpan + 5: 2, evSpan + 6: 3, evSpan + 7: 3, evGoroutineStackFree: 2,
}

// maxNs keeps sums of times apart from overflow: 146 years.
const maxNs = 1 << 62

// cursor stands at one event of a thread.
type cursor struct {
	thread  *thread
	batches []batch // left
	data    []byte  // left of the batch at hand
	buffer  []byte
	from    int64 // offset of the batch at hand
	cut     bool  // it is cut off
	time    int64 // of the event at hand, in nanoseconds
	args    [4]uint64
	typ     byte
}

// merger orders the events of one generation.
//
// Events of a thread are in order already. Of several threads the earliest
// comes next, unless what it says cannot be yet: the clocks of processors
// disagree a little, and numbers in the events say what precedes what. This is
// the order in which golang.org/x/exp/trace hands them out, also between events
// of the same time.
type merger struct {
	gen     *generation
	src     io.ReaderAt
	heap    []*cursor // by time; the least is first
	samples []sample
	tickNs  int64   // 0 if it is not whole
	tick    float64 // nanoseconds in a tick
	order
	damaged error // the first batch that cannot be decoded
}

func newMerger(gen *generation, src io.ReaderAt, tickNs float64) *merger {
	m := &merger{gen: gen, src: src, tick: tickNs, order: newOrder()}
	if whole := int64(tickNs); float64(whole) == tickNs {
		m.tickNs = whole
	}
	return m
}

// ns returns the time of so many ticks.
func (m *merger) ns(ticks uint64) int64 {
	if ticks > maxNs/1024 {
		return maxNs
	}
	if m.tickNs > 0 && m.tickNs < 1024 {
		return int64(ticks) * m.tickNs
	}
	if ns := float64(ticks) * m.tick; ns < maxNs {
		return int64(ns)
	}
	return maxNs
}

// run emits all events of the generation, unless more goroutines than most live at
// once.
func (m *merger) run(most int, out func([]Event) []Event) error {
	m.out, m.events = out, out(nil)
	for _, batches := range m.gen.threads {
		c := &cursor{thread: m.threadOf(batches[0].thread), batches: batches}
		ok, err := m.next(c)
		if err != nil {
			return err
		}
		if ok {
			m.heap = append(m.heap, c)
			m.up(len(m.heap) - 1)
		}
	}
	for len(m.heap) > 0 {
		if m.live.count > most {
			m.flush()
			return fmt.Errorf("more than the limit of %d goroutines live at once", most)
		}
		if m.apart != nil && m.count >= m.apart.most {
			m.flush()
			return errEvents(m.apart.most)
		}
		if len(m.samples) > 0 && m.samples[0].time < m.heap[0].time {
			m.sample(&m.samples[0])
			m.samples = m.samples[1:]
			continue
		}
		c := m.heap[0]
		if m.step(c, false) {
			if err := m.moved(0); err != nil {
				return err
			}
			continue
		}
		if err := m.other(); err != nil {
			return err
		}
	}
	for i := range m.samples {
		m.sample(&m.samples[i])
	}
	m.flush()
	return nil
}

// other finds the earliest event that can be, where the earliest of all cannot.
// Where none can, something is missing, and the earliest is taken as it is.
func (m *merger) other() error {
	slices.SortFunc(m.heap, func(a, b *cursor) int { return cmp.Compare(a.time, b.time) })
	for i := 1; i < len(m.heap); i++ {
		if m.step(m.heap[i], false) {
			return m.moved(i)
		}
	}
	m.lost(m.heap[0].time)
	m.step(m.heap[0], true)
	return m.moved(0)
}

// moved goes on to the next event of a thread and mends the heap.
func (m *merger) moved(i int) error {
	c := m.heap[i]
	ok, err := m.next(c)
	if err != nil {
		return err
	}
	if ok {
		if m.up(i) == i {
			m.down(i)
		}
		return nil
	}
	for ; i > 0; i = (i - 1) / 2 {
		m.heap[(i-1)/2], m.heap[i] = m.heap[i], m.heap[(i-1)/2]
	}
	last := len(m.heap) - 1
	m.heap[0], m.heap[last] = m.heap[last], nil
	m.heap = m.heap[:last]
	m.down(0)
	return nil
}

func (m *merger) up(i int) int {
	for i > 0 && m.heap[(i-1)/2].time > m.heap[i].time {
		m.heap[(i-1)/2], m.heap[i] = m.heap[i], m.heap[(i-1)/2]
		i = (i - 1) / 2
	}
	return i
}

func (m *merger) down(i int) {
	for {
		least := i
		for _, child := range [2]int{2*i + 1, 2*i + 2} {
			if child < len(m.heap) && m.heap[child].time < m.heap[least].time {
				least = child
			}
		}
		if least == i {
			return
		}
		m.heap[i], m.heap[least] = m.heap[least], m.heap[i]
		i = least
	}
}

// next decodes the next event of a thread. What cannot be decoded ends its
// batch, and the thread goes on with the one after.
func (m *merger) next(c *cursor) (bool, error) {
	for {
		for len(c.data) == 0 {
			if len(c.batches) == 0 {
				c.buffer = nil
				return false, nil
			}
			b := c.batches[0]
			c.batches = c.batches[1:]
			if cap(c.buffer) < b.size {
				c.buffer = make([]byte, b.size)
			}
			c.data = c.buffer[:b.size]
			if _, err := m.src.ReadAt(c.data, b.offset); err != nil && err != io.EOF {
				return false, err
			}
			c.from, c.cut, c.time = b.offset, b.cut, m.ns(b.time)
		}
		if c.decode(m) {
			return true, nil
		}
		if m.damaged == nil && !c.cut {
			m.damaged = fmt.Errorf("a batch at byte %d cannot be decoded to its end", c.from)
		}
		c.data = nil
	}
}

func (c *cursor) decode(m *merger) bool {
	data := c.data
	count := int(argCount[data[0]])
	if count == 0 {
		return false
	}
	c.typ = data[0]
	ticks, at := uint64(0), 1
	if len(data) > 1 && data[1] < 0x80 {
		ticks, at = uint64(data[1]), 2
	} else {
		v, n := binary.Uvarint(data[1:])
		if n <= 0 {
			return false
		}
		ticks, at = v, 1+n
	}
	for i := range count - 1 {
		if at < len(data) && data[at] < 0x80 {
			c.args[i] = uint64(data[at])
			at++
			continue
		}
		v, n := binary.Uvarint(data[at:])
		if n <= 0 {
			return false
		}
		c.args[i] = v
		at += n
	}
	c.data = data[at:]
	c.time = min(c.time+m.ns(ticks), maxNs)
	return true
}
