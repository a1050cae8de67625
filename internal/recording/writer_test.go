package recording

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
)

var origin = time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)

func write(t *testing.T, path, partial string) string {
	t.Helper()
	w, err := Create(path, origin)
	if err != nil {
		t.Fatal(err)
	}
	w.Manifest.Target = partial
	if err := w.Write(Artifact{Path: "bench/new.txt", Kind: KindBench, StartNs: 3, EndNs: 5}, []byte("hello\n")); err != nil {
		t.Fatal(err)
	}
	if err := w.AddSource(Source{Frame: "/x/a.go", Path: "a.go"}, []byte("package a\n")); err != nil {
		t.Fatal(err)
	}
	w.Warn("%d samples", 3)
	w.Warn("%d samples", 3)
	got, err := w.Finish(9, partial)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func TestRoundTrip(t *testing.T) {
	dir := t.TempDir()
	path := write(t, filepath.Join(dir, "run.whet"), "")
	r, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if !r.Origin.Equal(origin) || r.EndNs != 9 || r.Partial != "" || len(r.Warnings) != 1 {
		t.Errorf("manifest = %+v", r.Manifest)
	}
	a := r.Find(KindBench, "")
	if len(a) != 1 || a[0].Bytes != 6 || a[0].SHA256 != "5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03" { // printf 'hello\n' | sha256sum
		t.Fatalf("artifact = %+v", a)
	}
	data, err := r.Read(a[0])
	if err != nil || string(data) != "hello\n" {
		t.Errorf("Read = %q, %v", data, err)
	}
	src, s, err := r.Source("/x/a.go")
	if err != nil || string(src) != "package a\n" || s.Path != "a.go" {
		t.Errorf("Source = %q, %+v, %v", src, s, err)
	}
	entries, _ := os.ReadDir(dir)
	if len(entries) != 1 {
		t.Errorf("left beside the recording: %v", entries)
	}
}

// Scripts read the manifest: a list that is empty is a list.
func TestManifestHasNoNullLists(t *testing.T) {
	w, err := Create(filepath.Join(t.TempDir(), "run.whet"), origin)
	if err != nil {
		t.Fatal(err)
	}
	path, err := w.Finish(0, "")
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(path, ManifestName))
	if err != nil {
		t.Fatal(err)
	}
	var m map[string]any
	if err := json.Unmarshal(data, &m); err != nil {
		t.Fatal(err)
	}
	lists := 0
	for name, in := range map[string]any{"": m, "plan": m["plan"], "build": m["build"]} {
		typ := reflect.TypeFor[Manifest]()
		if name != "" {
			f, _ := typ.FieldByNameFunc(func(s string) bool { return strings.EqualFold(s, name) })
			typ = f.Type
		}
		for i := range typ.NumField() {
			key, _, _ := strings.Cut(typ.Field(i).Tag.Get("json"), ",")
			if typ.Field(i).Type.Kind() == reflect.Slice {
				lists++
				if in.(map[string]any)[key] == nil {
					t.Errorf("%s %s is null", name, key)
				}
			}
		}
	}
	if lists < 12 {
		t.Errorf("%d lists were looked at", lists)
	}
}

