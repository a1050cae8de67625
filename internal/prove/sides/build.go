package sides

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"whet/internal/analyze/compare"
	"whet/internal/gobench"
	"whet/internal/recording"
	"whet/internal/worktree"
)

// plant makes the side's tree and the settings of its builds.
func (p *Pair) plant(ctx context.Context, s *side) (err error) {
	dst := filepath.Join(p.scratch.Dir, s.which.String(), "src")
	switch {
	case s.kind == revision:
		if s.tree, err = s.repo.Checkout(ctx, s.commit, p.scratch, dst); err != nil {
			return err
		}
		ignored, err := s.repo.Ignored(ctx)
		if err != nil {
			return err
		}
		if len(ignored) > 0 { // a bare repository has no tree to take them from
			if err := s.tree.Add(ctx, s.top, ignored); err != nil {
				return err
			}
		}
	case s.repo != nil:
		s.tree, err = s.repo.Snapshot(ctx, dst)
	default:
		s.tree, err = worktree.Copy(ctx, s.top, dst)
	}
	if err != nil {
		return err
	}
	return p.prepare(ctx, s)
}

// prepare sets the flags and variables of the side's build.
func (p *Pair) prepare(ctx context.Context, s *side) error {
	ignores := func(name string) bool { return s.repo != nil && s.repo.Ignores(ctx, name) }
	more, err := s.tree.Modules(ctx, s.top, s.sub, s.spec.Env, ignores)
	if err != nil {
		return err
	}
	s.env = slices.Concat(s.spec.Env, more)
	flags, tags := splitTags(slices.Concat(p.o.Flags, s.spec.Flags))
	if flags, err = p.userFiles(flags); err != nil {
		return err
	}
	if p.o.Tags != "" {
		tags = append([]string{p.o.Tags}, tags...)
	}
	s.options = gobench.BuildOptions{
		Tags: strings.Join(tags, ","),
		// The last one counts: paths are never part of a binary.
		Flags: append(flags, "-trimpath"),
		// The leftovers of a killed build are removed with the rest.
		Env: append(slices.Clone(s.env), "GOTMPDIR="+filepath.Join(p.scratch.Dir, s.which.String(), "tmp")),
	}
	return nil
}

// splitTags takes -tags out of flags: of several the go command takes the last,
// but those of both sides and those of one are meant to add up.
func splitTags(flags []string) (rest, tags []string) {
	for i := 0; i < len(flags); i++ {
		name, value, ok := strings.Cut(flags[i], "=")
		if name != "-tags" && name != "--tags" {
			rest = append(rest, flags[i])
			continue
		}
		if !ok && i+1 < len(flags) {
			i++
			value = flags[i]
		}
		if value != "" {
			tags = append(tags, value)
		}
	}
	return rest, tags
}

// userFiles makes the name of the profile of -pgo absolute, which is relative to the
// user's directory, and refuses flags that name single files of the user's tree: they
// would have no effect in a copy.
func (p *Pair) userFiles(flags []string) ([]string, error) {
	out := slices.Clone(flags)
	for i, f := range out {
		name, value, ok := strings.Cut(f, "=")
		at := i
		if !ok && i+1 < len(out) {
			at, value = i+1, out[i+1]
		}
		switch strings.TrimLeft(name, "-") {
		case "o", "c", "i", "n", "C", "exec", "json":
			return nil, refuse(gobench.KindUsage, "%q is not supported here: leave it out", f)
		case "overlay":
			return nil, refuse(gobench.KindUsage, "-overlay names files of your tree, but whet builds a copy: make the change in a separate directory and name that")
		case "pgo":
			if value == "" || value == "auto" || value == "off" || filepath.IsAbs(value) {
				continue
			}
			if out[at] = filepath.Join(p.o.Dir, value); ok {
				out[at] = name + "=" + out[at]
			}
		}
	}
	return out, nil
}

// build finds the packages that both sides have and builds them.
func (p *Pair) build(ctx context.Context) error {
	for _, s := range p.sides {
		if s.kind != testBinary {
			continue
		}
		if err := p.openBinary(ctx, s); err != nil {
			return s.failed(ctx, err)
		}
	}
	for _, s := range p.sides {
		if err := p.list(ctx, s); err != nil {
			return s.failed(ctx, full(err, filepath.Dir(p.scratch.Dir)))
		}
	}
	pairs, err := p.match()
	if err != nil {
		return err
	}
	for _, s := range p.sides {
		err := p.buildSide(ctx, s, pairs)
		if err != nil && s.kind == revision && len(s.tree.Ignored) > 0 && ctx.Err() == nil {
			err = p.buildWithout(ctx, s, pairs, err)
		}
		if err != nil {
			return s.failed(ctx, full(err, filepath.Dir(p.scratch.Dir)))
		}
	}
	for i, pair := range pairs {
		one := Package{ImportPath: pair[compare.New].ImportPath, OldImportPath: pair[compare.Old].ImportPath}
		for w, s := range p.sides {
			if one.SHA256[w], err = sum(s.binaries[i].Path); err != nil {
				return s.failed(ctx, err)
			}
		}
		p.packages = append(p.packages, one)
	}
	return nil
}

