package view

import (
	"bytes"
	"flag"
	"fmt"
	"html"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/pprof/driver"
	google "github.com/google/pprof/profile"

	"whet/internal/analyze/selection"
	"whet/internal/callstack"
	"whet/internal/symbol"
)

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
			v, err := NewWeblist(selected(t, readProfile(t, c.profile), ForWeblist(selection.Options{})),
				CodeOptions{Match: regexp.MustCompile(c.match), Binary: ofProgram(opened(t, c.binary)), Source: sources()}, Options{})
			if err != nil {
				t.Fatal(err)
			}
			page := text(t, func(b *bytes.Buffer) error { return v.WriteHTML(b, "weblist") })
			gotLines, gotAsm := make(map[string]string), make(map[string]string)
			for _, section := range strings.Split(page, "<section ")[1:] {
				title := html.UnescapeString(ourTags.ReplaceAllString(section[strings.Index(section, "<h2>"):strings.Index(section, "</h2>")], ""))
				file := html.UnescapeString(section[strings.Index(section, `<p class="quiet">`)+len(`<p class="quiet">`) : strings.Index(section, "</p>")])
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
	prof, re := readProfile(t, p.cpu), regexp.MustCompile(`main\.recursive$`)
	list, err := NewList(selected(t, prof, ForList(selection.Options{})), CodeOptions{Match: re}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	web, err := NewWeblist(selected(t, prof, ForWeblist(selection.Options{})), CodeOptions{Match: re, Binary: ofProgram(opened(t, p.binary))}, Options{})
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
		if err := driver.PProf(&driver.Options{Flagset: set, Fetch: fetcher{g}, Writer: out, UI: quiet{}, Obj: tools{b}}); err != nil {
			t.Fatal(err)
		}
		want, _ := theirLines(out.String())
		v, err := NewWeblist(selected(t, readProfile(t, c.profile), ForWeblist(selection.Options{})),
			CodeOptions{Match: regexp.MustCompile(match), Binary: ofProgram(b), Source: sources()}, Options{})
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
	prof := readProfile(t, p.cpu)
	list, err := NewList(selected(t, prof, ForList(selection.Options{})), CodeOptions{Match: regexp.MustCompile(`main\.(outer|middle|small)$`), Source: sources()}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{p.binary, p.stripped, ""} {
		open := ofProgram(nil)
		if name != "" {
			open = ofProgram(opened(t, name))
		}
		web, err := NewWeblist(selected(t, prof, ForWeblist(selection.Options{})),
			CodeOptions{Match: regexp.MustCompile(`main\.(outer|middle|small)$`), Binary: open, Source: sources()}, Options{})
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

// With a binary at hand, pprof runs in this process.

type memory struct{ bytes.Buffer }

func (m *memory) Open(string) (io.WriteCloser, error) { return m, nil }
func (m *memory) Close() error                        { return nil }

type fetcher struct{ *google.Profile }

func (f fetcher) Fetch(string, time.Duration, time.Duration) (*google.Profile, string, error) {
	return f.Copy(), "", nil
}

type flags struct {
	*flag.FlagSet
	args []string
}

func (f *flags) ExtraUsage() string   { return "" }
func (f *flags) AddExtraUsage(string) {}
func (f *flags) StringList(name, def, usage string) *[]*string {
	list := &[]*string{}
	f.Func(name, usage, func(s string) error {
		*list = append(*list, &s)
		return nil
	})
	return list
}
func (f *flags) Parse(func()) []string {
	if err := f.FlagSet.Parse(f.args); err != nil {
		panic(err) // the test named a flag that pprof does not have
	}
	return f.Args()
}

type quiet struct{}

func (quiet) ReadLine(string) (string, error)     { return "", io.EOF }
func (quiet) Print(...any)                        {}
func (quiet) PrintErr(...any)                     {}
func (quiet) IsTerminal() bool                    { return false }
func (quiet) WantBrowser() bool                   { return false }
func (quiet) SetAutoComplete(func(string) string) {}
