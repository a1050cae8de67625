package gobench

import (
	"context"
	"path/filepath"
	"strings"

	"whet/internal/worktree"
)

// tree returns the directory whose changes a build of the target may hold: that of its
// workspace, where one repository has both, or else its module's.
func (t *Target) tree(ctx context.Context) string {
	if t.Workspace == "" {
		return t.ModuleDir
	}
	top, ok := worktree.Ask(ctx, t.ModuleDir, "rev-parse", "--show-toplevel")
	top = filepath.FromSlash(strings.TrimSpace(top))
	work, err := filepath.EvalSymlinks(t.Workspace)
	if !ok || err != nil || !within(top, work) || !within(t.Workspace, t.ModuleDir) {
		return t.ModuleDir
	}
	return t.Workspace
}

// within reports whether name is dir or lies in it.
func within(dir, name string) bool {
	rel, err := filepath.Rel(dir, name)
	return err == nil && filepath.IsLocal(rel)
}

// revision asks git about the module's directory. Anything but a plain answer
// leaves it unknown: no git, no repository, a directory that the repository
// around it does not track, another owner's.
func revision(ctx context.Context, dir string) (vcs, rev string, dirty *bool) {
	if tracked, ok := worktree.Ask(ctx, dir, "ls-files", "-z", "--", "."); !ok || tracked == "" {
		return "", "", nil
	}
	head, ok := worktree.Ask(ctx, dir, "rev-parse", "--verify", "HEAD")
	if !ok {
		return "", "", nil
	}
	vcs, rev = "git", strings.TrimSpace(head)
	status, ok := worktree.Ask(ctx, dir, "status", "--porcelain", "-z", "--no-renames", "--", ".")
	if !ok {
		return vcs, rev, nil
	}
	changed := worktree.IsDirty(status)
	return vcs, rev, &changed
}

// Diff returns the changes of tracked files in the directory of the module or its
// workspace since the revision, as git prints them, bounded to 1 MiB; nil if there are
// none or git fails. Commands in the user's configuration for showing them are not run.
func (b *Binary) Diff(ctx context.Context) []byte {
	if b.Dirty == nil || !*b.Dirty {
		return nil
	}
	diff, ok := worktree.Ask(ctx, b.Target.tree(ctx), "diff", "--no-ext-diff", "--no-textconv", "--no-color", "HEAD", "--", ".")
	if !ok {
		return nil
	}
	return []byte(diff)
}
