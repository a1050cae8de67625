package recording

import "testing"

// What only a line directive names is called as its neighbours are, and every file that
// has a copy by the name that the copy has.
func TestRoots(t *testing.T) {
	sources := []Source{
		{Frame: "/tmp/x-1/build/build/lex.go", Path: "build/lex.go", Module: "example.com/tools"},
		{Frame: "/tmp/x-1/build/nested/a.go", Path: "a.go", Module: "example.com/tools/nested"},
		{Frame: "/usr/lib/go/src/net/parse.go", Path: "$GOROOT/src/net/parse.go", Module: "std"},
		{Frame: "/home/u/go/pkg/mod/example.com/m@v1.2.0/x.go", Path: "example.com/m@v1.2.0/x.go", Module: "example.com/m"},
		{Frame: "example.com/trimmed/b/b.go", Path: "b/b.go", Module: "example.com/trimmed"},
		{Frame: "odd.go", Path: "odd.go"},
	}
	roots := RootsOf(sources)
	for _, s := range sources {
		if got := roots.Display(s.Frame); got != s.Path {
			t.Errorf("%s is %s, its copy %s", s.Frame, got, s.Path)
		}
	}
	for file, want := range map[string]string{
		"/tmp/x-1/build/yaccpar":                        "yaccpar",
		"/tmp/x-1/build/build/yaccpar":                  "build/yaccpar",
		"/tmp/x-1/build/nested/yaccpar":                 "yaccpar",
		"/tmp/x-1/builder/yaccpar":                      "/tmp/x-1/builder/yaccpar",
		"/usr/lib/go/src/net/http/server.go":            "$GOROOT/src/net/http/server.go",
		"/home/u/go/pkg/mod/example.com/n@v1.0.0/y.tpl": "example.com/n@v1.0.0/y.tpl",
		"example.com/trimmed/b/yaccpar":                 "b/yaccpar",
		"yaccpar":                                       "yaccpar",
	} {
		if got := roots.Display(file); got != want {
			t.Errorf("%s is %s, want %s", file, got, want)
		}
	}
}
