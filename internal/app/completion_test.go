package app

import (
	"bytes"
	"context"
	"flag"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"whet/internal/cli"
)

// need skips a test where a program is missing; in CI that is a failure.
func need(t *testing.T, program string) string {
	t.Helper()
	path, err := exec.LookPath(program)
	if err == nil {
		return path
	}
	if os.Getenv("CI") != "" {
		t.Fatalf("there is no %s on PATH", program)
	}
	t.Skipf("there is no %s on PATH", program)
	return ""
}

func completionScript(t *testing.T, shell string) string {
	t.Helper()
	var out, errs bytes.Buffer
	if code := Run(context.Background(), []string{"completion", shell}, nil, &out, &errs); code != cli.ExitDone {
		t.Fatalf("completion %s: exit code %d: %s", shell, code, errs.String())
	}
	return out.String()
}

// TestBashCompletion asks a real bash.
func TestBashCompletion(t *testing.T) {
	bash := need(t, "bash")
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "script"), []byte(completionScript(t, "bash")), 0o644); err != nil {
		t.Fatal(err)
	}
	// What asks for recordings calls whet, here a script.
	if err := os.WriteFile(filepath.Join(dir, "whet"), []byte("#!/bin/sh\n[ \"$*\" = 'recordings -operands' ] && printf '@\\n@2\\n@chi\\n@chi-2\\n'\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	complete := func(line string) []string {
		t.Helper()
		// The words before the cursor, as bash splits them; the last may be empty.
		cmd := exec.Command(bash, "--norc", "-c", `source ./script
complete -p whet >&2 || exit 1
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
_whet
printf '%s\n' "${COMPREPLY[@]}"`, "bash")
		cmd.Args = append(cmd.Args, strings.Split(line, " ")...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "PATH="+dir+string(os.PathListSeparator)+os.Getenv("PATH"))
		var errs bytes.Buffer
		cmd.Stderr = &errs
		out, err := cmd.Output()
		if err != nil || !strings.Contains(errs.String(), "-o default") {
			t.Fatalf("%s: %v: %s", line, err, errs.String())
		}
		got := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
		if string(out) == "\n" && !strings.HasSuffix(line, "@") {
			got = []string{}
		}
		slices.Sort(got)
		return got
	}

	var all []string
	for _, v := range completedVerbs() {
		all = append(all, v.name)
	}
	slices.Sort(all)
	for line, want := range map[string][]string{
		"whet ":                 all,
		"whet compl":            {"completion"},
		"whet no-such":          {},
		"whet completion ":      {"bash", "fish", "zsh"},
		"whet completion z":     {"zsh"},
		"whet help doc":         {"doctor"},
		"whet load -engine e":   {"epoll"},
		"whet load -tls-min ":   {"1.0", "1.1", "1.2", "1.3"},
		"whet tune -bud":        {"-budget"},
		"whet tune --bud":       {"--budget"},
		"whet tune ./x -bencht": {"-benchtime"},
		"whet tune -o ":         {}, // a value: file names, from bash itself
		"whet tune --o ":        {},
		"whet tune -json ":      {},
		"whet tune ./x":         {},
		"whet doctor -j":        {"-json"},
		"whet cpu.pb.gz -nodec": {"-nodecount"},

		"whet top -granularity ":  {"addresses", "filefunctions", "files", "functions", "lines"},
		"whet cpu.pb.gz --sort c": {"cum"},
		"whet flame -colors pur":  {"purple"},
		"whet list -symbolize f":  {"fastlocal", "force"},
		"whet top -focus ":        {},

		// With @ as a character that breaks words, as in bash by itself, and without.
		"whet top @":          {"", "2", "chi", "chi-2"},
		"whet top @ c":        {"chi", "chi-2"},
		"whet top @c":         {"@chi", "@chi-2"},
		"whet diff @2 @chi-":  {"@chi-2"},
		"whet tune @c":        {},
		"whet top -focus x @": {"", "2", "chi", "chi-2"},
	} {
		if got := complete(line); !slices.Equal(got, want) {
			t.Errorf("%q completes to %q, want %q", line, got, want)
		}
	}

	// Every flag of every verb.
	for _, c := range commands() {
		fs, _ := c.Flags()
		var want []string
		fs.VisitAll(func(f *flag.Flag) { want = append(want, "-"+f.Name) })
		slices.Sort(want)
		if got := complete("whet " + c.Name + " -"); !slices.Equal(got, want) {
			t.Errorf("%s: flags complete to %q, want %q", c.Name, got, want)
		}
	}
}

// TestOtherShells: the scripts parse where the shell is at hand, and hold
// every verb and flag in quotes that survive the texts.
func TestOtherShells(t *testing.T) {
	for _, shell := range []string{"zsh", "fish"} {
		script := completionScript(t, shell)
		for _, c := range commands() {
			fs, _ := c.Flags()
			fs.VisitAll(func(f *flag.Flag) {
				if !strings.Contains(script, "-"+f.Name+"[") && !strings.Contains(script, "-o "+f.Name+" ") {
					t.Errorf("%s: flag -%s of %s is missing", shell, f.Name, c.Name)
				}
			})
			if !strings.Contains(script, c.Name) {
				t.Errorf("%s: verb %s is missing", shell, c.Name)
			}
		}
		path, err := exec.LookPath(shell)
		if err != nil {
			continue // the shape above is all that can be seen without it
		}
		cmd := exec.Command(path, "-n")
		cmd.Stdin = strings.NewReader(script)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s -n: %v\n%s", shell, err, out)
		}
	}
}

// TestShellQuote hands hostile text to a shell and gets it back.
func TestShellQuote(t *testing.T) {
	bash := need(t, "bash")
	for _, s := range []string{"", "plain", "it's", `a\b`, "$(exit 3)`x`", "'", "a\nb", `"`} {
		out, err := exec.Command(bash, "-c", "printf %s "+shellQuote(s)).Output()
		if err != nil || string(out) != s {
			t.Errorf("%q came back as %q (%v)", s, out, err)
		}
	}
	// Fish is read by hand: inside single quotes only \\ and \' are special.
	if got, want := fishQuote(`it's a\b`), `'it\'s a\\b'`; got != want {
		t.Errorf("fishQuote = %s, want %s", got, want)
	}
}

func TestCompletionBadInput(t *testing.T) {
	for _, args := range [][]string{{"completion"}, {"completion", "tcsh"}, {"completion", "bash", "zsh"}} {
		var errs bytes.Buffer
		if code := Run(context.Background(), args, nil, io.Discard, &errs); code != cli.ExitUsage || strings.Count(errs.String(), "\n") != 1 {
			t.Errorf("%q: exit code %d, %q; want %d and one line", args, code, errs.String(), cli.ExitUsage)
		}
	}
}
