package docs

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "write the real output into samples and into blocks without …")

// notRun are the only commands that pages may show without a test running
// them, and why.
var notRun = map[string]string{
	"make":                           "the build itself",
	"make install":                   "it writes into the user's Go directory",
	"make demo":                      "minutes; its parts are run here one by one",
	"make test":                      "it runs this test",
	"make quick":                     "part of make test",
	"make deps":                      "it may install packages",
	"make bench":                     "minutes, and figures of one machine",
	"make fuzz":                      "minutes",
	"make soak":                      "half an hour",
	"make race":                      "an hour",
	"make cross":                     "minutes; a test of internal/house type-checks for the same systems",
	"make knowledge":                 "minutes",
	"make casebook":                  "minutes",
	"make look":                      "minutes, and pictures for eyes",
	"make screenshot":                "a picture, checked where it is made",
	"source <(whet completion bash)": "tested in internal/app with a real bash",
	"whet tune http://localhost:8080/path -H 'Authorization: Bearer a long secret'": "the service is the reader's",
	"go test ./docs -run TestRulesPage -update":                                     "it rewrites a page",
	"go test ./internal/house":                                                      "part of the same run of the tests",
	"go test ./internal/app -update":                                                "it rewrites golden files",
	"go test ./internal/report/run -update":                                         "it rewrites golden files",
	"make release":                                                                  "minutes; a test of cmd/whet makes one of its programs",

	"go test ./internal/diagnose/rules -run TestFixtures/stringcopy": "part of the same run of the tests",
	"go test ./internal/report/run":                                  "part of the same run of the tests",
	"go test ./internal/app -run 'TestScripts/^usage$'":              "part of the same run of the tests",
}

// TestPages runs two pages at a time, which wait for their measurements most of it,
// and one where it writes what they show.
func TestPages(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the commands of the documentation")
	}
	t.Parallel()
	l := newLab(t)
	paths := pagePaths(t)
	slices.SortStableFunc(paths, func(a, b string) int { return cmp.Compare(rank(a), rank(b)) })
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			t.Parallel()
			runPage(t, l, path)
		})
	}
}

// rank puts first what takes longest, so that nothing long is left for the end.
func rank(path string) int {
	first := []string{"doctor.md", "README.md", "json.md", "prove.md", "tune.md"}
	if i := slices.Index(first, filepath.Base(path)); i >= 0 {
		return i
	}
	return len(first)
}

var link = regexp.MustCompile(`\]\(([^)#]+)(#[^)]*)?\)`)

// TestLinks: what a page of ours points to inside the tree is there.
func TestLinks(t *testing.T) {
	for _, path := range pagePaths(t) {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range link.FindAllStringSubmatch(string(data), -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			if _, err := os.Stat(filepath.Join(filepath.Dir(path), filepath.FromSlash(m[1]))); err != nil {
				t.Errorf("%s points to %s: %v", filepath.Base(path), m[1], err)
			}
		}
	}
}

// pagePaths are the files this test answers for.
func pagePaths(t *testing.T) []string {
	t.Helper()
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	pages, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	if err != nil || len(pages) == 0 {
		t.Fatalf("%d pages in docs (%v)", len(pages), err)
	}
	for _, name := range []string{"README.md", "CONTRIBUTING.md", "CHANGELOG.md"} {
		pages = append(pages, filepath.Join(root, name))
	}
	return pages
}

