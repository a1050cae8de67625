package legacy

import (
	"encoding/binary"
	"errors"
	"math"
)

// words are how a machine wrote numbers.
type words struct {
	order binary.ByteOrder
	size  int
}

func (w words) at(b []byte, i int) uint64 {
	if w.size == 4 {
		return uint64(w.order.Uint32(b[4*i:]))
	}
	return w.order.Uint64(b[8*i:])
}

// header is what begins a CPU profile: the words 0, 3, a version, the period
// and 0.
type header struct {
	words
	java   bool
	micros uint64 // the sampling period
}

func cpuHeader(data []byte) (header, bool) {
	for _, w := range []words{{binary.LittleEndian, 4}, {binary.BigEndian, 4}, {binary.LittleEndian, 8}, {binary.BigEndian, 8}} {
		if len(data) >= 5*w.size && w.at(data, 0) == 0 && w.at(data, 1) == 3 && w.at(data, 2) <= 1 && w.at(data, 3) > 0 && w.at(data, 4) == 0 {
			return header{words: w, java: w.at(data, 2) == 1, micros: w.at(data, 3)}, true
		}
	}
	return header{}, false
}

// cpu reads what follows the header: samples, and the memory map.
func (r *reader) cpu(h header, data []byte) error {
	if h.micros > math.MaxInt64/1000 {
		return errors.New("its sampling period is longer than 292 years: the file is damaged")
	}
	r.meta.Types = types("samples", "count", "cpu", "nanoseconds")
	r.meta.PeriodType = r.meta.Types[1]
	r.meta.Period = int64(h.micros) * 1000
	rest, err := r.cpuSamples(h, data)
	if err != nil {
		return err
	}
	r.lines = lines{rest: rest}
	if h.java {
		r.javaLocations(r.lines.next())
		return nil
	}
	r.twice = true
	r.samples.dropHandler()
	r.memoryMap(r.lines)
	return nil
}

// cpuSamples reads samples: a count, the number of addresses and the addresses;
// at the end, a count of 0 with the single address 0. It returns what follows.
func (r *reader) cpuSamples(h header, data []byte) (rest []byte, err error) {
	var stack []uint64
	for len(data) >= 2*h.size {
		count, depth := h.at(data, 0), h.at(data, 1)
		data = data[2*h.size:]
		if depth > maxDepth {
			r.say("the file is damaged after sample %d: the rest was left out", len(r.samples.list))
			return nil, nil
		}
		there := min(int(depth), len(data)/h.size)
		stack = stack[:0]
		for i := range there {
			stack = append(stack, h.at(data, i))
		}
		data = data[there*h.size:]
		if count == 0 && depth == 1 {
			if there == 0 { // an end mark that was cut
				break
			}
			if stack[0] == 0 {
				return data, nil
			}
		}
		if count > math.MaxInt64/uint64(r.meta.Period) {
			return nil, errSum
		}
		if !h.java {
			calls(stack[min(1, there):]) // the leaf is none
		}
		r.samples.add(stack, int64(count), int64(count)*r.meta.Period)
		if there < int(depth) {
			r.say("the file ends in the middle of a stack: it was cut off, the last stack is not whole, and samples may be missing")
			return nil, nil
		}
	}
	r.say("the file has no end mark: it may have been cut off, and samples may be missing at its end")
	return nil, nil
}

// maxDepth is more than any profiler's stacks have.
const maxDepth = 1 << 16

// calls turns return addresses into addresses within the calls.
func calls(addresses []uint64) {
	for i := range addresses {
		addresses[i]--
	}
}
