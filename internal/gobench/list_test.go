package gobench

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// writeTree writes files, names and texts in turns, into a new directory.
func writeTree(t *testing.T, files ...string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(files); i += 2 {
		name := filepath.Join(dir, filepath.FromSlash(files[i]))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(files[i+1]), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestList(t *testing.T) {
	const bench = "\n\nimport \"testing\"\n\nfunc BenchmarkX(b *testing.B) {}\n"
	dir := writeTree(t,
		"go.mod", "module example.com/m\n\ngo 1.26\n",
		"a/a_test.go", "package a"+bench,
		"a/deep/deep.go", "package deep\n",
		"ab/x_test.go", "package ab_test"+bench,
		"windows/w_plan9.go", "package windows\n",
		"broken/b.go", "package broken\n",
		"broken/c.go", "package other\n",
		"testdata/x/x_test.go", "package x"+bench,
		"nested/go.mod", "module example.com/nested\n\ngo 1.26\n",
		"nested/n_test.go", "package nested"+bench,
		"empty/README", "",
	)
	ctx := context.Background()
	for _, tt := range []struct {
		operands string
		want     string // "!" no benchmarks, "?" an error
	}{
		{"./a", "example.com/m/a"},
		{"a/...", ""},
		{"./a/...", "example.com/m/a example.com/m/a/deep!"},
		{"./a...", "example.com/m/a example.com/m/a/deep! example.com/m/ab"},
		{"example.com/m/a/...", "example.com/m/a example.com/m/a/deep!"},
		{"./ab ./a ./ab example.com/m/a", "example.com/m/ab example.com/m/a"},
		{"./...", "example.com/m/a example.com/m/a/deep! example.com/m/ab example.com/m/broken!?"},
		// Another module below this one is asked in its own directory.
		{"./nested/... ./nested", "example.com/nested"},
		{"sort", "sort"},
	} {
		var got []string
		list, err := List(ctx, dir, strings.Fields(tt.operands), BuildOptions{})
		for _, l := range list {
			name := l.ImportPath
			if !l.Benchmarks {
				name += "!"
			}
			if l.Err != nil {
				name += "?"
			}
			got = append(got, name)
		}
		if strings.Join(got, " ") != tt.want || (err != nil) != (tt.want == "") {
			t.Errorf("%s: %q (%v), want %q", tt.operands, got, err, tt.want)
		}
		// What was listed resolves to the same package.
		for _, l := range list[:min(len(list), 2)] {
			if target, err := Resolve(ctx, dir, l.Operand, BuildOptions{}); err != nil || target.ImportPath != l.ImportPath {
				t.Errorf("%s: %s resolves to %+v, %v", tt.operands, l.Operand, target, err)
			}
		}
	}
	for operand, want := range map[string]string{
		"": "no package given", "-x": "is not a package", "./none": "no directory ./none", "./none/...": "no directory ./none/",
		"./go.mod": "is a file", "./empty": "no Go files", "./empty/...": "matches no package", "example.com/none/...": "matches no package",
		"fmtt": "no package fmtt", "./windows": "build constraints",
	} {
		_, err := List(ctx, dir, []string{operand}, BuildOptions{})
		var ge *Error
		if !errors.As(err, &ge) || !strings.Contains(err.Error(), want) || strings.ContainsAny(err.Error(), "\n") {
			t.Errorf("%q: %v, want %q", operand, err, want)
		}
	}
}

func TestDefinesBenchmarks(t *testing.T) {
	for text, want := range map[string]bool{
		"package p\n\nfunc BenchmarkX(b *testing.B) {}\n": true,
		"package p\n\nfunc\tBenchmarkX(b *testing.B) {}":  true,
		"package p\n\nfunc TestX(t *testing.T) {}\n":      false,
		"package p\n\n// BenchmarkX is elsewhere.\n":      false,
	} {
		dir := writeTree(t, "x_test.go", text)
		if got := hasBenchmarks([]string{filepath.Join(dir, "x_test.go")}); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
	if !hasBenchmarks([]string{filepath.Join(t.TempDir(), "unreadable_test.go")}) {
		t.Error("a file that cannot be read is taken to have none")
	}
}

// TestCommits: parents before children, whatever their clocks say.
func TestCommits(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and starts programs")
	}
	if _, err := exec.LookPath("git"); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal("there is no git on PATH")
		}
		t.Skip("there is no git on PATH")
	}
	dir := writeTree(t, "go.mod", "module example.com/m\n\ngo 1.26\n", "x_test.go", "package m\n\nimport \"testing\"\n\nfunc BenchmarkX(b *testing.B) {}\n")
	run := func(date string, args ...string) string {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=a", "-c", "user.email=a@example.com"}, args...)...)
		cmd.Env = append(os.Environ(), "GIT_COMMITTER_DATE="+date, "GIT_AUTHOR_DATE="+date, "GIT_CONFIG_GLOBAL=/dev/null")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	ctx := context.Background()
	if got := Commits(ctx, dir); got != nil {
		t.Errorf("without a repository: %v", got)
	}
	run("", "init", "-q")
	run("", "add", "-A")
	var want []string
	for _, date := range []string{"2026-03-01T00:00:00Z", "2026-01-01T00:00:00Z", "2026-02-01T12:00:00Z"} {
		run(date, "commit", "-q", "--allow-empty", "-m", "x")
		want = append(want, run("", "rev-parse", "HEAD"))
	}
	if got := Commits(ctx, dir); !slices.Equal(got, want) {
		t.Errorf("commits %v, want %v", got, want)
	}
	target, err := Resolve(ctx, dir, ".", BuildOptions{})
	if err != nil {
		t.Fatal(err)
	}
	build := func() *Binary {
		t.Helper()
		b, err := Build(ctx, target, BuildOptions{}, filepath.Join(t.TempDir(), "m.test"))
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	b := build()
	if at, ok := b.CommitTime(ctx); !ok || at.Format("2006-01-02T15:04:05Z07:00") != "2026-02-01T12:00:00Z" {
		t.Errorf("committed at %v, %v", at, ok)
	}
	// Results that are kept in the tree do not make it another.
	results := filepath.Join(dir, "bench", "history")
	if err := os.MkdirAll(results, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(results, "run.txt"), []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	b = build()
	if b.Dirty == nil || !*b.Dirty {
		t.Fatalf("a new file leaves the tree clean: %v", b.Dirty)
	}
	for except, want := range map[string]bool{results: false, filepath.Join(dir, "bench"): false, filepath.Join(dir, "other"): true, dir: true, t.TempDir(): true} {
		if got := b.DirtyBut(ctx, except); got == nil || *got != want {
			t.Errorf("dirty but for %s: %v, want %v", except, got, want)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "y.go"), []byte("package m\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if got := build().DirtyBut(ctx, results); got == nil || !*got {
		t.Errorf("with another new file: %v", got)
	}
	if b := (&Binary{Target: target}); b.DirtyBut(ctx, results) != nil {
		t.Error("what is unknown is known")
	} else if _, ok := b.CommitTime(ctx); ok {
		t.Error("no revision has a time")
	}
}
