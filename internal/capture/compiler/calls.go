package compiler

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"

	"whet/internal/document"
	format "whet/internal/format/compiler"
	"whet/internal/gobench"
)

const mode = packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports |
	packages.NeedTypes | packages.NeedTypesSizes | packages.NeedSyntax | packages.NeedTypesInfo | packages.NeedForTest

// Calls returns the calls in the wanted files, which it maps from absolute
// names to those in the profiles; only files in modules that the user owns are
// looked at. Those of the target's own package are in own, which [OwnCalls] returned;
// nil: it is read here. When some cannot be type-checked the error says so, and the
// calls are those that could be read.
func Calls(ctx context.Context, t *gobench.Target, o gobench.BuildOptions, files map[string]string, own map[string][]format.Call) (format.Calls, error) {
	calls := format.Calls{Schema: document.Calls}
	found := map[string][]format.Call{}
	wanted := map[string]string{}
	others := map[string]bool{}
	tests, operand := false, false
	for abs, frame := range files {
		abs = filepath.Clean(abs)
		path := importPath(t, filepath.Dir(abs))
		switch {
		case path == "":
			continue
		case path != t.ImportPath && filepath.Dir(abs) != t.Dir:
			others[path] = true
		case own == nil:
			operand, tests = true, tests || strings.HasSuffix(abs, "_test.go")
		case len(own[abs]) > 0:
			found[abs] = own[abs]
		}
		wanted[abs] = frame
	}
	var failed error // the first failure: the others mostly follow from it
	if operand {
		failed = read(ctx, t, o, wanted, found, tests, t.Operand)
	}
	if len(others) > 0 && ctx.Err() == nil {
		failed = cmp.Or(failed, read(ctx, t, o, wanted, found, false, slices.Sorted(maps.Keys(others))...))
	}
	if ctx.Err() != nil && (operand || len(others) > 0) {
		return calls, fmt.Errorf("read the calls of %s: %w", t.ImportPath, context.Cause(ctx))
	}
	for abs, list := range found {
		calls.Files = append(calls.Files, format.File{Frame: wanted[abs], Calls: list})
	}
	slices.SortFunc(calls.Files, func(a, b format.File) int { return strings.Compare(a.Frame, b.Frame) })
	return calls, failed
}

// OwnCalls returns the calls in the target's own package, by absolute file name:
// with its tests, or without where a program has nothing of them.
func OwnCalls(ctx context.Context, t *gobench.Target, o gobench.BuildOptions, tests bool) (map[string][]format.Call, error) {
	found := map[string][]format.Call{}
	err := read(ctx, t, o, nil, found, tests, t.Operand)
	return found, err
}

// read adds the calls in packages to found, by absolute file name: those in the
// wanted files, or with nil in all.
func read(ctx context.Context, t *gobench.Target, o gobench.BuildOptions, wanted map[string]string, found map[string][]format.Call, tests bool, patterns ...string) error {
	pkgs, err := loadPackages(ctx, t, o, mode, tests, patterns...)
	if err != nil {
		return err
	}
	// A package with its tests compiled in has all files of the one without.
	slices.SortStableFunc(pkgs, func(a, b *packages.Package) int {
		return cmp.Compare(len(b.Syntax), len(a.Syntax))
	})
	visited := map[string]bool{} // Go files
	for _, p := range pkgs {
		err = cmp.Or(err, packageError(p))
		w := newWalker(p, wanted)
		for _, f := range p.Syntax {
			name := p.Fset.Position(f.FileStart).Filename
			if full := p.Fset.File(f.FileStart); full != nil {
				name = full.Name()
			}
			if visited[name] {
				w.skip(f)
				continue
			}
			visited[name] = true
			w.file(f, found)
		}
	}
	for _, list := range found {
		slices.SortStableFunc(list, func(a, b format.Call) int { return cmp.Compare(a.Line, b.Line) })
	}
	return err
}

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
		return nil, fmt.Errorf("read the calls of %s: %w", strings.Join(patterns, " "), err)
	}
	return pkgs, nil
}

// packageError says that calls in a package could not be read.
func packageError(p *packages.Package) error {
	if err := firstError(p); err != nil {
		return fmt.Errorf("read the calls of %s: %w", p.PkgPath, err)
	}
	return nil
}

// firstError is the first thing that is wrong with a package, in one line.
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