func TestTamperedArtifactIsRefused(t *testing.T) {
	path := write(t, filepath.Join(t.TempDir(), "run.whet"), "")
	r, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if err := os.WriteFile(filepath.Join(path, "bench/new.txt"), []byte("hellO\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Read(r.Find(KindBench, "")[0]); err == nil || !strings.Contains(err.Error(), "differs from the recorded file") || strings.Contains(err.Error(), path) {
		t.Errorf("Read of a changed file: %v", err)
	}
	if _, err := r.Read(Artifact{Path: "../outside"}); err == nil {
		t.Error("a path outside the recording was read")
	}
}

func TestPartialDoesNotReplaceWhole(t *testing.T) {
	dir := t.TempDir()
	whole := filepath.Join(dir, "run.whet")
	write(t, whole, "")
	partial := write(t, whole, "interrupted")
	if want := filepath.Join(dir, "run.partial.whet"); partial != want {
		t.Errorf("partial went to %s, want %s", partial, want)
	}
	for path, want := range map[string]string{whole: "", partial: "interrupted"} {
		r, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		if r.Partial != want {
			t.Errorf("%s: partial = %q, want %q", path, r.Partial, want)
		}
		r.Close()
	}
	if got := write(t, whole, ""); got != whole {
		t.Errorf("a whole recording went to %s", got)
	}
}

func TestKilledRunOpens(t *testing.T) {
	w, err := Create(filepath.Join(t.TempDir(), "run.whet"), origin)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Write(Artifact{Path: "bench/new.txt", Kind: KindBench}, []byte("x")); err != nil {
		t.Fatal(err)
	}
	r, err := Open(w.Dir()) // no Finish: the run was killed
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if r.Partial == "" || len(r.Find(KindBench, "")) != 1 {
		t.Errorf("manifest = %+v", r.Manifest)
	}
}

// TestManifestCannotBeWritten: a directory stands where the manifest is to be
// written, in the place of a full disk.
func TestManifestCannotBeWritten(t *testing.T) {
	create := func() *Writer {
		t.Helper()
		w, err := Create(filepath.Join(t.TempDir(), "run.whet"), origin)
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(
			w.Write(Artifact{Path: "bench/new.txt", Kind: KindBench}, []byte("x")),
			os.Mkdir(filepath.Join(w.Dir(), ManifestName+".new"), 0o755)); err != nil {
			t.Fatal(err)
		}
		return w
	}
	check := func(path string) {
		t.Helper()
		r, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		if r.Partial == "" || len(r.Find(KindBench, "")) != 1 || len(r.Find(KindBinary, "")) != 0 {
			t.Errorf("what is left: %+v", r.Manifest)
		}
	}

	w := create()
	path, err := w.Finish(9, "no space")
	w.Discard()
	if err == nil || !strings.Contains(err.Error(), "the part written is in "+path) {
		t.Errorf("Finish = %q, %v", path, err)
	}
	check(path)

	// Without the binary there is room again: here the obstacle is the binary.
	w = create()
	w.Manifest.Artifacts = append(w.Manifest.Artifacts, Artifact{Path: ManifestName + ".new", Kind: KindBinary})
	path, err = w.Finish(9, "no space")
	if err != nil || !strings.HasSuffix(path, "run.whet") || len(w.Manifest.Warnings) != 1 {
		t.Errorf("Finish = %q, %v, warnings %q", path, err, w.Manifest.Warnings)
	}
	check(path)
}

func TestRefusals(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "file.whet"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(dir, "home.whet", "photos"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"run":              "ends in .whet",
		".whet":            "ends in .whet",
		"file.whet":        "is not a recording",
		"home.whet":        "is not a recording",
		"missing/run.whet": "no directory",
	} {
		if _, err := Create(filepath.Join(dir, name), origin); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Create(%s): %v, want %q", name, err, want)
		}
	}
	if _, err := Open(filepath.Join(dir, "file.whet")); err == nil || !strings.Contains(err.Error(), "it is a file") {
		t.Errorf("Open of a file: %v", err)
	}
	newer := filepath.Join(dir, "newer.whet")
	if err := os.Mkdir(newer, 0o755); err != nil {
		t.Fatal(err)
	}
	for manifest, want := range map[string]string{
		`{"schema":"whet/recording/2","tool":"v9","host":"now a string"}`: "a newer whet wrote it (v9, schema 2",
		`{"schema":"whet/tune/1"}`:                                        "not that of a whet recording",
		`{"schema":`:                                                      "damaged",
		`{"schema":"whet/recording/1","host":"x"}`:                        "damaged: host cannot be string",
		`[]`: "damaged: the whole cannot be array",
		`{"schema":"whet/recording/1","artifacts":[{"path":"a"},{"path":"a"}]}`: `lists "a" twice`,
	} {
		if err := os.WriteFile(filepath.Join(newer, ManifestName), []byte(manifest), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(newer); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Open with %s: %v, want %q", manifest, err, want)
		}
	}
}
