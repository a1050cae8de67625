package cli

import (
	"os"
	"path/filepath"
	"testing"
)

func TestModuleInRepository(t *testing.T) {
	root := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		name = filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("repo/.git/HEAD", "")
	write("repo/go.mod", "module example.com/top\n")
	write("repo/services/api/go.mod", "// a comment\nmodule \"example.com/api\" // here\n\ngo 1.26\n")
	write("repo/services/api/v/x.go", "package v\n")
	write("repo/testdata/go.mod", "module example.com/fixture\n")
	write("alone/go.mod", "module example.com/alone\n")
	at := func(dir string) string { return filepath.Join(root, dir) }
	for _, test := range []struct {
		module, want string
		from         []string
	}{
		{"example.com/top", "", []string{at("repo/services")}},
		{"example.com/api", "services/api", []string{at("repo/services/api/v")}},
		{"example.com/api", "services/api", []string{at("repo")}}, // from above it
		{"example.com/api", "services/api", []string{at("alone"), at("repo")}},
		{"example.com/fixture", "", []string{at("repo")}},
		{"example.com/alone", "", []string{at("alone")}},
		{"example.com/none", "", []string{at("repo")}},
	} {
		if got := ModuleInRepository(test.module, test.from...); got != test.want {
			t.Errorf("%s from %s: %q, want %q", test.module, test.from, got, test.want)
		}
	}
}
