package cli

import (
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
)

// A program that was built here says of itself what go version -m and git say.
func TestBuilt(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and starts programs")
	}
	program := filepath.Join(t.TempDir(), "whet.exe")
	if out, err := exec.Command("go", "build", "-o", program, "whet/cmd/whet").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	out, err := exec.Command(program, "version").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	facts, err := exec.Command("go", "version", "-m", program).Output()
	if err != nil {
		t.Fatal(err)
	}
	settings := make(map[string]string)
	for line := range strings.Lines(string(facts)) {
		if f := strings.Fields(line); len(f) == 2 && f[0] == "build" {
			key, value, _ := strings.Cut(f[1], "=")
			settings[key] = value
		}
	}
	lines := strings.Split(string(out), "\n")
	if len(lines) < 4 || !strings.HasPrefix(lines[0], "whet ") {
		t.Fatalf("it says %q", out)
	}
	revision := "revision unknown"
	if settings["vcs.revision"] != "" {
		revision = "revision " + settings["vcs.revision"] + " of " + settings["vcs.time"]
	}
	if settings["vcs.modified"] == "true" {
		revision += ", changed since"
	}
	if lines[1] != revision {
		t.Errorf("it says %q, want %q", lines[1], revision)
	}
	if want := "built with " + runtime.Version() + " for " + runtime.GOOS + "/" + runtime.GOARCH; lines[2] != want {
		t.Errorf("it says %q, want %q", lines[2], want)
	}
}

func TestBuiltOutsideOfARepository(t *testing.T) {
	got := Built("devel", &debug.BuildInfo{GoVersion: "go1.26.8", Settings: []debug.BuildSetting{{Key: "GOOS", Value: "linux"}, {Key: "GOARCH", Value: "arm64"}}})
	if want := "whet devel\nrevision unknown\nbuilt with go1.26.8 for linux/arm64\n"; got != want {
		t.Errorf("it says %q, want %q", got, want)
	}
}
