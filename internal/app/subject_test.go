package app

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"whet/internal/cli"
)

// whet runs a command line and returns what it prints.
func whet(t *testing.T, stdin string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	var out, errs bytes.Buffer
	code = Run(t.Context(), args, strings.NewReader(stdin), &out, &errs)
	return out.String(), errs.String(), code
}

func packed(t *testing.T, text string) string {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func file(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

const foldedText = "main.main;main.work 3\nmain.main 2\n"

const dump = `goroutine 1 [running]:
main.work(...)
	/src/x.go:5
main.main()
	/src/x.go:9 +0x1d

`

// TestFormats: whatever a profile is written in, it is read, packed or not,
// from a file or a pipe.
func TestFormats(t *testing.T) {
	legacy := "threadcreate profile: total 1\n1 @ 0x401000 0x402000\n#\t0x400fff\tmain.work+0xf\t/src/x.go:5\n#\t0x401fff\tmain.main+0xf\t/src/x.go:9\n\n"
	for name, c := range map[string]struct{ text, want string }{
		"folded":    {foldedText, foldedText},
		"goroutine": {dump, "main.main;main.work 1\n"},
		"legacy":    {legacy, "main.main;main.work 1\n"},
	} {
		for _, text := range []string{c.text, packed(t, c.text)} {
			for _, fromPipe := range []bool{false, true} {
				operand, stdin := file(t, "x", text), ""
				if fromPipe {
					operand, stdin = "-", text
				}
				out, errs, code := whet(t, stdin, "merge", "-folded", "-o", "-", operand)
				if code != 0 || out != c.want {
					t.Errorf("%s (pipe %v): exit code %d: %s\n%swant\n%s", name, fromPipe, code, errs, out, c.want)
				}
			}
		}
	}
}

// TestDamagedPacks: of a packed text that was cut off, or that something was
// appended to, what is whole is shown with a warning.
func TestDamagedPacks(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the whole program")
	}
	random := rand.New(rand.NewPCG(1, 2))
	var lines strings.Builder
	for range 2000 {
		fmt.Fprintf(&lines, "main.main;main.f%d %d\n", random.IntN(1_000_000), 100+random.IntN(900))
	}
	whole := packed(t, lines.String())
	for name, c := range map[string]struct{ text, says string }{
		"cut":       {whole[:len(whole)*2/3], "the file is truncated"},
		"cut later": {whole[:len(whole)-3], "the file is truncated"},
		"appended":  {whole + "0123456789", "dropped"},
	} {
		for _, view := range [][]string{{"merge", "-folded", "-o", "-"}, {"top", "-o", os.DevNull, "-json"}} {
			out, errs, code := whet(t, "", append(view, file(t, "x.gz", c.text))...)
			if code != 0 || view[0] == "merge" && !strings.Contains(errs, c.says) {
				t.Errorf("%s, %s: exit code %d, %q; want a warning %q", name, view[0], code, errs, c.says)
			}
			for line := range strings.Lines(out) {
				if view[0] == "merge" && !strings.Contains(lines.String(), line) {
					t.Errorf("%s: %q stands nowhere in the file", name, line)
				}
			}
			if view[0] == "merge" && strings.Count(out, "\n") < 500 {
				t.Errorf("%s: only %d lines", name, strings.Count(out, "\n"))
			}
		}
	}
	if _, errs, code := whet(t, "", "top", file(t, "x.gz", whole[:len(whole)/2]+strings.Repeat("x", len(whole)/2))); code != cli.ExitFailed || strings.Count(errs, "\n") != 1 {
		t.Errorf("damaged in the middle: exit code %d, %q", code, errs)
	}
}

// TestMergeSaysWhatIsMissing: a file that is written has no place for the
// warnings of those it was made of.
func TestMergeSaysWhatIsMissing(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the whole program")
	}
	damaged, err := os.ReadFile("../../docs/testdata/damaged.cpu.pb.gz")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	if err := os.WriteFile("damaged.pb.gz", damaged, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, format := range []string{"pprof", "folded", "speedscope"} {
		if _, errs, code := whet(t, "", "merge", "-format", format, "-o", "out", "damaged.pb.gz"); code != 0 || !strings.Contains(errs, "dropped") {
			t.Errorf("%s: exit code %d, %q; want a warning", format, code, errs)
		}
	}
	out, errs, code := whet(t, "", "merge", "-json", "damaged.pb.gz")
	var d mergeDocument
	if err := json.Unmarshal([]byte(out), &d); err != nil || code != 0 || len(d.Warnings) != 1 {
		t.Errorf("exit code %d, %v: %s%s", code, err, out, errs)
	}
}

// TestProfilesAreSpared: what a view is of is not written over, by whatever
// name it is called.
func TestProfilesAreSpared(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	if err := errors.Join(os.WriteFile("x.folded", []byte(foldedText), 0o644), os.WriteFile("y.folded", []byte(foldedText), 0o644), os.Link("x.folded", "link")); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{
		"top -o x.folded x.folded", "top -o ./x.folded x.folded", "flame -svg -o link x.folded", "graph -o " + filepath.Join(dir, "x.folded") + " x.folded",
		"merge -o x.folded y.folded x.folded", "merge -json -o x.folded x.folded", "top -o x.folded -base x.folded y.folded",
		"diff -o x.folded x.folded y.folded", "diff -o x.folded y.folded x.folded",
	} {
		if out, errs, code := whet(t, "", strings.Fields(line)...); code != cli.ExitUsage || out != "" || !strings.Contains(errs, "another name") {
			t.Errorf("%s: exit code %d, %q, %q", line, code, out, errs)
		}
	}
	if _, errs, code := whet(t, "top >x.folded\noutput=link\nfolded\n", "x.folded"); code != cli.ExitFailed || strings.Count(errs, "another name") != 2 {
		t.Errorf("the prompt: exit code %d, %q", code, errs)
	}
	if got, err := os.ReadFile("x.folded"); err != nil || string(got) != foldedText {
		t.Errorf("the profile is now %q, %v", got, err)
	}
	if _, errs, code := whet(t, "", "top", "-o", "y.folded", "x.folded"); code != 0 {
		t.Errorf("another file: exit code %d, %q", code, errs)
	}
}

// TestOptionsOutOfRange: an option that makes no sense is wrong usage, and the
// error names it.
func TestOptionsOutOfRange(t *testing.T) {
	x := file(t, "x", foldedText)
	for _, option := range []string{
		"-focus=(", "-ignore=(", "-hide=(", "-show=(", "-show_from=(", "-prune_from=(", "-tagfocus=(", "-tagignore=(", "-tagshow=(", "-taghide=(",
		"-tagfocus=bytes=99999999999999999999kb:", "-normalize", "-divide_by=0", "-divide_by=1e-320", "-divide_by=inf", "-divide_by=nan", "-nodefraction=inf",
	} {
		name, _, _ := strings.Cut(option, "=")
		if out, errs, code := whet(t, "", "top", option, x); code != cli.ExitUsage || out != "" || strings.Count(errs, "\n") != 1 || !strings.Contains(errs, name) {
			t.Errorf("%s: exit code %d, %q, %q", option, code, out, errs)
		}
	}
	if _, errs, code := whet(t, "divide_by=0\nfocus=(\ntop\n", x); code != cli.ExitFailed || strings.Count(errs, "whet: ") != 2 {
		t.Errorf("the prompt: exit code %d, %q", code, errs)
	}
}

// TestUnknownUnit: as in pprof, values are then in another unit; here it is reported.
func TestUnknownUnit(t *testing.T) {
	x := file(t, "x", foldedText)
	for _, c := range []struct {
		args   string
		warned bool
	}{
		{"top -unit parsec", true}, {"tree -unit parsec", true}, {"top -json -unit parsec", true},
		{"top -unit ms", false}, {"top -unit MB", false}, {"top -unit auto", false}, {"top -unit count", false}, {"top", false},
	} {
		out, errs, code := whet(t, "", append(strings.Fields(c.args), x)...)
		if code != cli.ExitDone || strings.Contains(out+errs, "unknown unit -unit=parsec") != c.warned {
			t.Errorf("%s: exit code %d, %q, %q", c.args, code, out, errs)
		}
	}
}

// TestNotProfiles: what is no profile is called by its name.
func TestNotProfiles(t *testing.T) {
	trace, err := os.ReadFile("../format/exectrace/testdata/compile_cut.trace.gz")
	if err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, operand, says string }{
		{"trace", file(t, "x", string(trace)), "whet trace"},
		{"binary", self, "program"},
		{"perf", file(t, "x", "PERFILE2\x00\x00"), "perf script"},
		{"zip", file(t, "x", "PK\x03\x04..."), "ZIP"},
		{"page", file(t, "x", "<!DOCTYPE html>"), "web page"},
		{"benchmarks", file(t, "x", "goos: linux\ngoarch: amd64\n"), "whet compare"},
		{"packed page", file(t, "x", packed(t, "<html>")), "web page"},
		{"coverage", file(t, "x", "mode: set\n"), "cover"},
		{"empty", file(t, "x", ""), "empty"},
		{"nonsense", file(t, "x", "\x01\x02\x03\x04\x05"), "read profile"},
	} {
		out, errs, code := whet(t, "", "merge", "-o", "-", c.operand)
		if code != cli.ExitFailed || out != "" || strings.Count(errs, "\n") != 1 || !strings.Contains(errs, c.says) {
			t.Errorf("%s: exit code %d, %q; want %q in one line", c.name, code, errs, c.says)
		}
	}
}

