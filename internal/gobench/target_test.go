//go:build unix

package gobench

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
)

const (
	goMod    = "module own.test/mod\n\ngo 1.26\n"
	testFile = "package p\n\nimport \"testing\"\n\nfunc BenchmarkA(b *testing.B) {\n\tfor b.Loop() {\n\t}\n}\n"
)

func wantError(t *testing.T, what string, err error, kind Kind, text string) {
	t.Helper()
	var e *Error
	if !errors.As(err, &e) {
		t.Errorf("%s: error %v, want %s", what, err, kind)
		return
	}
	if e.Kind != kind || !regexp.MustCompile(`^(?:`+text+`)$`).MatchString(e.Text) {
		t.Errorf("%s: %s %q, want %s matching %s\n%s", what, e.Kind, e.Text, kind, text, e.Detail)
	}
}

func TestResolveRefuses(t *testing.T) {
	dir := write(t,
		"go.mod", goMod,
		"text/x.txt", "hello",
		"never/x.go", "//go:build never\n\npackage never\n",
		"a/p.go", "package p\n", "b/p.go", "package p\n",
		"deep/in/p_test.go", "package p\n\nimport \"testing\"\n\nfunc BenchmarkX(b *testing.B) {}\n",
	)
	outside := write(t, "p.go", "package p\n")
	for _, tt := range []struct {
		dir, operand string
		kind         Kind
		text         string
	}{
		{dir, "./text", KindNoPackage, `\./text has no Go files: name the directory of a package`},
		{dir, ".", KindNoPackage, `\. has no Go files; below it \./deep/in have benchmarks: name one of them, or \./\.\.\. for the costliest`},
		{dir, "./deep", KindNoPackage, `\./deep has no Go files; below it \./deep/in have benchmarks: name one of them, or \./deep/\.\.\. for the costliest`},
		{dir, "./text/x.txt", KindNoPackage, `\./text/x\.txt is a file: give the directory of its package`},
		{dir, "./never", KindNoPackage, `build constraints exclude all Go files of \./never here: .*`},
		{dir, "./nope", KindNoPackage, `no directory \./nope`},
		{dir, filepath.Join(dir, "nope"), KindNoPackage, `no directory .*nope`},
		{dir, "nope", KindNoPackage, `no package nope: write a directory as \./nope`},
		{dir, "nope.test/x", KindNoPackage, `no required module provides package nope\.test/x: .*`},
		{dir, "./...", KindUsage, `\./\.\.\. matches 3 packages \(own\.test/mod/a, own\.test/mod/b, own\.test/mod/deep/in\): name one of them`},
		{dir, "./text/...", KindNoPackage, `\./text/\.\.\. matches no package with Go files to build: name the directory of a package`},
		{dir, "", KindUsage, `no package given: .*`},
		{dir, "-x", KindUsage, `"-x" is not a package`},
		{dir, "bad[", KindNoPackage, `resolve bad\[: malformed import path "bad\[": .*`},
		{outside, ".", KindNoModule, `\. is not in a Go module \(no go\.mod in its directory or above\): .*`},
		{outside, "./...", KindNoModule, `\./\.\.\. is not in a Go module \(no go\.mod in its directory or above\): .*`},
	} {
		_, err := Resolve(t.Context(), tt.dir, tt.operand, BuildOptions{})
		wantError(t, tt.operand, err, tt.kind, tt.text)
	}
	for env, text := range map[string]string{
		"GOFLAGS=-nonsense":     `look at \./a: parsing \$GOFLAGS: unknown flag -nonsense: fix GOFLAGS .*`,
		"GOTOOLCHAIN=go1.999.0": `look at \./a: download go1\.999\.0 .*: toolchain not available: set GOTOOLCHAIN=local, .*`,
	} {
		_, err := Resolve(t.Context(), dir, "./a", BuildOptions{Env: []string{"GOPROXY=off", env}})
		wantError(t, env, err, KindStart, text)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	stop := errors.New("stop")
	cancel(stop)
	if _, err := Resolve(ctx, dir, "./a", BuildOptions{}); !errors.Is(err, stop) {
		t.Errorf("cancelled: %v", err)
	}
	t.Setenv("PATH", t.TempDir())
	_, err := Resolve(t.Context(), dir, "./a", BuildOptions{})
	wantError(t, "no go", err, KindStart, `the go command is not in PATH: install Go 1\.26 or newer from https://go\.dev/dl/, .*`)
}

func TestResolve(t *testing.T) {
	dir := write(t,
		"go.mod", goMod+"\nreplace other.test/x => ./x\n\nreplace far.test/y => gone.test/y v1.0.0\n",
		"p.go", "package p\n", "p_test.go", testFile, "ext_test.go", "package p_test\n",
		"tagged.go", "//go:build special\n\npackage p\n",
		"x/go.mod", "module other.test/x\n\ngo 1.26\n", "x/x.go", "package x\n",
	)
	p, err := Resolve(t.Context(), dir, ".", BuildOptions{Tags: "special"})
	if err != nil {
		t.Fatal(err)
	}
	in := func(names ...string) []string {
		for i, n := range names {
			names[i] = filepath.Join(dir, n)
		}
		return names
	}
	if p.ImportPath != "own.test/mod" || p.Name != "p" || p.Dir != dir || p.Module != "own.test/mod" || p.ModuleDir != dir || p.ModuleVersion != "" {
		t.Errorf("%+v", p)
	}
	if !slices.Equal(p.GoFiles, in("p.go", "tagged.go")) || !slices.Equal(p.TestFiles, in("ext_test.go", "p_test.go")) {
		t.Errorf("files %q, %q", p.GoFiles, p.TestFiles)
	}
	if want := []OwnModule{{"own.test/mod", dir}, {"other.test/x", filepath.Join(dir, "x")}}; !slices.Equal(p.Own, want) {
		t.Errorf("own %v, want %v", p.Own, want)
	}
	// A directory of another module is resolved there.
	x, err := Resolve(t.Context(), dir, "./x", BuildOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if x.ImportPath != "other.test/x" || x.Module != "other.test/x" || x.ModuleDir != filepath.Join(dir, "x") {
		t.Errorf("%+v", x)
	}
}

// go build -o writes what one pattern matches into a directory, so a pattern
// with one match is built by its package's name.
func TestResolvePattern(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and starts programs")
	}
	dir := write(t,
		"go.mod", goMod,
		"a/sub/main.go", "package main\n\nfunc main() {}\n",
		"b/b.go", "package b\n",
		"x/go.mod", "module other.test/x\n\ngo 1.26\n", "x/y/main.go", "package main\n\nfunc main() {}\n",
	)
	for operand, want := range map[string]string{
		"./a/...":                   "own.test/mod/a/sub",
		filepath.Join(dir, "a/..."): "own.test/mod/a/sub",
		"own.test/mod/a/...":        "own.test/mod/a/sub",
		"./x/...":                   "other.test/x/y", // another module
	} {
		p, err := Resolve(t.Context(), dir, operand, BuildOptions{})
		if err != nil {
			t.Errorf("%s: %v", operand, err)
			continue
		}
		if p.ImportPath != want || strings.Contains(p.Operand, "...") {
			t.Errorf("%s: %s, asked for as %s in %s", operand, p.ImportPath, p.Operand, p.WorkDir)
		}
		overlay := write(t, "overlay.json", "{}")
		if _, err := BuildProgram(t.Context(), p, BuildOptions{}, filepath.Join(overlay, "overlay.json"), filepath.Join(t.TempDir(), "bin")); err != nil {
			t.Errorf("%s: %v", operand, err)
		}
	}
}

func TestResolveWorkspace(t *testing.T) {
	dir := write(t,
		"go.work", "go 1.26\n\nuse ./a\nuse ./b\n\nreplace c.test/c => ./c\n",
		"a/go.mod", "module a.test/a\n\ngo 1.26\n", "a/a.go", "package a\n",
		"b/go.mod", "module b.test/b\n\ngo 1.26\n", "b/b.go", "package b\n",
		"c/go.mod", "module c.test/c\n\ngo 1.26\n", "c/c.go", "package c\n",
	)
	p, err := Resolve(t.Context(), filepath.Join(dir, "a"), "b.test/b", BuildOptions{})
	if err != nil {
		t.Fatal(err)
	}
	want := []OwnModule{{"a.test/a", filepath.Join(dir, "a")}, {"b.test/b", filepath.Join(dir, "b")}, {"c.test/c", filepath.Join(dir, "c")}}
	slices.SortFunc(p.Own, func(a, b OwnModule) int { return strings.Compare(a.Path, b.Path) })
	if p.Module != "b.test/b" || !slices.Equal(p.Own, want) {
		t.Errorf("module %s, own %v, want %v", p.Module, p.Own, want)
	}
	if p.Workspace != dir {
		t.Errorf("the workspace is in %q, want %q", p.Workspace, dir)
	}
	// A module that the workspace does not list.
	_, err = Resolve(t.Context(), dir, "./c", BuildOptions{})
	wantError(t, "./c", err, KindNoModule, `\./c is in a module that go\.work does not list: add it with .go work use., or set GOWORK=off`)
}

// TestRoot: files are named from the directory of the go.work that uses their module,
// which is where the go command says that it is.
func TestRoot(t *testing.T) {
	dir := write(t,
		"go.work", "go 1.26\n\nuse (\n\t./a\n\t./a/nested\n)\n",
		"a/go.mod", "module a.test/a\n\ngo 1.26\n", "a/sub/a.go", "package a\n",
		"a/nested/go.mod", "module a.test/a/nested\n\ngo 1.26\n", "a/nested/x.go", "package x\n",
		"c/go.mod", "module c.test/c\n\ngo 1.26\n", "c/c.go", "package c\n",
		"docs/x.md", "",
	)
	for below, want := range map[string]string{"": "", "a": "", "a/sub": "", "a/nested": "", "docs": "", "c": "c"} {
		if got := Root(filepath.Join(dir, below)); got != filepath.Join(dir, want) {
			t.Errorf("Root of %q is %s", below, got)
		}
	}
	p, err := Resolve(t.Context(), dir, "./a/nested", BuildOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if p.Workspace != Root(p.Dir) || p.Family() != "a.test/a" {
		t.Errorf("workspace %q, family %q", p.Workspace, p.Family())
	}
	other := write(t, "go.mod", "module o.test/o\n")
	if got := Root(other); got != other {
		t.Errorf("a module alone: %s", got)
	}
	if got := Root(filepath.Dir(other)); got != "" {
		t.Errorf("outside of modules: %s", got)
	}
	t.Setenv("GOWORK", filepath.Join(dir, "go.work"))
	if got := Root(filepath.Join(dir, "a", "sub")); got != dir {
		t.Errorf("GOWORK=go.work: %s", got)
	}
	if got := Root(other); got != other {
		t.Errorf("GOWORK of another tree: %s", got)
	}
	t.Setenv("GOWORK", "off")
	if got := Root(filepath.Join(dir, "a", "sub")); got != filepath.Join(dir, "a") {
		t.Errorf("GOWORK=off: %s", got)
	}
}

func TestResolveStandardLibrary(t *testing.T) {
	outside := t.TempDir()
	p, err := Resolve(t.Context(), outside, "strings", BuildOptions{})
	if err != nil {
		t.Fatal(err)
	}
	src := filepath.Join(p.GOROOT, "src")
	if p.Module != "std" || p.ModuleDir != src || p.Dir != filepath.Join(src, "strings") || !slices.Contains(p.Own, OwnModule{"std", src}) {
		t.Errorf("%+v", p)
	}
	q, err := Resolve(t.Context(), outside, p.Dir, BuildOptions{})
	if err != nil || q.ImportPath != "strings" || q.Module != "std" {
		t.Errorf("%+v, %v", q, err)
	}
}

func TestBuildRefuses(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and starts programs")
	}
	dir := write(t,
		"go.mod", goMod,
		"notests/p.go", "package p\n",
		"syntax/p.go", "package p\n", "syntax/p_test.go", "package p\n\nfunc (\n",
		"types/p.go", "package p\n\nvar A int = \"x\"\nvar B int = \"y\"\nvar C int = \"z\"\n", "types/p_test.go", testFile,
		"imports/p.go", "package p\n\nimport _ \"gone.test/x\"\n", "imports/p_test.go", testFile,
		"mixed/p.go", "package p\n", "mixed/q.go", "package q\n", "mixed/p_test.go", testFile,
		"round/a/p.go", "package a\n\nimport _ \"own.test/mod/round/b\"\n", "round/a/p_test.go", strings.Replace(testFile, "package p", "package a", 1),
		"round/b/p.go", "package b\n\nimport _ \"own.test/mod/round/a\"\n",
		"cgo/p.go", "package p\n\n// #include <no-such-header.h>\nimport \"C\"\n", "cgo/p_test.go", testFile,
	)
	out := filepath.Join(t.TempDir(), "x.test")
	for _, tt := range []struct {
		operand string
		o       BuildOptions
		kind    Kind
		text    string
	}{
		{"./notests", BuildOptions{}, KindNoBenchmarks, `own\.test/mod/notests has no test files, so no benchmarks: .*`},
		{"./syntax", BuildOptions{}, KindCompile, `own\.test/mod/syntax does not compile: p_test\.go:3:\d+: .*`},
		{"./types", BuildOptions{}, KindCompile, `own\.test/mod/types does not compile: p\.go:3:13: cannot use .* \(and 2 more\)`},
		{"./imports", BuildOptions{}, KindCompile, `own\.test/mod/imports does not compile: p\.go:3:8: no required module provides package gone\.test/x; to add it: go get gone\.test/x`},
		{"./mixed", BuildOptions{}, KindCompile, `own\.test/mod/mixed does not compile: found packages p \(p\.go\) and q \(q\.go\) in .*`},
		{"./round/a", BuildOptions{}, KindCompile, `own\.test/mod/round/a does not compile: import cycle not allowed: own\.test/mod/round/a imports own\.test/mod/round/b from p\.go imports own\.test/mod/round/a from p\.go`},
		{"./cgo", BuildOptions{Env: []string{"CGO_ENABLED=1"}}, KindCompile, `own\.test/mod/cgo does not compile: .*no-such-header\.h.*`},
		{"./types", BuildOptions{Flags: []string{"-nonsense"}}, KindCompile, `own\.test/mod/types does not compile: .*nonsense.*`},
	} {
		p, err := Resolve(t.Context(), dir, tt.operand, tt.o)
		if err != nil {
			t.Errorf("%s: %v", tt.operand, err)
			continue
		}
		_, err = Build(t.Context(), p, tt.o, out)
		wantError(t, tt.operand, err, tt.kind, tt.text)
		if _, err := os.Stat(out); err == nil {
			t.Errorf("%s: left a binary", tt.operand)
		}
	}
	// Neither the name of the output nor the environment is the package's fault.
	fine := write(t, "go.mod", goMod, "p_test.go", testFile)
	p, err := Resolve(t.Context(), fine, ".", BuildOptions{})
	if err != nil {
		t.Fatal(err)
	}
	other := filepath.Join(t.TempDir(), "other.test")
	if b, err := Build(t.Context(), p, BuildOptions{Flags: []string{"-o", other}}, out); err != nil {
		t.Errorf("-o among the flags: %v", err)
	} else if _, err := os.Stat(b.Path); err != nil {
		t.Errorf("-o among the flags: %v", err)
	}
	_, err = Build(t.Context(), p, BuildOptions{Env: []string{"GOCACHE=" + filepath.Join(fine, "go.mod", "none")}}, out)
	wantError(t, "no GOCACHE", err, KindStart, `build the tests of own\.test/mod: .*cache.*: set HOME, or set GOCACHE to a writable directory`)
	t.Setenv("TMPDIR", filepath.Join(fine, "none"))
	_, err = Build(t.Context(), p, BuildOptions{}, out)
	wantError(t, "no TMPDIR", err, KindStart, `build the tests of own\.test/mod: creating work dir: .*: set TMPDIR to .*`)
	t.Setenv("TMPDIR", "")
	if os.Getuid() != 0 {
		p, err := Resolve(t.Context(), dir, "./types", BuildOptions{})
		if err != nil {
			t.Fatal(err)
		}
		_, err = Build(t.Context(), p, BuildOptions{}, "/no/such/directory/x.test")
		wantError(t, "unwritable", err, KindCompile, `.*`)
	}
}

// What the binary says of itself is what the toolchain says of it.
func TestBinaryFacts(t *testing.T) {
	b := zooBinary(t)
	if b.Race || b.Cover || b.Unoptimized {
		t.Errorf("plain build: %+v", b)
	}
	if b.GoVersion != b.Target.GOVERSION || !slices.Contains(b.Settings, "GOARCH="+runtime.GOARCH) {
		t.Errorf("version %s, settings %q", b.GoVersion, b.Settings)
	}
	if readelf, err := exec.LookPath("readelf"); err == nil {
		notes, err := exec.Command(readelf, "-n", b.Path).Output()
		if err != nil || len(b.BuildID) != 40 || !strings.Contains(string(notes), "Build ID: "+b.BuildID) {
			t.Errorf("build id %s is not among the notes (%v):\n%s", b.BuildID, err, notes)
		}
	}
	// The zoo's directory is in no repository.
	if b.VCS != "" || b.Revision != "" || b.Dirty != nil {
		t.Errorf("revision %q %q %v", b.VCS, b.Revision, b.Dirty)
	}
}

func TestSpoiltBuilds(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and starts programs")
	}
	dir := write(t, "go.mod", goMod, "p_test.go", testFile)
	p, err := Resolve(t.Context(), dir, ".", BuildOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if p.Name != "p" || len(p.GoFiles) != 0 {
		t.Errorf("a package of tests only: %+v", p)
	}
	for _, tt := range []struct {
		flags []string
		want  [3]bool // race, cover, unoptimised
	}{
		{[]string{"-cover"}, [3]bool{false, true, false}},
		{[]string{"-gcflags=-N -l"}, [3]bool{false, false, true}},
		{[]string{"-gcflags", "all=-l"}, [3]bool{false, false, true}},
	} {
		o := BuildOptions{Flags: tt.flags}
		b, err := Build(t.Context(), p, o, filepath.Join(t.TempDir(), "x.test"))
		if err != nil {
			t.Fatal(err)
		}
		if got := [3]bool{b.Race, b.Cover, b.Unoptimized}; got != tt.want {
			t.Errorf("%q: %v, want %v\n%q", tt.flags, got, tt.want, b.Settings)
		}
	}
}

func TestRevision(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		skip(t, "git is not installed")
	}
	dir := write(t, "mod/go.mod", goMod, "mod/p_test.go", testFile, "other/x.txt", "x")
	run := func(args ...string) string {
		t.Helper()
		c := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=n", "-c", "user.email=e@example.com"}, args...)...)
		out, err := c.CombinedOutput()
		if err != nil {
			t.Fatalf("git %q: %v\n%s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	mod := filepath.Join(dir, "mod")
	check := func(what, vcs string, known, dirty bool) {
		t.Helper()
		gotVCS, rev, gotDirty := revision(t.Context(), mod)
		if gotVCS != vcs || (gotDirty != nil) != known || known && *gotDirty != dirty {
			t.Errorf("%s: %q, dirty %v; want %q, known %v, dirty %v", what, gotVCS, gotDirty, vcs, known, dirty)
		}
		if vcs != "" && rev != run("rev-parse", "HEAD") {
			t.Errorf("%s: revision %s", what, rev)
		}
	}
	check("no repository", "", false, false)
	run("init", "-q")
	check("nothing tracked", "", false, false)
	run("add", ".")
	check("no commit", "", false, false)
	run("commit", "-q", "-m", "x")
	check("clean", "git", true, false)
	if err := os.WriteFile(filepath.Join(dir, "other/x.txt"), []byte("y"), 0o644); err != nil {
		t.Fatal(err)
	}
	check("changed elsewhere", "git", true, false)
	if err := os.MkdirAll(filepath.Join(mod, "a.whet"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a.whet/recording.json", "a.html"} {
		if err := os.WriteFile(filepath.Join(mod, name), []byte("{}"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	check("recordings beside", "git", true, false)
	if err := os.WriteFile(filepath.Join(mod, "new.go"), []byte("package p\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	check("a new file", "git", true, true)
	if err := os.Remove(filepath.Join(mod, "new.go")); err != nil {
		t.Fatal(err)
	}
	run("mv", "mod/p_test.go", "mod/q_test.go")
	check("renamed", "git", true, true)
}

// skip skips a test, except in CI, where nothing may be missing.
func skip(t *testing.T, why string) {
	t.Helper()
	if os.Getenv("CI") != "" {
		t.Fatal(why)
	}
	t.Skip(why)
}
