package profile

import (
	"bytes"
	"errors"
	"os"
	"testing"

	"github.com/klauspost/compress/gzip"

	"whet/internal/callstack"
)

// TestMergeAddsUp merges a profile with itself: every sum doubles, and so does
// the duration.
func TestMergeAddsUp(t *testing.T) {
	data, err := os.ReadFile("testdata/httpsrv_labels.cpu.pb.gz")
	if err != nil {
		t.Fatal(err)
	}
	one, err := ReadFrames(data, DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	sum, err := Merge(data, data)
	if err != nil {
		t.Fatal(err)
	}
	two, err := ReadFrames(sum, DefaultLimits())
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

// TestBoundedBeforeUnpacking: what fills memory is refused before anything is
// made of it, by its size and by what it stands for.
func TestBoundedBeforeUnpacking(t *testing.T) {
	for name, c := range map[string]struct {
		record []byte
		n      int
		want   error
	}{
		"bytes":     {append([]byte{0x7a, 0x80, 0x20}, make([]byte, 4096)...), 20_000, ErrTooLarge},
		"functions": {[]byte{profileFunction<<3 | wireBytes, 0}, 2_000_000, callstack.ErrMemory},
	} {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		z.Write(small().Bytes())
		z.Write(bytes.Repeat(c.record, c.n))
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		if _, err := Merge(b.Bytes()); !errors.Is(err, c.want) {
			t.Errorf("%s: merge: %v", name, err)
		}
		if _, _, err := Delta(b.Bytes(), b.Bytes()); !errors.Is(err, c.want) {
			t.Errorf("%s: delta: %v", name, err)
		}
	}
}
