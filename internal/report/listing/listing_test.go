package listing

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"whet/internal/analyze/lines"
	"whet/internal/callstack"
	"whet/internal/format/compiler"
	"whet/internal/report/page"
	"whet/internal/source"
)

// texts are the files of these tests: as they were measured, and as they are here.
type texts map[string]string

func (t texts) read(name string) (*source.Text, error) {
	text, ok := t[name]
	if !ok {
		return nil, errors.New("it is in no module known here")
	}
	return &source.Text{Path: "/here/" + name, Lines: strings.Split(text, "\n"), Generated: strings.HasPrefix(name, "gen")}, nil
}

const measured = "package p\n\nfunc f(n int) {\n\ts := make([]byte, n)\n\tuse(s)\n\tg()\n}"

// model has CPU time and allocations of functions in files of every sort, and nothing
// of other kinds.
func model(t *testing.T) *lines.Model {
	t.Helper()
	b := callstack.NewBuilder(callstack.ValueType{Type: "cpu", Unit: "nanoseconds"}, callstack.ValueType{Type: "alloc_space", Unit: "bytes"})
	frame := func(function, file string, line int) callstack.Frame {
		return callstack.Frame{Function: function, File: file, Line: line, Start: map[bool]int{true: 3, false: line}[function == "p.f"]}
	}
	inlined := frame("p.get", "x.go", 9)
	inlined.Inlined = true
	b.AddFrames([]callstack.Frame{frame("p.f", "x.go", 4)}, nil, 2e9, 4096)
	b.AddFrames([]callstack.Frame{inlined, frame("p.f", "x.go", 6)}, nil, 3e9, 0)
	b.AddFrames([]callstack.Frame{frame("p.far", "x.go", 99)}, nil, 1e9, 0)
	b.AddFrames([]callstack.Frame{frame("p.lost", "gone.go", 5)}, nil, 1e9, 0)
	b.AddFrames([]callstack.Frame{frame("p.made", "gen.go", 2)}, nil, 1e9, 0)
	b.AddFrames([]callstack.Frame{frame("p.rare", "x.go", 5)}, nil, 1e6, 0)
	b.AddFrames([]callstack.Frame{frame("runtime.mallocgc", "malloc.go", 7)}, nil, 1e9, 0)
	b.AddFrames([]callstack.Frame{{Address: 99}}, nil, 5e8, 1024) // code in C
	p := b.Frames()
	decided := &lines.Decisions{}
	decided.Add([]compiler.Decision{
		{File: "x.go", Line: 4, Col: 11, Kind: compiler.Escapes, Text: "make([]byte, n) escapes to heap"},
		{File: "x.go", Line: 5, Col: 5, Kind: compiler.Inlines, Text: "inlining call to use"},
	})
	return lines.New([]lines.Evidence{{Kind: lines.CPU, Profile: p}, {Kind: lines.AllocBytes, Profile: p, Column: 1}}, decided)
}

func pageOf(t *testing.T, now texts) *Page {
	files := texts{"x.go": measured, "gen.go": "// Code\npackage p"}
	o := Options{Name: "x.whet", Measured: files.read,
		Display: func(file string) (string, string) {
			return "m/" + file, map[bool]string{true: "std", false: "m"}[file == "malloc.go"]
		},
		Own: func(module string, _ *lines.Function) bool { return module == "m" }}
	if now != nil {
		o.Now = now.read
	}
	return New(model(t), o)
}

func (p *Page) find(t *testing.T, function string) *Function {
	t.Helper()
	for _, f := range p.Functions {
		if f.Name == function {
			return f
		}
	}
	t.Fatalf("no %s", function)
	return nil
}

