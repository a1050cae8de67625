package benchmarks

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"testing/fstest"
)

func files(named ...string) fstest.MapFS {
	m := fstest.MapFS{"x_test.go": {Data: []byte("package x")}}
	for i := 0; i < len(named); i += 2 {
		m[named[i]] = &fstest.MapFile{Data: []byte(named[i+1])}
	}
	return m
}

// Whatever a benchmark may read makes another digest.
func TestDigestOfData(t *testing.T) {
	seen := map[string]string{}
	for name, m := range map[string]fstest.MapFS{
		"none": files(), "one": files("testdata/a", "1"), "another content": files("testdata/a", "2"), "another name": files("testdata/b", "1"),
		"below": files("testdata/c/a", "1"), "two": files("testdata/a", "1", "testdata/b", "1"), "longer": files("testdata/a", "11"),
		"beside": files("a", "1"), "in a directory": files("corpus/a", "1"), "source that is data": files("testdata/a.go", "1"),
	} {
		d := readData(m, ".")
		got := d.digest()
		if was, ok := seen[got]; ok {
			t.Errorf("%s has the digest of %s", name, was)
		}
		seen[got] = name
		if again := readData(m, "."); again.digest() != got || len(differing([2]data{again, d})) > 0 || d.cut {
			t.Errorf("%s: %s and then %s", name, got, again.digest())
		}
	}
	if readData(files(), ".").digest() != "" {
		t.Error("no file has a digest")
	}
}

// What the binary says, what git keeps and what belongs to another package is
// no data.
func TestWhatIsNoData(t *testing.T) {
	d := readData(files(".git/HEAD", "1", ".hidden", "2", "go.mod", "3", "x.go", "4", "sub/sub.go", "5", "sub/testdata/a", "6", "mod/go.mod", "7", "mod/a", "8"), ".")
	if len(d.files) != 0 {
		t.Errorf("data %v", d.files)
	}
}

func TestDataDiffers(t *testing.T) {
	old := readData(files("a", "1", "testdata/b", "2"), ".")
	for name, c := range map[string]struct {
		new  fstest.MapFS
		want []string
	}{
		"nothing":   {files("a", "1", "testdata/b", "2"), nil},
		"content":   {files("a", "1", "testdata/b", "3"), []string{"testdata/b"}},
		"one gone":  {files("testdata/b", "2"), []string{"a"}},
		"one more":  {files("a", "1", "testdata/a", "0", "testdata/b", "2"), []string{"testdata/a"}},
		"all other": {files("z", "1"), []string{"a", "testdata/b", "z"}},
	} {
		new := readData(c.new, ".")
		if got := differing([2]data{old, new}); !slices.Equal(got, c.want) || !slices.Equal(differing([2]data{new, old}), c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	// A test binary has no directory.
	if got := differing([2]data{{}, old}); len(got) != 2 || len(differing([2]data{})) > 0 {
		t.Errorf("beside nothing %q differ", got)
	}
}

// What a link leads to is read, and links without an end are not followed.
func TestLinkedDirectory(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links need a privilege")
	}
	var read [2]data
	for side, text := range []string{"1", "2"} {
		dir := t.TempDir()
		for name, text := range map[string]string{"p/p_test.go": "package p", "shared/corpus/a": text} {
			name = filepath.Join(dir, filepath.FromSlash(name))
			if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.Symlink(filepath.Join("..", "shared"), filepath.Join(dir, "p", "testdata")); err != nil {
			t.Fatal(err)
		}
		if read[side] = readData(os.DirFS(filepath.Join(dir, "p")), "."); read[side].cut {
			t.Errorf("cut: %v", read[side].files)
		}
		if err := os.Symlink("..", filepath.Join(dir, "shared", "up")); err != nil {
			t.Fatal(err)
		}
		if !readData(os.DirFS(filepath.Join(dir, "p")), ".").cut {
			t.Error("a link in a linked directory is not followed, and not said to be")
		}
	}
	if got := differing(read); !slices.Equal(got, []string{"testdata/corpus/a"}) {
		t.Errorf("%q differ", got)
	}
}
