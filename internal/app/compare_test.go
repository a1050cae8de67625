package app

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"whet/internal/cli"
)

// goTool builds a command of a module that go.mod has, for tests that put it
// beside whet.
func goTool(t *testing.T, path string) string {
	t.Helper()
	out := filepath.Join(t.TempDir(), filepath.Base(path))
	if text, err := exec.Command("go", "build", "-o", out, path).CombinedOutput(); err != nil {
		t.Fatalf("go build %s: %v\n%s", path, err, text)
	}
	return out
}

// theirFiles returns where benchstat's own fixtures lie.
func theirFiles(t *testing.T) string {
	t.Helper()
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "golang.org/x/perf").Output()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(strings.TrimSpace(string(dir)), "cmd", "benchstat", "testdata")
}

// fixtures gathers the inputs of both in one directory, so that the names in
// their outputs are the same.
func fixtures(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, pattern := range []string{
		filepath.Join(theirFiles(t), "*.txt"), filepath.Join("..", "..", "docs", "testdata", "encode-*.txt"), filepath.Join("testdata", "compare", "*.txt"),
	} {
		names, err := filepath.Glob(pattern)
		if err != nil || len(names) == 0 {
			t.Fatalf("%s: %d files, %v", pattern, len(names), err)
		}
		for _, name := range names {
			data, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, filepath.Base(name)), data, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	return dir
}

func runTool(t *testing.T, name string, args []string) (stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	cmd := exec.Command(name, args...)
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s %q: %v\n%s", filepath.Base(name), args, err, errs.String())
	}
	return out.String(), errs.String()
}

func runCompare(args ...string) (code int, stdout, stderr string) {
	var out, errs bytes.Buffer
	code = Run(context.Background(), append([]string{"compare"}, args...), strings.NewReader(""), &out, &errs)
	return code, out.String(), errs.String()
}

// onlyNotes reports whether text is one of ours below the tables: what
// benchstat does not say.
func onlyNotes(text string) bool {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		known := line == ""
		for _, part := range []string{"without adjustment: if nothing differs", "no comparison can show a difference", "of other output", "cannot differ", "nothing is compared: "} {
			known = known || strings.Contains(line, part)
		}
		if !known {
			return false
		}
	}
	return true
}

// TestCompareIsBenchstat puts the real benchstat beside whet compare: with
// -adjust none every byte of its tables and of its remarks is the same.
func TestCompareIsBenchstat(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the whole program")
	}
	benchstat := goTool(t, "golang.org/x/perf/cmd/benchstat")
	t.Chdir(fixtures(t))
	for _, args := range []string{
		"old.txt new.txt",
		"old.txt",
		"old.txt new.txt old.txt",
		"new.txt new.txt",
		"O=old.txt N=new.txt",
		"x=old.txt x=new.txt",
		"-alpha 0.5 old.txt new.txt",
		"-alpha 0 old.txt new.txt",
		"-alpha 1 old.txt new.txt",
		"-confidence 0.5 old.txt new.txt",
		"-confidence 0.999 old.txt new.txt",
		"-confidence 1 old.txt new.txt",
		"-filter /format:json old.txt new.txt",
		"-filter .unit:ns/op|-/format:json old.txt new.txt",
		"-filter .file:O|OR|/format:/g.b/ O=old.txt N=new.txt",
		"-col /format new.txt",
		"-col /format@(gob|json) -row .name -ignore .file old.txt new.txt",
		"-col /format@alpha -row .name old.txt new.txt",
		"-row .name new.txt",
		"-col .file,/format -row .name old.txt new.txt",
		"-col /format,.file -row .name old.txt new.txt",
		"-table /format old.txt new.txt",
		"-table goos -row pkg,.fullname old.txt new.txt",
		"-row  -col .fullname old.txt",
		"crc-old.txt crc-new.txt",
		"-ignore note crc-old.txt crc-new.txt",
		"-filter /align:0 -row /size -col /poly crc-new.txt",
		"-filter /align:0 -row /size@num -col /poly -ignore note crc-old.txt crc-new.txt",
		"-filter .unit:MB/s -row /poly,/align -col /size@alpha crc-new.txt",
		"-col note units.txt",
		"units.txt",
		"-col note zero.txt",
		"-col note smallSample.txt",
		"-col note issue19565.txt",
		"-col note issue19634.txt",
		"encode-old.txt encode-new.txt",
		"encode-new.txt encode-old.txt",
		"before=encode-old.txt after=encode-new.txt again=encode-old.txt",
		"-filter .unit:(sec/op|OR|digits/op) -row .name,/code -col .file,/size encode-old.txt encode-new.txt",
		"-col /gomaxprocs encode-old.txt",
		"-col side@(new|old) sides.txt",
		"-col side -row .name -ignore /n sides.txt",
		"-col /n@num -table side,.config sides.txt",
		"-col side -filter .unit:(a|OR|b|OR|zero) sides.txt",
		"-table side -row .fullname@alpha -col .file sides.txt",
	} {
		var list []string
		for _, arg := range strings.Split(args, " ") {
			list = append(list, strings.ReplaceAll(arg, "|", " "))
		}
		for _, format := range []string{"text", "csv"} {
			theirs, theirRemarks := runTool(t, benchstat, append([]string{"-format", format}, list...))
			code, ours, remarks := runCompare(append([]string{"-adjust", "none", "-format", format}, list...)...)
			if code != cli.ExitDone {
				t.Errorf("%s %s: exit code %d: %s", format, args, code, remarks)
				continue
			}
			// Below benchstat's output stand our notes.
			if rest, ok := strings.CutPrefix(ours, theirs); theirs == "" || !ok || !onlyNotes(rest) {
				t.Errorf("%s %s:\n%s\nbenchstat prints:\n%s", format, args, ours, theirs)
			}
			if rest, ok := strings.CutPrefix(remarks, theirRemarks); !ok || !onlyNotes(rest) {
				t.Errorf("%s %s: remarks\n%s\nbenchstat's:\n%s", format, args, remarks, theirRemarks)
			}
		}
	}
	// One comparison is read alone whatever the method.
	one := []string{"-filter", "/format:json", "old.txt", "new.txt"}
	theirs, _ := runTool(t, benchstat, one)
	if _, ours, _ := runCompare(one...); !strings.HasPrefix(ours, theirs) {
		t.Errorf("one comparison:\n%s\nbenchstat prints:\n%s", ours, theirs)
	}
}

