//go:build go1.26

package agent

import (
	"go/build/constraint"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// sources returns the files that are copied into other people's builds.
func sources(t *testing.T) map[string][]byte {
	t.Helper()
	names, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	out := make(map[string][]byte)
	for _, name := range names {
		if !strings.HasSuffix(name, "_test.go") {
			out[name] = readFile(t, name)
		}
	}
	if len(out) < 10 {
		t.Fatalf("%d files: this test looks in the wrong place", len(out))
	}
	return out
}

// Every file sets its own language version, imports the standard library only,
// and embeds nothing: it is built in modules that know nothing of ours.
func TestSourcesStandAlone(t *testing.T) {
	for name, src := range sources(t) {
		line, _, _ := strings.Cut(string(src), "\n")
		expr, err := constraint.Parse(line)
		if err != nil || constraint.GoVersion(expr) != "go1.26" {
			t.Errorf("%s: its first line does not set the language to go1.26: %s", name, line)
		}
		if strings.Contains(string(src), "//go:"+"embed") || strings.Contains(string(src), "//go:"+"linkname") {
			t.Errorf("%s: embeds or links", name)
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, src, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, imp := range file.Imports {
			if first, _, _ := strings.Cut(strings.Trim(imp.Path.Value, `"`), "/"); strings.Contains(first, ".") || first == "whet" {
				t.Errorf("%s: imports %s", name, imp.Path.Value)
			}
			// Importing it would open the profiles on the program's own mux.
			if imp.Path.Value == `"net/http/pprof"` {
				t.Errorf("%s: imports %s", name, imp.Path.Value)
			}
		}
	}
}

// The files build and work in a module of an old language, in a directory of
// another name.
func TestSourcesInAnOldModule(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and starts programs")
	}
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("go.mod", "module old.example/program\n\ngo 1.16\n")
	write("main.go", `package main

import (
	"os"

	"old.example/program/internal/whetagent"
)

func main() {
	defer agent.Start(agent.Config{Record: os.Args[1]}).Stop()
}
`)
	for name, src := range sources(t) {
		write("internal/whetagent/"+name, string(src))
	}
	record := filepath.Join(dir, "run.whet")
	cmd := exec.Command("go", "run", ".", record)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=off", "GOPROXY=off", "GOTOOLCHAIN=local")
	if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
		t.Fatalf("%v\n%s", err, out)
	}
	if r := open(t, record); r.Partial != "" || r.Build.Module != "old.example/program" {
		t.Errorf("partial %q, module %q", r.Partial, r.Build.Module)
	}
}
