package sides

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

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