// TestConserves: of each kind, what is shown, what is elsewhere and what has no line
// sum to the total: in the sums of the page and in those of its document.
func TestConserves(t *testing.T) {
	p := pageOf(t, nil)
	var b bytes.Buffer
	if err := p.WriteJSON(&b); err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Kinds []struct {
			Kind                                                      string
			Recorded                                                  bool
			Total_ns, Shown_ns, Elsewhere_ns, Unplaced_ns             *int64
			Total_bytes, Shown_bytes, Elsewhere_bytes, Unplaced_bytes *int64
		}
		Lines []struct {
			Line             int
			Cpu_flat_ns      *int64
			Mutex_flat_ns    *int64
			Alloc_flat_bytes *int64
		}
		More_functions int
	}
	if err := json.Unmarshal(b.Bytes(), &doc); err != nil {
		t.Fatal(err)
	}
	flat, bytes := int64(0), int64(0)
	for _, l := range doc.Lines {
		flat += *l.Cpu_flat_ns
		bytes += *l.Alloc_flat_bytes
		if l.Mutex_flat_ns != nil {
			t.Errorf("line %d has mutex delay of a profile that there is none of", l.Line)
		}
	}
	cpu, alloc, mutex := doc.Kinds[lines.CPU], doc.Kinds[lines.AllocBytes], doc.Kinds[lines.Mutex]
	// 2 + 3 + 1 + 1 + 1 s, 1 ms and 1 s elsewhere, half a second in C.
	if *cpu.Shown_ns != 8e9 || flat != 8e9 || *cpu.Elsewhere_ns != 1_001_000_000 || *cpu.Unplaced_ns != 5e8 || *cpu.Total_ns != 9_501_000_000 {
		t.Errorf("CPU time: shown %d (%d), elsewhere %d, unplaced %d, total %d", *cpu.Shown_ns, flat, *cpu.Elsewhere_ns, *cpu.Unplaced_ns, *cpu.Total_ns)
	}
	if *alloc.Shown_bytes != 4096 || bytes != 4096 || *alloc.Elsewhere_bytes != 0 || *alloc.Unplaced_bytes != 1024 || *alloc.Total_bytes != 5120 {
		t.Errorf("bytes: %+v", alloc)
	}
	if mutex.Recorded || mutex.Total_ns != nil {
		t.Errorf("mutex delay: %+v", mutex)
	}
	if doc.More_functions != 1 {
		t.Errorf("%d more functions: p.rare holds 0.01 %%", doc.More_functions)
	}
}

// TestSources: source that is gone, generated, or too short is said of the function,
// and its lines keep their costs.
func TestSources(t *testing.T) {
	p := pageOf(t, nil)
	if f := p.find(t, "p.lost"); f.Missing == "" || len(f.Rows) != 1 || f.Rows[0].Text != "" || f.Rows[0].Beyond || !f.Undecided {
		t.Errorf("source that is gone: %+v", f)
	}
	if f := p.find(t, "p.made"); !f.Generated || f.Missing != "" {
		t.Errorf("generated source: %+v", f)
	}
	f := p.find(t, "p.far")
	if !f.Rows[0].Beyond || len(f.Doubts) != 1 || !strings.Contains(strings.Join(p.Warnings, "\n"), "the profile names line 99") {
		t.Errorf("a line beyond the end: %+v, warnings %q", f, p.Warnings)
	}
	if f := p.find(t, "p.f"); f.Undecided || len(f.Rows) != 3 || len(f.Rows[1].Decisions) != 1 || f.Rows[1].Costs[lines.CPU].Cum != 0 || len(f.Rows[2].Inlined) != 1 {
		t.Errorf("decisions and inlined calls: %+v", f.Rows)
	}
}

// TestChanged: where the file here is another, lines that did not change are found in
// it, diagnostics stand where they are now, and the others are left out and named.
func TestChanged(t *testing.T) {
	now := texts{"x.go": "package p\n\n// F is new.\n//\nfunc f(n int) {\n\ts := make([]byte, n+1)\n\tuse(s)\n\tg()\n}"}
	p := pageOf(t, now)
	f := p.find(t, "p.f")
	if !f.Changed || !f.Rows[0].Gone || f.Rows[1].Now != 7 || f.Rows[2].Now != 8 || f.Here != "/here/x.go" {
		t.Errorf("rows %+v", f.Rows)
	}
	if text := strings.Join(p.Warnings, "\n"); !strings.Contains(text, "m/x.go changed since the measurement: 1 of the 3 lines of p.f") {
		t.Errorf("warnings %q", p.Warnings)
	}
	var b bytes.Buffer
	if err := p.WriteDiagnostics(&b, func(file string) string { return strings.TrimPrefix(file, "/here/") }); err != nil {
		t.Fatal(err)
	}
	const want = "x.go:7:5: inlines use\nx.go:8:2: 31.6 % of CPU time (3.00 s)\n"
	got := ""
	for line := range strings.Lines(b.String()) {
		if strings.HasPrefix(line, "x.go") && !strings.Contains(line, "p.get") {
			got += line
		}
	}
	if !strings.Contains(got, want) || strings.Contains(got, "make(") {
		t.Errorf("diagnostics\n%swant\n%s", b.String(), want)
	}
	if f := pageOf(t, texts{"x.go": measured}).find(t, "p.f"); f.Changed || len(f.Doubts) > 0 || f.Rows[0].Now != 4 {
		t.Errorf("the same file is another: %+v", f)
	}
}

