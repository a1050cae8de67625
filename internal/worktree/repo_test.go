//go:build unix

package worktree

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(killMe); dir != "" {
		waitForDeath(dir)
	}
	for _, e := range []string{"GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_CONFIG_NOSYSTEM=1", "GOFLAGS=", "GOWORK=", "GOTOOLCHAIN=local"} {
		name, value, _ := strings.Cut(e, "=")
		os.Setenv(name, value)
	}
	goleak.VerifyTestMain(m)
}

// repository is a real one, which the test fills.
type repository struct {
	t   *testing.T
	dir string
}

func newRepository(t *testing.T, files ...string) repository {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	r := repository{t, filepath.Join(dir, "repo with blanks")}
	if err := os.Mkdir(r.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	r.git("init", "-q", "-b", "main")
	if len(files) > 0 {
		r.write(files...)
		r.commit("first")
	}
	return r
}

func (r repository) git(args ...string) string {
	r.t.Helper()
	args = append([]string{"-c", "user.name=Test", "-c", "user.email=test@example.com", "-c", "protocol.file.allow=always", "-c", "commit.gpgsign=false"}, args...)
	cmd := exec.Command("git", args...)
	cmd.Dir = r.dir
	cmd.Env = append(os.Environ(), "GIT_OPTIONAL_LOCKS=0")
	out, err := cmd.CombinedOutput()
	if err != nil {
		r.t.Fatalf("git %q: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func (r repository) commit(message string) string {
	r.t.Helper()
	r.git("add", "-A")
	r.git("commit", "-q", "--no-verify", "-m", message)
	return r.git("rev-parse", "HEAD")
}

func (r repository) write(files ...string) {
	r.t.Helper()
	writeFiles(r.t, r.dir, files...)
}

func writeFiles(t *testing.T, dir string, files ...string) {
	t.Helper()
	for i := 0; i < len(files); i += 2 {
		name := filepath.Join(dir, files[i])
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(files[i+1]), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func (r repository) find(sub string) *Repo {
	r.t.Helper()
	found, err := Find(context.Background(), filepath.Join(r.dir, sub))
	if err != nil {
		r.t.Fatal(err)
	}
	return found
}

// contents are all files below a directory: a link by where it leads, a file
// by its mode and sum, or its text where that is short.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := make(map[string]string)
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(dir, name)
		if err != nil {
			return err
		}
		switch {
		case d.Type() == fs.ModeSymlink:
			to, err := os.Readlink(name)
			out[rel] = "-> " + to
			return err
		case !d.Type().IsRegular():
			out[rel] = d.Type().String()
			return nil
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		out[rel] = string(data)
		if len(data) > 200 {
			out[rel] = fmt.Sprintf("%x", sha256.Sum256(data))
		}
		if st, err := d.Info(); err != nil {
			return err
		} else if st.Mode()&0o100 != 0 {
			out[rel] += " (executable)"
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// untouched fails the test if anything in the repository, its store included,
// is not as it is now when the test ends.
func (r repository) untouched() {
	r.t.Helper()
	before, status := contents(r.t, r.dir), r.git("status", "--porcelain")
	r.t.Cleanup(func() {
		if d := cmp.Diff(before, contents(r.t, r.dir)); d != "" {
			r.t.Errorf("the repository was touched: %s", d)
		}
		if now := r.git("status", "--porcelain"); now != status {
			r.t.Errorf("git status was %q and is %q", status, now)
		}
	})
}

func scratch(t *testing.T) *Scratch {
	t.Helper()
	s, err := NewScratch(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func (r repository) checkout(revision string) *Tree {
	r.t.Helper()
	ctx, s, found := context.Background(), scratch(r.t), r.find("")
	commit, err := found.Commit(ctx, revision)
	if err != nil {
		r.t.Fatal(err)
	}
	tree, err := found.Checkout(ctx, commit, s, filepath.Join(s.Dir, "old", "src"))
	if err != nil {
		r.t.Fatal(err)
	}
	if tree.Revision != commit || tree.Dirty != nil {
		r.t.Errorf("tree %+v", tree)
	}
	if left, _ := filepath.Glob(filepath.Join(s.Dir, "index*")); len(left) > 0 {
		r.t.Errorf("left behind: %v", left)
	}
	return tree
}

func (r repository) snapshot() *Tree {
	r.t.Helper()
	s := scratch(r.t)
	tree, err := r.find("").Snapshot(context.Background(), filepath.Join(s.Dir, "new", "src"))
	if err != nil {
		r.t.Fatal(err)
	}
	return tree
}

func wantTree(t *testing.T, tree *Tree, want map[string]string) {
	t.Helper()
	if d := cmp.Diff(want, contents(t, tree.Dir)); d != "" {
		t.Errorf("files of the tree: %s", d)
	}
}

func wantWarnings(t *testing.T, tree *Tree, want ...string) {
	t.Helper()
	if len(want) != len(tree.Warnings) {
		t.Errorf("warnings %q, want %d", tree.Warnings, len(want))
		return
	}
	for i, w := range want {
		if !strings.Contains(tree.Warnings[i], w) {
			t.Errorf("warning %q does not speak of %q", tree.Warnings[i], w)
		}
	}
}

// A revision's files are what git would check out, whatever stands in the
// working tree and in the index.
func TestCheckout(t *testing.T) {
	r := newRepository(t,
		"a.go", "package a\n",
		"name with blanks", "1", "line\nbreak", "2", "\"quoted\" täb\t", "3", "-dash", "4",
		"sub/testdata/in", "in\n",
		"left/out", "5", ".gitattributes", "left/** export-ignore\nstamped ident export-subst\ncrlf.txt text eol=crlf\n",
		"stamped", "$Format:%H$\n", "crlf.txt", "one\ntwo\n",
		"run.sh", "#!/bin/sh\n",
	)
	if err := os.Chmod(filepath.Join(r.dir, "run.sh"), 0o755); err != nil {
		t.Fatal(err)
	}
	for link, to := range map[string]string{
		"sub/in": "testdata/in", "sub/up": "../a.go", "out": "../elsewhere/x",
		"sub/abs": "/etc/hostname", "sub/self": filepath.Join(r.dir, "a.go"), "top": r.dir,
	} {
		if err := os.Symlink(to, filepath.Join(r.dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	r.commit("second")
	r.write("a.go", "package changed\n", "staged.go", "package a\n")
	r.git("add", "staged.go")
	r.git("rm", "-q", "--cached", "run.sh")
	r.untouched()

	tree := r.checkout("HEAD")
	wantTree(t, tree, map[string]string{
		"a.go":             "package a\n",
		"name with blanks": "1", "line\nbreak": "2", "\"quoted\" täb\t": "3", "-dash": "4",
		"sub/testdata/in": "in\n",
		"left/out":        "5", ".gitattributes": "left/** export-ignore\nstamped ident export-subst\ncrlf.txt text eol=crlf\n",
		"stamped": "$Format:%H$\n", "crlf.txt": "one\r\ntwo\r\n",
		"run.sh": "#!/bin/sh\n (executable)",
		"sub/in": "-> testdata/in", "sub/up": "-> ../a.go", "out": "-> " + filepath.Join(filepath.Dir(r.dir), "elsewhere/x"),
		"sub/abs": "-> /etc/hostname", "sub/self": "-> ../a.go", "top": "-> .",
	})
	wantWarnings(t, tree, "symbolic links that lead out of the tree, to the current files: out and sub/abs")
	if first := contents(t, r.checkout("HEAD~1").Dir); len(first) != 11 || strings.HasSuffix(first["run.sh"], "(executable)") {
		t.Errorf("the first commit has %d files: %q", len(first), first)
	}
}

// Nothing that a repository's configuration names is run, and nothing is
// written where its settings would have it.
func TestHostileConfiguration(t *testing.T) {
	r := newRepository(t, "a.go", "package a\n", "secret.txt", "stored\n", ".gitattributes", "*.txt filter=evil diff=evil\n")
	mark := filepath.Join(filepath.Dir(r.dir), "ran")
	script := filepath.Join(filepath.Dir(r.dir), "evil.sh")
	writeFiles(t, filepath.Dir(script), "evil.sh", "#!/bin/sh\necho \"$0 $*\" >> '"+mark+"'\ncat\n")
	if err := os.Chmod(script, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, hook := range []string{"post-index-change", "post-checkout", "fsmonitor-watchman", "reference-transaction"} {
		data, err := os.ReadFile(script)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(r.dir, ".git/hooks", hook), data, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []string{
		"core.fsmonitor=" + script, "filter.evil.smudge=" + script, "filter.evil.clean=" + script, "filter.evil.required=true",
		"filter.e=v.smudge=" + script, "diff.evil.textconv=" + script, "diff.external=" + script, "core.pager=" + script,
		"core.splitIndex=true", "core.untrackedCache=true", "feature.manyFiles=true", "core.sshCommand=" + script,
		"status.showUntrackedFiles=no", "core.sparseCheckout=true",
	} {
		i := strings.LastIndex(c, "=")
		r.writeConfig(c[:i], c[i+1:])
	}
	r.write(".git/info/sparse-checkout", "/nothing\n", "secret.txt", "changed\n", "new.go", "package a\n")
	before := contents(t, r.dir)

	tree := r.checkout("HEAD")
	wantTree(t, tree, map[string]string{"a.go": "package a\n", "secret.txt": "stored\n", ".gitattributes": "*.txt filter=evil diff=evil\n"})
	tree = r.snapshot()
	wantTree(t, tree, map[string]string{
		"a.go": "package a\n", "secret.txt": "changed\n", ".gitattributes": "*.txt filter=evil diff=evil\n", "new.go": "package a\n"})
	wantWarnings(t, tree, "sparse checkout")
	if tree.Dirty == nil || !*tree.Dirty {
		t.Error("a changed tree is called clean")
	}
	if said, err := os.ReadFile(mark); err == nil {
		t.Errorf("ran: %s", said)
	}
	if d := cmp.Diff(before, contents(t, r.dir)); d != "" {
		t.Errorf("the repository was touched: %s", d)
	}
}

// writeConfig writes into the file itself: git would act on what is there.
func (r repository) writeConfig(key, value string) {
	r.t.Helper()
	first, last := strings.Index(key, "."), strings.LastIndex(key, ".")
	section := key[:first]
	if last > first {
		section += ` "` + key[first+1:last] + `"`
	}
	f, err := os.OpenFile(filepath.Join(r.dir, ".git", "config"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		r.t.Fatal(err)
	}
	defer f.Close()
	if _, err := fmt.Fprintf(f, "[%s]\n\t%s = %s\n", section, key[last+1:], value); err != nil {
		r.t.Fatal(err)
	}
}

func TestCommit(t *testing.T) {
	if testing.Short() {
		t.Skip("runs git")
	}
	ctx := context.Background()
	empty := newRepository(t)
	if _, err := empty.find("").Commit(ctx, "HEAD"); err == nil || err.Error() != "no revision HEAD: nothing is committed yet: commit, or name two directories" {
		t.Errorf("HEAD of an empty repository: %v", err)
	}
	if tree := empty.snapshot(); tree.Revision != "" || tree.Dirty != nil {
		t.Errorf("working tree of an empty repository: %+v", tree)
	}
	r := newRepository(t, "a", "1")
	first := r.git("rev-parse", "HEAD")
	r.write("a", "2")
	second := r.commit("second")
	r.git("branch", "feature/inlining")
	r.git("tag", "-a", "v1.2.0", "-m", "a tag", "HEAD~1")
	r.git("tag", "v1.3.0")
	r.git("checkout", "-q", "--detach")
	r.untouched()
	repo := r.find("")
	for revision, want := range map[string]string{
		"HEAD": second, "HEAD~1": first, "HEAD^": first, "v1.2.0": first, "feature/inlining": second,
		first[:10]: first, second: second, "main@{0}": second, ":/second": second,
	} {
		if got, err := repo.Commit(ctx, revision); err != nil || got != want {
			t.Errorf("%s is %s, %v, want %s", revision, got, err, want)
		}
	}
	for revision, want := range map[string]string{
		"HEAD~7":                "no revision HEAD~7",
		"v1.2":                  "no revision v1.2; there is v1.2.0",
		"V1.3.1":                "no revision V1.3.1; there is v1.3.0, v1.2.0",
		"inlining":              "no revision inlining; there is feature/inlining",
		"zzzzz":                 "no revision zzzzz",
		"":                      `"" is not a revision`,
		"--all":                 `"--all" is not a revision`,
		"a\nb":                  `"a?b" is not a revision`,
		"HEAD:a":                "HEAD:a is not a commit: " + r.git("rev-parse", "HEAD:a") + "^{commit}: expected commit type, but the object dereferences to blob type",
		"\x1b[31m":              "no revision ?[31m",
		strings.Repeat("0", 40): "no revision " + strings.Repeat("0", 40),
	} {
		if got, err := repo.Commit(ctx, revision); err == nil || err.Error() != want {
			t.Errorf("%q is %s, %v, want the error %q", revision, got, err, want)
		}
	}
	shallow := repository{t, filepath.Join(t.TempDir(), "shallow")}
	r.git("clone", "-q", "--depth=1", "file://"+r.dir, shallow.dir)
	shallow.untouched()
	if _, err := shallow.find("").Commit(ctx, "HEAD~1"); err == nil || !strings.Contains(err.Error(), "this is a shallow clone: `git fetch --unshallow`") {
		t.Errorf("a parent in a shallow clone: %v", err)
	}
	wantTree(t, shallow.checkout("HEAD"), map[string]string{"a": "2"})
}

func TestFind(t *testing.T) {
	ctx := context.Background()
	if _, err := Find(ctx, t.TempDir()); err != ErrNoRepository {
		t.Errorf("a directory of its own: %v", err)
	}
	if _, err := Find(ctx, filepath.Join(t.TempDir(), "nope")); err == nil || err == ErrNoRepository {
		t.Errorf("no directory: %v", err)
	}
	r := newRepository(t, "pkg/a.go", "package pkg\n", "b.go", "package b\n")
	if got := r.find("pkg"); got.Top != r.dir || got.Sub != "pkg" {
		t.Errorf("found %+v", got)
	}
	if got := r.find(""); got.Sub != "." {
		t.Errorf("found %+v", got)
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(filepath.Join(r.dir, "pkg"), link); err != nil {
		t.Fatal(err)
	}
	if got, err := Find(ctx, link); err != nil || got.Top != r.dir || got.Sub != "pkg" {
		t.Errorf("by a link: %+v, %v", got, err)
	}
	// A working tree beside the first one, and the bare store.
	other := repository{t, filepath.Join(filepath.Dir(r.dir), "other")}
	r.git("worktree", "add", "-q", "--detach", other.dir)
	other.write("c.go", "package b\n")
	wantTree(t, other.snapshot(), map[string]string{"pkg/a.go": "package pkg\n", "b.go": "package b\n", "c.go": "package b\n"})
	wantTree(t, other.checkout("HEAD"), map[string]string{"pkg/a.go": "package pkg\n", "b.go": "package b\n"})
	bare := repository{t, filepath.Join(filepath.Dir(r.dir), "bare")}
	r.git("clone", "-q", "--bare", r.dir, bare.dir)
	wantTree(t, bare.checkout("main"), map[string]string{"pkg/a.go": "package pkg\n", "b.go": "package b\n"})
	if _, err := bare.find("").Snapshot(ctx, filepath.Join(t.TempDir(), "x")); err == nil || !strings.Contains(err.Error(), "bare") {
		t.Errorf("working tree of a bare repository: %v", err)
	}

	// A hook that runs us points at its own repository.
	t.Setenv("GIT_DIR", bare.dir)
	t.Setenv("GIT_INDEX_FILE", filepath.Join(t.TempDir(), "index"))
	if got := r.find("pkg"); got.Top != r.dir {
		t.Errorf("with GIT_DIR of another repository: %+v", got)
	}
	os.Unsetenv("GIT_DIR")
	t.Setenv("PATH", t.TempDir())
	if _, err := Find(ctx, r.dir); !errors.Is(err, ErrNoGit) {
		t.Errorf("without git: %v", err)
	}
}

// The caller's own settings stay, after ours, and what points to another
// repository goes.
func TestEnvironment(t *testing.T) {
	own := []string{"HOME=/h", "GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=a.b", "GIT_CONFIG_VALUE_0=c", "GIT_DIR=/x", "GIT_AUTHOR_NAME=n", "GIT_INDEX_FILE=/y"}
	got := environment(own, []setting{{"k.l", "v"}, {"m.n", ""}}, "LAST=1")
	want := []string{
		"HOME=/h", "GIT_CONFIG_KEY_0=a.b", "GIT_CONFIG_VALUE_0=c", "GIT_AUTHOR_NAME=n",
		"GIT_CONFIG_KEY_1=k.l", "GIT_CONFIG_VALUE_1=v", "GIT_CONFIG_KEY_2=m.n", "GIT_CONFIG_VALUE_2=", "GIT_CONFIG_COUNT=3",
	}
	if len(got) < len(want) || !cmp.Equal(want, got[:len(want)]) || got[len(got)-1] != "LAST=1" {
		t.Errorf("environment %q, want first %q", got, want)
	}
}

// What a partial clone lacks is not fetched behind the user's back.
func TestPartialClone(t *testing.T) {
	r := newRepository(t, "a.go", "package a\n")
	r.write("a.go", "package b\n")
	r.commit("second")
	r.git("config", "uploadpack.allowFilter", "true")
	partial := repository{t, filepath.Join(t.TempDir(), "partial")}
	r.git("clone", "-q", "--filter=blob:none", "file://"+r.dir, partial.dir)
	partial.untouched()
	wantTree(t, partial.checkout("HEAD"), map[string]string{"a.go": "package b\n"})
	ctx, s, found := context.Background(), scratch(t), partial.find("")
	commit, err := found.Commit(ctx, "HEAD~1")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := found.Checkout(ctx, commit, s, filepath.Join(s.Dir, "src")); err == nil || !strings.Contains(err.Error(), "this partial clone lacks some of its files") {
		t.Errorf("a revision whose files are elsewhere: %v", err)
	}
}
