package symbol

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"whet/internal/callstack"
)

// profile is one of the program's own addresses: every seventh of its code, in
// a process in which all lay slide higher.
func profileOf(t *testing.T, b *Binary, slide uint64, mapped bool) *callstack.Profile {
	t.Helper()
	build := callstack.NewBuilder(callstack.ValueType{Type: "samples", Unit: "count"})
	p := build.Profile()
	mapping := callstack.NoMapping
	if mapped {
		// As the loader maps the program's first segment.
		m := callstack.Mapping{File: "/elsewhere/program", BuildID: b.BuildID()}
		for _, s := range b.sections {
			if s.name == ".text" {
				m.Start, m.Limit = slide+s.addr&^0xfffff, slide+(s.addr+s.size+0xfff)&^0xfff
			}
		}
		p.Mappings = []callstack.Mapping{m, {File: "/lib/libc.so.6", Start: 0x7f0000000000, Limit: 0x7f0000100000}}
		mapping = 0
	}
	for _, f := range b.Functions(func(f Function) bool { return strings.HasPrefix(f.Name, "main.") }) {
		for at := f.Start; at < f.End; at += 7 {
			build.Add([]callstack.LocationID{build.Location(mapping, at+slide, false)}, nil, 1)
		}
	}
	build.Add([]callstack.LocationID{build.Location(mapping, slide+1, false)}, nil, 1) // in no function
	return p
}

// named writes out the frames of all locations.
func named(p *callstack.Profile) []string {
	var out []string
	for i := range p.Locations {
		s := ""
		for _, l := range p.Lines(callstack.LocationID(i)) {
			f := p.Functions[l.Function]
			s += fmt.Sprintf("%s %s:%d %d; ", f.Name, filepath.Base(f.File), l.Line, f.Start)
		}
		out = append(out, s)
	}
	return out
}

