package house

import (
	"bytes"
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"golang.org/x/mod/modfile"
)

// systems returns the systems whet is built for: a file with a build tag must keep to
// its floor as well.
func systems() []string { return []string{"linux/amd64", "darwin/arm64", "windows/amd64"} }

// module is read once for all tests of this file.
var module = sync.OnceValues(func() (m tree, err error) {
	out, err := run(".", nil, "go", "env", "GOMOD")
	if err != nil {
		return m, err
	}
	m.root = filepath.Dir(strings.TrimSpace(string(out)))
	// What the go command reads is not seen by go test's cache; what this
	// process reads is. A new package must not meet an old result.
	if err := walk(m.root, func(string) {}); err != nil {
		return m, err
	}
	m.systems = make(map[string][]Package)
	for _, system := range systems() {
		goos, goarch, _ := strings.Cut(system, "/")
		env := []string{"GOOS=" + goos, "GOARCH=" + goarch, "CGO_ENABLED=0"}
		if m.systems[system], err = list(m.root, env); err != nil {
			return m, err
		}
	}
	return m, nil
})

type tree struct {
	root    string
	systems map[string][]Package // with their dependencies
}

// own returns the packages of all modules, as on the first system.
func (m tree) own() []Package {
	var out []Package
	for _, p := range m.systems[systems()[0]] {
		if !p.DepOnly && !p.Standard && p.ForTest == "" {
			out = append(out, p)
		}
	}
	return out
}

func list(dir string, env []string) ([]Package, error) {
	out, err := run(dir, env, "go", "list", "-e", "-deps", "-json=ImportPath,Name,Dir,Standard,DepOnly,ForTest,Imports,TestImports,XTestImports,"+
		"GoFiles,CgoFiles,IgnoredGoFiles,TestGoFiles,XTestGoFiles", "work")
	if err != nil {
		return nil, err
	}
	var packages []Package
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p Package
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return packages, nil
		} else if err != nil {
			return nil, err
		}
		packages = append(packages, p)
	}
}

func run(dir string, env []string, name string, args ...string) ([]byte, error) {
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), env...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, errors.New(name + " " + strings.Join(args, " ") + ": " + err.Error() + "\n" + stderr.String())
	}
	return out, nil
}

func readModule(t *testing.T) tree {
	t.Helper()
	m, err := module()
	if err != nil {
		t.Fatal(err)
	}
	if len(m.own()) == 0 {
		t.Fatal("go list found no package of this module")
	}
	return m
}

func report(t *testing.T, faults []Fault) {
	t.Helper()
	var lines []string
	for _, f := range faults {
		lines = append(lines, f.String())
	}
	slices.Sort(lines)
	for _, line := range slices.Compact(lines) {
		t.Error(line)
	}
}

func TestImportsPointDown(t *testing.T) {
	m, plan := readModule(t), House()
	var code, tests []Fault
	for _, system := range systems() {
		c, ts := plan.CheckImports(m.systems[system])
		code, tests = append(code, c...), append(tests, ts...)
	}
	t.Run("code", func(t *testing.T) { report(t, code) })
	t.Run("tests", func(t *testing.T) { report(t, tests) })
	t.Run("table", func(t *testing.T) {
		for _, pattern := range plan.Unused(m.own()) {
			t.Errorf("the table in internal/house/plan.go says %q, and there is no such package or import: remove it", pattern)
		}
	})
}

// TestFiles looks at every Go file of the module, whatever system it is for.
func TestFiles(t *testing.T) {
	m, plan := readModule(t), House()
	for _, pkg := range m.own() {
		row, _, _ := plan.Place(pkg.ImportPath)
		if row.Floor == Fixture {
			continue // code as it is found, faults and all
		}
		lines := 0
		code := slices.Concat(pkg.GoFiles, pkg.CgoFiles)
		var tests []string
		for _, name := range pkg.IgnoredGoFiles {
			if strings.HasSuffix(name, "_test.go") {
				tests = append(tests, name)
			} else {
				code = append(code, name)
			}
		}
		tests = slices.Concat(tests, pkg.TestGoFiles, pkg.XTestGoFiles)

		report(t, CheckName(pkg.ImportPath, pkg.Name))
		var doc *ast.File
		for _, name := range code {
			fset, file := parse(t, m.root, pkg.Dir, name)
			// A command's comment may stand where its flags are read.
			if name == "doc.go" || name == "main.go" && pkg.Name == "main" && doc == nil {
				doc = file
			}
			report(t, plan.CheckCalls(pkg.ImportPath, fset, file))
			report(t, CheckVariables(fset, file))
			if plan.schemaless(pkg.ImportPath) {
				report(t, CheckSchemas(fset, file))
				report(t, CheckKinds(fset, file))
			}
			if row.Floor != Casebook { // whose cases stand as they were recorded
				report(t, CheckLength(pkg.ImportPath+"/"+name, fset, file))
			}
			if src, err := os.ReadFile(filepath.Join(pkg.Dir, name)); err != nil {
				t.Error(err)
			} else {
				lines += CodeLines(src)
			}
		}
		report(t, CheckSize(pkg.ImportPath, row.Floor, len(code), lines))
		for _, name := range tests {
			fset, file := parse(t, m.root, pkg.Dir, name)
			report(t, CheckSleep(fset, file))
		}
		report(t, CheckDoc(pkg.ImportPath, pkg.Name, doc))
	}
}

