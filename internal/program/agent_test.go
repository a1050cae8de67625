package program

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"
)

func TestAgent(t *testing.T) {
	a, err := NewAgent(Options{Serve: true, Trace: true, BlockRate: 10 * time.Microsecond, MutexFraction: 10, MemProfileRate: 4096})
	if err != nil {
		t.Fatal(err)
	}
	st, err := os.Lstat(a.Dir())
	if err != nil || !st.IsDir() || runtime.GOOS != "windows" && st.Mode().Perm() != 0o700 {
		t.Errorf("the directory: %v, %v", st, err)
	}
	text, ok := strings.CutPrefix(a.Env(), "WHET_AGENT=")
	var got map[string]any
	if err := json.Unmarshal([]byte(text), &got); err != nil || !ok {
		t.Fatalf("%q: %v", a.Env(), err)
	}
	// The keys are those that agent/environment.go reads.
	want := map[string]any{
		"dir": a.Dir(), "token": a.Token(), "serve": true, "continuous": false, "trace": true,
		"block_rate_ns": 10000.0, "mutex_fraction": 10.0, "mem_profile_rate": 4096.0,
	}
	for k, v := range want {
		if got[k] != v {
			t.Errorf("%s is %v, want %v", k, got[k], v)
		}
	}
	if len(got) != len(want) || strings.ContainsAny(a.Env(), "\n\x00") {
		t.Errorf("environment %q", a.Env())
	}
	if !filepath.IsAbs(a.Dir()) || a.Socket() != filepath.Join(a.Dir(), "s") || len(a.Socket()) > 103 {
		t.Errorf("socket %s", a.Socket())
	}
	if a.Started() {
		t.Error("started before anything was")
	}
	if _, err := a.Read(); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "never started") {
		t.Errorf("nothing written: %v", err)
	}
	if err := os.Remove(filepath.Join(a.Dir(), ticket)); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Read(); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "the program ended before the agent wrote any") || !a.Started() {
		t.Errorf("started, nothing written: %v", err)
	}

	b, err := NewAgent(Options{})
	if err != nil {
		t.Fatal(err)
	}
	if b.Token() == a.Token() || b.Dir() == a.Dir() || !regexp.MustCompile(`^[0-9a-f]{32}$`).MatchString(b.Token()) {
		t.Errorf("tokens %s and %s, directories %s and %s", a.Token(), b.Token(), a.Dir(), b.Dir())
	}
	for _, x := range []*Agent{a, b} {
		if err := x.Remove(); err != nil {
			t.Error(err)
		}
		if _, err := os.Lstat(x.Dir()); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("removed: %v", err)
		}
		if _, err := x.Read(); err == nil {
			t.Error("read from a directory that is gone")
		}
	}
}

func TestAgentRefuses(t *testing.T) {
	for _, o := range []Options{{BlockRate: -1}, {MutexFraction: -1}, {MemProfileRate: -1}} {
		if a, err := NewAgent(o); err == nil {
			t.Errorf("%+v: %s", o, a.Dir())
		}
	}
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "none"))
	t.Setenv("TMP", filepath.Join(t.TempDir(), "none"))
	if a, err := NewAgent(Options{}); err == nil || !strings.HasSuffix(err.Error(), "set TMPDIR to a writable directory") {
		t.Errorf("no TMPDIR: %v, %v", a, err)
	}
}

// A socket's path is bounded by the system, TMPDIR's is not.
func TestAgentInLongTMPDIR(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no /tmp to go to, and says so")
	}
	long := filepath.Join(t.TempDir(), strings.Repeat("x", 120))
	if err := os.Mkdir(long, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TMPDIR", long)
	a, err := NewAgent(Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Remove()
	if len(a.Socket()) > 103 {
		t.Errorf("socket %s", a.Socket())
	}
	if left, err := os.ReadDir(long); err != nil || len(left) != 0 {
		t.Errorf("left in TMPDIR: %v, %v", left, err)
	}
}
