package profile

import (
	"encoding/binary"
	"fmt"
	"io"
	"math/bits"

	"whet/internal/callstack"
)

// Write encodes p, packed with gzip, so that Read and pprof get
// the same samples from it. Warnings are not part of the format. The same
// profile always gives the same bytes.
//
// The encoder is our own and not google/pprof/profile, which needs an object
// for every sample and location: that stays the second implementation tests
// compare with.
func Write(w io.Writer, p *callstack.Profile) error {
	e := &encoder{p: p, z: newGzipWriter(w), strings: map[string]uint64{"": 0}, table: []string{""}}
	e.encode()
	e.z.next(e.out, true)
	if err := e.z.close(); err != nil {
		return fmt.Errorf("write profile: %w", err)
	}
	return nil
}

type encoder struct {
	p       *callstack.Profile
	z       *gzipWriter
	out     []byte // not packed yet
	strings map[string]uint64
	table   []string
	message []byte // the record at hand
	inner   []byte // a record inside it
	stack   []byte // the ids of the sample at hand fill it from its end
	ends    []int  // of them, from the root on: bytes up to there, from the end
}

// encode writes in the order of pprof's own files: what many samples share
// comes after them.
func (e *encoder) encode() {
	p := e.p
	for _, t := range p.Types {
		e.record(profileSampleType, e.valueType(t))
	}
	e.samples()
	for i, m := range p.Mappings {
		e.mapping(uint64(i+1), m)
	}
	for i := range p.Locations {
		e.location(callstack.LocationID(i))
	}
	for i, f := range p.Functions {
		b := appendScalar(e.message[:0], 1, uint64(i+1))
		b = appendScalar(b, 2, e.string(f.Name))
		b = appendScalar(b, 3, e.string(f.SystemName))
		b = appendScalar(b, 4, e.string(f.File))
		e.message = appendScalar(b, 5, uint64(f.Start))
		e.record(profileFunction, e.message)
	}
	e.scalar(profileDropFrames, e.string(p.DropFrames))
	e.scalar(profileKeepFrames, e.string(p.KeepFrames))
	e.scalar(profileTime, uint64(p.TimeNanos))
	e.scalar(profileDuration, uint64(p.Duration))
	if p.PeriodType != (callstack.ValueType{}) {
		e.record(profilePeriodType, e.valueType(p.PeriodType))
	}
	e.scalar(profilePeriod, uint64(p.Period))
	for _, c := range p.Comments {
		// Not left out when 0: an empty comment is a comment.
		e.out = appendTag(e.out, profileComment, wireVarint)
		e.out = binary.AppendUvarint(e.out, e.string(c))
	}
	// Without a name the last type is the default; with one, the first that has it.
	if d := p.DefaultType; d >= 0 && d < len(p.Types) && (p.DefaultNamed || d < len(p.Types)-1) && defaultType(p.Types, p.Types[d].Type) == d {
		e.scalar(profileDefaultType, e.string(p.Types[d].Type))
	}
	e.scalar(profileDocURL, e.string(p.DocURL))
	for _, s := range e.table {
		e.out = appendTag(e.out, profileString, wireBytes)
		e.out = binary.AppendUvarint(e.out, uint64(len(s)))
		e.out = append(e.out, s...)
		e.pass()
	}
}

// samples writes the samples, unless it finds that the file cannot be written.
func (e *encoder) samples() {
	sets := make([][]byte, e.p.LabelSets()) // their fields
	for c := e.p.Samples(); c.Next(); {
		stack := e.packedStack(c)
		set := c.LabelSet()
		if sets[set] == nil {
			sets[set] = e.labels(e.p.Labels(set))
		}
		values := e.inner[:0]
		for t := range e.p.Types {
			values = binary.AppendUvarint(values, uint64(c.Value(t)))
		}
		e.inner = values
		e.out = appendTag(e.out, profileSample, wireBytes)
		e.out = binary.AppendUvarint(e.out, uint64(bytesSize(stack)+bytesSize(values)+len(sets[set])))
		e.out = appendBytes(e.out, 1, stack)
		e.out = appendBytes(e.out, 2, values)
		e.out = append(e.out, sets[set]...)
		if !e.pass() {
			return
		}
	}
}

