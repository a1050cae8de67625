//go:build unix

package gobench

import (
	"context"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What is taken for a benchmark is what the test binary lists.
func TestBenchmarked(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and starts programs")
	}
	const head = "package p\n\nimport \"testing\"\n\n"
	dir := write(t,
		"go.mod", goMod,
		"none/p.go", "package p\n",
		"tests/p_test.go", head+"func TestA(t *testing.T) {}\n// func BenchmarkX(b *testing.B)\n",
		"lower/p_test.go", head+"func benchmarkX(b *testing.B) {}\n",
		"method/p_test.go", head+"type T int\nfunc (T) BenchmarkX(b *testing.B) {}\nvar _ testing.TB\n",
		"argument/p_test.go", head+"func BenchmarkX(b testing.TB) {}\n",
		"bare/p_test.go", head+"func Benchmark(b *testing.B) {}\n",
		"renamed/p_test.go", "package p\n\nimport x \"testing\"\n\nfunc BenchmarkX(b *x.B) {}\n",
		"dotted/p_test.go", "package p\n\nimport . \"testing\"\n\nfunc BenchmarkX(b *B) {}\n",
		"external/p_test.go", strings.Replace(testFile, "package p", "package p_test", 1),
		"digit/p_test.go", head+"func Benchmark1(b *testing.B) {}\n",
		"tagged/p.go", "package p\n", "tagged/p_test.go", "//go:build special\n\n"+testFile,
		"broken/p_test.go", "package p\n\nfunc (",
		"mixed/a.go", "package a\n", "mixed/b.go", "package b\n", "mixed/a_test.go", strings.Replace(testFile, "package p", "package a", 1),
		"nested/go.mod", "module other.test/mod\n", "nested/p_test.go", testFile,
	)
	ctx := context.Background()
	found := func(o BuildOptions) (names, broken []string) {
		t.Helper()
		targets, unread, err := Benchmarked(ctx, dir, "./...", o)
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range targets {
			names = append(names, strings.TrimPrefix(x.ImportPath, "own.test/mod/"))
			if x.Dir != filepath.Join(dir, names[len(names)-1]) || x.Module != "own.test/mod" || len(x.Own) != 1 || x.GOROOT == "" {
				t.Errorf("target %+v", x)
			}
		}
		for _, b := range unread {
			broken = append(broken, strings.TrimPrefix(b.ImportPath, "own.test/mod/"))
		}
		return names, broken
	}
	names, broken := found(BuildOptions{})
	want := []string{"bare", "broken", "digit", "dotted", "external", "renamed"}
	if d := cmp.Diff(want, names); d != "" {
		t.Errorf("packages with benchmarks: %s", d)
	}
	if d := cmp.Diff([]string{"mixed"}, broken); d != "" {
		t.Errorf("packages that cannot be read: %s", d)
	}
	if names, _ := found(BuildOptions{Tags: "special"}); len(names) != len(want)+1 {
		t.Errorf("with -tags special: %v", names)
	}
	// go test itself has the last word.
	args := []string{"test", "-vet=off", "-list", "^Benchmark"}
	for _, name := range []string{"tests", "method", "bare", "dotted", "external"} {
		args = append(args, "./"+name)
	}
	cmd := exec.Command("go", args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	listed := false
	for line := range strings.Lines(string(out)) {
		if _, rest, ok := strings.Cut(line, "own.test/mod/"); ok {
			name := strings.Fields(rest)[0]
			if listed != slices.Contains(names, name) {
				t.Errorf("%s: go test lists a benchmark: %v", name, listed)
			}
			listed = false
		} else {
			listed = listed || strings.HasPrefix(line, "Benchmark")
		}
	}

	for _, tt := range []struct {
		pattern string
		kind    Kind
		text    string
	}{
		{"", KindUsage, `"" is not a pattern.*`},
		{"-x", KindUsage, `"-x" is not a pattern.*`},
		{"./nope/...", KindNoPackage, `resolve \./nope/\.\.\.: .*no such file or directory`},
		{"./mixed", KindNoPackage, `.*found packages a \(a\.go\) and b \(b\.go\).*`},
	} {
		_, _, err := Benchmarked(ctx, dir, tt.pattern, BuildOptions{})
		wantError(t, tt.pattern, err, tt.kind, tt.text)
	}
	if targets, _, err := Benchmarked(ctx, dir, "./none", BuildOptions{}); err != nil || len(targets) != 0 {
		t.Errorf("./none: %v, %v", targets, err)
	}
}

// A test binary that is handed in runs where its package is, with what it is
// told; anything else is refused.
func TestOpen(t *testing.T) {
	ctx := context.Background()
	built := zooBinary(t)
	b, err := Open(ctx, built.Path, built.Target.Dir, []string{"WHET_ZOO=1"})
	if err != nil {
		t.Fatal(err)
	}
	if b.Target.ImportPath != built.Target.ImportPath || b.Target.Dir != built.Target.Dir || b.GoVersion != built.GoVersion || b.BuildID != built.BuildID {
		t.Errorf("opened %+v of %+v, built %+v", b, b.Target, built)
	}
	if names, err := b.Benchmarks(ctx, "BenchmarkFatal"); err != nil || len(names) != 1 {
		t.Errorf("benchmarks: %v, %v", names, err)
	}
	elsewhere := t.TempDir()
	if b, err := Open(ctx, built.Path, elsewhere, nil); err != nil || b.Target.Dir != elsewhere {
		t.Errorf("opened elsewhere: %+v, %v", b, err)
	}
	dir := write(t, "go.mod", goMod, "main.go", "package main\n\nfunc main() {}\n", "text", "hello\n")
	cmd := exec.Command("go", "build", "-o", "prog", ".")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for name, text := range map[string]string{
		"prog": `.*prog is not a test binary but the program own\.test/mod: build one with .*`,
		"text": `.*text is not a test binary, nor a program built with Go: .*`,
		"nope": `no file .*nope`,
		".":    `.* is not a test binary: .*`,
	} {
		_, err := Open(ctx, filepath.Join(dir, name), dir, nil)
		wantError(t, name, err, KindUsage, text)
	}
}
