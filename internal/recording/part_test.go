package recording

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"whet/internal/document"
)

// TestParts: a part that the package knows nothing of comes back as it was at
// the moment of writing, one that nobody asks for does no harm, and one that
// cannot be read says so.
func TestParts(t *testing.T) {
	type knee struct {
		Level float64 `json:"level"`
	}
	const part = Part[knee]("knee")
	path := filepath.Join(t.TempDir(), "x.whet")
	w, err := Create(path, time.Unix(1e9, 0))
	if err != nil {
		t.Fatal(err)
	}
	defer w.Discard()
	k := &knee{1}
	part.Set(&w.Manifest, k)
	k.Level = 2.5
	if _, err := w.Finish(time.Second, ""); err != nil {
		t.Fatal(err)
	}
	open := func() *Recording {
		rec, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { rec.Close() })
		return rec
	}
	rec := open()
	for range 2 {
		if k, err := part.Of(&rec.Manifest); err != nil || k == nil || k.Level != 2.5 {
			t.Errorf("part %+v, %v", k, err)
		}
	}
	if p, err := Part[struct{}]("program").Of(&rec.Manifest); p != nil || err != nil {
		t.Errorf("a program that is not there: %+v, %v", p, err)
	}
	if b, err := Part[[]struct{}](BenchmarksKey).Of(&rec.Manifest); err != nil || b == nil || len(*b) != 0 {
		t.Errorf("benchmarks %v, %v", b, err)
	}
	name := filepath.Join(path, ManifestName)
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"benchmarks": []`, `"costs": []`, `"level": 2.5`} {
		if !strings.Contains(string(data), want) {
			t.Errorf("the manifest lacks %s:\n%s", want, data)
		}
	}
	if err := os.WriteFile(name, []byte(strings.Replace(string(data), "2.5", `"high"`, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := part.Of(&open().Manifest); err == nil || err.Error() != "recording.json is damaged: knee.level cannot be string" {
		t.Errorf("damaged: %v", err)
	}
	// Open meets the damage in what will be asked for, and nothing of the rest.
	if rec, err := Open(path, part); err == nil || rec != nil || err.Error() != "open recording "+path+": recording.json is damaged: knee.level cannot be string" {
		t.Errorf("opened damaged: %v", err)
	}
	rec, err = Open(path, Part[struct{}]("program"), Part[[]struct{}](CostsKey))
	if err != nil {
		t.Fatal(err)
	}
	rec.Close()
}

// TestManifestEscapesAsDocumentsDo: parts and own keys hold < and & as they are,
// and what a terminal would obey as escapes.
func TestManifestEscapesAsDocumentsDo(t *testing.T) {
	var m Manifest
	text := "<a&b>\x1b"
	m.Target = text
	Part[string]("note").Set(&m, &text)
	data, err := document.Format(&m)
	if want := `"<a&b>\u001b"`; err != nil || strings.Count(string(data), want) != 2 {
		t.Errorf("%v: %s", err, data)
	}
}
