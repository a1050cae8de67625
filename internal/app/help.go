package app

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"

	"whet/internal/cli"
)

func help(e *cli.Env, args []string) error {
	if len(args) == 0 || args[0] == "help" || args[0] == "version" {
		return printOverview(e.Stdout)
	}
	c := lookup(args[0])
	if c == nil {
		return cli.UsageError("unknown verb %q%s: whet help lists the verbs", args[0], similar(args[0]))
	}
	return printHelp(e.Stdout, c)
}

func printOverview(out io.Writer) error {
	var w bytes.Buffer
	fmt.Fprint(&w, "whet measures Go programs, shows where time and memory go, names the bottleneck and the\nchange, and tests the gain.\n\nUsage:\n\n\twhet VERB [flags] OPERANDS\n\twhet PROFILE                  a profile's prompt, as in go tool pprof\n")
	for i := range verbGroups {
		fmt.Fprintf(&w, "\n%s:\n\n", verbGroups[i].title)
		for _, c := range commands() {
			if groupOf(c.Name) == i {
				fmt.Fprintf(&w, "\t%-12s %s\n", c.Name, c.Short)
			}
		}
	}
	fmt.Fprint(&w, "\t"+`help         the help of a verb: whet help tune
	version      print whet's version

Start with:

	whet tune ./path/to/package

Exit codes: 0 done; 1 a check failed (something slower, a broken bound, a finding); 2 wrong
usage; 3 failed, or the measurement is not valid; 4 prove cannot tell; 130 interrupted, with
partial results.
`)
	return cli.PrintText(out, &w)
}

// verbGroups are the verbs by purpose. A verb in none of them is a view.
var verbGroups = [...]struct {
	title string
	verbs []string
}{
	{"Measure", []string{"tune", "record", "load", "bench"}},
	{"Compare", []string{"prove", "compare", "diff"}},
	{"View", nil},
	{"Set up", []string{"agent", "doctor", "completion", "recordings"}},
}

func groupOf(verb string) int {
	for i := range verbGroups {
		if slices.Contains(verbGroups[i].verbs, verb) {
			return i
		}
	}
	return 2
}

// flagGroups are the kinds of targets that a flag may be for: its text begins with
// one.
var flagGroups = [...]string{"", "benchmarks: ", "programs: ", "services: "}

func printHelp(out io.Writer, c *cli.Command) error {
	w := new(bytes.Buffer)
	fmt.Fprintf(w, "Usage: whet %s [flags] %s\n\n%s\n", c.Name, c.Operands, strings.TrimSpace(c.Long))
	fs, _ := c.Flags()
	for _, group := range flagGroups {
		printFlags(w, fs, group)
	}
	if len(c.Examples) > 0 {
		fmt.Fprint(w, "\nExamples:\n\n")
		for _, x := range c.Examples {
			fmt.Fprintf(w, "  %s\n", x)
		}
	}
	return cli.PrintText(out, w)
}

// printFlags writes the flags of a group.
func printFlags(w io.Writer, fs *flag.FlagSet, group string) {
	first := true
	fs.VisitAll(func(f *flag.Flag) {
		arg, usage := flag.UnquoteUsage(f)
		of := ""
		for _, g := range flagGroups[1:] {
			if strings.HasPrefix(usage, g) {
				of = g
			}
		}
		if of != group {
			return
		}
		if first {
			title := "Flags"
			if group != "" {
				title = "Flags for " + strings.TrimSuffix(group, ": ")
			}
			fmt.Fprintf(w, "\n%s:\n\n", title)
			first = false
		}
		head := "-" + f.Name
		if arg != "" {
			head += " " + arg
		}
		usage = strings.TrimPrefix(usage, group)
		if f.DefValue != "" && f.DefValue != "false" && f.DefValue != "0" && f.DefValue != "0s" {
			usage += fmt.Sprintf(" (default %s)", f.DefValue)
		}
		cli.PrintFlag(w, head, usage)
	})
}
