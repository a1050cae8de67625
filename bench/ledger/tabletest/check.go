package tabletest

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"whet/bench/ledger"
)

// Check compares a table in the README with what render makes of the results in
// a directory. Before there are some the table is empty.
func Check(t *testing.T, program, table string, render func(dir string) (string, error)) {
	t.Helper()
	text, err := render("..")
	if errors.Is(err, fs.ErrNotExist) {
		text = ""
	} else if err != nil {
		t.Fatal(err)
	}
	have, err := os.ReadFile(filepath.Join("..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	want, err := ledger.Replace(have, table, text)
	if err != nil {
		t.Fatal(err)
	}
	if string(have) != string(want) {
		t.Errorf("the table in bench/README.md is not made of the samples of %s in bench/results: go run ./bench/%s -table makes it", table, program)
	}
}
