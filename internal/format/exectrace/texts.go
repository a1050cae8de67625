package exectrace

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"io"
	"slices"
)

// dictionary finds where an entry of a generation's table begins. The runtime
// counts entries from 1, so that their numbers are indices; where a damaged trace has
// others, they are searched.
type dictionary struct {
	ids   []uint64
	at    []uint32 // by position
	dense []uint32 // at+1 by number, where the numbers allow it
}

func (d *dictionary) add(id uint64, at int) {
	d.ids, d.at = append(d.ids, id), append(d.at, uint32(at))
}

func (d *dictionary) finish() {
	var most uint64
	for _, id := range d.ids {
		most = max(most, id)
	}
	if most <= 4*uint64(len(d.ids))+1024 {
		d.dense = make([]uint32, most+1)
		for i, id := range d.ids {
			d.dense[id] = d.at[i] + 1
		}
		d.ids, d.at = nil, nil
		return
	}
	order := make([]int, len(d.ids))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(d.ids[a], d.ids[b]) })
	ids, at := make([]uint64, len(order)), make([]uint32, len(order))
	for i, from := range order {
		ids[i], at[i] = d.ids[from], d.at[from]
	}
	d.ids, d.at = ids, at
}

func (d *dictionary) find(id uint64) (int, bool) {
	if d.dense != nil {
		if id < uint64(len(d.dense)) && d.dense[id] != 0 {
			return int(d.dense[id] - 1), true
		}
		return 0, false
	}
	i, ok := slices.BinarySearch(d.ids, id)
	if !ok {
		return 0, false
	}
	return int(d.at[i]), true
}

// position returns an entry's index, from 1 on; 0 for none.
func (d *dictionary) position(id uint64) int {
	if d.dense != nil {
		if id < uint64(len(d.dense)) && d.dense[id] != 0 {
			return int(id)
		}
		return 0
	}
	if i, ok := slices.BinarySearch(d.ids, id); ok && id != 0 {
		return i + 1
	}
	return 0
}

// number returns the number of the entry at an index.
func (d *dictionary) number(position int) StackID {
	if d.dense != nil {
		return StackID(position)
	}
	return clip(d.ids[position-1])
}

// texts holds the strings and stacks of one generation as the trace has them, and
// decodes those that events name.
type texts struct {
	strings, stacks     []byte
	stringAt, stackAt   dictionary
	stackIDs, stringIDs []uint32 // what they are among the reading's names, by number; 0 for not looked up
}

// sample is a CPU sample.
type sample struct {
	time      int64
	goroutine int64
	stack     uint64
	proc      int32
	thread    uint32
}

// maxString is the most bytes that the runtime writes of a string.
const maxString = 1 << 10

// readBatches returns the content of batches one after the other, without the first
// byte of each, which says what table it is. starts are where each begins.
func readBatches(src io.ReaderAt, batches []batch) (data []byte, starts []int, err error) {
	size := 0
	for _, b := range batches {
		size += b.size - 1
	}
	if int64(size) > 1<<32-2 {
		return nil, nil, fmt.Errorf("a table of %d bytes is larger than the limit", size)
	}
	data = make([]byte, 0, size)
	for _, b := range batches {
		starts = append(starts, len(data))
		to := data[len(data) : len(data)+b.size-1]
		if _, err := src.ReadAt(to, b.offset+1); err != nil && err != io.EOF {
			return nil, nil, err
		}
		data = data[:len(data)+b.size-1]
	}
	return data, append(starts, len(data)), nil
}

// table walks over the entries of batches. entry decodes the one that data
// begins with and returns its number, and how long it is, 0 where it cannot be
// decoded; the rest of its batch is then left out.
func table(src io.ReaderAt, batches []batch, entry func(data []byte, at int) int) (data []byte, damaged, err error) {
	data, starts, err := readBatches(src, batches)
	if err != nil {
		return nil, nil, err
	}
	for i := range batches {
		for at := starts[i]; at < starts[i+1]; {
			n := entry(data[at:starts[i+1]], at)
			if n <= 0 {
				if damaged == nil && !batches[i].cut {
					damaged = fmt.Errorf("a table at byte %d cannot be decoded to its end", batches[i].offset)
				}
				break
			}
			at += n
		}
	}
	return data, damaged, nil
}

