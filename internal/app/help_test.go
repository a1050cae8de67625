package app

import (
	"bytes"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"unicode/utf8"

	"whet/internal/cli"
)

// flagLine is a flag's name and argument, and what it is for two columns off
// at least: "  -c n    connections".
var flagLine = regexp.MustCompile(`^  -[a-zA-Z0-9_-]+( \S+)?(  +\S.*)?$`)

var twice = regexp.MustCompile(`\(default: [^)]*\) \(default`)

// TestHelpLayout: every help fits cli.HelpWidth columns, and no argument runs into
// the text beside it.
func TestHelpLayout(t *testing.T) {
	for _, c := range commands() {
		var b strings.Builder
		if err := printHelp(&b, c); err != nil {
			t.Fatal(err)
		}
		text, _, _ := strings.Cut(b.String(), "\nExamples:\n")
		for line := range strings.Lines(text) {
			line = strings.TrimSuffix(line, "\n")
			if n := utf8.RuneCountInString(line); n > cli.HelpWidth {
				t.Errorf("%s: %d columns: %s", c.Name, n, line)
			}
			if strings.HasPrefix(line, "  -") && !flagLine.MatchString(line) {
				t.Errorf("%s: the argument runs into the text: %s", c.Name, line)
			}
		}
		if said := strings.Join(strings.Fields(text), " "); twice.MatchString(said) {
			t.Errorf("%s: a default is said twice", c.Name)
		}
	}
}

// fullDisk is a writer that fails as a full disk does.
type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, syscall.ENOSPC }

// TestTextsThatDoNotArrive: what could not be printed was not done.
func TestTextsThatDoNotArrive(t *testing.T) {
	for _, line := range []string{"help", "help top", "-h", "top -h", "version", "completion bash", "completion zsh", "completion fish"} {
		var errs bytes.Buffer
		code := Run(t.Context(), strings.Fields(line), strings.NewReader(""), fullDisk{}, &errs)
		if code != cli.ExitFailed || !strings.Contains(errs.String(), "no space left") || strings.Count(errs.String(), "\n") != 1 {
			t.Errorf("%s: exit code %d, %q", line, code, errs.String())
		}
	}
}

// TestVersionAlone: what version does not know is refused, as a script that asks for
// JSON would take the text for it.
func TestVersionAlone(t *testing.T) {
	var out, errs bytes.Buffer
	code := Run(t.Context(), []string{"version", "-json"}, strings.NewReader(""), &out, &errs)
	if code != cli.ExitUsage || out.Len() > 0 || !strings.Contains(errs.String(), `"-json"`) {
		t.Errorf("exit code %d, %q, %q", code, out.String(), errs.String())
	}
}

// TestNearest: a slip of the keys finds its word, another word finds none.
func TestNearest(t *testing.T) {
	names := []string{"budget", "bench", "benchtime", "samples", "no-source", "no-binary", "c", "d"}
	for name, want := range map[string]string{
		"bugdet": "budget", "buget": "budget", "sample": "samples", "no-sorce": "no-source", "ben": "bench", "benchtim": "benchtime",
		"colour": "", "x": "", "": "", "verbose": "",
	} {
		if got := nearest(name, names); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "abc", 3}, {"abc", "", 3}, {"kitten", "sitting", 3}, {"ab", "ba", 1}, {"same", "same", 0}} {
		if got := changes(c.a, c.b); got != c.want || changes(c.b, c.a) != c.want {
			t.Errorf("%q to %q: %d changes, want %d", c.a, c.b, got, c.want)
		}
	}
}

// TestVerbGroups: each verb stands in the overview once.
func TestVerbGroups(t *testing.T) {
	var b strings.Builder
	if err := printOverview(&b); err != nil {
		t.Fatal(err)
	}
	for _, c := range commands() {
		if n := strings.Count(b.String(), "\n\t"+c.Name+" "); n != 1 {
			t.Errorf("%s: %d times", c.Name, n)
		}
	}
}
