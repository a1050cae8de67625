package sides

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"whet/internal/gobench"
	"whet/internal/lazyregexp"
	"whet/internal/recording"
	"whet/internal/worktree"
)

// kind is the kind of an operand.
type kind int

const (
	revision    kind = iota // a commit's tree
	workingTree             // a directory with all that is around it
	packageDir              // of that, one package
	testBinary              // a file
)

var variable = lazyregexp.Pattern{Text: `^[^=\x00]+=[^\x00]*$`}

// resolve determines the kind of the operand, relative to dir.
func (s *side) resolve(ctx context.Context, dir string) error {
	for _, e := range s.spec.Env {
		if !variable.Regexp().MatchString(e) {
			return refuse(gobench.KindUsage, "%q is not a variable: write NAME=value", e)
		}
	}
	if s.spec.Operand == "" {
		return refuse(gobench.KindUsage, "name a revision, a directory or a test binary")
	}
	if !gobench.IsPath(s.spec.Operand) && !s.onlyPath(ctx, dir) {
		return s.resolveRevision(ctx, dir)
	}
	s.path = s.spec.Operand
	if !filepath.IsAbs(s.path) {
		s.path = filepath.Join(dir, s.path)
	}
	st, err := os.Stat(s.path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return refuse(gobench.KindUsage, "no such directory or file")
	case err != nil:
		return refuse(gobench.KindUsage, "cannot be read: %v", recording.RootCause(err))
	case !st.IsDir() && !st.Mode().IsRegular(): // opening a pipe waits for its writer
		return refuse(gobench.KindUsage, "it is neither a directory nor a regular file")
	case !st.IsDir():
		s.kind = testBinary
		return nil
	}
	if s.path, err = filepath.EvalSymlinks(s.path); err != nil {
		return refuse(gobench.KindUsage, "cannot be read: %v", recording.RootCause(err))
	}
	s.repo, err = worktree.Find(ctx, s.path)
	switch {
	case errors.Is(err, worktree.ErrNoRepository), errors.Is(err, worktree.ErrNoGit):
		s.top, s.sub, err = moduleTop(s.path)
	case err == nil:
		s.top, s.sub = s.repo.Top, s.repo.Sub
		if s.top == "" {
			return refuse(gobench.KindUsage, "the repository is bare: name two of its revisions")
		}
	}
	if err != nil {
		return err
	}
	s.kind = packageDir
	if has(s.path, "go.mod") || has(s.path, "go.work") {
		s.kind = workingTree
	}
	return nil
}

// onlyPath reports whether an operand that looks like a revision can only be an
// existing path, because there is no repository.
func (s *side) onlyPath(ctx context.Context, dir string) bool {
	if _, err := os.Stat(filepath.Join(dir, s.spec.Operand)); err != nil {
		return false
	}
	_, err := worktree.Find(ctx, dir)
	return errors.Is(err, worktree.ErrNoRepository) || errors.Is(err, worktree.ErrNoGit)
}

// Operands returns the two sides of a comparison with fewer than two operands. A single
// operand is old, and new is the working tree around dir; if the operand is the working
// tree itself, or one of its packages, old is the last commit. Without operands, new is
// the working tree.
func Operands(dir string, given []string) (old, new string) {
	const head, here = "HEAD", "."
	switch {
	case len(given) == 0:
		return head, here
	case len(given) > 1:
		return given[0], given[1]
	case isOf(dir, given[0]):
		return head, given[0]
	}
	return given[0], here
}

// isOf reports whether an operand is the directory dir, or, where dir is the top
// of a module or a workspace, a package in it that no other module has.
func isOf(dir, operand string) bool {
	if !gobench.IsPath(operand) {
		return false
	}
	if !filepath.IsAbs(operand) {
		operand = filepath.Join(dir, operand)
	}
	at, here := real(operand), real(dir)
	if at == "" || at == here || gobench.Root(at) == here {
		return at != ""
	}
	for ; at != here; at = filepath.Dir(at) {
		if at == filepath.Dir(at) || has(at, "go.mod") || has(at, "go.work") {
			return false
		}
	}
	return has(here, "go.mod") || has(here, "go.work")
}

// real returns a directory's absolute name without symbolic links, "" where there is
// none.
func real(dir string) string {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return ""
	}
	if abs, err = filepath.EvalSymlinks(abs); err != nil {
		return ""
	}
	if st, err := os.Stat(abs); err != nil || !st.IsDir() {
		return ""
	}
	return abs
}

// resolveRevision looks a revision up in the repository around dir.
func (s *side) resolveRevision(ctx context.Context, dir string) (err error) {
	hint := ""
	if _, err := os.Stat(filepath.Join(dir, s.spec.Operand)); err == nil {
		hint = "; write a name in this directory as ./" + s.spec.Operand
	}
	s.repo, err = worktree.Find(ctx, dir)
	if errors.Is(err, worktree.ErrNoRepository) {
		return refuse(gobench.KindUsage, "it looks like a revision, but %s is not in a git repository: name two directories, as in ../before and .%s", dir, hint)
	}
	if err != nil {
		return err
	}
	s.top, s.sub = s.repo.Top, s.repo.Sub
	s.commit, err = s.repo.Commit(ctx, s.spec.Operand)
	if err != nil {
		return refuse(gobench.KindUsage, "%v%s", err, hint)
	}
	return nil
}

// moduleTop returns the directory of the workspace or module around dir, and where dir lies
// in it.
func moduleTop(dir string) (top, sub string, err error) {
	if top = gobench.Root(dir); top != "" {
		sub, err = filepath.Rel(top, dir)
		return top, filepath.ToSlash(sub), err
	}
	return "", "", refuse(gobench.KindNoModule, "not in a Go module: no go.mod in it or above")
}

func has(dir, name string) bool {
	st, err := os.Stat(filepath.Join(dir, name))
	return err == nil && st.Mode().IsRegular()
}

// settle makes the decisions that need both sides: whether "." without a go.mod is one
// package, which it is if the other side is the directory of one, or the tree around
// it; and in which directory a revision is used that is compared with a package.
func (p *Pair) settle() error {
	here := [2]bool{}
	for w, s := range p.sides {
		here[w] = s.kind == packageDir && filepath.Clean(s.spec.Operand) == "."
	}
	for w, s := range p.sides {
		if here[w] && (here[1-w] || p.sides[1-w].kind != packageDir) {
			s.kind = workingTree
		}
	}
	for w, s := range p.sides {
		other := p.sides[1-w]
		if other.kind == packageDir && s.repo != nil && other.repo != nil && s.kind != packageDir && s.top == other.top {
			s.sub, s.one = other.sub, true // the same place in another state
		}
	}
	if p.o.Packages == "" {
		return nil
	}
	for _, s := range p.sides {
		switch s.kind {
		case packageDir:
			return refuse(gobench.KindUsage, "-pkg %s: %s is a single package: name the directory of its module, or leave -pkg out", p.o.Packages, s.spec.Operand)
		case testBinary:
			return refuse(gobench.KindUsage, "-pkg %s: %s is the test binary of one package: leave -pkg out", p.o.Packages, s.spec.Operand)
		}
	}
	return nil
}
