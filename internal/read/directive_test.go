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

// A file that only a line directive names has no copy: it is called as its neighbours
// are, and the directory of the build is in no document.
func TestFileOfALineDirective(t *testing.T) {
	const dir = "/tmp/whet-1/checkout"
	p := &profile.Profile{
		SampleType: []*profile.ValueType{{Type: "samples", Unit: "count"}, {Type: "cpu", Unit: "nanoseconds"}},
		PeriodType: &profile.ValueType{Type: "cpu", Unit: "nanoseconds"}, Period: 10e6, DurationNanos: 3e9, TimeNanos: 1e18,
	}
	for i, f := range []struct{ name, file string }{{"main.parse", dir + "/grammar/yaccpar"}, {"main.main", dir + "/grammar/lex.go"}} {
		fn := &profile.Function{ID: uint64(i + 1), Name: f.name, Filename: f.file}
		at := &profile.Location{ID: fn.ID, Address: fn.ID, Line: []profile.Line{{Function: fn, Line: 3}}}
		p.Function, p.Location = append(p.Function, fn), append(p.Location, at)
	}
	p.Sample = []*profile.Sample{{Location: p.Location, Value: []int64{300, 3e9}}}
	var cpu bytes.Buffer
	if err := p.Write(&cpu); err != nil {
		t.Fatal(err)
	}
	_, page := recorded(t, func(w *recording.Writer, write func(recording.Artifact, []byte)) {
		m := &w.Manifest
		m.Kind, m.Target = recording.TargetProgram, "./x"
		m.Build.Module, m.Build.OwnModules = "main", []string{"main"}
		record.Programs.Set(m, &record.Program{Runs: []record.Execution{{EndNs: 3e9}}})
		if err := w.AddSource(recording.Source{Frame: dir + "/grammar/lex.go", Path: "grammar/lex.go", Module: "main"}, []byte("package main\n\nfunc main() { parse() }\n")); err != nil {
			t.Fatal(err)
		}
		write(recording.Artifact{Path: "profiles/cpu.pb.gz", Kind: recording.KindCPU, EndNs: 3e9}, cpu.Bytes())
	})
	if len(page.HotPlaces) != 1 || page.HotPlaces[0].File != "grammar/yaccpar" {
		t.Errorf("places %+v", page.HotPlaces)
	}
	var doc, html bytes.Buffer
	if err := run.WriteJSON(&doc, page, run.JSONOptions{All: true}); err != nil {
		t.Fatal(err)
	}
	if err := run.WriteHTML(&html, page); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"document": doc.String(), "page": html.String()} {
		if !strings.Contains(text, "grammar/yaccpar") || strings.Contains(text, "/tmp/whet-1") {
			t.Errorf("the %s names the file %d times, and the directory %d times", name, strings.Count(text, "grammar/yaccpar"), strings.Count(text, "/tmp/whet-1"))
		}
	}
}
