package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	google "github.com/google/pprof/profile"

	"whet/internal/callstack"
)

// synth builds a profile through google/pprof, so that both programs can read
// it: frames are written "function file line start", an inlined one with "!".
type synth struct {
	p         google.Profile
	functions map[string]*google.Function
}

func newSynth(types ...string) *synth {
	s := &synth{functions: make(map[string]*google.Function)}
	for i := 0; i < len(types); i += 2 {
		s.p.SampleType = append(s.p.SampleType, &google.ValueType{Type: types[i], Unit: types[i+1]})
	}
	return s
}

type fr struct {
	fn, file    string
	line, start int64
	inlined     bool
}

func (s *synth) sample(values []int64, frames ...fr) *google.Sample {
	sample := &google.Sample{Value: values}
	var loc *google.Location
	for _, f := range frames {
		key := f.fn + "\x00" + f.file
		if s.functions[key] == nil {
			fn := &google.Function{ID: uint64(len(s.p.Function) + 1), Name: f.fn, SystemName: f.fn, Filename: f.file, StartLine: f.start}
			s.functions[key] = fn
			s.p.Function = append(s.p.Function, fn)
		}
		if loc == nil {
			loc = &google.Location{ID: uint64(len(s.p.Location) + 1)}
			s.p.Location = append(s.p.Location, loc)
			sample.Location = append(sample.Location, loc)
		}
		loc.Line = append(loc.Line, google.Line{Function: s.functions[key], Line: f.line})
		if !f.inlined {
			loc = nil
		}
	}
	s.p.Sample = append(s.p.Sample, sample)
	return sample
}

func (s *synth) both(t *testing.T) (*callstack.Profile, *google.Profile) {
	return bothFrom(t, written(t, &s.p))
}

func values(v ...int64) []int64 { return v }

// oddProfiles are what the fixtures lack: recursion, negative values, a diff base, drop
// expressions, frames without names, nothing at all.
func oddProfiles() map[string]*synth {
	f := func(name string, line int64) fr {
		return fr{fn: name, file: "/x/" + name + ".go", line: line, start: 1}
	}
	in := func(r fr) fr { r.inlined = true; return r }

	recursion := newSynth("cpu", "nanoseconds")
	recursion.sample(values(5e6), f("a", 3), f("a", 4), f("b", 9), f("a", 3), f("main", 2))
	recursion.sample(values(7e6), in(f("a", 3)), f("b", 9), f("main", 2))
	recursion.sample(values(1e6), f("main", 3))
	recursion.sample(values(2e6), in(f("c", 3)), in(f("c", 4)), f("c", 5), f("main", 2)) // c inlined only into itself
	recursion.p.TimeNanos, recursion.p.DurationNanos = 1700000000123456789, 2e9
	recursion.p.Comments = []string{"built by hand", "#hidden"}

	negative := newSynth("alloc_objects", "count", "alloc_space", "bytes")
	negative.sample(values(5, 4096), f("a", 3), f("main", 2))
	negative.sample(values(-5, -4096), f("a", 3), f("other", 2))
	negative.sample(values(-9, -100000), f("b", 3), f("main", 2))
	negative.sample(values(0, 10), in(f("c", 3)), f("a", 1), f("main", 2))

	base := newSynth("cpu", "nanoseconds")
	base.sample(values(5e9), f("a", 3), f("main", 2))
	base.sample(values(-3e9), f("a", 3), f("main", 2)).Label = map[string][]string{"pprof::base": {"true"}}
	base.sample(values(-1e9), f("b", 3), f("main", 2)).Label = map[string][]string{"pprof::base": {"true"}}

	drop := newSynth("cpu", "nanoseconds")
	drop.sample(values(5e9), f("runtime.x", 3), f("runtime.y", 3), f("user", 2), f("runtime.main", 1))
	drop.sample(values(3e9), in(f("runtime.x", 3)), f("user", 3), f("runtime.main", 1))
	drop.p.DropFrames, drop.p.KeepFrames = `runtime\..*`, `runtime\.main`

	bare := newSynth("cpu", "nanoseconds")
	libc := &google.Mapping{ID: 1, Start: 0x1000, Limit: 0x2000, File: "/usr/lib/libc.so.6", BuildID: "abc"}
	anonymous := &google.Mapping{ID: 2, Start: 0x3000, Limit: 0x4000}
	bare.p.Mapping = []*google.Mapping{libc, anonymous}
	for i, m := range []*google.Mapping{libc, libc, anonymous, nil} {
		s := bare.sample(values(int64(i+1)*1e6), f("main", 2))
		loc := &google.Location{ID: uint64(100 + i), Mapping: m, Address: uint64(0x1000 + i)}
		bare.p.Location = append(bare.p.Location, loc)
		s.Location = append([]*google.Location{loc}, s.Location...)
	}

	return map[string]*synth{
		"recursion": recursion, "negative": negative, "base": base, "drop": drop, "bare": bare,
		"empty": newSynth("cpu", "nanoseconds"),
	}
}

