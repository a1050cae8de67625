package cli

import (
	"runtime/debug"
	"testing"
)

func TestBuiltOutsideOfARepository(t *testing.T) {
	got := Built("devel", &debug.BuildInfo{GoVersion: "go1.26.8", Settings: []debug.BuildSetting{{Key: "GOOS", Value: "linux"}, {Key: "GOARCH", Value: "arm64"}}})
	if want := "whet devel\nrevision unknown\nbuilt with go1.26.8 for linux/arm64\n"; got != want {
		t.Errorf("it says %q, want %q", got, want)
	}
}
