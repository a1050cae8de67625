//go:build unix

package recording

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestMode: nobody but its owner may look into a recording, while it is written
// and when it is whole.
func TestMode(t *testing.T) {
	w, err := Create(filepath.Join(t.TempDir(), "a.whet"), time.Unix(1, 0))
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Write(Artifact{Path: "target/out.txt", Kind: "output"}, []byte("x")); err != nil {
		t.Fatal(err)
	}
	check := func(dir string) {
		t.Helper()
		for _, name := range []string{dir, filepath.Join(dir, "target")} {
			if st, err := os.Stat(name); err != nil || st.Mode().Perm() != 0o700 {
				t.Errorf("%s: %v, %v, want mode 0700", filepath.Base(name), st.Mode(), err)
			}
		}
	}
	check(w.Dir())
	name, err := w.Finish(0, "")
	if err != nil {
		t.Fatal(err)
	}
	check(name)
}

// TestLinksInARecording: a recording may come from anywhere, and its files may
// be links to what is none of it.
func TestLinksInARecording(t *testing.T) {
	dir := t.TempDir()
	secret := filepath.Join(dir, "secret")
	if err := os.WriteFile(secret, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, target := range []string{secret, "../../secret"} {
		w, err := Create(filepath.Join(dir, "a.whet"), time.Unix(1, 0))
		if err != nil {
			t.Fatal(err)
		}
		a := Artifact{Path: "profiles/cpu.pb.gz", Kind: KindCPU}
		// The sum is that of the file the link leads to: no other check fails.
		if err := w.Write(a, []byte("secret")); err != nil {
			t.Fatal(err)
		}
		if err := w.AddSource(Source{Frame: "x.go", Path: "x.go"}, []byte("secret")); err != nil {
			t.Fatal(err)
		}
		name, err := w.Finish(0, "")
		if err != nil {
			t.Fatal(err)
		}
		r, err := Open(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range []string{a.Path, r.Sources[0].file()} {
			file = filepath.Join(name, filepath.FromSlash(file))
			if err := os.Remove(file); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(target, file); err != nil {
				t.Fatal(err)
			}
		}
		if data, err := r.Read(r.Artifacts[0]); err == nil {
			t.Errorf("%s: a profile that is a link gives %q", target, data)
		}
		if data, _, err := r.Source("x.go"); err == nil {
			t.Errorf("%s: a source that is a link gives %q", target, data)
		}
		r.Close()
	}
}