// packedStack returns the ids of a sample's locations, leaf first. Those it shares with
// the sample before stay where they are.
func (e *encoder) packedStack(c *callstack.Cursor) []byte {
	e.ends = e.ends[:c.Shared]
	n := 0
	if c.Shared > 0 {
		n = e.ends[c.Shared-1]
	}
	for _, id := range c.Path[c.Shared:] {
		if len(e.stack)-n < binary.MaxVarintLen32 {
			larger := make([]byte, 2*len(e.stack)+64)
			copy(larger[len(larger)-n:], e.stack[len(e.stack)-n:])
			e.stack = larger
		}
		u := uint64(id) + 1
		size := uvarintSize(u)
		at := len(e.stack) - n - size
		binary.PutUvarint(e.stack[at:], u)
		n += size
		e.ends = append(e.ends, n)
	}
	return e.stack[len(e.stack)-n:]
}

// labels encodes label fields.
func (e *encoder) labels(labels []callstack.Label) []byte {
	var b []byte
	for _, l := range labels {
		e.inner = appendScalar(e.inner[:0], 1, e.string(l.Key))
		if l.Str != "" {
			e.inner = appendScalar(e.inner, 2, e.string(l.Str))
		} else {
			e.inner = appendScalar(e.inner, 3, uint64(l.Num))
			e.inner = appendScalar(e.inner, 4, e.string(l.Unit))
		}
		b = appendTag(b, 3, wireBytes) // even when empty
		b = binary.AppendUvarint(b, uint64(len(e.inner)))
		b = append(b, e.inner...)
	}
	return b
}

func (e *encoder) mapping(id uint64, m callstack.Mapping) {
	b := appendScalar(e.message[:0], 1, id)
	b = appendScalar(b, 2, m.Start)
	b = appendScalar(b, 3, m.Limit)
	b = appendScalar(b, 4, m.Offset)
	b = appendScalar(b, 5, e.string(m.File))
	b = appendScalar(b, 6, e.string(m.BuildID))
	for i, has := range []bool{m.HasFunctions, m.HasFilenames, m.HasLineNumbers, m.HasInlineFrames} {
		if has {
			b = appendScalar(b, uint64(7+i), 1)
		}
	}
	e.message = b
	e.record(profileMapping, b)
}

func (e *encoder) location(id callstack.LocationID) {
	l := e.p.Locations[id]
	b := appendScalar(e.message[:0], 1, uint64(id)+1)
	b = appendScalar(b, 2, uint64(l.Mapping+1))
	b = appendScalar(b, 3, l.Address)
	for _, line := range e.p.Lines(id) {
		e.inner = appendScalar(e.inner[:0], 1, uint64(line.Function)+1)
		e.inner = appendScalar(e.inner, 2, uint64(line.Line))
		e.inner = appendScalar(e.inner, 3, uint64(line.Column))
		b = appendBytes(b, 4, e.inner)
	}
	if l.Folded {
		b = appendScalar(b, 5, 1)
	}
	e.message = b
	e.record(profileLocation, b)
}

// pass packs what is not packed yet, if it fills a block, and reports whether the file can
// be written.
func (e *encoder) pass() (ok bool) {
	if len(e.out) < blockSize {
		return true
	}
	e.out, ok = e.z.next(e.out, false)
	return ok
}

func (e *encoder) string(s string) uint64 {
	i, ok := e.strings[s]
	if !ok {
		i = uint64(len(e.table))
		e.strings[s] = i
		e.table = append(e.table, s)
	}
	return i
}

func (e *encoder) valueType(t callstack.ValueType) []byte {
	return appendScalar(appendScalar(nil, 1, e.string(t.Type)), 2, e.string(t.Unit))
}

func (e *encoder) record(num uint64, body []byte) {
	e.out = appendTag(e.out, num, wireBytes)
	e.out = binary.AppendUvarint(e.out, uint64(len(body)))
	e.out = append(e.out, body...)
	e.pass()
}

func (e *encoder) scalar(num, v uint64) { e.out = appendScalar(e.out, num, v) }

func appendTag(b []byte, num, wire uint64) []byte {
	return binary.AppendUvarint(b, num<<3|wire)
}

// appendScalar leaves zero out, as protocol buffers do.
func appendScalar(b []byte, num, v uint64) []byte {
	if v == 0 {
		return b
	}
	return binary.AppendUvarint(appendTag(b, num, wireVarint), v)
}

// bytesSize returns how many bytes appendBytes appends, with a tag in one.
func bytesSize(body []byte) int {
	if len(body) == 0 {
		return 0
	}
	return 1 + uvarintSize(uint64(len(body))) + len(body)
}

func uvarintSize(u uint64) int { return (bits.Len64(u|1) + 6) / 7 }

func appendBytes(b []byte, num uint64, body []byte) []byte {
	if len(body) == 0 {
		return b
	}
	b = binary.AppendUvarint(appendTag(b, num, wireBytes), uint64(len(body)))
	return append(b, body...)
}