func TestTooLarge(t *testing.T) {
	big := file(t, "big.folded", strings.Repeat(foldedText, 1000))
	small := file(t, "small.gz", packed(t, strings.Repeat(foldedText, 1000)))
	for _, operand := range []string{big, small, "-"} {
		out, errs, code := whet(t, strings.Repeat(foldedText, 1000), "merge", "-folded", "-o", "-", "-max_size", "10KiB", operand)
		if code != cli.ExitFailed || out != "" || !strings.Contains(errs, "-max_size") {
			t.Errorf("%s: exit code %d, %q; want it refused with the flag that raises the bound", operand, code, errs)
		}
		out, errs, code = whet(t, strings.Repeat(foldedText, 1000), "merge", "-folded", "-o", "-", "-max_size", "1MB", operand)
		if code != cli.ExitDone || out == "" {
			t.Errorf("%s: exit code %d, %q below the bound", operand, code, errs)
		}
	}
	const packs = "../format/profile/testdata/httpsrv_labels.cpu.pb.gz" // 75 kB, unpacked 163
	if _, errs, code := whet(t, "", "top", "-max_size", "100kB", packs); code != cli.ExitFailed || !strings.Contains(errs, "97.7 KiB") || !strings.Contains(errs, "-max_size") {
		t.Errorf("unpacked: exit code %d, %q", code, errs)
	}
	for _, size := range []string{"0", "-1", "many", ""} {
		if _, _, code := whet(t, "", "merge", "-max_size", size, big); code != cli.ExitUsage {
			t.Errorf("-max_size %q: exit code %d", size, code)
		}
	}
}

