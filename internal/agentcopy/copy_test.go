package agentcopy

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"whet"
	"whet/agent"
)

// shop returns the root of a module.
func shop(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, "go.mod"), []byte("module example.com/shop\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	return root
}

// contents returns the files below a directory.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := make(map[string]string)
	err := filepath.WalkDir(dir, func(name string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(name)
		rel, _ := filepath.Rel(dir, name)
		out[filepath.ToSlash(rel)] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// What is written is what the binary carries, from any directory of the module.
func TestWrite(t *testing.T) {
	root := shop(t)
	sub := filepath.Join(root, "cmd", "shop")
	if err := os.MkdirAll(sub, 0o755); err != nil {
		t.Fatal(err)
	}
	c, err := Write(sub, filepath.Join("..", "..", "internal", "whetagent"))
	if err != nil {
		t.Fatal(err)
	}
	if c.ImportPath != "example.com/shop/internal/whetagent" || c.Version != agent.Version || c.Replaced != nil || !c.Written {
		t.Errorf("%+v", c)
	}
	source, err := whet.AgentSource()
	if err != nil {
		t.Fatal(err)
	}
	have := contents(t, root)
	want := map[string]string{"go.mod": have["go.mod"], "internal/whetagent/agent.sum": have["internal/whetagent/agent.sum"]}
	for name, text := range source {
		want["internal/whetagent/"+name] = string(text)
	}
	if d := cmp.Diff(want, have); d != "" {
		t.Errorf("-carried +written:\n%s", d)
	}
	if names := slices.Sorted(maps.Keys(source)); !slices.Equal(c.Files, names) {
		t.Errorf("files %q, want %q", c.Files, names)
	}
}

// Where a step fails, all is as it was: here the directory cannot be moved away, as
// it is the one that another name leads through.
func TestFailureLeavesAll(t *testing.T) {
	root := shop(t)
	if _, err := Write(root, "a"); err != nil {
		t.Fatal(err)
	}
	before := contents(t, root)
	for _, name := range []string{"no/such", strings.Repeat("x", 300)} { // no file's name
		err := replace(filepath.Join(root, "a"), map[string][]byte{"agent.go": []byte("package agent\n"), name: nil})
		if err == nil {
			t.Fatalf("%.20s was written", name)
		}
		if err := replace(filepath.Join(root, "new", "b"), map[string][]byte{name: nil}); err == nil {
			t.Fatalf("%.20s was written", name)
		}
		if d := cmp.Diff(before, contents(t, root)); d != "" {
			t.Errorf("-before +after:\n%s", d)
		}
		if _, err := os.Stat(filepath.Join(root, "new")); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("new was left: %v", err)
		}
	}
}

// FuzzSums: an error is one line; what is read has names that lie in the directory,
// and is written as it was read.
func FuzzSums(f *testing.F) {
	good := sums{version: 3, of: map[string]string{"agent.go": sum(nil), "b.go": sum([]byte("b"))}}
	f.Add(good.text())
	for _, bad := range []string{"", "whet agent 0\n", "whet agent 1\nx\n", "whet agent 1\n" + sum(nil) + "  ../x.go\n", "whet agent 1\n" + sum(nil) + "  agent.sum\n"} {
		f.Add([]byte(bad))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		s, err := parseSums(text)
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("%q", err)
			}
			return
		}
		for name := range s.of {
			if filepath.Dir(filepath.Join("d", name)) != "d" || !filepath.IsLocal(name) {
				t.Errorf("the name %q", name)
			}
		}
		again, err := parseSums(s.text())
		if err != nil || again.version != s.version || !maps.Equal(again.of, s.of) {
			t.Errorf("%q is read as %+v, %v", s.text(), again, err)
		}
	})
}
