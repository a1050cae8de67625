package program

import (
	"bufio"
	"context"
	"debug/buildinfo"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"whet"
	"whet/internal/gobench"
)

const zooFirst = "own package own file \n" // line of the zoo's output

// TestZoo: however the program ends, its own doing is as it was, and what the
// agent says of the end is true.
func TestZoo(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and starts programs")
	}
	dir := module(t, "zoo")
	copyAgent(t, filepath.Join(dir, "whet", "agent"))
	o := gobench.BuildOptions{Env: []string{"GOFLAGS=-mod=mod"}}
	b := build(t, dir, dir, "./cmd/zoo", o)
	if b.GoVersion != b.Target.GOVERSION || b.BuildID == "" || b.Race || b.Cover || b.Unoptimized || !slices.Contains(b.Settings, "-compiler=gc") {
		t.Errorf("%+v", b)
	}
	t.Run("endings", func(t *testing.T) { testEndings(t, b) })
	t.Run("children", func(t *testing.T) { testChildren(t, b) })
	t.Run("served", func(t *testing.T) { testServed(t, b) })
	t.Run("without whet", func(t *testing.T) { testWithout(t, b) })
}

func testEndings(t *testing.T, b *gobench.Binary) {
	// The agent is there when package main is initialised.
	r := run(t, b, "init")
	if r.code != 5 || r.stdout+r.stderr != "" {
		t.Errorf("ended by its init: %+v", r)
	}
	r.wantAgent(t, "init", EndedExit)
	for _, tt := range []struct {
		arg, ended     string
		code           int
		stdout, stderr string // after the first line; what it has
		warning        string
	}{
		{arg: "return", ended: EndedExit},
		{arg: "exit", ended: EndedExit, code: 3},
		{arg: "fatal", ended: EndedExit, code: 1, stderr: " fatal\n"},
		{arg: "panic", ended: EndedRunning, code: 2, stderr: "panic: panic\n\ngoroutine 1 "},
		// Both want the one CPU profiler there is, and the program ends the
		// agent's profile.
		{arg: "profile", ended: EndedExit, stdout: "true\n", warning: "the program stopped the agent's CPU profile"},
		// The program's agent comes second and does nothing to the first.
		{arg: "agent", ended: EndedExit},
	} {
		r := run(t, b, tt.arg)
		if r.code != tt.code || r.stdout != zooFirst+tt.stdout || !strings.Contains(r.stderr, tt.stderr) || tt.stderr == "" && r.stderr != "" {
			t.Errorf("%s: status %d, %q, %q", tt.arg, r.code, r.stdout, r.stderr)
		}
		if w := r.manifest.Warnings; tt.warning != "" && len(w) == 1 && strings.HasPrefix(w[0], tt.warning) {
			r.manifest.Warnings = nil
		}
		r.wantAgent(t, tt.arg, tt.ended)
	}
}

// testChildren: children have no agent, not even those that inherit the
// environment as it was before the agent took itself out of it.
func testChildren(t *testing.T, b *gobench.Binary) {
	if r := run(t, b, "alone"); r.stdout != zooFirst+"false\n" {
		t.Errorf("with an agent it is alone: %q", r.stdout)
	}
	r := run(t, b, "children")
	r.wantAgent(t, "children", EndedExit)
	if want := zooFirst + "true\n" + zooFirst + "true\n" + "false\n" + zooFirst + "true\n"; r.stdout != want || r.stderr != "" {
		t.Errorf("printed %q, %q, want %q", r.stdout, r.stderr, want)
	}
}

