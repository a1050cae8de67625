package view

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"whet/internal/analyze/selection"
	"whet/internal/callstack"
	"whet/internal/source"
	"whet/internal/symbol"
)

// listedFrame is a frame of the profiles that these tests write.
type listedFrame struct {
	function, file string
	line, start    int
}

func packedOf(unit string, samples map[*[]listedFrame]int64, order ...*[]listedFrame) *callstack.Profile {
	b := callstack.NewBuilder(callstack.ValueType{Type: "cpu", Unit: unit})
	for _, frames := range order {
		var path []callstack.LocationID
		for _, f := range *frames {
			id := b.Function(callstack.Function{Name: f.function, SystemName: f.function, File: f.file, Start: f.start})
			path = append(path, b.Location(callstack.NoMapping, 0, false, callstack.SourceLine{Function: id, Line: f.line}))
		}
		b.Add(path, nil, samples[frames])
	}
	return b.Profile()
}

var hotTime = time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)

// hotProfile writes a file of n lines and a profile of it.
func hotProfile(t *testing.T, n int) (*callstack.Profile, string) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "hot.go")
	var text strings.Builder
	for i := range n {
		text.WriteString("\tline " + string(rune('a'+i%26)) + "\n")
	}
	if err := os.WriteFile(name, []byte(text.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	a := &[]listedFrame{{"m.hot", name, 20, 18}, {"m.main", name, 40, 38}}
	b := &[]listedFrame{{"m.hot", name, 25, 18}, {"m.hot", name, 21, 18}, {"m.main", name, 40, 38}}
	c := &[]listedFrame{{"m.old", name, 12, 0}, {"m.main", name, 41, 38}}
	p := packedOf("nanoseconds", map[*[]listedFrame]int64{a: 5e6, b: 3e6, c: 9e6}, a, b, c)
	p.TimeNanos = hotTime.UnixNano()
	return p, name
}

func hotList(t *testing.T, n int, o CodeOptions, profiled time.Time) (*List, string) {
	t.Helper()
	p, name := hotProfile(t, n)
	o.Match = regexp.MustCompile(`m\.hot`)
	if o.Source == nil {
		o.Source = source.New(source.Options{Profiled: profiled}).Text
	}
	v, err := NewList(selected(t, p, ForList(selection.Options{})), o, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return v, name
}

func noSource(string) (*source.Text, error) { return nil, errors.New("find source: not here") }

func TestListWithoutSource(t *testing.T) {
	v, _ := hotList(t, 60, CodeOptions{Source: noSource}, time.Time{})
	r := v.Routines[0]
	want := []ListLine{{Number: 20, Flat: 5e6, Cum: 5e6}, {Number: 21, Cum: 3e6}, {Number: 25, Flat: 3e6, Cum: 3e6}}
	if diff := cmp.Diff(want, r.Lines); diff != "" || r.Missing != "find source: not here" {
		t.Errorf("missing %q, lines (-want +got):\n%s", r.Missing, diff)
	}
	if out := text(t, func(b *bytes.Buffer) error { return v.Write(b) }); !strings.Contains(out, " Error: find source: not here\n") {
		t.Errorf("printed:\n%s", out)
	}
}

func TestListSaysThatRecursionCountsAgain(t *testing.T) {
	v, _ := hotList(t, 60, CodeOptions{}, time.Time{})
	r := v.Routines[0]
	// Lines 20 (5 ms), 21 (3 ms) and 25 (3 ms); the last two are one sample.
	if r.Flat != 8e6 || r.LinesCum != 11e6 || r.Cum != 8e6 {
		t.Errorf("flat %d, cum of lines %d, cum %d", r.Flat, r.LinesCum, r.Cum)
	}
	want := "m.hot calls itself on several lines: its cum of 11ms is the sum over lines; counted once per sample it is 8ms"
	if len(v.Warnings) != 1 || v.Warnings[0] != want {
		t.Errorf("warnings %q, want %q", v.Warnings, want)
	}
}

func TestListDoubtsItsSource(t *testing.T) {
	now := time.Now() // the file's time
	for _, c := range []struct {
		name     string
		lines    int
		profiled time.Time
		want     []string
	}{
		{"unchanged", 60, now.Add(time.Hour), nil},
		{"changed later", 60, now.Add(-time.Hour), []string{"was changed after the profile was taken"}},
		{"too short", 22, now.Add(time.Hour), []string{"has 22 lines, the profile names line 25"}},
		{"both", 22, now.Add(-time.Hour), []string{"was changed after the profile was taken", "has 22 lines, the profile names line 25"}},
		{"just long enough", 25, now.Add(time.Hour), nil},
	} {
		v, name := hotList(t, c.lines, CodeOptions{}, c.profiled)
		var doubts []string
		for _, w := range v.Warnings {
			if rest, ok := strings.CutPrefix(w, "source differs from the profiled build: "+name+" "); ok {
				doubts = append(doubts, rest)
			}
		}
		if d := cmp.Diff(c.want, doubts); d != "" {
			t.Errorf("%s: -want +got:\n%s", c.name, d)
		}
		var flat, cum int64
		for _, l := range v.Routines[0].Lines {
			flat, cum = flat+l.Flat, cum+l.Cum
			if l.Beyond != (l.Number > c.lines) {
				t.Errorf("%s: line %d, beyond the end: %t", c.name, l.Number, l.Beyond)
			}
		}
		if flat != v.Routines[0].Flat || cum != v.Routines[0].LinesCum {
			t.Errorf("%s: lines add up to %d and %d, the function has %d and %d", c.name, flat, cum, v.Routines[0].Flat, v.Routines[0].LinesCum)
		}
	}
}

// TestListOfMeans: values divided by the first column's, per line and in all,
// which pprof forgets in listings.
func TestListOfMeans(t *testing.T) {
	b := callstack.NewBuilder(callstack.ValueType{Type: "contentions", Unit: "count"}, callstack.ValueType{Type: "delay", Unit: "nanoseconds"})
	f := b.Function(callstack.Function{Name: "m.f", File: "/x/f.go", Start: 1})
	main := b.Function(callstack.Function{Name: "m.main", File: "/x/f.go", Start: 7})
	at := func(line int) []callstack.LocationID {
		return []callstack.LocationID{
			b.Location(callstack.NoMapping, 0, false, callstack.SourceLine{Function: f, Line: line}),
			b.Location(callstack.NoMapping, 0, false, callstack.SourceLine{Function: main, Line: 8}),
		}
	}
	b.Add(at(3), nil, 4, 100)
	b.Add(at(3), nil, 1, 400)
	b.Add(at(5), nil, 5, 50)
	v, err := NewList(selected(t, b.Profile(), ForList(selection.Options{SampleIndex: "delay", Mean: true})), CodeOptions{Match: regexp.MustCompile("m")}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	r := v.Routines[0]
	// (100+400)/(4+1), 50/5, and (100+400+50)/(4+1+5).
	want := []ListLine{{Number: 3, Flat: 100, Cum: 100}, {Number: 5, Flat: 10, Cum: 10}}
	if m := v.Routines[1]; m.Function != "m.main" || m.Flat != 0 || m.Cum != 55 || m.Lines[0].Cum != 55 {
		t.Errorf("the caller: %+v", m)
	}
	if d := cmp.Diff(want, r.Lines); d != "" || r.Flat != 55 || r.Cum != 55 || v.Total != 55 {
		t.Errorf("flat %d, cum %d of %d, -want +got:\n%s", r.Flat, r.Cum, v.Total, d)
	}
}

func TestListingsRefuse(t *testing.T) {
	p, _ := hotProfile(t, 60)
	nowhere := regexp.MustCompile("nowhere")
	_, list := NewList(selected(t, p, ForList(selection.Options{})), CodeOptions{}, Options{})
	_, noMatch := NewList(selected(t, p, ForList(selection.Options{})), CodeOptions{Match: nowhere}, Options{})
	_, disasm := NewDisasm(selected(t, p, ForDisasm(selection.Options{})), CodeOptions{}, Options{})
	_, noAddresses := NewDisasm(selected(t, p, ForDisasm(selection.Options{})), CodeOptions{Match: nowhere}, Options{})
	_, web := NewWeblist(selected(t, p, ForWeblist(selection.Options{})), CodeOptions{Match: nowhere}, Options{})
	addressed := addressedProfile()
	_, noBinary := NewDisasm(selected(t, addressed, ForDisasm(selection.Options{})), CodeOptions{Match: nowhere}, Options{})
	_, badBinary := NewDisasm(selected(t, addressed, ForDisasm(selection.Options{})), CodeOptions{Match: nowhere, Binary: func(callstack.Mapping) (*symbol.Binary, error) {
		return nil, errors.New("open binary: gone")
	}}, Options{})
	for want, err := range map[string]error{
		"list functions: no expression given":                               list,
		`no function with a sample matches "nowhere"`:                       noMatch,
		"list assembly: no expression given":                                disasm,
		`list assembly of "nowhere": the profile has no addresses`:          noAddresses,
		`no function with a sample matches "nowhere" (weblist)`:             web,
		`list assembly of "nowhere": no binary: name it before the profile`: noBinary,
		`list assembly of "nowhere": open binary: gone`:                     badBinary,
	} {
		if err == nil || err.Error() != strings.TrimSuffix(want, " (weblist)") {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// addressedProfile has an address in a mapping, and no names.
func addressedProfile() *callstack.Profile {
	b := callstack.NewBuilder(callstack.ValueType{Type: "cpu", Unit: "nanoseconds"})
	b.Profile().Mappings = []callstack.Mapping{{File: "/bin/prog", Start: 0x400000, Limit: 0x500000}}
	b.Add([]callstack.LocationID{b.Location(0, 0x401000, false)}, nil, 1)
	return b.Profile()
}

// TestDisasmWithoutSymbols: a profile with addresses, of a binary that does not
// name their functions, is not said to have none.
func TestDisasmWithoutSymbols(t *testing.T) {
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		t.Skip("the addresses are those of this system's linker")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	b := callstack.NewBuilder(callstack.ValueType{Type: "cpu", Unit: "nanoseconds"})
	b.Profile().Mappings = []callstack.Mapping{{File: self, Start: 0x400000, Limit: 0x500000}}
	b.Add([]callstack.LocationID{b.Location(0, 0x400010, false)}, nil, 1) // in the file's header
	_, err = NewDisasm(selected(t, b.Profile(), ForDisasm(selection.Options{})), CodeOptions{
		Match: regexp.MustCompile("main"), Binary: func(callstack.Mapping) (*symbol.Binary, error) { return symbol.Open(self) },
	}, Options{})
	if err == nil || !strings.Contains(err.Error(), "has no function at the profile's addresses") {
		t.Errorf("%v", err)
	}
}

// TestHeadNamesTheProgram and not the kernel, which comes first where the first
// sample ends in it.
func TestHeadNamesTheProgram(t *testing.T) {
	for want, files := range map[string][]string{
		"prog":  {"[kernel.kallsyms]", "[vdso]", "/bin/prog", "/lib/libc.so"},
		"":      {"[kernel.kallsyms]"},
		"other": {"/bin/other", "/bin/prog"},
	} {
		b := callstack.NewBuilder(callstack.ValueType{Type: "cpu", Unit: "nanoseconds"})
		for _, file := range files {
			b.Profile().Mappings = append(b.Profile().Mappings, callstack.Mapping{File: file})
		}
		b.Add([]callstack.LocationID{b.Location(0, 0x400010, false)}, nil, 1)
		if h := newHead(selected(t, b.Profile(), selection.Options{}), &Options{}); h.Binary != want {
			t.Errorf("%q: the file is %q, want %q", files, h.Binary, want)
		}
	}
}

// TestWeblistIsBounded, and says so.
func TestWeblistIsBounded(t *testing.T) {
	var order []*[]listedFrame
	values := make(map[*[]listedFrame]int64)
	for i := range maxWebFunctions + 3 {
		f := &[]listedFrame{{fmt.Sprintf("m.f%03d", i), "/x/f.go", i + 1, i + 1}}
		order, values[f] = append(order, f), int64(i+1)
	}
	v, err := NewWeblist(selected(t, packedOf("count", values, order...), ForWeblist(selection.Options{})), CodeOptions{}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := "203 functions match, the 200 with the highest cost are shown: narrow the expression to see others"
	if len(v.Functions) != maxWebFunctions || v.Functions[0].Cum != 203 || v.Functions[199].Cum != 4 || len(v.Warnings) != 1 || v.Warnings[0] != want {
		t.Errorf("%d functions, %+v to %+v, warnings %q", len(v.Functions), v.Functions[0], v.Functions[len(v.Functions)-1], v.Warnings)
	}
}

// TestWeblistLeavesFarLinesOut marks where.
func TestWeblistLeavesFarLinesOut(t *testing.T) {
	lines := make([]string, 100)
	for i := range lines {
		lines[i] = fmt.Sprint("line ", i+1)
	}
	a, b, c := &[]listedFrame{{"m.f", "/x/f.go", 10, 1}}, &[]listedFrame{{"m.f", "/x/f.go", 30, 1}}, &[]listedFrame{{"m.f", "/x/f.go", 60, 1}}
	p := packedOf("count", map[*[]listedFrame]int64{a: 1, b: 2, c: 4}, a, b, c)
	v, err := NewWeblist(selected(t, p, ForWeblist(selection.Options{})), CodeOptions{Source: func(string) (*source.Text, error) { return &source.Text{Lines: lines}, nil }}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	// Five lines around; 19 lines between 10 and 30 stand, 29 between 30 and 60
	// do not.
	var want, got []int
	for n := 5; n <= 65; n++ {
		if n <= 35 || n >= 55 {
			want = append(want, n)
		}
	}
	for _, l := range v.Functions[0].Lines {
		got = append(got, l.Number)
		if l.Gap != (l.Number == 55) || l.Text != fmt.Sprint("line ", l.Number) {
			t.Errorf("line %d: gap %v, text %q", l.Number, l.Gap, l.Text)
		}
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
}

// TestListingsEscape names, units, files and source, which are anyone's.
func TestListingsEscape(t *testing.T) {
	evil := "m.\x1b[2J\u202e</script><img src=x onerror=alert(1)>\nROUTINE"
	frames := &[]listedFrame{{evil, "/x/\x1b]0;x\a<b>.go", 1, 1}, {evil, "/x/\x1b]0;x\a<b>.go", 2, 1}}
	p := packedOf("nano\x1b[1m\u202e", map[*[]listedFrame]int64{frames: 5}, frames)
	p.Comments = []string{"\x1b[1m<script>"}
	p.Warnings = []string{"\x1b[5m<script>"}
	all := regexp.MustCompile("")
	hostile := func(string) (*source.Text, error) {
		return &source.Text{Lines: []string{"x\x1b[2J</pre><script>alert(1)</script>", "\u202e\"'"}, Doubts: []string{"\x1b<i>"}}, nil
	}
	list, err := NewList(selected(t, p, ForList(selection.Options{})), CodeOptions{Match: all, Source: hostile}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	web, err := NewWeblist(selected(t, p, ForWeblist(selection.Options{})), CodeOptions{Source: hostile}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	disasm := &Disasm{Head: list.Head, Routines: []AsmRoutine{{Function: evil, Instructions: []AsmInstruction{
		{Address: 1, Text: "JMP " + evil, Function: evil, File: evil, Line: 3, Source: evil, Flat: 1},
	}}}}
	for name, write := range map[string]func(*bytes.Buffer) error{
		"list":         func(b *bytes.Buffer) error { return list.Write(b) },
		"list JSON":    func(b *bytes.Buffer) error { return list.WriteJSON(b) },
		"disasm":       func(b *bytes.Buffer) error { return disasm.Write(b) },
		"disasm JSON":  func(b *bytes.Buffer) error { return disasm.WriteJSON(b) },
		"weblist":      func(b *bytes.Buffer) error { return web.WriteHTML(b, evil) },
		"weblist JSON": func(b *bytes.Buffer) error { return web.WriteJSON(b) },
	} {
		out := text(t, write)
		isJSON := strings.Contains(name, "JSON")
		if strings.ContainsAny(out, "\x1b\a\r\u009b") || strings.Contains(out, "\u202e") && !isJSON && name != "weblist" {
			t.Errorf("%s holds control characters:\n%q", name, out)
		}
		if name == "weblist" && !strings.Contains(out, "flat 5, cum 5: 100%") {
			t.Errorf("a function that calls itself costs its sample twice:\n%s", out)
		}
		if !isJSON && strings.Count(out, "\nROUTINE") > 1 {
			t.Errorf("%s: a name begins a line:\n%s", name, out)
		}
		if name == "weblist" && (!strings.Contains(out, "script-src &#39;none&#39;; style-src &#39;sha256-") || strings.Contains(out, "unsafe")) {
			t.Errorf("weblist: its policy allows more than its style:\n%s", out)
		}
		if name == "weblist" && (strings.Contains(out, "<script") || strings.Contains(out, "<img") || strings.Contains(out, "<b>") || strings.Contains(out, "<i>")) {
			t.Errorf("weblist: a name is markup:\n%s", out)
		}
	}
}

func TestListingsAsJSON(t *testing.T) {
	p, name := hotProfile(t, 60)
	p.Warnings = []string{"doubt"}
	list, err := NewList(selected(t, p, ForList(selection.Options{})), CodeOptions{Match: regexp.MustCompile(`m\.hot`)}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	const wantList = `{"schema":"whet/list/1","warnings":["doubt","m.hot calls itself on several lines: its cum of 11ms is the sum over lines; counted once per sample it is 8ms"],` +
		`"binary":"","build_id":"","sample_type":"cpu","unit":"nanoseconds","time":"2026-11-20T09:00:00Z","samples":3,"total_ns":17000000,` +
		`"functions":[{"function":"m.hot","file":"FILE","flat_ns":8000000,"flat_ratio":0.47058823529411764,"cum_ns":8000000,"cum_ratio":0.47058823529411764,` +
		`"lines_cum_ns":11000000,"missing":"no source found","lines":[{"line":20,"text":"","flat_ns":5000000,"cum_ns":5000000},` +
		`{"line":21,"text":"","flat_ns":0,"cum_ns":3000000},{"line":25,"text":"","flat_ns":3000000,"cum_ns":3000000}]}]}`
	if diff := cmp.Diff(wantList, compactJSON(t, name, func(b *bytes.Buffer) error { return list.WriteJSON(b) })); diff != "" {
		t.Errorf("list (-want +got):\n%s", diff)
	}
	web, err := NewWeblist(selected(t, p, ForWeblist(selection.Options{})), CodeOptions{Match: regexp.MustCompile(`m\.old`)}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	const wantWeb = `{"schema":"whet/weblist/1","warnings":["doubt"],"binary":"","build_id":"","sample_type":"cpu","unit":"nanoseconds","time":"2026-11-20T09:00:00Z","samples":3,"total_ns":17000000,` +
		`"functions":[{"function":"m.old","file":"FILE","flat_ns":9000000,"flat_ratio":0.5294117647058824,"cum_ns":9000000,"cum_ratio":0.5294117647058824,"missing":"no source found",` +
		`"lines":[{"line":12,"text":"","flat_ns":9000000,"cum_ns":9000000,"instructions":[{"address":"0x0","text":"","file":"FILE","line":12,"flat_ns":9000000,"cum_ns":9000000,"inlined_calls":[]}]}]}]}`
	if diff := cmp.Diff(wantWeb, compactJSON(t, name, func(b *bytes.Buffer) error { return web.WriteJSON(b) })); diff != "" {
		t.Errorf("weblist (-want +got):\n%s", diff)
	}
	disasm := &Disasm{Head: web.Head, Routines: []AsmRoutine{{Function: "m.F[go.shape.int]", Binary: "prog", Flat: 9e6, Cum: 17e6, Instructions: []AsmInstruction{
		{Address: 0x4a1c20, Text: "RET", File: "/x/f.go", Line: 3, Source: "return", Flat: 9e6, Cum: 17e6},
	}}}}
	const wantDisasm = `{"schema":"whet/disasm/1","warnings":["doubt"],"binary":"","build_id":"","sample_type":"cpu","unit":"nanoseconds","time":"2026-11-20T09:00:00Z","samples":3,"total_ns":17000000,` +
		`"functions":[{"function":"m.F[go.shape.int]","object":"prog","flat_ns":9000000,"flat_ratio":0.5294117647058824,"cum_ns":17000000,"cum_ratio":1,` +
		`"instructions":[{"address":"0x4a1c20","text":"RET","file":"/x/f.go","line":3,"source":"return","flat_ns":9000000,"cum_ns":17000000}]}]}`
	if diff := cmp.Diff(wantDisasm, compactJSON(t, name, func(b *bytes.Buffer) error { return disasm.WriteJSON(b) })); diff != "" {
		t.Errorf("disasm (-want +got):\n%s", diff)
	}
}

func compactJSON(t *testing.T, file string, write func(*bytes.Buffer) error) string {
	t.Helper()
	var b bytes.Buffer
	if err := json.Compact(&b, []byte(text(t, write))); err != nil {
		t.Fatal(err)
	}
	quoted, err := json.Marshal(file)
	if err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(b.String(), string(quoted), `"FILE"`)
}
