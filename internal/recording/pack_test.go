package recording

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestPacked: a binary, the compiler's text and traces are stored packed and read as
// they were; everything else stays a file that other tools read.
func TestPacked(t *testing.T) {
	w, err := Create(filepath.Join(t.TempDir(), "run.whet"), origin)
	if err != nil {
		t.Fatal(err)
	}
	data := map[string][]byte{
		KindBinary: bytes.Repeat([]byte("binary "), 1000), KindDiagnostics: bytes.Repeat([]byte("a.go:1:2: can inline f\n"), 1000), KindBench: bytes.Repeat([]byte("x"), 1000),
		KindTrace: bytes.Repeat([]byte("go 1.26 trace"), 1000), KindFlight: bytes.Repeat([]byte("go 1.26 flight"), 1000),
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
	if _, err := r.Read(a); err == nil || !strings.Contains(err.Error(), `unknown packing "lzw"`) {
		t.Errorf("Read of what is packed otherwise: %v", err)
	}
}

// TestUnpackBounds: a pack that says or holds more than is read, more than packing ever
// gains, or other than it says at its end is refused.
func TestUnpackBounds(t *testing.T) {
	pack := func(text []byte) []byte {
		var out bytes.Buffer
		z := gzip.NewWriter(&out)
		if _, err := z.Write(text); err != nil {
			t.Fatal(err)
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		return out.Bytes()
	}
	sized := func(data []byte, n uint32) []byte {
		return binary.LittleEndian.AppendUint32(data[:len(data)-4:len(data)-4], n)
	}
	const most = 1 << 30
	small := pack([]byte("small"))
	for name, c := range map[string]struct {
		data  []byte
		limit int64
		want  string
	}{
		"as it is":                {small, 5, ""},
		"nothing":                 {pack(nil), 0, ""},
		"little of great size":    {pack(make([]byte, leastBound)), most, ""},
		"more than the bound":     {small, 4, "exceeds the limit of 4 bytes"},
		"a bomb":                  {pack(make([]byte, leastBound+1)), most, "a decompression bomb?"},
		"says it is a bomb":       {sized(small, most), most, "a decompression bomb?"},
		"says less than it holds": {sized(small, 4), most, "larger than its trailer says"},
		"says more than it holds": {sized(small, 6), most, "invalid checksum"},
		"cut off":                 {small[:len(small)-9], 1 << 33, "a decompression bomb?"},
	} {
		_, err := unpack(packedGzip, c.data, c.limit)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

// TestReadSizes: a file that grew is not read, whatever it holds.
func TestReadSizes(t *testing.T) {
	w, err := Create(filepath.Join(t.TempDir(), "run.whet"), origin)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Write(Artifact{Path: "trace/t", Kind: KindTrace}, []byte("go 1.26 trace")); err != nil {
		t.Fatal(err)
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
	a := r.Artifacts[0]
	if err := os.Truncate(filepath.Join(name, a.Path), maxTraceBytes); err != nil { // no bytes of a disk
		t.Fatal(err)
	}
	if _, err := r.Read(a); err == nil || !strings.Contains(err.Error(), "536870912 bytes, then ") {
		t.Errorf("as large as is read: %v", err)
	}
	if err := os.Truncate(filepath.Join(name, a.Path), maxTraceBytes+1); err != nil {
		t.Fatal(err)
	}
	a.Bytes = maxTraceBytes + 1
	if _, err := r.Read(a); err == nil || !strings.Contains(err.Error(), "more than the limit of 536870912") {
		t.Errorf("larger, and the manifest says so: %v", err)
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
	if err := packFile(plain, packed, nil); err != nil {
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
		if err := packFile(again, again+".gz", nil); err != nil {
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

// TestPackedSources: a copy is stored packed and read as it was, as is one of an older
// recording, which is not packed; one that was changed is refused.
func TestPackedSources(t *testing.T) {
	text := strings.Repeat("package a // as long as a file is\n", 100)
	w, err := Create(filepath.Join(t.TempDir(), "a.whet"), origin)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.AddSource(Source{Frame: "x.go", Path: "x.go"}, []byte(text)); err != nil {
		t.Fatal(err)
	}
	path, err := w.Finish(0, "")
	if err != nil {
		t.Fatal(err)
	}
	r, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	read := func() (string, error) {
		data, s, err := r.Source("x.go")
		if err == nil && s.Bytes != int64(len(text)) {
			t.Errorf("%d bytes in the manifest, %d are read", s.Bytes, len(data))
		}
		return string(data), err
	}
	file := filepath.Join(path, "source", r.Sources[0].SHA256)
	st, err := os.Stat(file + ".gz")
	if err != nil || st.Size() > int64(len(text)/4) {
		t.Errorf("of %d bytes: %v, %v", len(text), st, err)
	}
	if got, err := read(); err != nil || got != text {
		t.Errorf("%q, %v", got, err)
	}
	for name, data := range map[string]string{"no gzip": text, "gzip of something else": "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\x03\x00\x00\x00\x00\x00\x00\x00\x00\x00"} {
		if err := os.WriteFile(file+".gz", []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := read(); err == nil {
			t.Errorf("%s: %q", name, got)
		}
	}
	r.Sources[0].Packed = ""
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err := read(); err != nil || got != text {
		t.Errorf("unpacked: %q, %v", got, err)
	}
}
