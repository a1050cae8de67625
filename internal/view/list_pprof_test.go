package view

import (
	"bytes"
	"flag"
	"fmt"
	"html"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/pprof/driver"
	google "github.com/google/pprof/profile"

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

// pprof is what the tool prints.
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

func readPacked(t testing.TB, name string) *callstack.Packed {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	p, err := profile.ReadPacked(bytes.NewReader(data), int64(len(data)), profile.DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func selected(t testing.TB, p *callstack.Packed, o selection.Options) *selection.Selection {
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

// binary returns one for the first mapping, which is the program's.
func binary(b *symbol.Binary) func(callstack.Mapping) (*symbol.Binary, error) {
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
		prof := readPacked(t, file)
		named, _, err := symbol.Symbolize(prof, opened(t, name), symbol.SymbolizeOptions{Again: true, Force: true})
		if err != nil {
			t.Fatal(err)
		}
		compared := 0
		write := func(p *callstack.Packed, id callstack.LocationID) (out []string) {
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
	cpu, allocs := readPacked(t, p.cpu), readPacked(t, p.allocs)
	for _, c := range []struct {
		file    string
		profile *callstack.Packed
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
			v, err := NewList(selected(t, c.profile, ForList(c.o)), ListOptions{Match: regexp.MustCompile(c.match), Source: sources()}, Options{})
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
			v, err := NewDisasm(selected(t, readPacked(t, c.profile), ForDisasm(c.o)),
				DisasmOptions{Match: regexp.MustCompile(c.match), Binary: binary(opened(t, c.binary))}, Options{})
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
	s := selected(t, readPacked(t, p.cpu), ForDisasm(selection.Options{}))
	var of [2]*Disasm
	for i, name := range []string{p.binary, p.stripped} {
		var err error
		of[i], err = NewDisasm(s, DisasmOptions{Match: regexp.MustCompile(`main\.`), Binary: binary(opened(t, name)), Source: sources()}, Options{})
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

var (
	webTitle = regexp.MustCompile(`<h2>(.*?)</h2><p class="filename">(.*?)</p>`)
	webLine  = regexp.MustCompile(`<span class=line>\s*(\d+)</span> <span class=\w+>\s*(\S+)\s+(\S+)`)
	webCode  = regexp.MustCompile(`(?m)(?:^|<span class=asm>)\s+(\S+)\s+(\S+)\s+([0-9a-f]+): `)
)

// theirLines reads flat and cum of functions' lines, and of instructions, from
// pprof's page.
func theirLines(page string) (lines map[string]string, instructions map[string]string) {
	lines, instructions = make(map[string]string), make(map[string]string)
	titles := webTitle.FindAllStringSubmatchIndex(page, -1)
	for i, at := range titles {
		end := len(page)
		if i+1 < len(titles) {
			end = titles[i+1][0]
		}
		function, file := html.UnescapeString(page[at[2]:at[3]]), html.UnescapeString(page[at[4]:at[5]])
		for _, m := range webLine.FindAllStringSubmatch(page[at[1]:end], -1) {
			if m[2] != "." || m[3] != "." {
				lines[function+" "+file+":"+m[1]] = m[2] + " " + m[3]
			}
		}
		for _, m := range webCode.FindAllStringSubmatch(page[at[1]:end], -1) {
			if m[1] != "." || m[2] != "." {
				instructions[m[3]] = m[1] + " " + m[2]
			}
		}
	}
	return lines, instructions
}

var ourTags = regexp.MustCompile(`<[^>]*>`)

// testWeblist compares what every line and instruction costs. What stands under
// a line differs: the tool knows no inlined calls of a binary. So lines are
// compared for a function without any, instructions for all.
func testWeblist(t *testing.T, p *program) {
	for _, c := range []struct {
		profile, binary, match string
		lines                  bool
	}{
		{p.cpu, p.binary, `main\.plain`, true},
		{p.cpu, p.binary, `main\.outer`, false},
		{p.cpu, p.binary, `main\.main$`, false}, // its samples lie within calls
		{p.pieCPU, p.pie, `main\.plain`, true},
	} {
		t.Run(filepath.Base(c.binary)+" "+c.match, func(t *testing.T) {
			wantLines, wantAsm := theirLines(p.pprof(t, "-weblist="+c.match, c.binary, c.profile))
			v, err := NewWeblist(selected(t, readPacked(t, c.profile), ForWeblist(selection.Options{})),
				WeblistOptions{Match: regexp.MustCompile(c.match), Binary: binary(opened(t, c.binary)), Source: sources()}, Options{})
			if err != nil {
				t.Fatal(err)
			}
			page := text(t, func(b *bytes.Buffer) error { return v.WriteHTML(b, "weblist") })
			gotLines, gotAsm := make(map[string]string), make(map[string]string)
			for _, section := range strings.Split(page, "<section ")[1:] {
				title := html.UnescapeString(ourTags.ReplaceAllString(section[strings.Index(section, "<h2>"):strings.Index(section, "</h2>")], ""))
				file := html.UnescapeString(section[strings.Index(section, `<p class="faint">`)+len(`<p class="faint">`) : strings.Index(section, "</p>")])
				for _, m := range regexp.MustCompile(`<summary><span class="n">(.*?)</span><span class="n">(.*?)</span><span class="l">(\d+)</span>`).FindAllStringSubmatch(section, -1) {
					if m[1] != "." || m[2] != "." {
						gotLines[title+" "+file+":"+m[3]] = m[1] + " " + m[2]
					}
				}
				for _, m := range regexp.MustCompile(`<div class="asm"><span class="n">(.*?)</span><span class="n">(.*?)</span><span class="a">(\w+)</span>`).FindAllStringSubmatch(section, -1) {
					if m[1] != "." || m[2] != "." {
						gotAsm[m[3]] = m[1] + " " + m[2]
					}
				}
			}
			if len(wantAsm) == 0 || len(wantLines) == 0 {
				t.Fatal("pprof's page was not understood")
			}
			if d := cmp.Diff(wantAsm, gotAsm); d != "" {
				t.Errorf("instructions: -pprof +whet:\n%s", d)
			}
			if d := cmp.Diff(wantLines, gotLines); c.lines && d != "" {
				t.Errorf("lines: -pprof +whet:\n%s", d)
			}
		})
	}
	inlinedWeblist(t, p)
	sameWeblist(t, p)
	recursiveWeblist(t, p)
}

// recursiveWeblist: of a function that calls itself, a line costs what list
// says, and no function more than there is.
func recursiveWeblist(t *testing.T, p *program) {
	prof, re := readPacked(t, p.cpu), regexp.MustCompile(`main\.recursive$`)
	list, err := NewList(selected(t, prof, ForList(selection.Options{})), ListOptions{Match: re}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	web, err := NewWeblist(selected(t, prof, ForWeblist(selection.Options{})), WeblistOptions{Match: re, Binary: binary(opened(t, p.binary))}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	want, got := make(map[int]int64), make(map[int]int64)
	for _, l := range list.Routines[0].Lines {
		want[l.Number] = l.Cum
	}
	sum := int64(0)
	for _, l := range web.Functions[0].Lines {
		if l.Cum != 0 {
			got[l.Number] = l.Cum
		}
		for _, in := range l.Instructions {
			sum += in.Cum
		}
	}
	if d := cmp.Diff(want, got); d != "" || web.Functions[0].Cum != list.Routines[0].Cum || sum <= web.Functions[0].Cum {
		t.Errorf("cum %d, of list %d, of instructions %d: -list +weblist:\n%s", web.Functions[0].Cum, list.Routines[0].Cum, sum, d)
	}
}

// tools give pprof our reading of binaries, inlined calls included.
type tools struct{ b *symbol.Binary }

func (o tools) Open(file string, start, limit, offset uint64, _ string) (driver.ObjFile, error) {
	if strings.HasPrefix(file, "[") || strings.Contains(file, ".so") {
		return nil, io.EOF
	}
	return object{o.b, callstack.Mapping{File: file, Start: start, Limit: limit, Offset: offset}}, nil
}

func (o tools) Disasm(_ string, start, end uint64, _ bool) ([]driver.Inst, error) {
	last := uint64(0)
	for _, f := range o.b.Functions(func(f symbol.Function) bool { return strings.HasPrefix(f.Name, "main.") }) {
		last = max(last, f.End)
	}
	end = min(end, last) // pprof asks for more than there is
	list, err := o.b.Disassemble(start, end)
	var out []driver.Inst
	for _, in := range list {
		out = append(out, driver.Inst{Addr: in.Address, Text: in.Text})
	}
	return out, err
}

type object struct {
	*symbol.Binary
	m callstack.Mapping
}

func (o object) ObjAddr(address uint64) (uint64, error) {
	base, err := o.Base(o.m, address)
	return address - base, err
}

func (o object) SourceLine(address uint64) ([]driver.Frame, error) {
	at, err := o.ObjAddr(address)
	var out []driver.Frame
	for _, f := range o.Frames(at) {
		out = append(out, driver.Frame{Func: f.Function, File: f.File, Line: f.Line, StartLine: f.Start})
	}
	return out, err
}

// Close leaves the binary open for the next question.
func (o object) Close() error { return nil }

func (o object) Symbols(*regexp.Regexp, uint64) ([]*driver.Sym, error) { return nil, io.EOF }

// sameWeblist lets pprof add up what stands under each line, from the same
// frames.
func sameWeblist(t *testing.T, p *program) {
	const match = `main\.(outer|middle|small)$`
	for _, c := range []struct{ profile, binary string }{{p.cpu, p.binary}, {p.cpu, p.stripped}, {p.pieCPU, p.pie}} {
		data, err := os.ReadFile(c.profile)
		if err != nil {
			t.Fatal(err)
		}
		g, err := google.ParseData(data)
		if err != nil {
			t.Fatal(err)
		}
		b := opened(t, c.binary)
		out := &memory{}
		set := &flags{FlagSet: flag.NewFlagSet("pprof", flag.ContinueOnError), args: []string{
			"-weblist=" + match, "-output=out", "-symbolize=none", "-focus=", "-ignore=", "-hide=", "-sample_index=", "-mean=false", "-noinlines=false", "-source_path=/", "-trim_path=/nowhere", "-divide_by=1", "-unit=minimum", "measured",
		}}
		set.SetOutput(io.Discard)
		if err := driver.PProf(&driver.Options{Flagset: set, Fetch: fetcher{&subject{theirs: g}}, Writer: out, UI: quiet{}, Obj: tools{b}}); err != nil {
			t.Fatal(err)
		}
		want, _ := theirLines(out.String())
		v, err := NewWeblist(selected(t, readPacked(t, c.profile), ForWeblist(selection.Options{})),
			WeblistOptions{Match: regexp.MustCompile(match), Binary: binary(b), Source: sources()}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		got := make(map[string]string)
		for _, f := range v.Functions {
			for _, l := range f.Lines {
				if l.Flat != 0 || l.Cum != 0 {
					got[fmt.Sprint(f.Function, " ", f.File, ":", l.Number)] = v.orDot(l.Flat) + " " + v.orDot(l.Cum)
				}
			}
		}
		if d := cmp.Diff(want, got); d != "" || len(want) < 3 {
			t.Errorf("%s: lines of inlined calls: -pprof +whet:\n%s", c.binary, d)
		}
	}
}

// inlinedWeblist adds up: what stands under the line that calls is what the
// inlined code costs, which list finds from the profile alone.
func inlinedWeblist(t *testing.T, p *program) {
	prof := readPacked(t, p.cpu)
	list, err := NewList(selected(t, prof, ForList(selection.Options{})), ListOptions{Match: regexp.MustCompile(`main\.(outer|middle|small)$`), Source: sources()}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{p.binary, p.stripped, ""} {
		open := binary(nil)
		if name != "" {
			open = binary(opened(t, name))
		}
		web, err := NewWeblist(selected(t, prof, ForWeblist(selection.Options{})),
			WeblistOptions{Match: regexp.MustCompile(`main\.(outer|middle|small)$`), Binary: open, Source: sources()}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		want, got := make(map[string]string), make(map[string]string)
		for _, r := range list.Routines {
			want[r.Function] = fmt.Sprint(r.Flat, " ", r.Cum)
			for _, l := range r.Lines {
				if l.Cum != 0 {
					want[r.Function+":"+strconv.Itoa(l.Number)] = fmt.Sprint(l.Flat, " ", l.Cum)
				}
			}
		}
		calls := 0
		for _, f := range web.Functions {
			// In list, what inlined code holds is flat there; here all
			// instructions of a line are the line's.
			got[f.Function] = fmt.Sprint(f.Cum)
			for _, l := range f.Lines {
				if l.Cum != 0 {
					got[f.Function+":"+strconv.Itoa(l.Number)] = fmt.Sprint(l.Cum)
				}
				for _, in := range l.Instructions {
					calls += len(in.Calls)
				}
			}
		}
		for k, v := range want {
			want[k] = v[strings.IndexByte(v, ' ')+1:]
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s: -list +weblist:\n%s", name, d)
		}
		if calls == 0 {
			t.Errorf("%s: no inlined calls", name)
		}
		if n := slices.IndexFunc(web.Functions, func(f WebFunction) bool { return f.Function == "main.outer" }); n < 0 {
			t.Errorf("%s: no main.outer", name)
		}
	}
}
