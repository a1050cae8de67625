//go:build unix

package worktree

import (
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// The working tree is what is on the disk: not what is committed, and not what
// is staged.
func TestSnapshot(t *testing.T) {
	if testing.Short() {
		t.Skip("runs git")
	}
	r := newRepository(t,
		"same.go", "package a\n", "modified.go", "package a\n", "staged.go", "package a\n", "both.go", "package a\n",
		"deleted.go", "package a\n", "removed.go", "package a\n", "dir/x.go", "package x\n", "linked/deep/x.go", "package deep\n",
		".gitignore", "*.gen.go\n/build/\n*.log\ndata/\nassets/*\n*.syso\n/vendor/\nnode_modules/\n",
		"embed.go", "package a\n\nimport _ \"embed\"\n\n//go:embed assets \"with blank.log\"\nvar s string\n",
	)
	r.write("modified.go", "package modified\n", "staged.go", "package staged\n", "both.go", "package one\n", "new file.go", "package a\n",
		"x.gen.go", "package a\n", "build/x.o", "object", "build/tool.go", "package tool\n", "trace.log", "long", "with blank.log", "embedded",
		"sub/testdata/data/big", "big", "other/data/big", "big", "assets/page/index.html", "<p>", "rsrc.syso", "resource",
		"vendor/modules.txt", "# x v1", "vendor/x/x.go", "package x\n", "vendor/x/README", "read", "node_modules/m/m.go", "package m\n",
		"old.whet/recording.json", "{}", "run.whet.tmp-1/x", "{}", "sub/cached.gen.go", "package sub\n",
	)
	r.git("add", "staged.go", "both.go")
	r.write("both.go", "package two\n")
	r.git("rm", "-q", "removed.go")
	for _, name := range []string{"deleted.go", "dir/x.go"} {
		if err := os.Remove(filepath.Join(r.dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	// A directory that is a link now: what was in it is gone.
	elsewhere := t.TempDir()
	writeFiles(t, elsewhere, "x.go", "package elsewhere\n")
	if err := os.Remove(filepath.Join(r.dir, "dir")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(elsewhere, filepath.Join(r.dir, "dir")); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(r.dir, "linked"), filepath.Join(r.dir, "moved")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("moved", filepath.Join(r.dir, "linked")); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Join(r.dir, "new file.go"), 0o755); err != nil {
		t.Fatal(err)
	}
	// What the index knows of this one is stale, and stays so.
	if err := os.Chtimes(filepath.Join(r.dir, "same.go"), time.Unix(1e9, 0), time.Unix(1e9, 0)); err != nil {
		t.Fatal(err)
	}
	r.untouched()

	tree := r.snapshot()
	want := map[string]string{
		"same.go": "package a\n", "modified.go": "package modified\n", "staged.go": "package staged\n", "both.go": "package two\n",
		"new file.go": "package a\n (executable)", "dir": "-> " + elsewhere, "linked": "-> moved", "moved/deep/x.go": "package deep\n",
		".gitignore": contents(t, r.dir)[".gitignore"], "embed.go": contents(t, r.dir)["embed.go"],
		"x.gen.go": "package a\n", "build/tool.go": "package tool\n", "with blank.log": "embedded", "sub/testdata/data/big": "big",
		"assets/page/index.html": "<p>", "rsrc.syso": "resource", "vendor/modules.txt": "# x v1", "vendor/x/x.go": "package x\n",
		"sub/cached.gen.go": "package sub\n",
	}
	wantTree(t, tree, want)
	wantWarnings(t, tree, "lead out of the tree, to the current files: dir")
	ignored := []string{"assets/page/index.html", "build/tool.go", "rsrc.syso", "sub/cached.gen.go", "sub/testdata/data/big", "vendor/modules.txt", "vendor/x/x.go", "with blank.log", "x.gen.go"}
	if !slices.Equal(tree.Ignored, ignored) {
		t.Errorf("ignored files %q, want %q", tree.Ignored, ignored)
	}
	if tree.Revision != r.git("rev-parse", "HEAD") || tree.Dirty == nil || !*tree.Dirty {
		t.Errorf("tree %s, dirty %v", tree.Revision, tree.Dirty)
	}

	// A revision gets the same files, but none that it has itself.
	old := r.checkout("HEAD")
	if err := os.WriteFile(filepath.Join(old.Dir, "x.gen.go"), []byte("package own\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	got, err := r.find("sub").Ignored(context.Background())
	if err != nil || !slices.Equal(got, ignored) {
		t.Fatalf("Ignored: %q, %v", got, err)
	}
	before := contents(t, old.Dir)
	if err := old.Add(context.Background(), r.dir, got); err != nil {
		t.Fatal(err)
	}
	added := slices.DeleteFunc(slices.Clone(ignored), func(f string) bool { return f == "x.gen.go" })
	if !slices.Equal(old.Ignored, added) {
		t.Errorf("added %q, want %q", old.Ignored, added)
	}
	if now := contents(t, old.Dir); len(now) != len(before)+len(added) || now["x.gen.go"] != "package own\n" || now["rsrc.syso"] != "resource" {
		t.Errorf("with ignored files: %q", now)
	}
	if err := old.Drop(); err != nil {
		t.Fatal(err)
	}
	wantTree(t, old, before)
}

func TestSnapshotClean(t *testing.T) {
	r := newRepository(t, "a.go", "package a\n", ".gitignore", "*.log\n")
	r.writeConfig("status.showUntrackedFiles", "no")
	r.write("x.log", "", "report.html", "<p>", "run.whet/recording.json", "{}", prefix+"1/old/src/a.go", "package a\n")
	tree := r.snapshot()
	if tree.Dirty == nil || *tree.Dirty {
		t.Error("recordings and their pages make a tree dirty")
	}
	wantTree(t, tree, map[string]string{"a.go": "package a\n", ".gitignore": "*.log\n", "report.html": "<p>"})
	r.write("b.go", "package a\n")
	if tree := r.snapshot(); tree.Dirty == nil || !*tree.Dirty {
		t.Error("a new file leaves a tree clean")
	}
}

// What is no regular file, and what is in conflict.
func TestSnapshotOdd(t *testing.T) {
	r := newRepository(t, "a.go", "package a\n")
	r.git("checkout", "-q", "-b", "other")
	r.write("a.go", "package other\n")
	r.commit("other")
	r.git("checkout", "-q", "main")
	r.write("a.go", "package here\n")
	r.commit("here")
	merge := exec.Command("git", "-c", "user.name=Test", "-c", "user.email=test@example.com", "merge", "-q", "other")
	merge.Dir = r.dir
	if out, err := merge.CombinedOutput(); err == nil {
		t.Fatalf("the merge went well: %s", out)
	}
	if err := syscall.Mkfifo(filepath.Join(r.dir, "pipe.go"), 0o600); err != nil {
		t.Fatal(err)
	}
	nested := repository{t, filepath.Join(r.dir, "third_party", "lib")}
	if err := os.MkdirAll(nested.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	nested.git("init", "-q", "-b", "main")
	nested.write("lib.go", "package lib\n", "x.tmp", "", ".gitignore", "*.tmp\n*.go\n")
	r.git("worktree", "add", "-q", "--detach", filepath.Join(r.dir, "wt"), "HEAD")
	tree := r.snapshot()
	got := contents(t, tree.Dir)
	if len(got) != 3 || !strings.HasPrefix(got["a.go"], "<<<<<<< HEAD\npackage here\n") || got["third_party/lib/lib.go"] != "package lib\n" {
		t.Errorf("tree %q", got)
	}
	if !slices.Equal(tree.Ignored, []string{"third_party/lib/lib.go"}) {
		t.Errorf("ignored %q", tree.Ignored)
	}
	// git does not list pipes; a directory without git may have some.
	wantWarnings(t, tree)

	s := scratch(t)
	if err := os.Chmod(filepath.Join(nested.dir, "x.tmp"), 0); err != nil {
		t.Fatal(err)
	}
	copied, err := Copy(context.Background(), r.dir, filepath.Join(s.Dir, "src"))
	if err != nil {
		t.Fatal(err)
	}
	odd := "left out of the tree: irregular or unreadable files: pipe.go"
	if os.Geteuid() != 0 { // root may read everything
		odd += " and third_party/lib/x.tmp"
	}
	wantWarnings(t, copied, odd)
	if got := contents(t, copied.Dir); got["wt/a.go"] != "package here\n" || got["third_party/lib/.gitignore"] == "" {
		t.Errorf("copy %q", got)
	}
	for name := range contents(t, copied.Dir) {
		if strings.HasPrefix(name, ".git/") {
			t.Errorf("the copy has the store: %s", name)
		}
	}
}

// Submodules come at the recorded commits from where the user has them, and as
// they stand in a working tree.
func TestSubmodules(t *testing.T) {
	if testing.Short() {
		t.Skip("runs git")
	}
	inner := newRepository(t, "deep.go", "package deep\n")
	lib := newRepository(t, "lib.go", "package lib\n")
	lib.git("submodule", "--quiet", "add", inner.dir, "deep")
	lib.commit("with a submodule")
	r := newRepository(t, "a.go", "package a\n")
	r.git("submodule", "--quiet", "add", lib.dir, "third party/lib")
	r.git("submodule", "--quiet", "add", inner.dir, "gone")
	r.git("submodule", "--quiet", "update", "--init", "--recursive")
	r.commit("with submodules")
	sub := repository{t, filepath.Join(r.dir, "third party/lib")}
	sub.write("lib.go", "package changed\n", "new.go", "package lib\n")
	sub.commit("ahead")
	sub.write("dirty.go", "package lib\n")
	r.git("submodule", "--quiet", "deinit", "-f", "gone")
	r.untouched()

	modules := contents(t, r.dir)[".gitmodules"]
	deep := contents(t, sub.dir)[".gitmodules"]
	old := r.checkout("HEAD")
	wantTree(t, old, map[string]string{
		"a.go": "package a\n", ".gitmodules": modules,
		"third party/lib/lib.go": "package lib\n", "third party/lib/.gitmodules": deep, "third party/lib/deep/deep.go": "package deep\n",
	})
	wantWarnings(t, old, "left empty (`git submodule update --init` fetches them): gone")
	tree := r.snapshot()
	wantTree(t, tree, map[string]string{
		"a.go": "package a\n", ".gitmodules": modules,
		"third party/lib/lib.go": "package changed\n", "third party/lib/.gitmodules": deep, "third party/lib/deep/deep.go": "package deep\n",
		"third party/lib/new.go": "package lib\n", "third party/lib/dirty.go": "package lib\n",
	})
	wantWarnings(t, tree, "left empty (`git submodule update --init` fetches them): gone")
	if tree.Dirty == nil || !*tree.Dirty {
		t.Error("a changed submodule leaves the tree clean")
	}
	for what, ahead := range map[string]bool{"at another commit": true, "with a new file": false} {
		other := repository{t, filepath.Join(t.TempDir(), "clone")}
		r.git("clone", "-q", "--recurse-submodules=third party/lib", r.dir, other.dir)
		if tree := other.snapshot(); tree.Dirty == nil || *tree.Dirty {
			t.Error("a fresh clone is called dirty")
		}
		in := repository{t, filepath.Join(other.dir, "third party/lib")}
		in.write("dirty.go", "package lib\n")
		if ahead {
			in.commit("ahead")
		}
		if tree := other.snapshot(); tree.Dirty == nil || !*tree.Dirty {
			t.Errorf("a submodule %s leaves the tree clean", what)
		}
	}
}

// A file of git LFS is taken from the repository's store; where that lacks it
// the pointer stays, and is warned of.
func TestLargeFiles(t *testing.T) {
	const large = "large content"
	have := fmt.Sprintf("%x", sha256.Sum256([]byte(large)))
	pointer := func(sum string, size int) string {
		return fmt.Sprintf("%soid sha256:%s\nsize %d\n", pointerHead, sum, size)
	}
	lacking := pointer(strings.Repeat("0", 64), 5)
	r := newRepository(t,
		"sub/.gitattributes", "*.bin filter=lfs diff=lfs merge=lfs -text\n",
		"sub/have.bin", pointer(have, len(large)), "sub/lacking.bin", lacking, "sub/cut.bin", pointer(have, len(large)+1), "sub/none.bin", "plain",
	)
	writeFiles(t, filepath.Join(r.dir, ".git/lfs/objects", have[:2], have[2:4]), have, large)
	r.untouched()
	tree := r.checkout("HEAD")
	wantTree(t, tree, map[string]string{
		"sub/.gitattributes": "*.bin filter=lfs diff=lfs merge=lfs -text\n",
		"sub/have.bin":       large, "sub/lacking.bin": lacking, "sub/cut.bin": pointer(have, len(large)+1), "sub/none.bin": "plain",
	})
	wantWarnings(t, tree, "replaced by their pointers (`git lfs fetch` fetches them): sub/cut.bin and sub/lacking.bin")
}

func TestTurned(t *testing.T) {
	for _, tt := range []struct {
		name, target, top string
		to                string
		leaves            bool
	}{
		{"l", "a", "/u/repo", "a", false},
		{"d/l", "../a", "/u/repo", "../a", false},
		{"d/l", "../../a", "/u/repo", "/u/a", true},
		{"l", "..", "/u/repo", "/u", true},
		{"l", "../repo/a", "/u/repo", "/u/repo/a", true},
		{"l", "/etc/x", "/u/repo", "/etc/x", true},
		{"l", "/u/repo", "/u/repo", ".", false},
		{"d/e/l", "/u/repo/d/a", "/u/repo", "../../d/a", false},
		{"d/l", "/u/repo/", "/u/repo", "..", false},
		{"l", "/u/repository", "/u/repo", "/u/repository", true},
		{"l", "../a", "", "../a", true},
		{"l", "a", "", "a", false},
	} {
		if to, leaves := turned(tt.name, tt.target, tt.top); to != tt.to || leaves != tt.leaves {
			t.Errorf("%s -> %s in %s: %s, %v, want %s, %v", tt.name, tt.target, tt.top, to, leaves, tt.to, tt.leaves)
		}
	}
}

func TestDistance(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want int
	}{ // the first three are the ones of Wagner and Fischer's and Levenshtein's textbooks
		{"kitten", "sitting", 3}, {"saturday", "sunday", 3}, {"flaw", "lawn", 2},
		{"", "abc", 3}, {"abc", "", 3}, {"abc", "abc", 0},
	} {
		if got := distance(tt.a, tt.b); got != tt.want {
			t.Errorf("%s, %s: %d, want %d", tt.a, tt.b, got, tt.want)
		}
	}
}

func TestNames(t *testing.T) {
	for n, want := range []string{"", "a", "a and b", "a, b and c", "a, b, c and 1 more", "a, b, c and 2 more"} {
		if got := Names([]string{"a", "b", "c", "d", "e"}[:n]); got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
	if got := Names([]string{"a\x1b[31m\nb"}); got != "a?[31m?b" {
		t.Errorf("%q", got)
	}
}
