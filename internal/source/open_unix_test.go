//go:build unix

package source

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestLinksOut: a repository may hold links that are called as sources and lead
// to what is none. They are followed below the directory a file belongs to and
// no further.
func TestLinksOut(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, filepath.FromSlash(name)) }
	put := func(name, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(at(name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at(name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	link := func(target, name string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(at(name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(target, at(name)); err != nil {
			t.Fatal(err)
		}
	}
	const secret, text = "secret", "package p"
	put("secret", secret)
	put("secrets/more.go", secret)
	put("repo/go.mod", "module example.com/repo\n")
	put("repo/p/real.go", text)
	link("../p/real.go", "repo/q/inside.go")
	link("../p", "repo/r/p")
	link(at("secret"), "repo/p/absolute.go")
	link("../../secret", "repo/p/relative.go")
	link("../secrets", "repo/dir")
	put("bare/real.go", text)
	link("../secret", "bare/link.go")
	link("repo", "alias")
	put("cache/example.com/m@v1.0.0/real.go", text)
	link(at("secret"), "cache/example.com/m@v1.0.0/link.go")
	put("goroot-real/fmt/print.go", text)
	link("../goroot-real", "goroot/src") // as Debian has it

	user := Options{Dir: at("repo"), GOROOT: at("goroot"), GOMODCACHE: at("cache")}
	onPath := Options{SourcePath: at("repo/p")}
	trimmed := Options{TrimPath: "/build"}
	for _, test := range []struct {
		name, file string
		o          Options
		readable   bool
	}{
		{"a file of the module", at("repo/p/real.go"), user, true},
		{"a link inside of the module", at("repo/q/inside.go"), user, true},
		{"a linked directory inside of the module", at("repo/r/p/real.go"), user, true},
		{"of a module that a link leads to", at("alias/p/real.go"), Options{}, true},
		{"without a module", at("bare/real.go"), Options{}, true},
		{"the standard library below a link", "fmt/print.go", user, true},
		{"the same by its whole name", at("goroot/src/fmt/print.go"), user, true},
		{"the module cache", "example.com/m@v1.0.0/real.go", user, true},
		{"-source_path", "real.go", onPath, true},
		{"above -source_path", "q/inside.go", onPath, true},

		{"an absolute link", at("repo/p/absolute.go"), user, false},
		{"a relative link", at("repo/p/relative.go"), user, false},
		{"a linked directory", at("repo/dir/more.go"), user, false},
		{"seen from elsewhere", at("repo/p/relative.go"), Options{}, false},
		{"by the module's path", "example.com/repo/p/absolute.go", user, false},
		{"a link without a module", at("bare/link.go"), Options{}, false},
		{"through the alias", at("alias/p/relative.go"), Options{}, false},
		{"a link in the module cache", "example.com/m@v1.0.0/link.go", user, false},
		{"a link on -source_path", "absolute.go", onPath, false},
		{"a link above -source_path", "p/relative.go", onPath, false},
		{"a link by -trim_path", "/build" + at("repo/p/relative.go"), trimmed, false},
	} {
		got, err := New(test.o).Text(test.file)
		switch {
		case test.readable && (err != nil || strings.Join(got.Lines, "\n") != text):
			t.Errorf("%s: %+v, %v", test.name, got, err)
		case !test.readable && err == nil:
			t.Errorf("%s: it shows %q", test.name, got.Lines)
		}
	}

	_, err := New(user).Text(at("repo/p/absolute.go"))
	if err == nil || !strings.Contains(err.Error(), "link") {
		t.Errorf("the error does not say that links are not followed: %v", err)
	}
	if _, ok := New(user).Find(at("repo/p/absolute.go")); ok {
		t.Error("a link that leads out is found")
	}
}
