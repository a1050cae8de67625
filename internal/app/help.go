package app

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"strings"

	"whet/internal/cli"
)

func help(e *cli.Env, args []string) error {
	if len(args) == 0 || args[0] == "help" || args[0] == "version" {
		return printOverview(e.Stdout)
	}
	c := lookup(args[0])
	if c == nil {
		return cli.UsageError("there is no verb %q%s: whet help lists them", args[0], similar(args[0]))
	}
	return printHelp(e.Stdout, c)
}

func printOverview(out io.Writer) error {
	var w bytes.Buffer
	fmt.Fprint(&w, "whet sharpens Go programs: it measures a program as it runs, shows where time and\nmemory go, names the bottleneck and the change, and proves the gain.\n\nUsage:\n\n\twhet VERB [flags] OPERANDS\n\twhet PROFILE                  a profile's prompt, as in go tool pprof\n\nVerbs:\n\n")
	for _, c := range commands() {
		fmt.Fprintf(&w, "\t%-12s %s\n", c.Name, c.Short)
	}
	fmt.Fprint(&w, "\t"+`help         the help of a verb: whet help tune
	version      print whet's version

Start with:

	whet tune ./path/to/package

Exit codes: 0 done; 1 found what it was asked to look for; 2 wrong usage; 3 failed, or the
measurement is not valid; 4 prove cannot tell; 130 interrupted, with what it had.
`)
	return cli.PrintText(out, &w)
}

func printHelp(out io.Writer, c *cli.Command) error {
	w := new(bytes.Buffer)
	fmt.Fprintf(w, "Usage: whet %s [flags] %s\n\n%s\n", c.Name, c.Operands, strings.TrimSpace(c.Long))
	fs, _ := c.Flags()
	first := true
	fs.VisitAll(func(f *flag.Flag) {
		if first {
			fmt.Fprint(w, "\nFlags:\n\n")
			first = false
		}
		arg, usage := flag.UnquoteUsage(f)
		head := "-" + f.Name
		if arg != "" {
			head += " " + arg
		}
		if f.DefValue != "" && f.DefValue != "false" && f.DefValue != "0" && f.DefValue != "0s" {
			usage += fmt.Sprintf(" (default %s)", f.DefValue)
		}
		cli.PrintFlag(w, head, usage)
	})
	if len(c.Examples) > 0 {
		fmt.Fprint(w, "\nExamples:\n\n")
		for _, x := range c.Examples {
			fmt.Fprintf(w, "  %s\n", x)
		}
	}
	return cli.PrintText(out, w)
}
