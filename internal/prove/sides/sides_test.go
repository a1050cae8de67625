//go:build unix

package sides

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"whet/internal/analyze/compare"
	"whet/internal/gobench"
)

func TestMain(m *testing.M) {
	for _, e := range []string{"GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_CONFIG_NOSYSTEM=1", "GOFLAGS=", "GOWORK=", "GOTOOLCHAIN=local"} {
		name, value, _ := strings.Cut(e, "=")
		os.Setenv(name, value)
	}
	goleak.VerifyTestMain(m)
}

func write(t *testing.T, dir string, files ...string) {
	t.Helper()
	for i := 0; i < len(files); i += 2 {
		name := filepath.Join(dir, files[i])
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(files[i+1]), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func git(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=Test", "-c", "user.email=test@example.com"}, args...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_OPTIONAL_LOCKS=0")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %q: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

const goMod = "module own.test/mod\n\ngo 1.26\n"

// benchFile is a test file whose benchmark reports a constant of the package,
// the working directory's length and variables of the environment.
const benchFile = `package p

import (
	"fmt"
	"os"
	"testing"
)

func BenchmarkA(b *testing.B) {
	for b.Loop() {
	}
	dir, _ := os.Getwd()
	b.ReportMetric(Value, "value")
	b.ReportMetric(float64(len(dir)), "dir")
	b.ReportMetric(float64(len(os.Args[0])), "name")
	var knob float64
	fmt.Sscan(os.Getenv("KNOB"), &knob)
	b.ReportMetric(knob, "knob")
}

func TestValue(t *testing.T) {
	if Value < 0 {
		t.Errorf("Value is %d", Value)
	}
}
`

func value(n int) string { return fmt.Sprintf("package p\n\nconst Value = %d\n", n) }

// repository has a package with a benchmark, which reports 1 in the first
// commit, 2 in the second and 3 in the working tree.
func repository(t *testing.T, more ...string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	git(t, dir, "init", "-q", "-b", "main")
	write(t, dir, append([]string{
		"go.mod", goMod, "p/p.go", value(1), "p/p_test.go", benchFile, "none/none.go", "package none\n", "none/none_test.go", "package none\n",
		"gone/p.go", value(9), "gone/p_test.go", benchFile,
	}, more...)...)
	git(t, dir, "add", "-A")
	git(t, dir, "commit", "-q", "-m", "first")
	write(t, dir, "p/p.go", value(2))
	git(t, dir, "commit", "-q", "-a", "-m", "second")
	git(t, dir, "tag", "v1.0.0", "HEAD~1")
	if err := os.RemoveAll(filepath.Join(dir, "gone")); err != nil {
		t.Fatal(err)
	}
	write(t, dir, "p/p.go", value(3), "fresh/p.go", value(9), "fresh/p_test.go", benchFile)
	return dir
}

// files are all files of a directory, with their contents.
func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := make(map[string]string)
	if err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(name)
		out[name] = string(data)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return out
}

func untouched(t *testing.T, dir string) {
	t.Helper()
	before := files(t, dir)
	t.Cleanup(func() {
		if d := cmp.Diff(before, files(t, dir)); d != "" {
			t.Errorf("the user's files were touched: %s", d)
		}
	})
}

func open(t *testing.T, o Options) *Pair {
	t.Helper()
	o.Scratch = t.TempDir()
	p, err := Open(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
		if left, _ := os.ReadDir(o.Scratch); len(left) > 0 {
			t.Errorf("left behind: %v", left)
		}
	})
	return p
}

