package program

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"whet/internal/gobench"
	"whet/internal/recording"
)

// module makes the files of a testdata module in a new directory. There they
// carry the ending .txt, so that they are no part of ours; their names begin
// with "//FILE " lines of one text, to be read in one piece.
func module(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name+".txt"))
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), name)
	for part := range strings.SplitSeq("\n"+string(data), "\n//FILE ") {
		file, text, ok := strings.Cut(part, "\n")
		if !ok || file == "" {
			continue // the note above the first
		}
		put(t, filepath.Join(dir, filepath.FromSlash(file)), text+"\n")
	}
	return dir
}

func put(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// tree is all that can be seen of a directory: names, modes, times, contents.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	seen := map[string]string{}
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		st, err := d.Info()
		if err != nil {
			return err
		}
		text := fmt.Sprint(st.Mode(), st.ModTime())
		if d.Type().IsRegular() {
			data, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			text += fmt.Sprintf(" %x", sha256.Sum256(data))
		}
		seen[name] = text
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return seen
}

// build resolves and builds, and holds the build to leaving everything in root
// as it was, and nothing in the directory for temporary files.
func build(t *testing.T, root, dir, operand string, o gobench.BuildOptions) *gobench.Binary {
	t.Helper()
	before := tree(t, root)
	target, err := gobench.Resolve(t.Context(), dir, operand, o)
	if err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "program")
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	t.Setenv("TMP", temporary) // of Windows
	b, err := Build(t.Context(), target, o, out)
	if err != nil {
		var e *gobench.Error
		if errors.As(err, &e) {
			t.Fatalf("%v\n%s", err, e.Detail)
		}
		t.Fatal(err)
	}
	if after := tree(t, root); !maps.Equal(before, after) {
		t.Errorf("building %s changed its tree:\n%v\n%v", operand, before, after)
	}
	if left := tree(t, temporary); len(left) != 1 {
		t.Errorf("building %s left %v", operand, left)
	}
	return b
}

// runResult is the result of one run of a program.
type runResult struct {
	stdout, stderr string
	code           int
	manifest       Manifest
	missing        error // of Read
	started        bool
}

// run runs a program with an agent of its own.
func run(t *testing.T, b *gobench.Binary, args ...string) runResult {
	t.Helper()
	a, err := NewAgent(Options{Continuous: true, Trace: true, BlockRate: 10_000, MutexFraction: 10})
	if err != nil {
		t.Fatal(err)
	}
	r := start(t, b, []string{a.Env()}, args...)
	r.manifest, r.missing = a.Read()
	r.started = a.Started()
	if err := a.Remove(); err != nil {
		t.Error(err)
	}
	return r
}

// start runs a program with more in its environment.
func start(t *testing.T, b *gobench.Binary, env []string, args ...string) runResult {
	t.Helper()
	c := exec.CommandContext(t.Context(), b.Path, args...)
	c.Env = append(os.Environ(), env...)
	c.Dir = t.TempDir()
	var stdout, stderr strings.Builder
	c.Stdout, c.Stderr = &stdout, &stderr
	err := c.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return runResult{stdout: stdout.String(), stderr: stderr.String(), code: c.ProcessState.ExitCode()}
}

// wantAgent holds a run to having had its agent to the end that is named.
func (r runResult) wantAgent(t *testing.T, what, ended string) {
	t.Helper()
	m := r.manifest
	if r.missing != nil {
		t.Errorf("%s: %v\n%s", what, r.missing, r.stderr)
		return
	}
	if m.Ended != ended || m.GoVersion != runtime.Version() || m.PID <= 0 || m.GOMAXPROCS <= 0 || !r.started {
		t.Errorf("%s: ended %q: %+v", what, ended, m)
	}
	var kinds []string
	for _, f := range m.Files {
		kinds = append(kinds, f.Kind)
		if f.EndNs > m.EndNs && ended == EndedRunning {
			t.Errorf("%s: %s ends at %d ns, the agent at %d", what, f.Name, f.EndNs, m.EndNs)
		}
	}
	whole := []string{recording.KindCPU, recording.KindAllocs, recording.KindHeap, recording.KindBlock, recording.KindMutex,
		recording.KindGoroutine, recording.KindThreads, recording.KindTrace, recording.KindMetrics}
	if ended == EndedRunning {
		whole = whole[len(whole)-1:] // the rows, from the start
	}
	for _, k := range whole {
		if !slices.Contains(kinds, k) {
			t.Errorf("%s: there is no %s among %q", what, k, kinds)
		}
	}
	if len(m.Warnings) > 0 {
		t.Errorf("%s: the agent warns: %q", what, m.Warnings)
	}
}

// skip skips a test, except in CI, where nothing may be missing.
func skip(t *testing.T, why string) {
	t.Helper()
	if os.Getenv("CI") != "" {
		t.Fatal(why)
	}
	t.Skip(why)
}
