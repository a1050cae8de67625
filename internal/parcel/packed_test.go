package parcel

import (
	"bytes"
	"compress/gzip"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"whet/internal/recording"
)

// A recording comes out of an archive as it went in: every artifact and source is
// read, and checked against the manifest.
func TestPack(t *testing.T) {
	dir := t.TempDir()
	var profile bytes.Buffer
	z, _ := gzip.NewWriterLevel(&profile, gzip.BestSpeed) // as nothing here packs
	z.Write(bytes.Repeat([]byte("profile "), 1000))
	z.Close()
	contents := map[string][]byte{"profiles/cpu.pb.gz": profile.Bytes(), "bench/new.txt": []byte("BenchmarkX 1 2 ns/op\n"), "build/types.bin": append([]byte(types), profile.Bytes()...)}
	var packedDirs []string
	for _, name := range []string{"a.whet", "b.whet"} {
		w, err := recording.Create(filepath.Join(dir, name), time.Unix(1, 0))
		if err != nil {
			t.Fatal(err)
		}
		for path, data := range contents {
			if err := w.Write(recording.Artifact{Path: path, Kind: recording.KindBench}, data); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.AddSource(recording.Source{Frame: "/x.go", Path: "x.go", Module: "m"}, []byte("package "+name[:1]+"\n")); err != nil {
			t.Fatal(err)
		}
		path, err := w.Finish(1<<60+1, "")
		if err != nil {
			t.Fatal(err)
		}
		packedDirs = append(packedDirs, path)
	}
	archive := filepath.Join(dir, "all.tar.zst")
	if err := Pack(archive, packedDirs...); err != nil {
		t.Fatal(err)
	}
	for _, was := range packedDirs {
		before, err := recording.Open(was)
		if err != nil {
			t.Fatal(err)
		}
		defer before.Close()
		after, err := recording.Open(Unpack(t, archive, filepath.Base(was)))
		if err != nil {
			t.Fatal(err)
		}
		defer after.Close()
		if after.EndNs != before.EndNs || len(after.Artifacts) != len(contents) || len(after.Sources) != 1 {
			t.Errorf("%s: %+v", was, after.Manifest)
		}
		for i, a := range after.Artifacts {
			got, err := after.Read(a)
			if err != nil {
				t.Error(err)
			}
			want, err := before.Read(before.Artifacts[i])
			if err != nil {
				t.Error(err)
			}
			_, got = taken(a.Path, got)
			if _, want = taken(a.Path, want); !bytes.Equal(got, want) {
				t.Errorf("%s: %d bytes, and there were %d", a.Path, len(got), len(want))
			}
		}
		if text, _, err := after.Source("/x.go"); err != nil || string(text) != "package "+filepath.Base(was)[:1]+"\n" {
			t.Errorf("%q, %v", text, err)
		}
	}
	if _, err := unpack(archive, "none.whet", t.TempDir()); err == nil {
		t.Error("what is not there was unpacked")
	}
	Replace(t, archive, packedDirs[0])
	if names := Names(t, archive); !slices.Equal(names, []string{"a.whet", "b.whet"}) {
		t.Errorf("after one was replaced: %q", names)
	}
}