// metrics runs a binary's benchmark once.
func metrics(t *testing.T, b *gobench.Binary) map[string]float64 {
	t.Helper()
	res, err := b.Run(context.Background(), gobench.Run{Bench: "BenchmarkA", BenchTime: "1x", Timeout: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	out := make(map[string]float64)
	for _, m := range res.Lines[0].Metrics {
		out[m.Unit] = m.Value
	}
	return out
}

// values returns what the benchmark of the only package reports on either side.
func values(t *testing.T, p *Pair) [2]float64 {
	t.Helper()
	if len(p.Packages()) != 1 {
		t.Fatalf("packages %+v", p.Packages())
	}
	old, new := metrics(t, p.Binary(compare.Old, 0)), metrics(t, p.Binary(compare.New, 0))
	if old["dir"] != new["dir"] || old["name"] != new["name"] {
		t.Errorf("the processes are not alike: %v, %v", old, new)
	}
	return [2]float64{old["value"], new["value"]}
}

// A revision against the working tree as it stands: packages, facts, layouts,
// tests, environment; nothing of the user's is touched and nothing is left.
func TestRevisionAgainstWorkingTree(t *testing.T) {
	if testing.Short() {
		t.Skip("measures in rounds")
	}
	dir := repository(t)
	untouched(t, dir)
	var stages []string
	p := open(t, Options{
		Dir: dir, Old: Spec{Operand: "v1.0.0", Env: []string{"KNOB=5"}}, New: Spec{Operand: ".", Flags: []string{"-gcflags=-l"}},
		Layouts: true, Progress: func(s string) { stages = append(stages, s) },
	})
	if got := values(t, p); got != [2]float64{1, 3} {
		t.Errorf("values %v", got)
	}
	if got := p.Packages()[0]; got.ImportPath != "own.test/mod/p" || got.OldImportPath != got.ImportPath || got.Identical() {
		t.Errorf("package %+v", got)
	}
	if d := cmp.Diff([][]string{{"own.test/mod/gone"}, {"own.test/mod/fresh"}}, [][]string{p.OnlyOld(), p.OnlyNew()}); d != "" {
		t.Errorf("packages on one side: %s", d)
	}
	if d := cmp.Diff([]string{"reading old", "reading new", "building old: own.test/mod/p", "building new: own.test/mod/p"}, stages); d != "" {
		t.Errorf("stages: %s", d)
	}
	if len(p.Warnings()) > 0 {
		t.Errorf("warnings %q", p.Warnings())
	}
	dirty := true
	sums := p.Packages()[0].SHA256
	for w, want := range []compare.Program{
		{Operand: "v1.0.0", Revision: git(t, dir, "rev-parse", "v1.0.0"), Env: []string{"KNOB=…"}, Flags: []string{}, SHA256: sums[0]},
		{Operand: ".", Revision: git(t, dir, "rev-parse", "HEAD"), Dirty: &dirty, Tree: dir, Env: []string{}, Flags: []string{"-gcflags=-l"}, SHA256: sums[1]},
	} {
		got := p.Side(compare.Side(w))
		want.Package, want.Module, want.Tests, want.GoVersion = "own.test/mod/p", "own.test/mod", "not run", p.Binary(compare.Old, 0).GoVersion
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("facts of side %d: %s", w, d)
		}
	}
	if got := metrics(t, p.Binary(compare.Old, 0))["knob"]; got != 5 {
		t.Errorf("KNOB of old is %v", got)
	}
	if got := metrics(t, p.Binary(compare.New, 0))["knob"]; got != 0 || len(p.Env(compare.New)) > 0 || !slices.Equal(p.Env(compare.Old), []string{"KNOB=5"}) {
		t.Errorf("KNOB of new is %v", got)
	}

	ctx := context.Background()
	if !p.Layouts() {
		t.Error("no layouts")
	}
	for _, w := range []compare.Side{compare.Old, compare.New} {
		one, err := p.Link(ctx, w, 0, 1)
		if err != nil {
			t.Fatal(err)
		}
		first, err := sum(one.Path)
		if err != nil {
			t.Fatal(err)
		}
		two, err := p.Link(ctx, w, 0, 2)
		if err != nil {
			t.Fatal(err)
		}
		if second, err := sum(two.Path); err != nil || second == first || first == sums[w] {
			t.Errorf("%v: layouts %s and %s, first build %s, %v", w, first, second, sums[w], err)
		}
		if got := metrics(t, two); got["value"] != float64(1+2*w) || got["knob"] != float64(5-5*w) {
			t.Errorf("%v in another layout: %v", w, got)
		}
		if kept, _ := filepath.Glob(filepath.Join(filepath.Dir(two.Path), "*")); len(kept) != 1 {
			t.Errorf("%v: kept %v", w, kept)
		}
		if now, err := sum(p.Binary(w, 0).Path); err != nil || now != sums[w] {
			t.Errorf("%v: the first build changed, %v", w, err)
		}
	}
	got, err := p.Test(ctx, compare.New, 0, "", time.Minute, false)
	if err != nil || !got.Ran || !got.Passed {
		t.Errorf("tests: %+v, %v", got, err)
	}
}

// Everything that a user may name.
func TestOperands(t *testing.T) {
	if testing.Short() {
		t.Skip("measures in rounds")
	}
	dir := repository(t, "q/p.go", value(7), "q/p_test.go", benchFile)
	before := filepath.Join(t.TempDir(), "before")
	git(t, dir, "worktree", "add", "-q", "--detach", before, "v1.0.0")
	plain := t.TempDir() // no git, no common parent, another module path
	write(t, plain, "go.mod", "module renamed.test/x\n\ngo 1.26\n", "p/p.go", value(8), "p/p_test.go", benchFile, "q/p.go", value(6), "q/p_test.go", benchFile)
	binary := filepath.Join(plain, "old.test")
	build := exec.Command("go", "test", "-c", "-vet=off", "-o", binary, "./p")
	build.Dir = before
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	git(t, dir, "checkout", "-q", "--detach")
	untouched(t, dir)
	for _, tt := range []struct {
		name, dir, old, new, packages string
		want                          [2]float64
		paths                         [2]string
		warning                       string
	}{
		{"two revisions", dir, "HEAD~1", "main", "./p", [2]float64{1, 2}, [2]string{"own.test/mod/p", "own.test/mod/p"}, ""},
		{"from a package's directory", dir + "/p", "HEAD", ".", "", [2]float64{2, 3}, [2]string{"own.test/mod/p", "own.test/mod/p"}, ""},
		{"a package against its revision", dir, "HEAD", "./p", "", [2]float64{2, 3}, [2]string{"own.test/mod/p", "own.test/mod/p"}, ""},
		{"two packages", dir, "./p", "./q", "", [2]float64{3, 7}, [2]string{"own.test/mod/p", "own.test/mod/q"}, ""},
		{"a package and the one here", dir + "/p", "../q", ".", "", [2]float64{7, 3}, [2]string{"own.test/mod/q", "own.test/mod/p"}, ""},
		{"two trees", dir, before, ".", "./p", [2]float64{1, 3}, [2]string{"own.test/mod/p", "own.test/mod/p"}, ""},
		{"a renamed module without git", dir, plain, ".", "./p", [2]float64{8, 3}, [2]string{"renamed.test/x/p", "own.test/mod/p"}, ""},
		{"a test binary against the working tree", dir, binary, ".", "", [2]float64{1, 3}, [2]string{"own.test/mod/p", "own.test/mod/p"}, "old.test is a test binary: neither side is linked in other layouts"},
		{"two directories outside of git, by their names", plain, "p", "q", "", [2]float64{8, 6}, [2]string{"renamed.test/x/p", "renamed.test/x/q"}, ""},
		{"two test binaries", plain, "./old.test", binary, "", [2]float64{1, 1}, [2]string{"own.test/mod/p", "own.test/mod/p"}, "is a test binary"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := open(t, Options{Dir: tt.dir, Old: Spec{Operand: tt.old}, New: Spec{Operand: tt.new}, Packages: tt.packages, Layouts: true})
			if got := values(t, p); got != tt.want {
				t.Errorf("values %v, want %v", got, tt.want)
			}
			if got := p.Packages()[0]; got.OldImportPath != tt.paths[0] || got.ImportPath != tt.paths[1] {
				t.Errorf("package %+v", got)
			}
			if tt.warning == "" && len(p.Warnings()) > 0 || !strings.Contains(strings.Join(p.Warnings(), "\n"), tt.warning) || p.Layouts() != (tt.warning == "") {
				t.Errorf("warnings %q, layouts %v", p.Warnings(), p.Layouts())
			}
			if !p.Layouts() {
				if b, err := p.Link(context.Background(), compare.New, 0, 5); err != nil || b != p.Binary(compare.New, 0) {
					t.Errorf("linked %+v, %v", b, err)
				}
			}
		})
	}
}

