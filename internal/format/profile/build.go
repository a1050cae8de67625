package profile

import (
	"errors"
	"fmt"

	"whet/internal/callstack"
)

// builder turns records into frames, stacks and samples.
type builder struct {
	t      *tables
	limits Limits
	d      *damage
	b      *callstack.Builder

	// frames of location i, resolved at its first use: records that no
	// sample uses are not part of the model.
	frames   [][]callstack.FrameID
	resolved []bool
	unknown  []callstack.FrameID // what stands for a location that is not there
	broken   []bool              // resolving location i met references that lead nowhere

	// Of the sample at hand.
	locations, values []uint64
	stack             []callstack.FrameID
	row               []int64
	labels            []callstack.Label
	frameCount        int64
}

func build(t *tables, data []byte, limits Limits, d *damage) (*callstack.Profile, error) {
	d.records += t.malformed
	b := &builder{
		t: t, limits: limits, d: d,
		frames:   make([][]callstack.FrameID, len(t.locations)),
		resolved: make([]bool, len(t.locations)),
		broken:   make([]bool, len(t.locations)),
		row:      make([]int64, len(t.types)),
	}
	types := make([]callstack.ValueType, len(t.types))
	for i, v := range t.types {
		types[i] = b.valueType(v)
	}
	b.b = callstack.NewBuilder(types...)
	p := b.b.Profile()
	name := b.string(t.defaultType)
	p.DefaultType, p.DefaultNamed = defaultType(types, name), name != ""
	p.PeriodType = b.valueType(t.periodType)
	p.Period = int64(t.period)
	p.TimeNanos = int64(t.timeNanos)
	p.Duration = int64(t.duration)
	p.DropFrames, p.KeepFrames = b.string(t.dropFrames), b.string(t.keepFrames)
	p.DocURL = b.string(t.docURL)
	for _, m := range t.mappings {
		p.Mappings = append(p.Mappings, callstack.Mapping{
			File: b.string(m.file), BuildID: b.string(m.buildID), Start: m.start, Limit: m.limit, Offset: m.offset,
			HasFunctions: m.functions != 0, HasFilenames: m.filenames != 0, HasLineNumbers: m.lineNumbers != 0, HasInlineFrames: m.inlineFrames != 0,
		})
	}
	for _, c := range t.comments {
		p.Comments = append(p.Comments, b.string(c))
	}
	for rest := data; len(rest) > 0; {
		f, after, err := next(rest)
		if err != nil {
			break // scan judged it
		}
		rest = after
		if f.num != profileSample {
			continue
		}
		if err := b.sample(f.body); err != nil {
			return nil, err
		}
	}
	if p.Len() == 0 && t.samples > 0 {
		return nil, fmt.Errorf("none of its %d samples can be read: they do not have the %d values that the profile announces", t.samples, len(types))
	}
	return p, nil
}

// defaultType is pprof's rule: the type named as default, else the last one.
func defaultType(types []callstack.ValueType, name string) int {
	if name != "" {
		for i, t := range types {
			if t.Type == name {
				return i
			}
		}
	}
	return len(types) - 1
}

func (b *builder) valueType(v typeRecord) callstack.ValueType {
	return callstack.ValueType{Type: b.string(v.typ), Unit: b.string(v.unit)}
}

func (b *builder) string(i uint64) string {
	if i >= uint64(len(b.t.strings)) {
		b.d.strings++
		return ""
	}
	return b.t.strings[i]
}

// sample adds one sample, or counts why it does not. Its error is a limit.
func (b *builder) sample(data []byte) error {
	b.locations, b.values, b.labels = b.locations[:0], b.values[:0], b.labels[:0]
	err := eachField(data, func(f field) (err error) {
		switch f.num {
		case 1:
			b.locations, err = f.varints(b.locations)
		case 2:
			b.values, err = f.varints(b.values)
		case 3:
			if f.wire != wireBytes {
				return errMismatch
			}
			err = b.label(f.body)
		}
		return err
	})
	if err != nil {
		b.d.samples++
		return nil
	}
	if len(b.values) != len(b.row) {
		b.d.wrongValues++
		return nil
	}
	negative := false
	for i, v := range b.values {
		b.row[i] = int64(v)
		negative = negative || b.row[i] < 0
	}
	if negative {
		b.d.negative++
	}
	b.stack = b.stack[:0]
	lost := false
	for _, id := range b.locations {
		frames, ok := b.location(id)
		lost = lost || !ok
		if b.frameCount += int64(len(frames)); b.frameCount > b.limits.MaxFrames {
			return fmt.Errorf("its stacks have more than %d frames together: too large to read", b.limits.MaxFrames)
		}
		b.stack = append(b.stack, frames...)
	}
	if lost {
		b.d.unresolved++
	}
	b.b.Sample(b.b.Stack(b.stack), b.b.LabelSet(b.labels), b.row...)
	return nil
}

// location returns the frames of a location, innermost first, and whether all
// its references lead somewhere.
func (b *builder) location(id uint64) ([]callstack.FrameID, bool) {
	i, ok := b.t.locationN.get(id)
	if !ok {
		if b.unknown == nil {
			b.unknown = []callstack.FrameID{b.b.Frame(callstack.Frame{})}
		}
		return b.unknown, false
	}
	if !b.resolved[i] {
		b.resolved[i] = true
		b.resolve(i)
	}
	return b.frames[i], !b.broken[i]
}

func (b *builder) resolve(i int) {
	l := b.t.locations[i]
	object := ""
	if l.mapping != 0 {
		if m, ok := b.t.mappingN.get(l.mapping); ok {
			object = b.string(b.t.mappings[m].file)
		}
	}
	if l.firstLine == l.endLine {
		b.frames[i] = []callstack.FrameID{b.b.Frame(callstack.Frame{Address: l.address, Object: object})}
		return
	}
	lines := b.t.lines[l.firstLine:l.endLine]
	b.frames[i] = make([]callstack.FrameID, len(lines))
	for j, line := range lines {
		f := callstack.Frame{Line: lineNumber(line.line), Inlined: j < len(lines)-1}
		if n, ok := b.t.functionN.get(line.function); ok {
			fn := b.t.functions[n]
			f.Function, f.File, f.Start = b.string(fn.name), b.string(fn.file), lineNumber(fn.start)
		} else {
			b.broken[i] = true
		}
		if f.Function == "" {
			f.Address, f.Object = l.address, object
		}
		b.frames[i][j] = b.b.Frame(f)
	}
}

func (b *builder) label(data []byte) error {
	var key, str, num, unit uint64
	err := eachField(data, func(f field) error {
		switch f.num {
		case 1:
			return f.varint(&key)
		case 2:
			return f.varint(&str)
		case 3:
			return f.varint(&num)
		case 4:
			return f.varint(&unit)
		}
		return nil
	})
	if err != nil {
		return err
	}
	l := callstack.Label{Key: b.string(key)}
	if str != 0 {
		l.Str = b.string(str)
	} else {
		l.Num, l.Unit = int64(num), b.string(unit)
	}
	b.labels = append(b.labels, l)
	return nil
}

var errSum = errors.New("the values of its samples add up to more than 63 bits hold: they cannot be right")

// checkSums refuses columns whose sum of magnitudes no int64 holds: every
// figure computed from them could have wrapped round.
func checkSums(p *callstack.Profile) error {
	for t := range p.Types {
		var sum int64
		for i := range p.Len() {
			v := p.Value(t, i)
			if v < 0 {
				v = -v
			}
			if sum += v; sum < 0 { // also for the one value that has no magnitude
				return errSum
			}
		}
	}
	return nil
}