// testServed: the socket is there when main begins, answers who has the token,
// and goes with the program.
func testServed(t *testing.T, b *gobench.Binary) {
	a, err := NewAgent(Options{Serve: true})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Remove()
	c := exec.CommandContext(t.Context(), b.Path, "wait")
	c.Env = append(os.Environ(), a.Env())
	stdin, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(stdout).ReadString('\n'); line != zooFirst {
		t.Errorf("printed %q, %v", line, err)
	}
	transport := &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", a.Socket())
	}}
	for token, want := range map[string]int{a.Token(): http.StatusOK, "": http.StatusUnauthorized, a.Token() + "0": http.StatusUnauthorized} {
		r, err := http.NewRequestWithContext(t.Context(), "GET", "http://agent/debug/whet/status", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+token)
		answer, err := (&http.Client{Transport: transport}).Do(r)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(answer.Body)
		answer.Body.Close()
		if answer.StatusCode != want || err != nil {
			t.Errorf("token %q: %s, %s, %v", token, answer.Status, body, err)
		}
		if want == http.StatusOK && !strings.Contains(string(body), fmt.Sprintf(`"pid":%d,`, c.Process.Pid)) {
			t.Errorf("status of another process: %s", body)
		}
	}
	transport.CloseIdleConnections()
	stdin.Close()
	if err := c.Wait(); err != nil {
		t.Error(err)
	}
	if _, err := os.Lstat(a.Socket()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the socket is still there: %v", err)
	}
}

// testWithout: what was built is the user's program.
func testWithout(t *testing.T, b *gobench.Binary) {
	if r := start(t, b, nil, "exit"); r.code != 3 || r.stdout != zooFirst || r.stderr != "" {
		t.Errorf("without an agent: %+v", r)
	}
	for _, env := range []string{"", "{", `{"dir":"relative"}`, `{"dir":"/none"}`} {
		if r := start(t, b, []string{"WHET_AGENT=" + env}, "exit"); r.code != 3 || r.stdout != zooFirst || r.stderr != "" {
			t.Errorf("with WHET_AGENT=%s: %+v", env, r)
		}
	}
	if r := start(t, b, nil, "init"); r.code != 5 || r.stdout+r.stderr != "" {
		t.Errorf("ended by its init: %+v", r)
	}
	// The agent's settings are whet's, so it says what it cannot use.
	dir := t.TempDir()
	put(t, filepath.Join(dir, ticket), "")
	bad := fmt.Sprintf(`WHET_AGENT={"dir":%q,"serve":true}`, dir)
	if r := start(t, b, []string{bad}, "exit"); r.code != 3 || r.stdout != zooFirst || !strings.HasPrefix(r.stderr, "whet: start the agent: read WHET_AGENT: ") {
		t.Errorf("with settings that make no sense: %+v", r)
	}
}

// copyAgent makes the agent what a user's module imports.
func copyAgent(t *testing.T, dir string) {
	t.Helper()
	source, err := whet.AgentSource()
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range source {
		put(t, filepath.Join(dir, name), string(text))
	}
}

func TestVendoredTaggedAndOverlaid(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and starts programs")
	}
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
	if testing.Short() {
		t.Skip("builds and starts programs")
	}
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
	// A package that comes before the agent's in the order of initialisation
	// can end the program before there is an agent.
	r = run(t, b, "early")
	if r.code != 4 || r.started || !errors.Is(r.missing, fs.ErrNotExist) || !strings.Contains(r.missing.Error(), "the agent never started") {
		t.Errorf("ended by a dependency's init: %+v", r)
	}
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