// TestMerge: values of equal stacks are added, a base is subtracted, and a
// profile less itself is nothing.
func TestMerge(t *testing.T) {
	x := file(t, "x", foldedText)
	y := file(t, "y", "main.main;main.work 4\nother 1\n")
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{x}, foldedText},
		{[]string{x, y}, "main.main;main.work 7\nmain.main 2\nother 1\n"},
		{[]string{x, x, x}, "main.main;main.work 9\nmain.main 6\n"},
		{[]string{"-base", y, x}, "main.main;main.work -1\nmain.main 2\nother -1\n"},
		{[]string{"-base", x, x}, ""},
		{[]string{"-base", x, "-base", y, x, y}, ""},
	} {
		out, errs, code := whet(t, "", append([]string{"merge", "-folded", "-o", "-"}, c.args...)...)
		if code != 0 || out != c.want {
			t.Errorf("%q: exit code %d: %s\n%swant\n%s", c.args, code, errs, out, c.want)
		}
	}
	if _, errs, code := whet(t, "", "merge", "-base", x, "-diff_base", y, x); code != cli.ExitUsage || !strings.Contains(errs, "choose -base or -diff_base") {
		t.Errorf("-base and -diff_base: exit code %d, %q", code, errs)
	}
}

// TestMergeWrites: the file is what was merged, and -json says what it holds.
func TestMergeWrites(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("x.folded", []byte(foldedText), 0o644); err != nil {
		t.Fatal(err)
	}
	out, errs, code := whet(t, "", "merge", "-json", "x.folded", "x.folded")
	var d mergeDocument
	if err := json.Unmarshal([]byte(out), &d); err != nil || code != 0 {
		t.Fatalf("exit code %d, %v: %s%s", code, err, out, errs)
	}
	if d.Schema != "whet/merge/1" || d.Samples != 2 || len(d.SampleTypes) != 1 || d.SampleTypes[0].Total != 10 || d.Warnings == nil {
		t.Errorf("%+v", d)
	}
	if out, errs, code := whet(t, "", "merge", "-folded", "-o", "-", d.Output); code != 0 || out != "main.main;main.work 6\nmain.main 4\n" {
		t.Errorf("%s holds: exit code %d, %s%s", d.Output, code, out, errs)
	}
	if _, _, code := whet(t, "", "merge", "-json", "-o", "-", "x.folded"); code != cli.ExitUsage {
		t.Errorf("-json -o -: exit code %d", code)
	}
	if _, _, code := whet(t, "", "merge", "-format", "zip", "x.folded"); code != cli.ExitUsage {
		t.Errorf("-format zip: exit code %d", code)
	}
}

