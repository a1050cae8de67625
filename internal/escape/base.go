package escape

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	analysis "whet/internal/analyze/escape"
	"whet/internal/cli"
	"whet/internal/gobench"
	"whet/internal/worktree"
)

// before asks the compiler about the same packages in a revision.
func (v *verb) before(ctx context.Context, operands []string, o gobench.BuildOptions) (r *analysis.Result, name func(string) string, warnings []string, err error) {
	repo, err := worktree.Find(ctx, ".")
	switch {
	case errors.Is(err, worktree.ErrNoRepository):
		return nil, nil, nil, cli.UsageError("escape: -base needs a revision, but this directory is not in a git repository")
	case err != nil:
		return nil, nil, nil, err
	}
	commit, err := repo.Commit(ctx, v.base)
	if err != nil {
		return nil, nil, nil, cli.UsageError("escape: -base: %v", err)
	}
	scratch, err := worktree.NewScratch("")
	if err != nil {
		return nil, nil, nil, err
	}
	defer func() { err = errors.Join(err, scratch.Close()) }()
	tree, err := repo.Checkout(ctx, commit, scratch, filepath.Join(scratch.Dir, "src"))
	if err != nil {
		return nil, nil, nil, err
	}
	ignored, err := repo.Ignored(ctx)
	if err == nil && len(ignored) > 0 {
		err = tree.Add(ctx, repo.Top, ignored)
	}
	if err != nil {
		return nil, nil, nil, err
	}
	env, err := tree.Modules(ctx, repo.Top, repo.Sub, o.Env, func(name string) bool { return repo.Ignores(ctx, name) })
	if err != nil {
		return nil, nil, nil, err
	}
	o.Env = append(o.Env[:len(o.Env):len(o.Env)], env...)
	there := make([]string, len(operands))
	for i, operand := range operands {
		there[i] = operand
		if rel, err := filepath.Rel(repo.Top, operand); filepath.IsAbs(operand) && err == nil && filepath.IsLocal(rel) {
			there[i] = filepath.Join(tree.Dir, rel)
		}
	}
	a, err := ask(ctx, filepath.Join(tree.Dir, filepath.FromSlash(repo.Sub)), there, o, v.tests)
	if err != nil {
		// The user knows his files, and not the copy of them.
		return nil, nil, nil, fmt.Errorf("%s: %w", v.base, told(err, tree.Dir))
	}
	for _, w := range tree.Warnings {
		warnings = append(warnings, v.base+": "+w)
	}
	for _, w := range a.warnings {
		warnings = append(warnings, v.base+": "+strings.ReplaceAll(w, tree.Dir+string(filepath.Separator), ""))
	}
	return analysis.Analyze(a.report, analysis.Options{Source: a.source, Package: a.packageOf}), a.name("text"), warnings, nil
}

// told returns an error without the name of a directory that nobody knows.
func told(err error, dir string) error {
	dir += string(filepath.Separator)
	var e *gobench.Error
	if errors.As(err, &e) {
		short := *e
		short.Text = strings.ReplaceAll(e.Text, dir, "")
		return &short
	}
	if text := strings.ReplaceAll(err.Error(), dir, ""); text != err.Error() {
		return errors.New(text)
	}
	return err
}
