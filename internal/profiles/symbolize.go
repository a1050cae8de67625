package profiles

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"whet/internal/callstack"
	"whet/internal/cli"
	"whet/internal/format/profile"
	"whet/internal/printable"
	"whet/internal/recording"
	"whet/internal/symbol"
)

// Ways to get names of addresses, as -symbolize has them.
const (
	symbolizeNone  = "none"
	symbolizeForce = "force"
)

// SymbolizeModes are pprof's words. A program's own table is read as fast as
// its symbols, so that fastlocal is local.
func SymbolizeModes() []string {
	return []string{"", symbolizeNone, "local", "fastlocal", symbolizeForce}
}

func (f *Options) checkSymbolize() error {
	if !slices.Contains(SymbolizeModes(), f.Symbolize) {
		return cli.UsageError("-symbolize %q: want none, local, fastlocal or force (whet does not fetch names from servers)", f.Symbolize)
	}
	return nil
}

// name gives the addresses of a profile that have no names those of the binary
// that was named, or of the program it says it is of, if that is still there.
func (f *Options) name(s *Set, p *callstack.Profile) (*callstack.Profile, error) {
	if len(p.Mappings) > 0 && p.Mappings[0].BuildID == "" {
		p.Mappings[0].BuildID = f.BuildID
	}
	force := f.Symbolize == symbolizeForce
	if f.Symbolize == symbolizeNone || !force && !hasNameless(p) {
		if s.binary != "" {
			return p, s.compareBuildID(p)
		}
		return p, nil
	}
	if s.binary != "" {
		b, err := s.open(s.binary)
		if err != nil {
			return nil, err
		}
		if p, err = s.nameFrom(p, b, force); err != nil {
			return nil, err
		}
	}
	// The libraries, and the program where none was named.
	for i := range p.Mappings {
		m := &p.Mappings[i]
		if m.HasFunctions && !force || s.binary != "" && (i == 0 || filepath.Base(m.File) == filepath.Base(s.binary)) {
			continue
		}
		b := s.locate(*m)
		if b == nil {
			continue
		}
		var err error
		if p, err = s.nameFrom(p, b, force); err != nil {
			return nil, err
		}
	}
	for _, r := range s.Recordings {
		if s.binary != "" || !hasNameless(p) {
			break
		}
		b, err := s.openRecorded(r)
		if err == nil && b != nil {
			p, err = s.nameFrom(p, b, force)
		}
		if err != nil {
			return nil, err
		}
	}
	switch {
	case !hasNameless(p):
	case !hasNames(p):
		s.Warnings = append(s.Warnings, "to see names, give the profile's program before the profile")
	case s.binary == "" && !slices.ContainsFunc(p.Mappings, func(m callstack.Mapping) bool { return m.File != "" }):
		// A text of the runtime's, which leaves out the names of its own frames.
		s.Warnings = append(s.Warnings, "some frames have no names: to see them, give the profile's program before the profile")
	}
	return p, nil
}

func (s *Set) nameFrom(p *callstack.Profile, b *symbol.Binary, again bool) (*callstack.Profile, error) {
	named, warnings, err := symbol.Symbolize(p, b, symbol.SymbolizeOptions{Again: again})
	if mismatch := (*symbol.BuildIDError)(nil); errors.As(err, &mismatch) {
		s.Warnings = append(s.Warnings, "addresses have no names: "+mismatch.Error())
		return p, nil
	}
	if err != nil {
		return nil, err
	}
	s.Warnings = append(s.Warnings, warnings...)
	if hasNames(named) {
		named.Warnings = slices.DeleteFunc(slices.Clone(named.Warnings), func(w string) bool { return w == profile.NoNames })
	}
	return named, nil
}

// compareBuildID doubts a binary that is not the profile's: its instructions
// and lines would be those of another program.
func (s *Set) compareBuildID(p *callstack.Profile) error {
	b, err := s.open(s.binary)
	if err != nil {
		return err
	}
	if len(p.Mappings) == 0 {
		return nil
	}
	want := p.Mappings[0].BuildID
	if want == "" || b.BuildID() == "" || b.BuildID() == want || b.GoBuildID() == want {
		return nil
	}
	s.Warnings = append(s.Warnings, fmt.Sprintf("%s is a different build from the profile's: its build id is %s, not %s", s.binary, b.BuildID(), want))
	return nil
}

// open opens a binary once.
func (s *Set) open(name string) (*symbol.Binary, error) {
	return s.once(name, func() (*symbol.Binary, error) { return symbol.Open(name) })
}

func (s *Set) once(name string, open func() (*symbol.Binary, error)) (*symbol.Binary, error) {
	if b, ok := s.binaries[name]; ok {
		return b, nil
	}
	b, err := open()
	if err != nil {
		return nil, err
	}
	if s.binaries == nil {
		s.binaries = make(map[string]*symbol.Binary)
	}
	s.binaries[name] = b
	return b, nil
}

func hasNames(p *callstack.Profile) bool {
	return slices.ContainsFunc(p.Functions, func(f callstack.Function) bool { return f.Name != "" })
}

