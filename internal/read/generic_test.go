package read

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/pprof/profile"

	"whet/internal/record"
	"whet/internal/recording"
	"whet/internal/report/run"
)

// Two instantiations of a generic function are one function in tables, listings,
// places and findings, by the name that pprof gives both. Of 300 samples 120 end in
// Max[int], which Max[string] called, 90 in Max[string] and 60 in Max[int] alone; 30
// are of main.main: Max has 270 of flat, and of cum no more, since the sample that
// holds both counts once.
func TestInstantiationsAreOneFunction(t *testing.T) {
	const file = "/m/max.go"
	p := &profile.Profile{
		SampleType: []*profile.ValueType{{Type: "samples", Unit: "count"}, {Type: "cpu", Unit: "nanoseconds"}},
		PeriodType: &profile.ValueType{Type: "cpu", Unit: "nanoseconds"}, Period: 10e6, DurationNanos: 3e9, TimeNanos: 1e18,
	}
	place := func(name string, line int64) *profile.Location {
		f := &profile.Function{ID: uint64(len(p.Function) + 1), Name: name, Filename: file}
		l := &profile.Location{ID: f.ID, Address: f.ID, Line: []profile.Line{{Function: f, Line: line}}}
		p.Function, p.Location = append(p.Function, f), append(p.Location, l)
		return l
	}
	ofInt, ofString, root := place("main.Max[go.shape.int]", 3), place("main.Max[go.shape.string]", 3), place("main.main", 6)
	for _, s := range []struct {
		n     int64
		stack []*profile.Location
	}{{120, []*profile.Location{ofInt, ofString, root}}, {90, []*profile.Location{ofString, root}}, {60, []*profile.Location{ofInt, root}}, {30, []*profile.Location{root}}} {
		p.Sample = append(p.Sample, &profile.Sample{Location: s.stack, Value: []int64{s.n, s.n * 10e6}})
	}
	var cpu bytes.Buffer
	if err := p.Write(&cpu); err != nil {
		t.Fatal(err)
	}
	_, page := recorded(t, func(w *recording.Writer, write func(recording.Artifact, []byte)) {
		m := &w.Manifest
		m.Kind, m.Target = recording.TargetProgram, "./x"
		m.Build.Module, m.Build.OwnModules = "main", []string{"main"}
		record.Programs.Set(m, &record.Program{Runs: []record.Execution{{EndNs: 3e9}}})
		if err := w.AddSource(recording.Source{Frame: file, Path: "max.go", Module: "main"}, []byte("package main\n\nfunc Max[T any](a, b T) T { return b }\n\n\nfunc main() {}\n")); err != nil {
			t.Fatal(err)
		}
		write(recording.Artifact{Path: "profiles/cpu.pb.gz", Kind: recording.KindCPU, EndNs: 3e9}, cpu.Bytes())
	})
	profile := page.Profiles[0]
	want := run.Row{Function: "main.Max[...]", File: "max.go", Flat: 27e8, Cum: 27e8}
	if len(profile.Top) != 2 || profile.Top[0] != want {
		t.Errorf("by flat %+v, want %+v first", profile.Top, want)
	}
	if len(profile.TopCum) != 2 || profile.TopCum[1] != want {
		t.Errorf("by cum %+v, want %+v second", profile.TopCum, want)
	}
	if len(profile.Listing) != 2 || profile.Listing[1].Function != want.Function || profile.Listing[1].Cum != want.Cum {
		t.Errorf("listings %+v", profile.Listing)
	} else if line := profile.Listing[1].Lines[2]; line.Number != 3 || line.Flat != want.Flat || line.Cum != want.Cum {
		t.Errorf("line 3 %+v", line)
	}
	if len(page.HotPlaces) != 2 || page.HotPlaces[0].Function != want.Function || *page.HotPlaces[0].CPURatio != 0.9 {
		t.Errorf("places %+v", page.HotPlaces)
	}
	var doc bytes.Buffer
	if err := run.WriteJSON(&doc, page, run.JSONOptions{All: true}); err != nil {
		t.Fatal(err)
	}
	if text := doc.String(); strings.Contains(text, "go.shape") || strings.Count(text, `"function": "main.Max[...]"`) != 3 {
		t.Errorf("the document names %d times main.Max[...]:\n%s", strings.Count(text, `"function": "main.Max[...]"`), text)
	}
}