// TestForms: text of every width, and the page, say what the document says.
func TestForms(t *testing.T) {
	p := pageOf(t, nil)
	for _, width := range []int{0, 60, 100, 160} {
		var b bytes.Buffer
		if err := p.WriteText(&b, page.TextOptions{Width: width}); err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"52.6 % of CPU time (5.00 s, its own 21.1 %)", "escapes to heap", "inlined p.get:9", "no source: it is in no module known here", "not recorded: "} {
			if !strings.Contains(strings.Join(strings.Fields(b.String()), " "), want) {
				t.Errorf("%d columns: no %q in\n%s", width, want, b.String())
			}
		}
		for line := range strings.Lines(b.String()) {
			if n := page.Cells(strings.TrimRight(line, "\n")); n > max(width, 60) && width > 0 {
				t.Errorf("%d columns: a line of %d: %s", width, n, line)
			}
		}
	}
	var b bytes.Buffer
	if err := p.WriteHTML(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"p.f</h2>", "make([]byte, n) escapes to heap", "<td class=\"l\">4</td>"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in the page:\n%s", want, b.String())
		}
	}
	fail := fmt.Errorf("disk full")
	if err := p.WriteText(failing{fail}, page.TextOptions{}); !errors.Is(err, fail) {
		t.Errorf("a full disk: %v", err)
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

// TestNothingOwn: a page without functions says why.
func TestNothingOwn(t *testing.T) {
	p := New(model(t), Options{Display: func(file string) (string, string) { return file, "std" }, Own: func(string, *lines.Function) bool { return false }})
	if len(p.Functions) != 0 || len(p.Warnings) != 1 || !strings.Contains(p.Warnings[0], "no function of your own code has a sample") {
		t.Errorf("%d functions, %q", len(p.Functions), p.Warnings)
	}
}

// Many functions that claim the same lines show these only so often, which is reported, and
// all lines with costs.
func TestBareLinesAreBounded(t *testing.T) {
	const functions, perFunction = 140, 1000
	b := callstack.NewBuilder(callstack.ValueType{Type: "cpu", Unit: "nanoseconds"})
	for i := range functions {
		b.AddFrames([]callstack.Frame{{Function: fmt.Sprintf("p.f%d", i), File: "x.go", Line: perFunction + 1, Start: 1}}, nil, 1e9)
	}
	var said []compiler.Decision
	for n := range perFunction {
		said = append(said, compiler.Decision{File: "x.go", Line: n + 1, Kind: compiler.MovedToHeap, Text: "moved to heap: x"})
	}
	decided := &lines.Decisions{}
	decided.Add(said)
	m := lines.New([]lines.Evidence{{Kind: lines.CPU, Profile: b.Frames()}}, decided)
	p := New(m, Options{Measured: texts{}.read, Display: func(file string) (string, string) { return file, "m" }, Own: func(string, *lines.Function) bool { return true }, All: true})
	costs, bare := 0, 0
	for _, f := range p.Functions {
		for i := range f.Rows {
			if f.Rows[i].Costs.Zero() {
				bare++
			} else {
				costs++
			}
		}
	}
	if costs != functions || bare != mostBare || !strings.Contains(strings.Join(p.Warnings, "\n"), "the first 131072 are shown") {
		t.Errorf("%d lines with costs and %d without, warnings %q", costs, bare, p.Warnings)
	}
}
