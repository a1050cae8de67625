package main

import (
	"embed"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
)

// The programs are written anew for every trial: a module of the files of
// mix, its number of units, and what else the question asks for.
//
//go:embed mix
var mix embed.FS

// plainUnits is what an operation does on the old side and on every side that
// is to be equal.
const plainUnits = 100

// writeModule makes a module of mix in dir that does so many units in an
// operation.
func writeModule(dir string, units int) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	files := map[string]string{
		"go.mod":   "module example.org/mix\n\ngo 1.26\n",
		"units.go": fmt.Sprintf("package mix\n\nconst units = %d\n", units),
	}
	entries, err := fs.ReadDir(mix, "mix")
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.Name() == "units.go" {
			continue
		}
		data, err := fs.ReadFile(mix, "mix/"+e.Name())
		if err != nil {
			return err
		}
		files[e.Name()] = string(data)
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// addUnrelated adds a function that no benchmark calls to the module in dir.
// A test calls it, or the linker would leave it out and nothing would have been
// added. Its length and whether it stands before or after everything else are
// drawn by lot, as it moves the code of the benchmarks by that much.
func addUnrelated(dir string, rng *rand.Rand) error {
	var body strings.Builder
	for range 1 + rng.IntN(100) {
		fmt.Fprintf(&body, "\tif n&%d == 0 {\n\t\tn = n*%d ^ %d\n\t}\n", 1+rng.IntN(255), 3+2*rng.IntN(1000), rng.IntN(1<<20))
	}
	text := fmt.Sprintf(`package mix

import "testing"

//go:noinline
func unrelated(n int) int {
%s	return n
}

func TestUnrelated(t *testing.T) {
	if a, b := unrelated(1), unrelated(1); a != b {
		t.Error(a, b)
	}
}
`, body.String())
	name := []string{"a_unrelated_test.go", "z_unrelated_test.go"}[rng.IntN(2)]
	return os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644)
}

// pair is where the two sides of a trial are.
type pair struct{ old, new string }

// writeSides makes the sides of a question under dir.
func writeSides(dir string, q question, seed uint64) (pair, error) {
	p := pair{old: filepath.Join(dir, "first"), new: filepath.Join(dir, "other")}
	if err := writeModule(p.old, plainUnits); err != nil {
		return p, err
	}
	if q == same {
		p.new = p.old
		return p, nil
	}
	if err := writeModule(p.new, q.units()); err != nil {
		return p, err
	}
	if q == added || q == few {
		return p, addUnrelated(p.new, rand.New(rand.NewPCG(seed, 0)))
	}
	return p, nil
}
