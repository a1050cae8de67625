//go:build unix

package main

import (
	"bytes"
	"debug/buildinfo"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// when the copies are committed.
const when = "2026-01-02T03:04:05Z"

// copyTree copies what whet is built of, as it stands, and commits it: the same
// commit whenever and wherever.
func copyTree(t *testing.T, to string) {
	t.Helper()
	root := filepath.Join("..", "..")
	err := fs.WalkDir(os.DirFS(root), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if slices.Contains([]string{"testdata", "fixtures", ".git", ".whet"}, d.Name()) || slices.Contains([]string{"casebook", "bench", "docs", "bin"}, name) {
				return fs.SkipDir
			}
			return os.MkdirAll(filepath.Join(to, name), 0o755)
		}
		// The file .git of a work tree leads to the repository that it is of.
		if strings.HasSuffix(name, "_test.go") || !d.Type().IsRegular() || d.Name() == ".git" {
			return nil
		}
		data, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, name), data, 0o644)
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"init", "-q"}, {"add", "."},
		{"-c", "user.name=x", "-c", "user.email=x@example.com", "-c", "commit.gpgsign=false", "commit", "-q", "--no-verify", "-m", "tree"},
	} {
		cmd := exec.CommandContext(t.Context(), "git", args...)
		cmd.Dir = to
		cmd.Env = append(os.Environ(), "GIT_AUTHOR_DATE="+when, "GIT_COMMITTER_DATE="+when, "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %q: %v\n%s", args, err, out)
		}
	}
}

// TestRelease builds whet twice as make release does, in two directories and with
// other settings around: the programs are the same, byte for byte, and say which
// revision they are of.
func TestRelease(t *testing.T) {
	if testing.Short() {
		t.Skip("builds programs")
	}
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not there")
	}
	var built [2][]byte
	var sums [2][]byte
	for i, env := range [][]string{{"GOFLAGS=", "TZ=UTC"}, {"GOFLAGS=-race", "GOAMD64=v2", "TZ=Asia/Tokyo"}} {
		dir := filepath.Join(t.TempDir(), strings.Repeat("deeper/", i)+"tree")
		copyTree(t, dir)
		cmd := exec.CommandContext(t.Context(), "make", "-s", "release", "RELEASES="+runtime.GOOS+"/"+runtime.GOARCH)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), env...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		program := filepath.Join(dir, "bin", "release", "whet-"+runtime.GOOS+"-"+runtime.GOARCH)
		var err error
		if built[i], err = os.ReadFile(program); err != nil {
			t.Fatal(err)
		}
		if sums[i], err = os.ReadFile(filepath.Join(dir, "bin", "release", "SHA256SUMS")); err != nil {
			t.Fatal(err)
		}
		head, err := exec.CommandContext(t.Context(), "git", "-C", dir, "rev-parse", "HEAD").Output()
		if err != nil {
			t.Fatal(err)
		}
		info, err := buildinfo.ReadFile(program)
		if err != nil {
			t.Fatal(err)
		}
		said, err := exec.CommandContext(t.Context(), program, "version").Output()
		if err != nil {
			t.Fatal(err)
		}
		want := fmt.Sprintf("whet %s\nrevision %s of %s\nbuilt with %s for %s/%s\nagent version ",
			info.Main.Version, strings.TrimSpace(string(head)), when, info.GoVersion, runtime.GOOS, runtime.GOARCH)
		if !strings.HasPrefix(string(said), want) {
			t.Errorf("it says %q, want %q", said, want)
		}
		if bytes.Contains(built[i], []byte(dir)) {
			t.Error("it names the directory that it was built in")
		}
	}
	if !bytes.Equal(built[0], built[1]) || !bytes.Equal(sums[0], sums[1]) {
		t.Errorf("two builds of one revision differ: %s%s", sums[0], sums[1])
	}
}
