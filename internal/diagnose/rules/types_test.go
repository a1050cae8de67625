package rules_test

import (
	"path/filepath"
	"slices"
	"testing"

	"golang.org/x/tools/go/packages"

	"whet/internal/typed/typedtest"
)

// typesOf reads the types of fixtures, by their directory, as a recording holds
// them: of what they import, the objects that they use.
func typesOf(t *testing.T, dirs []string, paths *paths) map[string][]byte {
	t.Helper()
	patterns := make([]string, len(dirs))
	for i, dir := range dirs {
		patterns[i] = "./" + filepath.ToSlash(dir)
	}
	pkgs, err := packages.Load(&packages.Config{
		Mode: typedtest.Mode, Context: t.Context(), Tests: true,
	}, patterns...)
	if err != nil {
		t.Fatal(err)
	}
	out := make(map[string][]byte)
	for _, dir := range dirs {
		abs, err := filepath.Abs(dir)
		if err != nil {
			t.Fatal(err)
		}
		of := slices.DeleteFunc(slices.Clone(pkgs), func(p *packages.Package) bool {
			return len(p.GoFiles) == 0 || filepath.Dir(p.GoFiles[0]) != abs
		})
		out[dir], _ = typedtest.View(t, of, paths.kept)
	}
	return out
}
