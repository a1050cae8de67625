package program

import (
	"debug/buildinfo"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"whet/internal/gobench"
)

// TestEndings: however the program ends, its own doing is as it was, and what
// the agent says of the end is true.
func TestEndings(t *testing.T) {
	dir := module(t, "zoo")
	copyAgent(t, filepath.Join(dir, "whet", "agent"))
	o := gobench.BuildOptions{Env: []string{"GOFLAGS=-mod=mod"}}
	b := build(t, dir, dir, "./cmd/zoo", o)
	if b.GoVersion != b.Target.GOVERSION || b.BuildID == "" || b.Race || b.Cover || b.Unoptimized || !slices.Contains(b.Settings, "-compiler=gc") {
		t.Errorf("%+v", b)
	}
	const first = "own package own file \n"
	for _, tt := range []struct {
		arg, ended     string
		code           int
		stdout, stderr string // behind the first line; what it begins with
	}{
		{"return", EndedExit, 0, "", ""},
		{"exit", EndedExit, 3, "", ""},
		{"panic", EndedRunning, 2, "", "panic: panic\n\ngoroutine 1 "},
		{"profile", EndedExit, 0, "true\n", ""},
	} {
		r := run(t, b, tt.arg)
		if r.code != tt.code || r.stdout != first+tt.stdout || !strings.HasPrefix(r.stderr, tt.stderr) || tt.stderr == "" && r.stderr != "" {
			t.Errorf("%s: status %d, %q, %q", tt.arg, r.code, r.stdout, r.stderr)
		}
		r.wantAgent(t, tt.arg, tt.ended)
	}

	r := run(t, b, "fatal")
	if r.code != 1 || !strings.HasSuffix(r.stderr, " fatal\n") {
		t.Errorf("log.Fatal: status %d, %q", r.code, r.stderr)
	}
	r.wantAgent(t, "log.Fatal", EndedExit)

	// Two agents want one profiler; whose it is, the other one says.
	if r = run(t, b, "agent"); r.code != 0 || r.manifest.Ended != EndedExit {
		t.Errorf("agent: %+v", r)
	}

	// The children end first, and would leave their own end and number.
	r = run(t, b, "children")
	r.wantAgent(t, "children", EndedExit)
	if want := strings.Repeat(first+"exit status 3\n", 2) + fmt.Sprintln(r.manifest.PID); r.stdout != first+want {
		t.Errorf("children: %q, want %q", r.stdout, first+want)
	}

	// Without whet it is the user's program.
	if r := start(t, b, nil, "exit"); r.code != 3 || r.stdout != first || r.stderr != "" {
		t.Errorf("without an agent: %+v", r)
	}
	if r := start(t, b, []string{"WHET_AGENT={"}, "exit"); r.code != 3 || r.stdout != first {
		t.Errorf("with an environment that makes no sense: %+v", r)
	}
	if r := start(t, b, []string{`WHET_AGENT={"dir":"relative"}`}, "exit"); r.code != 3 || r.stdout != first {
		t.Errorf("with an environment that makes no sense: %+v", r)
	}
}

// copyAgent makes the agent what a user's module imports.
func copyAgent(t *testing.T, dir string) {
	t.Helper()
	source := agentSource()
	names, err := fs.Glob(source, "*.go")
	if err != nil || len(names) == 0 {
		t.Fatal(names, err)
	}
	for _, name := range names {
		text, err := fs.ReadFile(source, name)
		if err != nil {
			t.Fatal(err)
		}
		put(t, filepath.Join(dir, name), string(text))
	}
}

func TestVendoredTaggedAndOverlaid(t *testing.T) {
	dir := module(t, "vendored")
	// A link of the user's to the tree: the go command then names its files
	// through the link.
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(dir, link); err != nil {
		skip(t, "no symbolic links here")
	}
	o := gobench.BuildOptions{Tags: "special", Flags: []string{"-mod=vendor", "-overlay", "overlay.json"}}
	b := build(t, dir, link, ".", o)
	r := run(t, b)
	if r.code != 0 || r.stdout != "vendored tagged replaced\n" {
		t.Errorf("%+v", r)
	}
	r.wantAgent(t, "vendored", EndedExit)
	if !slices.Contains(b.Settings, "-tags=special") {
		t.Errorf("settings %q", b.Settings)
	}
}