// hasNameless reports whether the profile has an address and no name for it.
func hasNameless(p *callstack.Profile) bool {
	for i := range p.Locations {
		if p.Locations[i].Address != 0 && len(p.Lines(callstack.LocationID(i))) == 0 {
			return true
		}
	}
	return false
}

// BinaryOf finds the program or library that a mapping is of: the one that was
// named, a recording's own, or the file that the profile names, if it is of
// the same build.
func (s *Set) BinaryOf(m callstack.Mapping) (*symbol.Binary, error) {
	same := func(b *symbol.Binary) bool {
		return m.BuildID == "" || b.BuildID() == "" || b.BuildID() == m.BuildID || b.GoBuildID() == m.BuildID
	}
	first := s.isFirst(m)
	if s.binary != "" && (first || filepath.Base(m.File) == filepath.Base(s.binary)) {
		b, err := s.open(s.binary)
		if err == nil && !same(b) {
			err = fmt.Errorf("%s is a different build from the profile's: its build id is %s, not %s", s.binary, b.BuildID(), m.BuildID)
		}
		return b, err
	}
	for _, r := range s.Recordings {
		b, err := s.openRecorded(r)
		if err != nil {
			return nil, err
		}
		if b != nil && (m.BuildID != "" && same(b) || first && m.BuildID == "") {
			return b, nil
		}
	}
	if b := s.locate(m); b != nil {
		return b, nil
	}
	if !isRegular(m.File) {
		if first {
			return nil, fmt.Errorf("%s is not here: name the program before the profile", printable.Message(cmp.Or(m.File, "the program")))
		}
		return nil, fmt.Errorf("%s is not here", printable.Message(cmp.Or(m.File, "a library")))
	}
	b, err := s.open(m.File)
	if err == nil && !same(b) {
		err = fmt.Errorf("%s is a different build from the profile's: its build id is %s, not %s", m.File, b.BuildID(), m.BuildID)
	}
	return b, err
}

// locate finds the binary of a mapping as pprof does: below the directories of
// PPROF_BINARY_PATH, by build id or name, then where the profile says. What the
// profile names is opened only if it is there, and believed only if it is the
// same build; of a mapping without a build id the user's directories are
// believed. It returns nil where there is none.
func (s *Set) locate(m callstack.Mapping) *symbol.Binary {
	for _, name := range binaryPath(m) {
		if !isRegular(name) {
			continue
		}
		if b, err := s.open(name); err == nil && (m.BuildID == "" || isBuild(b, m.BuildID)) {
			return b
		}
	}
	if m.BuildID != "" && isRegular(m.File) {
		if b, err := s.open(m.File); err == nil && isBuild(b, m.BuildID) {
			return b
		}
	}
	return nil
}

func isBuild(b *symbol.Binary, id string) bool { return b.BuildID() == id || b.GoBuildID() == id }

func isRegular(name string) bool {
	st, err := os.Stat(name)
	return err == nil && st.Mode().IsRegular()
}

// binaryPath lists where below PPROF_BINARY_PATH, or ~/pprof/binaries, a
// mapping's file may lie. The mapping is a profile's word: nothing of it leads
// out of these directories.
func binaryPath(m callstack.Mapping) (names []string) {
	search := os.Getenv("PPROF_BINARY_PATH")
	if search == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			return nil
		}
		search = filepath.Join(home, "pprof", "binaries")
	}
	file := strings.TrimPrefix(filepath.ToSlash(m.File[len(filepath.VolumeName(m.File)):]), "/")
	base := path.Base(file)
	var local []string
	if id := m.BuildID; id != "" && filepath.Base(id) == id { // one element: no way out
		local = append(local, path.Join(id, base), path.Join(file, id))
		if len(id) > 2 {
			local = append(local, path.Join(id[:2], id[2:]+".debug"))
		}
	}
	if file != "" {
		local = append(local, base, file)
	}
	for _, dir := range filepath.SplitList(search) {
		if dir == "" {
			continue
		}
		for _, name := range local {
			if name = filepath.FromSlash(name); filepath.IsLocal(name) {
				names = append(names, filepath.Join(dir, name))
			}
		}
	}
	return names
}

// isFirst reports whether a mapping is the program's own.
func (s *Set) isFirst(m callstack.Mapping) bool {
	for _, source := range s.Sources {
		if all := source.Profile.Mappings; len(all) == 0 || all[0].File == m.File && all[0].BuildID == m.BuildID {
			return true
		}
	}
	return m.File == ""
}

// openRecorded opens a recording's copy of the program; nil when it has none.
func (s *Set) openRecorded(r *recording.Recording) (*symbol.Binary, error) {
	found := r.Find(recording.KindBinary, "")
	if len(found) == 0 {
		return nil, nil
	}
	name := filepath.Join(r.Dir, found[0].Path)
	return s.once(name, func() (*symbol.Binary, error) {
		data, err := r.Read(found[0])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", r.Dir, err)
		}
		return symbol.Read(bytes.NewReader(data), name)
	})
}
