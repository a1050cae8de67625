package profiles

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"whet/internal/analyze/selection"
	"whet/internal/callstack"
	"whet/internal/recording"
	"whet/internal/source"
)

// TestSourcesOfARecording: its copy counts, with what the recorder doubted; where
// the copy is damaged, its sum speaks for or against the file that is here.
func TestSourcesOfARecording(t *testing.T) {
	const built, changed = "package a\n", "package a // changed\n"
	for _, c := range []struct {
		name, differs string
		damage        bool
		here          string
		line          string
		origin        source.Origin
		doubt         string
	}{
		{"the copy", "", false, changed, "package a", source.OfRecord, ""},
		{"a doubted copy", "it changed after the build began", false, changed, "package a", source.OfRecord, "it changed after the build began"},
		{"a damaged copy, the file is as it was", "", true, built, "package a", source.AsNamed, ""},
		{"a damaged copy, the file is another", "", true, changed, "package a // changed", source.AsNamed, "is another than when it was built"},
	} {
		frame := filepath.Join(t.TempDir(), "a.go")
		if err := os.WriteFile(frame, []byte(c.here), 0o644); err != nil {
			t.Fatal(err)
		}
		w, err := recording.Create(filepath.Join(t.TempDir(), "r.whet"), time.Unix(0, 0))
		if err != nil {
			t.Fatal(err)
		}
		if err := w.AddSource(recording.Source{Frame: frame, Path: "a.go", Differs: c.differs}, []byte(built)); err != nil {
			t.Fatal(err)
		}
		path, err := w.Finish(time.Second, "")
		if err != nil {
			t.Fatal(err)
		}
		if c.damage {
			sum := sha256.Sum256([]byte(built))
			if err := os.WriteFile(filepath.Join(path, "source", hex.EncodeToString(sum[:])+".gz"), []byte("package b\n"), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		rec, err := recording.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		p := callstack.NewBuilder(callstack.ValueType{Type: "cpu", Unit: "nanoseconds"}).Profile()
		s := &Set{Name: path, Sources: []selection.Source{{Profile: p}}, Recordings: []*recording.Recording{rec}}
		text, err := s.Resolver("", "").Text(frame)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if doubts := strings.Join(text.Doubts, "; "); text.Lines[0] != c.line || text.Origin != c.origin || !strings.Contains(doubts, c.doubt) || c.doubt == "" && doubts != "" {
			t.Errorf("%s: %q from %s, doubts %q", c.name, text.Lines, text.Origin, doubts)
		}
		s.Close()
	}
}

// TestBuildOfTheProgram: what the go command wrote into the program counts
// wherever the program was found, and of another build it does not.
func TestBuildOfTheProgram(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	own, ok := debug.ReadBuildInfo()
	if !ok {
		t.Fatal("this test has no build info")
	}
	b := &Set{}
	defer b.Close()
	binary, err := b.open(self)
	if err != nil {
		t.Fatal(err)
	}
	for id, want := range map[string]string{binary.GoBuildID(): own.Path, "0123456789abcdef": "", "": ""} {
		p := callstack.NewBuilder(callstack.ValueType{Type: "cpu", Unit: "nanoseconds"}).Profile()
		p.Mappings = []callstack.Mapping{{File: self, BuildID: id}}
		s := &Set{Sources: []selection.Source{{Profile: p}}}
		got := ""
		if info := s.programInfo(); info != nil {
			got = info.Path
		}
		if got != want {
			t.Errorf("build id %q: build of %q, want %q", id, got, want)
		}
		s.Close()
	}
}
