package gobench

import (
	"context"
	"path"
	"strings"
	"time"

	"whet/internal/capture/process"
)

// gitLimit bounds each question to git: a revision is not worth a wait.
const gitLimit = 5 * time.Second

// revision asks git about the module's directory. Anything but a plain answer
// leaves it unknown: no git, no repository, a directory that the repository
// around it does not track, another owner's.
func revision(ctx context.Context, dir string) (vcs, rev string, dirty *bool) {
	if tracked, ok := git(ctx, dir, "ls-files", "-z", "--", "."); !ok || tracked == "" {
		return "", "", nil
	}
	head, ok := git(ctx, dir, "rev-parse", "--verify", "HEAD")
	if !ok {
		return "", "", nil
	}
	vcs, rev = "git", strings.TrimSpace(head)
	status, ok := git(ctx, dir, "status", "--porcelain", "-z", "--no-renames", "--", ".")
	if !ok {
		return vcs, rev, nil
	}
	changed := isDirty(status)
	return vcs, rev, &changed
}

// Diff returns the changes of tracked files in the module's directory since
// the revision, as git prints them, bounded to 1 MiB; nil when there are none
// or git cannot tell. What the user's configuration would run to show them is
// left out.
func (b *Binary) Diff(ctx context.Context) []byte {
	if b.Dirty == nil || !*b.Dirty {
		return nil
	}
	diff, ok := git(ctx, b.Target.ModuleDir, "diff", "--no-ext-diff", "--no-textconv", "--no-color", "HEAD", "--", ".")
	if !ok {
		return nil
	}
	return []byte(diff)
}

// isDirty reads git status --porcelain -z. Any change counts, except new files
// that whet itself leaves behind: recordings and the pages beside them.
func isDirty(status string) bool {
	for entry := range strings.SplitSeq(status, "\x00") {
		name, untracked := strings.CutPrefix(entry, "?? ")
		if entry == "" || untracked && ours(name) {
			continue
		}
		return true
	}
	return false
}

func ours(name string) bool {
	if path.Ext(name) == ".html" {
		return true
	}
	for part := range strings.SplitSeq(name, "/") {
		if strings.HasSuffix(part, ".whet") || strings.Contains(part, ".whet.tmp-") {
			return true
		}
	}
	return false
}

func git(ctx context.Context, dir string, args ...string) (string, bool) {
	out := process.NewBounded(1<<20, 0)
	res, err := process.Run(ctx, process.Command{
		Path: "git",
		// A file system monitor is a program that the repository names.
		Args: append([]string{"-C", dir, "-c", "core.fsmonitor=false"}, args...),
		// Without this, status rewrites the index.
		Env:    environ("", []string{"GIT_OPTIONAL_LOCKS=0", "LC_ALL=C"}),
		Stdout: out, Timeout: gitLimit,
	})
	if err != nil || !res.OK() {
		return "", false
	}
	head, _, _ := out.Parts()
	return string(head), true
}
