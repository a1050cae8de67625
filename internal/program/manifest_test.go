package program

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

const whole = `{"schema":"whet/agent/1","pid":7,"go_version":"go1.26.8","gomaxprocs":2,"origin":"2026-11-20T10:00:00.5Z",
"end_ns":9,"ended":"exit","rates":{"block_rate_ns":10000,"mutex_fraction":10,"mem_profile_rate":null},
"files":[{"name":"cpu-000.pb.gz","kind":"cpu","start_ns":0,"end_ns":8},{"name":"metrics.jsonl","kind":"metrics","start_ns":1,"end_ns":9}],
"warnings":["a\u001b[2J\nb"],"later":"keys are only ever added"}`

var want = Manifest{
	Schema: "whet/agent/1", PID: 7, GoVersion: "go1.26.8", GOMAXPROCS: 2, Origin: time.Date(2026, 11, 20, 10, 0, 0, 5e8, time.UTC),
	EndNs: 9, Ended: EndedExit,
	Files: []File{
		{Name: "cpu-000.pb.gz", Kind: "cpu", StartNs: 0, EndNs: 8},
		{Name: "metrics.jsonl", Kind: "metrics", StartNs: 1, EndNs: 9},
	},
	Warnings: []string{"a [2J b"},
}

func TestParseManifest(t *testing.T) {
	m, err := parseManifest([]byte(whole))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, m); diff != "" {
		t.Error(diff)
	}
	for _, tt := range []struct{ old, new, err string }{
		{`{"schema`, `{{"schema`, "invalid character"},
		{"whet/agent/1", "whet/agent/2", `schema "whet/agent/2", want "whet/agent/1"`},
		{`"ended":"exit"`, `"ended":"well"`, `unknown ending of the program: "well"`},
		{`"ended":"exit"`, `"started":"exit"`, `unknown ending of the program: ""`},
		{`"end_ns":9,`, `"end_ns":-9,`, "its clock"},
		{`"origin"`, `"other"`, "its clock"},
		{"2026-11-20T", "yesterday ", "cannot parse"},
		{"metrics.jsonl", "../metrics", `file 1: "../metrics" is not a plain file name`},
		{"metrics.jsonl", "/etc/passwd", `file 1: "/etc/passwd" is not a plain file name`},
		{"metrics.jsonl", "a/b", "is not a plain file name"},
		{"metrics.jsonl", `a\\b`, "is not a plain file name"},
		{"metrics.jsonl", "c:b", "is not a plain file name"},
		{"metrics.jsonl", `a\u0000b`, "is not a plain file name"},
		{"metrics.jsonl", "..", "is not a plain file name"},
		{"metrics.jsonl", ".hidden", "is not a plain file name"},
		{"metrics.jsonl", "", "is not a plain file name"},
		{"metrics.jsonl", strings.Repeat("x", 101), "is not a plain file name"},
		{"metrics.jsonl", "cpu-000.pb.gz", "file 1: cpu-000.pb.gz is listed twice"},
		{`"kind":"cpu"`, `"kind":"binary"`, `file 0: cpu-000.pb.gz is of an unknown kind, "binary"`},
		{`"start_ns":1,`, `"start_ns":-1,`, "file 1: metrics.jsonl runs from -1 to 9 ns"},
		{`"start_ns":1,`, `"start_ns":10,`, "file 1: metrics.jsonl runs from 10 to 9 ns"},
	} {
		text := strings.Replace(whole, tt.old, tt.new, 1)
		if text == whole {
			t.Fatalf("%s is not in it", tt.old)
		}
		if _, err := parseManifest([]byte(text)); err == nil || !strings.Contains(err.Error(), tt.err) {
			t.Errorf("%s for %s: %v", tt.new, tt.old, err)
		}
	}
}

func TestManifestIsBounded(t *testing.T) {
	m := want
	m.Files, m.Warnings = nil, nil
	for i := range maxFiles + 1 {
		m.Files = append(m.Files, File{Name: fmt.Sprint("cpu-", i), Kind: "cpu"})
		m.Warnings = append(m.Warnings, strings.Repeat("é", maxText))
	}
	data, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := parseManifest(data); err == nil || !strings.Contains(err.Error(), "it lists 10001 files") {
		t.Errorf("files: %v", err)
	}
	m.Files = m.Files[:maxFiles]
	if data, err = json.Marshal(m); err != nil {
		t.Fatal(err)
	}
	got, err := parseManifest(data)
	if err != nil || len(got.Files) != maxFiles {
		t.Fatalf("%d files: %v", len(got.Files), err)
	}
	if len(got.Warnings) != maxWarnings || got.Warnings[maxWarnings-1] != "the agent gave 9902 more warnings" {
		t.Errorf("%d warnings, last %q", len(got.Warnings), got.Warnings[len(got.Warnings)-1])
	}
	if w := got.Warnings[0]; w != strings.Repeat("é", (maxText-3)/2)+"…" {
		t.Errorf("warning %q", w)
	}
}

