package profile

import (
	"os"
	"testing"
)

// TestMergeAddsUp merges a profile with itself: every sum doubles, and so does
// the duration.
func TestMergeAddsUp(t *testing.T) {
	data, err := os.ReadFile("testdata/httpsrv_labels.cpu.pb.gz")
	if err != nil {
		t.Fatal(err)
	}
	one, err := Read(data, DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	sum, err := Merge(data, data)
	if err != nil {
		t.Fatal(err)
	}
	two, err := Read(sum, DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	for c := range one.Types {
		if two.Total(c) != 2*one.Total(c) {
			t.Errorf("%v: %d, want twice %d", one.Types[c], two.Total(c), one.Total(c))
		}
	}
	// Mappings that no sample lies in are left out; the binary's own stays.
	if two.Duration != 2*one.Duration || len(two.Mappings) == 0 || two.Mappings[0] != one.Mappings[0] {
		t.Errorf("duration %d, want %d; mappings %v of %v", two.Duration, 2*one.Duration, two.Mappings, one.Mappings)
	}
	if _, err := Merge(data, []byte("not a profile")); err == nil {
		t.Error("merged something that is no profile")
	}
}
