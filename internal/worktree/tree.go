package worktree

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Tree is a directory with the files of a side.
type Tree struct {
	Dir string // absolute
	// Revision is the commit that it holds, or that the working tree is based
	// on; "" without a repository, or before its first commit.
	Revision string
	// Dirty reports whether a working tree differs from Revision; nil: unknown.
	Dirty *bool
	// Ignored are the files in it that git ignores, with slashes.
	Ignored []string
	// Warnings list differences from the original.
	Warnings []string

	root         *os.Root
	files        int
	bytes        int64
	pointers     []string // files of git LFS that are not there
	leaving      []string // symbolic links
	unreadable   []string
	noSubmodules []string
}

// Bounds on what is copied: more than this is no tree of sources, but a home
// directory, or one with a database in it.
const (
	maxFiles = 1_000_000
	maxBytes = 16 << 30
)

// newTree begins a tree in the directory dst, which it makes.
func newTree(dst string) (*Tree, error) {
	if err := os.MkdirAll(dst, 0o755); err != nil {
		return nil, fmt.Errorf("make the directory of a tree: %w", err)
	}
	root, err := os.OpenRoot(dst)
	if err != nil {
		return nil, fmt.Errorf("open the directory of a tree: %w", err)
	}
	return &Tree{Dir: dst, root: root}, nil
}

// finish closes the tree and turns what was noted on the way into warnings.
func (t *Tree) finish() error {
	for _, w := range []struct {
		files []string
		say   string
	}{
		{t.pointers, "files of git LFS missing in the local store, replaced by their pointers (`git lfs fetch` fetches them)"},
		{t.leaving, "symbolic links that lead out of the tree, to the current files"},
		{t.unreadable, "left out of the tree: irregular or unreadable files"},
		{t.noSubmodules, "submodules that are not checked out at the tree's commit, left empty (`git submodule update --init` fetches them)"},
	} {
		if len(w.files) > 0 {
			t.Warnings = append(t.Warnings, w.say+": "+Names(w.files))
		}
	}
	return t.root.Close()
}

// Names lists files in one line, all or the first few: "a.go", "a.go, b.go and
// c.go", "a.go, b.go, c.go and 3 more".
func Names(files []string) string {
	const shown = 3
	var names []string
	for _, f := range files[:min(len(files), shown)] {
		names = append(names, printable(f))
	}
	last := len(names) - 1
	switch n := len(files); {
	case n > shown:
		return fmt.Sprintf("%s and %d more", strings.Join(names, ", "), n-shown)
	case n > 1:
		return strings.Join(names[:last], ", ") + " and " + names[last]
	}
	return strings.Join(names, "")
}

// Checkout writes the files of a commit into the directory dst. Submodules
// come at the commits that it records, from where the user has checked them
// out. Indexes go to the scratch directory.
func (r *Repo) Checkout(ctx context.Context, commit string, s *Scratch, dst string) (*Tree, error) {
	t, err := newTree(dst)
	if err != nil {
		return nil, err
	}
	t.Revision = commit
	err = r.checkout(ctx, commit, s, t, ".", r.Top)
	return t, errors.Join(err, t.finish())
}

// checkout writes a commit's files below sub; top is where the user has what
// the tree is of.
func (r *Repo) checkout(ctx context.Context, commit string, s *Scratch, t *Tree, sub, top string) error {
	dst := filepath.Join(t.Dir, filepath.FromSlash(sub))
	dir, err := os.MkdirTemp(s.Dir, "index-")
	if err != nil {
		return fmt.Errorf("make a directory for an index: %w", err)
	}
	defer os.RemoveAll(dir)
	env := append(slices.Clone(r.env), "GIT_DIR="+r.gitDir, "GIT_WORK_TREE="+dst, "GIT_INDEX_FILE="+filepath.Join(dir, "index"))
	// All files, though the user's own checkout may be sparse.
	run := func(args ...string) ([]byte, error) {
		return git(ctx, dst, env, append([]string{"-c", "core.sparseCheckout=false", "-c", "index.sparse=false"}, args...)...)
	}
	what := "check out " + commit[:min(len(commit), 12)]
	if _, err := run("read-tree", commit); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	if _, err := run("checkout-index", "--all", "--force", "--quiet"); err != nil {
		if strings.Contains(err.Error(), "not allowed") {
			return fmt.Errorf("%s: this partial clone lacks some of its files: fetch them with `git archive %s >%s` (%w)", what, commit, os.DevNull, err)
		}
		return fmt.Errorf("%s: %w", what, err)
	}
	out, err := run("ls-files", "--stage", "-z")
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	entries, err := staged(out)
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	if err := t.fetchLarge(entries, sub, r.commonDir); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	for _, e := range entries {
		name := path.Join(sub, e.path)
		switch e.mode {
		case modeLink:
			if err := t.turn(name, top); err != nil {
				return fmt.Errorf("%s: %w", what, err)
			}
		case modeSubmodule:
			in := r.submodule(ctx, e.path)
			if in == nil || in.checkout(ctx, e.hash, s, t, name, top) != nil {
				if ctx.Err() != nil {
					return context.Cause(ctx)
				}
				t.noSubmodules = append(t.noSubmodules, name)
			}
		}
	}
	return nil
}

