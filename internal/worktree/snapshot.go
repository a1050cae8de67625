package worktree

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Snapshot copies the current working tree into the directory dst: tracked and
// untracked files, and those ignored files that a build or a test reads. Submodules
// and other repositories in it are copied in the same way.
func (r *Repo) Snapshot(ctx context.Context, dst string) (*Tree, error) {
	if r.Top == "" {
		return nil, errors.New("the repository is bare: it has no working tree")
	}
	found, err := r.list(ctx)
	if err != nil {
		return nil, fmt.Errorf("list the files of %s: %w", r.Top, err)
	}
	t, err := newTree(dst)
	if err != nil {
		return nil, err
	}
	if head, err := r.git(ctx, "rev-parse", "--verify", "--quiet", "HEAD"); err == nil {
		t.Revision = strings.TrimSpace(string(head))
		t.Dirty = &found.dirty
	}
	t.Ignored, t.noSubmodules = found.ignored, found.missing
	err = t.copyAll(ctx, r.Top, slices.Concat(found.files, found.ignored))
	if r.sparse {
		t.Warnings = append(t.Warnings, "the working tree is a sparse checkout: files outside it are missing on its side")
	}
	return t, errors.Join(err, t.finish())
}

// Add copies files of the user's working tree into a tree that lacks them and
// notes them as ignored.
func (t *Tree) Add(ctx context.Context, from string, files []string) error {
	root, err := os.OpenRoot(t.Dir)
	if err != nil {
		return fmt.Errorf("add files to a tree: %w", err)
	}
	defer root.Close()
	t.root = root
	var lacking []string
	for _, f := range files {
		if _, err := root.Lstat(filepath.FromSlash(f)); errors.Is(err, fs.ErrNotExist) {
			lacking = append(lacking, f)
		}
	}
	if err := t.copyAll(ctx, from, lacking); err != nil {
		return err
	}
	for _, f := range lacking {
		if _, err := root.Lstat(filepath.FromSlash(f)); err == nil {
			t.Ignored = append(t.Ignored, f)
		}
	}
	return nil
}

// Drop takes the files that Add put in out again.
func (t *Tree) Drop() error {
	root, err := os.OpenRoot(t.Dir)
	if err != nil {
		return fmt.Errorf("take files out of a tree: %w", err)
	}
	defer root.Close()
	for _, f := range t.Ignored {
		if err := root.Remove(filepath.FromSlash(f)); err != nil {
			return fmt.Errorf("take files out of a tree: %w", err)
		}
	}
	t.Ignored = nil
	return nil
}

func (t *Tree) copyAll(ctx context.Context, from string, files []string) error {
	s, err := openSource(from)
	if err != nil {
		return err
	}
	defer s.root.Close()
	for _, f := range files {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err := t.copy(s, f); err != nil {
			return fmt.Errorf("copy %s: %w", printable(f), err)
		}
	}
	return nil
}

// Copy copies a directory that no repository holds, but for the stores of
// version control and recordings in it.
func Copy(ctx context.Context, dir, dst string) (*Tree, error) {
	s, err := openSource(dir)
	if err != nil {
		return nil, err
	}
	var files []string
	err = fs.WalkDir(s.root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err != nil && errors.Is(err, fs.ErrPermission):
			return fs.SkipDir
		case err != nil:
			return err
		case d.IsDir() && (slices.Contains([]string{".git", ".hg", ".svn", ".bzr"}, d.Name()) || ours(name)):
			return fs.SkipDir
		case !d.IsDir():
			files = append(files, name)
		}
		if len(files) > maxFiles {
			return fmt.Errorf("%s has more than %d files: name a smaller directory with a go.mod", dir, maxFiles)
		}
		return nil
	})
	s.root.Close()
	if err != nil {
		return nil, fmt.Errorf("list the files of %s: %w", dir, err)
	}
	t, err := newTree(dst)
	if err != nil {
		return nil, err
	}
	err = t.copyAll(ctx, dir, files)
	return t, errors.Join(err, t.finish())
}

