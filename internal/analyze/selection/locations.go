package selection

import "whet/internal/callstack"

// Locations is a selection as profiles write samples, by location instead of by
// node: for views that list a profile as it is.
type Locations struct {
	s         *Selection
	byPlace   Selection
	noInlines bool
	columns   bool
}

// Location is a location of the profile, or a frame made from a label, with the lines
// that the options select.
type Location struct {
	callstack.Location // its Mapping is NoMapping for a frame made of a label
	Frames             []Frame
}

// Frame is a line of a function.
type Frame struct {
	callstack.Function
	Line, Column int
}

// Locations returns the selection by location.
func (s *Selection) Locations() *Locations {
	l := &Locations{s: s, byPlace: *s, noInlines: s.noInlines, columns: s.showColumns || !s.noInlines}
	l.byPlace.expansions = make([]expansion, len(s.expansions))
	l.byPlace.steps = make([]Step, len(s.expansions)+few)
	for i, p := range s.expansions {
		l.byPlace.expansions[i] = expansion{uint32(i), uint32(i + 1), p.flags}
		l.byPlace.steps[i] = Step{Node: NodeID(i)}
	}
	return l
}

// Walk is as Selection.WalkAll, but a step is a location: its Node is the
// location's number.
func (l *Locations) Walk() *Walk { return l.byPlace.WalkAll() }

// Len returns the number of locations: the profile's, followed by the frames made from
// labels.
func (l *Locations) Len() int { return len(l.s.expansions) }

// At returns a location with its frames, innermost first.
func (l *Locations) At(i int) Location {
	p, at := l.s.profile, l.s.spot(i)
	out := Location{Location: callstack.Location{Mapping: callstack.NoMapping}}
	if i < len(p.Locations) {
		out.Location = p.Locations[i]
	}
	lines, _ := l.s.rules.decide(at)
	if l.noInlines && len(lines) > 1 {
		lines = lines[len(lines)-1:]
	}
	for _, line := range lines {
		f := Frame{Function: l.s.rules.functions[line.Function], Line: line.Line}
		if l.columns {
			f.Column = line.Column
		}
		out.Frames = append(out.Frames, f)
	}
	return out
}

// NoInlines reports whether inlined calls are counted for their callers.
func (s *Selection) NoInlines() bool { return s.noInlines }
