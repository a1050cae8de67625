package recording

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestPacked: a binary and the compiler's text are stored packed and read as
// they were; everything else stays a file that other tools read.
func TestPacked(t *testing.T) {
	w, err := Create(filepath.Join(t.TempDir(), "run.whet"), origin)
	if err != nil {
		t.Fatal(err)
	}
	data := map[string][]byte{
		KindBinary: bytes.Repeat([]byte("binary "), 1000), KindDiagnostics: bytes.Repeat([]byte("a.go:1:2: can inline f\n"), 1000), KindBench: bytes.Repeat([]byte("x"), 1000),
	}
	for kind, d := range data {
		if err := w.Write(Artifact{Path: "build/" + kind, Kind: kind, StartNs: 1, EndNs: 2}, d); err != nil {
			t.Fatal(err)
		}
	}
	name, err := w.Finish(9, "")
	if err != nil {
		t.Fatal(err)
	}
	r, err := Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if len(r.Artifacts) != len(data) {
		t.Fatalf("artifacts: %+v", r.Artifacts)
	}
	for _, a := range r.Artifacts {
		got, err := r.Read(a)
		if err != nil || !bytes.Equal(got, data[a.Kind]) || a.StartNs != 1 || a.EndNs != 2 {
			t.Errorf("%+v: %d bytes, %v", a, len(got), err)
		}
		st, err := os.Stat(filepath.Join(name, a.Path))
		packed := a.Kind != KindBench
		if err != nil || st.Size() != a.Bytes || strings.HasSuffix(a.Path, ".gz") != packed || (a.Bytes < 1000) != packed {
			t.Errorf("%+v is stored as %v, %v", a, st, err)
		}
		if _, err := os.Stat(filepath.Join(name, "build", a.Kind)); packed && err == nil {
			t.Errorf("%s is there unpacked too", a.Kind)
		}
	}
	a := r.Find(KindBinary, "")[0]
	a.Packed = "lzw"
	if _, err := r.Read(a); err == nil || !strings.Contains(err.Error(), `packed as "lzw"`) {
		t.Errorf("Read of what is packed otherwise: %v", err)
	}
}

// FuzzUnpack: whatever is unpacked is within its bound, and packing it again
// gives the same bytes back.
func FuzzUnpack(f *testing.F) {
	dir := f.TempDir()
	plain, packed := filepath.Join(dir, "a"), filepath.Join(dir, "a.gz")
	if err := os.WriteFile(plain, bytes.Repeat([]byte("abc"), 100), 0o600); err != nil {
		f.Fatal(err)
	}
	if err := packFile(plain, packed); err != nil {
		f.Fatal(err)
	}
	data, err := os.ReadFile(packed)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Add(data[:len(data)-3])
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, data []byte) {
		const limit = 300
		got, err := unpack(packedGzip, data, limit)
		if err != nil {
			return
		}
		if len(got) > limit {
			t.Fatalf("%d bytes", len(got))
		}
		again := filepath.Join(t.TempDir(), "x")
		if err := os.WriteFile(again, got, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := packFile(again, again+".gz"); err != nil {
			t.Fatal(err)
		}
		back, err := os.ReadFile(again + ".gz")
		if err != nil {
			t.Fatal(err)
		}
		if back, err = unpack(packedGzip, back, limit); err != nil || !bytes.Equal(back, got) {
			t.Fatalf("%q came back as %q, %v", got, back, err)
		}
	})
}
