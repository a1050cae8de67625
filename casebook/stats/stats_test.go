package stats

import (
	"strings"
	"testing"
)

func TestEndpoint(t *testing.T) {
	long := strings.Repeat("x", MaxEndpoint)
	for path, want := range map[string]string{
		"/advance": "advance", "/advance/": "advance", "/advance//": "advance", "/advance/a": "a", "/advance/a/b c/": "b c",
		"/advance/advance": "advance", "/advance/" + long: long, "/advance/" + long + "/x": "x", "/advance/.": ".", "/advance/é": "é",
	} {
		if got, ok := Endpoint(path); got != want || !ok {
			t.Errorf("Endpoint(%q) is %q and %v, want %q", path, got, ok, want)
		}
	}
	for _, path := range []string{"", "/", "advance", "/simple", "/advancex", "/advance.html", "/x/advance", "/ADVANCE", "/advance/x" + long, "//advance"} {
		if _, ok := Endpoint(path); ok {
			t.Errorf("%q is counted", path)
		}
	}
}
