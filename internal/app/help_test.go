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

// full is a disk without room.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, syscall.ENOSPC }

// TestTextsThatDoNotArrive: what could not be printed was not done.
func TestTextsThatDoNotArrive(t *testing.T) {
	for _, line := range []string{"help", "help top", "-h", "top -h", "version", "completion bash", "completion zsh", "completion fish"} {
		var errs bytes.Buffer
		code := Run(t.Context(), strings.Fields(line), strings.NewReader(""), full{}, &errs)
		if code != cli.ExitFailed || !strings.Contains(errs.String(), "no space left") || strings.Count(errs.String(), "\n") != 1 {
			t.Errorf("%s: exit code %d, %q", line, code, errs.String())
		}
	}
}
