//go:build unix

package worktree

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// dirs returns the directories of the modules that the go command takes for a
// build in dir, by path.
func dirs(t *testing.T, dir string, env []string) map[string]string {
	t.Helper()
	cmd := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{.Path}}\t{{.Dir}}{{end}}", "./...")
	cmd.Dir = dir
	cmd.Env = append(append(os.Environ(), env...), "PWD="+dir)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("go list in %s: %v\n%s", dir, err, out)
	}
	found := make(map[string]string)
	for line := range strings.Lines(string(out)) {
		if name, at, ok := strings.Cut(strings.TrimSpace(line), "\t"); ok {
			found[name] = at
		}
	}
	return found
}

func module(dir, name, more string) []string {
	return []string{dir + "/go.mod", "module " + name + "\n\ngo 1.26\n" + more, dir + "/x.go", "package x\n"}
}

// A module in the copy finds what it found where it came from: its own tree in
// the copy, the rest where that is.
func TestModulesReplaced(t *testing.T) {
	r := newRepository(t)
	around := filepath.Dir(r.dir)
	writeFiles(t, around, module("other mod", "x.test/other", "")...)
	writeFiles(t, around, module("absolute", "x.test/absolute", "")...)
	r.write(slices.Concat(
		module("lib", "x.test/lib", ""), module("clone", "x.test/clone", ""), module("unused", "x.test/unused", ""),
		[]string{
			".gitignore", "/clone/\n",
			"main/go.mod", "module x.test/main\n\ngo 1.26\n\nrequire (\n\tx.test/lib v1.0.0\n\tx.test/other v1.0.0\n\tx.test/absolute v1.0.0\n\tx.test/self v1.0.0\n\tx.test/clone v1.0.0\n)\n\n" +
				"replace (\n\tx.test/lib => ../lib\n\tx.test/other v1.0.0 => \"../../other mod\"\n\tx.test/absolute => " + around + "/absolute\n" +
				"\tx.test/self => \"" + r.dir + "/self\"\n\tx.test/clone => ../clone\n\tx.test/never => ../never\n)\n",
			"main/x.go", "package main\n\nimport (\n\t_ \"x.test/lib\"\n\t_ \"x.test/other\"\n\t_ \"x.test/absolute\"\n\t_ \"x.test/self\"\n\t_ \"x.test/clone\"\n)\n\nfunc main() {}\n",
		},
		module("self", "x.test/self", ""))...)
	r.commit("modules")
	r.untouched()
	ctx, tree, repo := context.Background(), r.checkout("HEAD"), r.find("main")
	ignores := func(name string) bool { return repo.Ignores(ctx, name) }
	more, err := tree.Modules(ctx, repo.Top, repo.Sub, nil, ignores)
	if err != nil || len(more) > 0 {
		t.Fatalf("Modules: %q, %v", more, err)
	}
	got := dirs(t, filepath.Join(tree.Dir, "main"), nil)
	for name, want := range map[string]string{
		"x.test/main": tree.Dir + "/main", "x.test/lib": tree.Dir + "/lib", "x.test/self": tree.Dir + "/self",
		"x.test/other": around + "/other mod", "x.test/absolute": around + "/absolute", "x.test/clone": r.dir + "/clone",
	} {
		if got[name] != want {
			t.Errorf("%s is taken from %s, want %s", name, got[name], want)
		}
	}
	wantWarnings(t, tree, "modules outside the tree, in their current state: ")

	// A module whose dependencies are vendored needs nothing from outside.
	vendored := r.checkout("HEAD")
	writeFiles(t, vendored.Dir, "main/vendor/modules.txt", "")
	if _, err := vendored.Modules(ctx, repo.Top, repo.Sub, nil, ignores); err != nil {
		t.Fatal(err)
	}
	if text := contents(t, vendored.Dir)["main/go.mod"]; text != contents(t, r.dir)["main/go.mod"] {
		t.Errorf("go.mod beside vendor: %s", text)
	}
}

