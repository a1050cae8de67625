package recording

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestDropBinary: the binary goes, everything else stays as it was, keys of other
// versions too, and a recording that is read is left alone.
func TestDropBinary(t *testing.T) {
	w, err := Create(filepath.Join(t.TempDir(), "a.whet"), origin)
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range []Artifact{{Path: "build/x.test", Kind: KindBinary}, {Path: "bench/1.txt", Kind: KindBench}} {
		if err := w.Write(a, []byte(strings.Repeat("text ", 1000))); err != nil {
			t.Fatal(err)
		}
	}
	path, err := w.Finish(12345678901234567, "")
	if err != nil {
		t.Fatal(err)
	}
	manifest := filepath.Join(path, ManifestName)
	data, err := os.ReadFile(manifest)
	if err == nil {
		err = os.WriteFile(manifest, []byte(strings.Replace(string(data), "{", `{"of_tomorrow": {"n": 12345678901234567890},`, 1)), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	open, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if freed, err := DropBinary(path, "why"); !errors.Is(err, ErrRead) || freed != 0 {
		t.Errorf("of one that is read: %d, %v", freed, err)
	}
	open.Close()
	st, err := os.Stat(filepath.Join(path, "build", "x.test.gz"))
	if err != nil {
		t.Fatal(err)
	}
	if freed, err := DropBinary(path, "why"); err != nil || freed != st.Size() {
		t.Errorf("%d of %d bytes, %v", freed, st.Size(), err)
	}
	rec, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer rec.Close()
	if len(rec.Artifacts) != 1 || rec.EndNs != 12345678901234567 || len(rec.Warnings) != 1 || rec.Warnings[0] != "why" {
		t.Errorf("%+v", rec.Manifest)
	}
	if data, err := rec.Read(rec.Artifacts[0]); err != nil || len(data) != 5000 {
		t.Errorf("%d bytes, %v", len(data), err)
	}
	if data, err := os.ReadFile(manifest); err != nil || !strings.Contains(string(data), "12345678901234567890") {
		t.Errorf("a key of another version is gone: %s, %v", data, err)
	}
	if _, err := os.Stat(filepath.Join(path, "build", "x.test.gz")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the binary is still there: %v", err)
	}
	if freed, err := DropBinary(filepath.Join(path, "bench"), "why"); err == nil {
		t.Errorf("of no recording: %d", freed)
	}
}
