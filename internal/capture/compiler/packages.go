package compiler

import (
	"context"
	"fmt"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/packages"

	"whet/internal/gobench"
)

// loadPackages asks the go command for packages, built with the flags of the binary.
func loadPackages(ctx context.Context, t *gobench.Target, o gobench.BuildOptions, mode packages.LoadMode, tests bool, patterns ...string) ([]*packages.Package, error) {
	flags, _ := listFlags(o.Flags)
	if o.Tags != "" {
		flags = append(flags, "-tags="+o.Tags)
	}
	env, remove := gobench.Scratch(append(os.Environ(), o.Env...))
	defer remove()
	pkgs, err := packages.Load(&packages.Config{
		Mode: mode, Context: ctx, Dir: t.WorkDir, Tests: tests, BuildFlags: flags,
		// A driver of the user's own answers for another build system.
		Env: append(env, "PWD="+t.WorkDir, "GOPACKAGESDRIVER=off"),
	}, patterns...)
	if err != nil {
		return nil, fmt.Errorf("load %s: %w", strings.Join(patterns, " "), err)
	}
	return pkgs, nil
}

// firstError returns the first thing that is wrong with a package, in one line.
// Complaints of the type checker have positions; those of the go command, which
// may repeat them, come under headings.
func firstError(p *packages.Package) error {
	if len(p.Errors) == 0 {
		return nil
	}
	i := max(0, slices.IndexFunc(p.Errors, func(e packages.Error) bool {
		return e.Kind == packages.ParseError || e.Kind == packages.TypeError
	}))
	e := p.Errors[i]
	for line := range strings.Lines(e.Msg) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			e.Msg = line
			break
		}
	}
	return e
}

// Imports returns the user's packages that the files of the target import, and with tests
// those that its tests do; sorted.
func Imports(t *gobench.Target, tests bool) []string {
	files, found := t.GoFiles, make(map[string]bool)
	if tests {
		files = slices.Concat(files, t.TestFiles)
	}
	for _, file := range files {
		f, _ := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		if f == nil {
			continue // the build says why
		}
		for _, spec := range f.Imports {
			path, _ := strconv.Unquote(spec.Path.Value)
			if slices.ContainsFunc(t.Own, func(m gobench.OwnModule) bool { return strings.HasPrefix(path+"/", m.Path+"/") }) {
				found[path] = true
			}
		}
	}
	delete(found, t.ImportPath) // by its external tests
	return slices.Sorted(maps.Keys(found))
}

// importPath returns the path of the package in dir, "" when it lies in none
// of the user's modules.
func importPath(t *gobench.Target, dir string) string {
	if dir == t.Dir {
		return t.ImportPath
	}
	best, length := "", -1
	for _, m := range t.Own {
		rel, err := filepath.Rel(m.Dir, dir)
		if err != nil || rel != "." && !filepath.IsLocal(rel) || len(m.Dir) <= length {
			continue
		}
		length = len(m.Dir)
		switch rel = filepath.ToSlash(rel); {
		case rel == ".":
			best = m.Path
		case m.Path == "std":
			best = rel
		default:
			best = m.Path + "/" + rel
		}
	}
	return best
}