// A workspace is found from the copy, with the copy's modules in it, whether it
// lies in the tree or around it, and whatever GOWORK says.
func TestModulesWorkspace(t *testing.T) {
	if testing.Short() {
		t.Skip("runs git")
	}
	r := newRepository(t)
	around := filepath.Dir(r.dir)
	name := filepath.Base(r.dir)
	writeFiles(t, around, module("other", "x.test/other", "")...)
	imports := []string{"main/x.go", "package main\n\nimport (\n\t_ \"x.test/lib\"\n\t_ \"x.test/other\"\n)\n\nfunc main() {}\n"}
	r.write(slices.Concat(module("lib", "x.test/lib", ""), module("main", "x.test/main", ""), imports)...)
	r.commit("modules")
	ctx, repo := context.Background(), r.find("main")
	none := func(string) bool { return false }
	check := func(what string, tree *Tree, env []string, warnings ...string) {
		t.Helper()
		more, err := tree.Modules(ctx, repo.Top, repo.Sub, env, none)
		if err != nil {
			t.Errorf("%s: %v", what, err)
			return
		}
		got := dirs(t, filepath.Join(tree.Dir, "main"), append(env, more...))
		for name, want := range map[string]string{"x.test/main": tree.Dir + "/main", "x.test/lib": tree.Dir + "/lib", "x.test/other": around + "/other"} {
			if got[name] != want {
				t.Errorf("%s: %s is taken from %s, want %s", what, name, got[name], want)
			}
		}
		wantWarnings(t, tree, warnings...)
	}

	writeFiles(t, around, "go.work", "go 1.26\n\nuse (\n\t./other\n\t\"./"+name+"/lib\"\n\t\"./"+name+"/main\"\n)\n")
	check("around the tree", r.checkout("HEAD"), nil, "a workspace outside the tree, in its current state: "+around+"/go.work", "modules outside the tree, in their current state: "+around+"/other")
	check("named by GOWORK", r.checkout("HEAD"), []string{"GOWORK=" + around + "/go.work"}, "a workspace outside", "modules outside")
	if err := os.Remove(filepath.Join(around, "go.work")); err != nil {
		t.Fatal(err)
	}

	work := "go 1.26\n\nuse (\n\t../other\n\t./lib\n\t./main\n\t./gone\n)\n"
	r.write("go.work", work)
	r.commit("a workspace")
	check("in the tree", r.checkout("HEAD"), nil, "modules outside the tree, in their current state: "+around+"/other")
	check("in the tree, named by GOWORK", r.checkout("HEAD"), []string{"GOWORK=" + r.dir + "/go.work"}, "modules outside")
	if text := contents(t, r.dir)["go.work"]; text != work {
		t.Errorf("the user's go.work is now %q", text)
	}

	if more, err := r.checkout("HEAD").Modules(ctx, repo.Top, repo.Sub, []string{"GOWORK=off"}, none); err != nil || len(more) > 0 {
		t.Errorf("GOWORK=off: %q, %v", more, err)
	}
	// The revision before it has no workspace, so that the user's is not its.
	if more, err := r.checkout("HEAD~1").Modules(ctx, repo.Top, repo.Sub, nil, none); err != nil || len(more) > 0 {
		t.Errorf("before the workspace: %q, %v", more, err)
	}
	// A workspace that happens to lie above the copy is not the user's.
	tree := r.checkout("HEAD~1")
	above := filepath.Dir(filepath.Dir(filepath.Dir(tree.Dir)))
	writeFiles(t, above, "go.work", "go 1.26\n")
	if more, err := tree.Modules(ctx, repo.Top, repo.Sub, nil, none); err != nil || !slices.Equal(more, []string{"GOWORK=off"}) {
		t.Errorf("below another workspace: %q, %v", more, err)
	}
	check("in the tree, and another one above the copy", r.checkout("HEAD"), nil, "modules outside")
	if _, err := r.checkout("HEAD~1").Modules(ctx, repo.Top, repo.Sub, []string{"GOWORK=" + r.dir + "/go.work"}, none); err == nil || !strings.Contains(err.Error(), "GOWORK is go.work, which does not exist in the tree") {
		t.Errorf("GOWORK before it was there: %v", err)
	}
}

// What is wrong with a go.mod is for the build to say.
func TestModulesBroken(t *testing.T) {
	r := newRepository(t, "go.mod", "module (\n", "sub/x.go", "package x\n")
	tree := r.checkout("HEAD")
	for _, sub := range []string{".", "sub", "nope"} {
		if more, err := tree.Modules(context.Background(), r.dir, sub, nil, func(string) bool { return false }); err != nil || len(more) > 0 {
			t.Errorf("%s: %q, %v", sub, more, err)
		}
	}
}

func TestModulesWithoutGo(t *testing.T) {
	r := newRepository(t, "go.mod", "module x.test/m\n\nreplace x.test/a => ../a\n")
	tree := r.checkout("HEAD")
	t.Setenv("PATH", t.TempDir())
	_, err := tree.Modules(context.Background(), r.dir, ".", nil, func(string) bool { return false })
	if err == nil || !strings.Contains(err.Error(), "the go command is not in PATH: install Go") {
		t.Errorf("error %v", err)
	}
}