// Who names one side means what is not the same: of the working tree and its
// packages the last commit is old.
func TestOneOperand(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "go.mod", goMod, "p/p.go", value(1), "p/sub/p.go", value(1), "nested/go.mod", goMod, "nested/p/p.go", value(1))
	for _, c := range []struct {
		dir   string
		given []string
		want  [2]string
	}{
		{dir, nil, [2]string{"HEAD", "."}},
		{dir, []string{"."}, [2]string{"HEAD", "."}},
		{dir, []string{"./"}, [2]string{"HEAD", "./"}},
		{dir, []string{dir}, [2]string{"HEAD", dir}},
		{dir, []string{"./p"}, [2]string{"HEAD", "./p"}},
		{dir + "/p", []string{"."}, [2]string{"HEAD", "."}},
		{dir + "/p", []string{"./sub"}, [2]string{"./sub", "."}},
		{dir, []string{"./nested"}, [2]string{"./nested", "."}},
		{dir, []string{"./nested/p"}, [2]string{"./nested/p", "."}},
		{dir, []string{"../before"}, [2]string{"../before", "."}},
		{dir, []string{"main"}, [2]string{"main", "."}},
		{dir, []string{".", "."}, [2]string{".", "."}},
	} {
		if old, new := Operands(c.dir, c.given); [2]string{old, new} != c.want {
			t.Errorf("%q in %s: %s and %s, want %q", c.given, c.dir, old, new, c.want)
		}
	}
}

