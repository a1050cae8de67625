package prove

import (
	"testing"
	"testing/fstest"
)

func TestDigestOfData(t *testing.T) {
	tree := func(files ...string) fstest.MapFS {
		m := fstest.MapFS{"x_test.go": {Data: []byte("package x")}}
		for i := 0; i < len(files); i += 2 {
			m[files[i]] = &fstest.MapFile{Data: []byte(files[i+1])}
		}
		return m
	}
	seen := map[string]string{}
	for name, m := range map[string]fstest.MapFS{
		"none": tree(), "one": tree("testdata/a", "1"), "another content": tree("testdata/a", "2"), "another name": tree("testdata/b", "1"),
		"below": tree("testdata/c/a", "1"), "two": tree("testdata/a", "1", "testdata/b", "1"), "longer": tree("testdata/a", "11"),
	} {
		got := digest(m, "testdata")
		if was, ok := seen[got]; ok {
			t.Errorf("%s has the digest of %s", name, was)
		}
		seen[got] = name
		if again := digest(m, "testdata"); again != got {
			t.Errorf("%s: %s and then %s", name, got, again)
		}
	}
	if digest(tree(), "testdata") != "" || digest(tree("testdata/a", "1", "y", "z"), "testdata") != digest(tree("testdata/a", "1"), "testdata") {
		t.Error("what lies elsewhere is in the digest")
	}
}
