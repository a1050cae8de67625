package gobench

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What cannot be read of a build, or is not understood, is an error.
func TestObjectsAreUnknown(t *testing.T) {
	target := &Target{ImportPath: "example.org/p"}
	with := func(lists ...string) *Binary {
		work := t.TempDir()
		for i, list := range lists {
			name := filepath.Join(work, "go-build1", "b00"+string(rune('1'+i)), "importcfg.link")
			if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(name, []byte(list), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		return &Binary{Target: target, work: work}
	}
	const good = "packagefile example.org/p.test=/c/1-d\npackagefile runtime=/c/2-d\nmodinfo \"x\"\n"
	if o, err := with(good).Objects(); err != nil || len(o) != 2 || o["main"] != "/c/1-d" || o["runtime"] != "/c/2-d" {
		t.Errorf("%v, %v", o, err)
	}
	covered := with(good)
	covered.Cover = true
	for name, c := range map[string]struct {
		binary *Binary
		want   string
	}{
		"no build":          {&Binary{Target: target}, "its build is unknown"},
		"-cover":            {covered, "-cover"},
		"no list":           {with(), "0 programs"},
		"two lists":         {with(good, good), "2 programs"},
		"nothing":           {with(""), "there is none"},
		"another program":   {with("packagefile runtime=/c/2-d\n" + good), `"runtime" is not the test program`},
		"a package twice":   {with(good + "packagefile runtime=/c/3-d\n"), `the line of "runtime"`},
		"the program twice": {with(good + "packagefile main=/c/3-d\n"), `the line of "main"`},
		"no file":           {with(good + "packagefile fmt=\n"), `the line of "fmt"`},
		"no separator":      {with(good + "packagefile fmt\n"), `the line of "fmt"`},
		"shared libraries":  {with(good + "packageshlib runtime=/libstd.so\n"), `"packageshlib" is not understood`},
		"too long":          {with(good + strings.Repeat("#\n", maxImportcfg/2)), "too long"},
	} {
		if o, err := c.binary.Objects(); err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "example.org/p") {
			t.Errorf("%s: %v, %v", name, o, err)
		}
	}
}

// FuzzReadImportcfg: each object is one line of the list, under its own name but for the
// program.
func FuzzReadImportcfg(f *testing.F) {
	f.Add("packagefile p.test=/a\npackagefile runtime=/b\nmodinfo \"x\"\n")
	f.Add("# comment\n\npackagefile p.test=/a=b\r\n")
	f.Fuzz(func(t *testing.T, text string) {
		objects, err := readImportcfg(text, "p.test")
		if err != nil {
			return
		}
		for path, file := range objects {
			if path == "main" {
				path = "p.test"
			}
			if !strings.Contains(text, "packagefile "+path+"="+file) {
				t.Errorf("%q has no %s=%s", text, path, file)
			}
		}
		if n := strings.Count(text, "packagefile "); len(objects) > n || objects["main"] == "" {
			t.Errorf("%d objects of %d lines", len(objects), n)
		}
	})
}

// A build that fails says why, and not where the go command worked; what it made is
// in that place.
func TestWorkIsKept(t *testing.T) {
	if testing.Short() {
		t.Skip("builds test binaries")
	}
	dir, work := t.TempDir(), filepath.Join(t.TempDir(), "work")
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("go.mod", "module example.org/p\n\ngo 1.26\n")
	write("p_test.go", "package p\n\nimport \"testing\"\n\nfunc BenchmarkX(b *testing.B) {}\n")
	o := BuildOptions{Flags: []string{"-trimpath"}, Work: work}
	target, err := Resolve(context.Background(), dir, ".", o)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second finds the directory full
		b, err := Build(context.Background(), target, o, filepath.Join(t.TempDir(), "p.test"))
		if err != nil {
			t.Fatal(err)
		}
		objects, err := b.Objects()
		if err != nil || len(objects) < 50 {
			t.Fatalf("%d objects, %v", len(objects), err)
		}
		for path, file := range objects {
			if data, err := os.ReadFile(file); err != nil || !strings.HasPrefix(string(data), "!<arch>\n") {
				t.Errorf("%s is no archive: %v", path, err)
			}
		}
	}
	write("p_test.go", "package p\n\nfunc x() int {}\n")
	_, err = Build(context.Background(), target, o, filepath.Join(t.TempDir(), "p.test"))
	if e, ok := errors.AsType[*Error](err); !ok || e.Kind != KindCompile || strings.Contains(e.Text+e.Detail, "WORK=") || !strings.Contains(e.Text, "missing return") {
		t.Errorf("%v", err)
	}
}
