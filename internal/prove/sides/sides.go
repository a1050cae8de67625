package sides

import (
	"context"
	"slices"
	"time"

	"whet/internal/analyze/compare"
	"whet/internal/gobench"
	"whet/internal/worktree"
)

// Spec is the user's specification of one side.
type Spec struct {
	// Operand is a git revision, a directory with a go.mod (its whole tree), the
	// directory of a package, a test binary, or "." (the working tree around
	// Options.Dir, with uncommitted changes). Operands that are "." or "..", or begin
	// with "./", "../" or a root are paths, all others revisions.
	Operand string
	Env     []string // KEY=value, for its build and its processes
	Flags   []string // further go build flags
}

// Options configure the two sides.
type Options struct {
	Dir      string // the user's working directory
	Old, New Spec
	// Packages is the pattern of packages, as seen from Dir in either tree;
	// "" is "./...". Directories of one package have no pattern.
	Packages string
	Tags     string   // go build -tags, both sides
	Flags    []string // further go build flags, both sides
	Race     bool     // whether Test will be asked for the race detector
	Layouts  bool     // whether Link will be asked for layouts
	Scratch  string   // directory for the trees and binaries; "" is the system's for temporary files
	Progress func(stage string)
}

// Package is a package with benchmarks that both sides have.
type Package struct {
	// ImportPath is that of new. Old's differs if the two directories contain the same
	// code under two names.
	ImportPath, OldImportPath string
	SHA256                    [2]string // of the test binaries, by side
}

// Identical reports whether the two test binaries are equal, byte for byte.
func (p Package) Identical() bool { return p.SHA256[compare.Old] == p.SHA256[compare.New] }

// Pair is both sides, built. Its methods may be called concurrently, Link and
// Test for different packages or sides.
type Pair struct {
	o        Options
	scratch  *worktree.Scratch
	sides    [2]*side
	packages []Package
	only     [2][]string
	layouts  bool
	warnings []string
}

// Packages returns the packages that both sides have and that have benchmarks.
func (p *Pair) Packages() []Package { return p.packages }

// OnlyOld returns the import paths of packages with benchmarks that new lacks.
func (p *Pair) OnlyOld() []string { return p.only[compare.Old] }

// OnlyNew returns the import paths of packages with benchmarks that old lacks.
func (p *Pair) OnlyNew() []string { return p.only[compare.New] }

// Warnings returns the obstacles to a fair comparison of the sides.
func (p *Pair) Warnings() []string { return p.warnings }

// Layouts reports whether both sides can be linked in random order. If not, Link
// returns the first build, and a warning gives the reason.
func (p *Pair) Layouts() bool { return p.layouts }

// Side describes the origin and the build of a side.
func (p *Pair) Side(w compare.Side) compare.Program { return p.sides[w].facts }

// Env returns the variables that the side's processes have beyond our own. Its
// binaries set them themselves.
func (p *Pair) Env(w compare.Side) []string { return slices.Clone(p.sides[w].env) }

// Build returns the options that the side is built with, for further questions to
// the compiler about its source.
func (p *Pair) Build(w compare.Side) gobench.BuildOptions { return p.sides[w].options }

// Binary returns the test binary of a package as the linker lays it out by itself.
func (p *Pair) Binary(w compare.Side, pkg int) *gobench.Binary { return p.sides[w].binaries[pkg] }

// Link returns the test binary of a package with its functions in the order
// that the seed draws, the same for both sides as far as their functions are
// the same in number. It takes the place of the one linked before for the side
// and package.
func (p *Pair) Link(ctx context.Context, w compare.Side, pkg int, seed uint64) (*gobench.Binary, error) {
	s := p.sides[w]
	if !p.layouts {
		return s.binaries[pkg], nil
	}
	b, err := s.binaries[pkg].Link(ctx, s.options, seed, p.file(w, "layout", pkg))
	if err != nil {
		return nil, s.failed(ctx, err)
	}
	return b, nil
}

// Test runs the tests of a package that run selects, as go test -run does, with
// a binary of their own when race is set.
func (p *Pair) Test(ctx context.Context, w compare.Side, pkg int, run string, limit time.Duration, race bool) (gobench.Tests, error) {
	s := p.sides[w]
	b := s.binaries[pkg]
	if race && s.kind != testBinary {
		o := s.options
		o.Flags = append(o.Flags[:len(o.Flags):len(o.Flags)], "-race")
		var err error
		if b, err = b.Link(ctx, o, 0, p.file(w, "race", pkg)); err != nil {
			return gobench.Tests{}, s.failed(ctx, err)
		}
	}
	t, err := b.Test(ctx, run, limit)
	if err != nil {
		err = s.failed(ctx, err)
	}
	return t, err
}

// Scratch returns a directory that Close removes, and the next start after a kill.
func (p *Pair) Scratch() string { return p.scratch.Dir }

// Close removes the trees and binaries.
func (p *Pair) Close() error { return p.scratch.Close() }
