package report

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the golden files in testdata")

// golden compares got with testdata/name; a missing file fails.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), string(got)); d != "" {
		t.Errorf("%s differs (-want +got); go test -update rewrites it:\n%s", path, d)
	}
}

func pages() map[string]*Page {
	return map[string]*Page{
		"visits": visitsPage(), "hostile": hostilePage(), "empty": emptyPage(), "quiet": quietPage(), "zero": {},
		"service": servicePage(), "program": programPage(), "courses": coursesPage(), "bare": barePage(),
	}
}

func html(t *testing.T, p *Page) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := WriteHTML(&b, p); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func text(t *testing.T, p *Page, o TextOptions) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := WriteText(&b, p, o); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
