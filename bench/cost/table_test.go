package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"whet/bench/ledger"
)

// The table of the README is what the kept samples give, and empty before there
// are some.
func TestTableIsOfItsSamples(t *testing.T) {
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
	want, err := ledger.Replace(have, "cost", text)
	if err != nil {
		t.Fatal(err)
	}
	if string(have) != string(want) {
		t.Errorf("the table in bench/README.md is not made of bench/results/cost.json: go run ./bench/cost -table makes it")
	}
}
