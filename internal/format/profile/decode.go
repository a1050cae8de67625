package profile

import (
	"errors"
	"fmt"
	"io"
	"math"

	"whet/internal/callstack"
	"whet/internal/quantity"
)

// decoder reads one message.
type decoder struct {
	w    window
	t    rawProfile
	s    *packer // nil before the first
	want Want
}

var errChanged = errors.New("the file changed while it was read")

// readMessage reads the message that start delivers, counts in d what is wrong
// with it, and returns the feed when it has ended.
//
// Where sample types stand after samples, it reads again: only at the end is
// it known then what a sample's values mean.
//
// It reads again, too, where the sample type that is wanted was guessed wrong, or
// where sums need more than was kept.
func readMessage(start func() *feed, limits Limits, want Want, d *damage) (*callstack.Profile, *feed, error) {
	for columns := -1; ; {
		f := start()
		m := decoder{w: window{f: f}, want: want}
		err := m.run(limits, columns)
		m.w.release()
		f.finish()
		if err != nil && err != errCut {
			return nil, f, err
		}
		if m.s == nil {
			m.s = newPacker(len(m.t.types), want)
		}
		if types := len(m.t.types); types == len(m.s.row) {
			var mine damage
			p, err := m.pack(limits, err == errCut || f.err == io.ErrUnexpectedEOF, &mine)
			if err != nil {
				return nil, f, err
			}
			if next := want.after(p, m.t.strings, mine); next != want {
				want = next
				continue
			}
			d.add(mine)
			return p, f, nil
		} else if columns == -1 {
			columns = types
		} else {
			return nil, f, errChanged
		}
	}
}

// run decodes what the feed delivers. Samples have so many columns, or with
// -1 as many as sample types stand before the first. With errCut, what stands
// before the cut is decoded.
func (m *decoder) run(limits Limits, columns int) error {
	for {
		f, rest, err := next(m.w.at)
		switch {
		case err == errCut:
			if m.s != nil {
				m.s.settle()
			}
			if len(m.w.at) > maxRecord {
				return fmt.Errorf("the record at byte %d is longer than %s: too large to read", m.w.position(), quantity.Bytes(maxRecord))
			}
			if m.w.more() {
				if m.w.position() == 0 {
					if what := kindOf(m.w.at); what != "" {
						return errors.New(what)
					}
				}
				continue
			}
			if err := m.t.index(); err != nil {
				return err
			}
			if len(m.w.at) > 0 {
				return errCut
			}
			return nil
		case err == nil && f.num == profileSample && f.wire == wireBytes:
			if m.s == nil {
				if columns < 0 {
					columns = len(m.t.types)
				}
				m.s = newPacker(columns, m.want)
			}
			m.t.samples++
			m.s.add(f.body)
			m.w.at = m.sampleRun(rest)
			if m.memory() > limits.MaxMemory {
				return callstack.ErrMemory
			}
			continue
		case err == nil && f.num == profileString && f.wire == wireBytes:
			rest, err = m.t.stringRun(m.w.at)
		case err == nil:
			err = m.t.field(f)
		}
		if err != nil {
			return fmt.Errorf("not a pprof profile, or a damaged one: the record at byte %d %w", m.w.position(), err)
		}
		switch {
		case m.memory() > limits.MaxMemory:
			return callstack.ErrMemory
		case len(m.t.types) > callstack.MaxTypes:
			return fmt.Errorf("it has more than %d sample types: too many for a profile", callstack.MaxTypes)
		}
		m.w.at = rest
	}
}

// maxRecord is more than any sample, function or text has.
const maxRecord = 8 << 20

// memory is about what has been read takes.
func (m *decoder) memory() int64 {
	n := m.t.memory()
	if m.s != nil {
		n += m.s.memory()
	}
	return n
}

const tagSample = profileSample<<3 | wireBytes

// sampleRun decodes the whole samples that data begins with, tagged as all
// writers do, and returns what follows them: nearly all of a profile is samples.
func (m *decoder) sampleRun(data []byte) []byte {
	at := 0
	for {
		body, end := at+1, 0
		if at < len(data) && data[at] == tagSample {
			var n uint64
			if n, body = varint(data, body); body >= 0 && n <= uint64(len(data)-body) {
				end = body + int(n)
			}
		}
		if end == 0 {
			return data[at:]
		}
		m.t.samples++
		m.s.add(data[body:end])
		at = end
	}
}

// pack makes a profile of what was read.
func (m *decoder) pack(limits Limits, cut bool, d *damage) (*callstack.Profile, error) {
	t := &m.t
	switch {
	case cut && (len(t.strings) == 0 || len(t.types) == 0 || t.samples == 0):
		return nil, errors.New("the file ends in the middle of the profile: it was cut off, or is not a pprof profile; record or fetch it again")
	case len(t.strings) == 0:
		return nil, errors.New("not a pprof profile, or one that was cut off: it has no string table")
	case len(t.types) == 0:
		return nil, errors.New("the profile has no sample type, so its values have no unit")
	}
	b := builder{t: t, s: m.s, p: m.s.b.Profile()}
	if m.s.only == tables {
		m.s.numberAll(t)
	}
	b.build()
	if b.p.Listed() == 0 && t.samples > 0 && m.s.only != tables {
		if m.s.deep > 0 {
			return nil, fmt.Errorf("its samples have more than %d locations: they cannot be right", callstack.MaxDepth)
		}
		return nil, fmt.Errorf("none of its %d samples can be read: they do not have the %d values that the profile declares", t.samples, len(t.types))
	}
	if cut {
		if b.d.references() > 0 {
			return nil, errors.New("the file ends in the middle of the profile, before the tables that its samples refer to: it was cut off; record or fetch it again")
		}
		b.d.cut = true
	}
	if m.s.highest > math.MaxInt64 {
		return nil, errSum
	}
	if err := b.frames(limits); err != nil {
		return nil, err
	}
	d.add(b.d)
	return b.p, nil
}

var errSum = errors.New("the sum of its sample values overflows an int64: they cannot be right")
