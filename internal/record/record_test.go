package record

import (
	"path/filepath"
	"testing"
	"time"

	"whet/internal/recording"
)

// TestCreate: what a run that is killed at once leaves says what it was of.
func TestCreate(t *testing.T) {
	r, err := Create(Run{Path: filepath.Join(t.TempDir(), "x.whet"), Kind: recording.TargetBenchmark, Target: "./x", Version: "1", Origin: time.Unix(9, 0), Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Discard()
	rec, err := recording.Open(r.Dir())
	if err != nil {
		t.Fatal(err)
	}
	defer rec.Close()
	if rec.Kind != recording.TargetBenchmark || rec.Target != "./x" || rec.Tool != "1" || rec.Partial != "not finished" {
		t.Errorf("it says %q of %q by %q, partial %q", rec.Kind, rec.Target, rec.Tool, rec.Partial)
	}
	if _, err := Create(Run{Path: filepath.Join(t.TempDir(), "none", "x.whet"), Origin: time.Unix(9, 0), Now: time.Now}); err == nil {
		t.Error("a recording in a directory that is not there")
	}
}
