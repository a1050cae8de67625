package cli

import (
	"context"
	"flag"
	"io"
	"slices"
	"strings"
)

// Command is a verb.
type Command struct {
	Name     string
	Operands string // "PACKAGE", shown after the flags
	Short    string // one line for the list of verbs
	Long     string // description, for help
	Examples []string
	// Setup declares the flags and returns the function to run after they are parsed.
	Setup func(fs *flag.FlagSet) RunFunc
	// Glued are flags of one letter whose number may follow without a space.
	Glued string
	// Words maps flags of other tools to their equivalents here.
	Words map[string]string
	// Choices returns the values of flags that are a fixed list, by flag; nil: none are.
	Choices func() map[string][]string
	// ReadsOnly: it starts nothing and changes nothing but a file it writes
	// under a temporary name, so that Ctrl-C need not wait for it.
	ReadsOnly bool
	// Recordings is the first operand, from 1, that may be a recording: @ and the
	// like are resolved from there on. 0: none may be.
	Recordings int
	// RecordingFlags are the flags that may name recordings too; nil: base and
	// diff_base, where the verb has them.
	RecordingFlags []string
}

// RunFunc runs a verb with its operands.
type RunFunc func(ctx context.Context, e *Env, operands []string) error

// Flags declares the flags of a verb, and returns the function to run after they are
// parsed.
func (c *Command) Flags() (*flag.FlagSet, RunFunc) {
	fs := flag.NewFlagSet(c.Name, flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	fs.Usage = func() {}
	return fs, c.Setup(fs)
}

// OneOperand returns the only operand, or an error of usage.
func OneOperand(verb, what string, operands []string) (string, error) {
	switch {
	case slices.Contains(operands, "--"):
		return "", UsageError("%s: arguments after -- are for programs and services, not for a %s", verb, what)
	case len(operands) == 0:
		return "", UsageError("%s: name a %s: whet help %s has examples", verb, what, verb)
	case len(operands) > 1:
		return "", UsageError("%s takes one %s, not %d (%s)", verb, what, len(operands), strings.Join(operands, " "))
	}
	return operands[0], nil
}

// IsSet reports whether a flag was given.
func IsSet(fs *flag.FlagSet, name string) bool {
	found := false
	fs.Visit(func(f *flag.Flag) { found = found || f.Name == name })
	return found
}