// The root of a workspace stands for the modules that go.work lists, and for no
// other.
func TestWorkspace(t *testing.T) {
	if testing.Short() {
		t.Skip("measures in rounds")
	}
	dir := t.TempDir()
	for i, name := range []string{"a", "b", "unlisted"} {
		write(t, dir, name+"/go.mod", "module own.test/"+name+"\n\ngo 1.26\n", name+"/p.go", value(i), name+"/p_test.go", benchFile)
	}
	write(t, dir, "go.work", "go 1.26\n\nuse (\n\t./a\n\t./b\n)\n")
	p := open(t, Options{Dir: dir, Old: Spec{Operand: "."}, New: Spec{Operand: "."}})
	var got []string
	for _, one := range p.Packages() {
		got = append(got, one.ImportPath)
	}
	if want := []string{"own.test/a", "own.test/b"}; !slices.Equal(got, want) {
		t.Errorf("packages %q, want %q", got, want)
	}
}

// The same source in two trees gives the same binary, byte for byte: nothing of
// a tree's place is in it.
func TestIdenticalSides(t *testing.T) {
	if testing.Short() {
		t.Skip("measures in rounds")
	}
	dir := repository(t)
	git(t, dir, "checkout", "-q", ".")
	p := open(t, Options{Dir: dir, Old: Spec{Operand: "HEAD"}, New: Spec{Operand: "."}, Packages: "./p", Layouts: true})
	if !p.Packages()[0].Identical() {
		t.Error("the same source gives two binaries")
	}
	var sums [2]string
	for w := range sums {
		b, err := p.Link(context.Background(), compare.Side(w), 0, 11)
		if err != nil {
			t.Fatal(err)
		}
		if sums[w], err = sum(b.Path); err != nil {
			t.Fatal(err)
		}
	}
	if sums[0] != sums[1] || sums[0] == p.Packages()[0].SHA256[0] {
		t.Errorf("in one layout: %v", sums)
	}
}

// Sides may differ in build flags, tags and experiments.
func TestBuildsOfTheirOwn(t *testing.T) {
	if testing.Short() {
		t.Skip("measures in rounds")
	}
	dir := repository(t)
	const tagged = "//go:build %s\n\npackage p\n\nconst Value = %d\n"
	write(t, dir, "p/p.go", fmt.Sprintf(tagged, "!a", 1), "p/a.go", fmt.Sprintf(tagged, "a && !b", 2), "p/ab.go", fmt.Sprintf(tagged, "a && b", 3))
	untouched(t, dir)
	p := open(t, Options{Dir: dir, Old: Spec{Operand: "."}, New: Spec{Operand: ".", Flags: []string{"-tags", "b"}, Env: []string{"GOEXPERIMENT=nogreenteagc"}}, Packages: "./p", Tags: "a"})
	if got := values(t, p); got != [2]float64{2, 3} {
		t.Errorf("values %v", got)
	}
	if v := p.Side(compare.New).GoVersion; !strings.Contains(v, "nogreenteagc") {
		t.Errorf("Go of new is %s", v)
	}
	if v := p.Side(compare.Old).GoVersion; strings.Contains(v, "nogreenteagc") {
		t.Errorf("Go of old is %s", v)
	}
}

