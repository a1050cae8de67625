package worktree

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// ErrNoRepository means that a directory is not in a repository.
var ErrNoRepository = errors.New("not in a git repository")

// Repo is a repository of the user's, which is only read.
type Repo struct {
	// Top is the directory of the working tree, "" of a bare repository.
	Top string
	// Sub is where in the tree the directory lies that Find was asked about,
	// with slashes; "." is the top.
	Sub string

	gitDir, commonDir string
	shallow, sparse   bool
	env               []string
}

// Find finds the repository around a directory. Without one the error is
// ErrNoRepository; if git refuses to read it, the error has the reason.
func Find(ctx context.Context, dir string) (*Repo, error) {
	dir, err := filepath.EvalSymlinks(dir)
	if err == nil {
		dir, err = filepath.Abs(dir)
	}
	if err != nil {
		return nil, fmt.Errorf("look for a repository: %w", err)
	}
	env := environment(os.Environ(), harmless)
	ask := func(what ...string) (string, error) {
		out, err := git(ctx, dir, env, append([]string{"rev-parse"}, what...)...)
		return strings.TrimSuffix(string(out), "\n"), err
	}
	gitDir, err := ask("--absolute-git-dir")
	var refused *refusal
	if errors.As(err, &refused) && strings.HasPrefix(refused.said, "not a git repository") {
		return nil, ErrNoRepository
	}
	if err != nil && strings.Contains(err.Error(), "dubious ownership") {
		return nil, fmt.Errorf("%w: if you trust it, run `git config --global --add safe.directory` with its path", err)
	}
	if err != nil {
		return nil, fmt.Errorf("look at the repository of %s: %w", dir, err)
	}
	r := &Repo{gitDir: filepath.FromSlash(gitDir), Sub: "."}
	if common, err := ask("--git-common-dir"); err == nil {
		r.commonDir = filepath.FromSlash(common)
		if !filepath.IsAbs(r.commonDir) {
			r.commonDir = filepath.Join(dir, r.commonDir)
		}
	}
	shallow, _ := ask("--is-shallow-repository")
	r.shallow = shallow == "true"
	if bare, _ := ask("--is-bare-repository"); bare != "true" {
		top, err := ask("--show-toplevel")
		if err != nil {
			return nil, fmt.Errorf("look at the repository of %s: %w", dir, err)
		}
		if r.Top, err = filepath.EvalSymlinks(filepath.FromSlash(top)); err != nil {
			return nil, fmt.Errorf("look at the repository of %s: %w", dir, err)
		}
		sub, err := filepath.Rel(r.Top, dir)
		if err != nil || !filepath.IsLocal(sub) {
			return nil, fmt.Errorf("look at the repository of %s: it is not below %s", dir, r.Top)
		}
		r.Sub = filepath.ToSlash(sub)
	}
	if r.env, err = r.settings(ctx, dir, env); err != nil {
		return nil, err
	}
	sparse, _ := git(ctx, dir, r.env, "config", "--type=bool", "--get", "core.sparseCheckout")
	r.sparse = strings.TrimSpace(string(sparse)) == "true"
	return r, nil
}

// settings returns the environment in which git runs none of the filters that this
// repository's configuration, or the user's, defines.
func (r *Repo) settings(ctx context.Context, dir string, env []string) ([]string, error) {
	out, err := git(ctx, dir, env, "config", "-z", "--name-only", "--get-regexp", `^filter\.`)
	var refused *refusal
	if err != nil && !errors.As(err, &refused) { // status 1: there are none
		return nil, err
	}
	all := harmless[:len(harmless):len(harmless)]
	seen := make(map[string]bool)
	for _, key := range fields(out) {
		i := strings.LastIndexByte(key, '.')
		driver := key[:max(i, 0)]
		if driver == "filter" || seen[driver] {
			continue
		}
		seen[driver] = true
		all = append(all,
			setting{driver + ".clean", ""}, setting{driver + ".smudge", ""},
			setting{driver + ".process", ""}, setting{driver + ".required", "false"})
	}
	return environment(os.Environ(), all), nil
}

// git runs git for the repository, in its tree where it has one.
func (r *Repo) git(ctx context.Context, args ...string) ([]byte, error) {
	dir := r.Top
	if dir == "" {
		dir = r.gitDir
	}
	return git(ctx, dir, r.env, args...)
}