func runPage(t *testing.T, l *lab, path string) {
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	blocks, err := Blocks(string(data))
	if err != nil {
		t.Fatal(err)
	}
	var lines []string // of the page, with real output where -update wants it
	for line := range strings.Lines(string(data)) {
		lines = append(lines, strings.TrimRight(line, "\r\n"))
	}
	sh := shell{t: t, lab: l}
	// Backwards would be simpler for the line numbers, but commands build on
	// one another.
	shift := 0
	for _, b := range blocks {
		if b.Info == "sh" {
			for _, line := range b.Lines {
				command, _, _ := strings.Cut(line, " #")
				if command = strings.TrimSpace(command); command != "" && notRun[command] == "" && !strings.HasPrefix(command, "git clone ") && !strings.HasPrefix(command, "cd ") {
					t.Errorf("%s:%d: %q is neither in a console block, so that it is run, nor among the commands that cannot be", filepath.Base(path), b.Line, command)
				}
			}
		}
		if len(b.Commands) == 0 {
			continue
		}
		if sh.root == "" {
			sh.root = l.enter(t)
			sh.dir = sh.root
			if strings.Contains(string(data), "\n$ git ") {
				commitTree(t, sh.root)
			}
		}
		var fresh []string
		for _, c := range b.Commands {
			begin := time.Now()
			printed, code := sh.run(c.Text)
			t.Logf("%5.1f s  $ %s", time.Since(begin).Seconds(), c.Text)
			where := fmt.Sprintf("%s:%d: $ %s", filepath.Base(path), c.Line, c.Text)
			// What prove can tell within a page's budget depends on the machine.
			unsure := code == 4 && c.Exit == 0 && strings.HasPrefix(c.Text, "whet prove ")
			// So does whether load's generator kept up with its plan.
			unsure = unsure || code == 3 && c.Exit == 0 && strings.HasPrefix(c.Text, "whet load ") &&
				slices.ContainsFunc(printed, func(line string) bool { return strings.Contains(line, "the measurement is not valid: ") })
			// Where the page leaves the verdict open, this machine may well find it slower.
			open := len(c.Output) > 0 && c.Output[len(c.Output)-1] == "verdict  …"
			unsure = unsure || code == 1 && c.Exit == 0 && open && strings.HasPrefix(c.Text, "whet prove ")
			if code != c.Exit && !unsure {
				t.Errorf("%s\nexit code %d, want %d; it printed:\n%s", where, code, c.Exit, strings.Join(printed, "\n"))
			}
			fresh = append(append(fresh, c.Shown...), b.Cut(printed)...)
			if len(c.Output) == 0 || *update {
				continue
			}
			match := Match
			if b.Sample() {
				match = MatchSample
			}
			if err := match(c.Output, b.Cut(printed)); err != nil {
				t.Errorf("%s\n%v; it printed:\n%s", where, err, strings.Join(printed, "\n"))
			}
		}
		if *update && updatable(b) {
			from := b.Line + shift
			lines = slices.Replace(lines, from, from+len(b.Lines), fresh...)
			shift += len(fresh) - len(b.Lines)
		}
	}
	checkKeys(t, string(data), sh.dir)
	if text := strings.Join(lines, "\n") + "\n"; *update && text != string(data) {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// checkKeys compares the JSON documents that the page's commands wrote with
// what the page says of them: every document it speaks of has to be there.
func checkKeys(t *testing.T, page, dir string) {
	t.Helper()
	documented := DocumentedKeys(page)
	if len(documented) == 0 {
		return
	}
	names, err := filepath.Glob(filepath.Join(dir, "*.json"))
	inside, err2 := filepath.Glob(filepath.Join(dir, "*.whet", "*.json"))
	if err := errors.Join(err, err2); err != nil {
		t.Fatal(err)
	}
	seen := make(map[string]bool)
	for _, name := range slices.Concat(names, inside) {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		schema, paths, err := Keys(data)
		if err != nil {
			t.Errorf("%s: %v", filepath.Base(name), err)
			continue
		}
		if keys, ok := documented[schema]; ok {
			seen[schema] = true
			for _, path := range Undocumented(paths, keys) {
				t.Errorf("%s has the key %s, which the page does not explain", schema, path)
			}
		}
	}
	for schema := range documented {
		if !seen[schema] {
			t.Errorf("no command of the page writes a document %s", schema)
		}
	}
}

// updatable blocks show output, all of it.
func updatable(b Block) bool {
	if b.Sample() {
		return true
	}
	shows := false
	for _, c := range b.Commands {
		shows = shows || len(c.Output) > 0
		if slices.ContainsFunc(c.Output, func(line string) bool { return strings.Contains(line, wild) }) {
			return false
		}
	}
	return shows
}

// goCache is the build cache's directory, wherever the user's caches are.
func goCache(t *testing.T) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "env", "GOCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

// commitTree makes the copy a repository of one commit, for pages that show git.
func commitTree(t *testing.T, dir string) {
	t.Helper()
	for _, args := range [][]string{
		{"init", "-q"}, {"add", "-A"}, {"-c", "user.name=docs", "-c", "user.email=docs@example.org", "commit", "-q", "-m", "the tree"},
	} {
		cmd := exec.CommandContext(t.Context(), "git", args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %s: %v\n%s", args[0], err, out)
		}
	}
}

// copyTree copies what git tracks or would, so that commands find the casebook and may
// write wherever they like.
func copyTree(t *testing.T, to string) {
	t.Helper()
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	cmd := exec.Command("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	cmd.Dir = root
	if out, err := cmd.Output(); err == nil {
		names = strings.FieldsFunc(string(out), func(r rune) bool { return r == 0 })
	} else {
		// Not a checkout: everything outside bin.
		err := fs.WalkDir(os.DirFS(root), ".", func(name string, d fs.DirEntry, err error) error {
			if err == nil && d.IsDir() && (name == ".git" || name == "bin") {
				return fs.SkipDir
			}
			if err == nil && d.Type().IsRegular() {
				names = append(names, name)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range names {
		from := filepath.Join(root, filepath.FromSlash(name))
		st, err := os.Stat(from)
		if err != nil || !st.Mode().IsRegular() {
			continue // removed in the work tree
		}
		data, err := os.ReadFile(from)
		if err != nil {
			t.Fatal(err)
		}
		dst := filepath.Join(to, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(dst), 0o755), os.WriteFile(dst, data, st.Mode().Perm())); err != nil {
			t.Fatal(err)
		}
	}
}