// parse reads a file under a name relative to the module.
func parse(t *testing.T, root, dir, name string) (*token.FileSet, *ast.File) {
	t.Helper()
	path := filepath.Join(dir, name)
	src, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if rel, err := filepath.Rel(root, path); err == nil {
		path = filepath.ToSlash(rel)
	}
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, path, src, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	return fset, file
}

func TestTrackedText(t *testing.T) {
	m := readModule(t)
	seen := 0
	for _, name := range tracked(t, m.root) {
		data, err := os.ReadFile(filepath.Join(m.root, filepath.FromSlash(name)))
		if err != nil || !IsText(data) {
			continue // removed in the work tree, a link to nowhere, or not text
		}
		seen++
		report(t, CheckText(name, data, m.root))
	}
	if seen == 0 {
		t.Fatal("there is no text file in this tree")
	}
}

// TestModules: go.work has every module of the tree, those of fixtures among them, so
// that what goes through all of it misses none; and no go.mod requires directly what its
// packages do not import.
func TestModules(t *testing.T) {
	m := readModule(t)
	work, err := run(m.root, nil, "go", "list", "-m", "-f", "{{.Dir}}")
	if err != nil {
		t.Fatal(err)
	}
	var used []string
	for dir := range strings.Lines(string(work)) {
		used = append(used, strings.TrimSpace(dir))
	}
	for _, name := range tracked(t, m.root) {
		dir := filepath.Join(m.root, filepath.FromSlash(path.Dir(name)))
		if path.Base(name) != "go.mod" || strings.Contains(name, "testdata/") || name == "bench/knowledge/modules/go.mod" { // which is copied
			continue
		}
		if !slices.Contains(used, dir) {
			t.Errorf("%s: go.work does not have this module: go work use %s", name, path.Dir(name))
		}
	}
	imports := make(map[string][]string) // by module's directory
	for _, p := range m.own() {
		var in string
		for _, dir := range used {
			if rel, err := filepath.Rel(dir, p.Dir); err == nil && filepath.IsLocal(rel) && len(dir) > len(in) {
				in = dir
			}
		}
		imports[in] = slices.Concat(imports[in], p.Imports, p.TestImports, p.XTestImports)
		if rel, _ := filepath.Rel(m.root, p.Dir); strings.Contains(filepath.ToSlash(rel), "/fixtures/") && path.Base(filepath.ToSlash(in)) != "fixtures" {
			t.Errorf("%s: fixtures are a module of their own: go mod init in the directory fixtures, and go work use it", p.ImportPath)
		}
	}
	for _, dir := range used {
		text, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		if err != nil {
			t.Fatal(err)
		}
		f, err := modfile.Parse("go.mod", text, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range f.Require {
			if !r.Indirect && !slices.ContainsFunc(imports[dir], func(imp string) bool { return imp == r.Mod.Path || strings.HasPrefix(imp, r.Mod.Path+"/") }) {
				t.Errorf("%s: nothing in the module imports %s: go mod tidy", filepath.Join(dir, "go.mod"), r.Mod.Path)
			}
		}
	}
}

// TestTestdataIsSmall bounds what the inputs of tests take of every clone, but for what was
// recorded of the rules' fixtures.
func TestTestdataIsSmall(t *testing.T) {
	const most = 4_000_000
	m := readModule(t)
	sum := int64(0)
	for _, name := range tracked(t, m.root) {
		if !strings.Contains("/"+name, "/testdata/") || strings.HasPrefix(name, "internal/diagnose/") {
			continue
		}
		if st, err := os.Stat(filepath.Join(m.root, filepath.FromSlash(name))); err == nil {
			sum += st.Size()
		}
	}
	if sum == 0 || sum > most {
		t.Errorf("testdata holds %d bytes, and %d at the most: pack, cut or share what is large", sum, most)
	}
}

// tracked lists the tree's files, slash-separated: what git tracks, or
// everything outside bin where git cannot read the tree.
func tracked(t *testing.T, root string) []string {
	t.Helper()
	if out, err := run(root, nil, "git", "ls-files", "-z"); err == nil {
		return strings.FieldsFunc(string(out), func(r rune) bool { return r == 0 })
	}
	var names []string
	if err := walk(root, func(name string) { names = append(names, name) }); err != nil {
		t.Fatal(err)
	}
	return names
}

// walk visits the regular files below root, outside .git and bin.
func walk(root string, visit func(name string)) error {
	return fs.WalkDir(os.DirFS(root), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil // it went while we looked
		case err != nil:
			return err
		case d.IsDir() && (name == ".git" || name == "bin"):
			return fs.SkipDir
		case d.Type().IsRegular():
			visit(name)
		}
		return nil
	})
}
