package gobench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// ListedPackage is a package that a pattern matched.
type ListedPackage struct {
	ImportPath string
	// Operand is the operand of Resolve for it, from the same directory.
	Operand string
	// Benchmarks reports whether its test files seem to define any: a package without
	// benchmarks need not be built.
	Benchmarks bool
	// Err is the reason that it cannot be built, nil if unknown.
	Err error
}

// maxListed bounds how many packages one list may have.
const maxListed = 10_000

// List returns the packages that match the operands, relative to the directory dir:
// directories, package paths, and patterns with "..." of both. The go command expands a
// pattern of directories in the directory before its first "...", so that it may be in
// another module. Packages are listed once, in the order of the operands.
func List(ctx context.Context, dir string, operands []string, o BuildOptions) ([]ListedPackage, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("list packages: %w", err)
	}
	var out []ListedPackage
	seen := make(map[string]bool)
	for _, operand := range operands {
		found, err := list(ctx, dir, operand, o)
		if err != nil {
			return nil, err
		}
		for _, l := range found {
			if !seen[l.ImportPath] {
				seen[l.ImportPath] = true
				out = append(out, l)
			}
		}
		if len(out) > maxListed {
			return nil, newError(KindUsage, "", fmt.Sprintf("more than %d packages: name fewer", maxListed), "")
		}
	}
	return out, nil
}

func list(ctx context.Context, dir, operand string, o BuildOptions) ([]ListedPackage, error) {
	workDir, ask, err := where(dir, operand, `"./..."`)
	if err != nil {
		return nil, err
	}
	all, _, err := goList(ctx, workDir, operand, o, ask)
	if err != nil {
		return nil, err
	}
	var out []ListedPackage
	for _, p := range all {
		l := ListedPackage{ImportPath: p.ImportPath, Operand: p.ImportPath}
		if IsPath(operand) && p.Dir != "" {
			l.Operand = p.Dir
		}
		if p.Error != nil {
			// A directory with tests alone has no error; one without anything
			// for this system has nothing to run either.
			if strings.Contains(p.Error.Err, "build constraints exclude all Go files") && strings.Contains(operand, "...") {
				continue
			}
			named := p.ImportPath
			if !strings.Contains(operand, "...") {
				named = operand
			}
			l.Err = listFailed(named, p.Error.Err, "")
		}
		l.Benchmarks = hasBenchmarks(absolute(p.Dir, p.TestGoFiles, p.XTestGoFiles))
		out = append(out, l)
	}
	switch {
	case len(out) == 0:
		return nil, noMatch(operand, "")
	case len(out) == 1 && out[0].Err != nil && !strings.Contains(operand, "..."):
		return nil, out[0].Err // it was asked for by name
	}
	return out, nil
}

// where returns the directory to ask in for an operand, and what to ask for there.
// Another one would be as in example.
func where(dir, operand, example string) (workDir, ask string, err error) {
	switch {
	case operand == "":
		return "", "", newError(KindUsage, "", `no package given: name one, as in "./pkg" or `+example, "")
	case strings.HasPrefix(operand, "-"):
		return "", "", newError(KindUsage, "", fmt.Sprintf("%q is not a package", operand), "")
	case IsPath(operand), isFile(dir, operand):
		return patternDir(dir, operand)
	}
	return dir, operand, nil
}

// isFile reports whether an operand names a Go file: the go command would make a
// package of it. Paths of packages may end so, too.
func isFile(dir, operand string) bool {
	if !strings.HasSuffix(operand, ".go") {
		return false
	}
	st, err := os.Stat(filepath.Join(dir, operand))
	return err == nil && !st.IsDir()
}

// patternDir splits a pattern of directories into the directory to ask in and
// the pattern as seen from there.
func patternDir(dir, operand string) (workDir, ask string, err error) {
	base, rest, pattern := strings.Cut(operand, "...")
	if pattern {
		// "./ab..." matches what begins with ab in the directory above.
		i := strings.LastIndexAny(base, `/`+string(filepath.Separator))
		base, rest = base[:i+1], base[i+1:]+"..."+rest
	}
	abs := base
	if !filepath.IsAbs(abs) {
		abs = filepath.Join(dir, abs)
	}
	st, err := os.Stat(abs)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return "", "", newError(KindNoPackage, "", fmt.Sprintf("no directory %s", base), "")
	case err != nil:
		return "", "", newError(KindNoPackage, "", fmt.Sprintf("look at %s: %v", base, rootCause(err)), "")
	case !st.IsDir():
		return "", "", newError(KindNoPackage, "", fmt.Sprintf("%s is a file: give the directory of its package", base), "")
	}
	if !pattern {
		return filepath.Clean(abs), ".", nil
	}
	return filepath.Clean(abs), "./" + filepath.ToSlash(rest), nil
}