func TestWorkspaceCgoTrimpath(t *testing.T) {
	if _, err := exec.LookPath("gcc"); err != nil {
		skip(t, "gcc is not installed")
	}
	dir := module(t, "workspace")
	o := gobench.BuildOptions{Flags: []string{"-trimpath"}, Env: []string{"CGO_ENABLED=1"}}
	b := build(t, dir, filepath.Join(dir, "b"), "a.test/a/cmd/cgo", o)
	r := run(t, b)
	if r.code != 3 || r.stdout != "workspace\n" {
		t.Errorf("%+v", r)
	}
	r.wantAgent(t, "workspace", EndedExit)
	// -trimpath does what the user wants of it.
	data, err := os.ReadFile(b.Path)
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{dir, os.TempDir()} {
		if strings.Contains(string(data), path) {
			t.Errorf("the binary names %s", path)
		}
	}
	info, err := buildinfo.ReadFile(b.Path)
	if err != nil || info.Path != "a.test/a/cmd/cgo" || info.Main.Path != "a.test/a" {
		t.Errorf("build info %+v, %v", info, err)
	}
}

// A package that comes before the agent's in the order of initialisation can
// end the program before there is an agent; package main cannot.
func TestEndsInInit(t *testing.T) {
	dir := module(t, "workspace")
	r := run(t, build(t, dir, dir, "./a/cmd/own", gobench.BuildOptions{}))
	r.wantAgent(t, "init of package main", EndedExit)
	if r.code != 5 {
		t.Errorf("init of package main: %+v", r)
	}
	r = run(t, build(t, dir, dir, "./a/cmd/early", gobench.BuildOptions{}))
	if r.code != 4 || r.started || !errors.Is(r.missing, fs.ErrNotExist) || !strings.Contains(r.missing.Error(), "it was never started") {
		t.Errorf("init of a dependency: %+v", r)
	}
}

// A toolchain that the go command fetched lies in the module cache: the one of
// this machine does too when the cache is where it is.
func TestFetchedToolchain(t *testing.T) {
	dir := t.TempDir()
	put(t, filepath.Join(dir, "go.mod"), "module own.test/mod\n\ngo 1.26\n")
	put(t, filepath.Join(dir, "main.go"), "package main\n\nfunc main() { println(\"hello\") }\n")
	plain, err := gobench.Resolve(t.Context(), dir, ".", gobench.BuildOptions{})
	if err != nil {
		t.Fatal(err)
	}
	o := gobench.BuildOptions{Env: []string{"GOMODCACHE=" + filepath.Dir(plain.GOROOT)}}
	r := run(t, build(t, dir, dir, ".", o))
	if r.code != 0 || r.stderr != "hello\n" {
		t.Errorf("%+v", r)
	}
	r.wantAgent(t, "fetched toolchain", EndedExit)
}