// submodule returns the repository that is checked out at a path of the tree,
// nil when there is none of its own.
func (r *Repo) submodule(ctx context.Context, name string) *Repo {
	if r.Top == "" {
		return nil
	}
	dir := filepath.Join(r.Top, filepath.FromSlash(name))
	in, err := Find(ctx, dir)
	if err != nil || in.Top != dir {
		return nil
	}
	return in
}

// Modes of entries in an index that are no plain files.
const (
	modeLink      = "120000"
	modeSubmodule = "160000"
)

// entry is a file in an index.
type entry struct{ mode, hash, path string }

// staged reads `git ls-files --stage -z`: mode, hash, stage, a tab, the path. A
// file in conflict, which has several stages, comes once.
func staged(out []byte) ([]entry, error) {
	var all []entry
	for _, f := range fields(out) {
		head, name, ok := strings.Cut(f, "\t")
		words := strings.Fields(head)
		if !ok || len(words) != 3 || !filepath.IsLocal(filepath.FromSlash(name)) {
			return nil, fmt.Errorf("read the list of files: %q is not an entry of an index", printable(f))
		}
		if n := len(all); n > 0 && all[n-1].path == name {
			continue
		}
		all = append(all, entry{words[0], words[1], name})
	}
	return all, nil
}

// turn makes a symbolic link of the tree lead where it led from its place in
// the user's tree, top: inside of the tree to the tree's own file, elsewhere to
// the same place.
func (t *Tree) turn(name, top string) error {
	target, err := t.root.Readlink(filepath.FromSlash(name))
	if err != nil {
		return nil // a system, or a configuration, without symbolic links
	}
	to, leaves := turned(name, filepath.ToSlash(target), filepath.ToSlash(top))
	if leaves {
		t.leaving = append(t.leaving, name)
	}
	if to == filepath.ToSlash(target) {
		return nil
	}
	if err := t.root.Remove(filepath.FromSlash(name)); err != nil {
		return err
	}
	return t.root.Symlink(filepath.FromSlash(to), filepath.FromSlash(name))
}

// turned returns where a link called name, relative to the tree, leads from the
// copy when it led to target from the tree at top.
func turned(name, target, top string) (to string, leaves bool) {
	if top == "" {
		return target, !filepath.IsLocal(filepath.FromSlash(path.Join(path.Dir(name), target)))
	}
	if !path.IsAbs(target) && !filepath.IsAbs(filepath.FromSlash(target)) {
		inside := path.Join(path.Dir(name), target)
		if filepath.IsLocal(filepath.FromSlash(inside)) {
			return target, false
		}
		return path.Join(top, inside), true
	}
	inside, ok := strings.CutPrefix(path.Clean(target)+"/", path.Clean(top)+"/")
	if !ok {
		return target, true
	}
	up := strings.Repeat("../", strings.Count(name, "/"))
	return path.Clean(up + inside), false
}

// source is where files are copied from.
type source struct {
	root *os.Root
	dir  string
	real map[string]bool // directories, by whether they are no links
}

func openSource(dir string) (*source, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("open the tree %s: %w", dir, err)
	}
	return &source{root: root, dir: dir, real: map[string]bool{".": true}}, nil
}

// within reports whether neither a directory nor any above it is a symbolic link: a
// file reached through one is not the tree's.
func (s *source) within(dir string) bool {
	known, ok := s.real[dir]
	if !ok {
		st, err := s.root.Lstat(filepath.FromSlash(dir))
		known = err == nil && st.IsDir() && s.within(path.Dir(dir))
		s.real[dir] = known
	}
	return known
}

// copy puts a file of the source into the tree under the same name. One that
// is gone is none of the tree's.
func (t *Tree) copy(s *source, name string) error {
	local := filepath.FromSlash(name)
	if !filepath.IsLocal(local) || !s.within(path.Dir(name)) {
		return nil
	}
	st, err := s.root.Lstat(local)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if err := t.root.MkdirAll(filepath.Dir(local), 0o755); err != nil {
		return err
	}
	t.files++
	t.bytes += st.Size()
	if t.files > maxFiles || t.bytes > maxBytes {
		return fmt.Errorf("%s has more than %d files or %d GiB: name a smaller directory with a go.mod", s.dir, maxFiles, maxBytes>>30)
	}
	switch {
	case st.Mode()&fs.ModeSymlink != 0:
		target, err := s.root.Readlink(local)
		if err != nil {
			return err
		}
		if err := t.root.Symlink(target, local); err != nil {
			return err
		}
		return t.turn(name, s.dir)
	case !st.Mode().IsRegular():
		t.unreadable = append(t.unreadable, name)
		return nil
	}
	from, err := s.root.Open(local)
	if errors.Is(err, fs.ErrPermission) {
		t.unreadable = append(t.unreadable, name)
		return nil
	}
	if err != nil {
		return err
	}
	defer from.Close()
	to, err := t.root.OpenFile(local, os.O_WRONLY|os.O_CREATE|os.O_EXCL, st.Mode().Perm()|0o600)
	if err != nil {
		return err
	}
	// What grows while it is read is copied as long as it was.
	if _, err := io.Copy(to, io.LimitReader(from, st.Size())); err != nil {
		to.Close()
		return err
	}
	return to.Close()
}
