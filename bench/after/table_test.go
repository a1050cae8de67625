package main

import (
	"os"
	"path/filepath"
	"testing"

	"whet/bench/ledger"
)

// The table of the README is what the kept samples give.
func TestTableIsOfItsSamples(t *testing.T) {
	text, err := render("..")
	if err != nil {
		t.Fatal(err)
	}
	have, err := os.ReadFile(filepath.Join("..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	want, err := ledger.Replace(have, "after", text)
	if err != nil {
		t.Fatal(err)
	}
	if string(have) != string(want) {
		t.Errorf("the table in bench/README.md is not made of bench/results/after.json: go run ./bench/after -table makes it")
	}
}