func TestTopOnOddProfiles(t *testing.T) {
	for name, s := range oddProfiles() {
		t.Run(name, func(t *testing.T) {
			p, g := s.both(t)
			for column := range p.Types {
				for _, nodes := range []int{0, 2} {
					sameTop(t, p, g, column, false, nodes)
					sameTop(t, p, g, column, true, nodes)
				}
			}
		})
	}
}

// hotProfile writes a file of n lines into a directory and a profile of it.
func hotProfile(t *testing.T, n int) (*synth, string) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "hot.go")
	var text strings.Builder
	for i := range n {
		text.WriteString("\tline " + string(rune('a'+i%26)) + "\n")
	}
	if err := os.WriteFile(name, []byte(text.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	s := newSynth("cpu", "nanoseconds")
	s.sample(values(5e6), fr{fn: "m.hot", file: name, line: 20, start: 18}, fr{fn: "m.main", file: name, line: 40, start: 38})
	s.sample(values(3e6), fr{fn: "m.hot", file: name, line: 25, start: 18}, fr{fn: "m.hot", file: name, line: 21, start: 18}, fr{fn: "m.main", file: name, line: 40, start: 38})
	s.sample(values(9e6), fr{fn: "m.old", file: name, line: 12}, fr{fn: "m.main", file: name, line: 41, start: 38})
	s.p.TimeNanos = time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC).UnixNano()
	return s, name
}

func TestListOnOddProfiles(t *testing.T) {
	s, _ := hotProfile(t, 43) // less than line 41 and its margin: the listing ends with the file
	p, g := s.both(t)
	sameList(t, p, g, 0, `^m\.`, os.ReadFile, "")
	all := oddProfiles()
	for _, name := range []string{"recursion", "negative", "base"} {
		p, g := all[name].both(t)
		for column := range p.Types {
			sameList(t, p, g, column, `.`, os.ReadFile, "")
		}
	}
}

func newHotList(t *testing.T, n int, o ListOptions) (*ListView, string) {
	t.Helper()
	s, name := hotProfile(t, n)
	p, _ := s.both(t)
	o.Match = regexp.MustCompile(`m\.hot`)
	v, err := NewList(p, o)
	if err != nil {
		t.Fatal(err)
	}
	return v, name
}

func TestListWithoutSource(t *testing.T) {
	v, _ := newHotList(t, 60, ListOptions{Source: func(string) ([]byte, error) { return nil, errors.New("find source: not here") }})
	r := v.Routines[0]
	want := []ListLine{
		{Number: 20, Flat: 5e6, Cum: 5e6},
		{Number: 21, Cum: 3e6},
		{Number: 25, Flat: 3e6, Cum: 3e6},
	}
	if diff := cmp.Diff(want, r.Lines); diff != "" || r.Missing != "find source: not here" {
		t.Errorf("missing %q, lines (-want +got):\n%s", r.Missing, diff)
	}
	var out bytes.Buffer
	if err := WriteList(&out, v); err != nil || !strings.Contains(out.String(), " Error: find source: not here\n") {
		t.Errorf("%v, printed:\n%s", err, &out)
	}
}