func TestRead(t *testing.T) {
	a := &Agent{dir: t.TempDir()}
	list := func(name string) {
		put(t, filepath.Join(a.dir, manifestFile), strings.Replace(whole, "metrics.jsonl", name, 1))
	}
	put(t, filepath.Join(a.dir, "cpu-000.pb.gz"), "profile")
	put(t, filepath.Join(a.dir, "metrics.jsonl"), "{}")
	list("metrics.jsonl")
	m, err := a.Read()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, m); diff != "" {
		t.Error(diff)
	}

	if err := os.Mkdir(filepath.Join(a.dir, "folder"), 0o700); err != nil {
		t.Fatal(err)
	}
	secret := filepath.Join(t.TempDir(), "secret")
	put(t, secret, "secret")
	if err := os.Symlink(secret, filepath.Join(a.dir, "link")); err != nil && runtime.GOOS != "windows" {
		t.Fatal(err)
	}
	for name, warning := range map[string]string{
		"gone":   "the agent lists gone, which does not exist",
		"folder": "the agent lists folder, which is not a file",
		"link":   "the agent lists link, which is not a file",
	} {
		if name == "link" && runtime.GOOS == "windows" {
			continue // where a link takes a privilege
		}
		list(name)
		m, err := a.Read()
		if err != nil || len(m.Files) != 1 || m.Files[0].Name != "cpu-000.pb.gz" || !slices.Contains(m.Warnings, warning) {
			t.Errorf("%s: %+v, %v", name, m, err)
		}
	}

	manifest := filepath.Join(a.dir, manifestFile)
	put(t, manifest, strings.Repeat(" ", maxManifest)+whole)
	if _, err := a.Read(); err == nil || !strings.Contains(err.Error(), "not a regular file of at most") {
		t.Errorf("too large: %v", err)
	}
	put(t, manifest, "{")
	var syntax *json.SyntaxError
	if _, err := a.Read(); !errors.As(err, &syntax) || !strings.HasPrefix(err.Error(), "read the agent's files: agent.json: ") {
		t.Errorf("damaged: %v", err)
	}
	if err := os.Remove(manifest); err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS == "windows" {
		return
	}
	put(t, secret, whole)
	if err := os.Symlink(secret, manifest); err != nil {
		t.Fatal(err)
	}
	if m, err := a.Read(); err == nil {
		t.Errorf("through a link: %+v", m)
	}
}

// FuzzParseManifest: what is accepted stays in its directory, runs forward,
// prints on one line, and reads the same when it is written again.
func FuzzParseManifest(f *testing.F) {
	f.Add([]byte(whole))
	f.Add([]byte(strings.Replace(whole, "metrics.jsonl", "..", 1)))
	f.Add([]byte(strings.Replace(whole, "exit", "running", 1)))
	f.Add([]byte(strings.Replace(whole, "[2J", strings.Repeat("é", maxText), 1)))
	f.Add([]byte(strings.Replace(whole, `"warnings":[`, `"warnings":[`+strings.Repeat(`"w",`, maxWarnings+1), 1)))
	f.Add([]byte("{}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := parseManifest(data)
		if err != nil {
			return
		}
		seen := map[string]bool{}
		for _, file := range m.Files {
			if file.Name != filepath.Base(file.Name) || !filepath.IsLocal(file.Name) || file.Name == "." || seen[file.Name] {
				t.Errorf("file %q", file.Name)
			}
			seen[file.Name] = true
			if file.StartNs < 0 || file.EndNs < file.StartNs {
				t.Errorf("%+v", file)
			}
		}
		for _, w := range m.Warnings {
			if strings.ContainsAny(w, "\n\r\x1b") || len(w) > maxText {
				t.Errorf("warning %q", w)
			}
		}
		again, err := json.Marshal(m)
		if err != nil {
			return // a year that JSON cannot write
		}
		back, err := parseManifest(again)
		if err != nil {
			t.Fatalf("%s: %v", again, err)
		}
		if diff := cmp.Diff(m, back); diff != "" {
			t.Error(diff)
		}
	})
}