// Ignored returns the files that git ignores in the working tree, and that a build
// or a test reads.
func (r *Repo) Ignored(ctx context.Context) ([]string, error) {
	if r.Top == "" {
		return nil, nil
	}
	found, err := r.list(ctx)
	if err != nil {
		return nil, fmt.Errorf("list the files of %s: %w", r.Top, err)
	}
	return found.ignored, nil
}

// listing is what is in a working tree, sorted.
type listing struct {
	files, ignored []string
	missing        []string // submodules that are not checked out
	dirty          bool
}

func (r *Repo) list(ctx context.Context) (*listing, error) {
	var found listing
	if err := r.listInto(ctx, &found, "."); err != nil {
		return nil, err
	}
	slices.Sort(found.files)
	found.files = slices.Compact(found.files)
	var err error
	found.ignored, err = wanted(ctx, r.Top, found.files, found.ignored)
	return &found, err
}

// listInto adds the files of the repository, which lies at sub in the one that
// is asked about.
func (r *Repo) listInto(ctx context.Context, found *listing, sub string) error {
	out, err := r.git(ctx, "ls-files", "--stage", "-z")
	if err != nil {
		return err
	}
	entries, err := staged(out)
	if err != nil {
		return err
	}
	var nested []string
	for _, e := range entries {
		if e.mode == modeSubmodule {
			nested = append(nested, e.path)
			continue
		}
		found.files = append(found.files, path.Join(sub, e.path))
	}
	if out, err = r.git(ctx, "ls-files", "--others", "--exclude-standard", "-z"); err != nil {
		return err
	}
	tracked := len(nested)
	for _, f := range fields(out) {
		switch dir, isRepo := strings.CutSuffix(f, "/"); {
		case isRepo:
			nested = append(nested, dir)
		case !ours(f):
			found.files = append(found.files, path.Join(sub, f))
		}
	}
	if out, err = r.git(ctx, "ls-files", "--others", "--ignored", "--exclude-standard", "-z"); err != nil {
		return err
	}
	for _, f := range fields(out) {
		if !strings.HasSuffix(f, "/") && !ours(f) {
			found.ignored = append(found.ignored, path.Join(sub, f))
		}
	}
	if out, err = r.git(ctx, "status", "--porcelain=v1", "-z", "--no-renames", "--untracked-files=normal", "--ignore-submodules=dirty"); err != nil {
		return err
	}
	found.dirty = found.dirty || IsDirty(string(out))
	for i, dir := range nested {
		switch in := r.submodule(ctx, dir); {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case in == nil && i < tracked:
			found.missing = append(found.missing, path.Join(sub, dir))
		case in == nil || in.commonDir == r.commonDir: // another working tree of the same repository
		default:
			if err := in.listInto(ctx, found, path.Join(sub, dir)); err != nil {
				return err
			}
		}
	}
	return nil
}

// IsDirty reports whether the output of git status --porcelain -z lists a change,
// other than new files of whet: recordings and the pages beside them.
func IsDirty(status string) bool {
	return slices.ContainsFunc(fields([]byte(status)), func(e string) bool {
		name, untracked := strings.CutPrefix(e, "?? ")
		return !untracked || !ours(name) && path.Ext(name) != ".html"
	})
}

// ours reports whether a file is part of a recording, or of a scratch
// directory, which lies in the tree where TMPDIR does.
func ours(name string) bool {
	for part := range strings.SplitSeq(name, "/") {
		if strings.HasSuffix(part, ".whet") || strings.Contains(part, ".whet.tmp-") || strings.HasPrefix(part, prefix) {
			return true
		}
	}
	return false
}

// Ignores reports whether git ignores a name of the tree.
func (r *Repo) Ignores(ctx context.Context, name string) bool {
	_, err := r.git(ctx, "check-ignore", "--quiet", "--", name)
	return err == nil
}