// A revision is built with generated files that git ignores, as a checkout in
// the user's own directory would be; where they keep it from building, without.
func TestIgnoredFiles(t *testing.T) {
	if testing.Short() {
		t.Skip("measures in rounds")
	}
	dir := repository(t, ".gitignore", "*.gen.go\n")
	write(t, dir, "p/p.go", "package p\n\nconst Value = base + 1\n")
	git(t, dir, "commit", "-q", "-a", "-m", "needs a generated file")
	write(t, dir, "p/base.gen.go", "package p\n\nconst base = 10\n", "p/p.go", "package p\n\nconst Value = base + 2\n")
	p := open(t, Options{Dir: dir, Old: Spec{Operand: "HEAD"}, New: Spec{Operand: "."}, Packages: "./p"})
	if got := values(t, p); got != [2]float64{11, 12} {
		t.Errorf("values %v", got)
	}
	if d := cmp.Diff([]string{"old: uses git-ignored files of the current working tree: p/base.gen.go"}, p.Warnings()); d != "" {
		t.Errorf("warnings: %s", d)
	}

	write(t, dir, "p/base.gen.go", "package p\n\nconst base = 10\n\nvar _ = onlyNew\n", "p/only.go", "package p\n\nconst onlyNew = 1\n")
	untouched(t, dir)
	p = open(t, Options{Dir: dir, Old: Spec{Operand: "HEAD~1"}, New: Spec{Operand: "."}, Packages: "./p"})
	if got := values(t, p); got != [2]float64{2, 12} {
		t.Errorf("values %v", got)
	}
	if d := cmp.Diff([]string{"old does not build with the working tree's git-ignored files and was built without them: p/base.gen.go"}, p.Warnings()); d != "" {
		t.Errorf("warnings: %s", d)
	}
}

// The race detector is in the tests' binary only, and failing tests are told.
func TestRace(t *testing.T) {
	if testing.Short() {
		t.Skip("measures in rounds")
	}
	if out, err := exec.Command("go", "env", "CGO_ENABLED").Output(); err != nil || strings.TrimSpace(string(out)) != "1" {
		if os.Getenv("CI") == "true" {
			t.Fatal("the race detector needs cgo")
		}
		t.Skip("the race detector needs cgo")
	}
	dir := repository(t)
	write(t, dir, "p/race_test.go", "package p\n\nimport \"testing\"\n\nvar shared int\n\nfunc TestRace(t *testing.T) {\n\tdone := make(chan bool)\n\tgo func() {\n\t\tshared++\n\t\tdone <- true\n\t}()\n\tshared++\n\t<-done\n}\n")
	p := open(t, Options{Dir: dir, Old: Spec{Operand: "HEAD"}, New: Spec{Operand: "."}, Packages: "./p", Race: true})
	ctx := context.Background()
	if got, err := p.Test(ctx, compare.New, 0, "TestRace", time.Minute, false); err != nil || !got.Passed {
		t.Errorf("without the detector: %+v, %v", got, err)
	}
	if got, err := p.Test(ctx, compare.New, 0, "TestRace", time.Minute, true); err != nil || got.Passed || !strings.Contains(got.Output, "DATA RACE") {
		t.Errorf("with the detector: %+v, %v", got, err)
	}
	if p.Binary(compare.New, 0).Race {
		t.Error("the benchmarks' binary has the race detector")
	}
}