// list finds the packages of a side that have benchmarks.
func (p *Pair) list(ctx context.Context, s *side) (err error) {
	other := p.sides[1-s.which]
	pattern := p.o.Packages
	switch {
	case s.kind == testBinary:
		return nil
	case s.kind == packageDir || s.one:
		pattern = "."
	case len(other.binaries) > 0:
		pattern = other.binaries[0].Target.ImportPath
	case other.kind == packageDir:
		if pattern, err = p.nameOf(ctx, other); err != nil {
			return err
		}
	case pattern == "":
		pattern = "./..."
	}
	dir := filepath.Join(s.tree.Dir, filepath.FromSlash(s.sub))
	if st, err := os.Stat(dir); err != nil || !st.IsDir() {
		return refuse(gobench.KindNoPackage, "no directory %s in it: run in a directory that both sides have", s.sub)
	}
	if !s.inModule(dir) {
		return refuse(gobench.KindNoModule, "no go.mod in %s or above: run in the directory of a module", s.sub)
	}
	s.targets, s.broken, err = gobench.Benchmarked(ctx, dir, pattern, s.options)
	if len(other.binaries) > 0 && len(s.targets) > 0 {
		// Its tests read the files in its directory.
		other.binaries[0].Target.Dir = s.targets[0].Dir
	}
	return err
}

// inModule reports whether a directory of the tree is in a module or a
// workspace, or the build knows better.
func (s *side) inModule(dir string) bool {
	if slices.ContainsFunc(slices.Concat(os.Environ(), s.env), func(e string) bool {
		return strings.HasPrefix(e, "GOWORK=/") || e == "GO111MODULE=off"
	}) {
		return true
	}
	for {
		if has(dir, "go.mod") || has(dir, "go.work") {
			return true
		}
		if dir == s.tree.Dir || dir == filepath.Dir(dir) {
			return false
		}
		dir = filepath.Dir(dir)
	}
}

// nameOf returns the import path of a side that is one package.
func (p *Pair) nameOf(ctx context.Context, s *side) (string, error) {
	t, err := gobench.Resolve(ctx, filepath.Join(s.tree.Dir, filepath.FromSlash(s.sub)), ".", s.options)
	if err != nil {
		return "", s.failed(ctx, err)
	}
	return t.ImportPath, nil
}

// buildSide builds the first binary of every package of a side.
func (p *Pair) buildSide(ctx context.Context, s *side, pairs [][2]*gobench.Target) error {
	if s.kind == testBinary {
		return nil
	}
	s.binaries = nil
	for i, pair := range pairs {
		t := pair[s.which]
		p.o.Progress(fmt.Sprintf("building %v: %s", s.which, t.ImportPath))
		o := s.options
		o.Work = p.file(s.which, "work", i)
		b, err := gobench.Build(ctx, t, o, p.file(s.which, "first", i))
		if err != nil {
			return err
		}
		b.Env = s.env
		s.binaries = append(s.binaries, b)
	}
	return nil
}

// buildWithout builds a revision again without the files of the working tree that git
// ignores: they may be of another time. If that fails too it returns the first error.
func (p *Pair) buildWithout(ctx context.Context, s *side, pairs [][2]*gobench.Target, first error) error {
	ignored := slices.Clone(s.tree.Ignored)
	if err := s.tree.Drop(); err != nil {
		return err
	}
	again := make([][2]*gobench.Target, len(pairs))
	for i, pair := range pairs {
		t, err := gobench.Resolve(ctx, pair[s.which].WorkDir, pair[s.which].Operand, s.options)
		if err != nil {
			return first
		}
		again[i][s.which] = t
	}
	if err := p.buildSide(ctx, s, again); err != nil {
		return first
	}
	p.warn(fmt.Sprintf("%v does not build with the working tree's git-ignored files and was built without them: %s", s.which, worktree.Names(ignored)))
	return nil
}

// openBinary takes in a test binary: a copy, so that the user may build the
// next one meanwhile, under a name as long as the other side's.
func (p *Pair) openBinary(ctx context.Context, s *side) error {
	to := p.file(s.which, "first", 0)
	if err := copyFile(s.path, to); err != nil {
		return full(fmt.Errorf("copy it: %w", recording.RootCause(err)), filepath.Dir(p.scratch.Dir))
	}
	b, err := gobench.Open(ctx, s.path, p.o.Dir, s.spec.Env)
	if err != nil {
		return err
	}
	b.Path = to
	s.env = s.spec.Env
	s.binaries, s.targets = []*gobench.Binary{b}, []*gobench.Target{b.Target}
	if len(s.spec.Flags) > 0 {
		return refuse(gobench.KindUsage, "build flags do not apply to a test binary: leave them out")
	}
	if p.o.Race {
		p.warn(fmt.Sprintf("%s is a test binary: its tests run without the race detector", s.spec.Operand))
	}
	return nil
}

func copyFile(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	st, err := in.Stat()
	if err != nil {
		return err
	}
	if !st.Mode().IsRegular() {
		return fs.ErrInvalid
	}
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o700)
	if err != nil {
		return err
	}
	if _, err := io.Copy(out, in); err != nil {
		return errors.Join(err, out.Close())
	}
	return out.Close()
}

func sum(name string) (string, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", fmt.Errorf("read %s: %w", filepath.Base(name), err)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
