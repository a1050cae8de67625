package legacy

import (
	"encoding/binary"
	"fmt"
	"slices"

	"whet/internal/callstack"
)

// assemble makes the model of what was collected.
func (r *reader) assemble() (*callstack.Profile, error) {
	if r.samples.full() || r.symbols.memory > r.symbols.max {
		return nil, callstack.ErrMemory
	}
	m := newMapper(r.mappings)
	m.none = r.java
	for _, sample := range r.samples.list { // in this order, as pprof asks
		for _, a := range sample.stack {
			m.of(a)
		}
		if m.steps > maxSteps {
			return nil, fmt.Errorf("it has %d mappings and too many addresses to look up", len(m.mappings))
		}
	}
	if r.twice {
		// The leaf may stand there once more, taken for a return address.
		r.samples.dropSecond(func(leaf, second uint64) bool { return leaf == second+1 })
	}
	b := callstack.NewBuilder(r.meta.Types...)
	p := b.Profile()
	p.Meta = r.meta
	p.Mappings = m.mappings
	p.DefaultType = len(r.meta.Types) - 1
	p.DropFrames, p.KeepFrames = uninteresting(r.meta.Types)
	a := assembler{b: b, mapper: m, symbols: &r.symbols, places: make(map[string]callstack.LocationID)}
	sums := make([]int64, len(r.meta.Types))
	for _, sample := range r.samples.list {
		for t, v := range sample.values {
			if sums[t] += max(v, -v); sums[t] < 0 || v < 0 && -v < 0 {
				return nil, errSum
			}
		}
		stack := r.symbols.encoded(sample.stack, r.allocs)
		b.Add(a.path(stack), sample.labels, sample.values...)
		if b.Memory() > r.samples.max {
			return nil, callstack.ErrMemory
		}
	}
	if p.Len() == 0 && r.samples.deep > 0 {
		return nil, fmt.Errorf("its stacks have more than %d addresses: they cannot be right", callstack.MaxDepth)
	}
	if p.Len() == 0 && r.malformed > 0 {
		return nil, fmt.Errorf("line %d: no line after the first can be read as a sample", r.first)
	}
	r.warn(p)
	return p, nil
}

// assembler makes locations of addresses.
type assembler struct {
	b       *callstack.Builder
	mapper  *mapper
	symbols *symbols
	places  map[string]callstack.LocationID // by the addresses that are one place
	key     []byte
	lines   []callstack.SourceLine
	out     []callstack.LocationID
}

// path returns the locations of a stack, leaf first, in a slice that the next
// call uses again.
func (a *assembler) path(stack []uint64) []callstack.LocationID {
	a.out = a.out[:0]
	for len(stack) > 0 {
		n := 1
		for n < len(stack) && a.symbols.inlined(stack[n-1], stack[n]) {
			n++
		}
		a.out = append(a.out, a.place(stack[:n]))
		stack = stack[n:]
	}
	return a.out
}

// place interns the location of addresses each of which is inlined into the
// next. Its own is the innermost, as in profiles that the runtime encodes.
func (a *assembler) place(addresses []uint64) callstack.LocationID {
	a.key = a.key[:0]
	for _, address := range addresses {
		a.key = binary.LittleEndian.AppendUint64(a.key, address)
	}
	id, ok := a.places[string(a.key)]
	if !ok {
		a.lines = a.lines[:0]
		for _, address := range addresses {
			for _, s := range a.symbols.at[address] {
				f := a.b.Function(callstack.Function{Name: s.name, SystemName: s.name, File: s.file})
				a.lines = append(a.lines, callstack.SourceLine{Function: f, Line: s.line})
			}
		}
		at := addresses[0]
		if a.mapper.none && len(a.lines) > 0 {
			at = 0 // the address is but a number that the profiler gave
		}
		id = a.b.NewLocation(a.mapper.of(addresses[0]), at, false, a.lines...)
		a.places[string(a.key)] = id
	}
	return id
}

func (r *reader) warn(p *callstack.Profile) {
	say := func(format string, args ...any) { p.Warnings = append(p.Warnings, fmt.Sprintf(format, args...)) }
	p.Warnings = slices.Clone(r.lost)
	switch {
	case r.malformed == 1:
		say("line %d is malformed and was left out", r.first)
	case r.malformed > 1:
		say("%d lines are malformed and were left out, the first of them line %d", r.malformed, r.first)
	}
	if n := r.samples.deep; n > 0 {
		say("%d stacks have more than %d addresses and were left out", n, callstack.MaxDepth)
	}
	switch {
	case p.Len() == 0:
		say("the profile has no samples: the program may not have run long enough, or did none of the recorded work")
	case len(p.Functions) == 0:
		say("the profile has addresses only: functions and lines need the program's file")
	}
}
