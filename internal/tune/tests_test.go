package tune

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"whet/internal/gobench"
	reportpage "whet/internal/report/page"
	"whet/internal/report/run"
)

// TestOwnTests: a package's tests are run once for each build, environment and
// directory, and once more where they failed beside a build.
func TestOwnTests(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and measures programs")
	}
	cache, err := exec.Command("go", "env", "GOCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("GOCACHE", strings.TrimSpace(string(cache)))
	home := t.TempDir() // whose cache directory remembers
	t.Setenv("HOME", home)
	t.Setenv("XDG_CACHE_HOME", home)
	t.Setenv("LocalAppData", home)
	log := filepath.Join(t.TempDir(), "log")
	t.Setenv("TEST_LOG", log) // a line for each run of the tests
	dir := writeModule(t, map[string]string{
		"go.mod":         "module example.com/tested\n\ngo 1.26\n",
		"testdata/fails": "1",
		"x_test.go": `package tested

import (
	"os"
	"strconv"
	"strings"
	"testing"
)

// TestX fails as often as testdata/fails says.
func TestX(t *testing.T) {
	ran, _ := os.ReadFile(os.Getenv("TEST_LOG"))
	os.WriteFile(os.Getenv("TEST_LOG"), append(ran, "ran\n"...), 0o644)
	text, _ := os.ReadFile("testdata/fails")
	if fails, _ := strconv.Atoi(string(text)); strings.Count(string(ran), "ran") < fails {
		t.Fatal("too slow")
	}
}

func BenchmarkX(b *testing.B) {
	for b.Loop() {
	}
}
`})
	for _, step := range []struct {
		what   string
		before func()
		runs   int
		warns  bool
		fails  bool
	}{
		{"fails once", func() {}, 2, true, false},
		{"passed", func() {}, 0, false, false},
		{"another environment", func() { t.Setenv("OTHER", "1") }, 2, true, false},
		{"passed in that", func() {}, 0, false, false},
		{"other input", func() { write(t, filepath.Join(dir, "testdata", "fails"), "0 ") }, 1, false, false},
		{"other code", func() { write(t, filepath.Join(dir, "x.go"), "package tested\n\nvar X = 1\n") }, 1, false, false},
		{"fails always", func() { write(t, filepath.Join(dir, "testdata", "fails"), "9") }, 2, false, true},
		{"still fails", func() {}, 2, false, true},
	} {
		step.before()
		write(t, log, "")
		outcome, err := recordModule(t, dir, func(o *Options) { o.Budget, o.Samples = time.Second, 1 })
		ran, readErr := os.ReadFile(log)
		if readErr != nil {
			t.Fatal(readErr)
		}
		if n := strings.Count(string(ran), "ran"); n != step.runs || err != nil {
			t.Errorf("%s: the tests ran %d times, %v", step.what, n, err)
		}
		_, page := openPage(t, outcome.Path)
		var text bytes.Buffer
		if err := run.WriteText(&text, page, reportpage.TextOptions{Width: 100}); err != nil {
			t.Fatal(err)
		}
		_, after, _ := strings.Cut(text.String(), "\nVerdict")
		_, doubts, _ := strings.Cut(after, "\n  ! ")
		if loud := strings.HasPrefix(doubts, run.TestsFail+"TestX failed: "); loud != step.fails || strings.Contains(page.Verdict.Text, "own tests fail") != step.fails {
			t.Errorf("%s: the text is\n%s", step.what, text.String())
		}
		if warns := strings.Contains(strings.Join(page.Warnings, "\n"), "failed during a build (TestX failed: "); warns != step.warns {
			t.Errorf("%s: warnings %q", step.what, page.Warnings)
		}
	}
}

// TestNoTimeForOne: a benchmark that the quick pass has no time for is a warning, where
// the time was not the user's choice, and the others are measured.
func TestNoTimeForOne(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and measures programs")
	}
	t.Parallel()
	dir := writeModule(t, map[string]string{
		"go.mod":    "module example.com/slow\n\ngo 1.26\n",
		"x_test.go": "package slow\n\nimport (\n\t\"runtime\"\n\t\"testing\"\n)\n\nfunc BenchmarkFine(b *testing.B) {\n\tfor b.Loop() {\n\t}\n}\n\nfunc BenchmarkNever(b *testing.B) {\n\tfor b.N > 0 {\n\t\truntime.Gosched()\n\t}\n}\n",
	})
	outcome, err := recordModule(t, dir, func(o *Options) { o.Budget, o.Samples = 60*time.Second, 1 })
	if err != nil || len(outcome.Failures) > 0 {
		t.Fatalf("%v, failures %q", err, outcome.Failures)
	}
	_, page := openPage(t, outcome.Path)
	if len(page.Benchmarks) != 1 || page.Benchmarks[0].Name != "BenchmarkFine" || !strings.Contains(strings.Join(page.Warnings, "\n"), "BenchmarkNever did not finish within ") {
		t.Errorf("measured %+v, warnings %q", page.Benchmarks, page.Warnings)
	}
	_, err = recordModule(t, dir, func(o *Options) { o.Budget, o.Bench = 2*time.Second, "Never" })
	if !gobench.KindNoResult.Of(err) || !strings.Contains(err.Error(), "so it is left out") {
		t.Errorf("alone: %v", err)
	}
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestRememberedTests: what is old is forgotten.
func TestRememberedTests(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "tests")
	now := time.Now()
	remember(filepath.Join(dir, "a"), now)
	remember(filepath.Join(dir, "b"), now.Add(passLife+time.Hour))
	remember("", now)
	if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
		// By that clock b is as old as a: its file's time is the machine's.
		t.Errorf("left %v, %v", left, err)
	}
	remember(filepath.Join(dir, "a"), now)
	remember(filepath.Join(dir, "b"), now)
	if left, err := os.ReadDir(dir); err != nil || len(left) != 2 {
		t.Errorf("left %v, %v", left, err)
	}
}