// A toolchain that the go command fetched lies in the module cache: the one of
// this machine does too when the cache is where it is.
func TestFetchedToolchain(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and starts programs")
	}
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
	if testing.Short() {
		t.Skip("builds and starts programs")
	}
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
		{zoo, "./cmd/zoo", gobench.BuildOptions{Env: []string{"GOMODCACHE=" + filepath.Dir(zoo)}}, gobench.KindUsage,
			`own\.test/zoo/cmd/zoo lies in the module cache, where whet cannot add its agent: clone its repository and name the package there`},
		{vendored, "dep.test/dep/cmd", flags(), gobench.KindUsage, `dep\.test/dep/cmd is vendored, where whet cannot add its agent: name the package in its own module`},
		{zoo, "./cmd/zoo", flags("-n"), gobench.KindUsage, `build own\.test/zoo/cmd/zoo: the flags .* produce no program: .*`},
		{zoo, "./cmd/zoo", flags("-nonsense"), gobench.KindCompile, `own\.test/zoo/cmd/zoo does not compile: flag provided but not defined: -nonsense`},
		{zoo, "./cmd/zoo", flags("-cover"), gobench.KindUsage, `own\.test/zoo/cmd/zoo cannot be built with both -cover and whet's agent \(the cover command does not see the agent's files\): leave -cover out`},
		{crowded, ".", flags(), gobench.KindUsage, `zwhetagent\.go and all such names up to 100 exist in .*: remove or rename one; whet needs the name for its agent`},
	} {
		target, err := gobench.Resolve(t.Context(), tt.dir, tt.operand, tt.o)
		if err != nil {
			t.Errorf("%s: %v", tt.operand, err)
			continue
		}
		wantError(t, target, tt.operand, tt.o, tt.kind, tt.text)
	}

	if _, err := gobench.Resolve(t.Context(), filepath.Join(zoo, "cmd/zoo"), "main.go", flags()); err == nil || err.Error() != "main.go is a file: give the directory of its package" {
		t.Errorf("main.go: error %v", err)
	}

	target, err := gobench.Resolve(t.Context(), vendored, ".", flags())
	if err != nil {
		t.Fatal(err)
	}
	for flag, text := range map[string]string{
		"none.json": `read the overlay none\.json of -overlay: no such file or directory`,
		"vendor":    `read the overlay vendor of -overlay: it is not a regular file of at most \d+ bytes`,
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
		(!errors.Is(err, fs.ErrNotExist) || !strings.HasSuffix(err.Error(), ": set TMPDIR to a writable directory")) {
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

// Without a home directory the go command has no module cache.
func TestNoHome(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and starts programs")
	}
	dir := t.TempDir()
	put(t, filepath.Join(dir, "go.mod"), "module own.test/homeless\n\ngo 1.26\n")
	put(t, filepath.Join(dir, "main.go"), "package main\n\nfunc main() {}\n")
	cache, err := exec.Command("go", "env", "GOCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	b := build(t, dir, dir, ".", gobench.BuildOptions{Env: []string{"HOME=", "GOPATH=", "GOMODCACHE=", "GOENV=off", "GOCACHE=" + strings.TrimSpace(string(cache))}})
	if r := run(t, b); r.missing != nil {
		t.Error(r.missing)
	}
}

// The last overlay counts, and one among the flags more than one in GOFLAGS.
func TestUsersOverlay(t *testing.T) {
	dir := t.TempDir()
	put(t, filepath.Join(dir, "a.json"), `{"Replace": {"x": "a"}}`)
	put(t, filepath.Join(dir, "b.json"), `{"Replace": {"x": "b"}}`)
	put(t, filepath.Join(dir, "empty.json"), `{}`)
	for _, tt := range []struct {
		goflags string
		flags   []string
		want    map[string]string
	}{
		{"-mod=mod", nil, map[string]string{}},
		{"-mod=mod -overlay=a.json", nil, map[string]string{"x": "a"}},
		{"-overlay=a.json", []string{"-overlay=b.json"}, map[string]string{"x": "b"}},
		{"", []string{"-overlay", filepath.Join(dir, "a.json")}, map[string]string{"x": "a"}},
		{"-overlay=empty.json", nil, map[string]string{}},
	} {
		all, err := usersOverlay(&gobench.Target{WorkDir: dir, GOFLAGS: tt.goflags}, gobench.BuildOptions{Flags: tt.flags})
		if err != nil || all.Replace == nil || !maps.Equal(all.Replace, tt.want) {
			t.Errorf("GOFLAGS=%s %q: %v, %v", tt.goflags, tt.flags, all.Replace, err)
		}
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
