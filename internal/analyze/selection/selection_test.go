package selection

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"whet/internal/callstack"
	"whet/internal/format/profile"
)

// profiles are real ones, with the reader's tests.
const profiles = "../../format/profile/testdata"

func fixture(t testing.TB, name string) *callstack.Packed {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(profiles, name))
	if err != nil {
		t.Fatal(err)
	}
	p, err := profile.ReadPacked(bytes.NewReader(data), int64(len(data)), profile.DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestEverySampleIsThere: without options the samples add up to the total.
func TestEverySampleIsThere(t *testing.T) {
	p := fixture(t, "compile_stdcmd_merged.cpu.pb.gz")
	s, err := New([]Source{{Profile: p}}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	var sum int64
	for w := s.Walk(); w.Next(); {
		sum += w.Value
	}
	if sum == 0 || sum != s.Total || sum != p.Total(p.DefaultType) {
		t.Errorf("the samples add up to %d, the total is %d, the profile's %d", sum, s.Total, p.Total(p.DefaultType))
	}
}
