package sides

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"whet/internal/gobench"
)

func TestSplitTags(t *testing.T) {
	for _, tt := range []struct{ flags, rest, tags []string }{
		{nil, nil, nil},
		{[]string{"-race", "-tags=a,b", "-tags", "c", "--tags=d"}, []string{"-race"}, []string{"a,b", "c", "d"}},
		{[]string{"-tags="}, nil, nil},
		{[]string{"-tags"}, nil, nil},
		{[]string{"-tagsx=1", "-v"}, []string{"-tagsx=1", "-v"}, nil},
	} {
		rest, tags := splitTags(tt.flags)
		if d := cmp.Diff([][]string{tt.rest, tt.tags}, [][]string{rest, tags}); d != "" {
			t.Errorf("%q: %s", tt.flags, d)
		}
	}
}

// A profile is found where the user sees it, not in the copy.
func TestUserFiles(t *testing.T) {
	dir := t.TempDir()
	p := &Pair{o: Options{Dir: dir}}
	in := []string{"-pgo=cpu.pprof", "-pgo=off", "-pgo=auto", "-pgo", "cpu.pprof", "-pgo=" + filepath.Join(dir, "x"), "-gcflags=-pgo=y", "--pgo=z"}
	want := []string{"-pgo=" + filepath.Join(dir, "cpu.pprof"), "-pgo=off", "-pgo=auto", "-pgo", filepath.Join(dir, "cpu.pprof"),
		"-pgo=" + filepath.Join(dir, "x"), "-gcflags=-pgo=y", "--pgo=" + filepath.Join(dir, "z")}
	got, err := p.userFiles(in)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if in[0] != "-pgo=cpu.pprof" {
		t.Error("the user's flags were changed")
	}
	if _, err := p.userFiles([]string{"-overlay", "x.json"}); err == nil {
		t.Error("-overlay was accepted")
	}
}

func TestFull(t *testing.T) {
	onDisk := fmt.Errorf("copy a.go: %w", &fs.PathError{Op: "write", Path: "/tmp/x/a.go", Err: syscall.ENOSPC})
	for _, err := range []error{onDisk, errors.New("check out 123: unable to write file a.go: No space left on device")} {
		var e *gobench.Error
		if got := full(err, "/tmp"); !errors.As(got, &e) || e.Kind != gobench.KindFailed || !strings.HasSuffix(e.Text, ": free space in /tmp, or set TMPDIR to a directory with more") {
			t.Errorf("%v becomes %v", err, got)
		}
	}
	told := &gobench.Error{Kind: gobench.KindCompile, Text: "no space left on device: make room"}
	for _, err := range []error{nil, fs.ErrPermission, told} {
		if got := full(err, "/tmp"); got != err {
			t.Errorf("%v becomes %v", err, got)
		}
	}
}

func TestPairBy(t *testing.T) {
	of := func(paths ...string) (out []*gobench.Target) {
		for _, p := range paths {
			out = append(out, &gobench.Target{ImportPath: p})
		}
		return out
	}
	pairs, only := pairBy(of("c", "a", "b"), of("x", "b", "c"), func(t *gobench.Target) string { return t.ImportPath })
	var got []string
	for _, p := range pairs {
		got = append(got, p[0].ImportPath+p[1].ImportPath)
	}
	if d := cmp.Diff([]string{"bb", "cc"}, got); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([2][]string{{"a"}, {"x"}}, only); d != "" {
		t.Error(d)
	}
}

// Links are told apart by where they lead to, and what cannot be read is like
// nothing on the other side.
func TestContents(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links need a privilege")
	}
	tree := func(link, text string, mode os.FileMode) fs.FS {
		dir := t.TempDir()
		for _, d := range []string{"a", "b"} {
			if err := os.Mkdir(filepath.Join(dir, d), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.WriteFile(filepath.Join(dir, "a", "file"), []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		for name, to := range map[string]string{"dir": link, "file": filepath.Join(link, "file"), "none": "nowhere"} {
			if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
				t.Fatal(err)
			}
		}
		return os.DirFS(dir)
	}
	base := contents(tree("a", "1", 0o600), "old")
	if len(base) != 4 {
		t.Errorf("%v", base)
	}
	for _, c := range []struct {
		other fs.FS
		want  []string
	}{
		{tree("a", "1", 0o644), nil},
		{tree("b", "1", 0o600), []string{"dir", "file"}},
		{tree("a", "2", 0o600), []string{"a/file", "file"}},
		{tree("a", "1", 0o700), []string{"a/file", "file"}},
	} {
		var got []string
		for name, content := range contents(c.other, "new") {
			if base[name] != content {
				got = append(got, name)
			}
		}
		slices.Sort(got)
		if d := cmp.Diff(c.want, got); d != "" {
			t.Error(d)
		}
	}
	locked := lockedFS{fstest.MapFS{"x": {}}}
	if a, b := contents(locked, "old"), contents(locked, "new"); len(a) != 1 || a["x"] == b["x"] {
		t.Errorf("%v and %v", a, b)
	}
}

// lockedFS is a file system of whose files none can be opened.
type lockedFS struct{ fs.FS }

func (l lockedFS) Open(name string) (fs.File, error) {
	if name == "." {
		return l.FS.Open(name)
	}
	return nil, fs.ErrPermission
}
