package pagetest

import (
	"bytes"
	"compress/gzip"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"whet/internal/printable"
	"whet/internal/report/page"
)

// CheckTerminal: no line is wider than the terminal, and nothing in it moves the
// cursor or reorders text.
func CheckTerminal(t *testing.T, text string, width int) {
	t.Helper()
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		if page.Cells(line) > width {
			t.Errorf("%d columns: %q", page.Cells(line), line)
		}
		if strings.ContainsFunc(line, printable.Hidden) {
			t.Errorf("unprintable: %q", line)
		}
	}
}

var update = flag.Bool("update", false, "rewrite the golden files in testdata")

// Golden compares got with testdata/name; a missing file fails. Pages and pictures,
// which repeat themselves, are packed: testdata/name.gz.
func Golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	packed := strings.HasSuffix(name, ".html") || strings.HasSuffix(name, ".svg")
	if packed {
		path += ".gz"
	}
	want, err := os.ReadFile(path)
	if err == nil && packed {
		want, err = unpack(want)
	}
	if *update {
		if err == nil && bytes.Equal(want, got) {
			return // packed otherwise it would be another file
		}
		data := got
		if packed {
			data = pack(got)
		}
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), string(got)); d != "" {
		t.Errorf("%s differs (-want +got); go test -update rewrites it:\n%s", path, d)
	}
}

func pack(data []byte) []byte {
	var out bytes.Buffer
	z, _ := gzip.NewWriterLevel(&out, gzip.BestCompression) // it is a level
	z.Write(data)                                           // a buffer takes all
	z.Close()
	return out.Bytes()
}

func unpack(data []byte) ([]byte, error) {
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(z)
}
