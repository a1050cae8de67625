package view

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"whet/internal/analyze/selection"
	"whet/internal/callstack"
	"whet/internal/format/profile"
	"whet/internal/source"
	"whet/internal/symbol"
)

// program is one that was built and profiled.
type program struct {
	dir, source, binary, stripped, pie, cpu, pieCPU, allocs string
}

func buildProgram(t *testing.T) *program {
	t.Helper()
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	p := &program{dir: dir, source: at("main.go"), binary: at("prog"), stripped: at("stripped"), pie: at("pie"), cpu: at("cpu.pb.gz"), pieCPU: at("pie.pb.gz"), allocs: at("allocs.pb.gz")}
	text, err := os.ReadFile(filepath.Join("testdata", "listing", "main.go.txt"))
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{p.source: text, at("go.mod"): []byte("module listing\n\ngo 1.26\n")} {
		if err := os.WriteFile(name, data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	run := func(name string, args ...string) {
		t.Helper()
		cmd := exec.Command(name, args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s %v: %v\n%s", name, args, err, out)
		}
	}
	run("go", "build", "-o", p.binary, ".")
	run("go", "build", "-ldflags=-s -w", "-o", p.stripped, ".")
	run("go", "build", "-buildmode=pie", "-o", p.pie, ".")
	run(p.binary, p.cpu, p.allocs, "60")
	run(p.pie, p.pieCPU, at("unused.pb.gz"), "60")
	return p
}

// pprof returns what the tool prints.
func (p *program) pprof(t *testing.T, args ...string) string {
	t.Helper()
	out := filepath.Join(t.TempDir(), "out")
	cmd := exec.Command("go", append([]string{"tool", "pprof", "-output=" + out}, args...)...)
	cmd.Dir = string(filepath.Separator) // a directory that it finds in no file's name
	cmd.Env = append(os.Environ(), "PPROF_BINARY_PATH="+p.dir)
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("pprof %v: %v\n%s", args, err, text)
	}
	data, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func readProfile(t testing.TB, name string) *callstack.Profile {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	p, err := profile.Read(bytes.NewReader(data), int64(len(data)), profile.DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func selected(t testing.TB, p *callstack.Profile, o selection.Options) *selection.Selection {
	t.Helper()
	s, err := selection.New([]selection.Source{{Profile: p}}, o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func opened(t testing.TB, name string) *symbol.Binary {
	t.Helper()
	b, err := symbol.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	return b
}

// ofProgram returns one for the first mapping, which is the program's.
func ofProgram(b *symbol.Binary) func(callstack.Mapping) (*symbol.Binary, error) {
	return func(m callstack.Mapping) (*symbol.Binary, error) {
		if strings.HasPrefix(m.File, "[") || strings.Contains(m.File, ".so") {
			return nil, nil
		}
		return b, nil
	}
}

func sources() func(string) (*source.Text, error) {
	return source.New(source.Options{}).Text
}

func text(t testing.TB, write func(*bytes.Buffer) error) string {
	t.Helper()
	var b bytes.Buffer
	if err := write(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestListings holds the listings of a program that it builds and profiles
// against those of go tool pprof.
func TestListings(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a browser, or writes large pages")
	}
	p := buildProgram(t)
	t.Run("symbols", func(t *testing.T) { testSymbols(t, p) })
	t.Run("list", func(t *testing.T) { testList(t, p) })
	t.Run("disasm", func(t *testing.T) { testDisasm(t, p) })
	t.Run("weblist", func(t *testing.T) { testWeblist(t, p) })
}

// testSymbols: what a binary says of a profile's addresses is what the runtime
// said of them when it wrote the profile.
func testSymbols(t *testing.T, p *program) {
	for file, name := range map[string]string{p.cpu: p.stripped, p.allocs: p.stripped, p.pieCPU: p.pie} {
		prof := readProfile(t, file)
		named, _, err := symbol.Symbolize(prof, opened(t, name), symbol.SymbolizeOptions{Again: true, Force: true})
		if err != nil {
			t.Fatal(err)
		}
		compared := 0
		write := func(p *callstack.Profile, id callstack.LocationID) (out []string) {
			for _, l := range p.Lines(id) {
				f := p.Functions[l.Function]
				out = append(out, fmt.Sprintf("%s %s %s:%d %d", f.Name, f.SystemName, f.File, l.Line, f.Start))
			}
			return out
		}
		for i := range prof.Locations {
			if prof.Locations[i].Mapping != 0 {
				continue
			}
			want, got := write(prof, callstack.LocationID(i)), write(named, callstack.LocationID(i))
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("%s, %#x: -runtime +binary:\n%s", file, prof.Locations[i].Address, d)
			}
			compared++
		}
		if compared < 5 {
			t.Errorf("%s: %d locations", file, compared)
		}
	}
}

func testList(t *testing.T, p *program) {
	cpu, allocs := readProfile(t, p.cpu), readProfile(t, p.allocs)
	for _, c := range []struct {
		file    string
		profile *callstack.Profile
		match   string
		o       selection.Options
		args    []string
	}{
		{p.cpu, cpu, `main\.`, selection.Options{}, nil},
		{p.cpu, cpu, `main\.(plain|Sum)`, selection.Options{SampleIndex: "samples"}, []string{"-sample_index=samples"}},
		{p.cpu, cpu, `main\.`, selection.Options{NoInlines: true}, []string{"-noinlines"}},
		{p.cpu, cpu, `main\.`, selection.Options{Focus: "outer"}, []string{"-focus=outer"}},
		{p.cpu, cpu, `main\.`, selection.Options{Focus: "outer", RelativePercentages: true}, []string{"-focus=outer", "-relative_percentages"}},
		{p.cpu, cpu, `main\.`, selection.Options{Ignore: "recursive", Hide: "small"}, []string{"-ignore=recursive", "-hide=small"}},
		{p.cpu, cpu, `main\.`, selection.Options{DivideBy: 7}, []string{"-divide_by=7"}},
		{p.allocs, allocs, `main\.`, selection.Options{SampleIndex: "alloc_space"}, []string{"-sample_index=alloc_space"}},
		{p.allocs, allocs, `main\.|os\.`, selection.Options{SampleIndex: "alloc_objects"}, []string{"-sample_index=alloc_objects"}},
	} {
		t.Run(strings.Join(append(c.args, c.match), " "), func(t *testing.T) {
			want := p.pprof(t, append(append([]string{"-list=" + c.match}, c.args...), p.binary, c.file)...)
			v, err := NewList(selected(t, c.profile, ForList(c.o)), CodeOptions{Match: regexp.MustCompile(c.match), Source: sources()}, Options{})
			if err != nil {
				t.Fatal(err)
			}
			v.Warnings = nil
			got := text(t, func(b *bytes.Buffer) error { return v.Write(b) })
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("-pprof +whet:\n%s", d)
			}
		})
	}
}

func testDisasm(t *testing.T, p *program) {
	for _, c := range []struct {
		profile, binary, match string
		o                      selection.Options
		args                   []string
	}{
		{p.cpu, p.binary, `main\.`, selection.Options{}, nil},
		{p.cpu, p.binary, `main\.outer`, selection.Options{Focus: "outer"}, []string{"-focus=outer"}},
		{p.cpu, p.binary, `main\.`, selection.Options{SampleIndex: "samples", DivideBy: 3}, []string{"-sample_index=samples", "-divide_by=3"}},
		{p.pieCPU, p.pie, `main\.`, selection.Options{}, nil},
		{p.allocs, p.binary, `main\.allocate`, selection.Options{SampleIndex: "alloc_space"}, []string{"-sample_index=alloc_space"}},
	} {
		t.Run(filepath.Base(c.binary)+" "+strings.Join(append(c.args, c.match), " "), func(t *testing.T) {
			want := p.pprof(t, append(append([]string{"-disasm=" + c.match}, c.args...), c.binary, c.profile)...)
			v, err := NewDisasm(selected(t, readProfile(t, c.profile), ForDisasm(c.o)),
				CodeOptions{Match: regexp.MustCompile(c.match), Binary: ofProgram(opened(t, c.binary))}, Options{})
			if err != nil {
				t.Fatal(err)
			}
			if len(v.Warnings) > 0 {
				t.Errorf("warnings: %q", v.Warnings)
			}
			got := text(t, func(b *bytes.Buffer) error { return v.Write(b) })
			if d := cmp.Diff(withoutLast(want, v), withoutLast(got, v)); d != "" {
				t.Errorf("-pprof +whet:\n%s", d)
			}
		})
	}
	// Stripped, there is no symbol table: the functions are found all the
	// same, the numbers are the same.
	s := selected(t, readProfile(t, p.cpu), ForDisasm(selection.Options{}))
	var of [2]*Disasm
	for i, name := range []string{p.binary, p.stripped} {
		var err error
		of[i], err = NewDisasm(s, CodeOptions{Match: regexp.MustCompile(`main\.`), Binary: ofProgram(opened(t, name)), Source: sources()}, Options{})
		if err != nil {
			t.Fatal(err)
		}
	}
	if d := cmp.Diff(of[0].Routines, of[1].Routines, cmp.Comparer(func(a, b AsmInstruction) bool {
		verb, _, _ := strings.Cut(a.Text, " ") // data has no names without symbols
		return a.Address == b.Address && strings.HasPrefix(b.Text, verb) && a.Flat == b.Flat && a.Cum == b.Cum && a.File == b.File && a.Line == b.Line && a.Source == b.Source
	}), cmp.FilterPath(func(p cmp.Path) bool { return p.Last().String() == ".Binary" }, cmp.Ignore())); d != "" {
		t.Errorf("-with symbols +stripped:\n%s", d)
	}
	found := false
	for _, in := range of[0].Routines[0].Instructions {
		found = found || in.Source != ""
	}
	if !found {
		t.Errorf("%s has no source lines", of[0].Routines[0].Function)
	}
}

// withoutLast takes every routine's last instruction away: pprof takes the
// address of a function's last byte for its end, and so loses an instruction of
// one byte, and sees half of a longer one.
func withoutLast(listing string, v *Disasm) string {
	var out []string
	routines := strings.Split(listing, "ROUTINE")
	for i, r := range routines {
		for line := range strings.Lines(r) {
			if at := disasmAddress.FindStringSubmatch(line); i > 0 && i <= len(v.Routines) && at != nil {
				list := v.Routines[i-1].Instructions
				if n, err := strconv.ParseUint(at[1], 16, 64); err == nil && n >= list[len(list)-1].Address {
					continue
				}
			}
			out = append(out, line)
		}
	}
	return strings.Join(out, "")
}

var disasmAddress = regexp.MustCompile(`^ *\S+ +\S+ +([0-9a-f]+): `)
