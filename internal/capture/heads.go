package capture

import (
	"bytes"
	"io"
	"strconv"
)

// What net/http/pprof tells in text (debug=1) about the program as a whole.
// The text is not an interface that Go promises to keep: whatever is not found
// as expected is unknown.

// goroutineCount reads the first line of a goroutine profile.
func goroutineCount(head []byte) (int64, bool) {
	line, _, whole := bytes.Cut(head, []byte("\n"))
	digits, ok := bytes.CutPrefix(line, []byte("goroutine profile: total "))
	if !ok || !whole {
		return 0, false // half a number is another number
	}
	return count(digits)
}

// mutexFraction reads the sampling period in the head of a mutex profile.
func mutexFraction(head []byte) (int64, bool) {
	if !bytes.HasPrefix(head, []byte("--- mutex:\n")) {
		return 0, false
	}
	return setting(head, "\nsampling period=")
}

// memProfileRate reads the first line of a heap profile, which holds twice the
// rate, as C++'s heap profiler did.
func memProfileRate(head []byte) (int64, bool) {
	line, _, whole := bytes.Cut(head, []byte("\n"))
	if !whole || !bytes.HasPrefix(line, []byte("heap profile: ")) {
		return 0, false
	}
	twice, ok := setting(append(line[:len(line):len(line)], '\n'), " @ heap/")
	return twice / 2, ok
}

// setting reads the number between name and the end of its line.
func setting(text []byte, name string) (int64, bool) {
	_, rest, found := bytes.Cut(text, []byte(name))
	digits, _, whole := bytes.Cut(rest, []byte("\n"))
	if !found || !whole {
		return 0, false
	}
	return count(digits)
}

// count reads a number that counts something. What does not fit 63 bits is
// unknown.
func count(digits []byte) (int64, bool) {
	n, err := strconv.ParseUint(string(digits), 10, 63)
	return int64(n), err == nil
}

// memStats is what is read of the runtime.MemStats at the end of a heap
// profile in text. A name that is not there is not in the map.
type memStats struct {
	numbers map[string]int64
	pauses  []int64 // a ring: collection i, from 1, is at (i-1) mod 256
}

const pauseRing = 256

// memStatsTail holds the statistics whatever the numbers are: 512 of 20 digits
// and 30 lines.
const memStatsTail = 32 << 10

// parseMemStats reads the end of a heap profile in text.
func parseMemStats(tail []byte) (memStats, bool) {
	const mark = "\n# runtime.MemStats\n"
	i := bytes.LastIndex(tail, []byte(mark))
	if i < 0 {
		return memStats{}, false
	}
	s := memStats{numbers: make(map[string]int64)}
	for rest := tail[i+len(mark):]; ; {
		line, after, whole := bytes.Cut(rest, []byte("\n"))
		if !whole {
			return s, len(s.numbers) > 0
		}
		rest = after
		line, ok := bytes.CutPrefix(line, []byte("# "))
		if !ok {
			continue
		}
		key, value, ok := bytes.Cut(line, []byte(" = "))
		if !ok {
			continue
		}
		name := string(key)
		switch name {
		case "PauseNs":
			s.pauses = ring(value)
			continue
		case "Stack": // in use / from the system
			value, _, _ = bytes.Cut(value, []byte(" / "))
		}
		if n, ok := count(value); ok {
			s.numbers[name] = n
		} else {
			delete(s.numbers, name)
		}
	}
}

// ring reads "[1 2 3 …]", or nothing.
func ring(value []byte) []int64 {
	inner, ok := bytes.CutPrefix(value, []byte("["))
	inner, closed := bytes.CutSuffix(inner, []byte("]"))
	if !ok || !closed {
		return nil
	}
	fields := bytes.Fields(inner)
	if len(fields) != pauseRing {
		return nil
	}
	out := make([]int64, pauseRing)
	for i, f := range fields {
		if out[i], ok = count(f); !ok {
			return nil
		}
	}
	return out
}

// pauseSum adds up the pauses of all collections since the program began, from
// a ring of the last 256. Where a pause was overwritten before it was read,
// the sum is unknown from then on.
type pauseSum struct {
	begun, lost bool
	cycles, sum int64
}

// add takes the state after a number of collections.
func (p *pauseSum) add(cycles int64, ring []int64) (int64, bool) {
	if p.begun && cycles < p.cycles { // another process
		*p = pauseSum{}
	}
	fresh := cycles - p.cycles
	p.lost = p.lost || len(ring) != pauseRing || fresh > pauseRing
	for i := p.cycles; i < cycles && !p.lost; i++ {
		p.sum += ring[i%pauseRing]
		p.lost = p.sum < 0
	}
	p.begun, p.cycles = true, cycles
	return p.sum, !p.lost
}

// tail reads to the end and keeps the last n bytes.
func tail(r io.Reader, n int) ([]byte, error) {
	buf := make([]byte, 0, 2*n)
	for {
		if len(buf) == cap(buf) {
			buf = buf[:copy(buf, buf[len(buf)-n:])]
		}
		k, err := r.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+k]
		if err == io.EOF {
			return buf[max(0, len(buf)-n):], nil
		}
		if err != nil {
			return nil, err
		}
	}
}
