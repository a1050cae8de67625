package gobench

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Broken is a package that the go command cannot read, and why.
type Broken struct {
	ImportPath string
	Err        *Error
}

// Benchmarked returns the packages that the pattern matches, as seen from dir,
// and that have a benchmark in a test file that is part of the build; those of
// them that the go command cannot read are broken. Nothing is built. A pattern that matches no package
// at all is an error of KindNoPackage, one that matches none with benchmarks is
// not. At the root of a workspace "./..." are the packages of all modules that
// go.work lists below it, where the go command would match none, or those of one
// module.
func Benchmarked(ctx context.Context, dir, pattern string, o BuildOptions) (targets []*Target, broken []Broken, err error) {
	if pattern == "" || strings.HasPrefix(pattern, "-") {
		return nil, nil, newError(KindUsage, "", fmt.Sprintf("%q is not a pattern of packages: write it as go test does, ./...", pattern), "")
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return nil, nil, fmt.Errorf("list %s: %w", pattern, err)
	}
	ask := []string{pattern}
	if pattern == "./..." {
		if ask, err = everywhere(ctx, dir, o); err != nil {
			return nil, nil, err
		}
	}
	all, _, err := goList(ctx, dir, pattern, o, ask...)
	if err != nil {
		return nil, nil, err
	}
	first := &Target{WorkDir: dir}
	if err := first.askEnv(ctx, o); err != nil {
		return nil, nil, err
	}
	if first.ownModules(ctx, o); err != nil {
		return nil, nil, err
	}
	for _, p := range all {
		t := &Target{
			WorkDir: dir, Operand: p.ImportPath, Own: first.Own, Workspace: first.Workspace,
			GOROOT: first.GOROOT, GOMODCACHE: first.GOMODCACHE, GOFLAGS: first.GOFLAGS, GOVERSION: first.GOVERSION,
		}
		t.describe(p)
		switch has := hasBenchmarks(t.TestFiles); {
		case p.Error != nil && (has || p.Name == "" || p.Dir == ""):
			broken = append(broken, Broken{p.ImportPath, listFailed(p.ImportPath, p.Error.Err, "")})
		case has:
			targets = append(targets, t)
		}
	}
	if len(broken) == len(all) {
		return nil, nil, broken[0].Err
	}
	return targets, broken, nil
}

// everywhere returns the patterns that stand for all packages below a directory:
// "./...", or at the root of a workspace one for each of its modules there.
func everywhere(ctx context.Context, dir string, o BuildOptions) ([]string, error) {
	all := []string{"./..."}
	if !regular(dir, "go.work") {
		return all, nil
	}
	main, err := mainModules(ctx, dir, o)
	if err != nil {
		return nil, err
	}
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	var patterns []string
	for _, m := range main {
		at := m.Dir
		if real, err := filepath.EvalSymlinks(at); err == nil {
			at = real
		}
		if rel, err := filepath.Rel(dir, at); err == nil && filepath.IsLocal(rel) {
			patterns = append(patterns, "./"+path.Join(filepath.ToSlash(rel), "..."))
		}
	}
	if len(patterns) == 0 {
		return all, nil
	}
	return patterns, nil
}

func regular(dir, name string) bool {
	st, err := os.Stat(filepath.Join(dir, name))
	return err == nil && st.Mode().IsRegular()
}

// maxSource bounds a file that is looked through.
const maxSource = 8 << 20

// hasBenchmarks reports whether one of the files declares a benchmark. A file
// that cannot be read, does not parse or is too large may; building it will say.
func hasBenchmarks(files []string) bool {
	return slices.ContainsFunc(files, func(name string) bool {
		if st, err := os.Stat(name); err != nil || !st.Mode().IsRegular() || st.Size() > maxSource {
			return true
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		return err != nil || slices.ContainsFunc(f.Decls, isBenchmark)
	})
}

// isBenchmark reports whether go test takes the declaration for a benchmark:
// func BenchmarkX(b *testing.B), where X does not begin with a lower-case
// letter. The name of the parameter's type is enough for it, whatever testing
// is imported as.
func isBenchmark(d ast.Decl) bool {
	f, ok := d.(*ast.FuncDecl)
	if !ok || f.Recv != nil || f.Type.TypeParams != nil || f.Type.Results != nil || f.Type.Params.NumFields() != 1 {
		return false
	}
	rest, ok := strings.CutPrefix(f.Name.Name, "Benchmark")
	if !ok {
		return false
	}
	if r, _ := utf8.DecodeRuneInString(rest); rest != "" && unicode.IsLower(r) {
		return false
	}
	star, ok := f.Type.Params.List[0].Type.(*ast.StarExpr)
	if !ok {
		return false
	}
	switch of := star.X.(type) {
	case *ast.SelectorExpr:
		return of.Sel.Name == "B"
	case *ast.Ident: // import . "testing"
		return of.Name == "B"
	}
	return false
}
