package exectrace

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
)

// Types of what stands in a trace of Go 1.22 and newer, by their numbers in it
// (internal/trace/tracev2 in Go's own sources).
const (
	evEventBatch byte = 1 + iota
	evStacks
	evStack
	evStrings
	evString
	evCPUSamples
	evCPUSample
	evFrequency
	evProcsChange
	evProcStart
	evProcStop
	evProcSteal
	evProcStatus
	evGoCreate
	evGoCreateSyscall
	evGoStart
	evGoDestroy
	evGoDestroySyscall
	evGoStop
	evGoBlock
	evGoUnblock
	evGoSyscallBegin
	evGoSyscallEnd
	evGoSyscallEndBlocked
	evGoStatus
	evSTWBegin
	evSTWEnd
	evGCActive
	evGCBegin
	evGCEnd
	evGCSweepActive
	evGCSweepBegin
	evGCSweepEnd
	evGCMarkAssistActive
	evGCMarkAssistBegin
	evGCMarkAssistEnd
	evHeapAlloc
	evHeapGoal
	evGoLabel
	evUserTaskBegin
	evUserTaskEnd
	evUserRegionBegin
	evUserRegionEnd
	evUserLog
	evGoSwitch
	evGoSwitchDestroy
	evGoCreateBlocked
	evGoStatusStack
	evExperimentalBatch
	evSync
	evClockSnapshot
	evEndOfGeneration

	evSpan               byte = 128
	evGoroutineStackFree byte = 136
)

// maxBatch is the most bytes that the runtime writes in one batch.
const maxBatch = 64 << 10

// batch is where a batch of events, or of a table, stands in the trace.
type batch struct {
	offset int64 // of its content
	size   int
	thread uint64
	time   uint64 // in ticks
	cut    bool   // the trace ends within it
}

// generation is a part of the trace, of about a second, that can be read without the
// others: its stacks and strings are numbered anew, and it states what each goroutine
// and processor does before its events.
type generation struct {
	number                   uint64
	threads                  [][]batch
	strings, stacks, samples []batch
	batches                  int
	minTime                  uint64  // ticks of the earliest batch
	tickNs                   float64 // nanoseconds in a tick; 0 when unknown
	snapTime, snapMono       uint64
	snapSec, snapNs          uint64
	snapped                  bool
	broken                   error // what ended it before its end
	brokenAt                 int64
	indexOfThread            map[uint64]int
}

// index finds the generations of a trace by the headers of its batches alone.
type index struct {
	src     io.ReaderAt
	size    int64
	at      int64
	version int
	most    int   // batches a generation
	cut     error // why it may end before its end
	window  []byte
	from    int64 // where window begins
}

func newIndex(src io.ReaderAt, size int64, version, most int, cut error) *index {
	return &index{src: src, size: size, at: headerSize, version: version, most: most, cut: cut, window: make([]byte, 0, 4096)}
}

// bytes returns up to n bytes at an offset; fewer at the trace's end.
func (x *index) bytes(offset int64, n int) ([]byte, error) {
	n = int(min(int64(n), x.size-offset))
	if offset < x.from || offset+int64(n) > x.from+int64(len(x.window)) {
		x.window = x.window[:min(int64(cap(x.window)), x.size-offset)]
		got, err := x.src.ReadAt(x.window, offset)
		x.from, x.window = offset, x.window[:got]
		if got < n {
			if err == nil || errors.Is(err, io.EOF) {
				err = io.ErrUnexpectedEOF
			}
			return nil, err
		}
	}
	from := int(offset - x.from)
	return x.window[from : from+n], nil
}