func TestPromptFromPipe(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("x.folded", []byte(foldedText), 0o644); err != nil {
		t.Fatal(err)
	}
	out, errs, code := whet(t, "folded\n", "x.folded")
	if code != 0 || out != foldedText || errs != "" {
		t.Errorf("one command: exit code %d, %q, %q", code, out, errs)
	}
	// An error ends no session, and is not forgotten.
	out, errs, code = whet(t, "nonsense\nfolded >out.txt\nproto\nproto\nexit\nfolded\n", "./x.folded")
	if code != cli.ExitFailed || out != "" || !strings.Contains(errs, `"nonsense"`) {
		t.Errorf("exit code %d, %q, %q", code, out, errs)
	}
	for _, name := range []string{"out.txt", "profile001.pb.gz", "profile002.pb.gz"} {
		if got, errs, code := whet(t, "", "merge", "-folded", "-o", "-", name); code != 0 || got != foldedText {
			t.Errorf("%s: exit code %d, %q, %q", name, code, got, errs)
		}
	}
	// The last line need not end.
	if out, _, code := whet(t, "folded", "prompt", "x.folded"); code != 0 || out != foldedText {
		t.Errorf("no newline: exit code %d, %q", code, out)
	}
	if _, errs, code := whet(t, strings.Repeat("x", 70_000), "prompt", "x.folded"); code != cli.ExitFailed || !strings.Contains(errs, "longer than 65536 bytes") {
		t.Errorf("an endless line: exit code %d, %.200q", code, errs)
	}
	if _, errs, code := whet(t, "sample_index=bytes\nhelp\nhelp top\nhelp focus\nhelp cum\no\nhelp nonsense\n", "x.folded"); code != cli.ExitFailed || strings.Count(errs, "whet: ") != 2 {
		t.Errorf("exit code %d, %s", code, errs)
	}
}

// TestWithoutVerb: a line without a verb is a prompt only where it names
// something to look at.
func TestWithoutVerb(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, c := range []struct {
		args string
		code int
		says string
	}{
		{"tunes", cli.ExitUsage, "did you mean"},
		{"none.pb.gz", cli.ExitUsage, "no profile none.pb.gz"},
		{"-alloc_space none.pb.gz", cli.ExitUsage, "no profile none.pb.gz"},
		{"-nonsense none.pb.gz", cli.ExitUsage, "-nonsense"},
		{"127.0.0.1:1", cli.ExitFailed, "127.0.0.1:1"},
	} {
		if _, errs, code := whet(t, "", strings.Fields(c.args)...); code != c.code || !strings.Contains(errs, c.says) || strings.Count(errs, "\n") != 1 {
			t.Errorf("%s: exit code %d, %q; want %d and %q", c.args, code, errs, c.code, c.says)
		}
	}
}

// TestPromptStops: a session that waits for a line ends with its context.
func TestPromptStops(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var out, errs bytes.Buffer
	if code := Run(ctx, []string{file(t, "x", foldedText)}, r, &out, &errs); code != cli.ExitInterrupted {
		t.Errorf("exit code %d, %q", code, errs.String())
	}
}

// mergeDocument is what merge -json prints.
type mergeDocument struct {
	Schema      string
	Warnings    []string
	Output      string
	Samples     int
	SampleTypes []struct{ Total int64 } `json:"sample_types"`
}