func TestSymbolize(t *testing.T) {
	b := open(t, "elf")
	bare := profileOf(t, b, 0, false)
	out, warnings, err := Symbolize(bare, b, SymbolizeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if len(warnings) != 1 || !strings.Contains(warnings[0], "1 of ") {
		t.Errorf("one address is in no function: %q", warnings)
	}
	var want []string
	inlined := false
	for i := range bare.Locations {
		s := ""
		frames := b.Frames(bare.Locations[i].Address)
		for _, f := range frames {
			s += fmt.Sprintf("%s %s:%d %d; ", f.Function, filepath.Base(f.File), f.Line, f.Start)
		}
		inlined = inlined || len(frames) > 1
		want = append(want, s)
	}
	if d := cmp.Diff(want, named(out)); d != "" || !inlined || want[0] == "" {
		t.Errorf("inlined calls %v, -frames +symbolized:\n%s", inlined, d)
	}
	if !slices.Equal(named(bare), make([]string, len(want))) {
		t.Error("the profile given has changed")
	}
	if out.Len() != bare.Len() || out.Total(0) != bare.Total(0) {
		t.Error("samples were lost")
	}

	// In a process of another place.
	for _, name := range []string{"pie", "pieless"} {
		pie := open(t, name)
		at0, _, err := Symbolize(profileOf(t, pie, 0, false), pie, SymbolizeOptions{})
		if err != nil {
			t.Fatal(err)
		}
		slid, _, err := Symbolize(profileOf(t, pie, 0x555555000000-0x400000, true), pie, SymbolizeOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(named(at0), named(slid)); d != "" || !slid.Mappings[0].HasInlineFrames || slid.Mappings[1].HasFunctions {
			t.Errorf("%s: -at its place +elsewhere:\n%s", name, d)
		}
	}
}

// TestSymbolizeKeepsWhatIsThere and names it again only when asked to.
func TestSymbolizeKeepsWhatIsThere(t *testing.T) {
	b := open(t, "elf")
	f, _ := b.FunctionNamed(t, "main.outer")
	build := callstack.NewBuilder(callstack.ValueType{Type: "samples", Unit: "count"})
	old := build.Function(callstack.Function{Name: "old"})
	build.Add([]callstack.LocationID{build.Location(callstack.NoMapping, f.Start, false, callstack.SourceLine{Function: old})}, nil, 1)
	for again, want := range map[bool]string{false: "old .:0 0; ", true: "main.outer main.go:"} {
		out, _, err := Symbolize(build.Profile(), b, SymbolizeOptions{Again: again})
		if err != nil {
			t.Fatal(err)
		}
		if got := named(out)[0]; !strings.HasPrefix(got, want) {
			t.Errorf("again %v: %q", again, got)
		}
	}
}

// TestLibrariesAreNotTheProgram: what lies in another mapping is not named by
// this binary, whatever it has at such an address.
func TestLibrariesAreNotTheProgram(t *testing.T) {
	b := open(t, "elf")
	f, _ := b.FunctionNamed(t, "main.outer")
	build := callstack.NewBuilder(callstack.ValueType{Type: "samples", Unit: "count"})
	build.Profile().Mappings = []callstack.Mapping{{File: "/x/elf.bin", Start: 0x100000, Limit: 0x200000}, {File: "/lib/libx.so", Start: 0x400000, Limit: 0x800000}}
	build.Add([]callstack.LocationID{build.Location(1, f.Start, false), build.Location(callstack.NoMapping, f.Start, false)}, nil, 1)
	out, _, err := Symbolize(build.Profile(), b, SymbolizeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if got := named(out); got[0] != "" || got[1] != "" {
		t.Errorf("%q", got)
	}
}

func TestWrongBuildIsRefused(t *testing.T) {
	b := open(t, "elf")
	p := profileOf(t, b, 0, true)
	other := open(t, "pie")
	_, _, err := Symbolize(p, other, SymbolizeOptions{})
	var wrong *BuildIDError
	if !errors.As(err, &wrong) || wrong.Have != other.BuildID() || wrong.Profile != b.BuildID() {
		t.Fatalf("%v", err)
	}
	want := fmt.Sprintf("symbolize with %s: its build id is %s, the profile is of %s: give the binary that was profiled, or force it", other.Name(), other.BuildID(), b.BuildID())
	if err.Error() != want {
		t.Errorf("%q, want %q", err, want)
	}
	if _, _, err := Symbolize(p, other, SymbolizeOptions{Force: true}); err != nil {
		t.Error(err)
	}
	// A library's id is no reason to take the program for the library.
	p.Mappings[0].BuildID = ""
	p.Mappings[1].BuildID = "1234"
	if _, _, err := Symbolize(p, other, SymbolizeOptions{}); err != nil {
		t.Error(err)
	}
}

// TestLiveProfile compares with what the runtime itself named: the addresses
// of a profile of a process, mapped by the loader.
func TestLiveProfile(t *testing.T) {
	name, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	b, err := Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		t.Skip("no /proc: mappings are compared on Linux only")
	}
	text, err := exec.Command("readelf", "-lW", name).Output()
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(maps)) {
		var m callstack.Mapping
		var rights, device string
		var inode uint64
		var file string
		if n, _ := fmt.Sscanf(line, "%x-%x %s %x %s %d %s", &m.Start, &m.Limit, &rights, &m.Offset, &device, &inode, &file); n < 7 || file != name || rights != "r-xp" {
			continue
		}
		address := uint64(callerPC())
		base, err := b.Base(m, address)
		if err != nil {
			t.Fatal(err)
		}
		frames := b.Frames(address - base)
		if len(frames) == 0 || frames[len(frames)-1].Function != "whet/internal/symbol.TestLiveProfile" {
			t.Errorf("base %#x: %+v in\n%s", base, frames, text)
		}
		return
	}
	t.Errorf("%s is not mapped:\n%s", name, maps)
}
