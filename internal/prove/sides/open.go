package sides

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"

	"whet/internal/analyze/compare"
	"whet/internal/gobench"
	"whet/internal/recording"
	"whet/internal/worktree"
)

// side is one of the two, as far as it is made.
type side struct {
	which compare.Side
	spec  Spec
	kind  kind

	path   string         // of a directory or a file, absolute
	repo   *worktree.Repo // nil: there is none
	top    string         // of the tree, where the user has it
	sub    string         // in the tree: where patterns are seen from, with slashes
	one    bool           // only the package at sub
	commit string         // of a revision

	tree     *worktree.Tree
	options  gobench.BuildOptions // of builds
	env      []string             // of processes
	targets  []*gobench.Target    // all that have benchmarks
	broken   []gobench.Broken
	facts    compare.Program
	binaries []*gobench.Binary // by package
}

// Open resolves both operands, makes their trees and builds the test binary of
// every package that both have. An error has one line that names the side.
func Open(ctx context.Context, o Options) (*Pair, error) {
	dir, err := filepath.Abs(o.Dir)
	if err == nil {
		dir, err = filepath.EvalSymlinks(dir)
	}
	if err != nil {
		return nil, fmt.Errorf("find the working directory: %w", err)
	}
	o.Dir = dir
	if o.Progress == nil {
		o.Progress = func(string) {}
	}
	p := &Pair{o: o}
	for w, spec := range [...]Spec{o.Old, o.New} {
		p.sides[w] = &side{which: compare.Side(w), spec: spec}
		if err := p.sides[w].resolve(ctx, dir); err != nil {
			return nil, p.sides[w].failed(ctx, err)
		}
	}
	if err := p.settle(); err != nil {
		return nil, err
	}
	if p.scratch, err = worktree.NewScratch(o.Scratch); err != nil {
		if told := full(err, o.Scratch); told != err {
			return nil, told
		}
		return nil, fmt.Errorf("%w: set TMPDIR to a writable directory", err)
	}
	if err := p.make(ctx); err != nil {
		_ = p.Close() // err has the reason
		return nil, err
	}
	return p, nil
}

// make does the work that needs the scratch directory.
func (p *Pair) make(ctx context.Context) error {
	for _, s := range p.sides {
		for _, dir := range []string{"first", "layout", "race", "tmp"} {
			if err := os.MkdirAll(filepath.Join(p.scratch.Dir, s.which.String(), dir), 0o755); err != nil {
				return full(fmt.Errorf("make a directory for binaries: %w", err), filepath.Dir(p.scratch.Dir))
			}
		}
		if s.kind == testBinary {
			continue
		}
		p.o.Progress("reading " + s.which.String())
		if err := p.plant(ctx, s); err != nil {
			return s.failed(ctx, full(err, filepath.Dir(p.scratch.Dir)))
		}
	}
	if err := p.build(ctx); err != nil {
		return err
	}
	p.describe()
	return p.probeLayouts(ctx)
}

// failed says which side an error is of. The context's stays as it is.
func (s *side) failed(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	var e *gobench.Error
	if errors.As(err, &e) {
		told := *e
		text := e.Text
		if s.tree != nil {
			// The user knows his files, and not the copy of them.
			text = strings.ReplaceAll(text, s.tree.Dir+string(filepath.Separator), "")
		}
		told.Text = fmt.Sprintf("%s (%v): %s", s.spec.Operand, s.which, text)
		if e.Kind == gobench.KindCompile && s.tree != nil && len(s.tree.Warnings) > 0 {
			// Missing parts of the tree, such as a submodule, are often the reason.
			told.Text += "; " + strings.Join(s.tree.Warnings, "; ")
		}
		return &told
	}
	return fmt.Errorf("%s (%v): %w", s.spec.Operand, s.which, err)
}

// full adds a remedy to an error about a full disk, unless a build's error has one
// already.
func full(err error, where string) error {
	if err == nil || errors.As(err, new(*gobench.Error)) {
		return err
	}
	if !errors.Is(err, syscall.ENOSPC) && !errors.Is(err, syscall.EDQUOT) && !strings.Contains(strings.ToLower(err.Error()), "no space left on device") {
		return err
	}
	return &gobench.Error{Kind: gobench.KindFailed, Text: fmt.Sprintf(
		"%v: free space in %s, or set TMPDIR to a directory with more", err, where)}
}

func refuse(kind gobench.Kind, format string, args ...any) error {
	return &gobench.Error{Kind: kind, Text: fmt.Sprintf(format, args...)}
}

// file returns the path of a package's binary of a side: names have equal length on
// both sides, because a program's stack begins with its name.
func (p *Pair) file(w compare.Side, what string, pkg int) string {
	name := fmt.Sprintf("%04d.test", pkg)
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	return filepath.Join(p.scratch.Dir, w.String(), what, name)
}

func (p *Pair) warn(text string) {
	if !slices.Contains(p.warnings, text) {
		p.warnings = append(p.warnings, text)
	}
}

// describe completes the facts about the sides.
func (p *Pair) describe() {
	for _, s := range p.sides {
		b := s.binaries[0]
		s.facts.Operand, s.facts.Env, s.facts.Flags = s.spec.Operand, append([]string{}, recording.Variables(s.spec.Env)...), append([]string{}, s.spec.Flags...)
		s.facts.Module, s.facts.GoVersion, s.facts.Tests = b.Target.Module, b.GoVersion, "not run"
		if s.kind != revision {
			s.facts.Tree = s.path
		}
		if s.tree != nil {
			s.facts.Revision, s.facts.Dirty = s.tree.Revision, s.tree.Dirty
			for _, w := range s.tree.Warnings {
				p.warn(fmt.Sprintf("%v: %s", s.which, w))
			}
			if s.kind == revision && len(s.tree.Ignored) > 0 {
				p.warn(fmt.Sprintf("%v: uses git-ignored files of the current working tree: %s", s.which, worktree.Names(s.tree.Ignored)))
			}
		}
		if len(p.packages) == 1 {
			s.facts.Package, s.facts.SHA256 = b.Target.ImportPath, p.packages[0].SHA256[s.which]
		}
	}
}

// probeLayouts finds out whether both sides' linkers can draw an order.
func (p *Pair) probeLayouts(ctx context.Context) error {
	if !p.o.Layouts {
		return nil
	}
	for _, s := range p.sides {
		if s.kind == testBinary {
			p.warn(fmt.Sprintf("%s is a test binary: neither side is linked in other layouts, so the ratio includes the effect of code placement", s.spec.Operand))
			return nil
		}
		can, err := s.binaries[0].Target.CanLayOut(ctx, s.options)
		if err != nil {
			return s.failed(ctx, err)
		}
		if !can {
			p.warn(fmt.Sprintf("the linker of %s (%v) cannot vary the layout: the ratio includes the effect of code placement", s.facts.GoVersion, s.which))
			return nil
		}
	}
	p.layouts = true
	return nil
}