// TestBenchstatsFault keeps watch on the one figure that is not benchstat's: if
// this fails, it was mended, and rankSum can go.
func TestBenchstatsFault(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the whole program")
	}
	benchstat := goTool(t, "golang.org/x/perf/cmd/benchstat")
	t.Chdir(fixtures(t))
	args := []string{"-col", "side", "-filter", ".name:Unequal", "-format", "csv", "unequal.txt"}
	theirs, _ := runTool(t, benchstat, args)
	if !strings.Contains(theirs, "p=1.333 n=1+2") {
		t.Errorf("benchstat prints\n%s", theirs)
	}
	_, ours, _ := runCompare(args...)
	if !strings.Contains(ours, "p=1.000 n=1+2") {
		t.Errorf("we print\n%s", ours)
	}
}

// TestCompareIsBenchcmp puts the real benchcmp beside -benchcmp.
func TestCompareIsBenchcmp(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the whole program")
	}
	benchcmp := goTool(t, "golang.org/x/tools/cmd/benchcmp")
	t.Chdir(fixtures(t))
	for _, files := range [][]string{{"old.txt", "new.txt"}, {"encode-old.txt", "encode-new.txt"}, {"encode-new.txt", "encode-old.txt"}, {"crc-old.txt", "crc-new.txt"}, {"sides.txt", "unequal.txt"}, {"sides.txt", "sides.txt"}} {
		for _, flags := range []string{"", "-best", "-changed", "-mag", "-best -changed -mag", "-best -mag"} {
			args := append(strings.Fields(flags), files...)
			theirs, theirErr, theirCode := runLoose(t, benchcmp, args)
			code, ours, errs := runCompare(append([]string{"-benchcmp"}, args...)...)
			if theirCode != 0 {
				if code != cli.ExitFailed {
					t.Errorf("%q: exit code %d, benchcmp %d: %s", args, code, theirCode, theirErr)
				}
				continue
			}
			same := ours == theirs
			if strings.Contains(flags, "-mag") {
				// Runs of one benchmark that changed alike, be it up or down, come in
				// another order each time there.
				same = slices.Equal(firstWords(ours), firstWords(theirs)) && slices.Equal(sortedLines(ours), sortedLines(theirs))
			}
			if code != cli.ExitDone || !same {
				t.Errorf("%q: exit code %d %s\n%s", args, code, errs, cmp.Diff(theirs, ours))
			}
			// Its first line says that it is deprecated; the others come in any order.
			_, rest, _ := strings.Cut(theirErr, "\n")
			if len(strings.Split(rest, "\n")) != len(strings.Split(errs, "\n")) {
				t.Errorf("%q: remarks\n%s\nbenchcmp's:\n%s", args, errs, rest)
			}
			for line := range strings.Lines(rest) {
				if !strings.Contains(errs, line) {
					t.Errorf("%q: %s is not among\n%s", args, line, errs)
				}
			}
		}
	}
}

func sortedLines(s string) []string { return slices.Sorted(strings.Lines(s)) }

// firstWords returns the names, in their order.
func firstWords(s string) []string {
	var out []string
	for line := range strings.Lines(s) {
		out = append(out, strings.Join(strings.Fields(line)[:min(len(strings.Fields(line)), 1)], ""))
	}
	return out
}

func runLoose(t *testing.T, name string, args []string) (stdout, stderr string, code int) {
	t.Helper()
	var out, errs bytes.Buffer
	cmd := exec.Command(name, args...)
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}
