package gobench

import (
	"context"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"whet/internal/worktree"
)

// maxCommits bounds the order of commits: as many hashes as fit into what is
// kept of git's answer.
const maxCommits = 20_000

// Commits returns the newest ancestors of HEAD in the repository around dir, the oldest
// first, parents before their children: nil if unknown.
func Commits(ctx context.Context, dir string) []string {
	out, ok := worktree.Ask(ctx, dir, "rev-list", "--topo-order", "--max-count="+strconv.Itoa(maxCommits), "HEAD")
	if !ok {
		return nil
	}
	commits := strings.Fields(out)
	slices.Reverse(commits)
	return commits
}

// CommitTime returns the commit time of the binary's revision; false if unknown.
func (b *Binary) CommitTime(ctx context.Context) (time.Time, bool) {
	if b.Revision == "" {
		return time.Time{}, false
	}
	out, ok := worktree.Ask(ctx, b.Target.ModuleDir, "show", "-s", "--format=%ct", b.Revision, "--")
	if !ok {
		return time.Time{}, false
	}
	seconds, err := strconv.ParseInt(strings.TrimSpace(out), 10, 64)
	return time.Unix(seconds, 0).UTC(), err == nil
}

// DirtyBut is Dirty without the files in the directory except: results stored inside
// the tree do not change it.
func (b *Binary) DirtyBut(ctx context.Context, except string) *bool {
	if b.Dirty == nil || !*b.Dirty {
		return b.Dirty
	}
	tree := b.Target.tree(ctx)
	rel, err := filepath.Rel(tree, except)
	if err != nil || !filepath.IsLocal(rel) || rel == "." {
		return b.Dirty
	}
	status, ok := worktree.Ask(ctx, tree, "status", "--porcelain", "-z", "--no-renames", "--", ".", ":(exclude,literal)"+filepath.ToSlash(rel))
	if !ok {
		return b.Dirty
	}
	changed := worktree.IsDirty(status)
	return &changed
}
