package selection

import (
	"runtime"
	"strings"
	"testing"
)

// TestTrimPath are pprof's own examples of how it shortens names.
func TestTrimPath(t *testing.T) {
	for _, c := range []struct{ name, trim, path, want string }{
		{"foo.go", "", "", "foo.go"},
		{"/home/u/my-project/src/x.go", "", "/my/local/my-project", "src/x.go"},
		{"/home/u/my-project/src/x.go", "", "/a:/my/local/my-project", "src/x.go"},
		{"/home/u/my-project/src/x.go", "/home/u", "/my/local/my-project", "my-project/src/x.go"},
		{"/home/u/my-project/src/x.go", "/nowhere:/home/u/", "", "my-project/src/x.go"},
		{"/home/u2/x.go", "/home/u", "", "/home/u2/x.go"},
		{"/proc/self/cwd/x/y.go", "", "", "x/y.go"},
		{"/proc/self/cwd/./x/y.go", "", "", "x/y.go"},
	} {
		if runtime.GOOS == "windows" && strings.Contains(c.trim+c.path, ":") {
			continue // lists are separated by another sign there
		}
		if got := TrimPath(c.name, c.trim, c.path); got != c.want {
			t.Errorf("%+v: %q", c, got)
		}
	}
}