func TestListSaysThatRecursionCountsAgain(t *testing.T) {
	v, _ := newHotList(t, 60, ListOptions{Source: os.ReadFile})
	r := v.Routines[0]
	// Lines 20 (5 ms), 21 (3 ms) and 25 (3 ms); the last two are one sample.
	if r.Flat != 8e6 || r.LinesCum != 11e6 || r.Cum != 8e6 {
		t.Errorf("flat %d, cum of lines %d, cum %d", r.Flat, r.LinesCum, r.Cum)
	}
	want := "m.hot calls itself through several lines: its cum of 11ms adds up the lines; counted once for each sample it is 8ms"
	if len(v.Warnings) != 1 || v.Warnings[0] != want {
		t.Errorf("warnings %q, want %q", v.Warnings, want)
	}
}

func TestListDoubtsItsSource(t *testing.T) {
	recorded := time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		name     string
		lines    int
		modified time.Time
		want     string
	}{
		{"unchanged", 60, recorded.Add(-time.Hour), ""},
		{"at the same moment", 60, recorded, ""},
		{"changed later", 60, recorded.Add(time.Second), "was changed after the profile was taken"},
		{"too short", 22, recorded.Add(time.Second), "has 22 lines, the profile names line 25"},
		{"just long enough", 25, recorded, ""},
	} {
		v, name := newHotList(t, c.lines, ListOptions{Source: os.ReadFile, Modified: func(string) (time.Time, bool) { return c.modified, true }})
		doubts := 0
		for _, w := range v.Warnings {
			if strings.HasPrefix(w, "source differs from the profiled build: "+name) {
				doubts++
				if c.want == "" || !strings.HasSuffix(w, c.want) {
					t.Errorf("%s: %q", c.name, w)
				}
			}
		}
		if want := min(len(c.want), 1); doubts != want {
			t.Errorf("%s: %d doubts, want %d", c.name, doubts, want)
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

func TestListRefuses(t *testing.T) {
	s, _ := hotProfile(t, 60)
	p, _ := s.both(t)
	for name, o := range map[string]ListOptions{
		"no expression": {},
		"no match":      {Match: regexp.MustCompile("nowhere")},
		"bad column":    {Match: regexp.MustCompile("."), Column: 1},
	} {
		if v, err := NewList(p, o); err == nil {
			t.Errorf("%s: no error, %d routines", name, len(v.Routines))
		}
	}
	if _, err := NewTop(p, TopOptions{Column: -1}); err == nil {
		t.Error("top of column -1: no error")
	}
}

func TestViewsEscapeNames(t *testing.T) {
	evil := "m.\x1b[2J\u202e</script>\nROUTINE"
	s := newSynth("cpu\x1b[31m", "nano\x1b[1m\u202e")
	s.sample(values(5e6), fr{fn: evil, file: "/x/\x1b]0;x\a.go", line: 1, start: 1})
	s.p.Comments = []string{"\x1b[1m"}
	p, _ := s.both(t)
	p.Warnings = []string{"\x1b[5m"}
	top, err := NewTop(p, DefaultTopOptions(p))
	if err != nil {
		t.Fatal(err)
	}
	list, err := NewList(p, ListOptions{Match: regexp.MustCompile("."), Source: func(string) ([]byte, error) { return []byte("x\x1b[2J\r\n"), nil }})
	if err != nil {
		t.Fatal(err)
	}
	for name, write := range map[string]func(*bytes.Buffer) error{
		"top":       func(b *bytes.Buffer) error { return WriteTop(b, top) },
		"list":      func(b *bytes.Buffer) error { return WriteList(b, list) },
		"top JSON":  func(b *bytes.Buffer) error { return WriteTopJSON(b, top) },
		"list JSON": func(b *bytes.Buffer) error { return WriteListJSON(b, list) },
	} {
		var b bytes.Buffer
		if err := write(&b); err != nil {
			t.Fatal(err)
		}
		if strings.ContainsAny(b.String(), "\x1b\a\r\u009b") || strings.Contains(b.String(), "\u202e") && !strings.Contains(name, "JSON") {
			t.Errorf("%s holds control characters:\n%q", name, b.String())
		}
		if !strings.Contains(name, "JSON") && strings.Count(b.String(), "\nROUTINE") > 1 {
			t.Errorf("%s: a name begins a line:\n%s", name, &b)
		}
	}
}

func TestViewsAsJSON(t *testing.T) {
	s, name := hotProfile(t, 60)
	p, _ := s.both(t)
	p.Warnings = []string{"doubt"}
	o := DefaultTopOptions(p)
	o.NodeCount = 2
	top, err := NewTop(p, o)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := WriteTopJSON(&b, top); err != nil {
		t.Fatal(err)
	}
	const wantTop = `{"schema":"whet/top/1","warnings":["doubt"],"binary":"","build_id":"","sample_type":"cpu","unit":"nanoseconds",` +
		`"time":"2026-11-20T09:00:00Z","samples":3,"total_ns":17000000,"shown_ns":17000000,"dropped_functions":0,"remaining_functions":3,` +
		`"functions":[{"function":"m.old","file":"FILE","flat_ns":9000000,"flat_ratio":0.5294117647058824,"cum_ns":9000000,"cum_ratio":0.5294117647058824,"inline":""},` +
		`{"function":"m.hot","file":"FILE","flat_ns":8000000,"flat_ratio":0.47058823529411764,"cum_ns":8000000,"cum_ratio":0.47058823529411764,"inline":""}]}`
	if diff := cmp.Diff(wantTop, compact(t, b.Bytes(), name)); diff != "" {
		t.Errorf("top (-want +got):\n%s", diff)
	}

	list, err := NewList(p, ListOptions{Match: regexp.MustCompile(`m\.hot`), Display: func(string) string { return "hot.go" }})
	if err != nil {
		t.Fatal(err)
	}
	b.Reset()
	if err := WriteListJSON(&b, list); err != nil {
		t.Fatal(err)
	}
	const wantList = `{"schema":"whet/list/1","warnings":["doubt","m.hot calls itself through several lines: its cum of 11ms adds up the lines; counted once for each sample it is 8ms"],` +
		`"binary":"","build_id":"","sample_type":"cpu","unit":"nanoseconds","time":"2026-11-20T09:00:00Z","samples":3,"total_ns":17000000,` +
		`"functions":[{"function":"m.hot","file":"hot.go","flat_ns":8000000,"flat_ratio":0.47058823529411764,"cum_ns":8000000,"cum_ratio":0.47058823529411764,` +
		`"lines_cum_ns":11000000,"missing":"no source at hand","lines":[{"line":20,"text":"","flat_ns":5000000,"cum_ns":5000000},` +
		`{"line":21,"text":"","flat_ns":0,"cum_ns":3000000},{"line":25,"text":"","flat_ns":3000000,"cum_ns":3000000}]}]}`
	if diff := cmp.Diff(wantList, compact(t, b.Bytes(), name)); diff != "" {
		t.Errorf("list (-want +got):\n%s", diff)
	}
}

func compact(t *testing.T, doc []byte, file string) string {
	t.Helper()
	var b bytes.Buffer
	if err := json.Compact(&b, doc); err != nil {
		t.Fatal(err)
	}
	quoted, err := json.Marshal(file)
	if err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(b.String(), string(quoted), `"FILE"`)
}
