package callstack

import "slices"

// NamedLine is a line of a function that a profile need not know yet.
type NamedLine struct {
	Function     Function
	Line, Column int
}

// Symbolized returns the profile with the frames that lines returns for a
// location, innermost first; a location it returns none for keeps its own. The
// samples are shared with p, which stays as it is.
func (p *Profile) Symbolized(lines func(LocationID) []NamedLine) *Profile {
	out := *p
	out.Mappings = slices.Clone(p.Mappings)
	out.Functions = slices.Clone(p.Functions)
	out.Locations = slices.Clone(p.Locations)
	out.lines = slices.Clone(p.lines)
	ids := make(map[Function]FunctionID, len(out.Functions))
	for i, f := range out.Functions {
		ids[f] = FunctionID(i)
	}
	for i := range out.Locations {
		named := lines(LocationID(i))
		if len(named) == 0 {
			continue
		}
		l := &out.Locations[i]
		l.Folded = false
		l.first = uint32(len(out.lines))
		for _, n := range named {
			id, ok := ids[n.Function]
			if !ok {
				id = FunctionID(len(out.Functions))
				out.Functions = append(out.Functions, n.Function)
				ids[n.Function] = id
			}
			out.lines = append(out.lines, SourceLine{Function: id, Line: n.Line, Column: n.Column})
		}
		l.end = uint32(len(out.lines))
	}
	return &out
}
