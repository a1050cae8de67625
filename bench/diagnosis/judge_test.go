package main

import (
	"os"
	"path/filepath"
	"testing"

	"whet/bench/ledger"
	"whet/internal/recording"
)

// Only the module's own code is the script's, and no test of it.
func TestOwn(t *testing.T) {
	got := own("github.com/a/b", []recording.Source{
		{Frame: "/x/b/in/f.go", Path: "in/f.go", Module: "github.com/a/b"},
		{Frame: "/x/b/f_test.go", Path: "f_test.go", Module: "github.com/a/b"},
		{Frame: "/mod/github.com/c/d@v1.0.0/f.go", Path: "github.com/c/d@v1.0.0/f.go", Module: "github.com/c/d"},
		{Frame: "/go/src/fmt/print.go", Path: "fmt/print.go"},
	})
	if len(got) != 1 || got["/x/b/in/f.go"] != "in/f.go" {
		t.Errorf("%v", got)
	}
}

// What whet says is read as it is written, and only the first places count.
func TestReadAndScore(t *testing.T) {
	text := `{"verdict": {"text": "x", "outcome": "places"},
		"findings": [{"rule": "r", "file": "a.go", "line": 3, "remedy": "do y"}, {"rule": "s", "file": "a.go", "line": 4, "remedy": ""}],
		"hot_places": [{"function": "f", "file": "a.go", "line": 1, "lines": [1, 2], "worth_ratio": 0.5, "cpu_ratio": 0.5, "alloc_bytes_ratio": null, "finding": "r"},
			{"file": "a.go", "line": 30, "lines": [30, 41]}, {"file": "b.go", "line": 40}, {"file": "a.go", "line": 40}, {"file": "c.go", "line": 1}, {"file": "c.go", "line": 2}],
		"profiles": [{"kind": "cpu", "classes": [{"class": "base", "samples": 7}, {"class": "harness", "samples": 2}]}, {"kind": "alloc", "classes": [{"class": "base", "samples": 9}]}]}`
	var r Row
	if err := r.read([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if r.Outcome != "places" || r.Samples != 7 || len(r.Places) != shown || r.Places[0].AllocRatio != nil || *r.Places[0].Finding != "r" || len(r.Claims) != 2 {
		t.Errorf("read as %+v", r)
	}
	if got := r.remedies(); len(got) != 1 || got[0].Rule != "r" {
		t.Errorf("remedies %+v", got)
	}
	r.Script = []Spot{{File: "a.go", Line: 40}}
	second := Case{Kind: kindBenchmark, Places: []Range{{File: "a.go", From: 40, To: 41}}}
	fourth := Case{Kind: kindBenchmark, Places: []Range{{File: "a.go", From: 40, To: 40}}}
	tuned := Case{Kind: kindTuned}
	floor := Row{Outcome: "floor"}
	poor := Row{Outcome: "too-few-samples"}
	var s score
	s.add(&second, &r)
	s.add(&fourth, &r)
	s.add(&tuned, &r)
	s.add(&second, &floor)
	s.add(&second, &poor)
	if want := (score{Cases: 4, First: 0, Three: 1, Clean: 1, Unanswered: 1, ScriptFirst: 2, ScriptThree: 2, Tuned: 1, Remedies: 1}); s != want {
		t.Errorf("%+v, want %+v", s, want)
	}
}

func TestInput(t *testing.T) {
	in := Input{Head: "[", Each: "%[1]d-%[1]d,", Times: 2, Tail: "]"}
	if got := string(in.text()); got != "[0-0,1-1,]" {
		t.Error(got)
	}
}

func TestRowsComeBack(t *testing.T) {
	dir := t.TempDir()
	all := []Case{{Name: "b"}, {Name: "a"}}
	for _, failure := range []string{"x", ""} { // a later row replaces one before
		rows, err := readRows(dir)
		if err != nil {
			t.Fatal(err)
		}
		rows["a"] = Row{Case: "a", Failure: failure}
		rows["b"] = Row{Case: "b", Commit: "c"}
		rows["gone"] = Row{Case: "gone"}
		if err := writeRows(dir, all, rows); err != nil {
			t.Fatal(err)
		}
	}
	rows, err := readRows(dir)
	if err != nil || len(rows) != 2 || rows["a"].Failure != "" || rows["b"].Commit != "c" {
		t.Errorf("%+v, %v", rows, err)
	}
}

// A copy can be written to, whatever the original allows.
func TestCopyTree(t *testing.T) {
	from, to := t.TempDir(), filepath.Join(t.TempDir(), "copy")
	if err := os.MkdirAll(filepath.Join(from, "in"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(from, "in", "x.go"), []byte("package x"), 0o444); err != nil {
		t.Fatal(err)
	}
	if err := copyTree(to, from); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(to, "in", "x.go"), nil, 0o644); err != nil {
		t.Error(err)
	}
	if info, err := os.Stat(filepath.Join(to, "in", "x.go")); err != nil || info.Mode().Perm()&0o200 == 0 {
		t.Error(info, err)
	}
}

// The table of the README is what the kept rows give.
func TestTableIsOfItsRows(t *testing.T) {
	text, _, err := render("..")
	if err != nil {
		t.Fatal(err)
	}
	have, err := os.ReadFile(filepath.Join("..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	want, err := ledger.Replace(have, "diagnosis", text)
	if err != nil {
		t.Fatal(err)
	}
	if string(have) != string(want) {
		t.Errorf("the table in bench/README.md is not made of bench/results/diagnosis.jsonl: go run ./bench/diagnosis -table makes it")
	}
}