// Whatever does not work is one line that names the side and what to do.
func TestRefusals(t *testing.T) {
	if testing.Short() {
		t.Skip("measures in rounds")
	}
	dir := repository(t)
	plain := t.TempDir()
	write(t, plain, "go.mod", goMod, "p/p.go", value(1), "x.txt", "text\n", "broken/p.go", "package p\n\nconst Value = 1 +\n", "broken/p_test.go", benchFile)
	if err := syscall.Mkfifo(filepath.Join(plain, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	nowhere := t.TempDir()
	above := t.TempDir()
	write(t, above, "mod/go.mod", goMod, "mod/p/p.go", value(1))
	git(t, above, "init", "-q")
	git(t, above, "add", ".")
	git(t, above, "commit", "-q", "-m", "a module below")
	untouched(t, dir)
	for _, tt := range []struct {
		name string
		o    Options
		kind gobench.Kind
		text string
	}{
		{"no such revision", Options{Dir: dir, Old: Spec{Operand: "v1.0.1"}, New: Spec{Operand: "."}}, gobench.KindUsage,
			`v1\.0\.1 \(old\): no revision v1\.0\.1; there is v1\.0\.0`},
		{"a directory without its ./", Options{Dir: dir, Old: Spec{Operand: "HEAD"}, New: Spec{Operand: "none"}}, gobench.KindUsage,
			`none \(new\): no revision none; write a name in this directory as \./none`},
		{"a revision without git", Options{Dir: plain, Old: Spec{Operand: "HEAD"}, New: Spec{Operand: "."}}, gobench.KindUsage,
			`HEAD \(old\): it looks like a revision, but \S+ is not in a git repository: name two directories, as in \.\./before and \.`},
		{"no directory", Options{Dir: dir, Old: Spec{Operand: "./nope"}, New: Spec{Operand: "."}}, gobench.KindUsage,
			`\./nope \(old\): no such directory or file`},
		{"no module", Options{Dir: nowhere, Old: Spec{Operand: "."}, New: Spec{Operand: "."}}, gobench.KindNoModule,
			`\. \(old\): not in a Go module: .*`},
		{"no binary", Options{Dir: plain, Old: Spec{Operand: "./x.txt"}, New: Spec{Operand: "."}}, gobench.KindUsage,
			`\./x\.txt \(old\): \S+x\.txt is not a test binary, nor a program built with Go: build one with .go test -c.`},
		{"a module further down", Options{Dir: above, Old: Spec{Operand: "HEAD"}, New: Spec{Operand: "."}}, gobench.KindNoModule,
			`HEAD \(old\): no go\.mod in \. or above: run in the directory of a module`},
		{"a pipe", Options{Dir: plain, Old: Spec{Operand: "./pipe"}, New: Spec{Operand: "."}}, gobench.KindUsage,
			`\./pipe \(old\): it is neither a directory nor a regular file`},
		{"no benchmarks", Options{Dir: dir, Old: Spec{Operand: "HEAD"}, New: Spec{Operand: "."}, Packages: "./none"}, gobench.KindNoBenchmarks,
			`HEAD \(old\): no package has benchmarks: .*`},
		{"no package in common", Options{Dir: dir, Old: Spec{Operand: "HEAD"}, New: Spec{Operand: "./fresh"}}, gobench.KindNoPackage,
			`HEAD \(old\): no directory fresh in it: run in a directory that both sides have`},
		{"no package", Options{Dir: dir, Old: Spec{Operand: "HEAD"}, New: Spec{Operand: "."}, Packages: "./nope"}, gobench.KindNoPackage,
			`HEAD \(old\): resolve \./nope: stat nope: directory not found`},
		{"does not build", Options{Dir: plain, Old: Spec{Operand: "./broken"}, New: Spec{Operand: "./broken"}}, gobench.KindCompile,
			`\./broken \(old\): own\.test/mod/broken does not compile: (broken/)?p\.go:\d+:.*`},
		{"a pattern and a package", Options{Dir: dir, Old: Spec{Operand: "./p"}, New: Spec{Operand: "./p"}, Packages: "./p"}, gobench.KindUsage,
			`-pkg \./p: \./p is a single package: .*`},
		{"no variable", Options{Dir: dir, Old: Spec{Operand: ".", Env: []string{"GOGC"}}, New: Spec{Operand: "."}}, gobench.KindUsage,
			`\. \(old\): "GOGC" is not a variable: write NAME=value`},
		{"overlay", Options{Dir: dir, Old: Spec{Operand: "."}, New: Spec{Operand: ".", Flags: []string{"-overlay=x.json"}}}, gobench.KindUsage,
			`\. \(new\): -overlay names files of your tree, .*`},
		{"a place for the binary", Options{Dir: dir, Old: Spec{Operand: "."}, New: Spec{Operand: ".", Flags: []string{"-o=pwned"}}}, gobench.KindUsage,
			`\. \(new\): "-o=pwned" is not supported here: .*`},
		{"a Go that is not there", Options{Dir: dir, Old: Spec{Operand: ".", Env: []string{"GOTOOLCHAIN=go1.999.0", "GOPROXY=off"}}, New: Spec{Operand: "."}}, gobench.KindStart,
			`\. \(old\): .*go1\.999.*`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.o.Scratch = t.TempDir()
			p, err := Open(context.Background(), tt.o)
			if err == nil {
				p.Close()
				t.Fatal("no error")
			}
			var e *gobench.Error
			if !errors.As(err, &e) || e.Kind != tt.kind || !regexp.MustCompile(`^`+tt.text+`$`).MatchString(e.Text) {
				t.Errorf("%#v, want %s matching %s", err, tt.kind, tt.text)
			}
			if left, _ := os.ReadDir(tt.o.Scratch); len(left) > 0 {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}

// A bare repository has no working tree, and two revisions of it can be
// compared all the same.
func TestBareRepository(t *testing.T) {
	if testing.Short() {
		t.Skip("measures in rounds")
	}
	dir := repository(t)
	bare := filepath.Join(t.TempDir(), "bare.git")
	git(t, dir, "clone", "-q", "--bare", ".", bare)
	untouched(t, bare)
	p := open(t, Options{Dir: bare, Old: Spec{Operand: "v1.0.0"}, New: Spec{Operand: "HEAD"}})
	if len(p.Packages()) == 0 || p.Side(compare.Old).Revision == "" {
		t.Errorf("packages %v, old is of revision %q", p.Packages(), p.Side(compare.Old).Revision)
	}
}

// What does not compile for want of a submodule says so.
func TestMissingSubmodule(t *testing.T) {
	lib, dir := t.TempDir(), t.TempDir()
	write(t, lib, "go.mod", "module own.test/lib\n", "lib.go", "package lib\n")
	write(t, dir, "go.mod", goMod+"\nrequire own.test/lib v0.0.0\n\nreplace own.test/lib => ./lib\n", "p/p.go", "package p\n\nimport _ \"own.test/lib\"\n\nconst Value = 1\n", "p/p_test.go", benchFile)
	for _, at := range []string{lib, dir} {
		git(t, at, "init", "-q")
		git(t, at, "add", ".")
		git(t, at, "commit", "-q", "-m", "first")
	}
	git(t, dir, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", lib, "lib")
	git(t, dir, "commit", "-q", "-m", "with a submodule")
	git(t, dir, "submodule", "--quiet", "deinit", "-f", "lib")
	_, err := Open(context.Background(), Options{Dir: dir, Old: Spec{Operand: "HEAD"}, New: Spec{Operand: "HEAD"}, Packages: "./p", Scratch: t.TempDir()})
	if err == nil || !strings.Contains(err.Error(), "does not compile") || !strings.Contains(err.Error(), "`git submodule update --init` fetches them") {
		t.Errorf("error %v", err)
	}
}

// An interrupt ends the build, and all that was made goes.
func TestInterrupted(t *testing.T) {
	dir := repository(t)
	ctx, cancel := context.WithCancelCause(context.Background())
	why := errors.New("interrupted by the user")
	scratch := t.TempDir()
	_, err := Open(ctx, Options{Dir: dir, Old: Spec{Operand: "HEAD"}, New: Spec{Operand: "."}, Scratch: scratch, Progress: func(s string) {
		if strings.HasPrefix(s, "building") {
			cancel(why)
		}
	}})
	if !errors.Is(err, why) {
		t.Errorf("error %v", err)
	}
	if left, _ := os.ReadDir(scratch); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}
