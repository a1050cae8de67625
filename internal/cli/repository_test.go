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

func TestSourceLinks(t *testing.T) {
	root := t.TempDir()
	for name, text := range map[string]string{"m/go.mod": "module example.com/m\n", "m/a b/x.go": "package b\n", "m/sub/y.txt": "", "out.go": "package out\n"} {
		name = filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, module := range []string{"", "example.com/other"} {
		if SourceLinks(module, filepath.Join(root, "m")) != nil {
			t.Errorf("links of module %q", module)
		}
	}
	link := SourceLinks("example.com/m", filepath.Join(root, "m", "sub"))
	if link == nil {
		t.Fatal("no links in the module")
	}
	for file, want := range map[string]string{
		"a b/x.go": Link(filepath.Join(root, "m", "a b", "x.go")), "gone.go": "", "../out.go": "", "/etc/passwd": "", "sub": "",
	} {
		if got := link(file); got != want {
			t.Errorf("%s: %q, want %q", file, got, want)
		}
	}
}