// next returns the next generation, nil at the trace's end. One that is not
// whole says so in broken, and is the last.
func (x *index) next() *generation {
	g := &generation{indexOfThread: make(map[uint64]int)}
	for x.at < x.size {
		start := x.at
		head, err := x.bytes(start, 1+1+4*binary.MaxVarintLen64+1)
		if err != nil {
			return g.breaks(start, err)
		}
		if head[0] == evEndOfGeneration && x.version >= 26 {
			x.at++
			return g
		}
		number, b, first, err := header(head)
		switch {
		case err != nil:
			return g.breaks(start, err)
		case g.number != 0 && number != g.number && x.version < 26 && number > g.number:
			return g // without a mark of the end, the next one's first batch is it
		case number == 0 || g.number != 0 && number != g.number:
			return g.breaks(start, fmt.Errorf("a batch of generation %d is in generation %d", number, g.number))
		case g.batches == x.most:
			return g.breaks(start, fmt.Errorf("a generation has more than the limit of %d batches", x.most))
		}
		b.offset += start
		g.number = number
		if b.offset+int64(b.size) > x.size {
			// What is there of the batch is as good as a whole one's beginning.
			b.size = int(x.size - b.offset)
			x.at = x.size
			if b.size > 0 {
				b.cut = true
				x.add(g, b, first) // that it cannot be read to its end is known
			}
			return g.breaks(start, x.cut)
		}
		x.at = b.offset + int64(b.size)
		if err := x.add(g, b, first); err != nil {
			return g.breaks(start, err)
		}
	}
	if g.batches == 0 {
		return nil
	}
	if x.version >= 26 {
		return g.breaks(x.at, x.cut)
	}
	if g.tickNs == 0 {
		return g.breaks(x.at, x.cut) // which says it at its end
	}
	return g
}

func (g *generation) breaks(at int64, err error) *generation {
	g.broken, g.brokenAt = err, at
	return g
}

// header decodes a batch's header: its type, generation, thread, time and size.
// first is the first byte of its content; of an experiment's batch its own type.
func header(data []byte) (number uint64, b batch, first byte, err error) {
	at := 1
	switch data[0] {
	case evEventBatch:
	case evExperimentalBatch:
		first = evExperimentalBatch
		at++
	default:
		if _, _, err := checkHeader(data[:min(len(data), headerSize)]); err == nil {
			return 0, batch{}, 0, errors.New("another trace begins there: split the file, and read each trace by itself")
		}
		return 0, batch{}, 0, fmt.Errorf("want a batch there, got a byte %d", data[0])
	}
	var values [4]uint64
	for i := range values {
		v, n := binary.Uvarint(data[min(at, len(data)):])
		if n <= 0 {
			return 0, batch{}, 0, errors.New("a batch's header is cut off")
		}
		values[i] = v
		at += n
	}
	if values[3] > maxBatch {
		return 0, batch{}, 0, fmt.Errorf("a batch has %d bytes, more than the maximum of %d", values[3], maxBatch)
	}
	if first == 0 && at < len(data) && values[3] > 0 {
		first = data[at]
	}
	return values[0], batch{offset: int64(at), size: int(values[3]), thread: values[1], time: values[2]}, first, nil
}

func (x *index) add(g *generation, b batch, first byte) error {
	if g.batches++; g.batches == 1 || b.time < g.minTime {
		g.minTime = b.time
	}
	switch {
	case b.size == 0 || first == evExperimentalBatch:
	case first == evStrings:
		g.strings = append(g.strings, b)
	case first == evStacks:
		g.stacks = append(g.stacks, b)
	case first == evCPUSamples:
		g.samples = append(g.samples, b)
	case first == evFrequency && x.version < 25, first == evSync && x.version >= 25:
		return x.sync(g, b)
	default:
		i, ok := g.indexOfThread[b.thread]
		if !ok {
			i = len(g.threads)
			g.indexOfThread[b.thread] = i
			g.threads = append(g.threads, nil)
		}
		g.threads[i] = append(g.threads[i], b)
	}
	return nil
}

// sync reads the clock's rate and what other clocks showed.
func (x *index) sync(g *generation, b batch) error {
	data, err := x.bytes(b.offset, b.size)
	if err != nil {
		return err
	}
	data = slices.Clone(data)
	if x.version >= 25 {
		data = data[1:]
	}
	args := func(n int) (values [4]uint64, ok bool) {
		for i := range n {
			v, size := binary.Uvarint(data)
			if size <= 0 {
				return values, false
			}
			values[i], data = v, data[size:]
		}
		return values, true
	}
	for len(data) > 0 {
		typ := data[0]
		data = data[1:]
		var v [4]uint64
		ok := false
		switch typ {
		case evFrequency:
			if v, ok = args(1); ok && v[0] > 0 {
				g.tickNs = 1 / (float64(v[0]) / 1e9)
			}
		case evClockSnapshot:
			if v, ok = args(4); ok {
				g.snapped, g.snapTime, g.snapMono, g.snapSec, g.snapNs = true, b.time+v[0], v[1], v[2], v[3]
			}
		}
		if !ok {
			return errors.New("its clock's rate cannot be read")
		}
	}
	return nil
}
