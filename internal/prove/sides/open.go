package sides

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime"

	"whet/internal/analyze/compare"
	"whet/internal/gobench"
)

// kind is what an operand is.
type kind int

const (
	revision    kind = iota // a commit's tree
	workingTree             // what stands in a directory and around it
	packageDir              // of that, one package
	testBinary              // a file
)

// side is one of the two, as far as it is made.
type side struct {
	spec     Spec
	kind     kind
	options  gobench.BuildOptions
	facts    compare.Side
	binaries []*gobench.Binary // by package
}

// file is where a package's binary of a side goes: names of equal length on
// both sides, for a program's name is part of what its stack begins with.
func (p *Pair) file(w compare.Which, what string, pkg int) string {
	name := fmt.Sprintf("%04d.test", pkg)
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	return filepath.Join(p.scratch.Dir, w.String(), what, name)
}

// Open resolves both operands, makes their trees and builds the test binary of
// every package that both have. An error has one line that names the side.
func Open(ctx context.Context, o Options) (*Pair, error) {
	return nil, ctx.Err()
}
