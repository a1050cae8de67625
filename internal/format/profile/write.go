package profile

import (
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"io"

	"whet/internal/callstack"
)

// Write encodes p, packed with gzip, so that Read and pprof get the same
// samples from it. Warnings are not part of the format. The same profile
// always gives the same bytes.
//
// The encoder is our own and not google/pprof/profile, which needs an object
// for every sample and location: that stays the second implementation tests
// compare with.
func Write(w io.Writer, p *callstack.Profile) error {
	zw := gzip.NewWriter(w)
	if _, err := zw.Write(encode(p)); err != nil {
		return fmt.Errorf("write profile: %w", err)
	}
	if err := zw.Close(); err != nil {
		return fmt.Errorf("write profile: %w", err)
	}
	return nil
}

type encoder struct {
	p         *callstack.Profile
	out       []byte
	strings   map[string]uint64
	table     []string
	functions map[functionKey]uint64
	locations map[string]uint64 // by the bytes of its FrameIDs
	mappings  map[string]uint64 // by file
	message   []byte            // the record at hand
	inner     []byte            // a record inside it
	key       []byte
}

type functionKey struct {
	name, file string
	start      int
}

func encode(p *callstack.Profile) []byte {
	e := &encoder{
		p:         p,
		strings:   map[string]uint64{"": 0},
		table:     []string{""},
		functions: make(map[functionKey]uint64),
		locations: make(map[string]uint64),
		mappings:  make(map[string]uint64),
	}
	for _, t := range p.Types {
		e.record(profileSampleType, e.valueType(t))
	}
	e.writeMappings()
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
	if d := p.DefaultType; d >= 0 && d < len(p.Types) && defaultType(p.Types, p.Types[d].Type) == d {
		e.scalar(profileDefaultType, e.string(p.Types[d].Type))
	}
	e.scalar(profileDocURL, e.string(p.DocURL))
	e.writeSamples()
	for _, s := range e.table {
		e.out = appendTag(e.out, profileString, wireBytes)
		e.out = binary.AppendUvarint(e.out, uint64(len(s)))
		e.out = append(e.out, s...)
	}
	return e.out
}

func (e *encoder) writeMappings() {
	id := uint64(0)
	add := func(m callstack.Mapping) {
		id++
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
		if _, ok := e.mappings[m.File]; !ok {
			e.mappings[m.File] = id
		}
	}
	for _, m := range e.p.Mappings {
		add(m)
	}
	for i := range e.p.NumFrames() {
		f := e.p.Frame(callstack.FrameID(i))
		if _, ok := e.mappings[f.Object]; !ok && f.Object != "" {
			add(callstack.Mapping{File: f.Object})
		}
	}
}

func (e *encoder) writeSamples() {
	stackLocations := make([][]byte, e.p.NumStacks()) // packed, by StackID
	encoded := make([]bool, e.p.NumStacks())
	for i := range e.p.Len() {
		s := e.p.StackID(i)
		if !encoded[s] {
			encoded[s] = true
			stackLocations[s] = e.stack(e.p.Stack(i))
		}
		b := appendBytes(e.message[:0], 1, stackLocations[s])
		e.inner = e.inner[:0]
		for t := range e.p.Types {
			e.inner = binary.AppendUvarint(e.inner, uint64(e.p.Value(t, i)))
		}
		b = appendBytes(b, 2, e.inner)
		for _, l := range e.p.Labels(i) {
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
		e.message = b
		e.record(profileSample, b)
	}
}

// stack writes the locations of a stack that are new and returns the packed
// ids of all. A location is a run of inlined frames and the one they are
// inlined into.
func (e *encoder) stack(frames []callstack.FrameID) []byte {
	var packed []byte
	for start := 0; start < len(frames); {
		end := start
		for end < len(frames)-1 && e.p.Frame(frames[end]).Inlined {
			end++
		}
		packed = binary.AppendUvarint(packed, e.location(frames[start:end+1]))
		start = end + 1
	}
	return packed
}

func (e *encoder) location(frames []callstack.FrameID) uint64 {
	e.key = e.key[:0]
	for _, f := range frames {
		e.key = binary.LittleEndian.AppendUint32(e.key, uint32(f))
	}
	if id, ok := e.locations[string(e.key)]; ok {
		return id
	}
	id := uint64(len(e.locations) + 1)
	e.locations[string(e.key)] = id

	var address, mapping uint64
	if len(e.p.Mappings) > 0 {
		mapping = 1 // by the format's custom the main binary
	}
	for _, f := range frames {
		if f := e.p.Frame(f); f.Function == "" {
			address, mapping = f.Address, 0
			if f.Object != "" {
				mapping = e.mappings[f.Object]
			}
			break
		}
	}
	var lines []byte
	first := e.p.Frame(frames[0])
	bare := len(frames) == 1 && *first == callstack.Frame{Address: first.Address, Object: first.Object}
	for _, id := range frames {
		if bare {
			break
		}
		f := e.p.Frame(id)
		e.inner = appendScalar(e.inner[:0], 1, e.function(functionKey{f.Function, f.File, f.Start}))
		e.inner = appendScalar(e.inner, 2, uint64(f.Line))
		lines = appendBytes(lines, 4, e.inner)
	}
	b := appendScalar(nil, 1, id)
	b = appendScalar(b, 2, mapping)
	b = appendScalar(b, 3, address)
	e.record(profileLocation, append(b, lines...))
	return id
}

func (e *encoder) function(k functionKey) uint64 {
	id, ok := e.functions[k]
	if !ok {
		id = uint64(len(e.functions) + 1)
		e.functions[k] = id
		b := appendScalar(nil, 1, id)
		b = appendScalar(b, 2, e.string(k.name))
		b = appendScalar(b, 3, e.string(k.name)) // the system name: Go's are the same
		b = appendScalar(b, 4, e.string(k.file))
		b = appendScalar(b, 5, uint64(k.start))
		e.record(profileFunction, b)
	}
	return id
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

func appendBytes(b []byte, num uint64, body []byte) []byte {
	if len(body) == 0 {
		return b
	}
	b = binary.AppendUvarint(appendTag(b, num, wireBytes), uint64(len(body)))
	return append(b, body...)
}
