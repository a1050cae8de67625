package dotwhet

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"whet/internal/recording"
)

func TestName(t *testing.T) {
	for _, tt := range []struct{ module, pkg, want string }{
		{"github.com/go-chi/chi/v5", "github.com/go-chi/chi/v5", "chi"},
		{"github.com/go-chi/chi/v5", "github.com/go-chi/chi/v5/middleware", "chi-middleware"},
		{"gopkg.in/yaml.v3", "gopkg.in/yaml.v3", "yaml"},
		{"whet", "whet/casebook/visits/original", "whet-casebook-visits-original"},
		{"v5", "v5", "v5"},
		{"std", "encoding/json", "encoding-json"},
		{"", "localhost:8080/hello", "localhost-8080-hello"},
		{"example.com/m", "example.com/m/a b", "m-a-b"},
		{"", "..", "recording"},
		{"", strings.Repeat("x", 300), strings.Repeat("x", 100)},
	} {
		if got := Name(tt.module, tt.pkg); got != tt.want {
			t.Errorf("Name(%q, %q) = %q, want %q", tt.module, tt.pkg, got, tt.want)
		}
	}
}

// module returns a module's root, with a cache directory of its own beside it.
func module(t *testing.T) (root string) {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"XDG_CACHE_HOME", "HOME", "LocalAppData"} {
		t.Setenv(name, filepath.Join(dir, "cache"))
	}
	root = filepath.Join(dir, "m")
	if err := os.MkdirAll(filepath.Join(root, "sub"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(root, "go.mod"), []byte("module example.com/m\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	return root
}

// record makes a recording as the verbs do, at a second; the user names it where
// out is not "".
func record(t *testing.T, dir, name, out string, second int64, partial string) string {
	t.Helper()
	path := out
	if out == "" {
		var err error
		if path, err = New(dir, name); err != nil {
			t.Fatal(err)
		}
		if !filepath.IsAbs(path) {
			path = filepath.Join(dir, path)
		}
	}
	w, err := recording.Create(path, time.Unix(second, 0))
	if err != nil {
		t.Fatal(err)
	}
	if out == "" {
		w.Manifest.DefaultName = name
	}
	got, err := w.Finish(1, partial)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(strings.TrimSuffix(got, Suffix)+".html", nil, 0o644); err != nil {
		t.Fatal(err)
	}
	return got
}

func place(t *testing.T, dir string) Dir {
	t.Helper()
	p, err := Of(dir)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestResolve(t *testing.T) {
	root := module(t)
	sub := filepath.Join(root, "sub")
	if _, err := place(t, sub).Resolve("@"); err == nil || err.Error() != "@: no recording here yet: whet tune makes one" {
		t.Errorf("@ of nothing: %v", err)
	}
	record(t, root, "chi", "", 1, "")
	record(t, sub, "chi-sub", "", 2, "")
	record(t, root, "chi", "", 3, "")
	record(t, root, "", filepath.Join(root, Suffix, "mine.whet"), 4, "")
	if err := os.Symlink(filepath.Join(root, Suffix, "mine.whet"), filepath.Join(root, Suffix, "link.whet")); err != nil {
		t.Skip(err)
	}
	for operand, want := range map[string]string{
		"@": "../.whet/mine.whet", "@1": "../.whet/mine.whet", "@2": "../.whet/chi-2.whet", "@4": "../.whet/chi.whet",
		"@chi": "../.whet/chi-2.whet", "@chi-2": "../.whet/chi-2.whet", "@chi-sub": "../.whet/chi-sub.whet", "@mine.whet": "../.whet/mine.whet",
		"./@": "./@", "x.whet": "x.whet",
	} {
		if got, err := place(t, sub).Resolve(operand); err != nil || filepath.ToSlash(got) != want {
			t.Errorf("%s is %q, %v, want %q", operand, got, err, want)
		}
	}
	for operand, want := range map[string]string{
		"@5": "@1 to @4 exist", "@0": "@1 to @4 exist", "@link": "no recording of that name here; want one of @mine, @chi, @chi-sub",
		"@a/b": "has no slash", "@../x": "has no slash",
	} {
		if got, err := place(t, sub).Resolve(operand); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s is %q, %v, want the error %q", operand, got, err, want)
		}
	}
	if data, err := os.ReadFile(filepath.Join(root, Suffix, ".gitignore")); err != nil || string(data) != "*\n" {
		t.Errorf(".gitignore is %q, %v", data, err)
	}
}

// TestTrim: what is whet's own goes, the oldest first, and nothing else.
func TestTrim(t *testing.T) {
	root := module(t)
	own := filepath.Join(root, Suffix)
	for i := range int64(6) {
		record(t, root, "chi", "", i, "") // chi, chi-2 … chi-6
	}
	record(t, root, "cut", "", 0, "interrupted")
	record(t, root, "", filepath.Join(own, "mine.whet"), 0, "")
	renamed := record(t, root, "old", "", 0, "")
	if err := os.Rename(renamed, filepath.Join(own, "better.whet")); err != nil {
		t.Fatal(err)
	}
	read, err := recording.Open(filepath.Join(own, "chi-2.whet"))
	if err != nil {
		t.Fatal(err)
	}
	names := func() string {
		t.Helper()
		entries, err := os.ReadDir(own)
		if err != nil {
			t.Fatal(err)
		}
		var out []string
		for _, e := range entries {
			out = append(out, e.Name())
		}
		return strings.Join(out, " ")
	}
	var said bytes.Buffer
	if err := place(t, root).Trim(2, &said); err != nil {
		t.Fatal(err)
	}
	const kept = "better.whet chi-2.html chi-2.whet chi-5.html chi-5.whet chi-6.html chi-6.whet cut.html cut.whet mine.html mine.whet old.html"
	if got := names(); got != ".gitignore "+kept {
		t.Errorf("left are %s", got)
	}
	if got := said.String(); strings.Count(got, "\n") != 3 || !strings.Contains(got, "removed "+filepath.Join(Suffix, "chi-4.whet")+": ") {
		t.Errorf("it says %q", got)
	}
	read.Close()
	if err := place(t, root).Trim(2, &said); err != nil || strings.Contains(names(), "chi-2.whet") {
		t.Errorf("one that nobody reads any more: %v, left are %s", err, names())
	}
	// A number is not given twice while newer ones are there.
	if got := filepath.Base(record(t, root, "chi", "", 9, "")); got != "chi-7.whet" {
		t.Errorf("the next one is %s", got)
	}
}

// TestNamesAtOnce: of two runs that end together neither takes the other's place.
func TestNamesAtOnce(t *testing.T) {
	root := module(t)
	path, err := New(root, "chi")
	if err != nil {
		t.Fatal(err)
	}
	got := make(chan string)
	const n = 8
	for i := range n {
		w, err := recording.Create(filepath.Join(root, path), time.Unix(int64(i), 0))
		if err != nil {
			t.Fatal(err)
		}
		w.Manifest.DefaultName = "chi"
		go func() {
			name, err := w.Finish(1, "")
			if err != nil {
				name = err.Error()
			}
			got <- filepath.Base(name)
		}()
	}
	seen := make(map[string]bool)
	for range n {
		seen[<-got] = true
	}
	for i := 2; i <= n; i++ {
		if !seen["chi.whet"] || !seen["chi-"+strconv.Itoa(i)+".whet"] {
			t.Fatalf("the names are %v", seen)
		}
	}
}

// TestMake: where recordings go when .whet cannot take them.
func TestMake(t *testing.T) {
	root := module(t)
	own := filepath.Join(root, Suffix)
	if err := os.WriteFile(own, []byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}
	if got, err := New(root, "chi"); err == nil || !strings.Contains(err.Error(), ".whet is not a directory") {
		t.Errorf("%q, %v", got, err)
	}
	if err := os.Remove(own); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(t.TempDir(), own); err != nil {
		t.Skip(err)
	}
	if got, err := New(root, "chi"); err == nil || !strings.Contains(err.Error(), ".whet is a symbolic link") {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := place(t, root).Resolve("@"); err == nil || !strings.Contains(err.Error(), ".whet is a symbolic link") {
		t.Errorf("@ through a link: %v", err)
	}
	// Outside modules: the cache directory, whatever it is relative to.
	outside := t.TempDir()
	path, err := New(outside, "chi")
	if err != nil || !filepath.IsAbs(path) || filepath.Base(filepath.Dir(path)) != "no-module" {
		t.Fatalf("%q, %v", path, err)
	}
	record(t, outside, "chi", "", 1, "")
	if got, err := place(t, t.TempDir()).Resolve("@"); err != nil || got != path {
		t.Errorf("@ outside modules is %q, %v, want %q", got, err, path)
	}
}
