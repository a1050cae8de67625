package profile

import (
	"fmt"

	"whet/internal/callstack"
)

// builder resolves what samples refer to.
type builder struct {
	t *rawProfile
	s *packer
	p *callstack.Profile
	d damage

	functions []callstack.FunctionID // 1 + id, by index of the record
	unknown   callstack.FunctionID   // 1 + id of the function that is not there
	broken    bool                   // the location at hand has a line of it
}

func (b *builder) build() {
	b.d = damage{records: b.t.malformed, samples: b.s.malformed, deep: b.s.deep, wrongValues: b.s.wrong, negative: b.s.negative}
	b.meta()
	b.functions = make([]callstack.FunctionID, len(b.t.functions))
	b.s.b.EndSamples()
	n := 0
	for _, id := range b.s.locations.ids {
		if i, ok := b.t.locationN.get(id); ok {
			n += int(b.t.locations[i].endLine - b.t.locations[i].firstLine)
		}
	}
	b.s.b.Reserve(len(b.s.locations.ids), n)
	lost := make([]bool, len(b.s.locations.ids))
	any := false
	var lines []callstack.SourceLine
	for n, id := range b.s.locations.ids {
		i, ok := b.t.locationN.get(id)
		if !ok {
			b.s.b.NewLocation(callstack.NoMapping, 0, false)
			lost[n], any = true, true
			continue
		}
		l := &b.t.locations[i]
		lines, b.broken = lines[:0], false
		for _, line := range b.t.lines[l.firstLine:l.endLine] {
			lines = append(lines, callstack.SourceLine{Function: b.function(line.function), Line: int(line.line), Column: int(line.column)})
		}
		mapping := callstack.NoMapping
		if m, ok := b.t.mappingN.get(l.mapping); ok {
			mapping = callstack.MappingID(m)
		}
		b.s.b.NewLocation(mapping, l.address, l.folded, lines...)
		lost[n] = b.broken
		any = any || b.broken
	}
	if any {
		b.d.unresolved = countSamples(b.p, lost)
	}
	b.labels()
}

func (b *builder) meta() {
	t, p := b.t, b.p
	p.Types = make([]callstack.ValueType, len(t.types))
	for i, v := range t.types {
		p.Types[i] = b.valueType(v)
	}
	name := b.string(t.defaultType)
	p.DefaultType, p.DefaultNamed = defaultType(p.Types, name), name != ""
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

// function returns the function with an id, and one without a name for an id
// that is not in the table.
func (b *builder) function(id uint64) callstack.FunctionID {
	i, ok := b.t.functionN.get(id)
	if !ok {
		b.broken = true
		if b.unknown == 0 {
			b.p.Functions = append(b.p.Functions, callstack.Function{})
			b.unknown = callstack.FunctionID(len(b.p.Functions))
		}
		return b.unknown - 1
	}
	if b.functions[i] == 0 {
		f := b.t.functions[i]
		b.p.Functions = append(b.p.Functions, callstack.Function{
			Name: b.string(f.name), SystemName: b.string(f.systemName), File: b.string(f.file), Start: lineNumber(f.start),
		})
		b.functions[i] = callstack.FunctionID(len(b.p.Functions))
	}
	return b.functions[i] - 1
}

// frames refuses stacks that become more frames than can be looked at, for the
// functions that their locations say were inlined there. Where none is long, the
// number of locations is proof enough.
func (b *builder) frames(limits Limits) error {
	longest := 1
	for i := range b.p.Locations {
		longest = max(longest, len(b.p.Lines(callstack.LocationID(i))))
	}
	if longest == 1 || b.s.steps*int64(longest) <= limits.MaxFrames && b.p.Deepest()*longest <= callstack.MaxDepth {
		return nil
	}
	switch steps, deepest := b.p.FrameSteps(); {
	case deepest > callstack.MaxDepth:
		return fmt.Errorf("it has a stack of %d frames, including inlined calls; the limit is %d", deepest, callstack.MaxDepth)
	case steps > limits.MaxFrames:
		return fmt.Errorf("its stacks expand to %d frames with inlined calls: too large to read", steps)
	}
	return nil
}

// labels resolves the strings of labels.
func (b *builder) labels() {
	table := make([]string, len(b.s.strings.ids))
	missing := make([]bool, len(table))
	any := false
	for n, i := range b.s.strings.ids {
		if i < uint64(len(b.t.strings)) {
			table[n] = b.t.strings[i]
		} else {
			missing[n], any = true, true
		}
	}
	b.s.b.LabelStrings(table)
	if any {
		b.d.strings += countReferences(b.p, missing)
	}
}

// countSamples counts the samples with a location that is marked.
func countSamples(p *callstack.Profile, marked []bool) int {
	n, first := 0, -1 // the first marked location of the path, -1 without
	for c := p.Cursor(); c.Next(); {
		if first >= c.Shared {
			first = -1
		}
		for i := c.Shared; i < len(c.Path) && first < 0; i++ {
			if marked[c.Path[i]] {
				first = i
			}
		}
		if first >= 0 {
			n++
		}
	}
	return n
}

// countReferences counts how often labels refer to strings that are marked.
func countReferences(p *callstack.Profile, marked []bool) int {
	in := make([]int, p.LabelSets())
	for i := range in {
		for l := range p.NumberedLabels(callstack.LabelSet(i)) {
			for _, text := range []int{l.Key, l.Str, l.Unit} {
				if marked[text] {
					in[i]++
				}
			}
		}
	}
	n := 0
	for r := p.Rows(); r.Next(); {
		n += in[r.LabelSet()]
	}
	return n
}
