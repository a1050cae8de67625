package symbol

import (
	"cmp"
	"fmt"
	"path/filepath"

	"whet/internal/callstack"
)

// SymbolizeOptions select the names to replace, and the doubts to ignore.
type SymbolizeOptions struct {
	// Again names locations that have names already, too.
	Again bool
	// Force uses the binary although its build id is not the profile's.
	Force bool
}

// BuildIDError reports that a binary is not the profiled one.
type BuildIDError struct {
	Binary        string
	Have, Profile string // build ids
}

func (e *BuildIDError) Error() string {
	return fmt.Sprintf("symbolize with %s: its build id is %s, the profile is of %s: give the binary that was profiled, or force it", e.Binary, e.Have, e.Profile)
}

// Symbolize returns the profile with functions and lines for locations without any:
// those of the binary's mapping, and without any mapping all of them. The given profile
// does not change and shares its samples with the result. Warnings list locations
// without names.
func Symbolize(p *callstack.Profile, b *Binary, o SymbolizeOptions) (*callstack.Profile, []string, error) {
	mapped, err := b.mappings(p, o.Force)
	if err != nil {
		return nil, nil, err
	}
	warnings := append([]string(nil), b.Warnings()...)
	var asked, unnamed int
	var trouble error
	out := p.Symbolized(func(id callstack.LocationID) []callstack.NamedLine {
		l := &p.Locations[id]
		if l.Address == 0 || len(p.Lines(id)) > 0 && !o.Again {
			return nil
		}
		var base uint64
		if l.Mapping != callstack.NoMapping {
			if !mapped[l.Mapping] {
				return nil
			}
			var err error
			if base, err = b.Base(p.Mappings[l.Mapping], l.Address); err != nil {
				trouble = err
				asked, unnamed = asked+1, unnamed+1
				return nil
			}
		} else if len(p.Mappings) > 0 {
			return nil // it lies in none of them
		}
		asked++
		var lines []callstack.NamedLine
		for _, f := range b.Frames(l.Address - base) {
			lines = append(lines, callstack.NamedLine{
				Function: callstack.Function{Name: f.Function, SystemName: cmp.Or(f.System, f.Function), File: f.File, Start: f.Start},
				Line:     f.Line, Column: f.Column,
			})
		}
		if lines == nil {
			unnamed++
		}
		return lines
	})
	for i := range out.Mappings {
		if m := &out.Mappings[i]; mapped[callstack.MappingID(i)] && unnamed < asked {
			m.HasFunctions, m.HasFilenames, m.HasLineNumbers, m.HasInlineFrames = true, true, true, true
		}
	}
	if unnamed > 0 {
		w := fmt.Sprintf("%d of %d addresses are in no function of %s", unnamed, asked, b.name)
		if trouble != nil {
			w += ": " + trouble.Error()
		}
		warnings = append(warnings, w)
	}
	return out, warnings, nil
}

// mappings says which mappings of a profile show the binary: those of its name
// or build id. Of none, the first is meant: it is the program's own.
func (b *Binary) mappings(p *callstack.Profile, force bool) (map[callstack.MappingID]bool, error) {
	out := make(map[callstack.MappingID]bool)
	ids := []string{b.buildID, b.GoBuildID()}
	same := func(id string) bool { return id != "" && (id == ids[0] || id == ids[1]) }
	for i := range p.Mappings {
		if same(p.Mappings[i].BuildID) {
			out[callstack.MappingID(i)] = true
		}
	}
	if len(out) > 0 || len(p.Mappings) == 0 {
		return out, nil
	}
	for i := range p.Mappings {
		if name := p.Mappings[i].File; name != "" && filepath.Base(name) == filepath.Base(b.name) {
			out[callstack.MappingID(i)] = true
		}
	}
	if len(out) == 0 {
		out[0] = true
	}
	for i := range out {
		// On Windows, profiles name the file and its time there instead.
		if m := &p.Mappings[i]; m.BuildID != "" && b.buildID != "" && !force {
			return nil, &BuildIDError{Binary: b.name, Have: b.buildID, Profile: m.BuildID}
		}
	}
	return out, nil
}