func TestRefused(t *testing.T) {
	zoo, vendored := module(t, "zoo"), module(t, "vendored")
	copyAgent(t, filepath.Join(zoo, "whet", "agent"))
	crowded := t.TempDir()
	put(t, filepath.Join(crowded, "go.mod"), "module own.test/crowded\n\ngo 1.26\n")
	put(t, filepath.Join(crowded, "main.go"), "package main\n\nfunc main() {}\n")
	put(t, filepath.Join(crowded, "zwhetagent.go"), "package main\n")
	for i := 2; i <= maxAttempts; i++ {
		put(t, filepath.Join(crowded, fmt.Sprintf("zwhetagent%d.go", i)), "package main\n")
	}
	put(t, filepath.Join(vendored, "list.json"), "[]")
	flags := func(f ...string) gobench.BuildOptions { return gobench.BuildOptions{Flags: f} }
	for _, tt := range []struct {
		dir, operand string
		o            gobench.BuildOptions
		kind         gobench.Kind
		text         string
	}{
		{zoo, "./lib", flags(), gobench.KindUsage, `own\.test/zoo/lib is package lib, not a program: name a main package, or write a benchmark in this one`},
		{zoo, "./broken", flags(), gobench.KindCompile, `own\.test/zoo/broken does not compile: main\.go:3:15: undefined: undefined`},
		{filepath.Join(zoo, "cmd/zoo"), "main.go", flags(), gobench.KindUsage, `main\.go is a list of files: give the directory of its package`},
		{zoo, "./cmd/zoo", gobench.BuildOptions{Env: []string{"GOMODCACHE=" + filepath.Dir(zoo)}}, gobench.KindUsage,
			`own\.test/zoo/cmd/zoo lies in the module cache, where whet cannot add its agent: clone its repository and name the package there`},
		{vendored, "dep.test/dep/cmd", flags(), gobench.KindUsage, `dep\.test/dep/cmd is vendored, and whet cannot add its agent there: name the package in its own module`},
		{zoo, "./cmd/zoo", flags("-n"), gobench.KindUsage, `build own\.test/zoo/cmd/zoo: the flags .* make no program: .*`},
		{zoo, "./cmd/zoo", flags("-nonsense"), gobench.KindCompile, `own\.test/zoo/cmd/zoo does not compile: flag provided but not defined: -nonsense`},
		{crowded, ".", flags(), gobench.KindUsage, `zwhetagent\.go and all like it up to 100 exist in .*: whet needs one such name for its agent`},
	} {
		target, err := gobench.Resolve(t.Context(), tt.dir, tt.operand, tt.o)
		if err != nil {
			t.Errorf("%s: %v", tt.operand, err)
			continue
		}
		wantError(t, target, tt.operand, tt.o, tt.kind, tt.text)
	}

	target, err := gobench.Resolve(t.Context(), vendored, ".", flags())
	if err != nil {
		t.Fatal(err)
	}
	for flag, text := range map[string]string{
		"none.json": `read the overlay none\.json of -overlay: no such file or directory`,
		"vendor":    `read the overlay vendor of -overlay: it is no file of at most \d+ bytes`,
		"list.json": `read the overlay list\.json of -overlay: json: cannot unmarshal array .*`,
		"tagged.go": `read the overlay tagged\.go of -overlay: invalid character .*`,
	} {
		wantError(t, target, flag, flags("-overlay="+flag), gobench.KindUsage, text)
	}
	old := *target
	old.GOVERSION = "go1.25.3"
	wantError(t, &old, "old", flags(), gobench.KindUsage, `own\.test/vendored is built with go1\.25\.3, and whet's agent needs go1\.26 or newer: set GOTOOLCHAIN=go1\.26\.0, or install a newer Go`)
	dependency := *target
	dependency.ModuleVersion = "v1.0.0"
	wantError(t, &dependency, "dependency", flags(), gobench.KindUsage, `own\.test/vendored lies in the module cache, .*`)

	t.Setenv("TMPDIR", filepath.Join(vendored, "none"))
	if _, err := Build(t.Context(), target, flags(), filepath.Join(crowded, "x")); os.PathSeparator == '/' &&
		(!errors.Is(err, fs.ErrNotExist) || !strings.HasSuffix(err.Error(), ": set TMPDIR to a directory that can be written to")) {
		t.Errorf("no TMPDIR: %v", err)
	}
}

func wantError(t *testing.T, target *gobench.Target, what string, o gobench.BuildOptions, kind gobench.Kind, text string) {
	t.Helper()
	out := filepath.Join(t.TempDir(), "x")
	_, err := Build(t.Context(), target, o, out)
	var e *gobench.Error
	if !errors.As(err, &e) {
		t.Errorf("%s: error %v, want %s", what, err, kind)
		return
	}
	if e.Kind != kind || !regexp.MustCompile(`^(?:`+text+`)$`).MatchString(e.Text) {
		t.Errorf("%s: %s %q, want %s matching %s\n%s", what, e.Kind, e.Text, kind, text, e.Detail)
	}
	if _, err := os.Stat(out); err == nil {
		t.Errorf("%s: left a binary", what)
	}
}

func TestOverlayFlag(t *testing.T) {
	for flags, want := range map[string]string{
		"":                            "",
		"-tags=x -v":                  "",
		"-overlay=a.json":             "a.json",
		"-overlay a.json -v":          "a.json",
		"--overlay=a -v --overlay b":  "b",
		"-overlay":                    "",
		"-overlays=a -myoverlay=b":    "",
		"-ldflags=-overlay=x -race":   "",
		"-overlay=a.json -overlay=":   "",
		"-overlay=p=q.json":           "p=q.json",
		"-v -overlay dir/o.json -x -": "dir/o.json",
	} {
		if got := overlayFlag(strings.Fields(flags)); got != want {
			t.Errorf("overlayFlag(%q) = %q, want %q", flags, got, want)
		}
	}
}

func TestInside(t *testing.T) {
	root := t.TempDir()
	for rel, want := range map[string]bool{"a": true, "a/b": true, ".": true, "..": false, "../" + filepath.Base(root) + "x": false, "..a": true} {
		if got := inside(filepath.Join(root, rel), root); got != want {
			t.Errorf("inside(%s) = %v", rel, got)
		}
	}
	if inside("", root) || inside(root, "") || inside("", "") {
		t.Error("an unknown path lies inside")
	}
}
