package report

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

func loadHTML(t *testing.T, p *Load) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := WriteLoadHTML(&b, p); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestDump(t *testing.T) {
	for name, p := range loadPages() {
		doc := loadHTML(t, p)
		t.Log(name, len(doc))
		os.WriteFile(filepath.Join("/tmp/F", name+".html"), doc, 0o644)
	}
}