// numbers decodes n numbers after an entry's first byte and returns how long they
// are with it, 0 where they are not there.
func numbers(data []byte, typ byte, values []uint64) int {
	if data[0] != typ {
		return 0
	}
	at := 1
	for i := range values {
		v, n := binary.Uvarint(data[at:])
		if n <= 0 {
			return 0
		}
		values[i] = v
		at += n
	}
	return at
}

func readTexts(src io.ReaderAt, g *generation) (t *texts, damaged, err error) {
	t = &texts{}
	var head [2]uint64
	t.strings, damaged, err = table(src, g.strings, func(data []byte, at int) int {
		n := numbers(data, evString, head[:])
		if n == 0 || head[1] > maxString || uint64(len(data)-n) < head[1] {
			return 0
		}
		t.stringAt.add(head[0], at)
		return n + int(head[1])
	})
	if err != nil {
		return nil, nil, err
	}
	t.stringAt.finish()
	var also error
	t.stacks, also, err = table(src, g.stacks, func(data []byte, at int) int {
		n := numbers(data, evStack, head[:])
		if n == 0 || head[1] > maxDepth {
			return 0
		}
		for range 4 * head[1] {
			for n < len(data) && data[n] >= 0x80 {
				n++
			}
			if n++; n > len(data) {
				return 0
			}
		}
		t.stackAt.add(head[0], at)
		return n
	})
	if err != nil {
		return nil, nil, err
	}
	t.stackAt.finish()
	if damaged == nil {
		damaged = also
	}
	t.stringIDs, t.stackIDs = make([]uint32, len(t.stringAt.dense)), make([]uint32, len(t.stackAt.dense))
	return t, damaged, nil
}

// string returns the bytes of a string, nil if the generation has none of that number.
func (t *texts) string(id uint64) []byte {
	at, ok := t.stringAt.find(id)
	if !ok {
		return nil
	}
	var head [2]uint64
	n := numbers(t.strings[at:], evString, head[:])
	return t.strings[at+n:][:head[1]]
}

// frame is a stack's frame as the trace has it.
type rawFrame struct{ pc, function, file, line uint64 }

// stack decodes a stack's frames.
func (t *texts) stack(id uint64, into []rawFrame) []rawFrame {
	at, ok := t.stackAt.find(id)
	if !ok {
		return into[:0]
	}
	var head [2]uint64
	data := t.stacks[at:]
	data = data[numbers(data, evStack, head[:]):]
	into = into[:0]
	for range head[1] {
		var values [4]uint64
		for i := range values {
			v, n := binary.Uvarint(data)
			if n <= 0 {
				return into // an overlong number
			}
			values[i], data = v, data[n:]
		}
		into = append(into, rawFrame{values[0], values[1], values[2], values[3]})
	}
	return into
}

// readSamples returns the CPU samples of a generation in the order of time.
func readSamples(src io.ReaderAt, g *generation, ns func(uint64) int64) (samples []sample, damaged, err error) {
	var v [5]uint64
	_, damaged, err = table(src, g.samples, func(data []byte, _ int) int {
		n := numbers(data, evCPUSample, v[:])
		if n == 0 {
			return 0
		}
		s := sample{time: ns(v[0]), thread: uint32(v[1]), proc: int32(min(v[2], 1<<31-1)), goroutine: int64(v[3]), stack: v[4]}
		if v[2] == noThread {
			s.proc = NoProc
		}
		if s.goroutine == 0 {
			s.goroutine = NoGoroutine
		}
		samples = append(samples, s)
		return n
	})
	slices.SortFunc(samples, func(a, b sample) int { return cmp.Compare(a.time, b.time) })
	return samples, damaged, err
}
